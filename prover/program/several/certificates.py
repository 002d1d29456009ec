"""Certificates about programs of several variables (docs/certificates.md, 4.4 to 4.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prover.certificate.schema import Certificate, encode, program_model
from prover.errors import Fault
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.adjacency import Adjacency
from prover.program.decision.certificates import blocks_evidence
from prover.program.decision.pumping import Block
from prover.program.model import Program, out_edges
from prover.program.optimum.optimum import written_out
from prover.program.several.functions import ZERO, Function
from prover.program.several.optimum import Boundedness, OrderCost
from prover.program.several.order_graph import FINAL, OrderGraph
from prover.program.several.tokens import Token, Tokens

MOST_STEPS = 100_000
"""The most steps of a run that are written out."""


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
        written = sorted(_token_key(tokens) for tokens in own if tokens.low or tokens.high)
        node["tokens"] = [[None if token[0] < 0 else list(token) for token in pair] for pair in written]
        node["component"] = component[number] if number < final else max(component) + 1
    kept = {}
    for names in {tokens.variables for own in by_node for tokens in own}:
        if found.single is None and len(names) == 1:
            numbers = found.cycles.number(names)
            kept[next(iter(names))] = [*numbers, *[max(numbers) + 1] * (len(nodes) - final)]
    claim = {"adjacency": Adjacency.ALL_DIFFER.value, "kind": "private"}
    evidence = {"kept": kept, "nodes": nodes, "single": found.single is not None}
    return encode(claim, program_model(program.initial, program.states), evidence)


def _token_key(tokens: Tokens) -> list[Token]:
    return [token or (-1, "") for token in (tokens.low, tokens.high)]


def order_cost_certificate(program: Program, cost: OrderCost) -> Certificate | None:
    """The certificate that the optimum lies between the bounds of ``cost``; None where it has no evidence."""
    claim = {"adjacency": str(cost.adjacency), "kind": "epsilon", "lower": "0", "upper": "inf"}
    evidence: dict[str, Any] = {}
    if cost.witness.steps and cost.witness.length <= MOST_STEPS:
        claim["lower"] = format_rational(cost.witness.loss)
        evidence |= blocks_evidence([Block(repeat=False, steps=tuple(written_out(cost.witness)))])
    if cost.upper is not None:
        claim["upper"] = rational_or_inf(cost.upper)
        evidence["nodes"] = _invariant(program, cost)
    if not evidence:
        return None
    return encode(claim, program_model(program.initial, program.states), evidence)


def _invariant(program: Program, cost: OrderCost) -> list[dict[str, Any]]:
    cells = cost.cells
    layers = len(cells.at[0])
    nodes, final = _nodes(program, cells.graph)
    for number, node in enumerate(nodes):
        lists = [
            [] if number >= final else _written(cost.table.functions[cells.at[number][layer]], cost)
            for layer in range(layers)
        ]
        node["functions"] = lists[0] if layers == 1 else {"unused": lists[0], "used": lists[1]}
    return nodes


def _written(functions: list[Function], cost: OrderCost) -> list[dict[str, Any]]:
    denominator = cost.cells.scale
    return [
        {
            "names": list(function.names),
            "points": [
                [list(vector), rational_or_inf(denominator.number(units))]
                for vector, units in function.points
            ],
        }
        for function in sorted(functions)
        if function != ZERO
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
        nodes.append(
            {
                "order": [list(pair) for pair in sorted(order)],
                "state": state,
                "targets": [targets.get(edge.number) for edge in leaving[state]],
            }
        )
    nodes += [{"order": [], "state": state, "targets": []} for state in final]
    return nodes, len(graph.states)
