"""Ladders: the samples of some runs are a union of cones, which are moved one after the other.

A cone are the samples in whose row one comes before another, for some pairs. What is in a cone and in none of
those before it moves by the shifts of the cone, and meets nothing that those before it have been moved to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

from ..programs import CORNERS, Program, Transition
from ..reading import (
    BadEvidence,
    BadModel,
    ClaimOpen,
    Json,
    Ratio,
    RuleBroken,
    at,
    at_most,
    demand,
    each,
    record,
    typed,
)
from .samples import Pair, closed, read_order

Run = Sequence[Transition]
Shifts = Sequence[int]


def ladder_rule(
    program: Program,
    adjacency: str,
    runs: Sequence[Run],
    below: Sequence[Sequence[int]],
    entry: Json,
    upper: Ratio | None,
) -> None:
    """Aligned runs that exclude each other, which have `below` the steps below each of theirs, are together
    some cones; and these have rungs for each difference, of which none costs more than `upper`."""
    fields = record(entry, "cones rungs runs")
    steps, length = runs[0], len(runs[0])
    demand(all(t.seen[1] == 0 for t in steps), RuleBroken, "a number is output")
    sensitivity, grid = program.noise
    fine = all(t.worst is not None for t in steps) if grid is None else grid == sensitivity
    demand(fine, BadModel, "noise without a side on the line, or a sensitivity above the grid")
    cones = [read_order(cone, length) for cone in typed(fields["cones"], list)]
    demand(len(cones) > 0, BadEvidence, "there are no cones")
    asked = sum(map(len, cones)) + len(cones) + length * (len(below) + 2)
    program.budget.spend(factorial(length) * asked + 3**length * length)
    same_rows(below, cones, length)
    deltas = list(differences(adjacency, [t.takes_input for t in steps], whole=grid is not None))
    rungs = typed(fields["rungs"], list)
    demand(len(rungs) == len(deltas), BadEvidence, "there are not rungs for each difference")
    program.budget.spend(len(cones) ** 2 * length * (asked + len(deltas)))
    apart = [[cyclic([*one, *other], length) for other in cones] for one in cones]
    program.budget.spend(len(deltas) * len(cones) * (asked + length))
    for number, (rung, delta) in enumerate(zip(rungs, deltas, strict=True)):
        with at("rungs", number):
            fields = record(rung, "delta order shifts")
            demand(tuple(each(fields["delta"], int)) == delta, BadEvidence, "the rungs of another difference")
            order, shifts = each(fields["order"], int), each(fields["shifts"], list)
            demand(sorted(order) == list(range(len(cones))), BadEvidence, "not a numbering of all cones")
            moves = [each(own, int) for own in shifts]
            demand(
                len(moves) == len(cones) and {*map(len, moves)} == {length},
                BadEvidence,
                "shifts of the wrong length",
            )
            kept(cones, order, moves, apart)
            for own in moves:
                cheap(steps, delta, own, upper)


def same_rows(below: Sequence[Sequence[int]], cones: Sequence[Sequence[Pair]], length: int) -> None:
    """A row of the steps is that of some run exactly if it is in some cone."""
    for row in permutations(range(length)):
        before, done = [0] * length, 0
        for step in row:
            before[step] = done
            done |= 1 << step
        of_runs = any(
            all(under & ~done == 0 for under, done in zip(own, before, strict=True)) for own in below
        )
        in_cones = any(all(before[b] >> a & 1 for a, b in cone) for cone in cones)
        demand(of_runs == in_cones, RuleBroken, "the cones are not the runs")


def differences(adjacency: str, takes: Sequence[bool], *, whole: bool) -> Iterator[tuple[int, ...]]:
    """Those that suffice: the extreme ones, or all; in lexicographic order."""
    corners = (-1, 0, 1) if whole else CORNERS[adjacency]
    for delta in product(*(corners if own else (0,) for own in takes)):
        one_way = {"increasing": -1, "decreasing": 1}.get(adjacency) not in delta
        single = adjacency != "one-differ" or sum(map(abs, delta)) <= 1
        if one_way and single and (adjacency != "monotonic" or not {-1, 1} <= {*delta}):
            yield delta


def kept(
    cones: Sequence[Sequence[Pair]],
    order: Sequence[int],
    moves: Sequence[Shifts],
    apart: Sequence[Sequence[bool]],
) -> None:
    """Each cone keeps its shifts; and, of two that are not apart, the earlier one the difference."""
    for cone, own in zip(cones, moves, strict=True):
        demand(keeps(cone, own), RuleBroken, "a cone does not keep its shifts")
    for i, j in combinations(order, 2):
        difference = [a - b for a, b in zip(moves[i], moves[j], strict=True)]
        demand(apart[i][j] or keeps(cones[i], difference), RuleBroken, "a cone may meet an earlier one")


def keeps(cone: Sequence[Pair], shifts: Shifts) -> bool:
    return all(shifts[a] <= shifts[b] for a, b in cone)


def cyclic(order: Sequence[Pair], length: int) -> bool:
    return any(under >> k & 1 for k, under in enumerate(closed(order, length)))


def cheap(steps: Run, delta: Shifts, shifts: Shifts, upper: Ratio | None) -> None:
    """The shifts cost no more than `upper`."""
    total = Fraction(0)
    for t, d, shift in zip(steps, delta, shifts, strict=True):
        price = t.cost(d, shift)
        if price is None:
            raise RuleBroken("a shift to a side without noise")
        total += price
    small = upper is None or at_most((total.numerator, total.denominator), upper)
    demand(small, ClaimOpen, "the shifts do not prove upper")
