"""The optimal shifts of one run, and the multipliers which prove that no shifts cost less.

For a run and differences Δ of its inputs the least cost is

    V = min { Σ |Δ_i − γ_i|·rate_i : γ as the guards ask, γ_i = 0 where insample is output } + Σ |Δ_i|·rate'_i

with the last sum over the outputs of insampleprime. Each guard compares γ_i with γ_at(i), so the problem is
solved along the run: H_i(γ), the least cost of step i and all that is compared with it, directly or
indirectly, is convex and piecewise linear with breaks at −1, 0, 1 only. The multipliers λ_i are slopes of
these functions at the optimal shifts (docs/theory_programs.md, *Multipliers*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.errors import Fault
from prover.program.arcs import Scale
from prover.program.model import INSAMPLE, INSAMPLE_PRIME, Edge
from prover.program.pump import Block, Linear, Step, total

_GRID = (-2, -1, 0, 1, 2)  # the shifts −1, 0, 1, and one more on each side to tell the slopes there
_Convex = list[int | None]
"""A convex function on the grid; None is infinite."""
_Slopes = tuple[int | None, int | None]
"""The slopes left and right of a shift; None is −∞, respectively ∞."""


@dataclass(frozen=True, slots=True)
class Optimum:
    """The steps of a run with optimal multipliers, optimal shifts, and the cost, which both attain."""

    steps: tuple[Step, ...]
    shifts: tuple[int, ...]
    cost: Fraction


@dataclass(slots=True)
class _Stored:
    """A step that assigns, with all steps that are compared with it: ``first`` to ``last`` of the run."""

    first: int
    last: int
    least: _Convex


def optimum(run: Sequence[tuple[Edge, int]], scale: Scale) -> Optimum:
    """The optimal shifts and multipliers of a run that begins with an assignment, of edges with their Δ.

    Raises Fault where the multipliers do not prove what the shifts cost: by strong duality they always do.
    """
    if not run:
        return Optimum((), (), Fraction(0))
    stored = _least(run, scale)
    shifts, multipliers = _solved(run, stored, scale)
    steps = tuple(
        Step(edge, delta, Linear(Fraction(units, scale.denominator)))
        for (edge, delta), units in zip(run, multipliers, strict=True)
    )
    cost = _cost(run, shifts)
    proved = total([Block(repeat=False, steps=steps)])
    if proved != Linear(cost):
        raise Fault(f"shifts cost {cost}, but the multipliers prove {proved.constant}")
    return Optimum(steps, tuple(shifts), cost)


def _cost(run: Sequence[tuple[Edge, int]], shifts: Sequence[int]) -> Fraction:
    cost = Fraction(0)
    for (edge, delta), shift in zip(run, shifts, strict=True):
        cost += abs(delta - shift) * edge.rate
        if edge.output == INSAMPLE_PRIME and edge.rate_prime is not None:
            cost += abs(delta) * edge.rate_prime
    return cost


def _own(edge: Edge, delta: int, scale: Scale) -> _Convex:
    """What the shifts of a step cost by themselves."""
    rate = scale.units(edge.rate)
    shown = edge.output == INSAMPLE
    return [None if shown and shift else abs(delta - shift) * rate for shift in _GRID]


def _plus(first: _Convex, second: _Convex) -> _Convex:
    return [None if a is None or b is None else a + b for a, b in zip(first, second, strict=True)]


def _best(values: Sequence[int | None]) -> int | None:
    return min((v for v in values if v is not None), default=None)


def _compared(relation: str, least: _Convex) -> _Convex:
    """The least cost of a step for each shift of the stored value that its guard compares with."""
    if relation == "<":
        return [_best(least[: k + 1]) for k in range(len(_GRID))]
    if relation == ">=":
        return [_best(least[k:]) for k in range(len(_GRID))]
    return [_best(least)] * len(_GRID)


def _least(run: Sequence[tuple[Edge, int]], scale: Scale) -> list[_Stored]:
    """The functions H of the steps that assign, in the order of the run."""
    stored: list[_Stored] = []
    last = len(run) - 1
    compared: _Convex = [0] * len(_GRID)
    for place in range(last, -1, -1):
        edge, delta = run[place]
        own = _own(edge, delta, scale)
        if edge.assigns:
            own = _plus(own, compared)
            stored.append(_Stored(place, last, own))
            last = place
            compared = _compared(edge.relation, own)
        else:
            compared = _plus(compared, _compared(edge.relation, own))
    return stored[::-1]


def _solved(
    run: Sequence[tuple[Edge, int]], stored: Sequence[_Stored], scale: Scale
) -> tuple[list[int], list[int]]:
    """The shifts, and the multipliers in units.

    Optimality of step i asks for slopes of its own cost and of all that is compared with it that add up to
    what its own guard leaves: −λ_i for <, λ_i for >=. Such slopes exist; they are chosen from the first step
    on.
    """
    shifts = [0] * len(run)
    multipliers = [0] * len(run)
    shifts[0] = _chosen("", 0, stored[0].least)
    for place, segment in enumerate(stored):
        shift = shifts[segment.first]
        edge, delta = run[segment.first]
        followers = range(segment.first + 1, segment.last + 1)
        slopes = [_slopes(_own(edge, delta, scale), shift)]
        for k in followers:
            follower, difference = run[k]
            least = stored[place + 1].least if follower.assigns else _own(follower, difference, scale)
            shifts[k] = _chosen(follower.relation, shift, least)
            slopes.append(_slopes(_compared(follower.relation, least), shift))
        sign = {"<": -1, ">=": 1, "": 0}
        left = sign[edge.relation] * multipliers[segment.first]
        for k, slope in zip(followers, _shared(left, slopes)[1:], strict=True):
            multipliers[k] = sign[run[k][0].relation] * slope
    return shifts, multipliers


def _chosen(relation: str, stored: int, least: _Convex) -> int:
    """The best shift that a guard allows; of several the one nearest to 0."""
    allowed = [
        shift
        for shift in (0, -1, 1)
        if not ((relation == "<" and shift > stored) or (relation == ">=" and shift < stored))
    ]
    costs = {shift: least[shift + 2] for shift in allowed}
    possible = {shift: cost for shift, cost in costs.items() if cost is not None}
    if not possible:
        raise Fault("no shift is possible at a step of the run")
    return min(possible, key=possible.__getitem__)


def _slopes(convex: _Convex, shift: int) -> _Slopes:
    left, here, right = convex[shift + 1], convex[shift + 2], convex[shift + 3]
    if here is None:
        raise Fault(f"shift {shift} costs infinitely much")
    return None if left is None else here - left, None if right is None else right - here


def _shared(sum_of_slopes: int, slopes: Sequence[_Slopes]) -> list[int]:
    """Slopes between those left and those right that have the given sum; each as near to 0 as can be."""
    chosen = []
    for left, right in slopes:
        low = 0 if left is None else max(0, left)
        chosen.append(low if right is None else min(low, right))
    missing = sum_of_slopes - sum(chosen)
    for k in range(len(slopes) - 1, -1, -1):
        left, right = slopes[k]
        if missing > 0:
            part = missing if right is None else min(missing, right - chosen[k])
        else:
            part = missing if left is None else max(missing, left - chosen[k])
        chosen[k] += part
        missing -= part
    if missing:
        raise Fault(f"no slopes of sum {sum_of_slopes} at the optimal shifts")
    return chosen
