"""Whose loss a claim about a threshold program is about."""

from __future__ import annotations

from collections.abc import Mapping

from .programs import Program
from .reading import BadClaim, BadModel, Json, Malformed, demand, typed

ABOUT_OUTPUTS = {"block", "extremes", "groups", "last", "merged", "quotient", "word", "words"}


def loss_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """The loss of an observer is that of runs; for a claim with an upper bound only it is at most that.

    The observer knows the run if the transitions of each state differ in their letters (one may have none) or
    in the number of numbers that they output. Claims of an upper bound do not need this, nor do other claims
    whose evidence is about all runs of a word.
    """
    loss = typed(claim.get("loss", "runs"), str)
    demand(loss in ("observer", "runs"), Malformed, "loss is neither runs nor observer")
    of_outputs = ABOUT_OUTPUTS & typed(evidence, dict).keys()
    demand(loss == "observer" or not of_outputs, BadClaim, "evidence about outputs is for observers only")
    known = {"word", "words", *(("groups", "merged") if program.rounded else ())}
    demand(program.plain or of_outputs <= known, BadModel, "ties, or inputs that are not rounded")
    demand(program.even or not of_outputs, BadModel, "evidence about outputs, and sensitivities of states")
    coarse = program.noise[1] not in (None, program.noise[0])
    demand(not coarse or "extremes" not in of_outputs, BadModel, "extremes with a sensitivity above the grid")
    demand(not program.registers or not of_outputs, BadModel, "evidence about outputs, and registers")
    demand(
        not program.hides or not of_outputs, BadModel, "evidence about outputs, and steps that are not seen"
    )
    told = "samples" in evidence
    demand(not told or (program.hides and loss == "observer"), BadClaim, "samples, which nothing asks for")
    if loss == "runs" or claim["kind"] == "private" or claim.get("lower") == "0":
        return
    if program.hides:
        demand(told, BadClaim, "outputs do not tell the run, and there are no samples")
        return
    if {"word", "words"} & of_outputs:
        return
    outputs: dict[str, set[tuple[str, int]]] = {}
    for n, t in enumerate(program.transitions):
        if t.source in program.reached:
            seen = outputs.setdefault(t.source, set())
            if t.seen in seen:
                raise BadClaim(f"the output of transition {n} does not identify it")
            seen.add(t.seen)
