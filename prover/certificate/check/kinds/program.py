"""Claims about one threshold program, whatever they say of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..budget import Budget
from ..describing import describe
from ..programs import CORNERS, Program
from ..reading import Json, Malformed, at, demand, typed

Read = Callable[[Mapping[str, Json], Json, Json, Budget], tuple[Program, str]]
Rule = Callable[[Program, Mapping[str, Json], Json], None]


def about_program(
    read: Read,
    claim_rule: Rule,
    rule: Rule,
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    """``read`` has the program of the model, and what the line says of it at its end."""
    program, words = read(fields, model, evidence, budget)
    demand(typed(fields["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    with at("claim"):
        claim_rule(program, fields, evidence)
    rule(program, fields, evidence)
    return describe(fields, 0, None) + words


def evidence_rule(rule: Rule, program: Program, fields: Mapping[str, Json], evidence: Json) -> None:
    """The rule for the evidence, which a rejection names."""
    with at("evidence"):
        rule(program, fields, evidence)
