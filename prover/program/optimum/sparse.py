"""What can still be lost as sparse functions of the shifts of several variables.

Live variables only become fewer, and their order only richer, along arrows that assign no live variable; so
all nodes of a cell have the same of both. The tests of an arrow that can be repeated allow only the shifts at
which it costs nothing, whatever the differences, and the *box* of its cell says which these are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.program.model import Edge
from prover.program.optimum.budget import Steps
from prover.program.optimum.cells import Cell, CellMove, Cells, ValueKind
from prover.program.optimum.functions import (
    INFINITE,
    ZERO,
    Box,
    Function,
    Transfer,
    boxed,
    maximal,
)
from prover.program.optimum.plans import StepPlan, before, work_before
from prover.program.optimum.thinning import coarser, costliest
from prover.program.optimum.transfer import SHIFTS, Scale, prime_units
from prover.program.order_graph import Arrow, OrderGraph, above, below
from prover.program.shifts import cost

FunctionCell = Cell[Transfer, Box]
FunctionCells = Cells[Function, Transfer, Box]


@dataclass(frozen=True, slots=True)
class SparseFunctions(ValueKind[Function, Transfer, Box]):
    """Functions of the shifts of the live variables."""

    scale: Scale

    @property
    def nothing(self) -> Function:
        """What a run that has ended can still lose."""
        return ZERO

    def step(self, edge: Edge, delta: int, /) -> Transfer:
        """An edge with a difference of its inputs, as a step of functions."""
        prime = abs(delta) * prime_units(edge, self.scale)
        own = [None if shift and edge.pinned else cost(edge, delta, shift) for shift in SHIFTS]
        costs = tuple(None if number is None else self.scale.units(number) + prime for number in own)
        return Transfer(edge, delta, below(edge), above(edge), frozenset(edge.assign), costs)

    def stays(self, graph: OrderGraph, arrow: Arrow, /) -> bool:
        """Whether no variable is assigned that is live afterwards."""
        return graph.stays(arrow)

    def bound(self, loops: Sequence[Transfer]) -> Box:
        """The shifts at which every loop costs nothing."""
        ranges: dict[str, tuple[int, int]] = {}
        for step in loops:
            free = [shift for shift in SHIFTS if step.costs[shift + 1] == 0]
            if not free:
                return Box({}, empty=True)
            # One shift is free, the difference itself: rates are positive.
            for name in step.below:
                low, high = ranges.get(name, (-1, 1))
                ranges[name] = (low, min(high, free[0]))
            for name in step.above:
                low, high = ranges.get(name, (-1, 1))
                ranges[name] = (max(low, free[0]), high)
        if any(low > high for low, high in ranges.values()):
            return Box({}, empty=True)
        return Box(ranges)

    def ended(self, cell: FunctionCell) -> Function:
        """0 in the box."""
        return boxed(ZERO, cell.bound, cell.order)

    def carried(
        self,
        cell: FunctionCell,
        move: CellMove[Transfer],
        values: Sequence[Function],
        steps: Steps,
        _forwards: bool,
        /,
    ) -> list[Function]:
        """The functions before the step; as many steps as numbers are looked at."""
        plans: dict[tuple[str, ...], StepPlan | None] = {}
        works: dict[tuple[str, ...], int] = {}
        found = []
        for after in values:
            if after.names not in works:
                works[after.names] = work_before(move.step, after.names, cell.bound)
            steps.take(1 + len(after.points) * works[after.names])
            found.append(before(plans, move.step, after, cell.order, self.scale.cap, cell.bound))
        return found

    def maximal(self, cell: FunctionCell, values: Sequence[Function], steps: Steps, /) -> list[Function]:
        """The functions that no others dominate."""
        return maximal(values, cell.order, steps)

    def fewer(
        self,
        cell: FunctionCell,
        values: list[Function],
        most: int,
        above: bool,
        _worth: Sequence[int] | None,
        /,
    ) -> list[Function]:
        """Coarser functions, or those that lose most."""
        if above:
            return maximal(coarser(values, most, cell.order), cell.order)
        return costliest(values, most)

    def anything(self, graph: OrderGraph, cell: FunctionCell, unshifted: int, /) -> Function:
        """Infinite but for shifts 0."""
        if unshifted >= self.scale.cap:
            return INFINITE
        names = tuple(sorted(graph.live_at(cell.nodes[0])))
        return boxed(Function(names, (((0,) * len(names), unshifted),)), cell.bound, cell.order)
