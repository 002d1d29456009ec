"""lv and tv: the table of distances, the quotient, and what follows for the claim."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate import check as checker
from prover.certificate.check import BadClaim, BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from tests.certificate.samples import Path
from tests.certificate.unrolling_samples import (
    DISTANCE,
    PIN,
    PIN_BOTH,
    QUOTIENT,
    UNROLLING_SAMPLES,
    leaf,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
NODES: Path = ("evidence", "unrolling", "nodes")
ROOTS: Path = ("evidence", "unrolling", "roots")
ROWS: Path = ("evidence", "distance", "rows")
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")


# Distances -----------------------------------------------------------------------------------------------


def test_distances_obey_the_upper_rule() -> None:
    refused(edited(DISTANCE, {(*ROWS, 0, "value"): "12"}), RuleBroken, "distance: coupling of (2, 3)")
    refused(edited(DISTANCE, {(*ROWS, 0, "value"): "101"}), BadEvidence, "distance: a value is above 1")
    refused(edited(DISTANCE, {(*ROWS, 0, "value"): "15"}), RuleBroken, "node 0: upper")
    refused(edited(DISTANCE, {ROWS: []}), RuleBroken, "node 0: upper")
    refused(edited(DISTANCE, {(*ROWS, 0, "potentials"): []}), Malformed, "key")
    refused(edited(DISTANCE, {(*ROWS, 0, "pair"): [2, 5]}), BadEvidence, "the pair is not of equal label")
    refused(edited(DISTANCE, {("evidence", "distance", "denominator"): "0"}), Malformed, "denominator")


def test_distances_alone_bound_from_above() -> None:
    claim = {("claim", "from"): "j", ("claim", "to"): "i", LOWER: "0", UPPER: "14/100"}
    refused(edited(DISTANCE, claim), Malformed, "lowest")
    assert accepted(edited(DISTANCE, claim | {UPPER: "7/50"})).endswith("upper=7/50")
    # tv is about (i,j) as well, whose distance is listed as 14/100.
    refused(
        edited(DISTANCE, claim | {UPPER: "13/100"}), ClaimOpen, "the nodes and distances do not prove upper"
    )
    assert accepted(edited(DISTANCE, claim | {UPPER: "0", ("claim", "kind"): "lv"})).endswith("value=0")


def test_distances_are_those_of_the_quotient() -> None:
    whole = {"denominator": "1", "rows": [{"coupling": [[0, 1, "1"]], "pair": [0, 1], "value": "0"}]}
    refused(
        edited(QUOTIENT, {("evidence", "distance"): whole}), BadEvidence, "the pair is not of equal label"
    )
    # Distance 0 between e and e' does not make up for the quotient: a coupling leaves 3/5 - 1/2 at e.
    alone = {("evidence", "classes"): ..., ("evidence", "distance"): whole, ROOTS: [[3, 4]]}
    alone |= {(*NODES, 1): leaf([0, 1, "1/2"])}
    refused(edited(QUOTIENT, alone), RuleBroken, "node 0: upper")
    weak = edited(QUOTIENT, alone | {(*NODES, 0, "upper"): "1/10", UPPER: "1/10"})
    assert accepted(weak).endswith("lower=1/20 upper=1/10")


# The quotient --------------------------------------------------------------------------------------------


def test_without_classes_every_state_is_one() -> None:
    accepted(edited(PIN, {("evidence", "classes"): [[0], [1], [2], [3], [4]]}))
    # Indices: e 0, e' 1, g 2, s 3, t 4.
    whole = edited(QUOTIENT, {("evidence", "classes"): ..., ROOTS: [[3, 4]]})
    refused(whole, RuleBroken, "node 0: upper")
    coupled = {(*NODES, 1): leaf([0, 1, "1/2"]), (*NODES, 0, "upper"): "11/20"}
    refused(
        edited(whole, coupled | {(*NODES, 0, "upper"): "3/5"}),
        ClaimOpen,
        "the nodes and distances do not prove upper",
    )
    assert accepted(edited(whole, coupled | {(*NODES, 0, "upper"): "3/5", UPPER: "3/5"})).endswith(
        "upper=3/5"
    )


@pytest.mark.parametrize(
    ("classes", "failure", "words"),
    [
        ([[0, 1], [2], [3, 4]], RuleBroken, "classes: state 4 differs from its class"),
        ([[0, 1, 2], [3], [4]], RuleBroken, "classes: state 2 differs from its class"),
        ([[0, 1], [2], [3]], BadEvidence, "partition"),
        ([[0, 1], [1, 2], [3], [4]], BadEvidence, "partition"),
        ([[0, 1], [3], [2], [4]], BadEvidence, "order"),
        ([[1, 0], [2], [3], [4]], BadEvidence, "order"),
        ([[], [0, 1], [2], [3], [4]], BadEvidence, "empty"),
        ([[0, 1], [2], [3], [4, 5]], Malformed, "state"),
    ],
)
def test_classes_are_a_bisimulation(classes: Json, failure: type[checker.Rejected], words: str) -> None:
    refused(edited(QUOTIENT, {("evidence", "classes"): classes}), failure, words)


def test_classes_must_be_stable_everywhere() -> None:
    # 0 and 1 look alike for one step only.
    refused(edited(PIN, {("evidence", "classes"): [[0, 1], [2], [3], [4]]}), RuleBroken, "state 1")
    refused(edited(PIN, {("evidence", "classes"): [[0, 1], [2, 3], [4]]}), RuleBroken, "state 1")


def test_claims_about_states_of_one_class() -> None:
    ends: dict[Path, Json] = {("claim", "from"): "e", ("claim", "to"): "e'", LOWER: "0"}
    assert accepted(edited(QUOTIENT, ends | {UPPER: "0"})).endswith("value=0")
    refused(
        edited(QUOTIENT, ends | {UPPER: "1/20", LOWER: "1/20"}), ClaimOpen, "the nodes do not prove lower"
    )
    ends[UPPER] = "0"
    refused(edited(QUOTIENT, ends | {("evidence", "classes"): ..., ROOTS: [[3, 4]]}), RuleBroken)


# The claim -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", UNROLLING_SAMPLES)
def test_bounds(name: str) -> None:
    sample = UNROLLING_SAMPLES[name]
    for lower, upper in (("-1", "1"), ("0", "2"), ("1/2", "1/3")):
        refused(edited(sample, {LOWER: lower, UPPER: upper}), BadClaim)
    refused(edited(sample, {LOWER: "1/4", UPPER: "1/4"}), ClaimOpen, "the nodes do not prove lower")
    refused(
        edited(sample, {LOWER: "0", UPPER: "1/1000000"}),
        ClaimOpen,
        "too many runs are lost" if name == "lost" else "the nodes and distances do not prove upper",
    )
    accepted(edited(sample, {LOWER: "0", UPPER: "1"}))


def test_one_direction_is_not_the_other() -> None:
    refused(
        edited(PIN, {("claim", "from"): "1", ("claim", "to"): "0"}), ClaimOpen, "the nodes do not prove lower"
    )
    turned = {("claim", "from"): "1", ("claim", "to"): "0", LOWER: "0"}
    refused(edited(PIN, turned), ClaimOpen, "the nodes and distances do not prove upper")
    # For tv both must be bounded from above.
    refused(edited(PIN, {("claim", "kind"): "tv"}), ClaimOpen, "the nodes and distances do not prove upper")
    accepted(edited(PIN, {("claim", "kind"): "tv", UPPER: "1"}))
    accepted(edited(PIN, {("claim", "kind"): "tv", UPPER: "1", ("claim", "from"): "1", ("claim", "to"): "0"}))


def test_the_relation() -> None:
    backward: dict[Path, Json] = {("claim", "from"): "1", ("claim", "to"): "0"}
    accepted(edited(PIN_BOTH, backward))
    # lv is attained at (1,0) only, where it is also the maximum.
    refused(edited(PIN_BOTH, {("claim", "kind"): "lv"}), ClaimOpen, "the nodes do not prove lower")
    assert "relation maximum at" in accepted(edited(PIN_BOTH, backward | {("claim", "kind"): "lv"}))
    refused(edited(PIN_BOTH, {("model", "relation"): ...}), BadClaim, "not related")
    refused(edited(PIN_BOTH, {("model", "relation"): [["0", "1"]]}), BadModel, "symmetric")
    wider = [["0", "1"], ["1", "0"], ["2", "3"], ["3", "2"]]
    refused(
        edited(PIN_BOTH, {("model", "relation"): wider}),
        ClaimOpen,
        "the nodes and distances do not prove upper",
    )
    refused(
        edited(PIN_BOTH, {("model", "relation"): wider, ("claim", "kind"): "lv", **backward}),
        ClaimOpen,
        "the nodes and distances do not prove upper",
    )
    across = [["0", "1"], ["0", "2"], ["1", "0"], ["2", "0"]]
    refused(
        edited(PIN_BOTH, {("model", "relation"): across}),
        ClaimOpen,
        "the nodes and distances do not prove upper",
    )
    accepted(edited(PIN_BOTH, {("model", "relation"): [["0", "0"], ["0", "1"], ["1", "0"]]}))


@pytest.mark.parametrize("alpha", ["101/100", "2"])
def test_alpha_counts(alpha: str) -> None:
    refused(edited(PIN, {("claim", "alpha"): alpha}), RuleBroken, "lower")
    refused(edited(PIN, {("claim", "alpha"): "99/100"}), BadClaim, "alpha")
