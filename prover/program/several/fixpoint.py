"""The functions of all cells of an order graph: the least table that every step maps into itself.

The table gives each cell the functions of all runs from there on, but for those that others dominate; it
always holds that of the run that ends at once, with the cell's box. A finite table proves that no run costs
more than it says, and each function comes from a run that costs as much in the limit
(docs/theory_variables.md, *The optimum*).
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prover.program.several.cells import Cell, Move, OrderCells
from prover.program.several.functions import ZERO, Function, Plan, before, boxed, maximal
from prover.program.several.order_graph import FINAL
from prover.progress import Progress, silent

Origin = tuple[Move, Function] | None
"""The move that a function comes from, and the function at its other end; None where the run ends."""


@dataclass(slots=True)
class OrderTable:
    """The functions of every cell, and where each comes from. Without ``complete`` some are missing."""

    functions: dict[int, list[Function]] = field(default_factory=dict)
    origins: dict[int, dict[Function, Origin]] = field(default_factory=dict)
    complete: bool = True
    rounds: int = 0

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
    *,
    most: int = 20_000,
    deadline: float | None = None,
    progress: Progress = silent,
) -> OrderTable:
    """The table of all cells, group by group; incomplete if a cell has more than ``most`` functions or time
    is up.
    """
    table = OrderTable({FINAL: [ZERO]})
    for done, group in enumerate(cells.groups):
        progress("cost", done, len(cells.groups))
        _fill(cells, group, table, most, deadline)
        if not table.complete:
            for number in range(len(cells.cells)):
                table.functions.setdefault(number, [ZERO])
                table.origins.setdefault(number, {ZERO: None})
    del table.functions[FINAL]
    return table


def _fill(
    cells: OrderCells, group: Sequence[int], table: OrderTable, most: int, deadline: float | None
) -> None:
    cap = cells.scale.cap
    news: dict[int, list[Function]] = {}
    for number in group:
        cell = cells.cells[number]
        base = boxed(ZERO, cell.box, cell.order)
        table.origins[number] = {base: None}
        outside = {move.target for move in cell.moves}.difference(group)
        _arrive(cell, {k: table.functions[k] for k in outside}, table.origins[number], cap)
        table.functions[number] = maximal(table.origins[number], cell.order)
        news[number] = table.functions[number]
    while any(news.values()):
        table.rounds += 1
        coming: dict[int, list[Function]] = {}
        for number in group:
            cell = cells.cells[number]
            found: dict[Function, Origin] = {}
            _arrive(cell, news, found, cap)
            origins = table.origins[number]
            fresh = {function: origin for function, origin in found.items() if function not in origins}
            if fresh:
                origins.update(fresh)
                kept = maximal([*table.functions[number], *fresh], cell.order)
                coming[number] = [function for function in kept if function in fresh]
                table.functions[number] = kept
                if len(kept) > most or (deadline is not None and time.monotonic() > deadline):
                    table.complete = False
                    return
        news = coming


def _arrive(
    cell: Cell, known: Mapping[int, Sequence[Function]], found: dict[Function, Origin], cap: int
) -> None:
    """Enter what the moves of a cell make of the functions known at their other ends."""
    for move in cell.moves:
        plans: dict[tuple[str, ...], Plan | None] = {}
        for after in known.get(move.target, ()):
            function = before(plans, move.step, after, cell.order, cap, cell.box)
            if function not in found:
                found[function] = (move, after)
