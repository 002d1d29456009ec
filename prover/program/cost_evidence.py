"""Certificates of the optimum of a program, exact or enclosed (docs/certificates.md, claim ``epsilon``)."""

from __future__ import annotations

from typing import Any

from prover.certificate.schema import Certificate, encode, program_model
from prover.exact.rational import format_rational
from prover.program.arcs import Scale, Values
from prover.program.cost import ClosedTable, Cost, Witness
from prover.program.evidence import blocks_evidence
from prover.program.model import Program
from prover.program.pump import Block


def cost_certificate(program: Program, cost: Cost) -> Certificate | None:
    """The certificate that the optimum lies between the bounds of ``cost``; None where it has no evidence."""
    claim = {"adjacency": cost.adjacency, "kind": "epsilon", "lower": "0", "upper": "inf"}
    evidence: dict[str, Any] = {}
    if cost.lower is not None and cost.witness is not None:
        claim["lower"] = format_rational(cost.lower)
        evidence |= witness_evidence(cost.witness)
    if cost.upper is not None and cost.table is not None:
        claim["upper"] = format_rational(cost.upper)
        evidence["table"] = table_evidence(cost.table)
    if not evidence:
        return None
    return encode(claim, program_model(program.initial, program.states), evidence)


def witness_evidence(witness: Witness) -> dict[str, Any]:
    """The run of a witness as one block that is taken once; nothing for the run without steps."""
    if not witness.steps:
        return {}
    return blocks_evidence([Block(repeat=False, steps=witness.steps)])


def table_evidence(table: ClosedTable) -> dict[str, Any]:
    """A closed table in the form of certificates, without the states that have no values."""
    lists = {
        state: [[_written(values, table.scale) for values in layer] for layer in layers]
        for state, layers in table.values.items()
        if any(layers)
    }
    if table.layers == 1:
        return {state: written[0] for state, written in lists.items()}
    return {state: {"unused": written[0], "used": written[1]} for state, written in lists.items()}


def _written(values: Values, scale: Scale) -> list[str]:
    numbers = map(scale.number, values)
    return ["inf" if number is None else format_rational(number) for number in numbers]
