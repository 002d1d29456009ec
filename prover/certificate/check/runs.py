"""Threshold programs: families of runs, and what these lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from .programs import CORNERS, Program, Transition
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    demand,
    rational,
    record,
    typed,
)


def not_private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A family of runs whose loss grows with N."""
    _, growth = blocks_rule(program, claim["adjacency"], record(evidence, "blocks")["blocks"], repeats=True)
    demand(growth > 0, ClaimOpen, "the total does not grow")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run. Its guard has the multiplier λ = multiplier + slope · N, and compares with what
    the step `home` stored. Every turn of a repeated block adds to what is loaded on a home before it."""

    transition: Transition
    delta: int
    repeat: bool
    multiplier: Fraction
    slope: Fraction
    home: int
    adds_up: bool


def blocks_rule(program: Program, adjacency: str, value: Json, repeats: bool) -> tuple[Fraction, Fraction]:
    """k and g: runs with N turns of every repeated block lose at least k + g N, by weak duality.

    The guard γ_i ≤ γ_at of step i puts its multiplier λ on the load y_i and −λ on y_at; γ_at ≤ γ_i puts −λ
    on y_i and λ on y_at. A load is a constant and what is to be multiplied by N.
    """
    steps = read_steps(program, adjacency, value, repeats)
    numbers = [(s.multiplier, s.slope, s.transition.rate, s.transition.rate_prime) for s in steps]
    unit = program.budget.denominator([x.denominator for row in numbers for x in row])
    loads = [[0, 0] for _ in steps]
    for i, (step, row) in enumerate(zip(steps, numbers, strict=True)):
        sign = -1 if step.transition.guard == ">=" else 1
        c, s = sign * scaled(row[0], unit), sign * scaled(row[1], unit)
        if c or s:
            loads[i] = [loads[i][0] + c, loads[i][1] + s]
            constant, growing = loads[step.home]
            loads[step.home] = [constant, growing - c] if step.adds_up else [constant - c, growing - s]
    total = [0, 0]
    for step, (constant, growing) in zip(steps, loads, strict=True):
        t, rate = step.transition, scaled(step.transition.rate, unit)
        gain = rate * abs(step.delta)
        if t.output != "insample":
            demand(growing == 0 and abs(constant) <= rate, RuleBroken, "a load above the rate")
            gain = constant * step.delta
        gain += scaled(t.rate_prime, unit) * abs(step.delta) if t.output == "insampleprime" else 0
        total[step.repeat] += gain
    return Fraction(total[0], unit), Fraction(total[1], unit)


def scaled(x: Fraction, unit: int) -> int:
    return x.numerator * (unit // x.denominator)


def read_steps(program: Program, adjacency: str, value: Json, repeats: bool) -> list[Step]:
    """A run of the program, block after block, whose differences are possible."""
    steps, differing = list[Step](), 0
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
            home, block_of_home, many = last
            if c or s:
                demand(t.guard != "", RuleBroken, "a multiplier without a guard")
                same_turn = block_of_home == n or not many
                demand(same_turn, RuleBroken, "a multiplier of the shift of another turn")
            steps.append(Step(t, delta, repeat, c, s, home, repeat and block_of_home != n))
            if t.assigns:
                last = stored = (len(steps) - 1, n, repeat)
            here = t.to
        demand(not repeat or here == start, BadEvidence, f"block {n} does not end where it starts")
    return steps
