"""Threshold programs: families of runs, and what these lose."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from .programs import CORNERS, Program, Transition
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    demand,
    limit,
    rational,
    record,
    typed,
)


def not_private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A family of runs whose loss grows with N."""
    _, growth = blocks_rule(program, claim["adjacency"], record(evidence, "blocks")["blocks"], repeats=True)
    demand(growth > 0, ClaimOpen, "the total does not grow")


def blocks_rule(program: Program, adjacency: str, value: Json, repeats: bool) -> tuple[Fraction, Fraction]:
    """k and g: runs with N turns of every repeated block lose at least k + g N, by weak duality.

    The guard γ_i ≤ γ_at of step i puts its multiplier λ on the load y_i and −λ on y_at; γ_at ≤ γ_i puts −λ
    on y_i and λ on y_at. A load is a constant and what is to be multiplied by N.
    """
    steps, loads, differing = list[tuple[Transition, int, bool]](), list[list[Fraction]](), 0
    here, stored = program.initial, (-1, -1, True)  # the last step that assigns, its block, whether repeated
    for n, entry in enumerate(typed(value, list)):
        block = record(entry, "kind steps")
        repeat = typed(block["kind"], str) == "repeat"
        kinds = ("once", "repeat") if repeats else ("once",)
        demand(block["kind"] in kinds, Malformed, "unknown kind of block")
        demand(len(typed(block["steps"], list)) > 0, BadEvidence, "an empty block")
        keys = "delta multiplier transition", "" if repeat else "slope"
        parts = [record(step, *keys) for step in block["steps"]]
        chosen = [typed(part["transition"], int) for part in parts]
        demand(all(0 <= k < len(program.transitions) for k in chosen), Malformed, "no such transition")
        start = here
        last = (-1, -1, True) if repeat and any(program.transitions[k].assigns for k in chosen) else stored
        for k, part in zip(chosen, parts, strict=True):
            t, delta = program.transitions[k], typed(part["delta"], int)
            demand(t.source == here, BadEvidence, f"block {n} has a step that does not follow the one before")
            possible = {0, *CORNERS[adjacency]} if t.takes_input else {0}
            demand(delta in possible, BadEvidence, "an impossible delta")
            differing += delta != 0
            alone = adjacency != "one-differ" or delta == 0 or (differing == 1 and not repeat)
            demand(alone, BadEvidence, "two deltas")
            c, s = Fraction(*rational(part["multiplier"])), Fraction(*rational(part.get("slope", "0")))
            demand(s >= 0 and c + s >= 0, RuleBroken, "a negative multiplier")
            own = [c, s] if t.guard != ">=" else [-c, -s]
            steps.append((t, delta, repeat))
            loads.append(own)
            if c or s:
                step, home, many = last
                demand(t.guard != "", RuleBroken, "a multiplier without a guard")
                demand(home == n or not many, RuleBroken, "a multiplier of the shift of another turn")
                turns = [Fraction(0), own[0]] if repeat and home != n else own
                loads[step] = [bounded(x - y) for x, y in zip(loads[step], turns, strict=True)]
            if t.assigns:
                last = stored = (len(steps) - 1, n, repeat)
            here = t.to
        demand(not repeat or here == start, BadEvidence, f"block {n} does not end where it starts")
    total = [Fraction(0), Fraction(0)]
    for (t, delta, repeat), (constant_load, growing) in zip(steps, loads, strict=True):
        gain = t.rate * abs(delta)
        if t.output != "insample":
            demand(growing == 0 and abs(constant_load) <= t.rate, RuleBroken, "a load above the rate")
            gain = constant_load * delta
        gain += t.rate_prime * abs(delta) if t.output == "insampleprime" else 0
        total[repeat] = bounded(total[repeat] + gain)
    return total[0], total[1]


def bounded(x: Fraction) -> Fraction:
    limit(x.denominator.bit_length(), 1)
    return x
