"""Certificates about the loss of an observer who does not see the run (docs/certificates.md, 4.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.adjacency import Adjacency
from prover.program.canonical import program_model
from prover.program.model import Program
from prover.program.observer.bounds import BoundAbove, BoundBelow, GroupCost
from prover.program.observer.extremes import Extremes
from prover.program.observer.growth import TurnPotential, WordFamily
from prover.program.observer.hidden_block import HiddenBlock
from prover.program.observer.ladder import Ladder
from prover.program.observer.last import LastSteps
from prover.program.observer.merging import Merged
from prover.program.observer.places import Place, PlaceMoves
from prover.program.observer.quotient import Quotient
from prover.program.optimum.certificates import Ways, functions_evidence, table_evidence, upper_evidence
from prover.program.optimum.cost import NodeTable


def observer_certificate(
    program: Program,
    adjacency: Adjacency,
    found: BoundBelow | None,
    upper: Fraction | None,
    from_above: Mapping[str, Any],
) -> Certificate:
    """The certificate that the observer's loss is at least that of a word, and at most ``upper``.

    ``from_above`` is the evidence of the latter: ``groups``, or what proves it of the loss of runs.
    """
    evidence = dict(from_above)
    claim = {
        "adjacency": str(adjacency),
        "kind": "epsilon",
        "loss": "observer",
        "lower": "0" if found is None else format_rational(found.lower),
        "upper": rational_or_inf(upper),
    }
    if found is not None:
        evidence["word"] = word_evidence(found)
    return encode(claim, program_model(program), evidence)


def bound_of_runs(of_runs: Certificate) -> dict[str, Any]:
    """The evidence of the bound from above in a certificate about the loss of runs."""
    evidence = json.loads(of_runs.data)["evidence"]
    return {key: evidence[key] for key in ("nodes", "parts", "table") if key in evidence}


def merged_evidence(program: Program, found: Merged | Quotient) -> dict[str, Any]:
    """Which transitions are merged, or the smaller program that the states and transitions stand for."""
    if isinstance(found, Merged):
        return {"merged": [list(pair) for pair in found.pairs]}
    images = [found.transitions.get(edge.number) for edge in program.edges]
    small = program_model(found.program)
    return {"quotient": {"model": small, "states": dict(found.states), "transitions": images}}


def block_evidence(found: HiddenBlock, bounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The states and variables of a hidden block, and what bounds the loss of each of its programs."""
    rows = [row[0] if len(row) == 1 else list(row) for row in found.rows]
    names = {"largest": list(found.largest), "least": list(found.least), "states": rows}
    return {"block": {"bounds": [dict(own) for own in bounds], **names}}


def word_evidence(found: BoundBelow) -> dict[str, Any]:
    """The word of a run, inputs with the run's shifts, and the difference by which the cost rises."""
    rise = found.rise
    moved = [b + d for b, d in zip(rise.inputs, rise.delta, strict=True)]
    here = found.costs.cheapest(rise.inputs)
    return {
        "delta": list(rise.delta),
        "inputs": [str(b) for b in rise.inputs],
        "places": found.costs.places(moved),
        "run": [edge.number for edge in here.edges],
        "shifts": [str(shift) for shift in here.shifts],
    }


def words_certificate(program: Program, adjacency: Adjacency, found: WordFamily) -> Certificate:
    """The certificate that the observer's loss has no bound, from words all of whose runs lose ever more."""
    claim = {"adjacency": str(adjacency), "kind": "not-private", "loss": "observer"}
    tables = iter(found.tables)
    blocks: list[dict[str, Any]] = []
    for block in found.blocks:
        steps = [{"delta": step.delta, "transition": step.edge.number} for step in block.steps]
        blocks.append({"kind": "repeat" if block.repeat else "once", "steps": steps})
        if block.repeat:
            blocks[-1]["places"] = _places(found.moves, next(tables))
    return encode(claim, program_model(program), {"words": {"blocks": blocks, "places": found.places}})


def _places(moves: PlaceMoves, table: Mapping[Place, TurnPotential]) -> list[dict[str, Any]]:
    """The potentials of places, in order."""
    state = {number: name for name, number in moves.finals.items()}
    rows = []
    for (node, shifts), potential in table.items():
        order = sorted(moves.graph.orders[node]) if node >= 0 else []
        name = moves.graph.states[node] if node >= 0 else state[node]
        rows.append(((name, order, shifts), potential))
    unit = moves.scale.denominator
    return [
        {
            "constant": format_rational(own.constant / unit),
            "end": format_rational(own.end / unit),
            "order": [list(pair) for pair in order],
            "shifts": [str(shift) for shift in shifts],
            "start": format_rational(own.start / unit),
            "state": name,
        }
        for (name, order, shifts), own in sorted(rows, key=lambda row: row[0])
    ]


def extremes_evidence(found: Extremes) -> dict[str, Any]:
    """A closed table, with monotonic inputs one for each way, and the pairs of transitions that are one."""
    tables = {way: table_evidence(table) for way, table in found.tables.items()}
    return {
        "extremes": [list(pair) for pair in found.pairs],
        "table": tables if len(tables) > 1 else next(iter(tables.values())),
    }


def last_evidence(program: Program, found: LastSteps) -> dict[str, Any]:
    """Sets of transitions that are one last step, and closed tables, with monotonic inputs for each way."""
    going = {(own.node, edge.number) for own in found.sets for edge in own.edges}
    ways: list[Ways] = [
        [
            *((arrow.edge, arrow.target, (node, arrow.edge.number) not in going) for arrow in arrows),
            *((own.step, None, True) for own in found.sets if own.node == node),
        ]
        for node, arrows in enumerate(found.graph.arrows)
    ]
    sets = [
        {
            "node": own.node,
            "tests": [list(test) for test in own.step.guard],
            "transitions": [edge.number for edge in own.edges],
        }
        for own in found.sets
    ]
    written = {
        way: {"nodes": functions_evidence(program, way, cost.table, found.graph, ways), "sets": sets}
        for way, cost in found.costs.items()
        if isinstance(cost.table, NodeTable)
    }
    return {"last": written if len(written) > 1 else next(iter(written.values()))}


def groups_evidence(found: BoundAbove) -> dict[str, Any]:
    """All runs in groups, with what bounds the loss of each group."""
    return {"groups": [_group(own) for own in found.groups]}


def _group(own: GroupCost | Ladder) -> dict[str, Any]:
    if isinstance(own, Ladder):
        rungs = [
            {
                "delta": list(rung.delta),
                "order": list(rung.order),
                "shifts": [list(shifts) for shifts in rung.shifts],
            }
            for rung in own.rungs
        ]
        cones = [[list(pair) for pair in cone] for cone in own.cones]
        runs = [[edge.number for edge in run.edges] for run in own.runs]
        return {"cones": cones, "rungs": rungs, "runs": runs}
    return {
        **upper_evidence(own.program, own.cost),
        "order": [list(pair) for pair in sorted(own.group.order)],
        "runs": [[edge.number for edge in run.edges] for run in own.group.runs],
        "sequence": list(own.sequence),
    }
