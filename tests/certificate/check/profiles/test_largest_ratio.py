"""δ by an ε at which it is 0: every rule has a certificate that breaks only this rule.

A number with noise of rate 1 is shown, so all ratios are from 1/e to e; 3 is above e. Randomised response
with the odds 3 : 1 has δ = 1/2 at α = 1, 1/4 at 2, and 0 at 3.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import prover
from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
)
from prover.certificate.check.budget import Budget
from prover.certificate.check.profiles.pure import known_orders
from prover.certificate.check.programs import read_program
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.profiles.pure import PureBounds, pure_bounds
from prover.zoo import build_program
from tests.certificate.check.accounts.test_pure import TABLE
from tests.certificate.profile_judge import accepts_table
from tests.certificate.profile_samples import SHOWN, SHOWN_ON_GRID, at_points
from tests.certificate.program_samples import state, transition
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
RATIOS: Json = {"alpha": "3", "evidence": {"table": TABLE}, "loss": "runs", "upper": "1"}
ALONE: Json = SHOWN | {"evidence": {"pure": RATIOS}}
PURE: Path = ("evidence", "pure")
UPPER: Path = ("claim", "upper")
POINTS: Json = at_points(
    ALONE, *({"alpha": a, "upper": u} for a, u in (("1", "1/2"), ("2", "1/4"), ("3", "0")))
)


def test_by_hand() -> None:
    assert accepted(ALONE) == "profile-table alpha=1 adjacency=all-differ at-epsilon=1 upper=1/2"
    assert accepted(POINTS) == "profile-table adjacency=all-differ at-epsilon=1 points=3"
    for made in (ALONE, POINTS):
        assert accepts_table(made)
    refused(edited(ALONE, {UPPER: "499/1000"}), ClaimOpen, "the largest ratio does not prove upper")
    refused(edited(POINTS, {("claim", "points", 1, "upper"): "249/1000"}), ClaimOpen, "the largest ratio")
    accepted(edited(ALONE, {("claim", "alpha"): "4", UPPER: "0"}))


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*PURE, "alpha"): "27/10"}, ClaimOpen, "alpha is below e^(upper*epsilon)"),
        ({(*PURE, "alpha"): "1"}, BadEvidence, "alpha is not above 1"),
        ({(*PURE, "alpha"): "31/10"}, ClaimOpen, "the largest ratio does not prove upper"),
        ({(*PURE, "upper"): "1/2"}, ClaimOpen, "the table does not prove upper"),
        ({(*PURE, "evidence"): {}}, Malformed, "there is no evidence"),
        ({(*PURE, "evidence"): {"merged": []}}, BadClaim, "for observers only"),
        ({(*PURE, "lower"): "0"}, Malformed, ""),
        ({("claim", "at_epsilon"): "2"}, ClaimOpen, "alpha is below"),
        ({("claim", "adjacency"): "monotonic"}, Malformed, ""),
        ({("claim", "alpha"): "1/2"}, BadClaim, "alpha is below 1"),
        ({("claim", "epsilon"): {"alpha": "at-least", "value": "1"}}, RuleBroken, "not at-least e^epsilon"),
        ({PURE: ...}, Malformed, "lacks a key"),
        ({("evidence", "knots"): [0, 1]}, Malformed, "lacks a key"),
        (
            {("model", "states", "q1", "rate"): None, ("model", "states", "q1", "sigma"): "1"},
            BadModel,
            "Gaussian",
        ),
    ],
)
def test_each_rule(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(ALONE, edits), failure, words)


def test_either_proof_is_enough_for_a_point() -> None:
    """At α = 1 the table proves less than 3 : 1 does for a coarse A; at 2 the ratios do."""
    both = POINTS | {"evidence": SHOWN["evidence"] | {"pure": RATIOS | {"alpha": "4"}}}
    made = edited(both, {("claim", "points", 1, "upper"): "2/5", ("claim", "points", 2, "upper"): "1/5"})
    accepted(made)
    assert accepts_table(made)
    larger = "the bound of the table is larger"
    refused(edited(made, {(*PURE, "alpha"): "41/10"}), ClaimOpen, larger)
    refused(edited(made, {("claim", "points", 0, "upper"): "1/3"}), ClaimOpen, larger)
    refused(edited(made, {("evidence", "knots"): [0, 2]}), Malformed, "not as many values as knots")
    refused(edited(made, {("evidence", "nodes", 1, "values", 1): 10**15}), BadEvidence, "")


def test_steps_and_one_way() -> None:
    accepted(edited(ALONE, {("claim", "steps"): 5}))
    ways = {"decreasing": TABLE, "increasing": TABLE}
    one_way = edited(ALONE, {("claim", "adjacency"): "increasing", (*PURE, "evidence", "table"): ways})
    accepted(one_way)
    assert accepts_table(one_way)
    refused(edited(one_way, {(*PURE, "evidence", "table"): TABLE}), Malformed, "")
    accepted(edited(one_way, {("claim", "adjacency"): "monotonic"}))


def test_noise_on_a_grid() -> None:
    """With q = 1/2 every ratio is from 1/2 to 2."""
    made = SHOWN_ON_GRID | {"evidence": {"pure": RATIOS | {"alpha": "2001/1000"}}}
    made = edited(made, {UPPER: "1001/3001"})
    assert " q=1/2 " in accepted(made)
    assert accepts_table(made)
    refused(edited(made, {(*PURE, "alpha"): "1999/1000"}), ClaimOpen, "alpha is below")


def compared(*transitions: Json) -> Json:
    """A claim by the loss of runs about an input that is compared with a constant."""
    states = {"q0": state(transition("", "q1", assign=True), takes_input=False), "q1": state(*transitions)}
    model = {**SHOWN["model"], "states": states}
    program = prover.from_dict(model)
    assert isinstance(program, prover.Program)
    proof = prover.privacy(program).certificate
    assert proof is not None
    made = json.loads(proof.data)
    ratios = RATIOS | {"alpha": "8", "evidence": {"table": made["evidence"]["table"]}, "upper": "2"}
    return {**SHOWN, "claim": SHOWN["claim"] | {"upper": "7/9"}, "evidence": {"pure": ratios}, "model": model}


def test_guards_exclude_each_other() -> None:
    below, above = transition("<", "end", "one"), transition(">=", "end", "two")
    made = compared(below, above)
    accepted(made)
    assert accepts_table(made)
    for ways, words in (
        ([transition("", "end", "one"), above], "two guards hold at once"),
        ([above], "a run may stop as no guard holds"),
    ):
        wrong = compared(*ways)
        refused(wrong, BadEvidence, words)
        assert not accepts_table(wrong)


@cache
def extremes() -> Json:
    """The least and the largest of three queries are stored; guards exclude each other as min ≤ max."""
    _, ratios = pure_bounds(build_program("k-min-max", k="2"), Adjacency.ALL_DIFFER, Fraction(1))
    assert ratios is not None
    return json.loads(ratios.at(Fraction(1)).certificate.data)


def test_known_orders_exclude_guards() -> None:
    made = extremes()
    accepted(made)
    assert accepts_table(made)
    program = read_program(made["model"], Budget(10**6))
    assert known_orders(program)["q2"] == {("min", "max"), ("max", "min")}
    assert known_orders(program)["q3"] == {("min", "max")}


def test_orders_that_not_every_run_knows() -> None:
    """Without storing the first query in max, too, nothing is known of the order."""
    model = extremes()["model"]
    states = {name: json.loads(json.dumps(own)) for name, own in model["states"].items()}
    states["q0"] = json.loads(json.dumps(states["q1"]))
    states["q0"]["transitions"][0] |= {"assign": ["max"], "to": "q1"}
    states["q1"]["transitions"][0]["assign"] = ["min"]
    program = read_program({**model, "initial": "q0", "states": states}, Budget(10**6))
    assert known_orders(program)["q2"] == frozenset()


def test_what_is_accepted_is_proved() -> None:
    confirm = confirming(accepts_table)
    for key, values in (("alpha", ["27/10", "14/5", "5/2"]), ("upper", ["99/100", "2"])):
        for value in values:
            confirm(ALONE, (*PURE, key), value)
    for alpha in ("1", "5/4", "2", "11/4", "4"):
        for upper in ("0", "1/8", "1/4", "1/3", "7/16", "1/2"):
            confirm(edited(ALONE, {("claim", "alpha"): alpha}), UPPER, upper)


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "increasing", "monotonic"])
def test_what_the_prover_writes(adjacency: str) -> None:
    program = build_program("svt")
    _, ratios = pure_bounds(program, Adjacency(adjacency), Fraction(1))
    assert isinstance(ratios, PureBounds)
    made = json.loads(ratios.at(Fraction(5, 4)).certificate.data)
    accepted(made)
    assert accepts_table(made)
    least = json.loads(ratios.for_delta(Fraction(1, 10)).certificate.data)
    accepted(least)
    near = Fraction(least["claim"]["alpha"]) - Fraction(1, 10**9)
    refused(edited(least, {("claim", "alpha"): format_rational(near)}), ClaimOpen, "")
