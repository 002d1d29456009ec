"""One step of a run as an operator on what can still be lost after it.

What an adversary can still make a run lose depends on the shift x ∈ {−1, 0, 1} of the stored value: *values*
φ are the three numbers φ(−1), φ(0), φ(1). An *arc* is an edge together with the difference Δ of its inputs;
it takes the values of what follows to those before it (docs/theory_programs.md, *The optimum*):

    not assigning:  φ(x) = min over the γ that the guard allows at x of |Δ−γ|·rate + p    + φ'(x)
    assigning:      φ(x) = min over the γ that the guard allows at x of |Δ−γ|·rate + p + φ'(γ)

with the rate to the right where γ > Δ and else the one to the left, p = rate'·|Δ| if insampleprime is output
and else 0, and only γ = 0 where insample is. All numbers are integers, multiples of one unit; a number from
``Scale.cap`` on counts as infinite and is written as the cap. Where states have sensitivities of their own
there are more shifts, 0 and ±s for every sensitivity s (docs/theory_noise.md, *Sensitivities of states*), and
values are numbers at all of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from types import MappingProxyType

from prover.program.adjacency import Adjacency
from prover.program.model import Edge, Relation
from prover.program.shifts import Shift, differences_of, is_one_sided, largest_rate, outright

SHIFTS = (-1, 0, 1)
Values = tuple[int, ...]
"""Numbers at the shifts −1, 0, 1 of the stored value, or at all those of a scale."""

MIRRORED: Mapping[Relation, Relation] = MappingProxyType({"<": ">=", ">=": "<", "=": "=", "": ""})
NOTHING: Values = (0, 0, 0)
"""What a run that ends can still lose."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How numbers are written as integers: ``denominator`` units make 1, and ``cap`` units count as infinite.

    Rounding everything from the cap on to infinity commutes with + and min of numbers ≥ 0. So results below
    the cap are exact, whatever the cap, and results that are not are at least the cap. Shifts are multiples
    of a unit, too, of which ``parts`` make 1; ``shifts`` are those that count, in increasing order, with 0 in
    the middle.
    """

    denominator: int
    cap: int
    parts: int = 1
    shifts: tuple[int, ...] = SHIFTS

    @property
    def nothing(self) -> Values:
        """The values of a run that ends."""
        return (0,) * len(self.shifts)

    def shift(self, number: int) -> Shift:
        """The shift that so many units make."""
        shift = Fraction(number, self.parts)
        return shift if shift.denominator > 1 else int(shift)

    def difference(self, edge: Edge, delta: int) -> int:
        """The difference of inputs of an edge, ``delta`` times its sensitivity, in units of shifts."""
        own = edge.sensitivity
        return delta * own.numerator * (self.parts // own.denominator)

    def units(self, q: Fraction) -> int:
        """A number as a multiple of the unit, which has to divide it."""
        return q.numerator * (self.denominator // q.denominator)

    def sides(self, edge: Edge) -> tuple[int | None, int | None]:
        """What a unit of shift costs to the left and to the right, in units; None if that is infinite."""
        left, right = edge.rates
        own = self.units(left) // self.parts if isinstance(left, Fraction) else None
        if right is left:
            return own, own
        return own, self.units(right) // self.parts if isinstance(right, Fraction) else None

    def per_shift(self, units: int) -> Fraction:
        """What so many units for each unit of shift make."""
        return Fraction(units * self.parts, self.denominator)

    def number(self, units: int) -> Fraction | None:
        """The number that so many units make; None if it counts as infinite."""
        return None if units >= self.cap else Fraction(units, self.denominator)

    def capped(self, units: Iterable[int]) -> Values:
        """The numbers, infinite ones as the cap."""
        return tuple(min(u, self.cap) for u in units)


@dataclass(frozen=True, slots=True)
class Arc:
    """An edge with the difference ``delta`` of its inputs.

    ``costs`` are, for an edge that assigns, the costs of the shifts γ = −1, 0, 1 themselves; for another one
    the least costs when the stored value has shift −1, 0, 1; or of all shifts of the scale.
    """

    edge: Edge
    delta: int
    costs: Values


def scale_of(edges: Sequence[Edge], adjacency: str) -> Scale:
    """A unit that divides all rates, and a cap that no finite optimum reaches.

    With adjacency one-differ and finite rates shifts 0 show that no run costs more than the largest rate +
    rate'. Otherwise the cap is 1 + 3·Σ 2(rate + rate'), where rate' counts if insampleprime is output, the
    larger of two rates if they are two, and no infinite one: what is finite is less
    (docs/theory_programs.md, *Cells*). Sensitivities of states multiply that by the largest one at most.
    Where inputs are used again, an optimum from the cap on is taken for infinite, and only proved so by runs.
    """
    rates = [rate for edge in edges for rate in (edge.left, edge.right, edge.rate_prime)]
    own = {edge.sensitivity for edge in edges if edge.input} or {Fraction(1)}
    own |= {Fraction(abs(edge.fixed)) for edge in edges if edge.fixed}
    again = any(edge.fixed is not None for edge in edges)
    parts = math.lcm(*(number.denominator for number in own))
    denominator = parts * math.lcm(*(rate.denominator for rate in rates if isinstance(rate, Fraction)))
    scale, most = Scale(denominator, 0), max(own)  # parts of a unit make a rate and a sensitivity whole
    sums = [
        scale.units(largest_rate(edge)) * most.numerator // most.denominator
        + (outright(edge, 1) * denominator if edge.primed else 0)
        for edge in edges
    ]
    shifts = tuple(sorted({0, *(int(sign * number * parts) for number in own for sign in (-1, 1))}))
    if adjacency == Adjacency.ONE_DIFFER and not again and not any(map(is_one_sided, edges)):
        return Scale(denominator, int(max(sums)) + 1, parts, shifts)
    return Scale(denominator, int(denominator + 6 * sum(sums)), parts, shifts)


def arcs_of(edge: Edge, adjacency: str, scale: Scale) -> tuple[Arc, ...]:
    """The arcs of an edge, one for each extreme point of the adjacency, in increasing order of Δ."""
    return tuple(arc_of(edge, delta, scale) for delta in differences_of(edge, adjacency))


def arc_of(edge: Edge, delta: int, scale: Scale) -> Arc:
    """The arc of an edge whose inputs differ by ``delta``."""
    return weighed(edge, delta, scale, shift_units(edge, delta, scale))


def shift_units(edge: Edge, delta: int, scale: Scale) -> list[int]:
    """What each shift of the scale costs with a difference, and the output of insampleprime, in units."""
    left, right = scale.sides(edge)
    difference, prime = scale.difference(edge, delta), abs(delta) * prime_units(edge, scale)
    return [
        prime
        if shift == difference
        else scale.cap
        if (side := right if shift > difference else left) is None
        else abs(difference - shift) * side + prime
        for shift in scale.shifts
    ]


def prime_units(edge: Edge, scale: Scale) -> int:
    """What a difference costs in the output of insampleprime, if it is one, else 0."""
    return scale.units(outright(edge, 1)) if edge.primed else 0


def weighed(edge: Edge, delta: int, scale: Scale, costs: Sequence[int]) -> Arc:
    """The arc of an edge whose shifts cost what ``costs`` says."""
    pinned = (c if shift == 0 else scale.cap for c, shift in zip(costs, scale.shifts, strict=True))
    own = scale.capped(pinned if edge.pinned else costs)
    return Arc(edge, delta, own if edge.assigns else least(edge.relation, own))


def least(relation: Relation, values: Values) -> Values:
    """The least of the values over the shifts that a guard allows, for each shift of the stored value."""
    if relation == "<":
        return tuple(accumulate(values, min))
    if relation == ">=":
        return tuple(accumulate(reversed(values), min))[::-1]
    if relation == "=":
        return values
    return (min(values),) * len(values)


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
        before = _leasts(MIRRORED[arc.edge.relation], before)
    return _added(arc.costs, before, cap)


# Tables have many values, and most of the time goes here: comparisons, as they stand, are faster than calls.


def _added(costs: Values, values: Sequence[Values], cap: int) -> list[Values]:
    if len(costs) != len(SHIFTS):
        return [tuple(min(a + d, cap) for a, d in zip(costs, own, strict=True)) for own in values]
    a, b, c = costs
    return [
        (x if (x := a + d) < cap else cap, y if (y := b + e) < cap else cap, z if (z := c + f) < cap else cap)
        for d, e, f in values
    ]


def _leasts(relation: Relation, values: Sequence[Values]) -> list[Values]:
    """What ``least`` makes of each of many values."""
    if values and len(values[0]) != len(SHIFTS):
        return [least(relation, own) for own in values]
    if relation == "<":
        return [(d, m := d if d < e else e, m if m < f else f) for d, e, f in values]
    if relation == ">=":
        return [(d if d < (m := e if e < f else f) else m, m, f) for d, e, f in values]
    if relation == "=":
        return list(values)
    return [(m := min(v), m, m) for v in values]
