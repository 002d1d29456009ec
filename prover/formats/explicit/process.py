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


def offers_differ(
    label: str, first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]
) -> InvalidModel:
    """Two states look alike to the attacker and offer different actions."""
    (one, there), (other, here) = first, second
    return InvalidModel(
        f"states {quoted(one)} and {quoted(other)} have the same label ({quoted(label)}) and offer "
        f"different actions: {_listed(there)} and {_listed(here)}. If the attacker sees which actions a "
        "state offers, let the label show them (--observe, --labels); if a state refuses what it does not "
        "offer, and the attacker sees this, use --refuse",
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


def named_choices(process: ExplicitProcess) -> tuple[list[list[NamedRow]], tuple[str, ...]]:
    """The choices of every state, and the note about names that they have got here.

    Two choices of one name with the same row are one. Where a state leaves a choice, its choices without
    names are called "action 1", "action 2", … in their order: by their place, so that the same file gives the
    same names.
    """
    choices = [_without_repetition(given) for given in process.choices]
    count = 0
    for given in choices:
        unnamed = [place for place, (name, _) in enumerate(given) if name == NAMELESS]
        if len(given) > 1 and unnamed:
            count += 1
            for number, place in enumerate(unnamed, 1):
                given[place] = (f"action {number}", given[place][1])
    if not count:
        return choices, ()
    states = "1 state has" if count == 1 else f"{count:,} states have"
    return choices, (
        f"{states} choices without names; they are called action 1, action 2, … in the order of the model, "
        "and in states of equal label equal names are taken for the same action",
    )


def offers(
    choices: Sequence[Sequence[NamedRow]],
    labels: Sequence[str],
    names: Sequence[str],
    *,
    refuse: bool = False,
) -> list[Mapping[str, Mapping[int, Fraction]]]:
    """The rows of every state by the actions that the attacker chooses from, by NAMELESS alone where nothing
    is chosen.

    ``choices`` are those of ``named_choices``, ``labels`` what is seen of the states, ``names`` what they are
    called. Where every state of a label has one choice, nothing is chosen, and the name of it is not seen.
    Elsewhere a state whose one choice has no name does the same whatever is chosen; all others offer the same
    names, but where a state may ``refuse`` what it does not offer. Raises InvalidModel.
    """
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
        if first[1] != actions and not refuse:
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
    for action, following in pairwise(actions):
        if action == following:
            raise InvalidModel(
                f"state {quoted(state)} has two different choices called {quoted(action)}, and nothing "
                "decides between them; give them different names, or probabilities",
                code="name-not-unique",
            )
