"""δ, distances and bisimilarity of chains and processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from ..budget import Budget
from ..chains import Chain, Claim, read_claim
from ..describing import describe
from ..growth import scaled
from ..processes.distances import interactive_distance
from ..processes.model import TYPE as PROCESS
from ..processes.model import Process, quotient_of, read_nature, read_process
from ..processes.relations import interactive_bisimilarity, merged, process_splitters_rule
from ..processes.unrolling import interactive_unrolling
from ..reading import Json, Malformed, at, canonical, constant, demand, typed
from ..relations import bisimilarity, kernel, quotient, splitters_rule
from ..shown import listed
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


def about_process(
    rule: Callable[[Process, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    with at("model"):
        process = read_process(model, budget)
    demand("observer" not in fields, Malformed, "a claim about a decision process has an observer")
    demand("lost" not in fields, Malformed, "a claim about a decision process has lost runs")
    if "quotient" in fields:
        constant(fields["quotient"], "bisimilarity")
        with at("quotient"):
            process, evidence = merged(process, evidence, quotient_of, process_splitters_rule)
    with at("claim"):
        claim = read_claim(fields, process)
        if "nature" in fields:
            process = replace(process, nature=read_nature(fields["nature"], process))
    with at("evidence"):
        table = rule(process, claim, evidence)
    alike = sum(many * (many - 1) for many in Counter(process.labels).values())
    named = [canonical(action).decode() for action in fields.get("nature", ())]
    return describe(fields, alike, table) + " attackers=all" + f" nature={listed(named)}" * bool(named)


def about_system(
    of_chain: Callable[[Chain, Claim, Json], Json],
    of_process: Callable[[Process, Claim, Json], Json],
    fields: Mapping[str, Json],
    model: Json,
    evidence: Json,
    budget: Budget,
) -> str:
    """δ, or a distance, of a chain, or of a process against every attacker."""
    if typed(model, dict).get("type") == PROCESS:
        return about_process(of_process, fields, model, evidence, budget)
    return about_chain(of_chain, fields, model, evidence, budget)


def of_system(
    of_chain: Callable[..., Json], of_process: Callable[..., Json], *, symmetric: bool
) -> Callable[[Mapping[str, Json], Json, Json, Budget], str]:
    first, second = partial(of_chain, symmetric=symmetric), partial(of_process, symmetric=symmetric)
    return partial(about_system, first, second)


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "ld": of_system(bounded, interactive_distance, symmetric=False),
    "lgd": partial(about_chain, bounded),
    "bd": of_system(bounded, interactive_distance, symmetric=True),
    "kernel": partial(about_chain, kernel),
    "bisimilarity": partial(about_system, bisimilarity, interactive_bisimilarity),
    "lv": of_system(unrolling, interactive_unrolling, symmetric=False),
    "tv": of_system(unrolling, interactive_unrolling, symmetric=True),
}
