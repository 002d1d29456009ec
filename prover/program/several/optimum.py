"""The exact optimum of a program of several variables, with a run that attains it and a table that proves it.

Reference: docs/theory_variables.md. Programs of one variable have faster tables of their own
(``prover.program.optimum``), which give the same answers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.errors import Fault
from prover.program.adjacency import ONE_WAY, Adjacency, extreme_points
from prover.program.decision.facts import (
    DISCLOSING_CYCLE,
    LEAKING_CYCLE,
    LEAKING_PAIR,
    VANISHING_RUN,
    VIOLATING_PATH,
)
from prover.program.decision.pumping import Block, RunStep, total
from prover.program.model import Program
from prover.program.optimum.budget import Budget, Exhausted
from prover.program.optimum.fixpoint import TableLimits
from prover.program.optimum.optimum import Witness
from prover.program.optimum.refinement import Statistics, table_sizes
from prover.program.optimum.transfer import scale_of
from prover.program.several.cells import OrderCells, divide
from prover.program.several.families import chain_family, disclosing_family, exact_family, leaking_family
from prover.program.several.fixpoint import OrderTable, closure
from prover.program.several.order_graph import OrderGraph, order_graph
from prover.program.several.tokens import (
    Cycles,
    Explored,
    Singles,
    disclosing_arrow,
    exact_arrow,
    explore,
    leaking_arrows,
    singles,
    unsettled_arrow,
)
from prover.program.several.witness import attaining, growing, parts_of, witness_of
from prover.progress import Progress, silent

_FEWEST, _GROWTH = 4, 256  # functions in tables: an interval soon, then what is exact for most programs
_ROUNDS_OF_SKETCHES = 100  # around cycles that assign, while tables are coarse anyway

REASONS = (VANISHING_RUN, VIOLATING_PATH, LEAKING_PAIR)
"""The reason of a "no" by tokens that meet, by the number of loops that make their demands.

What else makes one is a sample that is output, or lacks noise on a side.
"""


@dataclass(frozen=True, slots=True)
class Boundedness:
    """Whether the loss is bounded under all-differ (Theorem F′), with the evidence.

    If it is, ``single`` are the single tokens of all nodes, or ``explored`` all places of pairs. If not,
    ``reason`` names the structure, and ``family`` are runs whose loss grows. Where a component compares a
    variable without input and assigns it, that is not ``settled`` (docs/theory_programs.md, *Guards without
    input*).
    """

    graph: OrderGraph
    cycles: Cycles
    single: Singles | None = None
    explored: Explored | None = None
    reason: str | None = None
    family: tuple[Block, ...] = ()
    settled: bool = True

    @property
    def bounded(self) -> bool:
        """Whether some multiple of ε is known to bound the loss."""
        return self.settled and not self.family


def decide(program: Program) -> Boundedness:
    """Whether the privacy loss of a program is bounded (all-differ; any number of variables).

    Single tokens are tried first, in linear time; pairs of them where these do not tell.
    """
    graph = order_graph(program)
    cycles = Cycles(graph)
    if exact := exact_arrow(graph):
        return _unbounded(graph, cycles, VANISHING_RUN, exact_family(graph, exact))
    if disclosing := disclosing_arrow(graph, cycles):
        return _unbounded(graph, cycles, DISCLOSING_CYCLE, disclosing_family(graph, cycles, disclosing))
    if leaking := leaking_arrows(graph, cycles):
        return _unbounded(graph, cycles, LEAKING_CYCLE, leaking_family(graph, cycles, *leaking))
    if unsettled_arrow(graph, cycles):
        return Boundedness(graph, cycles, settled=False)
    if (single := singles(graph, cycles)) is not None:
        return Boundedness(graph, cycles, single=single)
    explored = explore(graph, cycles)
    if explored.contradiction is None:
        return Boundedness(graph, cycles, explored=explored)
    family = chain_family(graph, cycles, explored, explored.contradiction)
    return _unbounded(graph, cycles, REASONS[sum(block.repeat for block in family)], family)


def _unbounded(graph: OrderGraph, cycles: Cycles, reason: str, family: tuple[Block, ...]) -> Boundedness:
    if total(family).slope <= 0:
        raise Fault(f"the loss of the runs of a {reason} does not grow")
    return Boundedness(graph, cycles, reason=reason, family=family)


@dataclass(frozen=True, slots=True)
class OrderCost:
    """lower ≤ optimum ≤ upper; ``upper`` is None if no finite bound was found.

    ``witness`` attains lower, and the functions of ``table`` prove upper. If the loss is shown to have no
    bound, ``family`` are runs whose loss grows. ``is_complete`` says that more functions would not tell more;
    else ``spent`` are the budgets that ended the search.
    """

    adjacency: str
    lower: Fraction
    upper: Fraction | None
    witness: Witness
    cells: OrderCells
    table: OrderTable
    is_complete: bool
    statistics: Statistics
    family: tuple[Block, ...] = ()
    spent: tuple[str, ...] = ()


def measure(
    boundedness: Boundedness,
    adjacency: str = Adjacency.ALL_DIFFER,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_better: Callable[[OrderCost], None] = lambda _: None,
) -> OrderCost:
    """The optimum of a program; exact unless the budget is used up, or no finite bound is found.

    Tables are made with few functions a cell first, once coarser and once with some left out; ``on_better``
    is called with the intervals that these prove.
    """
    budget = budget or Budget()
    sizes = list(table_sizes(budget.values, _FEWEST, _GROWTH))
    found: OrderCost | None = None
    for most in sizes:
        rounds = budget.rounds if most == sizes[-1] else min(budget.rounds, _ROUNDS_OF_SKETCHES)
        limits = TableLimits(most, rounds, budget.steps)
        try:
            next_one = _from_both_sides(boundedness, adjacency, limits, progress)
        except Exhausted:
            break
        found = next_one if found is None else _better(found, next_one)
        if found.is_complete or budget.steps.are_over:
            break
        on_better(found)
    found = _unknown(boundedness, adjacency) if found is None else found
    if found.is_complete or not budget.steps.are_over:
        return found
    return replace(found, spent=tuple(sorted({*found.spent, "steps"})))


def measure_if_narrow(
    boundedness: Boundedness, adjacency: str, budget: Budget | None = None, progress: Progress = silent
) -> OrderCost | None:
    """The optimum of a program of which no cell has more than a few functions; None of others."""
    budget = budget or Budget()
    limits = TableLimits(min(budget.values, _FEWEST), budget.rounds, budget.steps)
    try:
        cells, above = _above(boundedness, adjacency, limits, progress, whole=False)
    except Exhausted:
        return None
    return _shown(boundedness, adjacency, cells, above, above) if above.is_complete else None


def measure_from_above(
    graph: OrderGraph, adjacency: str, budget: Budget | None = None, progress: Progress = silent
) -> OrderCost:
    """The optimum of a program without loops, of any rates, without a run that attains it; 0 is ``lower``.

    Exact unless the budget is used up: no run takes a step twice, so none costs as much as the cap.
    """
    budget = budget or Budget()
    edges = [arrow.edge for leaving in graph.arrows for arrow in leaving]
    cells = divide(graph, adjacency, scale_of(edges, adjacency))
    table = OrderTable(above=True, unfinished=True)
    for most in table_sizes(budget.values, _FEWEST, _GROWTH):
        try:
            table = closure(cells, TableLimits(most, budget.rounds, budget.steps), progress=progress)
        except Exhausted:
            break
        if table.is_complete:
            break
    least = _least(cells, table) if table.functions else None
    upper = None if least is None else cells.scale.number(least)
    statistics = Statistics(table.size, table.widest, table.rounds, 1)
    return OrderCost(adjacency, Fraction(0), upper, _NO_RUN, cells, table, table.is_complete, statistics)


def _from_both_sides(
    boundedness: Boundedness, adjacency: str, limits: TableLimits, progress: Progress
) -> OrderCost:
    """What tables with so many functions show; nothing from below where steps suffice for one table only."""
    cells, above = _above(boundedness, adjacency, limits, progress)
    try:
        below = above if above.is_complete else closure(cells, limits, above=False, progress=progress)
    except Exhausted:
        below = OrderTable(above=False, unfinished=True)
    return _shown(boundedness, adjacency, cells, above, below)


def _above(
    boundedness: Boundedness,
    adjacency: str,
    limits: TableLimits,
    progress: Progress,
    *,
    whole: bool = True,
) -> tuple[OrderCells, OrderTable]:
    """The cells of a program, and a table from above.

    Around cycles that assign, values from a cap on count as infinite. What comes out below the cap is exact;
    where a finite answer is known to exist the cap is doubled until it does (docs/theory_variables.md,
    Lemma 2).
    """
    graph = boundedness.graph
    edges = list(dict.fromkeys(arrow.edge for leaving in graph.arrows for arrow in leaving))
    scale = scale_of(edges, adjacency)
    while True:
        cells = divide(graph, adjacency, scale)
        table = closure(cells, limits, above=True, whole=whole, progress=progress)
        if not (boundedness.bounded and table.is_complete and _least(cells, table) is None):
            return cells, table
        scale = replace(scale, cap=2 * scale.cap)


def _unknown(boundedness: Boundedness, adjacency: str) -> OrderCost:
    """What is known where no table could be made."""
    edges = [arrow.edge for leaving in boundedness.graph.arrows for arrow in leaving]
    cells = divide(boundedness.graph, adjacency, scale_of(edges, adjacency))
    table = OrderTable(above=True, unfinished=True)
    return OrderCost(adjacency, Fraction(0), None, _NO_RUN, cells, table, False, Statistics())


def _least(cells: OrderCells, table: OrderTable) -> int | None:
    """The largest of the least values of the functions of the start; None if one is infinite everywhere."""
    costs = [function.least for function in table.functions[cells.at[0][0]]]
    finite = [cost for cost in costs if cost is not None]
    return max(finite) if len(finite) == len(costs) else None


def _shown(
    boundedness: Boundedness, adjacency: str, cells: OrderCells, above: OrderTable, below: OrderTable
) -> OrderCost:
    """What tables from both sides show."""
    scale, least = cells.scale, _least(cells, above)
    upper = None if least is None else scale.number(least)
    tables = 1 + (below is not above)
    statistics = Statistics(above.size, above.widest, above.rounds, tables)
    family = () if boundedness.bounded else _looping(cells, below)
    finite = [f for f in below.functions.get(cells.at[0][0], ()) if f.least is not None]
    best = max(finite, key=lambda f: (f.least or 0, f), default=None)
    complete = above.is_complete or bool(family)
    named = {"values": above.thinned or below.thinned, "rounds": above.unfinished or below.unfinished}
    spent = () if complete else tuple(sorted(name for name, over in named.items() if over))
    if best is None or family:
        none = Fraction(0), upper, _NO_RUN
        return OrderCost(adjacency, *none, cells, above, complete, statistics, family, spent)
    witness = witness_of(attaining(scale, parts_of(cells, below, best), best.least or 0), scale)
    cost = OrderCost(adjacency, witness.loss, upper, witness, cells, above, complete, statistics, (), spent)
    return replace(cost, is_complete=True, spent=()) if witness.loss == upper else cost


def _better(old: OrderCost, new: OrderCost) -> OrderCost:
    """The better bound of each side."""
    if new.family:
        return new
    lower = new if new.lower > old.lower else old
    upper = old if new.upper is None or (old.upper is not None and old.upper <= new.upper) else new
    statistics = replace(new.statistics, tables=old.statistics.tables + new.statistics.tables)
    complete = new.is_complete or lower.lower == upper.upper
    return replace(
        upper,
        lower=lower.lower,
        witness=lower.witness,
        is_complete=complete,
        statistics=statistics,
        spent=() if complete else new.spent,
    )


_NO_RUN = Witness((), (), (), Fraction(0))


def _looping(cells: OrderCells, table: OrderTable) -> tuple[Block, ...]:
    """The family of runs that repeat the loops of a run which costs arbitrarily much; () if none is known."""
    function = next((f for f in table.functions.get(cells.at[0][0], ()) if f.least is None), None)
    return () if function is None else growing(cells.scale, parts_of(cells, table, function))


def under(family: tuple[Block, ...], adjacency: str, *, turned: bool = False) -> tuple[Block, ...]:
    """A family for all-differ with differences of another adjacency; () if its loss need not grow then.

    Other differences are 0; if ``turned``, they are turned round where a number is output, which costs both
    ways.
    """
    if adjacency == Adjacency.ONE_DIFFER:
        return ()
    if adjacency == Adjacency.MONOTONIC:
        one_way = (under(family, way, turned=turned) for way in ONE_WAY)
        return next(filter(None, one_way), ())

    def moved(step: RunStep) -> RunStep:
        allowed = (0, *extreme_points(adjacency, step.edge.input))
        if step.delta in allowed:
            return step
        back = turned and step.edge.discloses and -step.delta in allowed
        return replace(step, delta=-step.delta if back else 0)

    blocks = tuple(Block(block.repeat, tuple(map(moved, block.steps))) for block in family)
    return blocks if total(blocks).slope > 0 else ()
