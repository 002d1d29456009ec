"""Certificates of the optimum of a program, exact or enclosed (docs/certificates.md, claim ``epsilon``)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from prover.certificate.schema import Certificate, encode, program_model
from prover.exact.rational import format_rational
from prover.program.arcs import Scale, Values, arc_of, scale_of
from prover.program.cost import ClosedTable, Cost, Witness, witness_of
from prover.program.evidence import blocks_evidence, not_private_certificate
from prover.program.model import Program
from prover.program.pump import Block, Step
from prover.program.runs import Turns

MOST_STEPS = 100_000
"""The most steps of a run that are written out; of a longer one, cycles are repeated less often."""


def cost_certificate(program: Program, cost: Cost) -> Certificate | None:
    """The certificate that the optimum lies between the bounds of ``cost``; None where it has no evidence.

    For a loss without bound it is the one of that claim. If the run would be too long to be written out, its
    lower bound is that of a shorter one.
    """
    if cost.family:
        return not_private_certificate(program, cost.family, cost.adjacency)
    claim = {"adjacency": cost.adjacency, "kind": "epsilon", "lower": "0", "upper": "inf"}
    evidence: dict[str, Any] = {}
    if cost.witness is not None and cost.witness.steps:
        run = _shortened(cost.witness, cost.adjacency)
        claim["lower"] = format_rational(run.loss)
        evidence |= blocks_evidence([Block(repeat=False, steps=tuple(_written_out(run)))])
    if cost.upper is not None and cost.table is not None:
        claim["upper"] = format_rational(cost.upper)
        evidence["table"] = table_evidence(cost.table)
    if not evidence:
        return None
    return encode(claim, program_model(program.initial, program.states), evidence)


def _shortened(witness: Witness, adjacency: str) -> Witness:
    """A run with the same cycles, repeated as often as there, or as ``MOST_STEPS`` allows."""
    if witness.length <= MOST_STEPS:
        return witness
    low, high = 1, MOST_STEPS
    while low < high:
        middle = (low + high + 1) // 2
        if sum(steps * min(count, middle) for steps, count in witness.turns) <= MOST_STEPS:
            low = middle
        else:
            high = middle - 1
    scale = scale_of([step.edge for step in witness.steps], adjacency)
    arcs = iter([arc_of(step.edge, step.delta, scale) for step in witness.steps])
    run = [Turns(tuple(islice(arcs, steps)), min(count, low)) for steps, count in witness.turns]
    return witness_of(run, scale)


def _written_out(witness: Witness) -> Iterator[Step]:
    """All steps of a run, those of repeated cycles again and again."""
    steps = iter(witness.steps)
    for length, count in witness.turns:
        yield from list(islice(steps, length)) * count


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
