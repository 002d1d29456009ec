"""Whether the loss of a program is bounded under all-differ (Theorems F and F′), with the evidence."""

from __future__ import annotations

from dataclasses import dataclass

from prover.errors import Fault
from prover.program.decision.blocks import Block, total
from prover.program.decision.facts import FactTable, fact_table
from prover.program.decision.families import chain_family, disclosing_family, exact_family, leaking_family
from prover.program.decision.tokens import (
    Chain,
    Cycles,
    TokenTable,
    disclosing_arrow,
    exact_arrow,
    leaking_pairs,
    token_table,
)
from prover.program.model import Program, variables
from prover.program.order_graph import OrderGraph, order_graph
from prover.program.scope import demand_rates

VANISHING_RUN = "vanishing run"
LEAKING_CYCLE = "leaking cycle"
LEAKING_PAIR = "leaking pair"
DISCLOSING_CYCLE = "disclosing cycle"
VIOLATING_PATH = "privacy violating path"

_BY_LOOPS = (VANISHING_RUN, VIOLATING_PATH, LEAKING_PAIR)
"""The reason of a "no" by demands that clash, by the number of loops that make them.

What else makes one is a sample that is output, or lacks noise on a side.
"""


@dataclass(frozen=True, slots=True)
class Boundedness:
    """If the loss is bounded, ``table`` proves it: facts with one variable, tokens with several.

    If not, ``reason`` names the structure, and ``family`` are runs whose loss grows. Neither is known where a
    component compares a variable without input and assigns it (docs/theory_programs.md, *Guards without
    input*).
    """

    graph: OrderGraph
    cycles: Cycles
    table: FactTable | TokenTable | None = None
    reason: str | None = None
    family: tuple[Block, ...] = ()

    @property
    def bounded(self) -> bool:
        """Whether some multiple of ε is known to bound the loss."""
        return self.table is not None


def decide(program: Program) -> Boundedness:
    """Whether the loss is bounded (all-differ; any number of variables).

    Of several reasons the first is given in the order vanishing run that outputs a number, leaking cycle,
    demands of no loop or of two that clash, disclosing cycle, demands of one loop. With one variable time is
    linear in the number of transitions.
    """
    demand_rates(program)
    graph = order_graph(program)
    cycles = Cycles(graph)
    if program.of is not None:  # what is fixed may differ by the same all the time, which tokens do not know
        return Boundedness(graph, cycles)
    if exact := exact_arrow(graph):
        return _unbounded(graph, cycles, VANISHING_RUN, exact_family(graph, exact))
    settled = True
    for test, assigning, name in leaking_pairs(graph, cycles):
        if test.edge.input:
            leaking = leaking_family(graph, cycles, test, assigning, name)
            return _unbounded(graph, cycles, LEAKING_CYCLE, leaking)
        settled = False
    disclosing = disclosing_arrow(graph, cycles)
    table: FactTable | TokenTable | None = None
    if settled:
        found = (token_table if len(variables(program)) > 1 else fact_table)(graph, cycles)
        if isinstance(found, Chain):
            family = chain_family(graph, cycles, found)
            reason = _BY_LOOPS[sum(block.repeat for block in family)]
            if disclosing is None or reason != VIOLATING_PATH:
                return _unbounded(graph, cycles, reason, family)
        else:
            table = found
    if disclosing is not None:
        return _unbounded(graph, cycles, DISCLOSING_CYCLE, disclosing_family(graph, cycles, disclosing))
    return Boundedness(graph, cycles, table)


def _unbounded(graph: OrderGraph, cycles: Cycles, reason: str, family: tuple[Block, ...]) -> Boundedness:
    if total(family).slope <= 0:
        raise Fault(f"the loss of the runs of a {reason} does not grow")
    return Boundedness(graph, cycles, reason=reason, family=family)
