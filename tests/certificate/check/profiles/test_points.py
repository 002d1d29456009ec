"""Claims about δ at several α: each is proved as one about a single α would be."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from prover.certificate.check import BadClaim, ClaimOpen, Malformed, Rejected, RuleBroken, TooLarge, budget
from tests.certificate.check.profiles.test_forged_inputs import confirm
from tests.certificate.check.profiles.test_forgeries import forgeries
from tests.certificate.check.profiles.test_inputs import SVT
from tests.certificate.pair_samples import BY_HAND as PAIRS
from tests.certificate.profile_samples import POINTS, SHOWN, at_points
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, edited, refused
from tests.profiles import everything

Json = Any
FIRST: Path = ("claim", "points", 0)
SECOND: Path = ("claim", "points", 1)
EPSILON: Path = (*SECOND, "epsilon")
EVENTS: Path = ("evidence", "pairs")

# δ of these inputs of the sparse vector technique is .1144… at α = 1, by two runs, and .0637… at 6/5
BEST: Json = {key: value for key, value in SVT["evidence"].items() if key != "runs"}
LOWER: Json = at_points(
    SVT,
    {"alpha": "1", "lower": "143/1250"},
    {"alpha": "6/5", "epsilon": {"alpha": "at-least", "value": "2/11"}, "lower": "637/10000"},
) | {"evidence": {"pairs": [SVT["evidence"], BEST]}}


def test_what_the_line_says() -> None:
    assert accepted(POINTS) == "profile-table adjacency=all-differ at-epsilon=1 steps=1 points=3"
    assert accepted(LOWER) == "inputs adjacency=all-differ at-epsilon=1 points=2"


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "points"): []}, Malformed, "no point"),
        ({("claim", "points"): {}}, Malformed, "not of type list"),
        ({SECOND: []}, Malformed, "not of type dict"),
        ({SECOND: {"alpha": "2"}}, Malformed, "lacks a key"),
        ({(*SECOND, "lower"): "0"}, Malformed, "unknown key"),
        ({(*SECOND, "steps"): 1}, Malformed, "unknown key"),
        ({("claim", "alpha"): "1"}, Malformed, "unknown key"),
        ({("claim", "upper"): "1"}, Malformed, "unknown key"),
        ({("claim", "epsilon"): {"alpha": "at-most", "value": "1"}}, Malformed, "unknown key"),
        ({("claim", "steps"): 0}, BadClaim, "not from 1 to 1000000 steps"),
        ({(*SECOND, "alpha"): "1/2"}, BadClaim, "alpha is below 1"),
        ({(*SECOND, "upper"): "2"}, BadClaim, "between 0 and 1"),
        ({(*SECOND, "upper"): "31646/100000"}, Malformed, "lowest terms"),
        ({(*SECOND, "upper"): "3164/10007"}, ClaimOpen, "the bound of the table is larger"),
        ({(*SECOND, "alpha"): "1499/1000"}, ClaimOpen, "the bound of the table is larger"),
        ({(*FIRST, "upper"): "19147/50001"}, ClaimOpen, "the bound of the table is larger"),
        ({("claim", "points", 2, "upper"): "24/100"}, Malformed, "lowest terms"),
        ({("claim", "points", 2, "upper"): "6/25"}, ClaimOpen, "the bound of the table is larger"),
        ({(*EPSILON, "value"): "2/5"}, RuleBroken, "not at-most e^epsilon"),
        ({(*EPSILON, "alpha"): "at-least"}, RuleBroken, "not at-least e^epsilon"),
        ({("evidence", "pairs"): []}, Malformed, "unknown key"),
    ],
)
def test_upper_ends(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(POINTS, edits), failure, words)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*FIRST, "lower"): "573/5000"}, ClaimOpen, "point 0: the runs gain less"),
        ({(*SECOND, "lower"): "32/500"}, Malformed, "lowest terms"),
        ({(*SECOND, "lower"): "8/125"}, ClaimOpen, "point 1: the runs gain less"),
        ({(*SECOND, "alpha"): "5/4"}, ClaimOpen, "point 1: the runs gain less"),
        ({(*EPSILON, "value"): "1/5"}, RuleBroken, "not at-least e^epsilon"),
        ({(*SECOND, "upper"): "1"}, Malformed, "unknown key"),
        ({(*EVENTS, 1): ...}, Malformed, "wrong length"),
        ({EVENTS: {}}, Malformed, "not of type list"),
        ({EVENTS: ...}, Malformed, "lacks a key"),
        ({("evidence", "bits"): 120}, Malformed, "unknown key"),
        ({("evidence",): SVT["evidence"]}, Malformed, "lacks a key"),
        ({(*EVENTS, 1, "neighbour", 0): "2"}, BadClaim, "point 1: inputs too far apart"),
        ({("claim", "steps"): 3}, BadClaim, "point 0: more inputs than the claim allows"),
        ({("claim", "steps"): 3, (*EVENTS, 0): BEST}, BadClaim, "point 0: more inputs than the claim allows"),
    ],
)
def test_lower_ends(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(LOWER, edits), failure, words)


def test_other_claims_have_no_points() -> None:
    points = [{"alpha": "1", "upper": "1"}]
    refused(edited(PAIRS["svt"], {("claim", "points"): points}), Malformed, "unknown key")
    refused(edited(SHOWN, {("evidence", "pairs"): []}), Malformed, "unknown key")


def test_all_points_share_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    many = 40
    points = [{"alpha": "1", "lower": "0"}] * many
    certificate = at_points(SVT, *points) | {"evidence": {"pairs": [SVT["evidence"]] * many}}
    accepted(certificate)
    monkeypatch.setattr(budget, "UNITS", 10**6)
    accepted(SVT)
    refused(certificate, TooLarge, "the work exceeds")


def test_forgeries_of_lower_ends() -> None:
    changes = [change for change in forgeries(LOWER) if change[0][0] != "model"]
    some = changes if everything() else Random(0).sample(changes, 120)
    kept = [confirm(LOWER, *change) for change in some]
    assert 0 < sum(kept) < len(kept) / 3
