"""Decision processes as model checkers write them: states with several rows, of which some have names.

What an attacker chooses from is decided when it is known which states look alike (``offers``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from prover.errors import InvalidModel, quoted
from prover.formats.explicit.chain import ExplicitChain, ExplicitStates, checked_rows

NamedRow = tuple[str, Mapping[int, Fraction]]
"""The name of an action, NAMELESS where it has none, and its row."""

NAMELESS = ""


def nameless_choice(state: str, count: int, others: Sequence[str]) -> InvalidModel:
    """A state leaves a choice, and one of the things to be chosen has no name."""
    beside = f"besides {', '.join(map(quoted, others))} " if others else ""
    what = "a choice without a name" if count == 1 else f"{count} choices without names"
    return InvalidModel(
        f"state {quoted(state)} has {beside}{what}: the attacker chooses by name, so give every choice of "
        "the attacker a name, and every other choice probabilities",
        code="nameless-choice",
    )


def offers_differ(
    label: str, first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]
) -> InvalidModel:
    """Two states look alike to the attacker and offer different actions."""
    (one, there), (other, here) = first, second
    return InvalidModel(
        f"states {quoted(one)} and {quoted(other)} have the same label ({quoted(label)}) and offer "
        f"different actions: {_listed(there)} and {_listed(here)}. If the attacker sees which actions a "
        "state offers, let the label show them (--observe, --labels); if not, add each missing action, with "
        "what happens when it is refused",
        code="offers-differ",
    )


def _listed(actions: Sequence[str]) -> str:
    return ", ".join(map(quoted, actions))


@dataclass(frozen=True, slots=True)
class ExplicitProcess(ExplicitStates):
    """A finite Markov decision process: ``choices[s]`` are what can be done in state s, one at least."""

    choices: tuple[tuple[NamedRow, ...], ...] = field(kw_only=True)


Explicit = ExplicitChain | ExplicitProcess


def checked_choices(
    given: Sequence[Sequence[NamedRow]], *, normalise: bool, names: Sequence[str] = ()
) -> tuple[tuple[tuple[NamedRow, ...], ...], tuple[str, ...]]:
    """The choices with rows that sum to 1, as ``checked_rows`` makes and checks them, and its notes.

    A state without choices has no row that sums to 1.
    """
    given = [choices or [(NAMELESS, {})] for choices in given]
    owners = [(state, name) for state, choices in enumerate(given) for name, _ in choices]
    rows, notes = checked_rows(
        [row for choices in given for _, row in choices], normalise=normalise, names=names, owners=owners
    )
    checked: list[list[NamedRow]] = [[] for _ in given]
    for (state, name), row in zip(owners, rows, strict=True):
        checked[state].append((name, row))
    return tuple(map(tuple, checked)), notes


def offers(
    process: ExplicitProcess, labels: Sequence[str], names: Sequence[str]
) -> list[Mapping[str, Mapping[int, Fraction]]]:
    """The rows of every state by the actions that the attacker chooses from, by NAMELESS alone where nothing
    is chosen.

    ``labels`` are what is seen of the states, ``names`` what they are called. Two choices of one name with
    the same row are one. Where every state of a label has one choice, nothing is chosen, and the name of it
    is not seen. Elsewhere a state whose one choice has no name does the same whatever is chosen; all others
    offer the same names. Raises InvalidModel.
    """
    choices = [_without_repetition(given) for given in process.choices]
    chosen = {label for label, given in zip(labels, choices, strict=True) if len(given) > 1}
    menus: dict[str, tuple[str, tuple[str, ...]]] = {}
    found: list[Mapping[str, Mapping[int, Fraction]]] = []
    for label, given, name in zip(labels, choices, names, strict=True):
        if len(given) == 1 and (label not in chosen or given[0][0] == NAMELESS):
            found.append({NAMELESS: given[0][1]})
            continue
        actions = tuple(sorted(action for action, _ in given))
        _check_names(name, actions)
        first = menus.setdefault(label, (name, actions))
        if first[1] != actions:
            raise offers_differ(label, first, (name, actions))
        found.append(dict(given))
    return found


def _without_repetition(given: Sequence[NamedRow]) -> list[NamedRow]:
    kept: list[NamedRow] = []
    for choice in given:
        if choice not in kept:
            kept.append(choice)
    return kept


def _check_names(state: str, actions: Sequence[str]) -> None:
    nameless = sum(action == NAMELESS for action in actions)
    if nameless:
        raise nameless_choice(state, nameless, [action for action in actions if action != NAMELESS])
    for action, following in pairwise(actions):
        if action == following:
            raise InvalidModel(
                f"state {quoted(state)} has two different choices called {quoted(action)}, and nothing "
                "decides between them; give them different names, or probabilities",
                code="name-not-unique",
            )
