"""Programs with one open parameter: the programs at its values, and the loss as a function of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from .budget import Budget, bits_of
from .losses import Loss, by_way, read_loss, table_rule
from .noise import Sides, with_rates
from .programs import CORNERS, OWN, STATE, Program, read_program, uneven
from .reading import (
    BadClaim,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    at,
    demand,
    items,
    positive,
    rational,
    record,
    typed,
)
from .runs import blocks_rule
from .shown import abbreviate, listed
from .variables.ends import ends_rule
from .whose import loss_rule

SIDED = ("rate_left", "rate_right")
RATES = ("rate", "rate_prime", *SIDED)

Blend = Callable[[Fraction, Fraction], Fraction]  # a rate, from those at both ends


@dataclass(frozen=True, slots=True)
class OpenProgram:
    """The programs at both ends of an interval; between them rates, or sensitivities, are affine.

    If states have sensitivities of their own, rates are the same at both ends, and in units of 1.
    """

    low: Fraction
    high: Fraction
    first: Program
    last: Program
    sensitive: bool  # sensitivities are open
    convex: bool  # so they are, and states have their own

    def at(self, value: Fraction) -> Program:
        """The program at a value of the parameter."""
        numbers = (n for x in (value, self.low, self.high) for n in (x.numerator, x.denominator))
        transitions = (t for program in (self.first, self.last) for t in program.transitions)
        ends = (number for t in transitions for number in (t.reach, *t.rates))
        longest = bits_of(n for end in ends for n in (end.numerator, end.denominator))
        self.first.budget.spend(16 * len(self.first.transitions), longest, bits_of(numbers))
        share = (value - self.low) / (self.high - self.low)
        return self.blended(partial(between, share=share))

    def blended(self, blend: Blend) -> Program:
        """The program whose finite rates and sensitivities are made of those at both ends."""
        transitions = [
            t._replace(
                noise=sides(with_rates(t.noise), with_rates(other.noise), blend),
                second=blend(t.rate_prime, other.rate_prime),
                reach=blend(t.reach, other.reach),
            )
            for t, other in zip(self.first.transitions, self.last.transitions, strict=True)
        ]
        by_state = {state: [transitions[t.number] for t in own] for state, own in self.first.by_state.items()}
        found = replace(self.first, transitions=transitions, by_state=by_state)
        return uneven(found) if self.convex else found


def between(first: Fraction, last: Fraction, share: Fraction) -> Fraction:
    return first + (last - first) * share


def sides(first: Sides, last: Sides, blend: Blend) -> Sides:
    left, right = (
        None if one is None or other is None else blend(one, other)
        for one, other in zip(first, last, strict=True)
    )
    return left, right


def read_open(model: Json, budget: Budget) -> OpenProgram:
    """The programs at both ends of the interval of the parameter; all of them but rates is the same, or all
    but sensitivities."""
    fields = typed(model, dict)
    entry = record(fields["open"], "from name to")
    demand(len(typed(entry["name"], str)) > 0, Malformed, "the parameter has no name")
    low, high = (Fraction(*rational(entry[end])) for end in ("from", "to"))
    demand(low < high, BadModel, "the interval of the parameter is empty")
    usual = fields.get("sensitivity", "1")
    demand(fields.get("sensitivity") != "1", Malformed, "sensitivity is 1, and must be left out")
    for end in (0, 1):
        positive(end_of(usual, end))
    states = [record(state, STATE, OWN) for state in typed(fields.get("states"), dict).values()]
    own = [state["sensitivity"] for state in states if "sensitivity" in state]
    demand(usual not in own, Malformed, "a state repeats the sensitivity of the program")
    sensitive = any(type(number) is list for number in (usual, *own))
    rates = any(type(state.get(key)) is list for state in states for key in RATES)
    demand(not (sensitive and rates), BadModel, "both rates and sensitivities are open")
    demand(not sensitive or "noise" not in fields, BadModel, "an open sensitivity is no multiple of the grid")
    convex = sensitive and bool(own)
    first, last = (read_program(at_end(fields, end, spread=convex), budget) for end in (0, 1))
    return OpenProgram(low, high, first, last, sensitive, convex)


def at_end(fields: Mapping[str, Json], end: int, *, spread: bool) -> Json:
    """The model at an end, in which rates and sensitivities are no pairs. If some state has a sensitivity of
    its own, all that read inputs have, and the program has the sensitivity 1."""
    usual = end_of(fields.get("sensitivity", "1"), end)
    states = {
        name: state_at(state, end, usual if spread else None)
        for name, state in typed(fields.get("states"), dict).items()
    }
    rest = {key: value for key, value in fields.items() if key not in ("open", "sensitivity")}
    kept = {} if spread or usual == "1" else {"sensitivity": usual}
    return {**rest, **kept, "states": states}


def state_at(value: Json, end: int, usual: Json) -> Json:
    """A state with the numbers of an end, and its sensitivity, unless that is 1, if there is a usual one.

    Rates of two sides that are equal there are one; at the other end they are two, with no other rate beside
    them.
    """
    state = dict(record(value, STATE, OWN))
    both = [state.get(key) for key in SIDED]
    demand(both == [None, None] or both[0] != both[1] or both[0] == "inf", Malformed, "both rates are equal")
    for key in RATES:
        if key in state:
            state[key] = end_of(state[key], end)
    if usual is not None and typed(state["input"], bool):
        sensitivity = end_of(state.get("sensitivity", usual), end)
        state = {**state, "sensitivity": sensitivity}
        if sensitivity == "1":
            del state["sensitivity"]
    if all(key in state for key in SIDED) and state[SIDED[0]] == state[SIDED[1]] != "inf":
        state["rate"] = state[SIDED[0]]
        return {key: entry for key, entry in state.items() if key not in SIDED}
    return state


def end_of(value: Json, end: int) -> Json:
    """A number at an end; those that are open are lists of two different ones."""
    if type(value) is not list:
        return value
    pair = items(value, 2)
    demand(typed(pair[0], str) != typed(pair[1], str), Malformed, "an open number is the same everywhere")
    return pair[end]


def open_loss(claim: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> str:
    """The loss of a program as a function of its open parameter; what the line says of it."""
    with at("model"):
        demand("open" in typed(model, dict), BadModel, "the program has no open parameter")
        opened = read_open(model, budget)
    demand(typed(claim["adjacency"], str) in CORNERS, Malformed, "the adjacency is unknown")
    pieces = typed(claim["pieces"], list)
    with at("claim"):
        lower = any(typed(piece, dict).get("lower") != ["0", "0"] for piece in pieces)
        loss_rule(opened.first, {**claim, "lower": "some" if lower else "0"}, {})
    with at("evidence"):
        epsilon_function(opened, claim, evidence)
    bounds = listed([*map(piece_words, pieces)])
    return f" pieces={len(pieces)} bounds={bounds}{open_words(model)}"


def open_words(model: Mapping[str, Json]) -> str:
    """The words about the open parameter of a model."""
    entry = model["open"]
    return f" open={json.dumps(entry['name'])} from={abbreviate(entry['from'])} to={abbreviate(entry['to'])}"


def piece_words(piece: Mapping[str, Json]) -> str:
    """The bounds at both ends of a piece."""
    lower, upper = piece["lower"], piece["upper"]
    value = f"{lower[0]}..{lower[1]}"
    if lower != upper:
        value += f"<={upper}" if upper == "inf" else f"<={upper[0]}..{upper[1]}"
    return f"{piece['from']}..{piece['to']}:{value}"


def epsilon_function(opened: OpenProgram, claim: Mapping[str, Json], evidence: Json) -> None:
    """On every piece of the interval a run that loses at least `lower`, and what proves `upper`."""
    parts = typed(record(evidence, "pieces")["pieces"], list)
    pieces = typed(claim["pieces"], list)
    demand(len(parts) == len(pieces), Malformed, "not one evidence for each piece")
    place = opened.low
    for number, (piece, part) in enumerate(zip(pieces, parts, strict=True)):
        with at("piece", number):
            bounds = record(piece, "from lower to upper")
            low, high = (Fraction(*rational(bounds[end])) for end in ("from", "to"))
            demand(low == place and low < high, BadClaim, "the pieces do not follow one another")
            place = high
            rule = convex_rule if opened.convex else piece_rule
            rule((opened.at(low), opened.at(high)), claim["adjacency"], bounds, part)
    demand(place == opened.high, BadClaim, "the pieces do not cover the interval")


Bounds = tuple[Sequence[Fraction], Sequence[Loss] | None]  # lower and upper, each at both ends


def piece_rule(programs: tuple[Program, Program], adjacency: str, bounds: Json, part: Json) -> None:
    """A run that loses at least `lower`, and a closed table that proves `upper`, at both ends at once."""
    own = record(part, "", "blocks nodes")
    lower, upper = read_bounds(bounds)
    run_rule(programs, adjacency, lower, own)
    if "nodes" in own:
        with at("nodes"):
            for way, table in by_way(adjacency, own["nodes"]).items():
                ends_rule(programs, way, table, None if upper is None else tuple(map(ratio, upper)))
    else:
        demand(upper is None, ClaimOpen, "upper is finite, and the evidence has no bound from above")


def convex_rule(programs: tuple[Program, Program], adjacency: str, bounds: Json, part: Json) -> None:
    """The loss is convex: a run that loses at least `lower` at both ends with the same multipliers, and a
    closed table at each end that proves `upper` there."""
    own = record(part, "", "blocks tables")
    lower, upper = read_bounds(bounds)
    run_rule(programs, adjacency, lower, own)
    if "blocks" in own:
        with at("blocks"):
            alike = blocks_at(own["blocks"], 0) == blocks_at(own["blocks"], 1)
            demand(alike, RuleBroken, "a multiplier is not the same at both ends")
    if "tables" in own:
        for end, tables in enumerate(items(own["tables"], 2)):
            with at("table", end):
                most = None if upper is None else upper[end]
                for way, table in by_way(adjacency, tables).items():
                    table_rule(programs[end], way, table, most, (), ())
    else:
        demand(upper is None, ClaimOpen, "upper is finite, and the evidence has no bound from above")


def read_bounds(bounds: Json) -> Bounds:
    """Lower and upper bounds at both ends; no upper ones if they are infinite."""
    lower = [Fraction(*rational(number)) for number in items(bounds["lower"], 2)]
    upper = None
    if bounds["upper"] != "inf":
        upper = [read_loss(number) for number in items(bounds["upper"], 2)]
    for end, least in enumerate(lower):
        most = None if upper is None else upper[end]
        demand(upper is None or most is not None, Malformed, "only one end of upper is inf")
        demand(least >= 0 and (most is None or least <= most), BadClaim, "lower is negative or above upper")
    return lower, upper


def run_rule(
    programs: tuple[Program, Program], adjacency: str, lower: Sequence[Fraction], own: Mapping[str, Json]
) -> None:
    """A run that loses at least `lower` at both ends."""
    for end, (program, least) in enumerate(zip(programs, lower, strict=True)):
        total = Fraction(0)
        if "blocks" in own:
            with at("blocks"):
                value = blocks_at(own["blocks"], end)
                total, growth = blocks_rule(program, adjacency, value, repeats=False)
                total += min(growth, Fraction(0))
        demand(least <= total, ClaimOpen, "the run loses less than lower")


def ratio(number: Fraction | None) -> Ratio:
    return (0, 1) if number is None else (number.numerator, number.denominator)


def blocks_at(value: Json, end: int) -> Json:
    """A run with the multipliers of an end."""
    blocks = [record(block, "kind steps") for block in typed(value, list)]
    return [
        {"kind": block["kind"], "steps": [step_at(step, end) for step in typed(block["steps"], list)]}
        for block in blocks
    ]


def step_at(value: Json, end: int) -> Json:
    """A step with the multipliers of an end."""
    step = dict(record(value, "delta transition", "multiplier multipliers"))
    if "multiplier" in step:
        step["multiplier"] = items(step["multiplier"], 2)[end]
    if "multipliers" in step:
        step["multipliers"] = [items(pair, 2)[end] for pair in typed(step["multipliers"], list)]
    return step
