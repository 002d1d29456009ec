"""Trade-off functions: every rule has a certificate that obeys it, and one that breaks only this rule."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from prover.certificate.check.reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Malformed,
    Rejected,
    TooLarge,
)
from tests.certificate.accounts_judge import is_true_account
from tests.certificate.moments_samples import COIN
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
VERTICES = ("claim", "vertices")
MU, PROOF = ("claim", "gaussian"), ("evidence", "gaussian")
# Φ⁻¹(2/3) is 0.430727…, and the least μ twice that.
COIN_MU: Json = edited(
    COIN,
    {
        MU: {"lower": "4307/5000", "upper": "1723/2000"},
        PROOF: {"bits": 64, "lower": [0, "1346/3125"], "upper": ["43073/100000"]},
    },
)


def test_sample() -> None:
    assert accepted(COIN) == 'tradeoff from="s" to="t" of=tv vertices=3'
    assert is_true_account(COIN)
    apart = edited(COIN, {("claim", "to"): "h", VERTICES: [["0", "0"], ["1", "0"]]})
    assert accepted(apart) == 'tradeoff from="s" to="h" of=tv vertices=2'
    same = edited(COIN, {("claim", "to"): "s", VERTICES: [["0", "1"], ["1", "0"]]})
    assert accepted(same) == 'tradeoff from="s" to="s" of=tv vertices=2'


FORGERIES: dict[str, tuple[dict[Path, Json], type[Rejected], str]] = {
    "one vertex": ({VERTICES: [["1", "0"]]}, BadClaim, "do not go from"),
    "a later start": ({(*VERTICES, 0): ["1/9", "1"]}, BadClaim, "do not go from"),
    "an end above 0": ({(*VERTICES, 2): ["1", "1/9"]}, BadClaim, "do not go from"),
    "out of order": ({(*VERTICES, 1): ["0", "1/3"]}, BadClaim, "vertices are out of order"),
    "not convex": ({(*VERTICES, 1): ["1/2", "1/2"]}, BadClaim, "slopes are out of order"),
    "rising": ({(*VERTICES, 1): ["1/2", "0"], (*VERTICES, 2): ["1", "0"], (*VERTICES, 0): ["0", "0"]},
               BadClaim, "slopes are out of order"),
    "beyond 1": ({(*VERTICES, 0): ["0", "2"]}, BadClaim, "not between 0 and 1"),
    "a longer row": ({(*VERTICES, 0): ["0", "1", "1"]}, Malformed, "wrong length"),
    "of something else": ({("claim", "of"): "delta"}, Malformed, "neither tv nor lv"),
    "no pair": (
        {
            ("claim", "scope"): "relation",
            ("claim", "from"): ...,
            ("claim", "to"): ...,
            ("model", "relation"): ...,
        },
        BadClaim,
        "the relation has no pair",
    ),
    "an open node": (
        {("evidence", "laws", "graphs", 0, "nodes", 0): {"open": "1"},
         ("evidence", "laws", "graphs", 0, "nodes"): [{"open": "1"}]},
        BadEvidence,
        "open nodes",
    ),
    "smaller than a test": ({(*VERTICES, 1): ["1/3", "2/5"]}, ClaimOpen, "smaller errors"),
    "smaller than any test": ({(*VERTICES, 1): ["1/3", "1/4"]}, ClaimOpen, "no test has the errors"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_each_rule(name: str) -> None:
    edits, failure, words = FORGERIES[name]
    refused(edited(COIN, edits), failure, words)


def test_what_is_accepted_is_true() -> None:
    confirm = confirming(is_true_account)
    numbers = ["0", "1/4", "1/3", "1/2", "2/3", "1"]
    count = sum(confirm(COIN, (*VERTICES, k, i), x) for k in range(3) for i in (0, 1) for x in numbers)
    assert count == 6
    assert confirm(COIN, ("claim", "of"), "lv")
    for end, x in product(("lower", "upper"), ("0", "1/2", "3/4", "7/8", "1")):
        confirm(COIN_MU, (*MU, end), x)
    for place in ((*PROOF, "lower", 1), (*PROOF, "upper", 0)):
        for x in ("0", "1/3", "1/2", "1"):
            confirm(COIN_MU, place, x)


def test_the_least_mu() -> None:
    assert accepted(COIN_MU) == 'tradeoff from="s" to="t" of=tv vertices=3 mu=4307/5000,1723/2000'
    assert is_true_account(COIN_MU)
    upper_only: dict[Path, Json] = {(*MU, "lower"): "0", (*PROOF, "lower"): ...}
    assert accepted(edited(COIN_MU, upper_only)).endswith(" mu=0,1723/2000")
    line = [["0", "1"], ["1", "0"]]
    same: dict[Path, Json] = {("claim", "to"): "s", VERTICES: line, MU: {"lower": "0", "upper": "0"}}
    assert accepted(edited(COIN_MU, {**same, PROOF: {"bits": 1, "upper": []}})).endswith(" vertices=2 mu=0")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({MU: ...}, Malformed, "alone"),
        ({PROOF: ...}, Malformed, "alone"),
        ({(*MU, "lower"): "-1"}, BadClaim, "not 0 <= lower <= upper"),
        ({(*MU, "lower"): "1"}, BadClaim, "not 0 <= lower <= upper"),
        ({(*MU, "upper"): "inf"}, Malformed, ""),
        ({(*MU, "upper"): "4307/5000"}, ClaimOpen, "to be below a vertex"),
        ({(*MU, "lower"): "1723/2000"}, ClaimOpen, "to be above the vertex"),
        ({(*PROOF, "upper"): ["1346/3125"]}, ClaimOpen, "to be below a vertex"),
        ({(*PROOF, "upper"): ["1"]}, ClaimOpen, "to be below a vertex"),
        ({(*PROOF, "upper"): []}, Malformed, "wrong length"),
        ({(*PROOF, "lower", 1): "43073/100000"}, ClaimOpen, "to be above the vertex"),
        ({(*PROOF, "lower", 1): "0"}, ClaimOpen, "to be above the vertex"),
        ({(*PROOF, "lower", 0): 1}, BadEvidence, "no such vertex"),
        ({(*PROOF, "lower", 0): -1}, BadEvidence, "no such vertex"),
        ({(*PROOF, "lower"): ...}, Malformed, ""),
        ({(*PROOF, "bits"): 0}, TooLarge, "bits"),
        ({(*PROOF, "bits"): 301}, TooLarge, "bits"),
        ({(*PROOF, "bits"): 8}, ClaimOpen, "to be below a vertex"),
        ({("claim", "to"): "h", VERTICES: [["0", "0"], ["1", "0"]], (*PROOF, "upper"): []}, ClaimOpen,
         "certain of a secret"),
    ],
)  # fmt: skip
def test_each_rule_of_mu(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(COIN_MU, edits), failure, words)
