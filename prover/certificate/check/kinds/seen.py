"""The chain that a claim is about."""

from __future__ import annotations

from collections.abc import Mapping

from ..budget import Budget
from ..chains import Chain, read_chain
from ..reading import Json, Malformed, at, demand, typed


def seen_chain(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> tuple[Chain, Json]:
    """The chain of the claim as far as it is seen, with rational probabilities; and the other evidence."""
    if "rounding" in typed(evidence, dict):
        from ..reals import rounded  # which claims about rational numbers do not wait for

        with at("rounding"):
            return rounded(fields, model, evidence, budget)
    demand(not fields.keys() >= {"observer", "lost"}, Malformed, "a claim about lost runs has an observer")
    with at("model"):
        chain = read_chain(model, budget)
    if "observer" in fields:
        from ..collapsing import observed  # which claims about all that is seen do not wait for

        with at("collapsing"):
            return observed(chain, fields, evidence)
    return chain, evidence
