"""Steps on functions of few variables, planned once for all functions with the same names.

``functions.by_points`` does the same without a plan, for many names and few points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from prover.program.optimum.functions import (
    DENSE,
    EVERYWHERE,
    INFINITE,
    Box,
    Function,
    ShiftVector,
    Transfer,
    by_points,
    respects,
)
from prover.program.optimum.transfer import SHIFTS
from prover.program.order_graph import Order

AlikeVectors = tuple[tuple[int, ...], ...]
"""Sets of vectors that differ in the shift of one name only, by their places among all."""


@dataclass(frozen=True, slots=True)
class ShiftGrid:
    """Shifts of ``names`` at which functions may be finite, in lexicographic order: what an ``order`` and a
    box allow.
    """

    names: tuple[str, ...]
    vectors: tuple[ShiftVector, ...]
    order: Order
    _alike: dict[int, tuple[AlikeVectors, AlikeVectors]] = field(
        default_factory=dict, repr=False, compare=False
    )
    _without: dict[int, ShiftGrid] = field(default_factory=dict, repr=False, compare=False)

    def alike(self, place: int) -> tuple[AlikeVectors, AlikeVectors]:
        """The sets that differ in the shift of the name at this place, in the order of the other shifts; and
        those of them that are smaller than the order allows.
        """
        if place not in self._alike:
            sets: dict[ShiftVector, list[int]] = {}
            for number, vector in enumerate(self.vectors):
                sets.setdefault(vector[:place] + vector[place + 1 :], []).append(number)
            alike = tuple(tuple(sets[rest]) for rest in sorted(sets))
            self._alike[place] = alike, tuple(own for own in alike if len(own) < self._allowed(place, own[0]))
        return self._alike[place]

    def _allowed(self, place: int, number: int) -> int:
        """How many shifts of the name at this place the order allows, as the other ones of a vector are."""
        name, shift = self.names[place], dict(zip(self.names, self.vectors[number], strict=True))
        low = max((shift[a] for a, b in self.order if b == name and a in shift), default=-1)
        high = min((shift[b] for a, b in self.order if a == name and b in shift), default=1)
        return high - low + 1

    def without(self, place: int) -> ShiftGrid:
        """The grid of the other names."""
        if place not in self._without:
            alike, _ = self.alike(place)
            kept = (self.vectors[own[0]] for own in alike)
            vectors = tuple(vector[:place] + vector[place + 1 :] for vector in kept)
            names = self.names[:place] + self.names[place + 1 :]
            self._without[place] = ShiftGrid(names, vectors, self.order)
        return self._without[place]

    def simplified(self, values: list[int], cap: int) -> Function:
        """The function with these values, infinite ones as the cap, without the variables on which it does
        not depend.
        """
        grid, place = self, 0
        while place < len(grid.names):
            alike, narrow = grid.alike(place)
            if _are_equal(values, alike) and all(values[own[0]] == cap for own in narrow):
                grid, values = grid.without(place), [values[own[0]] for own in alike]
            else:
                place += 1
        return grid.function(values, cap)

    def function(self, values: Sequence[int], cap: int) -> Function:
        """The function with these values, some of them finite."""
        points = [(vector, v) for vector, v in zip(self.vectors, values, strict=True) if v < cap]
        return Function(self.names, tuple(points))


@dataclass(frozen=True, slots=True)
class StepPlan:
    """How a step makes a function on a ``grid`` from one of other names, for all functions with these names.

    ``rows`` give every vector of the grid the points after the step that it can come to, with the costs of
    the shifts that lead there. ``unpinned`` are the places of the names of which all shifts are on the grid.
    """

    grid: ShiftGrid
    rows: tuple[tuple[tuple[ShiftVector, int], ...], ...]
    unpinned: tuple[int, ...]


def is_dense(step: Transfer, after: tuple[str, ...], box: Box) -> bool:
    """Whether functions of the names ``after`` become functions of so few that a plan is worth while."""
    return len({*after, *step.below, *step.above, *box.ranges}) <= DENSE


def work_before(step: Transfer, after: tuple[str, ...], box: Box) -> int:
    """How many numbers are looked at for each point of a function of the names ``after``, to find the one
    before a step: as many as there are variables, for each point that it can come from.
    """
    if box.empty:
        return 0
    free = {*step.below, *step.above, *box.ranges}.difference(after)
    vectors = prod(sum(box.allows(name, shift) for shift in SHIFTS) for name in free)
    return vectors * (1 + len(after) + len(free))


def plan(step: Transfer, after: tuple[str, ...], box: Box, order: Order) -> StepPlan:
    """What a step does to functions of the names ``after``; infinite outside the box and against the order.

    ``order`` is what is known before the step.
    """
    kept = [name for name in after if name not in step.stored]
    names = tuple(sorted({*kept, *step.below, *step.above, *box.ranges}))
    vectors, rows = [], []
    ranges = [[s for s in SHIFTS if box.allows(name, s)] for name in names]
    for vector in () if box.empty else product(*ranges):
        shifts = dict(zip(names, vector, strict=True))
        if not respects(order, names, vector):
            continue
        low = max((shifts[name] for name in step.below), default=-1)
        high = min((shifts[name] for name in step.above), default=1)
        leads = []
        for own in range(low, high + 1):
            cost = step.costs[own + 1]
            if cost is not None:
                there = tuple(own if name in step.stored else shifts[name] for name in after)
                leads.append((there, cost))
        vectors.append(vector)
        rows.append(tuple(leads))
    # Only where the function that comes out could be finite at all shifts is it free of a variable.
    unpinned = tuple(place for place, name in enumerate(names) if name not in box.ranges)
    return StepPlan(ShiftGrid(names, tuple(vectors), order), tuple(rows), unpinned)


def by_plan(made: StepPlan, after: Function, cap: int) -> Function:
    """The function before a step, from the one after it. Values from the cap on are infinite."""
    known = dict(after.points).get
    values: list[int] = []
    for leads in made.rows:
        best = cap
        for there, cost in leads:
            if (found := known(there, cap) + cost) < best:
                best = found
        values.append(best)
    if not values or min(values) >= cap:
        return INFINITE
    grid = made.grid
    if any(_are_equal(values, grid.alike(place)[0]) for place in made.unpinned):
        return grid.simplified(values, cap)
    return grid.function(values, cap)


def _are_equal(values: Sequence[int], sets: AlikeVectors) -> bool:
    """Whether the values of each set are equal."""
    for own in sets:
        first = values[own[0]]
        for k in own:
            if values[k] != first:
                return False
    return True


def before(
    plans: dict[tuple[str, ...], StepPlan | None],
    step: Transfer,
    after: Function,
    order: Order,
    cap: int,
    box: Box = EVERYWHERE,
) -> Function:
    """The function before a step, from the one after it; ``plans`` keeps what depends on its names only."""
    if after.names not in plans:
        dense = is_dense(step, after.names, box)
        plans[after.names] = plan(step, after.names, box, order) if dense else None
    made = plans[after.names]
    if made is None:
        return by_points(step, after, box, order, cap)
    return by_plan(made, after, cap)
