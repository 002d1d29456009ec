"""Bisimilarity: classes that are stable, and splitters that separate."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken, relations
from prover.certificate.check.budget import Budget
from tests.certificate.samples import (
    BISIMILARITY,
    BISIMILARITY_EVIDENCE,
    BISIMILARITY_PAIR,
    BISIMILARITY_RELATION,
    BISIMILARITY_STATES,
    Path,
    certificate,
    model,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
CLASSES: Path = ("evidence", "classes")
SPLITTERS: Path = ("evidence", "splitters")


def asked(start: str, end: str, value: str, evidence: Json, states: Any = BISIMILARITY_STATES) -> Json:
    claim = {"from": start, "kind": "bisimilarity", "scope": "pair", "to": end, "value": value}
    return certificate(claim, model(states), evidence)


# The claim rule


@pytest.mark.parametrize(
    ("start", "end", "value"),
    [("s", "t", "0"), ("t", "s", "0"), ("s", "u", "1"), ("x", "x'", "0"), ("x", "y", "1"), ("u", "u", "0")],
)
def test_values(start: str, end: str, value: str) -> None:
    accepted(asked(start, end, value, BISIMILARITY_EVIDENCE))
    refused(asked(start, end, "1" if value == "0" else "0", BISIMILARITY_EVIDENCE), ClaimOpen)


def test_each_side_says_one_thing_only() -> None:
    classes, splitters = ({key: BISIMILARITY_EVIDENCE[key]} for key in ("classes", "splitters"))
    accepted(asked("s", "t", "0", classes))
    refused(asked("s", "u", "1", classes), ClaimOpen)
    refused(asked("s", "t", "0", splitters), ClaimOpen)
    accepted(asked("s", "u", "1", splitters))
    accepted(asked("s", "s", "0", splitters))
    refused(asked("s", "x", "1", classes), ClaimOpen)
    accepted(asked("s", "x", "1", {"splitters": []}))
    refused(asked("s", "u", "1", {"splitters": []}), ClaimOpen)


def test_relations() -> None:
    accepted(BISIMILARITY_RELATION)
    more: dict[Path, Json] = {("model", "relation"): [["s", "t"], ["s", "u"], ["t", "s"], ["u", "s"]]}
    refused(edited(BISIMILARITY_RELATION, more), ClaimOpen)
    whole = more | {("evidence",): BISIMILARITY_EVIDENCE, ("claim", "value"): "1"}
    refused(edited(BISIMILARITY_RELATION, whole), ClaimOpen)
    accepted(edited(BISIMILARITY_RELATION, whole | {("claim", "to"): "u"}))


def test_all_pairs_need_both_sides() -> None:
    accepted(BISIMILARITY)
    for key in ("classes", "splitters"):
        refused(edited(BISIMILARITY, {("evidence", key): ...}), ClaimOpen)
    refused(edited(BISIMILARITY, {SPLITTERS: []}), ClaimOpen)


def test_all_pairs_need_both_sides_even_where_all_states_are_bisimilar() -> None:
    chain = model({name: ("a", {name: "1"}) for name in ("s", "t")})
    claim = {"kind": "bisimilarity", "scope": "all-pairs"}
    accepted(certificate(claim, chain, {"classes": [[0, 1]], "splitters": []}))
    refused(certificate(claim, chain, {"classes": [[0, 1]]}), ClaimOpen)
    refused(certificate(claim, chain, {"splitters": []}), ClaimOpen)


def test_all_pairs_need_the_coarsest_classes() -> None:
    refused(edited(BISIMILARITY, {CLASSES: [[0], [1], [2], [3, 4], [5]]}), ClaimOpen)
    refused(edited(BISIMILARITY, {CLASSES: [[0, 1], [2], [3], [4], [5]]}), RuleBroken)


def test_some_evidence_is_there() -> None:
    refused(asked("s", "s", "0", {}), Malformed)
    refused(asked("s", "s", "0", {"exact": []}), Malformed)
    refused(asked("s", "s", "0", {"classes": None}), Malformed)
    refused(edited(BISIMILARITY_PAIR, {("claim", "alpha"): "1"}), Malformed)


# The classes rule


@pytest.mark.parametrize(
    "classes",
    [
        [[0, 1, 2], [3, 4], [5]],  # μ(X) is 1/3, 1/3, 1/2
        [[0, 2], [1], [3, 4], [5]],
        [[0, 1], [2], [3], [4], [5]],  # s goes to x, t to x'
        [[0, 1], [2], [3, 4, 5]],  # labels X and Y
        [[0, 1, 2, 3, 4, 5]],
    ],
)
def test_classes_that_are_not_stable(classes: Json) -> None:
    refused(asked("s", "t", "0", {"classes": classes}), RuleBroken, "differs from its class")


@pytest.mark.parametrize(
    "classes", [[[0, 1], [2], [3, 4], [5]], [[0], [1], [2], [3, 4], [5]], [[n] for n in range(6)]]
)
def test_classes_that_are(classes: Json) -> None:
    accepted(asked("s", "s", "0", {"classes": classes}))


@pytest.mark.parametrize(
    ("classes", "failure"),
    [
        ([[0, 1], [2], [3, 4]], BadEvidence),
        ([[0, 1], [2], [2], [3, 4], [5]], BadEvidence),
        ([[0, 1], [1, 2], [3, 4], [5]], BadEvidence),
        ([[2], [0, 1], [3, 4], [5]], BadEvidence),
        ([[1, 0], [2], [3, 4], [5]], BadEvidence),
        ([[0, 0, 1], [2], [3, 4], [5]], BadEvidence),
        ([[], [0, 1], [2], [3, 4], [5]], BadEvidence),
        ([], BadEvidence),
        ([[0, 1], [2], [3, 4], [5], [6]], Malformed),
        ([[0, 1], [2], [3, 4], ["5"]], Malformed),
        ([[0, 1], [2], [3, 4], [True]], Malformed),
        ([0, 1, 2, 3, 4, 5], Malformed),
        ({}, Malformed),
    ],
)
def test_classes_are_a_sorted_partition(classes: Json, failure: Any) -> None:
    refused(asked("s", "s", "0", {"classes": classes}), failure)


def test_almost_equal_probabilities() -> None:
    states = dict(BISIMILARITY_STATES)
    long = "3" * 5_000 + "/1" + "0" * 5_000
    rest = "6" * 4_999 + "7/1" + "0" * 5_000
    states["t"] = ("S", {"x'": long, "y": rest})
    refused(asked("s", "t", "0", {"classes": [[0, 1], [2], [3, 4], [5]]}, states), RuleBroken)
    accepted(asked("s", "t", "1", {"splitters": [[3, 4]]}, states))
    states["s"] = ("S", {"x": long, "y": rest})
    accepted(asked("s", "t", "0", {"classes": [[0, 1], [2], [3, 4], [5]]}, states))
    refused(asked("s", "t", "1", {"splitters": [[3, 4]]}, states), ClaimOpen)


# The splitters rule

# a0 → a1 → a2 → b, which stays: n steps to b.
LINE = {
    "a0": ("a", {"a1": "1"}),
    "a1": ("a", {"a2": "1"}),
    "a2": ("a", {"b": "1"}),
    "b": ("b", {"b": "1"}),
    "c": ("a", {"a1": "1/2", "a2": "1/2"}),
}  # indices: a0 0, a1 1, a2 2, b 3, c 4


@pytest.mark.parametrize(
    ("splitters", "start", "end", "apart"),
    [
        ([[3]], "a2", "a1", True),
        ([[3]], "a1", "a0", False),
        ([[3], [2]], "a1", "a0", True),
        ([[3], [2]], "a0", "c", True),
        ([[3], [0, 1, 4]], "a0", "c", True),
        ([[3], [3], [2], [2]], "a0", "a1", True),
        ([[0, 1, 2, 3, 4]], "a0", "a2", False),  # everything is a union of classes, and separates nothing
        ([[3], [2, 3]], "a1", "a0", True),
    ],
)
def test_splitters(splitters: Json, start: str, end: str, apart: bool) -> None:
    about = asked(start, end, "1", {"splitters": splitters}, LINE)
    if apart:
        accepted(about)
    else:
        refused(about, ClaimOpen)


@pytest.mark.parametrize("splitters", [[[2]], [[0, 1]], [[3], [1]], [[3], [0, 4]], [[3], [0, 2]], [[2], [3]]])
def test_splitters_are_unions_of_the_classes_so_far(splitters: Json) -> None:
    refused(asked("a0", "a2", "1", {"splitters": splitters}, LINE), RuleBroken, "union")


@pytest.mark.parametrize(
    ("splitters", "failure"),
    [
        ([[]], BadEvidence),
        ([[4, 2, 1, 0]], BadEvidence),
        ([[3, 3]], BadEvidence),
        ([[5]], Malformed),
        ([["3"]], Malformed),
        ([3], Malformed),
        (None, Malformed),
    ],
)
def test_shapes_of_splitters(splitters: Json, failure: Any) -> None:
    refused(asked("a0", "a2", "1", {"splitters": splitters}, LINE), failure)


def test_the_whole_line() -> None:
    claim = {"kind": "bisimilarity", "scope": "all-pairs"}
    evidence = {"classes": [[0], [1], [2], [3], [4]], "splitters": [[3], [2]]}
    assert accepted(certificate(claim, model(LINE), evidence)) == "bisimilarity all-pairs exact: 12 pairs"


def test_without_splitters_no_row_is_read() -> None:
    """Tables of large chains often have none."""
    rows = MagicMock()
    assert relations.parted(["a", "b", "a"], {"": (rows, [1, 1, 1])}, [], Budget(0)) == [0, 1, 0]
    rows.items.assert_not_called()
