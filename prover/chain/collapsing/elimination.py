"""Where a run is when something is seen next: unseen transitions eliminated, exactly.

Reference: docs/theory.md, *Unseen steps*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from flint import fmpq

from prover.errors import BeyondLimit
from prover.graphs import search, strong_components
from prover.progress import Progress, silent

FlintRow = Mapping[int, fmpq]
"""Probabilities above 0 of some states; their sum is at most 1."""

MOST_EXITS = 5_000_000
"""The most probabilities that are kept, which bounds the memory."""

_ZERO, _ONE = fmpq(0), fmpq(1)


def next_seen(
    rows: Mapping[int, FlintRow],
    is_seen: Callable[[int, int], bool],
    starts: Iterable[int],
    progress: Progress = silent,
) -> dict[int, dict[int, fmpq]]:
    """For every state that the starts reach: which state the next seen transition enters.

    ``rows`` has a row for all of them, which may lack something of 1; ``is_seen`` says of each transition
    whether it is seen. The answer h_s is the only solution of the lemma on exits: what h_s lacks of 1 is the
    probability that nothing is seen any more. Raises BeyondLimit.
    """
    reached = search(starts, lambda s: rows[s].keys())

    def unseen(s: int) -> list[int]:
        return [t for t in rows[s] if not is_seen(s, t)]

    exits: dict[int, dict[int, fmpq]] = {}
    kept = 0
    for members in strong_components(reached, unseen):
        exits |= _component(rows, is_seen, members, exits)
        kept += sum(len(exits[s]) for s in members)
        if kept > MOST_EXITS:
            raise BeyondLimit(
                f"collapsing leads to more than {MOST_EXITS:,} probabilities of ways out; too many",
                code="too-many-exits",
            )
        progress("collapsing", len(exits), len(reached))
    return exits


def entered(
    rows: Mapping[int, FlintRow], is_seen: Callable[[int, int], bool], starts: Iterable[int]
) -> list[int]:
    """The starts, and the states that they reach and that a seen transition enters; in order."""
    kept = set(starts)
    for s in search(sorted(kept), lambda s: rows[s].keys()):
        kept.update(t for t in rows[s] if is_seen(s, t))
    return sorted(kept)


def _component(
    rows: Mapping[int, FlintRow],
    is_seen: Callable[[int, int], bool],
    members: Sequence[int],
    exits: Mapping[int, FlintRow],
) -> dict[int, dict[int, fmpq]]:
    """h_s for the states of one strong component of the unseen transitions, from those of later ones."""
    inside = set(members)
    circling: dict[int, FlintRow] = {}  # transitions in the component
    leaving: dict[int, dict[int, fmpq]] = {}  # seen ones, by where they lead
    passing: dict[int, FlintRow] = {}  # unseen ones to later components
    for s in members:
        seen = {t: p for t, p in rows[s].items() if is_seen(s, t)}
        others = {t: p for t, p in rows[s].items() if t not in seen}
        leaving[s] = seen
        circling[s] = {t: p for t, p in others.items() if t in inside}
        passing[s] = {t: p for t, p in others.items() if t not in inside and exits[t]}
    if len(members) == 1:
        s = members[0]
        found = _mixed(leaving[s], passing[s], exits)
        stays = circling[s].get(s, _ZERO)
        return {s: {v: p / (1 - stays) for v, p in found.items()} if stays != 0 else found}
    gates = {t for row in passing.values() for t in row}
    ends = {v for row in leaving.values() for v in row}
    if not gates and not ends:
        return {s: {} for s in members}
    if len(ends.union(*(exits[t] for t in gates))) <= len(gates) + len(ends):
        mixed = {s: _mixed(leaving[s], passing[s], exits) for s in members}
        return _circled(members, circling, mixed)
    # Fewer states lie behind the component than exits behind these: first to which of them a run comes. A
    # state may be both, entered by seen transitions and by others; then these two count apart.
    marked = {s: leaving[s] | {-1 - t: p for t, p in passing[s].items()} for s in members}
    found_gates = _circled(members, circling, marked)
    return {
        s: _mixed(
            {v: p for v, p in row.items() if v >= 0}, {-1 - v: p for v, p in row.items() if v < 0}, exits
        )
        for s, row in found_gates.items()
    }


def _mixed(seen: FlintRow, unseen: FlintRow, exits: Mapping[int, FlintRow]) -> dict[int, fmpq]:
    """The seen probabilities, and the exits of the unseen ones in proportion."""
    mixed = dict(seen)
    for t, p in unseen.items():
        for v, q in exits[t].items():
            mixed[v] = mixed.get(v, _ZERO) + p * q
    return mixed


def _circled(
    members: Sequence[int], circling: Mapping[int, FlintRow], leaving: Mapping[int, FlintRow]
) -> dict[int, dict[int, fmpq]]:
    """The solution x of x_s = Σ circling[s][t]·x_t + leaving[s], a row for each member."""
    place = {s: k for k, s in enumerate(members)}
    columns = sorted({v for s in members for v in leaving[s]})
    column = {v: k for k, v in enumerate(columns)}
    matrix = []
    for s in members:
        row = {place[t]: -p for t, p in circling[s].items()}
        row[place[s]] = row.get(place[s], _ZERO) + _ONE
        matrix.append(row)
    right = [{column[v]: p for v, p in leaving[s].items()} for s in members]
    from prover.exact.linear import solve_columns

    found = solve_columns(matrix, right, len(columns))
    return {
        s: {v: x for v, x in zip(columns, values, strict=True) if x != 0}
        for s, values in zip(members, found, strict=True)
    }
