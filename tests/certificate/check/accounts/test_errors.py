"""Errors of tests, with noise and of many runs: every rule has a certificate that breaks only this rule.

Of randomised response with the odds 2 : 1 both errors of the best test are 1/3. Two laws that are not as
likely the other way round have the errors 1/2 and 1/4. The program is that of test_pure: with a table it is
like the odds 3 : 1, without one all that is known is that δ is at most 1/2. Two runs of the response have
the ratios 4, 1 and 1/4, and the errors 1/9 and 5/9; on the grid of (1 + 1/100)^k they are enclosed.
"""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from prover.accounting.discrete_gaussian import chances
from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
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
from tests.certificate.check.accounts.test_pure import BELOW, TABLE
from tests.certificate.errors_judge import accepts_errors
from tests.certificate.mechanisms_samples import SHOWN_PART, losses
from tests.certificate.profile_samples import SHOWN
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
LOWER, UPPER, MU = (("claim", "errors", "lower"), ("claim", "errors", "upper"), ("claim", "gaussian"))
PART, PROOF, BOUND = ("model", "parts", 0), ("evidence", "parts", 0), ("evidence", "gaussian")
NOTHING: Json = [["0", "0"], ["1", "0"]]


def of(part: Json, proof: Json, lower: Json, upper: Json) -> Json:
    return certificate(
        {"errors": {"lower": lower, "upper": upper}, "kind": "composition"},
        {"parts": [part | {"times": 1}], "type": "composition", "version": 1},
        {"parts": [proof]},
    )


THIRDS: Json = [["0", "1"], ["1/3", "1/3"], ["1", "0"]]
COIN: Json = of({"known": "randomised-response", "q": "1/2", "values": 2}, {}, THIRDS, THIRDS)
# Φ⁻¹(2/3) is 0.430727…, and the least μ twice that.
COIN_MU: Json = edited(
    COIN,
    {
        MU: {"lower": "4307/5000", "upper": "1723/2000"},
        BOUND: {"bits": 64, "lower": [0, "1346/3125"], "upper": ["43073/100000"]},
    },
)
FOUR: Json = [["0", "1"], ["1/4", "1/2"], ["1/2", "1/4"], ["1", "0"]]
LAWS: Json = of({"laws": [["1/2", "1/4"], ["1/2", "3/4"]]}, {}, FOUR, FOUR)
PURE: Json = {"alpha": "3", "evidence": {"table": TABLE}, "loss": "runs", "upper": "1"}
QUARTERS: Json = [["0", "1"], ["1/4", "1/4"], ["1", "0"]]
BLIND: Json = [["0", "1"], ["1", "0"]]
TABLES: Json = {"all-differ": SHOWN["evidence"]}
PROGRAM: Json = of(SHOWN_PART, {"pure": PURE, "tables": TABLES}, QUARTERS, BLIND)


def test_by_hand() -> None:
    words = "composition lower-vertices=3 upper-vertices=3"
    assert accepted(COIN) == f"{words} part=0 known=randomised-response parts=1 runs=1"
    ends = "mu=4307/5000,1723/2000"
    assert accepted(COIN_MU) == f"{words} {ends} part=0 known=randomised-response parts=1 runs=1"
    assert accepted(LAWS) == "composition lower-vertices=4 upper-vertices=4 part=0 laws parts=1 runs=1"
    assert accepted(PROGRAM).endswith("part=0 adjacency=all-differ at-epsilon=1 parts=1 runs=1")
    assert all(map(accepts_errors, (COIN, COIN_MU, LAWS, PROGRAM)))
    half: Json = [["0", "1/2"], ["1/2", "0"], ["1", "0"]]
    accepted(edited(PROGRAM, {(*PROOF, "pure"): ..., LOWER: half}))
    refused(edited(PROGRAM, {(*PROOF, "pure"): ...}), ClaimOpen, "smaller errors")
    accepted(edited(PROGRAM, {PROOF: {}, LOWER: NOTHING}))
    refused(edited(PROGRAM, {UPPER: QUARTERS}), ClaimOpen, "no test is seen")
    worse: Json = [["0", "1"], ["2/5", "1/3"], ["1", "0"]]
    accepted(edited(COIN, {UPPER: worse}))  # a test with smaller errors is enough


TWICE: Json = [["0", "1"], ["1/9", "5/9"], ["5/9", "1/9"], ["1", "0"]]
EXACTLY: Json = edited(
    COIN,
    {
        (*PART, "times"): 2,
        LOWER: TWICE,
        UPPER: TWICE,
        ("evidence", "basis"): ["2"],
        ("evidence", "sums"): 50_000,
    },
)
SKEWED: Json = edited(
    LAWS,
    {
        (*PART, "times"): 2,
        LOWER: [["0", "1"], ["1/16", "3/4"], ["1/4", "7/16"], ["7/16", "1/4"], ["3/4", "1/16"], ["1", "0"]],
        UPPER: [["0", "1"], ["1/4", "9/16"], ["1", "0"]],
        ("evidence", "basis"): ["2", "3"],
        ("evidence", "sums"): 50_000,
    },
)
GRID: Json = edited(
    COIN,
    {
        (*PART, "times"): 2,
        LOWER: [["0", "99/100"], ["1/9", "11/20"], ["11/20", "1/9"], ["1", "0"]],
        UPPER: [["0", "1"], ["1/8", "14/25"], ["14/25", "1/8"], ["1", "0"]],
        ("evidence", "grid"): {"digits": 12, "steps": 100, "tail": "0", "work": 2_000_000},
    },
)

# The ratios of two runs of the program are 9, 1 and 1/9.
NINE: Json = edited(
    of(SHOWN_PART, {"pure": PURE}, [["0", "1"], ["1/16", "7/16"], ["7/16", "1/16"], ["1", "0"]], BLIND),
    {(*PART, "times"): 2, ("evidence", "basis"): ["3"], ("evidence", "sums"): 50_000},
)
# Both ratios of BELOW are about 2, so that two runs have errors of about 1/9 and 5/9.
NINTHS: Json = edited(
    BELOW,
    {
        ("claim",): {
            "errors": {
                "lower": NOTHING,
                "upper": [["0", "1"], ["1/8", "14/25"], ["14/25", "1/8"], ["1", "0"]],
            },
            "kind": "composition",
        }
    },
)

RESPONSE: Json = {"known": "randomised-response", "q": "1/2", "times": 1, "values": 2}
NOISE: Json = {"chances": [str(n) for n in chances(Fraction(1), 1)]}


FORGERIES: dict[str, tuple[Json, dict[Path, Json], type[Rejected], str]] = {
    "no function": (COIN, {LOWER: ...}, Malformed, ""),
    "not from 0": (COIN, {(*LOWER, 0): ["1/9", "1"]}, BadClaim, "do not go from"),
    "not convex": (COIN, {(*UPPER, 1): ["1/2", "1/2"]}, BadClaim, "slopes are out of order"),
    "two runs": (COIN, {(*PART, "times"): 2}, BadModel, "need a product"),
    "two parts": (
        COIN,
        {("model", "parts"): COIN["model"]["parts"] * 2, ("evidence", "parts"): [{}, {}]},
        BadModel,
        "need a product",
    ),
    "steep above": (COIN, {(*LOWER, 1): ["2/5", "1/3"]}, ClaimOpen, "smaller errors"),
    "flat above": (COIN, {(*LOWER, 1): ["1/3", "2/5"]}, ClaimOpen, "smaller errors"),
    "one way above": (
        LAWS,
        {LOWER: [["0", "1"], ["1/2", "1/4"], ["1", "0"]]},
        ClaimOpen,
        "smaller errors",
    ),
    "the other way above": (
        LAWS,
        {LOWER: [["0", "1"], ["1/4", "1/2"], ["1", "0"]]},
        ClaimOpen,
        "smaller errors",
    ),
    "mass at infinity": (
        COIN,
        {PART: {"alpha": "2", "delta": "1/9", "known": "approximate", "times": 1}},
        ClaimOpen,
        "smaller errors",
    ),
    "no such test": (COIN, {(*UPPER, 1): ["1/3", "1/4"], LOWER: NOTHING}, ClaimOpen, "no test is seen"),
    "no certain test": (
        COIN,
        {UPPER: [["0", "1/2"], ["1", "0"]], LOWER: NOTHING},
        ClaimOpen,
        "no test is seen",
    ),
    "mu without a proof": (COIN_MU, {BOUND: ...}, Malformed, "alone"),
    "a proof without mu": (COIN_MU, {MU: ...}, Malformed, "alone"),
    "not below": (COIN_MU, {(*MU, "upper"): "86141/100000"}, ClaimOpen, "curve of upper"),
    "not above": (COIN_MU, {(*MU, "lower"): "86149/100000"}, ClaimOpen, "curve of lower"),
    "out of order": (COIN_MU, {(*MU, "lower"): "1"}, BadClaim, "not 0 <= lower <= upper"),
    "negative": (COIN_MU, {(*MU, "lower"): "-1"}, BadClaim, "not 0 <= lower <= upper"),
    "no upper, a proof": (COIN_MU, {(*MU, "upper"): "inf"}, Malformed, "a proof of no bound"),
    "no lower, a proof": (COIN_MU, {(*MU, "lower"): "0"}, Malformed, "a proof of no bound"),
    "upper, no proof": (COIN_MU, {(*BOUND, "upper"): ...}, Malformed, ""),
    "lower, no proof": (COIN_MU, {(*BOUND, "lower"): ...}, Malformed, ""),
    "another vertex": (COIN_MU, {(*BOUND, "lower", 0): 1}, BadEvidence, "no such vertex"),
    "of the function above": (COIN_MU, {LOWER: NOTHING}, ClaimOpen, "certain of a secret"),
    "of the function below": (COIN_MU, {UPPER: BLIND}, BadEvidence, "no such vertex"),
    "no sums": (EXACTLY, {("evidence", "sums"): ...}, Malformed, ""),
    "both methods": (EXACTLY, {("evidence", "grid"): GRID["evidence"]["grid"]}, Malformed, ""),
    "few sums": (EXACTLY, {("evidence", "sums"): 3_000}, TooLarge, "more than the evidence declares"),
    "one in the basis": (EXACTLY, {("evidence", "basis", 0): "1"}, Malformed, "less than 2"),
    "another basis": (EXACTLY, {("evidence", "basis", 0): "3"}, BadEvidence, "not a product"),
    "only enclosed": (
        EXACTLY,
        {PART: {"known": "discrete-gaussian", "sensitivity": 1, "sigma": "1", "times": 1}, PROOF: NOISE},
        BadEvidence,
        "if they are of programs",
    ),
    "options": (
        EXACTLY,
        {PART: {"options": [RESPONSE, RESPONSE | {"q": "1/3"}], "times": 1}, PROOF: {"options": [{}, {}]}},
        BadEvidence,
        "options are allowed only with adaptive",
    ),
    "above two runs of a program": (NINE, {(*LOWER, 1): ["1/16", "1/2"]}, ClaimOpen, "smaller errors"),
    "a program without an epsilon": (NINE, {(*PROOF, "pure"): ...}, ClaimOpen, "smaller errors"),
    "tests of no inputs": (NINE, {UPPER: THIRDS}, ClaimOpen, "no test is seen"),
    "a program, another basis": (NINE, {("evidence", "basis", 0): "2"}, BadEvidence, "not a product"),
    "a program, few sums": (NINE, {("evidence", "sums"): 100}, TooLarge, "than the evidence declares"),
    "no test of two inputs": (NINTHS, {(*UPPER, 1): ["1/8", "11/20"]}, ClaimOpen, "no test is seen"),
    "no inputs": (NINTHS, {(*PROOF, "inputs"): ...}, ClaimOpen, "no test is seen"),
    "nothing above two inputs": (NINTHS, {LOWER: QUARTERS}, ClaimOpen, "smaller errors"),
    "above two runs": (EXACTLY, {(*LOWER, 1): ["1/9", "14/25"]}, ClaimOpen, "smaller errors"),
    "above the second way": (SKEWED, {(*LOWER, 1): ["1/16", "13/16"]}, ClaimOpen, "smaller errors"),
    "no test of two runs": (EXACTLY, {(*UPPER, 1): ["1/9", "1/2"]}, ClaimOpen, "no test is seen"),
    "little work": (GRID, {("evidence", "grid", "work"): 20_000}, TooLarge, "the evidence declares"),
    "above the grid": (GRID, {(*LOWER, 1): ["1/9", "5/9"]}, ClaimOpen, "smaller errors"),
    "certain of nothing": (
        GRID,
        {(*LOWER, 0): ["0", "1"], (*LOWER, 1): ["1/9", "277/500"]},
        ClaimOpen,
        "smaller errors",
    ),
    "below the grid": (GRID, {(*UPPER, 1): ["1/9", "14/25"]}, ClaimOpen, "no test is seen"),
    "steep below the grid": (GRID, {(*UPPER, 1): ["1/8", "5/9"]}, ClaimOpen, "no test is seen"),
    "moments, too": (COIN, {("claim", "moments"): [["2", "1", "2"]]}, Malformed, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_each_rule(name: str) -> None:
    made, edits, failure, words = FORGERIES[name]
    refused(edited(made, edits), failure, words)


def test_products() -> None:
    words = "composition lower-vertices=4 upper-vertices=4"
    assert accepted(EXACTLY) == f"{words} part=0 known=randomised-response parts=1 runs=2"
    assert accepted(GRID) == f"{words} part=0 known=randomised-response parts=1 runs=2"
    assert accepted(SKEWED) == "composition lower-vertices=6 upper-vertices=3 part=0 laws parts=1 runs=2"
    assert accepted(NINE).startswith("composition lower-vertices=4 upper-vertices=2 part=0 adjacency=")
    assert accepted(NINTHS).startswith("composition lower-vertices=2 upper-vertices=4 part=0 adjacency=")
    assert all(map(accepts_errors, (EXACTLY, SKEWED, GRID, NINE, NINTHS)))
    accepted(edited(NINE, {LOWER: NOTHING, ("evidence", "sums"): 0}))
    accepted(edited(NINTHS, {UPPER: BLIND, ("evidence", "sums"): 0}))
    # Where one of the functions says nothing, its side of the grid is not computed.
    for path, value in ((LOWER, NOTHING), (UPPER, BLIND)):
        accepted(edited(GRID, {path: value, ("evidence", "grid", "work"): 420_000}))
    refused(edited(GRID, {("evidence", "grid", "work"): 420_000}), TooLarge, "declares")
    always: dict[Path, Json] = {PART: {"alpha": "1", "delta": "1", "known": "approximate", "times": 2}}
    accepted(edited(EXACTLY, always | {LOWER: NOTHING, UPPER: NOTHING}))  # a product without masses
    refused(edited(EXACTLY, always), ClaimOpen, "smaller errors")


def test_one_end_of_mu() -> None:
    accepted(edited(COIN_MU, {(*MU, "upper"): "inf", (*BOUND, "upper"): ..., LOWER: NOTHING}))
    accepted(edited(COIN_MU, {(*MU, "lower"): "0", (*BOUND, "lower"): ..., UPPER: BLIND}))


@cache
def sparse(adjacency: str) -> tuple[Json, Json]:
    found = EnclosedTradeOff.of(Mechanism.of_program(losses("svt", adjacency)))
    assert found.lower_certificate is not None
    return json.loads(found.certificate.data), json.loads(found.lower_certificate.data)


@pytest.mark.parametrize("adjacency", ["all-differ", "increasing"])
def test_of_programs(adjacency: str) -> None:
    fewest, most = sparse(adjacency)
    for made in (fewest, most):
        accepted(made)
        assert accepts_errors(made)
    refused(edited(fewest, {(*PROOF, "tables"): ...}), ClaimOpen, "smaller errors")
    refused(edited(most, {(*PROOF, "inputs"): ...}), ClaimOpen, "no test is seen")


def test_what_is_accepted_is_proved() -> None:
    confirm = confirming(accepts_errors)
    values = ("0", "1/5", "1/4", "1/3", "2/5", "1/2", "3/4", "1")
    for made in (COIN, LAWS, PROGRAM, EXACTLY, SKEWED, GRID, NINE, NINTHS):
        for path in (LOWER, UPPER):
            places = len(made["claim"]["errors"][path[2]])
            for row in range(places):
                for side in range(2):
                    for value in values:
                        confirm(made, (*path, row, side), value)
    for key in ("lower", "upper"):
        for value in ("0", "1/2", "86/100", "87/100", "1"):
            confirm(COIN_MU, (*MU, key), value)
