"""Bounded losses of several variables, by hand: rules about components and tokens, and what they reject."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadEvidence, Malformed, Rejected, RuleBroken
from tests.certificate.program_samples import program, state
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
NODES: Path = ("evidence", "nodes")
TOKENS: Path = (*NODES, 2, "tokens")
LOOPS: Path = ("model", "states", "q2")
LOW_X, LOW_Y, HIGH_X = [1, "x"], [1, "y"], [1, "x"]


def case(to: str, *tests: str, assign: str = "", output: str = "o") -> Json:
    guard = [test.split() for test in tests]
    return {"assign": [assign] if assign else [], "guard": guard, "output": output, "to": to}


def bounded(cases: list[Json], tokens: list[Json], *, single: bool = False) -> Json:
    """x and y are stored one after the other, at q0 and q1; then q2 has these transitions."""
    states = {
        "q0": state(case("q1", assign="x")),
        "q1": state(case("q2", assign="y")),
        "q2": state(*cases),
    }
    targets = [[1], [2], [2 if one["to"] == "q2" else 3 for one in cases], []]
    nodes = [
        {"component": n, "order": [], "state": name, "targets": own, "tokens": tokens if n == 2 else []}
        for n, (name, own) in enumerate(zip(["q0", "q1", "q2", "f"], targets, strict=True))
    ]
    claim = {"adjacency": "all-differ", "kind": "private"}
    return certificate(claim, program(states), {"kept": {}, "nodes": nodes, "single": single})


# Samples stay below x again and again: x has to go up with them. Then one is above y, and it ends.
LOOP = bounded([case("q2", "< x"), case("f", ">= y")], [[LOW_X, None]])


def test_a_loop() -> None:
    accepted(LOOP)
    accepted(edited(LOOP, {("evidence", "single"): True}))
    accepted(edited(LOOP, {("evidence", "kept"): {"x": [0, 0, 0, 0], "y": [0, 1, 2, 3]}}))


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "adjacency"): "one-differ"}, BadClaim, "not all-differ"),
        ({(*NODES, 1, "component"): 7}, RuleBroken, "a transition to a lower component"),
        ({("evidence", "kept"): {"x": [0, 1, 0, 0]}}, RuleBroken, "a transition to a lower component"),
        (
            {("evidence", "kept"): {"z": [0, 0, 0, 0]}},
            BadEvidence,
            "kept names something that is not a variable",
        ),
        ({TOKENS: []}, RuleBroken, "node 2 does not list tokens of a move"),
        ({TOKENS: [[None, None]]}, BadEvidence, "a pair of tokens has two nulls"),
        ({TOKENS: [[LOW_X, None], [None, HIGH_X]]}, BadEvidence, "tokens are out of order or repeated"),
        (
            {(*NODES, 2, "order"): [["y", "x"], ["x", "y"]]},
            BadEvidence,
            "pairs of an order are out of order or repeated",
        ),
        ({(*NODES, 2, "order"): [["x", "y"]]}, RuleBroken, "a pair of the target's order does not follow"),
        ({TOKENS: [[None, [2, "x"]]]}, Malformed, "the size of a token is not 0 or 1"),
        ({(*LOOPS, "transitions", 0, "output"): "insample"}, RuleBroken, "there is a disclosing cycle"),
        ({(*LOOPS, "transitions", 0, "assign"): ["x"]}, RuleBroken, "there is a leaking cycle"),
    ],
)
def test_what_is_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(LOOP, edits), failure, words)


def test_a_number_has_noise_on_both_sides() -> None:
    seen = edited(LOOP, {(*LOOPS, "transitions", 1, "output"): "insample"})
    accepted(seen)
    onesided = {"rate": None, "rate_left": "inf", "rate_right": "1"}
    refused(
        edited(seen, {LOOPS: seen["model"]["states"]["q2"] | onesided}), RuleBroken, "without noise on a side"
    )


def test_nothing_is_repeated_on_both_sides_of_a_value() -> None:
    both = [case("q2", "< x"), case("q2", ">= x"), case("f", "< y")]
    one_by_one: list[Json] = [[None, HIGH_X], [LOW_X, None]]
    refused(bounded(both, [*one_by_one, [LOW_X, HIGH_X]]), RuleBroken, "two tokens clash on one variable")
    refused(bounded(both, one_by_one), RuleBroken, "does not list")
    refused(bounded(both, one_by_one, single=True), RuleBroken, "two tokens clash on one variable")


def test_what_is_repeated_below_one_value_and_above_another_does_not_meet() -> None:
    loops = [case("q2", ">= x"), case("q2", "< y")]
    single: list[Json] = [[None, HIGH_X], [LOW_Y, None]]
    pairs = [*single, [LOW_Y, HIGH_X]]
    for more, fails in (([case("f", "< x")], False), ([case("f", "< x", ">= y")], True)):
        for about in (bounded([*loops, *more], single, single=True), bounded([*loops, *more], pairs)):
            if fails:
                refused(about, RuleBroken, "two tokens clash at one sample")
            else:
                accepted(about)
    refused(
        bounded([*loops, case("f", "< x")], pairs, single=True),
        BadEvidence,
        "single is true, and a pair has two tokens",
    )
