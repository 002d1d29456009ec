"""The functions of all cells of an order graph: the least table that every step maps into itself.

The table gives each cell the functions of all runs from there on, but for those that others dominate; it
always holds that of the run that ends at once, with the cell's box. A finite table proves that no run costs
more than it says, and each function comes from a run that costs as much in the limit
(docs/theory_variables.md, *The optimum*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prover.program.optimum.budget import Steps
from prover.program.optimum.fixpoint import TableLimits
from prover.program.several.cells import Cell, Move, OrderCells
from prover.program.several.functions import (
    INFINITE,
    ZERO,
    Function,
    Plan,
    before,
    boxed,
    maximal,
    work_before,
)
from prover.program.several.order_graph import FINAL
from prover.program.several.thinning import coarser, dearest
from prover.program.shifts import is_one_sided
from prover.progress import Progress, silent

Origin = tuple[Move, Function] | None
"""The move that a function comes from, and the function at its other end; None where the run ends."""


@dataclass(slots=True)
class OrderTable:
    """The functions of every cell. With ``above`` they dominate those of all runs, otherwise each is one of a
    run, and ``origins`` say where it comes from; in a complete table both is so.

    A table is not complete if it is ``thinned``, because there were too many functions, or ``unfinished``,
    after too many rounds.
    """

    above: bool
    functions: dict[int, list[Function]] = field(default_factory=dict)
    origins: dict[int, dict[Function, Origin]] = field(default_factory=dict)
    thinned: bool = False
    unfinished: bool = False
    rounds: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether no limit was met."""
        return not (self.thinned or self.unfinished)

    @property
    def size(self) -> int:
        """The number of functions of all cells."""
        return sum(map(len, self.functions.values()))

    @property
    def widest(self) -> int:
        """The largest number of functions of a cell."""
        return max(map(len, self.functions.values()), default=0)


def closure(
    cells: OrderCells,
    limits: TableLimits,
    *,
    above: bool = True,
    whole: bool = True,
    progress: Progress = silent,
) -> OrderTable:
    """The table of all cells, group by group, thinned where a limit is met: upwards with ``above``, else
    downwards. Not ``whole``, it ends there, and cells are missing. Raises Exhausted.
    """
    table = OrderTable(above, {FINAL: [ZERO]})
    for done, group in enumerate(cells.groups):
        if not (whole or table.is_complete):
            break
        progress("cost", done, len(cells.groups))
        _Group(cells, group, limits, table).fill()
    del table.functions[FINAL]
    return table


@dataclass(frozen=True, slots=True)
class _Group:
    """Cells that lead to each other, while their part of the table is filled."""

    cells: OrderCells
    members: Sequence[int]
    limits: TableLimits
    table: OrderTable

    def fill(self) -> None:
        """Enter the functions of all members; those of the groups before them are there."""
        table, cap, steps = self.table, self.cells.scale.cap, self.limits.steps
        news: dict[int, list[Function]] = {}
        for number in self.members:
            cell = self.cells.cells[number]
            base = boxed(ZERO, cell.box, cell.order)
            table.origins[number] = {base: None}
            outside = {move.target for move in cell.moves}.difference(self.members)
            _arrive(cell, {k: table.functions[k] for k in outside}, table.origins[number], cap, steps)
            news[number] = table.functions[number] = self._kept(cell, list(table.origins[number]))
        rounds = 0
        while any(news.values()) and rounds < self.limits.rounds:
            rounds += 1
            news = self._round(news)
        table.rounds += rounds
        if any(news.values()) and any(move.target in self.members for move in self._moves()):
            table.unfinished = True
            if table.above:
                for number in self.members:
                    table.functions[number] = [self._anything(number)]

    def _moves(self) -> Iterator[Move]:
        return (move for number in self.members for move in self.cells.cells[number].moves)

    def _round(self, news: Mapping[int, Sequence[Function]]) -> dict[int, list[Function]]:
        """What is new once more, after a step of the functions that were new."""
        table, coming = self.table, {}
        for number in self.members:
            cell = self.cells.cells[number]
            found: dict[Function, Origin] = {}
            _arrive(cell, news, found, self.cells.scale.cap, self.limits.steps)
            origins = table.origins[number]
            fresh = {function: origin for function, origin in found.items() if function not in origins}
            if fresh:
                origins.update(fresh)
                old = set(table.functions[number])
                table.functions[number] = self._kept(cell, [*old, *fresh])
                coming[number] = [function for function in table.functions[number] if function not in old]
        return coming

    def _kept(self, cell: Cell, functions: Sequence[Function]) -> list[Function]:
        """The maximal ones of some functions, fewer where a limit says so."""
        kept = maximal(functions, cell.order, self.limits.steps)
        most = self.limits.values
        if len(kept) <= most:
            return kept
        self.table.thinned = True
        if self.table.above:
            return maximal(coarser(kept, most, cell.order), cell.order, self.limits.steps)
        return dearest(kept, most)

    def _anything(self, number: int) -> Function:
        """A function that dominates all that can come to a cell.

        With one-differ, shifts 0 from there on cost nothing once inputs have differed, and before less than
        the cap, which is no less than any edge costs, unless some rate is infinite.
        """
        cells = self.cells
        cell = cells.cells[number]
        arrows = (arrow for leaving in cells.graph.arrows for arrow in leaving)
        if len(cells.at[0]) == 1 or (not cell.layer and any(is_one_sided(arrow.edge) for arrow in arrows)):
            return INFINITE
        names = tuple(sorted(cells.graph.live_at(cell.nodes[0])))
        cost = 0 if cell.layer else cells.scale.cap - 1
        return boxed(Function(names, (((0,) * len(names), cost),)), cell.box, cell.order)


def _arrive(
    cell: Cell,
    known: Mapping[int, Sequence[Function]],
    found: dict[Function, Origin],
    cap: int,
    steps: Steps,
) -> None:
    """Enter what the moves of a cell make of the functions known at their other ends."""
    for move in cell.moves:
        plans: dict[tuple[str, ...], Plan | None] = {}
        for after in known.get(move.target, ()):
            steps.take(work_before(move.step, after, cell.box))
            function = before(plans, move.step, after, cell.order, cap, cell.box)
            if function not in found:
                found[function] = (move, after)
