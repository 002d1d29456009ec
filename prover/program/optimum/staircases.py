"""What can still be lost at every shift of the only variable: numbers, whose Pareto fronts are staircases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.program.model import Edge
from prover.program.optimum.budget import Steps
from prover.program.optimum.cells import Cell, CellMove, Cells, ValueKind
from prover.program.optimum.pareto import dominates, fewer, maximal
from prover.program.optimum.transfer import (
    SHIFTS,
    Arc,
    Scale,
    Values,
    all_before,
    all_prefixed,
    arc_of,
)
from prover.program.order_graph import Arrow, OrderGraph

StairCell = Cell[Arc, Values]
"""``bound`` is infinite where some loop costs anything, else 0."""
StairCells = Cells[Values, Arc, Values]


@dataclass(frozen=True, slots=True)
class Staircases(ValueKind[Values, Arc, Values]):
    """Values at all shifts of the scale."""

    scale: Scale

    @property
    def nothing(self) -> Values:
        """What a run that has ended can still lose."""
        return self.scale.nothing

    def step(self, edge: Edge, delta: int, /) -> Arc:
        """The arc of an edge."""
        return arc_of(edge, delta, self.scale)

    def stays(self, _graph: OrderGraph, arrow: Arrow, /) -> bool:
        """Whether nothing is stored."""
        return not arrow.edge.assigns

    def bound(self, loops: Sequence[Arc]) -> Values:
        """Infinite where some loop costs anything, else 0."""
        costs = [arc.costs for arc in loops if any(arc.costs)]
        shifts = range(len(self.scale.shifts))
        return self.scale.capped(self.scale.cap * any(own[x] for own in costs) for x in shifts)

    def ended(self, cell: StairCell) -> Values:
        """The bound of the cell."""
        return cell.bound

    def carried(
        self,
        cell: StairCell,
        move: CellMove[Arc],
        values: Sequence[Values],
        steps: Steps,
        forwards: bool,
        /,
    ) -> list[Values]:
        """The values after the arc, or before it; one step each."""
        steps.take(len(values))
        carried = all_prefixed if forwards else all_before
        return _masked(carried(move.step, values, self.scale.cap), cell.bound)

    def maximal(self, _cell: StairCell, values: Sequence[Values], _steps: Steps, /) -> list[Values]:
        """The values that no others dominate, in falling lexicographic order."""
        return maximal(values)

    def fewer(
        self,
        _cell: StairCell,
        values: list[Values],
        most: int,
        above: bool,
        worth: Sequence[int] | None,
        /,
    ) -> list[Values]:
        """At most so many values, those worth most as they are."""
        return fewer(values, most, self.scale.cap, above=above, worth=worth)

    def anything(self, _graph: OrderGraph, _cell: StairCell, unshifted: int, /) -> Values:
        """Infinite but for shift 0."""
        return tuple(self.scale.cap if shift else unshifted for shift in self.scale.shifts)

    def telling(self, moves: Sequence[CellMove[Arc]], /) -> Sequence[CellMove[Arc]]:
        """The moves without those of which another one, by the same edge, costs as much at every shift."""
        return [
            move
            for index, move in enumerate(moves)
            if not any(
                other.step.edge.number == move.step.edge.number
                and other.target == move.target
                and dominates(other.step.costs, move.step.costs)
                and (move.step.costs != other.step.costs or earlier < index)
                for earlier, other in enumerate(moves)
                if earlier != index
            )
        ]


def _masked(values: list[Values], mask: Values) -> list[Values]:
    """The values, at each shift at least those of a mask."""
    if not any(mask):
        return values
    if len(mask) != len(SHIFTS):
        return [tuple(map(max, own, mask)) for own in values]
    x, y, z = mask
    return [(a if a > x else x, b if b > y else y, c if c > z else z) for a, b, c in values]
