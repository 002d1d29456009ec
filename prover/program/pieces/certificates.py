"""Certificates of the loss as a function of an open parameter (docs/certificates.md, Section 4.13)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.decision.blocks import Block
from prover.program.decision.certificates import blocks_evidence, loss_claimed, nodes_evidence
from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.optimum.certificates import upper_evidence
from prover.program.optimum.witness import written_out
from prover.program.pieces.search import Piece
from prover.program.pieces.tables import Line, OpenFunction, OpenTable


def pieces_certificate(opened: OpenProgram, pieces: Sequence[Piece], adjacency: Adjacency) -> Certificate:
    """The certificate of the bounds of all pieces. Raises TooLarge."""
    claim = {
        "adjacency": str(adjacency),
        "kind": "epsilon-function",
        "loss": loss_claimed(opened.first),
        "pieces": [_claimed(piece) for piece in pieces],
    }
    evidence = {"pieces": [piece_evidence(opened, piece, adjacency) for piece in pieces]}
    return encode(claim, opened.model, evidence)


def _claimed(piece: Piece) -> dict[str, Any]:
    return {
        "from": format_rational(piece.low),
        "lower": _line(piece.lower),
        "to": format_rational(piece.high),
        "upper": "inf" if piece.upper is None else _line(piece.upper),
    }


def _line(line: Line) -> list[str]:
    return [format_rational(line.first), format_rational(line.last)]


def piece_evidence(opened: OpenProgram, piece: Piece, adjacency: Adjacency) -> dict[str, Any]:
    """What proves the bounds of a piece."""
    found: dict[str, Any] = {}
    if piece.runs is not None and piece.runs[0].steps:
        found["blocks"] = _blocks(piece)
    if piece.tables:
        ways = {way: open_nodes(opened.first, table) for way, table in piece.tables.items()}
        found["nodes"] = ways if adjacency == Adjacency.MONOTONIC else ways[str(adjacency)]
    if piece.ends is not None:
        found["tables"] = [upper_evidence(opened.first, cost)["table"] for cost in piece.ends]
    return found


def _blocks(piece: Piece) -> list[dict[str, Any]]:
    """The run, each multiplier with its values at both ends."""
    first, last = (
        blocks_evidence([Block(repeat=False, steps=tuple(written_out(run)))])["blocks"][0]["steps"]
        for run in piece.runs or ()
    )
    steps = []
    for own, other in zip(first, last, strict=True):
        step = dict(own)
        if "multiplier" in step:
            step["multiplier"] = [own["multiplier"], other["multiplier"]]
        else:
            step["multipliers"] = [
                list(pair) for pair in zip(own["multipliers"], other["multipliers"], strict=True)
            ]
        steps.append(step)
    return [{"kind": "once", "steps": steps}]


def open_nodes(program: Program, table: OpenTable) -> list[dict[str, Any]]:
    """The nodes with their functions, and which of these dominate those before each step."""
    nodes, final = nodes_evidence(program, table.graph)
    layers = len(table.functions[0])
    for number, node in enumerate(nodes):
        own = table.functions[number] if number < final else [[] for _ in range(layers)]
        written = [[_function(function) for function in layer] for layer in own]
        node["functions"] = written[0] if layers == 1 else {"unused": written[0], "used": written[1]}
        node["by"] = list(table.by[number]) if number < final else []
    return nodes


def _function(function: OpenFunction) -> dict[str, Any]:
    points = [[list(vector), _line(line)] for vector, line in sorted(function.points.items())]
    return {"names": list(function.names), "points": points}


def of_all_values(opened: OpenProgram, certificate: Certificate) -> Certificate:
    """A certificate of the program of least rates as one of the program with its open parameter."""
    document = json.loads(certificate.data)
    return encode(document["claim"], opened.model, document["evidence"])
