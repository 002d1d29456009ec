"""Certified intervals with short rationals, when exact numbers would be too long or take too long.

Upper: the distances of fixed couplings, moved up a little so that rounding cannot hurt; a pre-fixed point
of Γ. Lower: the fixed point of Γ − slack, rounded down; it is strictly post-fixed, so it needs no ranks.
Floating point finds both, exact arithmetic confirms every inequality; what it does not confirm falls back
to the trivial bounds 1 and 0 (docs/theory.md, *Certified intervals*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from flint import fmpq, fmpz

from prover.chain.ld.float_policy import clipped, guide, policy_values
from prover.chain.ld.optimality import Judge
from prover.chain.ld.policy_iteration import Draft, Solution, feasible_bases
from prover.chain.ld.potentials import Potential, constant, dual_value
from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Basis, Coupling, excess, supply
from prover.chain.model import Pair
from prover.exact.field import approximately
from prover.progress import Progress, silent

BITS = 50
"""Values are multiples of 2^-50 …"""
SLACK = 2.0**-37  # … moved by about this much, a thousand times what rounding in floating point can do
WIDER = 16.0
ATTEMPTS = 6
_DESCENTS = 300  # rounds of the slow way down …
_SMALL_STEP = 34  # … which ends when no value moves by 2^-34 any more
_NEAR = 1e-6  # couplings whose cost comes this close to the value are watched when values move
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class UpperTable:
    """A pre-fixed point: distance ≤ table, with a coupling for every pair below 1.

    ``opposite`` are the couplings of the other directions, in symmetric problems.
    """

    table: DistanceValues
    couplings: Mapping[Pair, Coupling]
    opposite: Mapping[Pair, Coupling]


@dataclass(frozen=True, slots=True)
class LowerTable:
    """A strictly post-fixed point: table ≤ distance, with potentials for every pair above 0.

    Those of some labels, ``detoured`` (as their first states), had to keep the detours of these.
    """

    table: DistanceValues
    potentials: Mapping[Pair, tuple[Potential, ...]]
    detoured: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Enclosure:
    """lower ≤ distance ≤ upper for every pair of the problem."""

    problem: Problem
    upper: UpperTable
    lower: LowerTable


def enclose(
    sketch: Draft, opposite: Mapping[Pair, Coupling] | None = None, progress: Progress = silent
) -> Enclosure:
    """A certified interval for every pair.

    Symmetric problems need the couplings of the ``opposite`` directions too. Without outside states the lower
    side is what the masses of labels alone say.
    """
    upper = upper_table(sketch, opposite or {})
    problem = sketch.problem
    lower = lower_table(sketch, progress) if problem.outside else mass_table(problem)
    return Enclosure(problem, upper, lower)


def upper_table(sketch: Draft, opposite: Mapping[Pair, Coupling]) -> UpperTable:
    """The distances of the proposed couplings, rounded up and confirmed."""
    problem, free = sketch.problem, sketch.kernel.related
    couplings = {}
    for pair, bases in feasible_bases(sketch).items():
        coupling = sketch.couplings.of(problem.parts[pair], bases)
        if coupling is not None:
            couplings[pair] = coupling
    if problem.symmetric:  # a pair below 1 needs couplings of both directions
        couplings = {p: c for p, c in couplings.items() if p in opposite}
        free = {p: c for p, c in free.items() if p in opposite}
    order = list(couplings)
    values = {p: clipped(v) for p, v in sketch.guide.values.items()}
    values |= dict.fromkeys(free, 0.0)
    reach = response(problem, order, couplings, opposite, values)
    slack = SLACK
    for _ in range(ATTEMPTS):
        moved = dict.fromkeys(problem.parts, 1.0) | dict.fromkeys(free, 0.0)
        for pair, moving in zip(order, reach, strict=True):
            moved[pair] = min(1.0, values[pair] + slack * moving)
        table = _dyadic(problem, moved, ceil)
        below = {p for p in problem.parts if table.numerators[p] < table.denominator}
        kept = {p: c for p, c in {**couplings, **free}.items() if p in below}
        others = {p: c for p, c in opposite.items() if p in below}
        if all(is_prefixed(table, pair, c) for pair, c in (*kept.items(), *others.items())):
            return UpperTable(table, kept, others)
        slack *= WIDER
    return _descent(problem, couplings, opposite, free)


def unrounded(solution: Solution, opposite: Mapping[Pair, Coupling]) -> Enclosure:
    """The upper side of a solution without outside states as it is, and the lower side that masses prove."""
    problem, table = solution.problem, solution.table
    below = {p for p in problem.parts if table.numerators[p] < table.denominator}
    kept = {p: c for p, c in solution.couplings.items() if p in below}
    others = {p: c for p, c in opposite.items() if p in below}
    return Enclosure(problem, UpperTable(table, kept, others), mass_table(problem))


def _descent(
    problem: Problem,
    couplings: Mapping[Pair, Coupling],
    opposite: Mapping[Pair, Coupling],
    free: Mapping[Pair, Coupling],
) -> UpperTable:
    """From d = 1 down by the costs of fixed couplings, rounded up at every step: slow, but always sound.

    Costs fall with the table, so what is at least the cost of the table before is at least that of the next.
    """
    unit = fmpz(2**BITS)
    numerators = {arc: unit for pair in problem.parts for arc in problem.orders(pair)}
    numerators |= {arc: fmpz(0) for pair in free for arc in problem.orders(pair)}
    for _ in range(_DESCENTS):
        table = DistanceValues(unit, dict(numerators))
        moved = fmpz(0)
        for pair in couplings:
            both = [couplings[pair], *([opposite[pair]] if problem.symmetric else [])]
            cost = max(table.cost(coupling) for coupling in both).ceil()
            if cost < numerators[pair]:
                moved = max(moved, numerators[pair] - cost)
                numerators |= dict.fromkeys(problem.orders(pair), cost)
        if moved < unit >> _SMALL_STEP:
            break
    table = DistanceValues(unit, numerators)
    kept = {p: couplings[p] for p in couplings if numerators[p] < unit}
    others = {p: opposite[p] for p in (*kept, *free) if p in opposite}
    if all(is_prefixed(table, p, c) for p, c in (*kept.items(), *others.items())):
        return UpperTable(table, {**kept, **free}, others)
    return UpperTable(_dyadic(problem, dict.fromkeys(problem.parts, 1.0), ceil), {}, {})


def _dyadic(
    problem: Problem, values: Mapping[Pair, float], rounding: Callable[[float], int]
) -> DistanceValues:
    """The table of the given numbers, rounded to multiples of 2^-50 and kept within [0, 1]."""
    rounded = {p: fmpz(rounding(clipped(v) * 2.0**BITS)) for p, v in values.items()}
    return DistanceValues(fmpz(2**BITS), {arc: n for p, n in rounded.items() for arc in problem.orders(p)})


def response(
    problem: Problem,
    order: Sequence[Pair],
    couplings: Mapping[Pair, Coupling],
    opposite: Mapping[Pair, Coupling],
    values: Mapping[Pair, float],
) -> list[float]:
    """A solution v of v ≥ W v + 1 for the couplings: how a unit of slack everywhere adds up along them.

    Where both directions of a pair attain its value, v must be enough for either.
    """
    place = {p: k for k, p in enumerate(order)}
    chosen = {p: _float_row(problem, couplings[p], place) for p in order}
    other = {
        p: _float_row(problem, c, place)
        for p, c in opposite.items()
        if p in place and _float_cost(problem, c, values) > values[p] - _NEAR
    }
    while True:
        entries = [(place[p], k, w) for p in order for k, w in chosen[p]]
        rows, columns, weights = (
            (list(part) for part in zip(*entries, strict=True)) if entries else ([], [], [])
        )
        found = [float(v) for v in policy_values(rows, columns, weights, np.ones(len(order)))]
        larger = [
            p
            for p, row in other.items()
            if sum(w * found[k] for k, w in row) > (found[place[p]] - 1) * (1 + _NEAR) + _NEAR
        ]
        if not larger or min(found) < 0:
            return [max(1.0, v) for v in found]
        for pair in larger:
            chosen[pair], other[pair] = other[pair], chosen[pair]


def _float_row(problem: Problem, coupling: Coupling, place: Mapping[Pair, int]) -> list[tuple[int, float]]:
    return [
        (place[problem.key(arc)], approximately(w))
        for arc, w in coupling.weights.items()
        if problem.key(arc) in place
    ]


def _float_cost(problem: Problem, coupling: Coupling, values: Mapping[Pair, float]) -> float:
    cost = approximately(coupling.behind)
    for arc, w in coupling.weights.items():
        cost += approximately(w) * values.get(problem.key(arc), 1.0)
    return cost


def is_prefixed(table: DistanceValues, pair: Pair, coupling: Coupling) -> bool:
    """Σ w·d + behind ≤ d(pair), exactly."""
    return bool(table.cost(coupling) <= table.numerators[pair])


def lower_table(sketch: Draft, progress: Progress = silent) -> LowerTable:
    """The fixed point of Γ − slack, rounded down and confirmed."""
    slack = SLACK
    for _ in range(ATTEMPTS):
        found = _lower_with(sketch, slack, progress)
        if found is not None:
            return found
        slack *= WIDER
    return LowerTable(_dyadic(sketch.problem, dict.fromkeys(sketch.problem.parts, 0.0), floor), {})


def _lower_with(sketch: Draft, slack: float, progress: Progress) -> LowerTable | None:
    problem, zero = sketch.problem, set(sketch.kernel.related)
    while True:
        proposal = guide(
            problem, dict.fromkeys(zero, 0.0), slack=slack, start=sketch.guide.values, progress=progress
        )
        fallen = {p for p, value in proposal.values.items() if value <= slack}
        if not fallen:
            break
        zero |= fallen
    table = _dyadic(problem, dict.fromkeys(zero, 0.0) | dict(proposal.values), floor)
    judge = Judge.of(problem, table)
    potentials: dict[Pair, tuple[Potential, ...]] = {}
    for pair, bases in proposal.bases.items():
        found = _strict_potentials(judge, pair, bases)
        if found is None:
            return None
        potentials[pair] = found
    return LowerTable(table, potentials, judge.detoured())


def first_enclosure(problem: Problem, opposite: Problem | None = None) -> Enclosure:
    """What one step says by itself: nothing is moved from above, and labels gain mass from below.

    No row uses another one, so the problem may consist of any pairs. The ``opposite`` of a symmetric problem
    has the directions that it leaves out.
    """
    still = {p: Coupling({}, supply(parts)) for p, parts in problem.parts.items()}
    others = (
        {} if opposite is None else {p: Coupling({}, supply(parts)) for p, parts in opposite.parts.items()}
    )
    costs = {p: max(coupling.behind, others.get(p, coupling).behind) for p, coupling in still.items()}
    table = rounded_above(costs, problem.orders)
    below = {p for p in still if table.numerators[p] < table.denominator}
    kept, back = ({p: c for p, c in some.items() if p in below} for some in (still, others))
    return Enclosure(problem, UpperTable(table, kept, back), mass_table(problem))


def rounded_above(costs: Mapping[Pair, fmpq], orders: Callable[[Pair], Iterable[Pair]]) -> DistanceValues:
    """The table of these costs, rounded up to multiples of 2^-50, 1 at most; a pair stands for its orders."""
    unit = fmpz(2**BITS)
    above = {pair: min(unit, (cost * unit).ceil()) for pair, cost in costs.items()}
    return DistanceValues(unit, {arc: n for pair, n in above.items() for arc in orders(pair)})


def mass_table(problem: Problem) -> LowerTable:
    """Γ(0) as far as the masses of labels tell, rounded down.

    Where the first distribution gives a label more mass than α times what the second one gives it, potentials
    1 on all its states use no distance at all.
    """
    values = dict.fromkeys(problem.parts, fmpz(0))
    potentials: dict[Pair, tuple[Potential, ...]] = {}
    for pair, parts in problem.parts.items():
        heavier = [part for part in parts if excess(part) > 0]
        # below the mass, strictly, so that no rank is needed
        units = (sum(map(excess, heavier), start=_ZERO) * 2**BITS).floor() - 1
        if units > 0:
            values[pair] = units
            potentials[pair] = tuple(
                constant(k, _ONE) for part in heavier for k in (*part.sources, *part.sinks)
            )
    table = DistanceValues(fmpz(2**BITS), {arc: n for p, n in values.items() for arc in problem.orders(p)})
    return LowerTable(table, potentials)


def _strict_potentials(judge: Judge, pair: Pair, bases: Sequence[Basis]) -> tuple[Potential, ...] | None:
    """Potentials with Σ f·b > d(pair), from the given bases or from better ones."""
    parts = judge.problem.parts[pair]
    for _ in range(2):
        found = judge.potentials(parts, bases)
        if found is not None:
            gain = dual_value(parts, judge.exact_potentials(found))
            return found if gain > judge.table.numerators[pair] else None
        bases = judge.improve(parts, bases)
    return None
