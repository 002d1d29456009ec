"""Clusters of nearly bisimilar states: their form, their rule, and what they are allowed to say."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken, TooLarge, check
from tests.certificate.budgets import allow, spent
from tests.certificate.clusters_samples import (
    CLUSTERS,
    CLUSTERS_AND_ROWS,
    CLUSTERS_RELATION,
    CLUSTERS_SAMPLES,
    CLUSTERS_UNROLLED,
    STATES,
    TABLE,
)
from tests.certificate.judges import judged
from tests.certificate.samples import Path, certificate, encode, model, pair_claim
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
UPPER: Path = ("evidence", "upper")
LISTED: Path = (*UPPER, "clusters")
MOST: Path = ("claim", "upper")
EVERY = pytest.mark.parametrize(
    ("sample", "place"),
    [(CLUSTERS, "upper"), (CLUSTERS_RELATION, "upper"), (CLUSTERS_UNROLLED, "distance")],
    ids=["ld", "bd", "tv"],
)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("clusters", 'ld alpha=6/5 from="s" to="t" lower=0 upper=9/40'),
        ("clusters-relation", 'bd alpha=6/5 relation maximum at from="s" to="t" lower=0 upper=9/40'),
        ("clusters-unrolled", 'tv alpha=6/5 from="s" to="t" lower=0 upper=9/40'),
        ("clusters-and-rows", 'ld alpha=6/5 from="s" to="t" lower=0 upper=151/960'),
    ],
)
def test_the_line(name: str, line: str) -> None:
    assert accepted(CLUSTERS_SAMPLES[name]) == line
    assert judged(CLUSTERS_SAMPLES[name])


@EVERY
def test_a_value_that_is_one_unit_too_small(sample: Json, place: str) -> None:
    path: Path = ("evidence", place, "clusters")
    for n, value in ((0, "4"), (1, "8")):
        forged = edited(sample, {(*path, n, 1): value})
        refused(forged, RuleBroken, f"cluster {n}")
        assert not judged(forged)
    accepted(edited(sample, {(*path, 1, 1): "40", MOST: "1"}))


@EVERY
def test_the_claim_is_not_below_the_values(sample: Json, place: str) -> None:
    refused(edited(sample, {MOST: "1/5"}), ClaimOpen, "upper")
    refused(edited(sample, {("evidence", place, "clusters", 1): ...}), ClaimOpen, "upper")
    refused(edited(sample, {("evidence", place, "clusters"): ...}), ClaimOpen, "upper")
    refused(edited(sample, {("evidence", place, "clusters", 0): ...}), RuleBroken, "cluster 0")


def test_values_of_clusters_go_into_each_other() -> None:
    """Without the cluster of m and n, s and t have 1/4 of n and 1/4 of e in common."""
    alone = {"clusters": [[[4, 5], "20"]], "denominator": "40", "rows": []}
    accepted(edited(CLUSTERS, {UPPER: alone, MOST: "1/2"}))
    refused(edited(CLUSTERS, {UPPER: alone, (*LISTED, 0, 1): "19", MOST: "1/2"}), RuleBroken, "in common")
    larger = {(*LISTED, 0, 1): "15", (*LISTED, 1, 1): "15", MOST: "3/8"}
    accepted(edited(CLUSTERS, larger))
    refused(edited(CLUSTERS, larger | {(*LISTED, 1, 1): "14"}), RuleBroken, "cluster 1")


def test_all_states_of_a_cluster_count() -> None:
    """Three states, the middle one of which is like neither of the others."""
    states = {
        "A": ("A", {"A": "1"}),
        "B": ("B", {"B": "1"}),
        "C": ("C", {"C": "1"}),
        "x": ("X", {"A": "1/2", "B": "1/4", "C": "1/4"}),
        "y": ("X", {"A": "1/4", "B": "1/2", "C": "1/4"}),
        "z": ("X", {"A": "1/4", "B": "1/4", "C": "1/2"}),
    }

    def about(members: list[int], value: str) -> Json:
        table = {"clusters": [[members, value]], "denominator": "4", "rows": []}
        return certificate(pair_claim("ld", "x", "y", "0", "1/4", "1"), model(states), {"upper": table})

    for members in ([3, 4], [3, 5], [4, 5]):
        forged = about(members, "1")
        assert judged(forged) == (members == [3, 4])
        check(encode(edited(forged, {MOST: "1"})))
    refused(about([3, 4], "0"), RuleBroken, "in common")
    refused(about([3, 4, 5], "0"), RuleBroken, "in common")
    accepted(about([3, 4, 5], "1"))


def test_a_state_that_shares_nothing() -> None:
    """A cell that one of the states does not go to is no common one."""
    rows = {"e": ("E", {"e": "1"}), "f": ("F", {"f": "1"}), "s": ("S", {"e": "1"}), "t": ("S", {"f": "1"})}
    table = {"clusters": [[[2, 3], "1"]], "denominator": "1", "rows": []}
    found = certificate(pair_claim("bd", "s", "t", "0", "1", "2"), model(rows), {"upper": table})
    accepted(found)
    refused(edited(found, {(*LISTED, 0, 1): "0"}), RuleBroken, "in common")


def test_states_that_go_round_in_circles() -> None:
    """A cluster may be about itself: c ≥ 1/4 + c/2 from 1/2 on; and two ends are at 0 if both stay."""
    states = {
        "e": ("E", {"e": "1"}),
        "f": ("E", {"f": "1"}),
        "s": ("S", {"e": "1/2", "s": "1/2"}),
        "t": ("S", {"f": "1/4", "s": "1/2", "u": "1/4"}),
        "u": ("U", {"u": "1"}),
    }
    table = {"clusters": [[[0, 1], "0"], [[2, 3], "2"]], "denominator": "4", "rows": []}
    found = certificate(pair_claim("bd", "s", "t", "0", "1/2", "3/2"), model(states), {"upper": table})
    accepted(found)
    assert judged(found)
    refused(edited(found, {(*LISTED, 1, 1): "1", MOST: "1/4"}), RuleBroken, "cluster 1")
    refused(edited(found, {(*LISTED, 0): ...}), RuleBroken, "cluster 0")


# Rows beside clusters ------------------------------------------------------------------------------------


def test_a_row_uses_the_values_of_clusters() -> None:
    value: Path = (*UPPER, "rows", 1, "value")
    refused(edited(CLUSTERS_AND_ROWS, {value: "150"}), RuleBroken, "coupling of (4, 5)")
    refused(edited(CLUSTERS_AND_ROWS, {LISTED: []}), RuleBroken)
    dearer = {(*LISTED, 0, 1): "140", (*LISTED, 1, 1): "228", MOST: "1"}
    refused(edited(CLUSTERS_AND_ROWS, dearer), RuleBroken, "coupling of (4, 5)")
    accepted(edited(CLUSTERS_AND_ROWS, dearer | {value: "159"}))
    refused(edited(CLUSTERS_AND_ROWS, dearer | {value: "158"}), RuleBroken, "coupling of (4, 5)")


@pytest.mark.parametrize("sample", [CLUSTERS_AND_ROWS, CLUSTERS_RELATION], ids=["ld", "bd"])
def test_no_row_is_above_its_cluster(sample: Json) -> None:
    """The cluster rule of s and t says how far m and n are apart at most, both ways."""
    if sample is CLUSTERS_AND_ROWS:
        refused(edited(sample, {(*UPPER, "rows", 0, "value"): "121"}), BadEvidence, "of the cluster")
        accepted(edited(sample, {(*UPPER, "rows", 1, "value"): "216", MOST: "9/40"}))
        refused(edited(sample, {(*UPPER, "rows", 1, "value"): "217", MOST: "1"}), BadEvidence)
        return
    row = {"backward": [], "forward": [], "pair": [2, 3], "value": "5"}
    accepted(edited(sample, {(*UPPER, "rows"): [row]}))
    refused(edited(sample, {(*UPPER, "rows"): [row | {"value": "6"}]}), BadEvidence, "of the cluster")


def test_symmetries_spread_no_rows_beside_clusters() -> None:
    same = [[*range(6)]]
    accepted(edited(CLUSTERS, {("evidence", "symmetries"): same}))
    accepted(edited(CLUSTERS_AND_ROWS, {("evidence", "symmetries"): []}))
    forged = edited(CLUSTERS_AND_ROWS, {("evidence", "symmetries"): same})
    refused(forged, BadEvidence, "rows are spread beside clusters")
    assert not judged(forged)


# The form ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (LISTED, {}),
        (LISTED, None),
        ((*LISTED, 0), [2, 3]),
        ((*LISTED, 0), [[2, 3]]),
        ((*LISTED, 0), [[2, 3], "5", "5"]),
        ((*LISTED, 0), {"states": [2, 3], "value": "5"}),
        ((*LISTED, 0), [{}, "5"]),
        ((*LISTED, 0, 1), 5),
        ((*LISTED, 0, 1), "5/2"),
        ((*LISTED, 0, 1), "-1"),
        ((*LISTED, 0, 1), "05"),
        ((*LISTED, 0, 0), [2, 6]),
        ((*LISTED, 0, 0), [-1, 2]),
        ((*LISTED, 0, 0), [2, "3"]),
        ((*LISTED, 0, 0), [2, True]),
    ],
)
def test_what_is_malformed(path: Path, value: Json) -> None:
    refused(edited(CLUSTERS, {path: value}), Malformed)


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ([[[3, 2], "5"], [[4, 5], "9"]], "states"),
        ([[[2, 2], "5"], [[4, 5], "9"]], "states"),
        ([[[4, 5], "9"], [[2, 3], "5"]], "clusters"),
        ([[[2, 3], "5"], [[2, 3], "5"], [[4, 5], "9"]], "clusters"),
        ([[[2, 3], "5"], [[3, 4], "40"]], "a cluster has two labels"),
        ([[[0, 1], "40"], [[2, 3], "5"], [[4, 5], "9"]], "a cluster has two labels"),
        ([[[0], "0"], [[2, 3], "5"], [[4, 5], "9"]], "fewer than two states"),
        ([[[], "0"], [[2, 3], "5"], [[4, 5], "9"]], "fewer than two states"),
        ([[[2, 3], "41"], [[4, 5], "9"]], "above 1"),
    ],
)
@EVERY
def test_bad_clusters(sample: Json, place: str, listed: Json, words: str) -> None:
    forged = edited(sample, {("evidence", place, "clusters"): listed, MOST: "1"})
    refused(forged, BadEvidence, words)


def test_a_state_in_two_clusters() -> None:
    states = {**STATES, "o": ("M", {"e": "1/2", "f": "1/2"})}  # indices: m 2, n 3, o 4, s 5, t 6
    about = edited(CLUSTERS, {("model",): model(states), MOST: "1"})
    table = TABLE | {"clusters": [[[2, 3], "40"], [[3, 4], "40"]]}
    refused(edited(about, {UPPER: table}), BadEvidence, "a state is in two clusters")
    accepted(edited(about, {UPPER: TABLE | {"clusters": [[[2, 3, 4], "5"], [[5, 6], "9"]]}}))


# Where there are none ------------------------------------------------------------------------------------


def test_clusters_are_for_pairs_from_above() -> None:
    for place in ("lower", "exact"):
        refused(edited(CLUSTERS, {("evidence",): {place: TABLE}}), Malformed, "key")
    for width in ("0", "1/2", "1"):
        claim = {"alpha": "6/5", "kind": "ld", "scope": "all-pairs", "width": width}
        refused(edited(CLUSTERS, {("claim",): claim}), BadEvidence, "all pairs")
        assert not judged(edited(CLUSTERS, {("claim",): claim}))
    claim = {"alpha": "6/5", "kind": "ld", "scope": "all-pairs", "width": "1"}
    accepted(edited(CLUSTERS, {("claim",): claim, LISTED: []}))


def test_processes_have_none() -> None:
    states = {name: {"actions": {"go": dict(row)}, "label": label} for name, (label, row) in STATES.items()}
    process = {"states": states, "type": "labelled-markov-decision-process", "version": 1}
    refused(edited(CLUSTERS, {("model",): process}), Malformed, "key")


# Work ----------------------------------------------------------------------------------------------------


def test_the_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand, for small numbers: every operation costs 33. Cluster 0 has n = 2 states, 4 successors, and 2
    of the first one; cluster 1 has 2, 5 and 3."""
    with_clusters, _ = spent(monkeypatch, CLUSTERS)
    without, _ = spent(monkeypatch, edited(CLUSTERS, {LISTED: [], MOST: "1"}))
    clusters = [(4 * 2 + 2 * 4 + 2 + 2), (4 * 2 + 2 * 5 + 3 + 2)]
    assert with_clusters - without == 33 * sum(clusters)


def test_long_numbers_cost_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two words of the denominators of rows, three of the table: L has 128 bits and more, D 160."""
    long = f"1/{2**64}"
    rest = f"{2**64 - 1}/{2**64}"
    states = {
        "e": ("E", {"e": "1"}),
        "f": ("F", {"f": "1"}),
        "s": ("S", {"e": long, "f": rest}),
        "t": ("S", {"f": "1"}),
    }
    table = {"clusters": [[[2, 3], "1"]], "denominator": str(2**64), "rows": []}
    found = certificate(pair_claim("ld", "s", "t", "0", f"1/{2**64}", "1"), model(states), {"upper": table})
    accepted(found)
    with_clusters, _ = spent(monkeypatch, found)
    without, _ = spent(monkeypatch, edited(found, {LISTED: [], MOST: "1"}))
    assert with_clusters - without == (4 * 2 + 2 * 3 + 2 + 2) * (32 + 2 * 2)


@pytest.mark.parametrize("name", CLUSTERS_SAMPLES)
def test_no_work_begins_that_exceeds_the_limit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    units, _ = spent(monkeypatch, CLUSTERS_SAMPLES[name])
    allow(monkeypatch, units=units)
    accepted(CLUSTERS_SAMPLES[name])
    allow(monkeypatch, units=units - 1)
    refused(CLUSTERS_SAMPLES[name], TooLarge, "the work exceeds the limit")
