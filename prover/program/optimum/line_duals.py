"""The optimal shifts of a run of one variable, and its multipliers, by convex functions along the run.

Each guard compares γ_i with γ_at(i), so the problem is solved along the run: H_i(γ), the least cost of step i
and of all that are compared with it, directly or indirectly, is convex and piecewise linear with breaks at
−1, 0, 1 only, or at 0 and ±s for the sensitivities s of the steps. The multipliers are slopes of these
functions at the optimal shifts (docs/theory_programs.md, *Multipliers*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.errors import Fault
from prover.program.model import Relation
from prover.program.optimum.weighed import Weighed

_SIGN = {"<": -1, ">=": 1, "=": -1, "": 0}  # of the slope that a guard leaves to the stored shift

_Convex = list[int | None]
"""A convex function on a grid: the shifts that count, and one more on each side; None is infinite."""
_Slopes = tuple[int | None, int | None]
"""The slopes left and right of a shift; None is −∞, respectively ∞."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """A step that assigns, with all that are compared with it: those after ``first``, up to ``last``."""

    first: int
    last: int
    least: _Convex


def along_the_run(
    run: Sequence[Weighed], shifts: Sequence[int]
) -> tuple[list[int], list[tuple[int, ...]]] | None:
    """The optimal shifts and the multipliers of a run of which the first step assigns; its guard does not
    count. None if no valid shifts have a finite cost. Raises Fault if it does not assign.
    """
    if not run:
        return [], []
    if not run[0].edge.assigns:
        raise Fault("the first step of a run stores nothing")
    return _Solver(run, (shifts[0] - 1, *shifts, shifts[-1] + 1)).solved()


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

    def solved(self) -> tuple[list[int], list[tuple[int, ...]]] | None:
        """The shifts and the multipliers; None if no valid shifts have a finite cost.

        Optimality of step i asks for slopes of its own cost and of all that is compared with it that add up
        to what its own guard leaves: −λ_i for <, λ_i for >=; −λ_i of any sign where shifts are equal. Such
        slopes exist; they are chosen from the first step on.
        """
        run, stored = self.run, self._least()
        if _best(stored[0].least[1:-1]) is None:
            return None
        shifts = [0] * len(run)
        duals = [0] * len(run)
        shifts[0] = self._chosen("", 0, stored[0].least)
        for number, segment in enumerate(stored):
            shift = shifts[segment.first]
            step = run[segment.first]
            followers = range(segment.first + 1, segment.last + 1)
            slopes = [self._slopes(self._own(step), shift)]
            for k in followers:
                edge = run[k].edge
                least = stored[number + 1].least if edge.assigns else self._own(run[k])
                shifts[k] = self._chosen(edge.relation, shift, least)
                slopes.append(self._slopes(_compared(edge.relation, least), shift))
            left = _SIGN[step.edge.relation] * duals[segment.first]
            for k, slope in zip(followers, _shared(left, slopes)[1:], strict=True):
                duals[k] = _SIGN[run[k].edge.relation] * slope
        return shifts, [(dual,) * len(step.edge.bounds) for step, dual in zip(run, duals, strict=True)]

    def _own(self, step: Weighed) -> _Convex:
        return [step.cost(shift) for shift in self.grid]

    def _least(self) -> list[_Stored]:
        """The functions H of the steps that assign, in the order of the run."""
        stored: list[_Stored] = []
        last = len(self.run) - 1
        compared: _Convex = [0] * len(self.grid)
        for index in range(last, -1, -1):
            edge = self.run[index].edge
            least = self._own(self.run[index])
            if edge.assigns:
                least = _plus(least, compared)
                stored.append(_Stored(index, last, least))
                last = index
                compared = _compared(edge.relation, least)
            else:
                compared = _plus(compared, _compared(edge.relation, least))
        return stored[::-1]

    def _chosen(self, relation: Relation, stored: int, least: _Convex) -> int:
        """The best shift that a guard allows; of several the one nearest to 0."""
        allowed = [
            (shift, least[index])
            for index, shift in enumerate(self.grid[1:-1], start=1)
            if {"<": shift <= stored, ">=": shift >= stored, "=": shift == stored, "": True}[relation]
        ]
        costs = {shift: cost for shift, cost in allowed if cost is not None}
        if not costs:
            raise Fault("no shift is possible at a step of the run")
        return min(costs, key=lambda shift: (costs[shift], abs(shift), shift))

    def _slopes(self, convex: _Convex, shift: int) -> _Slopes:
        index = self.grid.index(shift)
        left, here, right = convex[index - 1 : index + 2]
        if here is None:
            raise Fault(f"shift {shift} costs infinitely much")
        before, after = shift - self.grid[index - 1], self.grid[index + 1] - shift
        falling = None if left is None else (here - left) // before
        return falling, None if right is None else (right - here) // after


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
