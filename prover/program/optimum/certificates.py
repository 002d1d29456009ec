"""Certificates of the optimum of a program, exact or enclosed (docs/certificates.md, claim ``epsilon``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from prover.certificate.schema import Certificate, encode
from prover.errors import Fault
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.canonical import program_model
from prover.program.decision.blocks import Block
from prover.program.decision.certificates import (
    blocks_evidence,
    loss_claimed,
    nodes_evidence,
    not_private_certificate,
)
from prover.program.model import Edge, Program
from prover.program.optimum.cost import Cost, Invariant, NodeTable, PartTables
from prover.program.optimum.functions import ZERO, Function
from prover.program.optimum.parts import independent
from prover.program.optimum.sparse import FunctionCells
from prover.program.optimum.witness import shortened, written_out
from prover.program.order_graph import FINAL, OrderGraph
from prover.program.shifts import differences_of, layers_of

if TYPE_CHECKING:
    from prover.program.optimum.dominators import Listed

MOST_STEPS = 100_000
"""The most steps of a run that are written out; of a longer one, cycles are repeated less often."""


def cost_certificate(program: Program, cost: Cost) -> Certificate | None:
    """The certificate that the optimum lies between the bounds of ``cost``; None where it has no evidence.

    For a loss without bound it is the one of that claim. If the run would be too long to be written out, its
    lower bound is that of a shorter one.
    """
    if cost.family:
        return not_private_certificate(program, cost.family, cost.adjacency)
    loss = loss_claimed(program)
    claim = {
        "adjacency": str(cost.adjacency), "kind": "epsilon", "loss": loss, "lower": "0", "upper": "inf"
    }  # fmt: skip
    evidence: dict[str, Any] = {}
    if cost.witness is not None and cost.witness.steps:
        run = shortened(cost.witness, cost.adjacency, MOST_STEPS)
        claim["lower"] = format_rational(run.loss)
        evidence |= blocks_evidence([Block(repeat=False, steps=tuple(written_out(run)))])
    if cost.upper is not None and (tables := upper_evidence(program, cost)):
        claim["upper"] = format_rational(cost.upper)
        evidence |= tables
    if not evidence:
        return None
    return encode(claim, program_model(program), evidence)


def upper_evidence(program: Program, cost: Cost) -> dict[str, Any]:
    """The evidence of the upper bound: closed tables, with adjacency monotonic one for each direction.

    Empty if there are none.
    """
    sides = cost.sides or (cost,)
    tables = [side.table for side in sides]
    if None in tables:
        return {}
    if any(isinstance(table, PartTables) for table in tables):
        key, written = "parts", [_parts(program, side) for side in sides]
    else:
        key = "table" if isinstance(tables[0], Invariant) else "nodes"
        written = [_closed(program, side) for side in sides]
    ways = {str(side.adjacency): own for side, own in zip(sides, written, strict=True)}
    return {key: ways if cost.sides else written[0]}


def _closed(program: Program, cost: Cost) -> Any:
    """A closed table of the program as a whole."""
    if isinstance(cost.table, Invariant):
        return table_evidence(cost.table)
    if isinstance(cost.table, NodeTable):
        return functions_evidence(program, cost.adjacency, cost.table, cost.table.cells.graph)
    raise Fault("a bound from above that nothing proves")


def _parts(program: Program, cost: Cost) -> list[dict[str, Any]]:
    """The closed tables of independent parts, or of the whole as the only one."""
    whole = sorted(name for part in independent(program) for name in part)
    parts = cost.table.parts if isinstance(cost.table, PartTables) else ((whole, program, cost),)
    return [
        {"nodes": _closed(own, part), "upper": rational_or_inf(part.upper), "variables": list(names)}
        for names, own, part in parts
    ]


def table_evidence(table: Invariant) -> dict[str, Any]:
    """A closed table in the form of certificates, without the states that have no values."""
    written = cache(lambda units: rational_or_inf(table.scale.number(units)))  # many numbers come again
    lists = {
        state: [[list(map(written, values)) for values in layer] for layer in layers]
        for state, layers in table.values.items()
        if any(layers)
    }
    if table.layers == 1:
        return {state: own[0] for state, own in lists.items()}
    return {state: {"unused": own[0], "used": own[1]} for state, own in lists.items()}


Ways = Sequence[tuple[Edge, int | None, bool]]
"""Steps of a node, each with its target, if it has one that counts, and whether runs may end after it."""


def functions_evidence(
    program: Program, adjacency: str, table: NodeTable, graph: OrderGraph, ways: Sequence[Ways] | None = None
) -> list[dict[str, Any]]:
    """The nodes of a graph with their functions, and which of them dominate those before each step.

    Runs may end anywhere, and the function 0 is not listed; unless ``ways`` say, for each node, where they
    may.
    """
    cells = table.cells
    layers = range(len(cells.at[0]))
    listed = [[table.functions[number] for number in at] for at in cells.at]
    lists = [[sorted(f for f in own if ways is not None or f != ZERO) for own in at] for at in listed]
    nodes, final = nodes_evidence(program, graph)
    every = [[(arrow.edge, arrow.target, True) for arrow in arrows] for arrows in graph.arrows]
    chosen = _Chosen(cells, adjacency, lists, every if ways is None else ways, 0 if ways is not None else -1)
    values = {units for at in lists for functions in at for f in functions for _, units in f.points}
    texts = {units: rational_or_inf(cells.scale.number(units)) for units in values}
    for number, node in enumerate(nodes):
        own = lists[number] if number < final else [[] for _ in layers]
        written = [_written(functions, texts) for functions in own]
        node["functions"] = written[0] if len(layers) == 1 else {"unused": written[0], "used": written[1]}
        node["by"] = list(chosen.of(number)) if number < final else []
    return nodes


@dataclass(slots=True)
class _Chosen:
    """Which functions of a node dominate those before its steps."""

    cells: FunctionCells
    adjacency: str
    lists: list[list[list[Function]]]
    ways: Sequence[Ways]
    none: int  # the number of what dominates 0: of the function 0, or of any other
    known: dict[int, Listed] = field(default_factory=dict)

    def of(self, node: int) -> Iterator[int]:
        """The numbers of these functions, in the order of the specification."""
        for edge, target, ends in self.ways[node]:
            for delta in differences_of(edge, self.adjacency):
                step = self.cells.kind.step(edge, delta)
                for layer, after in layers_of(edge, delta, self.adjacency):
                    later = self._listed(FINAL if target is None else target, after)
                    found = self._listed(node, layer).dominators(step, later, ends=ends)
                    yield from (max(number, self.none) for number in found)

    def _listed(self, node: int, layer: int) -> Listed:
        from prover.program.optimum.dominators import Listed

        cells = self.cells
        if node == FINAL:
            return Listed([], frozenset(), cells.scale.cap)
        number = cells.at[node][layer]
        if number not in self.known:
            self.known[number] = Listed(self.lists[node][layer], cells.graph.orders[node], cells.scale.cap)
        return self.known[number]


def _written(functions: Iterable[Function], texts: Mapping[int, str]) -> list[dict[str, Any]]:
    return [
        {"names": list(f.names), "points": [[list(vector), texts[units]] for vector, units in f.points]}
        for f in functions
    ]
