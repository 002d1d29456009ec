"""The optimum of a program of several variables, with a run that attains it and a table that proves it.

Reference: docs/theory_variables.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from prover.program.optimum.budget import Budget, Exhausted, table_sizes
from prover.program.optimum.cells import divide
from prover.program.optimum.closure import Table, TableLimits, closure, origins_of, rest_of
from prover.program.optimum.cost import Cost, NodeTable, Statistics, better, infinite, unknown
from prover.program.optimum.functions import Function, Transfer
from prover.program.optimum.sparse import FunctionCells, SparseFunctions
from prover.program.optimum.table_run import parts_of
from prover.program.optimum.transfer import scale_of
from prover.program.optimum.witness import NO_RUN, attaining, growing
from prover.program.order_graph import OrderGraph
from prover.progress import Progress, silent

_FEWEST, _GROWTH = 4, 256  # functions in tables: an interval soon, then what is exact for most programs
_ROUNDS_OF_SKETCHES = 100  # around cycles that assign, while tables are coarse anyway

FunctionTable = Table[Function, Transfer]


def measure(
    graph: OrderGraph,
    adjacency: str,
    budget: Budget,
    progress: Progress = silent,
    on_better: Callable[[Cost], None] = lambda _: None,
    *,
    bounded: bool,
) -> Cost:
    """The optimum of a program, which is known to be ``bounded`` or not; exact unless the budget is used up,
    or no finite bound is found.

    Tables are made with few functions a cell first, once coarser and once with some left out; ``on_better``
    is called with the intervals that these prove.
    """
    found = unknown(adjacency, "steps")
    sizes = list(table_sizes(budget.values, _FEWEST, _GROWTH))
    for most in sizes:
        rounds = budget.rounds if most == sizes[-1] else min(budget.rounds, _ROUNDS_OF_SKETCHES)
        limits = TableLimits(most, rounds, budget.steps)
        try:
            cells, above = _above(graph, adjacency, limits, progress, bounded=bounded)
        except Exhausted:
            break
        below = above if above.is_complete else _below(cells, limits, progress)
        found = better(found, _shown(cells, adjacency, above, below, bounded=bounded))
        if not found.spent or budget.steps.are_over:
            break
        on_better(found)
    if not found.spent or not budget.steps.are_over:
        return found
    return replace(found, spent=tuple(sorted({*found.spent, "steps"})))


def measure_if_narrow(
    graph: OrderGraph, adjacency: str, budget: Budget, progress: Progress = silent, *, bounded: bool
) -> Cost | None:
    """The optimum of a program of which no cell has more than a few functions; None of others."""
    limits = TableLimits(min(budget.values, _FEWEST), budget.rounds, budget.steps)
    try:
        cells, above = _above(graph, adjacency, limits, progress, bounded=bounded, whole=False)
    except Exhausted:
        return None
    return _shown(cells, adjacency, above, above, bounded=bounded) if above.is_complete else None


def measure_from_above(
    graph: OrderGraph,
    adjacency: str,
    budget: Budget,
    progress: Progress = silent,
    *,
    bounded: bool = False,
    anywhere: bool = True,
) -> Cost:
    """The optimum of a program, of any rates, without a run that attains it; 0 is ``lower``.

    Exact unless the budget is used up, if the program has no loops, as no run takes a step twice and so none
    costs as much as the cap, or if it is known to be ``bounded``. Runs end ``anywhere``, or with an arrow to
    FINAL only.
    """
    found = unknown(adjacency, "values")
    for most in table_sizes(budget.values, _FEWEST, _GROWTH):
        limits = TableLimits(most, budget.rounds, budget.steps)
        try:
            cells, above = _above(graph, adjacency, limits, progress, bounded=bounded, anywhere=anywhere)
        except Exhausted:
            break
        found = replace(_from_above(cells, adjacency, above), spent=() if above.is_complete else ("values",))
        if above.is_complete:
            break
    return found


def _above(
    graph: OrderGraph,
    adjacency: str,
    limits: TableLimits,
    progress: Progress,
    *,
    bounded: bool,
    whole: bool = True,
    anywhere: bool = True,
) -> tuple[FunctionCells, FunctionTable]:
    """The cells of a program, and a table from above.

    Around cycles that assign, values from a cap on count as infinite. What comes out below the cap is exact;
    where a finite answer is known to exist the cap is doubled until it does (docs/theory_variables.md,
    Lemma 2).
    """
    scale = scale_of(list(dict.fromkeys(arrow.edge for arrow in graph.all_arrows)), adjacency)
    while True:
        cells = divide(graph, adjacency, SparseFunctions(scale))
        rest = rest_of(cells) if anywhere else replace(rest_of(cells), seeds=frozenset())
        table = closure(cells, rest, limits, above=True, whole=whole, progress=progress)
        if not (bounded and table.is_complete and _upper(cells, table) is None):
            return cells, table
        scale = replace(scale, cap=2 * scale.cap)


def _below(cells: FunctionCells, limits: TableLimits, progress: Progress) -> FunctionTable:
    """What runs can lose; nothing where steps suffice for one table only."""
    try:
        return closure(cells, rest_of(cells), limits, above=False, progress=progress)
    except Exhausted:
        return Table(above=False, unfinished=True)


def _upper(cells: FunctionCells, table: FunctionTable) -> Fraction | None:
    """The largest of the least values of the functions of the start; None if one is infinite everywhere."""
    costs = [function.least for function in table.values[cells.start]]
    finite = [cost for cost in costs if cost is not None]
    return cells.scale.number(max(finite)) if len(finite) == len(costs) else None


def _from_above(cells: FunctionCells, adjacency: str, above: FunctionTable) -> Cost:
    """What a table from above shows."""
    statistics = Statistics(above.size, above.widest, above.rounds, 1)
    table = NodeTable(cells, above.values)
    return Cost(adjacency, Fraction(0), _upper(cells, above), NO_RUN, table, statistics)


def _shown(
    cells: FunctionCells, adjacency: str, above: FunctionTable, below: FunctionTable, *, bounded: bool
) -> Cost:
    """What tables from both sides show."""
    statistics = Statistics(above.size, above.widest, above.rounds, 1 + (below is not above))
    found = below.values.get(cells.start, [])
    of_runs = origins_of(cells, below, cells.start, found) if found else {}
    endless = next((f for f in of_runs if f.least is None), None)
    grows = None if bounded or endless is None else growing(parts_of(cells, below, endless), cells.scale)
    if grows:
        return infinite(adjacency, grows, statistics)
    cost = replace(_from_above(cells, adjacency, above), statistics=statistics)
    best = max((f for f in of_runs if f.least is not None), key=lambda f: (f.least, f), default=None)
    if best is not None:
        goal = Fraction(best.least or 0, cells.scale.denominator)
        witness = attaining(parts_of(cells, below, best), cells.scale, goal)
        cost = replace(cost, lower=witness.loss, witness=witness)
    named = {"values": above.thinned or below.thinned, "rounds": above.unfinished or below.unfinished}
    if above.is_complete or cost.is_exact:
        return cost
    return replace(cost, spent=tuple(sorted(name for name, over in named.items() if over)))
