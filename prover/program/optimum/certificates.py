"""Certificates of the optimum of a program, exact or enclosed (docs/certificates.md, claim ``epsilon``)."""

from __future__ import annotations

from functools import cache
from typing import Any

from prover.certificate.schema import Certificate, encode, program_model
from prover.exact.rational import format_rational, rational_or_inf
from prover.program.decision.certificates import blocks_evidence, loss_claimed, not_private_certificate
from prover.program.decision.pumping import Block
from prover.program.model import Program
from prover.program.optimum.optimum import Cost, Invariant, shortened, written_out

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
    if cost.upper is not None and (table := _table(cost)) is not None:
        claim["upper"] = format_rational(cost.upper)
        evidence["table"] = table
    if not evidence:
        return None
    return encode(claim, program_model(program), evidence)


def _table(cost: Cost) -> dict[str, Any] | None:
    """The evidence of the upper bound: a closed table, with adjacency monotonic one for each direction."""
    if not cost.sides:
        return None if cost.invariant is None else table_evidence(cost.invariant)
    tables = {side.adjacency: _table(side) for side in cost.sides}
    return None if None in tables.values() else tables


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
