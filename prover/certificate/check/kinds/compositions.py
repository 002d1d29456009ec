"""Compositions of mechanisms: δ, moments, and errors of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..accounts.composition import composition
from ..accounts.errors import errors
from ..accounts.moments import composed_moments
from ..budget import Budget
from ..describing import describe, errors_words, moments_words, named_parts, plain_parts, rho_words
from ..reading import Json


def about_composition(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    rule = composed_moments if "moments" in fields else errors if "errors" in fields else composition
    rule(fields, model, evidence, budget)
    runs = sum(part["times"] for part in model["parts"])
    observers = sum("observer" in part for part in plain_parts(model["parts"]))
    seen = f" observers={observers}" if observers else ""
    named = named_parts(model["parts"])
    told = describe(fields, 0, None) + moments_words(fields) + rho_words(fields) + errors_words(fields)
    return f"{told} {named} parts={len(model['parts'])} runs={runs}{seen}"


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "composition": about_composition,
}
