"""The rules about ladders once more, word by word, from docs/certificates.md, 4.5."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

from tests.certificate.judge import Unsound, rule
from tests.certificate.noise_judge import cost
from tests.program.observer_oracle import Step, arcs_of, differences, has_cycle, orders, seen

Json = Any


def ladder(
    model: Json, states: Json, adjacency: str, runs: list[list[Step]], group: Json, upper: str
) -> None:
    """Cones, and for every difference how they are moved; ``states`` are those of the model, spelt out."""
    steps, n = runs[0], len(runs[0])
    rule(all(seen(step)[1] == 0 for step in steps))
    if "noise" in model:
        rule(model.get("sensitivity", "1") == model.get("grid", "1"))
    else:
        rule(all(None not in (states[q]["left"], states[q]["right"]) for q, _ in steps))
    cones = [[tuple(pair) for pair in cone] for cone in group["cones"]]
    rule(len(cones) > 0)
    for cone in cones:
        rule(all(len(pair) == 2 and pair[0] != pair[1] for pair in cone))
        rule(all(a < b for a, b in pairwise(cone)) and all(0 <= k < n for pair in cone for k in pair))
    of_runs = {row for run in runs for row in orders(n, arcs_of(run))}
    rule(of_runs == {row for cone in cones for row in orders(n, [(a, b) for a, b in cone])})
    takes = [states[q]["input"] for q, _ in steps]
    fixed = [k for k, own in enumerate(takes) if not own]
    every = [delta for delta in differences(n, adjacency) if not any(delta[k] for k in fixed)]
    if "noise" not in model and adjacency == "all-differ":
        every = [delta for delta in every if delta.count(0) == len(fixed)]
    rule([tuple(rung["delta"]) for rung in group["rungs"]] == sorted(every))
    for rung in group["rungs"]:
        rule(set(rung) == {"delta", "order", "shifts"})
        rule(sorted(rung["order"]) == list(range(len(cones))) and len(rung["shifts"]) == len(cones))
        for cone, shifts in zip(cones, rung["shifts"], strict=True):
            rule(len(shifts) == n and all(shifts[a] <= shifts[b] for a, b in cone))
            prices = [
                cost(states[q], d, s) for (q, _), d, s in zip(steps, rung["delta"], shifts, strict=True)
            ]
            if None in prices:
                raise Unsound
            rule(upper == "inf" or sum(own or 0 for own in prices) <= Fraction(upper))
        for i, j in combinations(rung["order"], 2):
            gap = [a - b for a, b in zip(rung["shifts"][i], rung["shifts"][j], strict=True)]
            both = [(a, b) for a, b in (*cones[i], *cones[j])]
            rule(has_cycle(both) or all(gap[a] <= gap[b] for a, b in cones[i]))
