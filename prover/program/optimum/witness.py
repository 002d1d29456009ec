"""From a table to a run: the steps that its values come from, with as many turns of cycles as are needed.

Values of a table may be infinite at a shift because a cycle can be repeated for ever. A run repeats it
finitely often: until no shift of the stored value lets it cost less than what is to be shown. How often is
decided on the way, and left to the last cycle that can do it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.graph import route
from prover.program.model import Edge
from prover.program.optimum.cells import FINAL, CellNode, Cells
from prover.program.optimum.fixpoint import ValueTable, origins_of
from prover.program.optimum.transfer import Arc, Values, arc_of, before, prefixed


@dataclass(frozen=True, slots=True)
class Turns:
    """Arcs that are taken ``count`` times in a row; with ``is_loop`` they can be, and store nothing."""

    arcs: tuple[Arc, ...]
    count: int = 1
    is_loop: bool = False


@dataclass(frozen=True, slots=True)
class _Stop:
    """A node that a run comes to, the arc by which it leaves (None: it ends) and the values after that."""

    node: int
    arc: Arc | None
    after: Values


def run_of(cells: Cells, table: ValueTable, values: Values, goal: int) -> tuple[Turns, ...]:
    """A run from the initial state with the values that a table gives the start.

    Whatever the shifts, it costs at least ``goal``, if these values do (all numbers from the cap on counting
    as infinite). A table that is ``above`` must be complete.
    """
    writer = _Writer(cells, goal)
    for stop in _stops(cells, table, values):
        writer.stay(cells.nodes[stop.node], stop)
    return tuple(writer.turns)


def _stops(cells: Cells, table: ValueTable, values: Values) -> Iterator[_Stop]:
    node = cells.start
    while node != FINAL:
        origin = origins_of(cells, table, node, (values,))[values]
        if origin is None:
            yield _Stop(node, None, cells.scale.nothing)
            return
        step, after = origin
        yield _Stop(node, step.arc, after)
        node, values = step.target, after


class _Writer:
    """A run while it is written: where it is, and what it has cost at least for each stored shift."""

    def __init__(self, cells: Cells, goal: int) -> None:
        self.cells = cells
        self.goal = goal
        self.turns: list[Turns] = []
        self.state = cells.initial
        self.costs = cells.scale.nothing

    def stay(self, node: CellNode, stop: _Stop) -> None:
        """Repeat cycles of a node as often as is needed there, then leave it."""
        cap = self.cells.scale.cap
        rest = self.cells.scale.nothing if stop.arc is None else before(stop.arc, stop.after, cap)
        for x in range(len(self.costs)):
            loop = max(node.loops, key=lambda arc: arc.costs[x], default=None)
            if loop is None or not loop.costs[x] or self.costs[x] + rest[x] >= self.goal:
                continue
            self._walk(node, loop.edge.source)
            cycle = (loop, *self._moves(node, loop.edge.target, loop.edge.source))
            gain = sum(arc.costs[x] for arc in cycle)
            needed = -((self.costs[x] + rest[x] - self.goal) // gain)
            if needed > 0:  # else the way to the loop has cost enough
                self._repeat(cycle, needed)
        if stop.arc is not None:
            self._walk(node, stop.arc.edge.source)
            self._take(stop.arc)

    def _walk(self, node: CellNode, goal: str) -> None:
        for arc in self._moves(node, self.state, goal):
            self._take(arc)

    def _moves(self, node: CellNode, source: str, goal: str) -> list[Arc]:
        """The way between two states of a node, with differences that cost most where there is a choice."""
        edges = route(self.cells.leaving, source, goal, lambda edge: edge.number in node.moves)
        return [self._dearest(edge) for edge in edges]

    def _dearest(self, edge: Edge) -> Arc:
        adjacency, scale = self.cells.adjacency, self.cells.scale
        deltas = (0,) if adjacency == Adjacency.ONE_DIFFER else extreme_points(adjacency, edge.input)
        return max((arc_of(edge, delta, scale) for delta in deltas), key=lambda arc: sum(arc.costs))

    def _take(self, arc: Arc) -> None:
        self.turns.append(Turns((arc,)))
        self.costs = prefixed(arc, self.costs, self.cells.scale.cap)
        self.state = arc.edge.target

    def _repeat(self, cycle: tuple[Arc, ...], count: int) -> None:
        self.turns.append(Turns(cycle, count, is_loop=True))
        gains = (count * sum(arc.costs[x] for arc in cycle) for x in range(len(self.costs)))
        self.costs = self.cells.scale.capped(c + g for c, g in zip(self.costs, gains, strict=True))
