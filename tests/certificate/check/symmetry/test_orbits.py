"""Rows that stand for all pairs of an orbit, and permutations that are no symmetries."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import (
    BadEvidence,
    ClaimOpen,
    Malformed,
    RuleBroken,
    TooLarge,
    check,
)
from tests.certificate.budgets import allow, spent
from tests.certificate.samples import (
    LADDER,
    LADDER_STATES,
    MIRRORED,
    MIRRORED_BD,
    MIRRORED_KERNEL,
    Path,
    certificate,
    encode,
    ladder_row,
    model,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
SYMMETRIES: Path = ("evidence", "symmetries")
FIRST: Path = (*SYMMETRIES, 0)
NEXT = ("model", "states")


def test_the_table_is_the_one_without_symmetries() -> None:
    assert check(encode(MIRRORED)) == check(encode(LADDER))


@pytest.mark.parametrize("sample", [MIRRORED, MIRRORED_BD, MIRRORED_KERNEL])
def test_without_the_permutation_something_is_missing(sample: Json) -> None:
    left = edited(sample, {SYMMETRIES: []})
    if sample is MIRRORED_BD:  # its only pair has a row of its own
        accepted(left)
    else:
        refused(left, ClaimOpen)
        refused(edited(sample, {SYMMETRIES: ...}), ClaimOpen)


def test_the_identity_and_repetitions_change_nothing() -> None:
    accepted(edited(MIRRORED, {SYMMETRIES: [[0, 1, 2, 3, 4, 5], *MIRRORED["evidence"]["symmetries"] * 2]}))


@pytest.mark.parametrize("sample", [MIRRORED, MIRRORED_BD, MIRRORED_KERNEL])
@pytest.mark.parametrize(
    ("images", "failure", "words"),
    [
        ([1, 0, 3, 2, 5, 5], BadEvidence, "the images are not a permutation"),
        ([1, 1, 3, 3, 5, 5], BadEvidence, "the images are not a permutation"),
        ([1, 0, 3, 2, 5], Malformed, ""),
        ([1, 0, 3, 2, 5, 4, 4], Malformed, ""),
        ([1, 0, 3, 2, 5, 6], Malformed, "unknown index of a state"),
        ([1, 0, 3, 2, 5, -1], Malformed, ""),
        ([1, 0, 3, 2, 5, "4"], Malformed, ""),
        ({}, Malformed, ""),
        ([0, 1, 3, 2, 5, 4], RuleBroken, "state 4 has other probabilities than its image"),
        ([0, 1, 3, 2, 4, 5], RuleBroken, "state 2 has other probabilities than its image"),
        ([1, 0, 2, 3, 4, 5], RuleBroken, "has other probabilities"),
    ],
)
def test_what_is_no_symmetry(sample: Json, images: Json, failure: Any, words: str) -> None:
    refused(edited(sample, {FIRST: images}), failure, words)


def test_probabilities_count_and_not_only_successors() -> None:
    biased = {"A": "1/3", "B": "2/3"}
    uneven = edited(MIRRORED, {(*NEXT, "u", "next"): biased, (*NEXT, "v", "next"): biased})
    refused(uneven, RuleBroken, "state 4 has other probabilities than its image")
    turned = edited(uneven, {(*NEXT, "v", "next"): {"A": "2/3", "B": "1/3"}})
    refused(turned, RuleBroken, "potentials of (4, 5)")  # a symmetry, but d is smaller now


def test_labels_are_neither_joined_nor_split() -> None:
    refused(edited(MIRRORED, {(*NEXT, "u", "label"): "A"}), RuleBroken, "splits the label of 4")
    renamed: dict[Path, Json] = {("evidence", "lower", "rows"): [], ("claim", "lower"): "0"}
    accepted(edited(MIRRORED_BD, {**renamed, (*NEXT, "v", "label"): "three"}))
    # s and A share a label, and t and B do not: the mirror would join labels, or split one.
    refused(edited(MIRRORED, {(*NEXT, "s", "label"): "A"}), RuleBroken, "the label")
    # Two pairs of absorbing states, which the permutation maps to each other; two of one label.
    four = model({name: (label, {name: "1"}) for name, label in zip("abcd", "xyzz", strict=True)})
    for images, words in (([2, 3, 0, 1], "two labels"), ([0, 2, 1, 3], "the label of"), ([1, 0, 3, 2], None)):
        claim = {"alpha": "2", "kind": "kernel", "from": "a", "to": "b", "scope": "pair", "value": "1"}
        made = certificate(claim, four, {"related": [], "unrelated": [], "symmetries": [images]})
        if words is None:
            accepted(made)
        else:
            refused(made, RuleBroken)


@pytest.mark.parametrize("sample", [MIRRORED, MIRRORED_KERNEL])
def test_two_rows_about_one_orbit(sample: Json) -> None:
    if sample is MIRRORED:
        rows: Path = ("evidence", "exact", "rows")
        again: Json = ladder_row([5, 4], 1, 1, [])
    else:
        rows = ("evidence", "unrelated")
        again = {"pair": [5, 4], "potentials": [[1, "1"]], "rank": 1}
    found = sample["evidence"]["exact"]["rows"] if sample is MIRRORED else sample["evidence"]["unrelated"]
    refused(edited(sample, {rows: [*found, again]}), BadEvidence, "two rows are about the same orbit")


def test_a_pair_is_not_related_and_the_mirror_image_of_an_unrelated_one() -> None:
    both = edited(MIRRORED_KERNEL, {("evidence", "related"): [{"coupling": [], "pair": [5, 4]}]})
    refused(both, BadEvidence, "two rows are about the same orbit")


def test_ranks_of_images_count() -> None:
    # (s,t) leans on (u,v), and (t,s) on (v,u): without ranks in order neither row stands.
    rows: Path = ("evidence", "exact", "rows")
    refused(edited(MIRRORED, {(*rows, 0, "rank"): 1}), RuleBroken, "g_4 is too large")
    # The other way round the same holds of the image of a row: (v,u) has rank 2, and g at v.
    turned = [ladder_row([2, 3], 4, 2, [[4, 5, "1"]]), ladder_row([5, 4], 1, 2, [])]
    refused(edited(MIRRORED, {rows: turned}), RuleBroken, "g_4 is too large")
    turned[1] = ladder_row([5, 4], 1, 1, [])
    accepted(edited(MIRRORED, {rows: turned}))


def test_values_of_images_count() -> None:
    # The coupling of (t,s) uses (v,u), whose value stands in the row of (u,v).
    half = {"alpha": "2", "from": "t", "kind": "ld", "lower": "0", "scope": "pair", "to": "s", "upper": "1/2"}
    upper: Json = {
        "denominator": "2",
        "rows": [
            {"coupling": [[4, 5, "1"]], "pair": [2, 3], "value": "1"},
            {"coupling": [], "pair": [4, 5], "value": "1"},
        ],
    }
    states = LADDER_STATES | {
        "u": ("two", {"A": "1/2", "B": "1/2"}),
        "v": ("two", {"A": "1/2", "B": "1/2"}),
    }
    symmetries = MIRRORED["evidence"]["symmetries"]
    accepted(certificate(half, model(states), {"upper": upper, "symmetries": symmetries}))
    refused(certificate(half, model(states), {"upper": upper}), ClaimOpen)
    less = edited({"u": upper}, {("u", "rows", 0, "value"): "0"})["u"]
    refused(certificate(half, model(states), {"upper": less, "symmetries": symmetries}), RuleBroken)


@pytest.mark.parametrize("sample", [MIRRORED, MIRRORED_BD, MIRRORED_KERNEL])
def test_the_work_is_counted(monkeypatch: pytest.MonkeyPatch, sample: Json) -> None:
    units, bits = spent(monkeypatch, sample)
    allow(monkeypatch, units=units)
    accepted(sample)
    allow(monkeypatch, units=units - 1)
    refused(sample, TooLarge, "the work exceeds the limit")
    allow(monkeypatch, bits=bits - 1)
    refused(sample, TooLarge, "memory")
