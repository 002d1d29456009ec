"""δ, distances and bisimilarity of processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from ..budget import Budget
from ..chains import Claim, read_claim
from ..describing import describe
from ..processes.distances import interactive_distance
from ..processes.model import Process, quotient_of, read_nature, read_process
from ..processes.relations import interactive_bisimilarity, merged, process_splitters_rule
from ..processes.unrolling import interactive_unrolling
from ..reading import Json, Malformed, at, canonical, constant, demand
from ..shown import listed

OF_PROCESSES: Mapping[str, Callable[[Process, Claim, Json], Json]] = {
    "ld": partial(interactive_distance, symmetric=False),
    "bd": partial(interactive_distance, symmetric=True),
    "bisimilarity": interactive_bisimilarity,
    "lv": partial(interactive_unrolling, symmetric=False),
    "tv": partial(interactive_unrolling, symmetric=True),
}


def about_process(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    """δ, a distance, or bisimilarity, of a process against every attacker."""
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
        table = OF_PROCESSES[fields["kind"]](process, claim, evidence)
    alike = sum(many * (many - 1) for many in Counter(process.labels).values())
    named = [canonical(action).decode() for action in fields.get("nature", ())]
    return describe(fields, alike, table) + " attackers=all" + f" nature={listed(named)}" * bool(named)
