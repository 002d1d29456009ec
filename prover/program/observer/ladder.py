"""Runs of one word whose samples are a union of cones: these are moved one after the other, as on a ladder.

A *cone* are the samples that some demands put into an order, (a, b) that a comes before b in the row of all
samples. Cones may overlap. If they have a numbering and shifts such that a cone that meets a later one is
kept by the difference of their shifts, then what is not in earlier cones can be moved without meeting what
these are moved to. So the union loses at most what the costliest shifts cost (docs/theory_observer.md,
*Ladders*).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import permutations, product
from operator import and_, or_

from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Edge, Program
from prover.program.noise import INFINITE
from prover.program.observer.convex import are_aligned, closure, exclude_each_other, has_tie_order
from prover.program.observer.search import differences
from prover.program.observer.words import Run
from prover.program.optimum.budget import Exhausted, Steps
from prover.program.outputs import numbers_of
from prover.program.shifts import cost

Cone = tuple[tuple[int, int], ...]
"""Pairs (a, b) of steps: a comes before b in the row of the samples."""

Shifts = tuple[int, ...]

MOST_STEPS = 6
_MOST_CONES = 8


@dataclass(frozen=True, slots=True)
class Rungs:
    """For a difference of the inputs the numbering of the cones, and the shifts of each cone."""

    delta: Shifts
    order: tuple[int, ...]
    shifts: tuple[Shifts, ...]


@dataclass(frozen=True, slots=True)
class Ladder:
    """The runs of a word, cones whose union is theirs, rungs for all differences, and what these cost."""

    runs: tuple[Run, ...]
    cones: tuple[Cone, ...]
    rungs: tuple[Rungs, ...]
    upper: Fraction


def ladder(program: Program, adjacency: Adjacency, runs: Sequence[Run], steps: Steps) -> Ladder | None:
    """The best ladder of the runs of a word that is found within some ``steps``; None if there is none.

    Words have few steps, show no numbers, and noise has two sides, or it is on a grid that is as coarse as
    the sensitivity.
    """
    edges = runs[0].edges
    if len(edges) > MOST_STEPS or any(numbers_of(edge.outputs) for edge in edges):
        return None
    noise = program.noise
    one_sided = any(INFINITE in (edge.left, edge.right) for edge in edges)
    if noise.sensitivity != noise.grid if noise.is_discrete else one_sided:
        return None
    if not are_aligned(program, runs) or not exclude_each_other(runs) or not has_tie_order(runs):
        return None
    best: Ladder | None = None
    for cones in _unions(runs):
        try:
            found = RungSearch(edges, cones, steps).all_rungs(
                extreme(edges, adjacency, whole=noise.is_discrete)
            )
        except Exhausted:
            break
        if found is not None and (best is None or found[1] < best.upper):
            best = Ladder(tuple(runs), cones, found[0], found[1])
    return best


def extreme(edges: Sequence[Edge], adjacency: Adjacency, *, whole: bool) -> list[Shifts]:
    """The differences that suffice, in order: extreme ones, or with ``whole`` all of −1, 0, 1."""
    ways = ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,)
    takes = [edge.input for edge in edges]
    return sorted({delta for way in ways for delta in differences(takes, way, whole)})


def _unions(runs: Sequence[Run]) -> list[tuple[Cone, ...]]:
    """Cones whose union are the runs: as large ones as possible, few of them, and all."""
    length = len(runs[0].edges)
    rows = list(permutations(range(length)))
    before = {
        (a, b): sum(1 << k for k, row in enumerate(rows) if row.index(a) < row.index(b))
        for a in range(length)
        for b in range(length)
        if a != b
    }
    full = (1 << len(rows)) - 1

    def rows_of(cone: Iterable[tuple[int, int]]) -> int:
        return reduce(and_, (before[pair] for pair in cone), full)

    whole = [
        [(a, b) for b, under in enumerate(run.below) for a in range(length) if under >> a & 1] for run in runs
    ]
    every = reduce(or_, map(rows_of, whole))
    found: dict[Cone, int] = {}
    for pairs in whole:
        for turn in range(max(1, len(pairs))):
            kept = pairs[turn:] + pairs[:turn]
            for pair in list(kept):
                rest = [own for own in kept if own != pair]
                if not rows_of(rest) & ~every:
                    kept = rest
            found[tuple(sorted(kept))] = rows_of(kept)
    few: list[Cone] = []
    left = every
    while left:
        best = max(sorted(found), key=lambda cone: (found[cone] & left).bit_count())
        few.append(best)
        left &= ~found[best]
    unions = [tuple(sorted(few)), tuple(sorted(found))]
    return [own for own in dict.fromkeys(unions) if len(own) <= _MOST_CONES]


class RungSearch:
    """The search for rungs of some cones."""

    def __init__(self, edges: Sequence[Edge], cones: Sequence[Cone], steps: Steps) -> None:
        self.edges, self.cones, self.steps = edges, cones, steps
        self.shifts = [
            [own for own in product((-1, 0, 1), repeat=len(edges)) if keeps(cone, own)] for cone in cones
        ]
        self.apart = {
            (i, j): excludes(len(edges), one, other)
            for i, one in enumerate(cones)
            for j, other in enumerate(cones)
        }

    def all_rungs(self, deltas: Sequence[Shifts]) -> tuple[tuple[Rungs, ...], Fraction] | None:
        """The cheapest rungs for each difference, and the most that they cost; None if there are none.

        Raises Exhausted.
        """
        upper = Fraction(0)
        found = []
        for delta in deltas:
            own = self.rungs(delta)
            if own is None:
                return None
            found.append(own[0])
            upper = max(upper, own[1])
        return tuple(found), upper

    def rungs(self, delta: Shifts) -> tuple[Rungs, Fraction] | None:
        """The cheapest rungs for a difference, and what they cost."""
        priced: list[list[tuple[Fraction, Shifts]]] = []
        for allowed in self.shifts:
            costs = [(self.cost(delta, own), own) for own in allowed]
            priced.append(sorted((price, own) for price, own in costs if price is not None))
        if not all(priced):
            return None
        least = max(own[0][0] for own in priced)
        for most in sorted({price for own in priced for price, _ in own if price >= least}):
            cheap = [[own for price, own in allowed if price <= most] for allowed in priced]
            chosen = self._numbered(cheap, ())
            if chosen is not None:
                shifts = dict(chosen)
                order = tuple(cone for cone, _ in chosen)
                return Rungs(delta, order, tuple(shifts[k] for k in range(len(order)))), most
        return None

    def cost(self, delta: Shifts, shifts: Shifts) -> Fraction | None:
        """What shifts cost together; None if that is infinite."""
        prices = [cost(edge, d, s) for edge, d, s in zip(self.edges, delta, shifts, strict=True)]
        finite = [price for price in prices if price is not None]
        return sum(finite, Fraction(0)) if len(finite) == len(prices) else None

    def _numbered(
        self, cheap: Sequence[Sequence[Shifts]], before: tuple[tuple[int, Shifts], ...]
    ) -> tuple[tuple[int, Shifts], ...] | None:
        """Cones with shifts, continued to all cones; None if that is impossible."""
        used = {cone for cone, _ in before}
        if len(used) == len(self.cones):
            return before
        known = {own for _, own in before}
        for cone in range(len(self.cones)):
            if cone in used:
                continue
            for own in sorted(cheap[cone], key=lambda shifts: shifts not in known):
                self.steps.take(1 + len(before))
                if all(self.apart[i, cone] or self._kept(i, there, own) for i, there in before):
                    found = self._numbered(cheap, (*before, (cone, own)))
                    if found is not None:
                        return found
        return None

    def _kept(self, cone: int, first: Shifts, second: Shifts) -> bool:
        return keeps(self.cones[cone], tuple(a - b for a, b in zip(first, second, strict=True)))


def excludes(length: int, one: Cone, other: Cone) -> bool:
    """Whether two cones have no sample in common: their demands have a cycle."""
    return any(under >> step & 1 for step, under in enumerate(closure(length, (*one, *other))))


def keeps(cone: Cone, shifts: Shifts) -> bool:
    """Whether samples in a cone stay in it when they are shifted."""
    return all(shifts[a] <= shifts[b] for a, b in cone)
