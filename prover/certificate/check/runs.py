"""Threshold programs: families of runs, and their losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .observer.families import words_rule
from .programs import CORNERS, UNPLACED, Program, Transition
from .reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    at,
    demand,
    items,
    rational,
    record,
    typed,
)
from .telling import samples_rule
from .variables.orders import Order, defined, known_order, live_variables, orders_cost


def not_private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A family of runs whose loss grows with N; of an observer's loss, a family of words."""
    if "words" in typed(evidence, dict):
        with at("words"):
            words_rule(program, claim["adjacency"], record(evidence, "words")["words"])
        return
    sides = record(evidence, "blocks", "samples")
    samples = sides.get("samples")
    _, growth = blocks_rule(program, claim["adjacency"], sides["blocks"], repeats=True, samples=samples)
    demand(growth > 0, ClaimOpen, "the total does not grow with N")


@dataclass(frozen=True, slots=True)
class Multiplier:
    """Of a bound: λ = constant + slope · N, with the sign with which it is loaded on the step itself. It
    compares with the value that the step `home` stored. Every turn of a repeated block adds to the load of a
    home before it."""

    sign: int
    constant: Fraction
    slope: Fraction
    home: int
    adds_up: bool


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a run, with the multipliers that are not 0, and all numbers that are written for it."""

    transition: Transition
    delta: int
    block: int
    repeat: bool
    multipliers: list[Multiplier]
    numbers: list[Fraction]


def blocks_rule(
    program: Program,
    adjacency: str,
    value: Json,
    repeats: bool,
    samples: Json = None,
    growing: tuple[Program, int] | None = None,
) -> tuple[Fraction, Fraction]:
    """k and g: runs with N turns of every repeated block lose at least k + g N, by weak duality.

    With samples, observers who see numbers that are close to theirs know the run. Rates may be larger for
    every turn, by those of a program of the same transitions, so many times.
    """
    steps = read_steps(program, adjacency, value, repeats)
    demand(program.placed, BadClaim, UNPLACED)
    if samples is not None:
        with at("samples"):
            samples_rule(program, [(s.transition, s.block, s.repeat) for s in steps], samples)
    own_growth = [growth_of(step, growing) for step in steps]
    numbers = [x for s in steps for x in (*s.numbers, *s.transition.rates)]
    numbers += [x for growth in own_growth if growth is not None for x in growth.rates]
    unit = program.budget.denominator([x.denominator for x in numbers])
    total, parts = [0, 0], program.parts
    for step, growth, (constant, grown) in zip(steps, own_growth, loads_of(steps, unit), strict=True):
        t = step.transition
        if t.pinned:
            cost = t.cost(step.delta, 0)
            own = (0, unit * parts) if cost is None else (scaled(cost, unit * parts), 0)  # infinite: grows
        else:
            load_rule(step, (constant, grown), unit, growth)
            difference = step.delta * scaled(t.reach, parts)
            own = constant * difference, grown * difference
        total[step.repeat] += own[0]
        prime = abs(step.delta) * scaled(t.reach, parts) * t.primed
        total[step.repeat] += scaled(t.rate_prime, unit) * prime
        total[1] += own[1]
        if growth is not None:
            total[1] += scaled(growth.rate_prime, unit) * prime
            cost = growth.cost(step.delta, 0) if t.pinned else None
            total[1] += 0 if cost is None else scaled(cost, unit * parts)
    return Fraction(total[0], unit * parts), Fraction(total[1], unit * parts)


def loads_of(steps: Sequence[Step], unit: int) -> list[tuple[int, int]]:
    """The load y of each step, a constant and a factor of N.

    The bound γ_i ≤ γ_at of step i puts its multiplier λ on the load y_i and −λ on y_at, and so does γ_i =
    γ_at, where λ may be negative; γ_at ≤ γ_i puts −λ on y_i and λ on y_at.
    """
    loads = [(0, 0) for _ in steps]
    for i, step in enumerate(steps):
        for multiplier in step.multipliers:
            c, s = (multiplier.sign * scaled(x, unit) for x in (multiplier.constant, multiplier.slope))
            loads[i] = loads[i][0] + c, loads[i][1] + s
            constant, slope = loads[multiplier.home]
            there = (constant, slope - c) if multiplier.adds_up else (constant - c, slope - s)
            loads[multiplier.home] = there
    return loads


def load_rule(step: Step, load: tuple[int, int], unit: int, growth: Transition | None = None) -> None:
    """A load lies between minus the rate to the right and the rate to the left, for every N."""
    constant, grown = load
    demand(not (step.repeat and grown), RuleBroken, "the load y changes with every turn")
    mores = (None, None) if growth is None else (growth.left, growth.right)
    sides = zip((1, -1), (step.transition.left, step.transition.right), mores, strict=True)
    for sign, rate, more in sides:
        most = 0 if more is None else scaled(more, unit)
        kept = rate is None or (sign * grown <= most and sign * constant <= scaled(rate, unit))
        demand(kept, RuleBroken, "the load y of a step exceeds a rate")


def growth_of(step: Step, growing: tuple[Program, int] | None) -> Transition | None:
    """What is added to the rates of a step that is taken once; of repeated steps those at the start count."""
    if growing is None or step.repeat:
        return None
    program, times = growing
    t = program.transitions[step.transition.number]
    left, right = (None if rate is None else rate * times for rate in (t.left, t.right))
    return replace(t, noise=(left, right), second=t.rate_prime * times)


def scaled(x: Fraction, unit: int) -> int:
    return x.numerator * (unit // x.denominator)


Home = tuple[int, int, bool]  # a step that stores something, its block, and whether that is repeated


def read_steps(program: Program, adjacency: str, value: Json, repeats: bool) -> list[Step]:
    """A run of the program, block after block, whose differences are possible, and which can be taken."""
    several = len(program.variables) > 1
    if several:
        defined(program)
    live = live_variables(program) if several else {}
    steps, differing, ways = list[Step](), 0, set[int]()
    here, stored, order = program.initial, dict[str, Home](), Order()
    for n, entry in enumerate(typed(value, list)):
        block = record(entry, "kind steps")
        repeat = typed(block["kind"], str) == "repeat"
        kinds = ("once", "repeat") if repeats else ("once",)
        demand(block["kind"] in kinds, Malformed, "the kind of a block is unknown")
        demand(len(typed(block["steps"], list)) > 0, BadEvidence, "a block has no steps")
        parts = [read_step(program, step, repeat) for step in block["steps"]]
        start, before = here, order
        # Before a turn assigns it, a variable that is assigned in a repeated block may hold the last turn's.
        assigned = {name for t, _, _ in parts for name in t.stored} if repeat else set[str]()
        last = {name: home for name, home in stored.items() if name not in assigned}
        for t, delta, lambdas in parts:
            demand(t.source == here, BadEvidence, f"block {n} has a step that does not follow the one before")
            possible = {0, *CORNERS[adjacency]} if t.takes_input else {0}
            demand(t.fixed is not None or delta in possible, BadEvidence, "the adjacency excludes a delta")
            differs = delta != 0 and (t.fixed is None or t.takes_input)
            differing += differs
            ways |= {delta} - {0}
            demand(adjacency != "monotonic" or len(ways) < 2, BadEvidence, "two deltas have opposite signs")
            alone = adjacency != "one-differ" or not differs or (differing == 1 and not repeat)
            demand(alone, BadEvidence, "more than one delta is not 0")
            multipliers = []
            for (relation, name), (c, s) in zip(t.bounds, lambdas, strict=False):
                if c or s:
                    home, block_of_home, many = last.get(name, (-1, -1, True))
                    same_turn = block_of_home == n or not many
                    demand(same_turn, RuleBroken, "a multiplier is about a shift of another block or turn")
                    sign = -1 if relation == ">=" else 1
                    multipliers.append(Multiplier(sign, c, s, home, repeat and block_of_home != n))
            written = [x for pair in lambdas for x in pair]
            steps.append(Step(t, delta, n, repeat, multipliers, written))
            if several:
                program.budget.spend(orders_cost(program, order))
                order = known_order(order, t, live.get(t.to, ()))
            stored.update({name: (len(steps) - 1, n, repeat) for name in t.stored})
            last.update({name: stored[name] for name in t.stored})
            here = t.to
        demand(not repeat or here == start, BadEvidence, f"block {n} does not end where it starts")
        demand(not repeat or order == before, RuleBroken, f"block {n} changes the order")
    return steps


Lambdas = list[tuple[Fraction, Fraction]]  # of every bound, a constant and a slope


def read_step(program: Program, value: Json, repeat: bool) -> tuple[Transition, int, Lambdas]:
    """A step: its transition, its difference, and the multipliers of its bounds.

    They are never negative where shifts need not be equal. Where a transition has at most one bound they are
    written as one number, 0 if there is none.
    """
    fields = typed(value, dict)
    number = typed(fields.get("transition", 0), int)
    demand(0 <= number < len(program.transitions), Malformed, "unknown transition")
    t = program.transitions[number]
    own = "delta" if t.fixed is None else ""
    if len(t.bounds) <= 1:
        part = record(value, f"multiplier transition {own}", "" if repeat else "slope")
        pairs = [(part["multiplier"], part.get("slope", "0"))]
    else:
        part = record(value, f"multipliers transition {own}", "" if repeat else "slopes")
        constants = items(part["multipliers"], len(t.bounds))
        slopes = items(part["slopes"], len(t.bounds)) if "slopes" in part else ["0"] * len(t.bounds)
        pairs = list(zip(constants, slopes, strict=True))
    lambdas = [(Fraction(*rational(c)), Fraction(*rational(s))) for c, s in pairs]
    for (relation, _), (c, s) in zip(t.bounds, lambdas, strict=False):
        demand(relation == "=" or (s >= 0 and c + s >= 0), RuleBroken, "a multiplier is negative")
    demand(bool(t.bounds) or not any(c or s for c, s in lambdas), RuleBroken, "a multiplier without a bound")
    return t, typed(part["delta"], int) if t.fixed is None else t.fixed, lambdas
