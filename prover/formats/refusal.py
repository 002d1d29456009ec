"""Systems that refuse the actions that a state does not offer, as processes in which equal labels offer equal
actions (docs/theory_interactive.md, *Refused actions*).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from fractions import Fraction
from typing import TypeGuard

from prover.errors import BeyondLimit, InvalidModel, quoted

MAX_STATES = 1_000_000
"""The most states of a system that refuses."""

LabelledRow = Mapping[str, Fraction]
NamedState = tuple[str, Mapping[str, LabelledRow] | LabelledRow]
"""A label, and the rows by actions, or the only row, which is that of every action."""

_Copy = tuple[str, frozenset[str]]
"""A state and what it has refused since the last step."""


def refusing(states: Mapping[str, NamedState]) -> tuple[dict[str, NamedState], tuple[str, ...]]:
    """The states, and their copies after a refusal, and the note about them.

    An action that another state of the same label offers and this one does not leads to a copy of the state,
    in which the attacker sees what has been refused and chooses among the rest. A state with one row for
    every action refuses nothing. Raises BeyondLimit, and InvalidModel where a label or a name of a copy
    is taken.
    """
    offered = {name: frozenset(given) if _by_actions(given) else None for name, (_, given) in states.items()}
    alike: dict[str, set[frozenset[str]]] = {}
    for name, (label, _) in states.items():
        actions = offered[name]
        if actions is not None:
            alike.setdefault(label, set()).add(actions)
    found: dict[str, NamedState] = {}
    seen: dict[str, tuple[str, frozenset[str]]] = {}
    waiting: deque[_Copy] = deque((name, frozenset()) for name in states)
    known: set[_Copy] = set(waiting)
    while waiting:
        name, refused = waiting.popleft()
        label, given = states[name]
        shown = _after(label, refused)
        if seen.setdefault(shown, (label, refused)) != (label, refused) or _after(name, refused) in found:
            raise InvalidModel(
                f"what is seen after a refusal, {quoted(shown)}, is a label or a name already; rename it",
                code="label-taken",
            )
        actions = offered[name]
        if actions is None or not _by_actions(given):
            found[_after(name, refused)] = label, given
            continue
        rows: dict[str, LabelledRow] = dict(given)
        menu = frozenset[str]().union(*(other for other in alike[label] if not other & refused))
        for action in sorted(menu - actions):
            copy = name, refused | {action}
            rows[action] = {_after(*copy): Fraction(1)}
            if copy not in known:
                known.add(copy)
                waiting.append(copy)
        if len(known) > MAX_STATES:
            raise BeyondLimit(
                f"with what it refuses, the system has more than {MAX_STATES:,} states; let the label show "
                "more of what the attacker sees",
                code="too-many-states",
            )
        found[_after(name, refused)] = shown, rows
    copies = len(found) - len(states)
    if not copies:
        return found, ()
    added = "1 state is" if copies == 1 else f"{copies:,} states are"
    return found, (
        f"the system refuses what a state does not offer: {added} added in which the attacker sees what has "
        "been refused",
    )


def _by_actions(given: Mapping[str, LabelledRow] | LabelledRow) -> TypeGuard[Mapping[str, LabelledRow]]:
    return any(isinstance(row, Mapping) for row in given.values())


def _after(text: str, refused: frozenset[str]) -> str:
    """The label or the name of a state, once it has refused these actions."""
    return f"{text} (refused: {', '.join(sorted(refused))})" if refused else text
