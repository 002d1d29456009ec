"""Threshold programs: families of runs, and their losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .programs import CORNERS, UNPLACED, Numbers, Program, Scaled, Transition, rates_of, scaled
from .reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    at,
    demand,
    items,
    rational,
    record,
    typed,
)
from .variables.orders import Order, defined, known_order, live_variables, orders_cost


def not_private(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """A family of runs whose loss grows with N; of an observer's loss, a family of words."""
    if "words" in typed(evidence, dict):
        # Here and below: other evidence does not wait for these rules.
        from .observer.families import words_rule

        with at("words"):
            words_rule(program, claim["adjacency"], record(evidence, "words")["words"])
        return
    sides = record(evidence, "blocks", "samples")
    samples = sides.get("samples")
    _, growth = blocks_rule(program, claim["adjacency"], sides["blocks"], repeats=True, samples=samples)
    demand(growth > 0, ClaimOpen, "the total does not grow with N")


Lambdas = list[tuple[Ratio, Ratio]]  # of every bound, a constant and a slope
ZERO: Ratio = 0, 1


class Multiplier(NamedTuple):
    """Of a bound: λ = constant + slope · N, with the sign with which it is loaded on the step itself. It
    compares with the value that the step `home` stored. Every turn of a repeated block adds to the load of a
    home before it."""

    sign: int
    constant: Ratio
    slope: Ratio
    home: int
    adds_up: bool


class Step(NamedTuple):
    """A step of a run, with the multipliers that are not 0, and all numbers that are written for it."""

    transition: Transition
    delta: int
    block: int
    repeat: bool
    multipliers: list[Multiplier]
    numbers: Lambdas


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
        from .telling import samples_rule

        with at("samples"):
            samples_rule(program, [(s.transition, s.block, s.repeat) for s in steps], samples)
    own_growth = [growth_of(step, growing) for step in steps]
    grown_too = [t for t in own_growth if t is not None]
    unit, parts = common_unit(program, steps, grown_too), program.parts
    numbers, times, total = Scaled(unit, parts), unit * parts, [0, 0]
    for step, growth, (constant, grown) in zip(steps, own_growth, loads_of(steps, unit), strict=True):
        t, more = step.transition, None if growth is None else numbers.of(growth)
        own = numbers.of(t)
        difference = step.delta * own.reach
        if t.pinned:
            cost = t.cost(step.delta, 0)
            lost = (0, times) if cost is None else (scaled(cost, times), 0)  # infinite: grows
        else:
            load_rule(step, (constant, grown), own, more)
            lost = constant * difference, grown * difference
        prime = abs(difference) * t.primed
        total[step.repeat] += lost[0] + own.prime * prime
        total[1] += lost[1]
        if growth is not None and more is not None:
            total[1] += more.prime * prime
            cost = growth.cost(step.delta, 0) if t.pinned else None
            total[1] += 0 if cost is None else scaled(cost, times)
    return Fraction(total[0], times), Fraction(total[1], times)


def common_unit(program: Program, steps: Sequence[Step], others: Sequence[Transition] = ()) -> int:
    """The least common denominator of the numbers of steps, and of the rates of their transitions, and of
    others."""
    written = [d for step in steps for pair in step.numbers for _, d in pair]
    rates, many = rates_of([*(step.transition for step in steps), *others])
    return program.budget.denominator([*written, *(r.denominator for r in rates)], len(written) + many)


def loads_of(steps: Sequence[Step], unit: int) -> list[tuple[int, int]]:
    """The load y of each step, a constant and a factor of N.

    The bound γ_i ≤ γ_at of step i puts its multiplier λ on the load y_i and −λ on y_at, and so does γ_i =
    γ_at, where λ may be negative; γ_at ≤ γ_i puts −λ on y_i and λ on y_at.
    """
    loads = [(0, 0) for _ in steps]
    for i, step in enumerate(steps):
        for sign, constant, slope, home, adds_up in step.multipliers:
            c, s = sign * constant[0] * (unit // constant[1]), sign * slope[0] * (unit // slope[1])
            loads[i] = loads[i][0] + c, loads[i][1] + s
            there = loads[home]
            loads[home] = (there[0], there[1] - c) if adds_up else (there[0] - c, there[1] - s)
    return loads


def load_rule(step: Step, load: tuple[int, int], rates: Numbers, more: Numbers | None = None) -> None:
    """A load lies between minus the rate to the right and the rate to the left, for every N."""
    constant, grown = load
    if step.repeat and grown:
        raise RuleBroken("the load y changes with every turn")
    left, right = (0, 0) if more is None else (more.left or 0, more.right or 0)
    kept = rates.left is None or (grown <= left and constant <= rates.left)
    kept = kept and (rates.right is None or (-grown <= right and -constant <= rates.right))
    if not kept:
        raise RuleBroken("the load y of a step exceeds a rate")


def growth_of(step: Step, growing: tuple[Program, int] | None) -> Transition | None:
    """What is added to the rates of a step that is taken once; of repeated steps those at the start count."""
    if growing is None or step.repeat:
        return None
    program, times = growing
    t = program.transitions[step.transition.number]
    left, right = (None if rate is None else rate * times for rate in (t.left, t.right))
    return t._replace(noise=(left, right), second=t.rate_prime * times)


Home = tuple[int, int, bool]  # a step that stores something, its block, and whether that is repeated


def read_steps(program: Program, adjacency: str, value: Json, repeats: bool) -> list[Step]:
    """A run of the program, block after block, whose differences are possible, and which can be taken."""
    several = len(program.variables) > 1
    if several:
        defined(program)
    live = live_variables(program) if several else {}
    steps, differing, ways = list[Step](), 0, set[int]()
    here, stored, order = program.initial, dict[str, Home](), Order()
    differences = {0, *CORNERS[adjacency]}
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
        parted = f"block {n} has a step that does not follow the one before"
        for t, delta, lambdas in parts:
            if t.source != here:
                raise BadEvidence(parted)
            if t.fixed is None and delta and not (t.takes_input and delta in differences):
                raise BadEvidence("the adjacency excludes a delta")
            differs = delta != 0 and (t.fixed is None or t.takes_input)
            differing += differs
            if delta:
                ways.add(delta)
            if adjacency == "monotonic" and len(ways) > 1:
                raise BadEvidence("two deltas have opposite signs")
            if adjacency == "one-differ" and differs and (differing > 1 or repeat):
                raise BadEvidence("more than one delta is not 0")
            multipliers: list[Multiplier] = []
            for (relation, name), (c, s) in zip(t.bounds, lambdas, strict=False):
                if c[0] or s[0]:
                    home, block_of_home, many = last.get(name, (-1, -1, True))
                    same_turn = block_of_home == n or not many
                    demand(same_turn, RuleBroken, "a multiplier is about a shift of another block or turn")
                    sign = -1 if relation == ">=" else 1
                    multipliers.append(Multiplier(sign, c, s, home, repeat and block_of_home != n))
            steps.append(Step(t, delta, n, repeat, multipliers, lambdas))
            if several:
                program.budget.spend(orders_cost(program, order))
                order = known_order(order, t, live.get(t.to, ()))
            for name in t.stored:
                stored[name] = last[name] = len(steps) - 1, n, repeat
            here = t.to
        demand(not repeat or here == start, BadEvidence, f"block {n} does not end where it starts")
        demand(not repeat or order == before, RuleBroken, f"block {n} changes the order")
    return steps


def read_step(program: Program, value: Json, repeat: bool) -> tuple[Transition, int, Lambdas]:
    """A step: its transition, its difference, and the multipliers of its bounds.

    They are never negative where shifts need not be equal. Where a transition has at most one bound they are
    written as one number, 0 if there is none.
    """
    fields = typed(value, dict)
    number = typed(fields.get("transition", 0), int)
    if not 0 <= number < len(program.transitions):
        raise Malformed("unknown transition")
    t = program.transitions[number]
    own = "transition" if t.fixed is not None else "delta transition"
    if len(t.bounds) <= 1:
        part = record(value, f"multiplier {own}", "" if repeat else "slope")
        lambdas = [(rational(part["multiplier"]), rational(part["slope"]) if "slope" in part else ZERO)]
    else:
        part = record(value, f"multipliers {own}", "" if repeat else "slopes")
        constants = items(part["multipliers"], len(t.bounds))
        slopes = items(part["slopes"], len(t.bounds)) if "slopes" in part else ["0"] * len(t.bounds)
        lambdas = [(rational(c), rational(s)) for c, s in zip(constants, slopes, strict=True)]
    for (relation, _), (c, s) in zip(t.bounds, lambdas, strict=False):
        positive = s[0] >= 0 and (c[0] >= 0 or c[0] * s[1] + s[0] * c[1] >= 0)
        if relation != "=" and not positive:
            raise RuleBroken("a multiplier is negative")
    if not t.bounds and any(c[0] or s[0] for c, s in lambdas):
        raise RuleBroken("a multiplier without a bound")
    return t, typed(part["delta"], int) if t.fixed is None else t.fixed, lambdas
