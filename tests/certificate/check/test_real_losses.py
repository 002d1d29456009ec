"""Claims about losses between programs with rational rates around real ones, and forgeries."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import prover
from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Demands,
    Malformed,
    NotDemanded,
)
from prover.certificate.check.budget import Budget
from prover.certificate.check.demands import meet
from prover.certificate.check.real_rates import bounds_of
from prover.certificate.check.verdict import verified
from prover.exact.real_text import real_rate
from prover.program.model import Program
from prover.program.real import RealProgram
from prover.zoo import leaking_pair, svt
from tests.certificate.real_rates_judge import accepts_real_epsilon
from tests.certificate.samples import Path, encode
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
LN_3: Json = [["1", [["ln", "3"]]]]


def certified(program: Program, **texts: str) -> Json:
    """The certificate of the program with real rates at some states, by the texts of these."""
    rates = {
        (name, side): real_rate(text) for name, text in texts.items() for side in ("rate_left", "rate_right")
    }
    proof = prover.real_privacy(RealProgram(program, rates)).certificate
    assert proof is not None
    return json.loads(proof.data)


ONE = certified(svt(), q1="ln 3")
SEVERAL = certified(svt(), q1="ln 3", q2="2*sqrt 2")
LEAK = certified(leaking_pair(), q1="ln 3")
REALS: Path = ("evidence", "reals")
RATE: Path = ("model", "states", "q1", "rate")
OTHER: Path = ("model", "states", "q2", "rate")
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")


def test_one_number() -> None:
    words = 'real-epsilon adjacency=all-differ loss=observer value=[["1",[["ln","3"]]],["1",[]]]'
    assert accepted(ONE) == words
    assert accepts_real_epsilon(ONE)


def test_several_numbers() -> None:
    lower, upper = (Fraction(SEVERAL["claim"][key]) for key in ("lower", "upper"))
    assert 0 < upper - lower < Fraction(1, 10**11)
    assert accepted(SEVERAL).endswith(f" lower={lower} upper={upper}")
    assert accepts_real_epsilon(SEVERAL)


def test_a_program_that_is_not_private() -> None:
    assert accepted(LEAK).startswith("not-private adjacency=all-differ loss=observer")
    refused(edited(LEAK, {RATE: [["-1", [["ln", "3"]]]]}), BadModel, "positive")
    refused(edited(LEAK, {("evidence", "words"): {}}), BadClaim, "real rates")
    refused(edited(LEAK, {("evidence",): 5}), Malformed, "not of type dict")


@pytest.mark.parametrize(
    ("sample", "edits", "failure", "words"),
    [
        (ONE, {(*REALS, 0, 1): "11/10"}, BadEvidence, "between"),
        (ONE, {(*REALS, 0, 2): "1"}, BadEvidence, "between"),
        (ONE, {(*REALS, 0, 0): [["1", [["ln", "2"]]]]}, BadEvidence, "between"),
        (ONE, {REALS: []}, BadEvidence, "no reals"),
        (ONE, {REALS: [[[["1", [["exp", "0"]]]], "0", "2"]]}, BadEvidence, "not among the reals"),
        (ONE, {REALS: ONE["evidence"]["reals"] * 2}, BadEvidence, "out of order"),
        (ONE, {RATE: [["1", [["ln", "2"]]]]}, BadEvidence, "not among the reals"),
        (ONE, {RATE: [["1", []]]}, Malformed, "is rational"),
        (ONE, {RATE: [["1", []], ["1", [["ln", "3"]]]]}, Malformed, "out of order"),
        (ONE, {LOWER: [["1", [["ln", "2"]]]]}, BadClaim, "another number"),
        (ONE, {UPPER: [["2", [["ln", "3"]]]], LOWER: [["2", [["ln", "3"]]]]}, ClaimOpen, "loses less"),
        (ONE, {LOWER: "0", UPPER: [["1", [["ln", "3"]]]]}, ClaimOpen, ""),
        (ONE, {LOWER: "3"}, BadClaim, "above upper"),
        (ONE, {("evidence", "nodes"): ...}, ClaimOpen, "no bound from above"),
        (ONE, {("evidence", "blocks"): ...}, ClaimOpen, "loses less"),
        (ONE, {("evidence", "more"): []}, Malformed, ""),
        (ONE, {("model", "open"): {"from": "0", "name": "t", "to": "1"}}, Malformed, "a parameter is open"),
        (LEAK, {("model", "open"): {"from": "0", "name": "t", "to": "1"}}, Malformed, "a parameter is open"),
        (ONE, {OTHER: ["1", "2"], LOWER: "0", UPPER: "inf"}, Malformed, "a parameter is open"),
        (ONE, {RATE: "1", ("model", "sensitivity"): ["1", "2"]}, Malformed, "a parameter is open"),
        (ONE, {("claim", "adjacency"): "some"}, Malformed, "adjacency"),
        (ONE, {("model", "states", "q2", "transitions", 0, "output"): "otop"}, BadClaim, "does not identify"),
        (ONE, {("claim", "kind"): "epsilon"}, Malformed, ""),
        (SEVERAL, {LOWER: LN_3}, BadClaim, "another number"),
        (SEVERAL, {LOWER: SEVERAL["claim"]["upper"]}, ClaimOpen, "loses less"),
        (SEVERAL, {UPPER: SEVERAL["claim"]["lower"]}, ClaimOpen, ""),
        (SEVERAL, {REALS: SEVERAL["evidence"]["reals"][::-1]}, BadEvidence, "out of order"),
        (SEVERAL, {REALS: SEVERAL["evidence"]["reals"][:1]}, BadEvidence, "not among the reals"),
    ],
)
def test_forgeries(sample: Json, edits: Any, failure: Any, words: str) -> None:
    refused(edited(sample, edits), failure, words)


def test_weaker_claims_are_true() -> None:
    assert accepted(edited(ONE, {UPPER: "inf"})).endswith(" upper=inf")
    weaker = edited(ONE, {LOWER: "0", UPPER: [["2", [["ln", "3"]]]]})
    assert accepted(weaker).endswith(' lower=0 upper=[["2",[["ln","3"]]]]')
    assert accepts_real_epsilon(weaker)


def test_bounds_that_users_demand() -> None:
    proved = verified(encode(ONE))
    low, high = bounds_of(ONE["claim"]["upper"], Budget(0))
    meet(Demands(epsilon_at_most=high.as_integer_ratio()), proved.claim, proved.model)
    with pytest.raises(NotDemanded):
        meet(Demands(epsilon_at_most=low.as_integer_ratio()), proved.claim, proved.model)
