"""Segments: the parts of a branch from one assignment to the next, and the order of their shifts.

All steps of a segment are compared with its first one, so the shift of that one decides what the segment
costs. A segment is written as a branch whose first place only assigns; with the cycles on it it stands for a
whole *segment family*, the paths that differ in their turns. The guard of the first step compares it with the
segment before.

The *segment shift graph* has a vertex for every segment and for −1, 0 and 1. An arc from u to v says that the
shift of u is at most that of v. On one branch shifts of finite cost exist if and only if 1 does not lead to
0, 1 to −1 or 0 to −1, and no cycle leaks or discloses; of a whole program the graph can tell too much, since
it combines segments that no single run takes (docs/strategies.md, *Segments*).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from prover.graphs import search, way_to
from prover.program.branches import Branch, BranchEdge
from prover.program.shifts import (
    ANYTHING,
    allowed,
    differences_of,
    price,
    repeats_freely,
    window,
    worst_leaf,
)

SHIFTS = (-1, 0, 1)

Vertex = tuple[str, int]
"""("segment", its number) or ("shift", −1, 0 or 1)."""


def segments(branch: Branch) -> tuple[Branch, ...]:
    """The segments of a branch, in order."""
    starts = [k for k, place in enumerate(branch.steps) if place.edge.assigns]
    ends = [*starts[1:], len(branch.steps)]
    return tuple(
        Branch(branch.steps[start:end], branch.leaks) for start, end in zip(starts, ends, strict=True)
    )


def segment_cost(segment: Branch, delta: int, shift: int) -> Fraction | None:
    """The cost of a segment when the difference and the shift of its assignment are these.

    The other steps have their worst differences and then their best shifts; None if infinite.
    """
    first, *others = segment.steps
    if segment.is_hopeless or not allowed(first.edge, shift, ANYTHING):
        return None
    stored = dict.fromkeys(first.edge.assign, shift)
    total = price(first.edge, delta, shift)
    for place in others:
        if place.repeats:
            if not repeats_freely(place.edge, window(place.edge, stored)):
                return None
        elif (cost := worst_leaf(place.edge, window(place.edge, stored))) is None:
            return None
        else:
            total += cost
    return total


def segment_loss(segment: Branch) -> Fraction | None:
    """The optimum of a segment by itself, which by Theorem C is its loss; None if it has no bound."""
    worst = Fraction(0)
    for delta in differences_of(segment.steps[0].edge):
        costs = [cost for shift in SHIFTS if (cost := segment_cost(segment, delta, shift)) is not None]
        if not costs:
            return None
        worst = max(worst, min(costs))
    return worst


@dataclass(frozen=True, slots=True)
class SegmentGraph:
    """Segments, which of them can follow which, and the arcs of their shift graph."""

    segments: tuple[Branch, ...]
    follows: frozenset[tuple[int, int]]
    arcs: Mapping[Vertex, tuple[Vertex, ...]]

    def contradiction(self) -> tuple[Vertex, ...] | None:
        """A way from 1 to 0, 0 to −1, or 1 to −1, that demands the impossible; None if there is none."""
        for source, goal in ((1, -1), (1, 0), (0, -1)):
            before = search([("shift", source)], lambda vertex: self.arcs.get(vertex, ()))
            if ("shift", goal) in before:
                return tuple(way_to(("shift", goal), before))
        return None


def segment_graph(branches: Iterable[Branch]) -> SegmentGraph:
    """The segment shift graph of some branches; equal segments of several branches are one vertex."""
    number: dict[tuple[BranchEdge, ...], int] = {}
    found: list[Branch] = []
    follows: set[tuple[int, int]] = set()
    for branch in branches:
        before: int | None = None
        for segment in segments(branch):
            place = number.setdefault(segment.steps, len(number))
            if place == len(found):
                found.append(segment)
            if before is not None:
                follows.add((before, place))
            before = place
    arcs: dict[Vertex, set[Vertex]] = {}
    for first, second in follows:
        relation = found[second].steps[0].edge.relation
        one, other = ("segment", first), ("segment", second)
        if relation == "<":
            arcs.setdefault(other, set()).add(one)
        elif relation == ">=":
            arcs.setdefault(one, set()).add(other)
    for k, segment in enumerate(found):
        for low, high in _demands(segment, ("segment", k)):
            arcs.setdefault(low, set()).add(high)
    ordered = {vertex: tuple(sorted(after)) for vertex, after in sorted(arcs.items())}
    return SegmentGraph(tuple(found), frozenset(follows), ordered)


def _demands(segment: Branch, own: Vertex) -> Iterable[tuple[Vertex, Vertex]]:
    """The arcs between a segment and constants."""
    one, zero, minus = ("shift", 1), ("shift", 0), ("shift", -1)
    first, *others = segment.steps
    if first.edge.pinned:
        yield from ((own, zero), (zero, own))
    for place in others:
        below = place.edge.relation == "<"
        if place.repeats and place.edge.relation:
            yield (one, own) if below else (own, minus)
        if place.edge.pinned and place.edge.relation:
            yield (zero, own) if below else (own, zero)
