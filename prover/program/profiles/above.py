"""δ of a threshold program from above, for all neighbouring inputs, by closed profile tables.

Reference: docs/theory_profiles.md, Theorem 1.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import asinh, exp, inf, log, sinh
from typing import Any, TypeVar

from prover.errors import NotSupported
from prover.exact.rational import largest_or_none
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.attack.at_epsilon import AtEpsilon
from prover.program.attack.probability import program_unit
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian
from prover.program.optimum.budget import Budget
from prover.program.optimum.measure import measure
from prover.program.profiles.bounds import Above, rounded_up
from prover.program.profiles.certificate import evidence_of
from prover.program.profiles.entries import CurveNode
from prover.program.profiles.normal import LINES as NORMAL_LINES
from prover.program.profiles.regions import Regions
from prover.program.profiles.rounding import KNOT, VALUE
from prover.program.profiles.scope import demand_moderate, one_number
from prover.program.profiles.shifts import between, parts_of, points_of
from prover.program.profiles.streams import demand_length
from prover.program.profiles.table import ProfileTable
from prover.program.scope import has_gaussian

STEPS = 8  # of shifts, in 1
LINES = 8  # of a region, beside the first and the last
KNOTS = 320
ON_GRID = 2  # times as many knots with discrete noise, for which tables have few nodes
ROUNDS = 150
_TOO_MANY_STEPS = "too-many-steps"
MOST_WORK = 7_000_000  # lines of regions times values, with which a certificate can be checked
BEYOND = 1.01  # where the largest knot is, if this is known to be finite, in parts of the loss of runs
ROUGH = 40  # knots, where it is only asked how far they reach
COARSER = 2  # by how much knots and shifts are fewer where every step has its own nodes
ONE_NUMBER = 64  # lines of a region, where only one number is shown
LEAST = 1e-4  # ln of the largest knot at least
AFTER, AFTER_PUBLIC = 2.0, 5.0  # ln of the largest knot, beyond one and a half times that of the largest α
FARTHEST = 13.5  # ln of the largest knot, which has 18 digits in parts of KNOT
LARGEST = Fraction(700_000)  # α that is a knot

AnyFound = TypeVar("AnyFound")


@dataclass(frozen=True, slots=True)
class Detail:
    """How many knots a table has at least, and how many lines each region, beside the first and the last;
    ``public`` if all that is stored is the same on either input.
    """

    knots: int = KNOTS
    lines: int = LINES
    public: bool = False

    @property
    def normal(self) -> int:
        """Lines of a region of Gaussian noise: an odd number, so that one touches the curve in its middle."""
        return NORMAL_LINES * self.lines // LINES // 2 * 2 + 1

    def work(self, *, gaussian: bool) -> int:
        """Of a checker, for a node."""
        return self.knots * (2 + (self.normal if gaussian else self.lines))


PLAIN = Detail()


@dataclass(frozen=True, slots=True)
class Side:
    """A closed table for one direction in which inputs differ, its knots, and its functions in rationals."""

    table: ProfileTable
    knots: Sequence[int]
    functions: Mapping[CurveNode, Sequence[int]]

    @property
    def evidence(self) -> dict[str, Any]:
        """The evidence that the table is closed."""
        return evidence_of(self.table, self.knots, self.functions)

    @property
    def start(self) -> Sequence[int]:
        """The bound of δ at the knots: that of the initial state, before any input has differed."""
        return self.functions[self.table.start]

    def upper(self, alpha: Fraction) -> Fraction:
        """What the table proves at α ≥ 0, rounded up."""
        knots, values, at = self.knots, self.start, alpha * KNOT
        k = max(k for k, knot in enumerate(knots) if knot <= at)
        if k + 1 == len(knots):
            found = Fraction(values[k])
        else:
            found = values[k] - (at - knots[k]) * (values[k] - values[k + 1]) / (knots[k + 1] - knots[k])
        return rounded_up(found / VALUE)

    def first_at_most(self, bound: Fraction) -> Fraction | None:
        """The least α ≥ 1 at which the table proves δ ≤ ``bound``, rounded up; None if at none."""
        for (knot, value), (following, after) in pairwise(zip(self.knots, self.start, strict=True)):
            if after <= bound * VALUE:
                rest = (value - bound * VALUE) * (following - knot)
                at = knot if rest <= 0 else knot - -rest.numerator // (rest.denominator * (value - after))
                return max(Fraction(min(at, following), KNOT), Fraction(1))
        return None


@dataclass(frozen=True, slots=True)
class ClosedTables:
    """Closed tables of a program, one for each direction in which inputs differ: they bound δ at every α ≥ 0,
    for all neighbouring inputs or, if ``steps`` is given, those of at most so many numbers.
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    sides: Mapping[str, Side]
    q: Fraction | None = None

    @property
    def pure(self) -> None:
        """No ε: tables need none."""

    def at(self, alpha: Fraction) -> Above:
        """What the tables prove at α ≥ 0."""
        return Above(self, alpha, min(Fraction(1), max(side.upper(alpha) for side in self.sides.values())))

    def first_at_most(self, bound: Fraction) -> Fraction | None:
        """The least α ≥ 1 at which the tables prove δ ≤ ``bound``, rounded up; None if at none."""
        found = [side.first_at_most(bound) for side in self.sides.values()]
        return largest_or_none(found)

    @property
    def evidence(self) -> dict[str, Any]:
        """The evidence that the tables are closed."""
        written = {name: own.evidence for name, own in self.sides.items()}
        return written if len(written) > 1 else written[str(self.adjacency)]


def closed_tables(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alphas: Sequence[Fraction],
    steps: int | None = None,
    q: Fraction | None = None,
    detail: Detail = PLAIN,
) -> ClosedTables:
    """Tables for a program with noise at ``at_epsilon`` > 0, sharpest near the α ≥ 1.

    With discrete noise ``q`` may be e^(−ε·unit), and then ``at_epsilon`` is that ε, rounded up. Raises
    NotSupported where ``steps`` are too many, or needed, and where numbers are very large or small.
    """
    at = _demanded(program, adjacency, at_epsilon, steps, q)
    both = adjacency == Adjacency.MONOTONIC
    sides = [Adjacency.DECREASING, Adjacency.INCREASING] if both else [adjacency]
    unit = max((_unit(edge, at_epsilon) for edge in program.edges), default=1.0)
    more = ON_GRID if program.noise.is_discrete and not detail.public else 1
    loss, count = _loss(program, adjacency, at_epsilon), _share(detail.knots, steps) * more
    knots = _knots(alphas, loss, unit, count, AFTER_PUBLIC if detail.public else AFTER)
    found = {str(side): _closed(program, side, at, alphas, knots, steps, detail) for side in sides}
    return ClosedTables(program, adjacency, at_epsilon, steps, found, q)


def found_or_not(find: Callable[[], AnyFound]) -> tuple[AnyFound | None, NotSupported | None]:
    """What is found by tables, or why there are none. Raises NotSupported where fewer ``steps`` have some."""
    try:
        return find(), None
    except NotSupported as why:
        if why.code == _TOO_MANY_STEPS:
            raise
        return None, why


def tables_of_many(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    tail: float,
    steps: int | None = None,
    q: Fraction | None = None,
) -> Mapping[str, Side]:
    """Tables to be composed, one for each direction in which inputs differ, or their neighbours from them.
    Their knots reach as far as their bounds are above ``tail``. Arguments, and what is raised, are those of
    ``closed_tables``. Where only one number is shown, regions have lines of the slopes that are knots.
    """
    at = _demanded(program, adjacency, at_epsilon, steps, q)
    close = partial(_closed, program, at=at, most=steps)
    one, found = [Fraction(1)], {}
    for side in ONE_WAY if adjacency in (*ONE_WAY, Adjacency.MONOTONIC) else (adjacency,):
        farthest, before = _loss(program, side, at_epsilon), inf
        if farthest == inf:
            farthest = FARTHEST
            while farthest < before / 2:
                rough = close(side, alphas=one, knots=_even(farthest, ROUGH))
                before, farthest = farthest, min(farthest, _reach(rough, tail))
        knots = _even(farthest, _share(KNOTS, steps))
        if one_number(program) is None:
            found[str(side)] = close(side, alphas=one, knots=knots)
            continue
        slopes = [Fraction(knot, KNOT) for knot in knots if knot >= KNOT]
        found[str(side)] = close(side, alphas=slopes, knots=knots, detail=Detail(lines=ONE_NUMBER))
    return found


def _demanded(
    program: Program, adjacency: Adjacency, at_epsilon: Fraction, steps: int | None, q: Fraction | None
) -> AtEpsilon:
    """The noise. Raises NotSupported where numbers are very large or small, or ``steps`` are needed."""
    demand_moderate(program, at_epsilon)
    if steps is None:
        demand_length(program, adjacency)
    return AtEpsilon(at_epsilon, q, program_unit(program) if program.noise.is_discrete else None)


def _share(count: int, steps: int | None) -> int:
    """So many, or fewer where every step has its own nodes."""
    return count if steps is None else count // COARSER


def _reach(side: Side, tail: float) -> float:
    """ln of the first knot where the bound is at most ``tail``."""
    ends = (knot for knot, value in zip(side.knots, side.start, strict=True) if value <= tail * VALUE)
    return log(max(next(ends, KNOT**2), KNOT + 1) / KNOT)


def _even(farthest: float, count: int) -> list[int]:
    """0, 1, and numbers up to the farthest whose logarithms are evenly spaced."""
    return _knots([LARGEST], farthest, farthest, count)


def _knots(
    alphas: Sequence[Fraction], loss: float, unit: float, count: int, after: float = AFTER
) -> list[int]:
    """0, 1, the α that are not too large, and ``count`` numbers up to the farthest, none near to another one.

    Their logarithms lie evenly up to ``loss``, if that is finite, from which on δ is 0. Else they are evenly
    spaced up to ``unit``, the largest rate, and in geometric progression from there on, to ``after`` the α.
    """
    last = max(alphas)
    needed = 1.5 * (log(last.numerator) - log(last.denominator)) + after
    farthest = max(min(needed, BEYOND * loss, FARTHEST), LEAST)
    scale = 10 * farthest if loss < inf else max(unit, LEAST)
    places = [scale * sinh(asinh(farthest / scale) * (2 * k / count - 1)) for k in range(count + 1)]
    found = {0.0: KNOT}
    for knot in (int(alpha * KNOT) for alpha in alphas if alpha < LARGEST):
        place = log(knot / KNOT)
        if _far(place, found, places, 16):
            found[place] = knot
    asked = sorted(found)
    found |= {place: round(exp(place) * KNOT) for place in places if _far(place, asked, places, 4)}
    return sorted({0, *found.values()})


def _far(place: float, others: Iterable[float], places: Sequence[float], parts: int) -> bool:
    """Whether a place is farther from others than a part of the distance of places there."""
    k = min(max(bisect(places, place), 1), len(places) - 1)
    return all(abs(place - other) > (places[k] - places[k - 1]) / parts for other in others)


def _unit(edge: Edge, at_epsilon: Fraction) -> float:
    """The larger rate of noise, or what stands for it; 0 without noise."""
    if isinstance(edge.noise, Gaussian):
        return float(1 / edge.noise.sigma)
    return float(
        at_epsilon * max((rate for rate in edge.noise if isinstance(rate, Fraction)), default=Fraction(0))
    )


def _loss(program: Program, adjacency: Adjacency, at_epsilon: Fraction) -> float:
    """What runs lose at most, if a small table shows it; else infinite, as where runs may stop at a test:
    losses are about observers who do not see that.
    """
    if any(len(own) == 1 and own[0].guard for own in out_edges(program).values()):
        return inf
    try:
        upper = measure(program, adjacency, Budget(values=64, rounds=1_000)).upper
    except NotSupported:
        return inf
    return inf if upper is None else float(upper * at_epsilon)


def _closed(
    program: Program,
    side: Adjacency,
    at: AtEpsilon,
    alphas: Sequence[Fraction],
    knots: Sequence[int],
    most: int | None,
    detail: Detail = PLAIN,
) -> Side:
    parts = parts_of(program, _share(STEPS, most))
    points, noise = [Fraction(0)] if detail.public else points_of(program, parts), program.noise
    grid = None if noise.grid is None else noise.grid / noise.sensitivity
    regions = Regions(at, detail.lines, grid, alphas, detail.normal)
    make = partial(ProfileTable, program, str(side), regions, knots, points, between(points, grid))
    values = len(knots) * (2 + (detail.normal if has_gaussian(program) else detail.lines))
    if most is not None:
        few = min(most, 8)
        nodes = len(make(few).layers) * most // few
        _demand_work(most, nodes // 2 * values)  # of which about a half are used
    table = make(most)
    table.close(ROUNDS)
    functions = table.functions()
    if most is not None:
        _demand_work(most, len(functions) * values)
    return Side(table, knots, functions)


def _demand_work(steps: int, work: int) -> None:
    """Refuse more than a checker would do."""
    if work > MOST_WORK:
        raise NotSupported(
            f"a table for {steps:,} inputs of this program takes too long to check; --steps may be about "
            f"{max(1, steps * MOST_WORK // work):,}",
            path="--steps",
            code=_TOO_MANY_STEPS,
        )
