"""Decision processes as model checkers write them: states with several rows, of which some have names.

What an attacker chooses from is decided when it is known which states look alike (``offers``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

from prover.errors import InvalidModel, abbreviated, quoted
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
    """The choices of every state with names that differ, and the notes about names that they have got here.

    Two choices of one name with the same row are one. Where a state leaves a choice, its choices without
    names are called "action 1", "action 2", … in their order: by their place, so that the same file gives the
    same names. Where a state has several choices called "rec", all choices of the model that are called so
    are "rec 1", "rec 2", … in the order of their state. A number that makes a name of the model is left out.
    """
    choices = [_without_repetition(given) for given in process.choices]
    taken = {name for given in choices for name, _ in given}
    repeated = {name for given in choices for name in _repeated(given) if name != NAMELESS}
    unnamed = several = 0
    for given in choices:
        numbers: dict[str, Iterator[str]] = {}
        several += bool(repeated & _repeated(given))
        unnamed += len(given) > 1 and any(name == NAMELESS for name, _ in given)
        for index, (name, row) in enumerate(given):
            if name in repeated or (name == NAMELESS and len(given) > 1):
                names = numbers.setdefault(name, _numbered(name or "action", taken))
                given[index] = next(names), row
    notes = []
    if unnamed:
        notes.append(
            f"{_states(unnamed)} choices without names; they are called action 1, action 2, … in the order "
            "of the model, and in states of equal label equal names are taken for the same action"
        )
    if several:
        called = abbreviated(", ".join(map(quoted, sorted(repeated))))
        first = min(repeated)
        notes.append(
            f"{_states(several)} different choices of one name ({called}), among which the attacker chooses; "
            f"they are numbered in the order of the model, such as {first} 1, {first} 2, …"
        )
    return choices, tuple(notes)


def _repeated(given: Sequence[NamedRow]) -> set[str]:
    return {name for name, count in Counter(name for name, _ in given).items() if count > 1}


def _numbered(name: str, taken: Set[str]) -> Iterator[str]:
    """The name with the numbers 1, 2, …, without those that are taken."""
    return (numbered for number in count(1) if (numbered := f"{name} {number}") not in taken)


def _states(number: int) -> str:
    return "1 state has" if number == 1 else f"{number:,} states have"


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
