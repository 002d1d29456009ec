"""δ as a function of α, errors of tests, and moments: by the laws of a chain, or of a process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..accounts.curve import profile
from ..accounts.tradeoff import tradeoff
from ..accounts.zcdp import rho_of_chain
from ..budget import Budget
from ..chains import PROCESS, Chain
from ..describing import describe, moments_words, mu_words, rho_words
from ..moments import of_chain, renyi
from ..processes.errors import errors_against_attackers
from ..processes.model import read_process
from ..reading import Json, Malformed, at, demand, typed
from .seen import seen_chain


def about_laws(
    rule: Callable[[Mapping[str, Json], Chain, Json], None],
    names: Sequence[str],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    """A claim about laws of chains, with one of some lists, which the line counts."""
    chain, evidence = seen_chain(fields, model, evidence, budget)
    rule(fields, chain, evidence)
    name = next(name for name in names if name in fields)
    return describe(fields, 0, None) + f" of={fields['of']} {name}={len(fields[name])}{mu_words(fields)}"


def about_moments(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    attackers = typed(model, dict).get("type") == PROCESS
    if attackers:
        demand("observer" not in fields, Malformed, "a claim about a decision process has an observer")
        with at("model"):
            process = read_process(model, budget)
        demand("rho" not in fields, Malformed, "a claim about a decision process has rho")
    else:
        chain, evidence = seen_chain(fields, model, evidence, budget)
        process = of_chain(chain)
        evidence = rho_of_chain(chain, fields, evidence)
    renyi(process, fields, evidence)
    told = f"of={fields['of']}{moments_words(fields)}{rho_words(fields)}"
    return f"{describe(fields, 0, None)} {told}" + " attackers=all" * attackers


def about_errors(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    if typed(model, dict).get("type") != PROCESS:
        demand("above" not in fields, Malformed, "a claim about a chain has a function above")
        return about_laws(tradeoff, ("vertices",), fields, model, evidence, budget)
    demand("observer" not in fields, Malformed, "a claim about a decision process has an observer")
    with at("model"):
        process = read_process(model, budget)
    errors_against_attackers(process, fields, evidence)
    above = f" above={len(fields['above'])}" if "above" in fields else ""
    told = f"of={fields['of']} vertices={len(fields['vertices'])}{above}{mu_words(fields)} attackers=all"
    return f"{describe(fields, 0, None)} {told}"


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "profile": partial(about_laws, profile, ("corners", "points")),
    "tradeoff": about_errors,
    "renyi": about_moments,
}
