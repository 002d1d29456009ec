"""Moments of programs that have an exact ε: every rule has a certificate that breaks only this rule.

A number with noise of rate 1 is shown, so all ratios are from 1/e to e; 3 is above e. The table has the δ 1/2
from 1 on. With 1 − 1/3 at 1/3 and 0 at 3 this is randomised response with the odds 3 : 1.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from prover.accounting.certificates import certificates_of_moments
from prover.accounting.discrete_gaussian import chances
from prover.accounting.divergences import divergences
from prover.accounting.mechanism import Mechanism
from prover.certificate.check import (
    BadClaim,
    BadEvidence,
    BadModel,
    ClaimOpen,
    Malformed,
    Rejected,
    TooLarge,
)
from prover.program.adjacency import Adjacency
from prover.program.privacy import privacy
from tests.certificate.mechanisms_judge import accepts_composition, accepts_largest_moments
from tests.certificate.mechanisms_samples import GRID_TWICE, SHOWN_PART, losses
from tests.certificate.profile_samples import SHOWN, SHOWN_ON_GRID
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
PURE: Path = ("evidence", "parts", 0, "pure")
PART: Path = ("model", "parts", 0)
STATE: Path = (*PART, "program", "states", "q1")
TABLE: Json = {"q0": [["1", "1", "1"]], "q1": [["1", "1", "1"]]}
TWICE: Json = certificate(
    {"kind": "composition", "moments": [["2", "1", "49/9"], ["inf", "1", "9"]]},
    {"parts": [SHOWN_PART], "type": "composition", "version": 1},
    {
        "parts": [
            {
                "pure": {"alpha": "3", "evidence": {"table": TABLE}, "loss": "runs", "upper": "1"},
                "tables": {"all-differ": SHOWN["evidence"]},
            }
        ]
    },
)


def test_by_hand() -> None:
    words = "order=2 lower=1 upper=49/9 order=inf lower=1 upper=9"
    assert accepted(TWICE) == f"composition {words} part=0 adjacency=all-differ at-epsilon=1 parts=1 runs=2"
    assert accepts_largest_moments(TWICE)
    alone: Json = edited(TWICE, {("evidence", "parts", 0, "tables"): ...})
    accepted(alone)  # δ = 1, but for the ratios
    refused(edited(TWICE, {("claim", "moments", 0, 2): "48/9"}), Malformed, "")
    refused(edited(TWICE, {("claim", "moments", 0, 2): "543/100"}), ClaimOpen, "does not prove upper")
    refused(edited(TWICE, {("claim", "moments", 1, 2): "8"}), ClaimOpen, "does not prove upper")
    refused(edited(TWICE, {PURE: ...}), ClaimOpen, "does not prove upper")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*PURE, "alpha"): "27/10"}, ClaimOpen, "alpha is below e^(upper*epsilon)"),
        ({(*PURE, "alpha"): "1"}, BadEvidence, "alpha is not above 1"),
        ({(*PURE, "alpha"): "0"}, Malformed, ""),
        ({(*PURE, "upper"): "1/2"}, ClaimOpen, "the table does not prove upper"),
        ({(*PURE, "upper"): "inf"}, Malformed, ""),
        ({(*PURE, "loss"): "words"}, Malformed, "loss is neither"),
        ({(*PURE, "evidence"): {}}, Malformed, "there is no evidence"),
        ({(*PURE, "evidence"): {"merged": []}}, BadClaim, "for observers only"),
        ({(*PURE, "lower"): "0"}, Malformed, ""),
        ({(*PART, "at_epsilon"): "2", ("evidence", "parts", 0, "tables"): ...}, ClaimOpen, "alpha is below"),
        ({(*PART, "adjacency"): "increasing"}, Malformed, ""),
        (
            {
                (*PART, "program", "states", "q1", "rate"): None,
                (*PART, "program", "states", "q1", "sigma"): "1",
            },
            BadModel,
            "Gaussian",
        ),
    ],
)
def test_each_rule(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(TWICE, edits), failure, words)


# Of two runs the ratios are 9, 1 and 1/9, with the masses 9/16, 6/16 and 1/16.
EXACTLY: Json = certificate(
    {"alpha": "3", "kind": "composition", "lower": "0", "upper": "3/8"},
    TWICE["model"],
    {"basis": ["3"], "parts": [{"pure": TWICE["evidence"]["parts"][0]["pure"]}], "sums": 20_000},
)
# The probability of one of two outputs is about 2/3 or 1/3, up to two parts of 10^16 (``GRID_TWICE``).
BELOW: Json = edited(
    GRID_TWICE,
    {
        ("evidence", "grid"): ...,
        ("evidence", "basis"): ["3333333333333333", "1666666666666667"],
        ("evidence", "sums"): 50_000,
    },
)
NOISE: Json = {"known": "discrete-gaussian", "sensitivity": 1, "sigma": "1", "times": 1}
CHANCES: Json = {"chances": [str(n) for n in chances(Fraction(1), 1)]}


def test_exact_products_by_hand() -> None:
    told = "composition alpha=3 lower=0 upper=3/8 part=0 adjacency=all-differ at-epsilon=1 parts=1 runs=2"
    assert accepted(EXACTLY) == told
    assert accepts_composition(EXACTLY)
    assert accepted(BELOW).startswith("composition alpha=1 lower=333/1000 upper=1 ")
    assert accepts_composition(BELOW)
    by_powers = edited(EXACTLY, {("evidence", "sums"): ..., ("evidence", "work"): 20_000})
    assert accepted(by_powers) == told
    nothing: dict[Path, Json] = {("claim", "upper"): "1", ("evidence", "sums"): 0}
    accepted(edited(EXACTLY, nothing))  # of which nothing is computed
    once: dict[Path, Json] = {PART: SHOWN_PART | {"times": 1}, ("claim", "upper"): "0"}
    accepted(edited(EXACTLY, once))  # no ratio is above 3
    beside: dict[Path, Json] = {
        ("model", "parts"): [SHOWN_PART, {"laws": [["1/2", "1/2"], ["1/2", "1/2"]], "times": 1}],
        ("evidence", "parts"): [*EXACTLY["evidence"]["parts"], {}],
    }
    accepted(edited(EXACTLY, beside))


@pytest.mark.parametrize(
    ("made", "edits", "failure", "words"),
    [
        (EXACTLY, {("claim", "upper"): "749/2000"}, ClaimOpen, "does not prove upper"),
        (EXACTLY, {("claim", "lower"): "1/1000"}, ClaimOpen, "does not prove lower"),
        (EXACTLY, {PURE: ...}, ClaimOpen, "does not prove upper"),
        (EXACTLY, {("evidence", "basis", 0): "2"}, BadEvidence, "not a product of powers"),
        (EXACTLY, {("evidence", "sums"): 100}, TooLarge, "more than the evidence declares"),
        (EXACTLY, {("evidence", "sums"): ...}, Malformed, ""),
        (EXACTLY, {PART: NOISE, ("evidence", "parts", 0): CHANCES}, BadEvidence, "if they are of programs"),
        (
            EXACTLY,
            {
                ("model", "parts"): [SHOWN_PART, NOISE],
                ("evidence", "parts"): [*EXACTLY["evidence"]["parts"], CHANCES],
            },
            BadEvidence,
            "if they are of programs",
        ),
        (
            EXACTLY,
            {("evidence", "basis"): ..., ("evidence", "sums"): ..., ("evidence", "adaptive"): 20_000},
            BadEvidence,
            "only enclosed",
        ),
        (BELOW, {("claim", "lower"): "167/500"}, ClaimOpen, "does not prove lower"),
        (BELOW, {("claim", "upper"): "999/1000"}, ClaimOpen, "does not prove upper"),
        (BELOW, {("evidence", "parts", 0, "inputs"): ...}, ClaimOpen, "does not prove lower"),
        (BELOW, {("evidence", "basis"): ["3333333333333333"]}, BadEvidence, "not a product of powers"),
    ],
)
def test_each_rule_of_exact_products(
    made: Json, edits: dict[Path, Json], failure: type[Rejected], words: str
) -> None:
    refused(edited(made, edits), failure, words)


def test_noise_on_a_grid() -> None:
    """With q = 1/2 every ratio is from 1/2 to 2."""
    part = {"adjacency": "all-differ", "program": SHOWN_ON_GRID["model"], "q": "1/2", "times": 1}
    grid: dict[Path, Json] = {
        PART: part,
        ("evidence", "parts", 0, "tables", "all-differ"): SHOWN_ON_GRID["evidence"],
        ("claim", "moments"): [["inf", "1", "201/100"]],
    }
    made = edited(TWICE, {**grid, (*PURE, "alpha"): "201/100"})
    assert accepted(made).endswith(" adjacency=all-differ q=1/2 parts=1 runs=1")
    assert accepts_largest_moments(made)
    refused(edited(made, {(*PURE, "alpha"): "199/100"}), ClaimOpen, "alpha is below")


@cache
def sparse() -> tuple[Json, Json]:
    """All inputs increase; but the second secret against the first has ratios, too. Both ends."""
    found = losses("svt", "increasing")
    noise = replace(found, private=privacy(found.program, Adjacency.MONOTONIC))
    answer = divergences([Mechanism.of_program(noise)], [2, "inf"])
    assert answer.lower_certificate is not None
    return json.loads(answer.certificate.data), json.loads(answer.lower_certificate.data)


def test_both_directions_count_for_ratios() -> None:
    made, _ = sparse()
    accepted(made)
    assert accepts_largest_moments(made)
    ways = made["evidence"]["parts"][0]["pure"]["evidence"]["table"]
    refused(edited(made, {(*PURE, "evidence", "table"): ways["increasing"]}), Malformed, "")


def test_lower_ends_are_those_of_two_inputs() -> None:
    made = sparse()[1]
    accepted(made)
    assert accepts_largest_moments(made)
    confirm = confirming(accepts_largest_moments)
    for path in (("claim", "moments", 0, 1), ("claim", "moments", 1, 1), ("claim", "rho", "lower")):
        lower = made
        for key in path:
            lower = lower[key]
        near = Fraction(lower) * Fraction(10**6 + 1, 10**6)
        assert confirm(made, path, str(Fraction(lower) * Fraction(999, 1000)))
        assert not confirm(made, path, str(near))
        assert path[1] == "rho" or not accepts_largest_moments(edited(made, {path: str(near)}))
    refused(edited(made, {("evidence", "parts", 0, "inputs"): ...}), ClaimOpen, "does not prove lower")


def test_without_an_exact_epsilon() -> None:
    """Lower ends and approximate zCDP; where that is not known either, lower ends alone."""
    found = divergences([Mechanism.of_program(losses("svt", "all-differ"))], [2])
    assert found.lower_certificate is not None
    upper, lower = (json.loads(one.data) for one in (found.certificate, found.lower_certificate))
    assert " rho=0,inf approximate-rho=" in accepted(upper)
    refused(edited(upper, {("claim", "rho", "approximate", "delta"): "0"}), ClaimOpen, "delta is below")
    accepted(lower)
    assert accepts_largest_moments(lower)
    unknown = replace(found.rho, without=None, orders=())
    alone, rest = certificates_of_moments(found.mechanisms, found.orders, unknown)
    assert (json.loads(alone.data), rest) == (lower, None)


def test_what_is_accepted_is_proved() -> None:
    confirm = confirming(accepts_largest_moments)
    for key, values in (("alpha", ["27/10", "14/5", "4"]), ("upper", ["99/100", "2"])):
        for value in values:
            confirm(TWICE, (*PURE, key), value)
    for upper in ("5", "49/9", "27/5", "6"):
        confirm(TWICE, ("claim", "moments", 0, 2), upper)
    confirm = confirming(accepts_composition)
    for alpha in ("1", "2", "3", "9"):
        for upper in ("0", "1/4", "3/8", "1/2", "3/4"):
            confirm(edited(EXACTLY, {("claim", "alpha"): alpha}), ("claim", "upper"), upper)
    for lower in ("1/3", "333333/1000000", "1/4", "2/3"):
        confirm(BELOW, ("claim", "lower"), lower)
    confirm = confirming(accepts_largest_moments)
    assert not confirm(sparse()[0], ("claim", "moments", 1, 2), "1")
    assert not confirm(sparse()[0], ("claim", "rho", "upper"), "0")
