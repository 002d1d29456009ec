"""The optimal shifts of one run, and the dual variables which prove that no shifts cost less.

For a run with differences Δ of its inputs the least cost of shifts is

    min { Σ |Δ_i − γ_i|·weight_i : γ as the guards ask, γ_i = 0 where insample is output },

where the weight of a step is its rate, to the left where γ_i < Δ_i and to the right where γ_i > Δ_i, or the
rate times the number of turns for a step of a cycle that is repeated and stores nothing: then shifts and dual
variables are the same in every turn. Each guard compares γ_i with γ_at(i), so the problem is solved along the
run: H_i(γ), the least cost of step i and of all that are compared with it, directly or indirectly, is convex
and piecewise linear with breaks at −1, 0, 1 only, or at 0 and ±s for the sensitivities s of the steps. The
dual variables λ_i, in certificates multipliers, are slopes of these functions at the optimal shifts
(docs/theory_programs.md, *Multipliers*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.errors import Fault
from prover.program.model import Edge, Relation
from prover.program.optimum.transfer import SHIFTS, Scale

_SIGN = {"<": -1, ">=": 1, "=": -1, "": 0}  # of the slope that a guard leaves to the stored shift

_Convex = list[int | None]
"""A convex function on a grid: the shifts that count, and one more on each side; None is infinite."""
_Slopes = tuple[int | None, int | None]
"""The slopes left and right of a shift; None is −∞, respectively ∞."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A step of a run: an edge, the difference of its inputs, and its weights.

    They are what a shift by a unit below the difference costs, and one above; None is infinite.
    """

    edge: Edge
    delta: int
    left: int | None
    right: int | None

    @classmethod
    def of(cls, edge: Edge, delta: int, scale: Scale, count: int = 1) -> Weighed:
        """The step with its rates as weights, so many times."""
        left, right = (None if rate is None else count * rate for rate in scale.sides(edge))
        return cls(edge, scale.difference(edge, delta), left, right)

    def cost(self, shift: int) -> int | None:
        """What a shift costs; None if it may not be."""
        if shift and self.edge.pinned:
            return None
        if shift == self.delta:
            return 0
        weight = self.right if shift > self.delta else self.left
        return None if weight is None else abs(self.delta - shift) * weight


@dataclass(frozen=True, slots=True)
class Optimum:
    """Optimal shifts and dual variables of the steps of a run, and the cost, which both attain.

    Where steps are repeated a dual variable is the sum over all turns.
    """

    shifts: tuple[int, ...]
    duals: tuple[int, ...]
    cost: int


@dataclass(frozen=True, slots=True)
class _Stored:
    """A step that assigns, with all that are compared with it: those after ``first``, up to ``last``."""

    first: int
    last: int
    least: _Convex


def optimum(run: Sequence[Weighed], shifts: Sequence[int] = SHIFTS) -> Optimum:
    """The optimal shifts and duals of a run of which the first step assigns; its guard does not count.

    ``shifts`` are those that count, in increasing order: 0 and all differences are among them.

    Raises Fault if it does not assign, or where the duals do not prove what the shifts cost: by duality they
    always do.
    """
    if not run:
        return Optimum((), (), 0)
    if not run[0].edge.assigns:
        raise Fault("the first step of a run stores nothing")
    chosen, duals = _Solver(run, (shifts[0] - 1, *shifts, shifts[-1] + 1)).solved()
    costs = [step.cost(shift) for step, shift in zip(run, chosen, strict=True)]
    cost = sum(c for c in costs if c is not None)
    if None in costs or _proved(run, duals) != cost:
        raise Fault(f"the dual variables do not prove that a run costs {cost}")
    return Optimum(tuple(chosen), tuple(duals), cost)


def _proved(run: Sequence[Weighed], duals: Sequence[int]) -> int | None:
    """The cost that dual variables prove; None if they prove nothing."""
    loads = [0] * len(run)
    stored = 0
    for k, (step, dual) in enumerate(zip(run, duals, strict=True)):
        sign = _SIGN[step.edge.relation]
        if (dual < 0 and step.edge.relation != "=") or (dual and (not k or not sign)):
            return None
        loads[k] -= sign * dual
        loads[stored] += sign * dual
        if step.edge.assigns:
            stored = k
    total = 0
    for step, load in zip(run, loads, strict=True):
        if step.edge.pinned:
            total += step.cost(0) or 0
        elif (step.left is not None and load > step.left) or (step.right is not None and -load > step.right):
            return None
        else:
            total += load * step.delta
    return total


def _plus(first: _Convex, second: _Convex) -> _Convex:
    return [None if a is None or b is None else a + b for a, b in zip(first, second, strict=True)]


def _best(values: Sequence[int | None]) -> int | None:
    return min((v for v in values if v is not None), default=None)


def _compared(relation: Relation, least: _Convex) -> _Convex:
    """The least cost of a step for each shift of the stored value that its guard compares with."""
    if relation == "<":
        return [_best(least[: k + 1]) for k in range(len(least))]
    if relation == ">=":
        return [_best(least[k:]) for k in range(len(least))]
    if relation == "=":
        return least
    return [_best(least)] * len(least)


@dataclass(frozen=True, slots=True)
class _Solver:
    """A run, and the grid on which convex functions are looked at."""

    run: Sequence[Weighed]
    grid: tuple[int, ...]

    def solved(self) -> tuple[list[int], list[int]]:
        """The shifts and the dual variables.

        Optimality of step i asks for slopes of its own cost and of all that is compared with it that add up
        to what its own guard leaves: −λ_i for <, λ_i for >=; −λ_i of any sign where shifts are equal. Such
        slopes exist; they are chosen from the first step on.
        """
        run, stored = self.run, self._least()
        shifts = [0] * len(run)
        duals = [0] * len(run)
        shifts[0] = self._chosen("", 0, stored[0].least)
        for place, segment in enumerate(stored):
            shift = shifts[segment.first]
            step = run[segment.first]
            followers = range(segment.first + 1, segment.last + 1)
            slopes = [self._slopes(self._own(step), shift)]
            for k in followers:
                edge = run[k].edge
                least = stored[place + 1].least if edge.assigns else self._own(run[k])
                shifts[k] = self._chosen(edge.relation, shift, least)
                slopes.append(self._slopes(_compared(edge.relation, least), shift))
            left = _SIGN[step.edge.relation] * duals[segment.first]
            for k, slope in zip(followers, _shared(left, slopes)[1:], strict=True):
                duals[k] = _SIGN[run[k].edge.relation] * slope
        return shifts, duals

    def _own(self, step: Weighed) -> _Convex:
        return [step.cost(shift) for shift in self.grid]

    def _least(self) -> list[_Stored]:
        """The functions H of the steps that assign, in the order of the run."""
        stored: list[_Stored] = []
        last = len(self.run) - 1
        compared: _Convex = [0] * len(self.grid)
        for place in range(last, -1, -1):
            edge = self.run[place].edge
            least = self._own(self.run[place])
            if edge.assigns:
                least = _plus(least, compared)
                stored.append(_Stored(place, last, least))
                last = place
                compared = _compared(edge.relation, least)
            else:
                compared = _plus(compared, _compared(edge.relation, least))
        return stored[::-1]

    def _chosen(self, relation: Relation, stored: int, least: _Convex) -> int:
        """The best shift that a guard allows; of several the one nearest to 0."""
        allowed = [
            (shift, least[place])
            for place, shift in enumerate(self.grid[1:-1], start=1)
            if {"<": shift <= stored, ">=": shift >= stored, "=": shift == stored, "": True}[relation]
        ]
        costs = {shift: cost for shift, cost in allowed if cost is not None}
        if not costs:
            raise Fault("no shift is possible at a step of the run")
        return min(costs, key=lambda shift: (costs[shift], abs(shift), shift))

    def _slopes(self, convex: _Convex, shift: int) -> _Slopes:
        place = self.grid.index(shift)
        left, here, right = convex[place - 1 : place + 2]
        if here is None:
            raise Fault(f"shift {shift} costs infinitely much")
        before, after = shift - self.grid[place - 1], self.grid[place + 1] - shift
        return None if left is None else (here - left) // before, None if right is None else (
            right - here
        ) // after


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
