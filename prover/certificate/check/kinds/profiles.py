"""Threshold programs at one ε of their noise: δ, from above by tables, and from below by inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..budget import Budget
from ..profiles.bounds import profile_rule
from ..profiles.claims import at_each_point, points_rule
from ..profiles.lists import lists_rule
from ..profiles.pair import best_event_rule, pair_rule
from ..profiles.policy import policy_rule
from ..programs import Program, read_program
from ..reading import Json, at, typed
from .program import Rule, about_program, evidence_rule


def of_any_noise(
    fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget
) -> tuple[Program, str]:
    del fields
    with at("model"):
        return read_program(model, budget, gaussian="pure" not in typed(evidence, dict)), ""


def about_profile(rule: Rule) -> Callable[[Mapping[str, Json], Json, Json, Budget], str]:
    return partial(about_program, of_any_noise, points_rule, partial(evidence_rule, rule))


RULES: Mapping[str, Callable[[Mapping[str, Json], Json, Json, Budget], str]] = {
    "profile-table": about_profile(profile_rule),
    "inputs": about_profile(partial(at_each_point, best_event_rule)),
    "policy": about_profile(policy_rule),
    "pair": about_profile(pair_rule),
    "lists": about_profile(lists_rule),
}
