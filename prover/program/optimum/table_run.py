"""From a table to a run: the steps that its values come from, with as many turns of cycles as are needed.

Values of a table may be infinite at a shift because a cycle can be repeated for ever. A run repeats it
finitely often: until no shift of the stored value lets it cost less than what is to be shown. With one
variable it is decided on the way how often, and left to the last cycle that can do it; with several all
cycles that make a function infinite are taken, so often as is found by trying.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from prover.errors import Fault
from prover.program.adjacency import Adjacency
from prover.program.model import Edge
from prover.program.optimum.cells import B, Cell, CellMove, Cells, S, V
from prover.program.optimum.closure import Table, origins_of
from prover.program.optimum.functions import Function, Transfer
from prover.program.optimum.sparse import FunctionCell, FunctionCells
from prover.program.optimum.staircases import StairCell, StairCells
from prover.program.optimum.transfer import Arc, Values, before, prefixed
from prover.program.optimum.witness import RunPart
from prover.program.order_graph import FINAL, Arrow, way
from prover.program.shifts import differences_of


def _stops(
    cells: Cells[V, S, B], table: Table[V, S], value: V
) -> Iterator[tuple[Cell[S, B], CellMove[S] | None, V]]:
    """The cells that a run comes to, the move by which it leaves (None: it ends) and the value after that."""
    number = cells.start
    while number != FINAL:
        origin = origins_of(cells, table, number, (value,))[value]
        if origin is None:
            yield cells.cells[number], None, cells.kind.nothing
            return
        move, value = origin
        yield cells.cells[number], move, value
        number = move.target


def _inside(cells: Cells[V, S, B], cell: Cell[S, B], source: int, goals: Collection[int]) -> list[Arrow]:
    """A way from a node of a cell to the nearest of others, along arrows that can be repeated."""
    loops = {(loop.source, loop.step.edge.number) for loop in cell.loops}
    found = way(cells.graph.arrows, source, goals, lambda a: (a.source, a.edge.number) in loops)
    if found is None:
        raise Fault("no way inside a cell")
    return found


def _next(cells: Cells[V, S, B], move: CellMove[S]) -> int:
    """The node that a move leads to."""
    arrows = cells.graph.arrows[move.source]
    return next(arrow.target for arrow in arrows if arrow.edge.number == move.step.edge.number)


def run_of(cells: StairCells, table: Table[Values, Arc], values: Values, goal: int) -> list[RunPart]:
    """A run of one variable from the first node, with the values that a table gives the start.

    Whatever the shifts, it costs at least ``goal``, if these values do (all numbers from the cap on counting
    as infinite). A table that is ``above`` must be complete.
    """
    writer = _Writer(cells, goal)
    for cell, move, after in _stops(cells, table, values):
        writer.stay(cell, move, after)
    return writer.parts


class _Writer:
    """A run while it is written: where it is, and what it has cost at least for each stored shift."""

    def __init__(self, cells: StairCells, goal: int) -> None:
        self.cells = cells
        self.goal = goal
        self.parts: list[RunPart] = []
        self.node = 0
        self.costs = cells.scale.nothing

    def stay(self, cell: StairCell, move: CellMove[Arc] | None, after: Values) -> None:
        """Repeat cycles of a cell as often as is needed there, then leave it."""
        cap = self.cells.scale.cap
        rest = after if move is None else before(move.step, after, cap)
        for x in range(len(self.costs)):
            loop = max(cell.loops, key=lambda loop: loop.step.costs[x], default=None)
            if loop is None or not loop.step.costs[x] or self.costs[x] + rest[x] >= self.goal:
                continue
            self._walk(cell, loop.source)
            cycle = (loop.step, *self._arcs(cell, _next(self.cells, loop), loop.source))
            gain = sum(arc.costs[x] for arc in cycle)
            needed = -((self.costs[x] + rest[x] - self.goal) // gain)
            if needed > 0:  # else the way to the loop has cost enough
                self._repeat(cycle, needed)
        if move is not None:
            self._walk(cell, move.source)
            self._take(move.step)
            self.node = _next(self.cells, move)

    def _walk(self, cell: StairCell, goal: int) -> None:
        for arc in self._arcs(cell, self.node, goal):
            self._take(arc)
        self.node = goal

    def _arcs(self, cell: StairCell, source: int, goal: int) -> list[Arc]:
        """The way between two nodes of a cell, with differences that cost most where there is a choice."""
        return [self._costliest(arrow.edge) for arrow in _inside(self.cells, cell, source, {goal})]

    def _costliest(self, edge: Edge) -> Arc:
        adjacency, kind = self.cells.adjacency, self.cells.kind
        deltas = differences_of(edge, adjacency)
        if adjacency == Adjacency.ONE_DIFFER and edge.fixed is None:
            deltas = (0,)
        return max((kind.step(edge, delta) for delta in deltas), key=lambda arc: sum(arc.costs))

    def _take(self, arc: Arc) -> None:
        self.parts.append(RunPart(((arc.edge, arc.delta),)))
        self.costs = prefixed(arc, self.costs, self.cells.scale.cap)

    def _repeat(self, cycle: tuple[Arc, ...], count: int) -> None:
        self.parts.append(RunPart(tuple((arc.edge, arc.delta) for arc in cycle), count, is_loop=True))
        gains = (count * sum(arc.costs[x] for arc in cycle) for x in range(len(self.costs)))
        self.costs = self.cells.scale.capped(c + g for c, g in zip(self.costs, gains, strict=True))


def parts_of(cells: FunctionCells, table: Table[Function, Transfer], function: Function) -> list[RunPart]:
    """The run from the first node that a function of its cell comes from, with all loops that it needs."""
    parts: list[RunPart] = []
    node = 0
    for cell, move, _ in _stops(cells, table, function):
        if needed := _needed(cell):
            start = needed[0].source
            parts += _walk(cells, cell, node, start)
            parts.append(RunPart(tuple(_tour(cells, cell, needed)), is_loop=True))
            node = start
        if move is not None:
            parts += _walk(cells, cell, node, move.source)
            parts.append(RunPart(((move.step.edge, move.step.delta),)))
            node = _next(cells, move)
    return parts


def _needed(cell: FunctionCell) -> list[CellMove[Transfer]]:
    """Loops that together cost something wherever the box is infinite; one for each side of a variable."""
    if cell.bound.empty:
        free = [loop for loop in cell.loops if 0 not in loop.step.costs]
        if free:
            return free[:1]
    chosen: dict[tuple[str, str], tuple[int, CellMove[Transfer]]] = {}
    for loop in cell.loops:
        shift = loop.step.costs.index(0) - 1 if 0 in loop.step.costs else 0
        for side, names in (("low", loop.step.above), ("high", loop.step.below)):
            for name in names:
                tight = shift if side == "low" else -shift
                if (name, side) not in chosen or chosen[name, side][0] < tight:
                    chosen[name, side] = (tight, loop)
    needed: list[CellMove[Transfer]] = []
    for _, (tight, loop) in sorted(chosen.items(), key=lambda item: item[0]):
        if tight > -1 and loop not in needed:
            needed.append(loop)
    return needed


def _tour(
    cells: FunctionCells, cell: FunctionCell, needed: Sequence[CellMove[Transfer]]
) -> Iterator[tuple[Edge, int]]:
    """A way back to where the first of these loops begins that takes all of them, the nearest one next."""
    start = here = needed[0].source
    left: dict[int, list[CellMove[Transfer]]] = {}
    for loop in reversed(needed):
        left.setdefault(loop.source, []).append(loop)
    while left:
        for arrow in _inside(cells, cell, here, left):
            yield arrow.edge, arrow.edge.fixed or 0
            here = arrow.target
        loop = left[here].pop()
        if not left[here]:
            del left[here]
        yield loop.step.edge, loop.step.delta
        here = _next(cells, loop)
    for arrow in _inside(cells, cell, here, {start}):
        yield arrow.edge, arrow.edge.fixed or 0


def _walk(cells: FunctionCells, cell: FunctionCell, source: int, goal: int) -> list[RunPart]:
    return [RunPart(((arrow.edge, arrow.edge.fixed or 0),)) for arrow in _inside(cells, cell, source, {goal})]
