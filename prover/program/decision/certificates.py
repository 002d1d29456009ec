"""Certificates of programs that are private, and of programs that are not (certificates.md, 4.1 and 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prover.certificate.schema import Certificate, encode, program_model
from prover.errors import Fault
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.conditions import conditions
from prover.program.decision.facts import Verdict
from prover.program.decision.pumping import NOTHING, Block, RunStep, pump
from prover.program.model import Program


def verdict_certificate(program: Program, verdict: Verdict) -> Certificate:
    """The certificate of what ``decide`` found: the table of facts, or a family of runs whose loss grows."""
    if verdict.private:
        return private_certificate(program, verdict)
    blocks = pump(verdict)
    if blocks is None:
        raise Fault(f"no family of runs for a {verdict.reason}")
    return not_private_certificate(program, blocks)


def private_certificate(program: Program, verdict: Verdict) -> Certificate:
    """The certificate of a bounded loss (all-differ), from a verdict "private"."""
    if verdict.components is None or verdict.facts is None:
        raise Fault("a verdict without a table of facts is no evidence of privacy")
    evidence = {
        "components": dict(verdict.components),
        "facts": {state: list(facts) for state, facts in verdict.facts.items()},
    }
    claim = {"adjacency": "all-differ", "kind": "private", "loss": "observer"}  # as bounded as that of runs
    return encode(claim, program_model(program), evidence)


def not_private_certificate(
    program: Program, blocks: Sequence[Block], adjacency: str = Adjacency.ALL_DIFFER
) -> Certificate:
    """The certificate of a loss without bound, from a family of runs whose total grows."""
    claim = {"adjacency": str(adjacency), "kind": "not-private", "loss": loss_claimed(program)}
    return encode(claim, program_model(program), blocks_evidence(blocks))


def loss_claimed(program: Program) -> str:
    """Whose loss a claim with a lower bound is about: the observer's, where outputs tell runs apart."""
    return "observer" if conditions(program).output_distinction else "runs"


def blocks_evidence(blocks: Sequence[Block]) -> dict[str, Any]:
    """A family of runs, or a single run, in the form of certificates."""
    return {
        "blocks": [
            {"kind": "repeat" if block.repeat else "once", "steps": [_step(step) for step in block.steps]}
            for block in blocks
        ]
    }


def _step(step: RunStep) -> dict[str, Any]:
    written: dict[str, Any] = {"delta": step.delta, "transition": step.edge.number}
    if len(step.edge.bounds) <= 1:
        written["multiplier"] = format_rational(step.dual.constant)
        if step.dual.slope:
            written["slope"] = format_rational(step.dual.slope)
        return written
    duals = step.duals or (NOTHING,) * len(step.edge.bounds)
    written["multipliers"] = [format_rational(dual.constant) for dual in duals]
    if any(dual.slope for dual in duals):
        written["slopes"] = [format_rational(dual.slope) for dual in duals]
    return written
