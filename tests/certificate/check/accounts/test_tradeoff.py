"""Trade-off functions: every rule has a certificate that obeys it, and one that breaks only this rule."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check.reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Malformed,
    Rejected,
)
from tests.certificate.accounts_judge import is_true_account
from tests.certificate.moments_samples import COIN
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
VERTICES = ("claim", "vertices")


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
