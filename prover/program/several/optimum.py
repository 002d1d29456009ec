"""The exact optimum of a program of several variables, with a run that attains it and a table that proves it.

Reference: docs/theory_variables.md. Programs of one variable have faster tables of their own
(``prover.program.optimum``), which give the same answers.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.errors import Fault
from prover.program.adjacency import ONE_WAY, Adjacency, extreme_points
from prover.program.decision.facts import DISCLOSING_CYCLE, LEAKING_CYCLE, LEAKING_PAIR
from prover.program.decision.pumping import Block, Linear, RunStep, total
from prover.program.model import Program
from prover.program.optimum.optimum import Witness
from prover.program.optimum.refinement import Budget, Statistics
from prover.program.optimum.transfer import scale_of
from prover.program.several.cells import OrderCells, divide
from prover.program.several.families import chain_family, disclosing_family, leaking_family
from prover.program.several.fixpoint import OrderTable, closure
from prover.program.several.order_graph import OrderGraph, order_graph
from prover.program.several.tokens import (
    Cycles,
    Explored,
    Singles,
    disclosing_arrow,
    explore,
    leaking_arrows,
    singles,
)
from prover.program.several.witness import attaining, costed, parts_of, witness_of
from prover.progress import Progress, silent

CHAIN = LEAKING_PAIR
"""The reason of a "no" by tokens that meet: two loops, or a loop and an output, with tests in between."""


@dataclass(frozen=True, slots=True)
class Boundedness:
    """Whether the loss is bounded under all-differ (Theorem F′), with the evidence.

    If it is, ``single`` are the single tokens of all nodes, or ``explored`` all places of pairs. If not,
    ``reason`` names the structure, and ``family`` are runs whose loss grows.
    """

    graph: OrderGraph
    cycles: Cycles
    single: Singles | None = None
    explored: Explored | None = None
    reason: str | None = None
    family: tuple[Block, ...] = ()

    @property
    def bounded(self) -> bool:
        """Whether some multiple of ε bounds the loss."""
        return not self.family


def decide(program: Program) -> Boundedness:
    """Whether the privacy loss of a program is bounded (all-differ; any number of variables).

    Single tokens are tried first, in linear time; pairs of them where these do not tell.
    """
    graph = order_graph(program)
    cycles = Cycles(graph)
    if disclosing := disclosing_arrow(graph, cycles):
        return _unbounded(graph, cycles, DISCLOSING_CYCLE, disclosing_family(graph, cycles, disclosing))
    if leaking := leaking_arrows(graph, cycles):
        return _unbounded(graph, cycles, LEAKING_CYCLE, leaking_family(graph, cycles, *leaking))
    if (single := singles(graph, cycles)) is not None:
        return Boundedness(graph, cycles, single=single)
    explored = explore(graph, cycles)
    if explored.contradiction is None:
        return Boundedness(graph, cycles, explored=explored)
    family = chain_family(graph, cycles, explored, explored.contradiction)
    return _unbounded(graph, cycles, CHAIN, family)


def _unbounded(graph: OrderGraph, cycles: Cycles, reason: str, family: tuple[Block, ...]) -> Boundedness:
    if total(family).slope <= 0:
        raise Fault(f"the loss of the runs of a {reason} does not grow")
    return Boundedness(graph, cycles, reason=reason, family=family)


@dataclass(frozen=True, slots=True)
class OrderCost:
    """lower ≤ optimum ≤ upper; ``upper`` is None if no finite bound was found.

    ``witness`` attains lower, and the functions of ``table`` prove upper. If the loss is shown to have no
    bound, ``family`` are runs whose loss grows.
    """

    adjacency: str
    lower: Fraction
    upper: Fraction | None
    witness: Witness
    cells: OrderCells
    table: OrderTable
    statistics: Statistics
    family: tuple[Block, ...] = ()


def measure(
    boundedness: Boundedness,
    adjacency: str = Adjacency.ALL_DIFFER,
    budget: Budget | None = None,
    progress: Progress = silent,
) -> OrderCost:
    """The optimum of a program; exact unless the budget is used up, or no finite bound is found.

    Around cycles that assign, values from a cap on count as infinite. What comes out below the cap is exact;
    where a finite answer is known to exist the cap is doubled until it does (docs/theory_variables.md,
    Lemma 2).
    """
    budget = budget or Budget()
    graph = boundedness.graph
    edges = list(dict.fromkeys(arrow.edge for leaving in graph.arrows for arrow in leaving))
    deadline = None if budget.seconds is None else time.monotonic() + budget.seconds
    scale = scale_of(edges, adjacency)
    while True:
        cells = divide(graph, adjacency, scale)
        table = closure(cells, most=budget.values, deadline=deadline, progress=progress)
        start = cells.at[0][0]
        least = [function.least for function in table.functions[start]]
        infinite = None in least
        if not (infinite and boundedness.bounded and table.complete):
            break
        scale = replace(scale, cap=2 * scale.cap)
    finite = [f for f in table.functions[start] if f.least is not None]
    best = max(finite, key=lambda f: (f.least or 0, f), default=None)
    statistics = Statistics(table.size, table.widest, table.rounds, 1)
    family = _looping(cells, table) if infinite and not boundedness.bounded else ()
    if best is None or family:
        return OrderCost(adjacency, Fraction(0), None, _NO_RUN, cells, table, statistics, family)
    goal = best.least or 0
    witness = witness_of(attaining(scale, parts_of(cells, table, best), goal), scale)
    upper = None if infinite or not table.complete else scale.number(goal)
    return OrderCost(adjacency, witness.loss, upper, witness, cells, table, statistics)


_NO_RUN = Witness((), (), (), Fraction(0))


def _looping(cells: OrderCells, table: OrderTable) -> tuple[Block, ...]:
    """The family of runs that repeat the loops of a run which costs arbitrarily much; () if none is found.

    Steps that are taken once have weight 0, and those of loops the weight of one turn: the dual variables of
    a run of N turns are then those of loops, and N times those of other steps.
    """
    function = next(f for f in table.functions[cells.at[0][0]] if f.least is None)
    parts = parts_of(cells, table, function)
    run = costed(cells.scale, parts, turns=1, once=0)
    duals = iter(run.optimum.multipliers)
    blocks = []
    for part in parts:
        steps = []
        for edge, delta in part.steps:
            numbers = [Fraction(units, cells.scale.denominator) for units in next(duals)]
            own = tuple(Linear(q) if part.is_loop else Linear(slope=q) for q in numbers)
            steps.append(RunStep(edge, delta, own))
        blocks.append(Block(part.is_loop, tuple(steps)))
    family = tuple(blocks)
    return family if total(family).slope > 0 else ()


def under(family: tuple[Block, ...], adjacency: str) -> tuple[Block, ...]:
    """A family for all-differ with the differences that another adjacency allows.

    () if its loss need not grow.
    """
    if adjacency == Adjacency.ONE_DIFFER:
        return ()
    if adjacency == Adjacency.MONOTONIC:
        return next(filter(None, (under(family, one_way) for one_way in ONE_WAY)), ())
    allowed = {
        step.edge: (0, *extreme_points(adjacency, step.edge.input)) for b in family for step in b.steps
    }
    blocks = tuple(
        Block(b.repeat, tuple(s if s.delta in allowed[s.edge] else replace(s, delta=0) for s in b.steps))
        for b in family
    )
    return blocks if total(blocks).slope > 0 else ()
