"""Families of runs with multipliers, by which a loss is at least something, or has no bound."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken, runs
from tests.certificate.program_samples import (
    NUMERIC,
    PAIR,
    SLOPE,
    SVT_EPSILON,
    SVT_ONE,
    once,
    program,
    repeat,
    state,
    step,
    transition,
)
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
BLOCKS: Path = ("evidence", "blocks")
STEPS: Path = (*BLOCKS, 0, "steps")
LOWER: Path = ("claim", "lower")


def losing(blocks: Json, lower: str = "0", adjacency: str = "all-differ") -> Json:
    """Of sparse vector: transitions 0 (rate 1/4, public), 1 (<) and 2 (>=), both of rate 1/2."""
    claim = {"adjacency": adjacency, "kind": "epsilon", "lower": lower, "upper": "inf"}
    return certificate(claim, SVT_EPSILON["model"], {"blocks": blocks})


def more(number: str) -> str:
    return str(Fraction(number) + Fraction(1, 10**9))


# Runs


@pytest.mark.parametrize(
    "blocks",
    [
        [],
        [once(step(0))],
        [once(step(0), step(1), step(2))],
        [once(step(0)), once(step(1)), once(step(1), step(2))],
    ],
)
def test_runs(blocks: Json) -> None:
    accepted(losing(blocks))


@pytest.mark.parametrize(
    ("blocks", "failure"),
    [
        ([once(step(1))], BadEvidence),  # does not begin at the beginning
        ([once(step(0), step(0))], BadEvidence),
        ([once(step(0), step(2), step(1))], BadEvidence),  # goes on after the end
        ([once(step(0)), once(step(0))], BadEvidence),
        ([once()], BadEvidence),
        ([once(step(0)), once()], BadEvidence),
        ([once(step(3))], Malformed),
        ([once(step(-1))], Malformed),
        ([{"kind": "twice", "steps": [step(0)]}], Malformed),
        ([{"kind": "once"}], Malformed),
        ([{"kind": "once", "steps": {}}], Malformed),
        ([once({"delta": 0, "transition": 0})], Malformed),
        ([once(step(0) | {"comment": ""})], Malformed),
        ([once(step(0) | {"transition": "0"})], Malformed),
        ([once(step(0) | {"transition": False})], Malformed),
        ([once(step(0) | {"multiplier": 0})], Malformed),
        ([once(step(0) | {"delta": "0"})], Malformed),
        ([once(step(0) | {"delta": True})], Malformed),
        ([once(step(0)), repeat(step(1))], Malformed),  # not in a claim of this kind
        ({}, Malformed),
        (None, Malformed),
    ],
)
def test_no_runs(blocks: Json, failure: Any) -> None:
    refused(losing(blocks), failure)


# Differences


@pytest.mark.parametrize(
    ("adjacency", "deltas", "holds"),
    [
        ("all-differ", (0, -1, 1), True),
        ("all-differ", (0, 0, 1), True),
        ("increasing", (0, 0, 1), True),
        ("increasing", (0, -1, 1), False),
        ("decreasing", (0, -1, 0), True),
        ("decreasing", (0, 0, 1), False),
        ("one-differ", (0, 1, 0), True),
        ("one-differ", (0, 0, -1), True),
        ("one-differ", (0, 1, -1), False),
        ("one-differ", (0, 1, 1), False),
        ("all-differ", (1, 0, 0), False),  # the first state has no input
        ("all-differ", (0, 2, 0), False),
        ("all-differ", (0, -2, 0), None),  # not even a JSON number of certificates
    ],
)
def test_differences(adjacency: str, deltas: tuple[int, ...], holds: bool | None) -> None:
    changed = losing([once(*(step(k, delta) for k, delta in enumerate(deltas)))], adjacency=adjacency)
    if holds:
        accepted(changed)
    else:
        refused(changed, Malformed if holds is None else BadEvidence)


def test_one_difference_is_not_repeated() -> None:
    one: dict[Path, Json] = {("claim", "adjacency"): "one-differ", (*BLOCKS, 3, "steps", 0, "delta"): 0}
    refused(edited(PAIR, one), BadEvidence, "delta")


# Loads and totals


@pytest.mark.parametrize(
    ("steps", "total"),
    [
        ([step(0), step(1, 1, "1/2"), step(1, 1, "1/4"), step(2, -1, "1/2")], "5/4"),
        ([step(0), step(1, 1, "1/4")], "1/4"),
        ([step(0), step(1, 1, "1/4"), step(2, -1)], "1/4"),
        ([step(0), step(1, 1, "1/2"), step(2, -1, "1/4")], "3/4"),
        ([step(0), step(1, 0, "1/2"), step(2, -1, "1/2")], "1/2"),
        ([step(0), step(2, -1, "1/4")], "1/4"),
        ([step(0), step(1, -1, "1/4"), step(2, -1, "1/2")], "1/4"),
        ([step(0), step(1, 1, "0", "1/4")], "0"),  # a slope does not go into a total
    ],
)
def test_totals(steps: Json, total: str) -> None:
    if any("slope" in one for one in steps):
        refused(losing([once(*steps)], total), RuleBroken, "load")
        return
    accepted(losing([once(*steps)], total))
    refused(losing([once(*steps)], more(total)), ClaimOpen)


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([step(0), step(1, 1, "3/4")], "load"),  # its own load, 3/4 > 1/2
        ([step(0), step(1, 1, "1/2")], "load"),  # that of the threshold, 1/2 > 1/4
        ([step(0), step(1, 1, "1/4"), step(1, 1, "1/1000")], "load"),
        ([step(0), step(2, -1, "1/2")], "load"),
        ([step(0), step(1, 1, "1/2"), step(2, -1, "249/1000")], "load"),
        ([step(0), step(1, 1, "-1/4")], "negative"),
        ([step(0, 0, "1/4")], "a multiplier without a bound"),
    ],
)
def test_loads_are_at_most_the_rates(steps: Json, words: str) -> None:
    refused(losing([once(*steps)]), RuleBroken, words)


def test_what_is_printed_costs_its_difference() -> None:
    # The sample is printed: rate · |Δ|, whatever its load. The second sample: its load, and rate' · |Δ|.
    printing = program(
        {
            "q0": state(transition("", "q1", assign=True), rate="1/8"),
            "q1": state(
                transition("<", "end", "insample"), transition(">=", "end", "insampleprime"), prime="3"
            ),
        }
    )
    for steps, total in (
        ([step(0), step(1, 1)], "1"),
        ([step(0), step(1, -1, "1/8")], "1"),
        ([step(0, -1), step(1, -1, "1/8")], "9/8"),
        ([step(0), step(2, 1)], "3"),
        ([step(0), step(2, -1, "1/8")], "25/8"),
        ([step(0), step(2, 1, "1/8")], "23/8"),
        ([step(0), step(2, 0, "1/8")], "0"),
    ):
        claim = {"adjacency": "all-differ", "kind": "epsilon", "lower": total, "upper": "inf"}
        about = certificate(claim, printing, {"blocks": [once(*steps)]})
        accepted(about)
        refused(edited(about, {LOWER: more(total)}), ClaimOpen)


@pytest.mark.parametrize("sample", [SVT_EPSILON, SVT_ONE, NUMERIC])
def test_multipliers_to_the_last_digit(sample: Json) -> None:
    steps = sample["evidence"]["blocks"][0]["steps"]
    for k, one in enumerate(steps):
        if one["multiplier"] == "1/2":
            above = "5" + "0" * 4_999 + "1/1" + "0" * 5_001
            refused(edited(sample, {(*STEPS, k, "multiplier"): above}), RuleBroken, "load")
            below = edited(sample, {(*STEPS, k, "multiplier"): "4" + "9" * 5_000 + "/1" + "0" * 5_001})
            if k == 1:
                refused(below, ClaimOpen, "loses less than lower")
            elif one["delta"]:
                refused(below, RuleBroken, "load")  # that of the threshold, which the others have filled


# Families


def test_a_family_that_grows() -> None:
    accepted(PAIR)
    # Without one of the two loops nothing is balanced, with both but without differences nothing grows.
    for n in (1, 3):
        refused(edited(PAIR, {(*BLOCKS, n, "steps", 0, "multiplier"): "0"}), RuleBroken, "load")
        refused(edited(PAIR, {(*BLOCKS, n, "steps", 0, "multiplier"): "999/1000"}), RuleBroken, "load")
    flat: dict[Path, Json] = {(*BLOCKS, n, "steps", 0, "delta"): 0 for n in (1, 3)}
    refused(edited(PAIR, flat), ClaimOpen, "grow")
    against: dict[Path, Json] = {(*BLOCKS, 1, "steps", 0, "delta"): -1}
    refused(edited(PAIR, against), ClaimOpen, "grow")
    refused(edited(PAIR, {(*BLOCKS, 1, "kind"): "once", (*BLOCKS, 3, "kind"): "once"}), ClaimOpen, "grow")
    refused(edited(PAIR, {(*BLOCKS, 3, "kind"): "once"}), RuleBroken, "load")


def test_repeated_blocks_are_cycles() -> None:
    refused(edited(PAIR, {(*BLOCKS, 2, "kind"): "repeat"}), BadEvidence, "where it starts")
    refused(edited(PAIR, {(*BLOCKS, 0, "kind"): "repeat"}), BadEvidence, "where it starts")


def test_slopes() -> None:
    accepted(SLOPE)
    path: Path = (*STEPS, 1, "slope")
    for slope in ("0", "1/4", "1/2"):
        refused(edited(SLOPE, {path: slope}), RuleBroken, "load")
    refused(edited(SLOPE, {path: ...}), RuleBroken, "load")
    refused(edited(SLOPE, {path: "-1/3"}), RuleBroken, "negative")
    refused(edited(SLOPE, {(*STEPS, 0, "slope"): "1/3"}), RuleBroken, "a multiplier without a bound")
    refused(edited(SLOPE, {(*BLOCKS, 1, "steps", 0, "slope"): "0"}), Malformed, "unknown key")


@pytest.mark.parametrize(
    ("constant", "slope", "words"),
    [
        ("-1/3", "1/3", None),  # λ = (N − 1)/3
        ("-1/2", "1/3", "negative"),  # below 0 for N = 1
        ("1", "-1/3", "negative"),  # below 0 for N = 4
        ("1", "1/3", None),
        ("2", "1/3", "load"),
        ("1000001/1000000", "1/3", "load"),
    ],
)
def test_multipliers_that_grow(constant: str, slope: str, words: str | None) -> None:
    # The second threshold has rate 1: its load is N/3 − λ.
    changed = edited(SLOPE, {(*STEPS, 1, "multiplier"): constant, (*STEPS, 1, "slope"): slope})
    if words is None:
        accepted(changed)
    else:
        refused(changed, RuleBroken, words)


def test_a_load_does_not_grow_in_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    # Where there is no noise on a side any load is allowed there. A slope in a turn cannot be written: here
    # the steps are changed once they are read.
    def onesided(case: Json, left: str, right: str, **more: Any) -> Json:
        return state(case, **more) | {"rate": None, "rate_left": left, "rate_right": right}

    states = {
        "q0": onesided(transition("", "q1", assign=True), "1", "inf", takes_input=False),
        "q1": onesided(transition("<", "q1"), "inf", "1"),
    }
    claim = {"adjacency": "all-differ", "kind": "not-private"}
    turns = certificate(claim, program(states), {"blocks": [once(step(0)), repeat(step(1, 1, "1"))]})
    accepted(turns)

    def sloped(*given: Any) -> list[runs.Step]:
        one, two = read_steps(*given)
        return [one, two._replace(multipliers=[m._replace(slope=(1, 1)) for m in two.multipliers])]

    read_steps = runs.read_steps
    monkeypatch.setattr(runs, "read_steps", sloped)
    refused(turns, RuleBroken, "the load y changes with every turn")


def test_a_repeated_block_keeps_the_order() -> None:
    # The samples that are put out lie between x and y: this is known after the first turn.
    stores, tests = {"assign": ["x"], "guard": [], "output": "o"}, [[">=", "x"], ["<", "y"]]
    states = {
        "q0": state(stores | {"to": "q1"}),
        "q1": state(stores | {"assign": ["y"], "to": "q2"}),
        "q2": state({"assign": [], "guard": tests, "output": "insample", "to": "q2"}),
    }
    between = {"delta": 1, "multipliers": ["0", "0"], "transition": 2}
    claim = {"adjacency": "all-differ", "kind": "not-private"}

    def after(*blocks: Json) -> Json:
        return certificate(claim, program(states), {"blocks": [once(step(0), step(1)), *blocks]})

    accepted(after(once(between), repeat(between)))
    refused(after(repeat(between)), RuleBroken, "block 1 changes the order")


def test_multipliers_reach_back_over_blocks_that_are_taken_once() -> None:
    one, two = SLOPE["evidence"]["blocks"][0]["steps"]
    accepted(edited(SLOPE, {BLOCKS: [once(one), once(two), SLOPE["evidence"]["blocks"][1]]}))
    refused(edited(SLOPE, {BLOCKS: [once(one), once(step(1)), SLOPE["evidence"]["blocks"][1]]}), RuleBroken)


def turning(first: str, second: str, after: str = "0") -> Json:
    """A cycle that stores anew in every turn: 1 tests and stores, 2 tests. Then 3, which tests, and ends."""
    cycle = program(
        {
            "q0": state(transition("", "q1", assign=True)),
            "q1": state(transition(">=", "q2", assign=True)),
            "q2": state(transition("<", "q1", "again"), transition("<", "end", "over")),
        }
    )
    blocks = [once(step(0)), repeat(step(1, -1, first), step(2, 1, second)), once(step(1), step(3, 1, after))]
    return certificate({"adjacency": "all-differ", "kind": "not-private"}, cycle, {"blocks": blocks})


def test_multipliers_stay_within_a_turn() -> None:
    # In a turn, 2 refers to what 1 has stored: y_1 = −λ, y_2 = λ, and each turn gains 2 λ.
    accepted(turning("0", "1"))
    refused(turning("0", "1001/1000"), RuleBroken, "load")
    # 1 itself refers to the turn before.
    refused(turning("1", "1"), RuleBroken, "a multiplier is about a shift of another block or turn")
    accepted(turning("0", "1", "1"))


def test_multipliers_do_not_reach_back_into_a_repeated_block() -> None:
    changed = turning("0", "1")
    path: Path = (*BLOCKS, 2, "steps")
    # The step after the block refers to what the last turn has stored.
    refused(
        edited(changed, {(*path, 0, "multiplier"): "1/2"}),
        RuleBroken,
        "a multiplier is about a shift of another block or turn",
    )
    # As does a repeated block that stores nothing.
    loop: dict[Path, Json] = {
        ("model", "states", "q1", "transitions"): [
            transition(">=", "q2", assign=True),
            transition(">=", "q1", "loop"),
        ]
    }
    turns = [once(step(0)), repeat(step(1, -1), step(3, 1, "1"))]
    accepted(edited(changed, loop | {BLOCKS: turns}))
    accepted(edited(changed, loop | {BLOCKS: [*turns, repeat(step(2, -1))]}))
    refused(
        edited(changed, loop | {BLOCKS: [*turns, repeat(step(2, -1, "1"))]}),
        RuleBroken,
        "a multiplier is about a shift of another block or turn",
    )
