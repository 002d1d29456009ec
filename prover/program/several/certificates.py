"""Certificates about programs of several variables (docs/certificates.md, 4.4 to 4.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from prover.certificate.schema import Certificate, encode, program_model
from prover.errors import Fault
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.decision.certificates import blocks_evidence, loss_claimed
from prover.program.decision.pumping import Block
from prover.program.model import Program, out_edges
from prover.program.optimum.certificates import MOST_STEPS
from prover.program.optimum.optimum import written_out
from prover.program.several.cells import transfer_of
from prover.program.several.dominators import Listed
from prover.program.several.functions import ZERO, Function
from prover.program.several.optimum import Boundedness, OrderCost
from prover.program.several.order_graph import FINAL, OrderGraph
from prover.program.several.parts import AnyCost, SumCost, independent
from prover.program.several.tokens import Token, Tokens


def bounded_certificate(program: Program, found: Boundedness) -> Certificate:
    """The certificate that the loss is bounded (all-differ): tokens of which no two that clash can meet."""
    if not found.bounded:
        raise Fault("a loss without bound is no evidence of privacy")
    graph = found.graph
    by_node: list[set[Tokens]] = [set() for _ in graph.states]
    if found.single is not None:
        by_node = [set(found.single[node]) for node in range(len(graph.states))]
    elif found.explored is not None:
        for place in found.explored.origins:
            by_node[place.node].add(place.tokens)
    component = found.cycles.number(frozenset())
    nodes, final = _nodes(program, graph)
    for number, node in enumerate(nodes):
        own = by_node[number] if number < len(by_node) else set()
        if number < final and graph.links[number] != graph.orders[number]:
            node["links"] = [list(pair) for pair in sorted(graph.links[number])]
        written = sorted(_token_key(tokens) for tokens in own if tokens.low or tokens.high)
        node["tokens"] = [[None if token[0] < 0 else list(token) for token in pair] for pair in written]
        node["component"] = component[number] if number < final else max(component) + 1
    kept = {}
    for names in {tokens.variables for own in by_node for tokens in own}:
        if found.single is None and len(names) == 1:
            numbers = found.cycles.number(names)
            kept[next(iter(names))] = [*numbers, *[max(numbers) + 1] * (len(nodes) - final)]
    claim = {"adjacency": Adjacency.ALL_DIFFER.value, "kind": "private", "loss": "observer"}
    evidence = {"kept": kept, "nodes": nodes, "single": found.single is not None}
    return encode(claim, program_model(program), evidence)


def _token_key(tokens: Tokens) -> list[Token]:
    return [token or (-1, "") for token in (tokens.low, tokens.high)]


def order_cost_certificate(
    program: Program, adjacency: Adjacency, costs: Sequence[AnyCost]
) -> Certificate | None:
    """The certificate that the optimum lies between the bounds of costs; None where these have no evidence.

    There is one cost, or for adjacency monotonic that of each direction.
    """
    loss = loss_claimed(program)
    claim = {"adjacency": str(adjacency), "kind": "epsilon", "loss": loss, "lower": "0", "upper": "inf"}
    evidence: dict[str, Any] = {}
    cost = max(costs, key=lambda cost: cost.lower)
    if cost.witness.steps and cost.witness.length <= MOST_STEPS:
        claim["lower"] = format_rational(cost.witness.loss)
        evidence |= blocks_evidence([Block(repeat=False, steps=tuple(written_out(cost.witness)))])
    uppers = [cost.upper for cost in costs if cost.upper is not None]
    if len(uppers) == len(costs):
        claim["upper"] = rational_or_inf(max(uppers))
        key = "parts" if any(isinstance(cost, SumCost) for cost in costs) else "nodes"
        tables = {str(cost.adjacency): _above(program, cost, key) for cost in costs}
        evidence[key] = tables if adjacency == Adjacency.MONOTONIC else tables[str(adjacency)]
    if not evidence:
        return None
    return encode(claim, program_model(program), evidence)


def nodes_evidence(program: Program, adjacency: Adjacency, costs: Sequence[OrderCost]) -> Any:
    """The nodes that prove bounds from above, with adjacency monotonic those of each direction."""
    tables = {str(cost.adjacency): _invariant(program, cost) for cost in costs}
    return tables if adjacency == Adjacency.MONOTONIC else tables[str(adjacency)]


def _above(program: Program, cost: AnyCost, key: str) -> list[dict[str, Any]]:
    """The nodes that prove the bound of a cost from above, or the parts that have them."""
    if isinstance(cost, SumCost):
        return [
            _part(part.names, part.program, own)
            for part, own in zip(cost.projections, cost.costs, strict=True)
        ]
    names = sorted(name for part in independent(program) for name in part)
    return _invariant(program, cost) if key == "nodes" else [_part(names, program, cost)]


def _part(names: Sequence[str], program: Program, cost: OrderCost) -> dict[str, Any]:
    upper = rational_or_inf(cost.upper)
    return {"nodes": _invariant(program, cost), "upper": upper, "variables": list(names)}


def _invariant(program: Program, cost: OrderCost) -> list[dict[str, Any]]:
    cells = cost.cells
    layers = range(len(cells.at[0]))
    lists = [
        [sorted(f for f in cost.table.functions[number] if f != ZERO) for number in at] for at in cells.at
    ]
    nodes, final = _nodes(program, cells.graph)
    chosen = _Chosen(cost, lists)
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

    cost: OrderCost
    lists: list[list[list[Function]]]
    known: dict[int, Listed] = field(default_factory=dict)

    def of(self, node: int) -> Iterator[int]:
        """The numbers of these functions, in the order of the specification."""
        cells, adjacency = self.cost.cells, self.cost.adjacency
        layers = range(len(cells.at[0]))
        for arrow in cells.graph.arrows[node]:
            for delta in extreme_points(adjacency, arrow.edge.input):
                step = transfer_of(arrow.edge, delta, cells.scale)
                for layer in layers if delta == 0 else layers[:1]:
                    after = layer + (len(layers) > 1 and delta != 0)
                    yield from self._listed(node, layer).dominators(step, self._listed(arrow.target, after))

    def _listed(self, node: int, layer: int) -> Listed:
        cells = self.cost.cells
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


def _nodes(program: Program, graph: OrderGraph) -> tuple[list[dict[str, Any]], int]:
    """The nodes of the order graph, then one for each final state, and how many the former are."""
    leaving = out_edges(program)
    final: dict[str, int] = {}
    nodes: list[dict[str, Any]] = []
    for state, order, arrows in zip(graph.states, graph.orders, graph.arrows, strict=True):
        targets: Mapping[int, int] = {
            arrow.edge.number: arrow.target
            if arrow.target != FINAL
            else final.setdefault(arrow.edge.target, len(graph.states) + len(final))
            for arrow in arrows
        }
        node: dict[str, Any] = {
            "order": [list(pair) for pair in sorted(order)],
            "state": state,
            "targets": [targets.get(edge.number) for edge in leaving[state]],
        }
        nodes.append(node)
    nodes += [{"order": [], "state": state, "targets": []} for state in final]
    return nodes, len(graph.states)
