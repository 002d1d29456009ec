"""δ, distances and bisimilarity of chains and processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..budget import Budget
from ..chains import PROCESS, Chain, Claim, read_claim
from ..describing import describe
from ..growth import scaled
from ..reading import Json, Malformed, at, constant, demand, typed
from ..relations import bisimilarity, kernel, quotient, splitters_rule
from ..unrollings import bounded, uncut, unrolling
from .seen import seen_chain


def about_chain(
    rule: Callable[[Chain, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    grows = typed(evidence, dict).keys() >= {"growth", "rounding"}
    chain, evidence = seen_chain(fields, model, evidence, budget)
    if "quotient" in fields:
        constant(fields["quotient"], "bisimilarity")
        # It comes with the rules about processes, which other claims do not wait for.
        from ..processes.relations import merged

        with at("quotient"):
            chain, evidence = merged(chain, evidence, quotient, splitters_rule)
    demand("nature" not in fields, Malformed, "a claim about a chain has actions of nature")
    with at("claim"):
        claim = read_claim(fields, chain)
    if "lost" in fields:
        claim, evidence = scaled(chain, claim, evidence) if grows else uncut(chain, claim, fields, evidence)
    with at("evidence"):
        table = rule(chain, claim, evidence)
    return describe(fields, chain.count_alike(), table)


def about_system(
    of_chain: Callable[[Chain, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    """δ, or a distance, of a chain, or of a process against every attacker."""
    if typed(model, dict).get("type") != PROCESS:
        return about_chain(of_chain, fields, model, evidence, budget)
    from .processes import about_process  # which claims about chains do not wait for

    return about_process(fields, model, evidence, budget)


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "ld": partial(about_system, partial(bounded, symmetric=False)),
    "lgd": partial(about_chain, bounded),
    "bd": partial(about_system, partial(bounded, symmetric=True)),
    "kernel": partial(about_chain, kernel),
    "bisimilarity": partial(about_system, bisimilarity),
    "lv": partial(about_system, partial(unrolling, symmetric=False)),
    "tv": partial(about_system, partial(unrolling, symmetric=True)),
}
