"""One step of a run as an operator on what can still be lost after it.

What an adversary can still make a run lose depends on the shift x ∈ {−1, 0, 1} of the stored value: *values*
φ are the three numbers φ(−1), φ(0), φ(1). An *arc* is an edge together with the difference Δ of its inputs;
it takes the values of what follows to those before it (docs/theory_programs.md, *The optimum*):

    not assigning:  φ(x) = min over the γ that the guard allows at x of |Δ−γ|·rate + p    + φ'(x)
    assigning:      φ(x) = min over the γ that the guard allows at x of |Δ−γ|·rate + p + φ'(γ)

with the rate to the right where γ > Δ and else the one to the left, p = rate'·|Δ| if insampleprime is output
and else 0, and only γ = 0 where insample is. All numbers are integers, multiples of one unit; a number from
``Scale.cap`` on counts as infinite and is written as the cap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.model import Edge, Relation
from prover.program.shifts import cost, is_one_sided, largest_rate, outright

Values = tuple[int, int, int]
"""Numbers at the shifts −1, 0, 1 of the stored value."""

SHIFTS = (-1, 0, 1)
_MIRRORED: Mapping[Relation, Relation] = MappingProxyType({"<": ">=", ">=": "<", "=": "=", "": ""})
NOTHING: Values = (0, 0, 0)
"""What a run that ends can still lose."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How numbers are written as integers: ``denominator`` units make 1, and ``cap`` units count as infinite.

    Rounding everything from the cap on to infinity commutes with + and min of numbers ≥ 0. So results below
    the cap are exact, whatever the cap, and results that are not are at least the cap.
    """

    denominator: int
    cap: int

    def units(self, q: Fraction) -> int:
        """A number as a multiple of the unit, which has to divide it."""
        return q.numerator * (self.denominator // q.denominator)

    def sides(self, edge: Edge) -> tuple[int | None, int | None]:
        """The rates to the left and to the right as multiples of the unit; None if they are infinite."""
        left, right = (
            self.units(rate) if isinstance(rate, Fraction) else None for rate in (edge.left, edge.right)
        )
        return left, right

    def number(self, units: int) -> Fraction | None:
        """The number that so many units make; None if it counts as infinite."""
        return None if units >= self.cap else Fraction(units, self.denominator)

    def capped(self, units: Iterable[int]) -> Values:
        """The three numbers, infinite ones as the cap."""
        first, second, third = (min(u, self.cap) for u in units)
        return first, second, third


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge with the difference ``delta`` of its inputs.

    ``costs`` are, for an edge that assigns, the costs of the shifts γ = −1, 0, 1 themselves; for another one
    the least costs when the stored value has shift −1, 0, 1.
    """

    edge: Edge
    delta: int
    costs: Values


def scale_of(edges: Sequence[Edge], adjacency: str) -> Scale:
    """A unit that divides all rates, and a cap that no finite optimum reaches.

    With adjacency one-differ and finite rates shifts 0 show that no run costs more than the largest rate +
    rate'. Otherwise the cap is 1 + 3·Σ 2(rate + rate'), where rate' counts if insampleprime is output, the
    larger of two rates if they are two, and no infinite one: what is finite is less
    (docs/theory_programs.md, *Cells*).
    """
    rates = [rate for edge in edges for rate in (edge.left, edge.right, edge.rate_prime)]
    denominator = math.lcm(*(rate.denominator for rate in rates if isinstance(rate, Fraction)))
    sums = [largest_rate(edge) + outright(edge, 1) for edge in edges]
    if adjacency == Adjacency.ONE_DIFFER and not any(map(is_one_sided, edges)):
        return Scale(denominator, int(max(sums) * denominator) + 1)
    return Scale(denominator, int((1 + 6 * sum(sums)) * denominator))


def arcs_of(edge: Edge, adjacency: str, scale: Scale) -> tuple[Arc, ...]:
    """The arcs of an edge, one for each extreme point of the adjacency, in increasing order of Δ."""
    return tuple(arc_of(edge, delta, scale) for delta in extreme_points(adjacency, edge.input))


def arc_of(edge: Edge, delta: int, scale: Scale) -> Arc:
    """The arc of an edge whose inputs differ by ``delta``."""
    costs = (cost(edge, delta, shift) for shift in SHIFTS)
    prime = abs(delta) * prime_units(edge, scale)
    units = [scale.cap if own is None else scale.units(own) + prime for own in costs]
    return weighed(edge, delta, scale, units)


def prime_units(edge: Edge, scale: Scale) -> int:
    """The rate of the output, if it is insampleprime, else 0."""
    if not edge.primed or edge.rate_prime is None:
        return 0
    return scale.units(edge.rate_prime)


def weighed(edge: Edge, delta: int, scale: Scale, costs: Sequence[int]) -> Arc:
    """The arc of an edge whose shifts −1, 0, 1 cost what ``costs`` says."""
    own = scale.capped((scale.cap, costs[1], scale.cap) if edge.pinned else costs)
    return Arc(edge, delta, own if edge.assigns else least(edge.relation, own))


def least(relation: Relation, values: Values) -> Values:
    """The least of the values over the shifts that a guard allows, for each shift of the stored value."""
    below, same, above = values
    if relation == "<":
        return below, min(below, same), min(below, same, above)
    if relation == ">=":
        return min(below, same, above), min(same, above), above
    if relation == "=":
        return values
    lowest = min(values)
    return lowest, lowest, lowest


def before(arc: Arc, after: Values, cap: int) -> Values:
    """The values before an arc, from those after it."""
    return all_before(arc, (after,), cap)[0]


def prefixed(arc: Arc, before: Values, cap: int) -> Values:
    """The least cost with which each shift of the stored value is reached, after an arc from before it."""
    return all_prefixed(arc, (before,), cap)[0]


def all_before(arc: Arc, after: Sequence[Values], cap: int) -> list[Values]:
    """What ``before`` makes of each of many values."""
    total = _added(arc.costs, after, cap)
    return _leasts(arc.edge.relation, total) if arc.edge.assigns else total


def all_prefixed(arc: Arc, before: Sequence[Values], cap: int) -> list[Values]:
    """What ``prefixed`` makes of each of many values."""
    if arc.edge.assigns:
        before = _leasts(_MIRRORED[arc.edge.relation], before)
    return _added(arc.costs, before, cap)


# Tables have many values, and most of the time goes here: comparisons, as they stand, are faster than calls.


def _added(costs: Values, values: Sequence[Values], cap: int) -> list[Values]:
    a, b, c = costs
    return [
        (x if (x := a + d) < cap else cap, y if (y := b + e) < cap else cap, z if (z := c + f) < cap else cap)
        for d, e, f in values
    ]


def _leasts(relation: Relation, values: Sequence[Values]) -> list[Values]:
    """What ``least`` makes of each of many values."""
    if relation == "<":
        return [(d, m := d if d < e else e, m if m < f else f) for d, e, f in values]
    if relation == ">=":
        return [(d if d < (m := e if e < f else f) else m, m, f) for d, e, f in values]
    if relation == "=":
        return list(values)
    return [(m := min(v), m, m) for v in values]
