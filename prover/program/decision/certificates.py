"""Certificates of programs that are private, and of programs that are not (certificates.md, 4.1 and 4.2)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.errors import Fault
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.canonical import program_model
from prover.program.conditions import output_distinction
from prover.program.decision.blocks import NOTHING, Block, RunStep
from prover.program.decision.boundedness import Boundedness
from prover.program.decision.facts import FactTable
from prover.program.decision.tokens import Tokens, TokenTable
from prover.program.model import Program, out_edges
from prover.program.order_graph import FINAL, OrderGraph


def boundedness_certificate(program: Program, found: Boundedness) -> Certificate:
    """The certificate of what ``decide`` found: a table of facts or tokens, or a family of runs whose loss
    grows.
    """
    if not found.bounded:
        return not_private_certificate(program, found.family)
    claim = {
        "adjacency": Adjacency.ALL_DIFFER.value,
        "kind": "private",
        "loss": "observer",
    }  # as that of runs
    evidence = _facts(found.table) if isinstance(found.table, FactTable) else _tokens(program, found)
    return encode(claim, program_model(program), evidence)


def _facts(table: FactTable) -> dict[str, Any]:
    facts = {state: list(own) for state, own in table.facts.items()}
    return {"components": dict(table.components), "facts": facts}


def _tokens(program: Program, found: Boundedness) -> dict[str, Any]:
    graph, table = found.graph, found.table
    if not isinstance(table, TokenTable):
        raise Fault("a loss without bound is no evidence of privacy")
    component = found.cycles.number(frozenset())
    nodes, final = nodes_evidence(program, graph)
    for number, node in enumerate(nodes):
        own = table.tokens[number] if number < final else frozenset[Tokens]()
        if number < final and graph.links[number] != graph.orders[number]:
            node["links"] = [list(pair) for pair in sorted(graph.links[number])]
        written = sorted(
            [token or (-1, "") for token in (tokens.low, tokens.high)]
            for tokens in own
            if tokens.low or tokens.high
        )
        node["tokens"] = [[None if token[0] < 0 else list(token) for token in pair] for pair in written]
        node["component"] = component[number] if number < final else max(component) + 1
    kept = {}
    for names in {tokens.variables for own in table.tokens for tokens in own}:
        if not table.single and len(names) == 1:
            numbers = found.cycles.number(names)
            kept[next(iter(names))] = [*numbers, *[max(numbers) + 1] * (len(nodes) - final)]
    return {"kept": kept, "nodes": nodes, "single": table.single}


def not_private_certificate(
    program: Program,
    blocks: Sequence[Block],
    adjacency: str = Adjacency.ALL_DIFFER,
    samples: Sequence[Fraction] | None = None,
) -> Certificate:
    """The certificate of a loss without bound, from a family of runs whose total grows, and that ``samples``
    tell from all others, if they are given.
    """
    loss = loss_claimed(program) if samples is None else "observer"
    claim = {"adjacency": str(adjacency), "kind": "not-private", "loss": loss}
    return encode(claim, program_model(program), blocks_evidence(blocks, samples))


FOLLOWED = "followed"
"""In place of what registers differ by at most: they are followed along the runs of the program itself."""


def of_part(certificate: Certificate | None, most: int | str | None) -> Certificate | None:
    """The certificate where its runs are those along which no register differs by more than ``most``."""
    if certificate is None or most is None:
        return certificate
    whole = json.loads(certificate.data)
    return encode(whole["claim"], whole["model"], {**whole["evidence"], "sums": str(most)})


def loss_claimed(program: Program) -> str:
    """Whose loss a claim with a lower bound is about: the observer's, where outputs tell runs apart."""
    distinct, _ = output_distinction(program)
    return "observer" if distinct else "runs"


def blocks_evidence(blocks: Sequence[Block], samples: Sequence[Fraction] | None = None) -> dict[str, Any]:
    """A family of runs, or a single run, in the form of certificates, with samples if there are any."""
    telling = {} if samples is None else {"samples": [format_rational(sample) for sample in samples]}
    return telling | {
        "blocks": [
            {"kind": "repeat" if block.repeat else "once", "steps": [_step(step) for step in block.steps]}
            for block in blocks
        ]
    }


def _step(step: RunStep) -> dict[str, Any]:
    written: dict[str, Any] = {"transition": step.edge.number}
    if step.edge.fixed is None:
        written["delta"] = step.delta
    duals = step.duals or (NOTHING,) * len(step.edge.bounds)
    if len(step.edge.bounds) <= 1:
        dual = duals[0] if duals else NOTHING
        written["multiplier"] = format_rational(dual.constant)
        if dual.slope:
            written["slope"] = format_rational(dual.slope)
        return written
    written["multipliers"] = [format_rational(dual.constant) for dual in duals]
    if any(dual.slope for dual in duals):
        written["slopes"] = [format_rational(dual.slope) for dual in duals]
    return written


def nodes_evidence(program: Program, graph: OrderGraph) -> tuple[list[dict[str, Any]], int]:
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
