"""Skewed bisimilarity: couplings that stay among related pairs, and pairs removed rank by rank."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken
from tests.certificate.samples import (
    KERNEL,
    KERNEL_EVIDENCE,
    KERNEL_PAIR,
    KERNEL_RELATION,
    LADDER_STATES,
    WALK_STATES,
    Path,
    certificate,
    model,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
RELATED: Path = ("evidence", "related")
UNRELATED: Path = ("evidence", "unrelated")
ALPHA: Path = ("claim", "alpha")
NOTHING: Json = {"related": [], "unrelated": []}


def asked(
    start: str, end: str, value: str, evidence: Json, states: Any = WALK_STATES, alpha: str = "3/2"
) -> Json:
    claim = {"alpha": alpha, "from": start, "kind": "kernel", "scope": "pair", "to": end, "value": value}
    return certificate(claim, model(states), evidence)


# The claim rule


@pytest.mark.parametrize(
    ("start", "end", "value"),
    [("s", "t", "0"), ("t", "s", "1"), ("i", "j", "1"), ("j", "i", "0"), ("z", "z", "0"), ("s", "z", "1")],
)
def test_values(start: str, end: str, value: str) -> None:
    accepted(asked(start, end, value, KERNEL_EVIDENCE))
    refused(asked(start, end, "1" if value == "0" else "0", KERNEL_EVIDENCE), ClaimOpen)


@pytest.mark.parametrize(("start", "end", "value"), [("s", "s", "0"), ("s", "z", "1")])
def test_values_without_evidence(start: str, end: str, value: str) -> None:
    accepted(asked(start, end, value, NOTHING))


@pytest.mark.parametrize("value", ["0", "1"])
def test_a_pair_without_a_row_is_not_known(value: str) -> None:
    refused(asked("s", "t", value, NOTHING), ClaimOpen)


def test_relations() -> None:
    accepted(KERNEL_RELATION)
    back: dict[Path, Json] = {("claim", "from"): "s", ("claim", "to"): "t"}
    refused(edited(KERNEL_RELATION, back), ClaimOpen)
    # The maximum is 1 because of (t,s), so it is not 0.
    refused(edited(KERNEL_RELATION, back | {("claim", "value"): "0"}), ClaimOpen)


def test_a_relation_of_related_pairs() -> None:
    # j and k, k and i are related in both directions; i and j in one only.
    evidence = edited(KERNEL_PAIR, {})["evidence"]
    claim = {"alpha": "3/2", "from": "k", "kind": "kernel", "scope": "relation", "to": "j", "value": "0"}
    pairs = [["i", "i"], ["i", "k"], ["j", "k"], ["k", "i"], ["k", "j"]]
    accepted(certificate(claim, model(WALK_STATES, pairs), evidence))
    more = [*pairs[:1], ["i", "j"], *pairs[1:2], ["j", "i"], *pairs[2:]]
    refused(certificate(claim, model(WALK_STATES, more), evidence), ClaimOpen)


@pytest.mark.parametrize("path", [(*RELATED, 3), (*UNRELATED, 1)])
def test_all_pairs_need_a_row_for_every_pair_of_equal_label(path: Path) -> None:
    accepted(KERNEL)
    refused(edited(KERNEL, {path: ...}), ClaimOpen, "no row")


# The related rule


@pytest.mark.parametrize(
    ("coupling", "words"),
    [
        ([], "carry"),
        ([[2, 4, "2/5"]], "carry"),  # k: α · 2/5 is left over
        ([[2, 4, "2/5"], [4, 3, "599/1000"]], "carry"),
        ([[2, 4, "3999/10000"], [4, 3, "3/5"]], "carry"),
        ([[2, 4, "2/5"], [4, 3, "6001/10000"]], "carry"),  # j: −9/10 + α · 6001/10000
        ([[2, 3, "2/5"]], "it uses a pair without a related row"),  # (i,j) is unrelated
        ([[2, 0, "2/5"]], "it uses a pair without a related row"),
        ([[2, 4, "2/5"], [4, 3, "3/5"], [5, 6, "1/10"]], "carry"),
    ],
)
def test_couplings_that_do_not_relate(coupling: Json, words: str) -> None:
    refused(edited(KERNEL_PAIR, {(*RELATED, 5, "coupling"): coupling}), RuleBroken, words)


@pytest.mark.parametrize("alpha", ["149/100", "151/100", "8/5"])
def test_the_coupling_is_that_of_one_alpha(alpha: str) -> None:
    # k takes in 2/5 and gives 3/5 away, which is just what 3/2 needs.
    only = {"related": KERNEL_EVIDENCE["related"][5:], "unrelated": []}
    zeros = [{"coupling": [], "pair": pair} for pair in ([2, 4], [4, 3])]
    accepted(asked("s", "t", "0", only | {"related": zeros + only["related"]}))
    refused(asked("s", "t", "0", only | {"related": zeros + only["related"]}, alpha=alpha), RuleBroken)


def test_pairs_may_relate_each_other_in_circles() -> None:
    states = {"s": ("a", {"t": "1"}), "t": ("a", {"s": "1"})}
    rows = [{"coupling": [[1, 0, "1"]], "pair": [0, 1]}, {"coupling": [[0, 1, "1"]], "pair": [1, 0]}]
    accepted(asked("s", "t", "0", {"related": rows, "unrelated": []}, states, "1"))
    refused(
        asked("s", "t", "0", {"related": rows[:1], "unrelated": []}, states, "1"),
        RuleBroken,
        "it uses a pair without a related row",
    )


@pytest.mark.parametrize(
    ("coupling", "failure"),
    [
        ([[2, 2, "2/5"]], BadEvidence),
        ([[4, 3, "3/5"], [2, 4, "2/5"]], BadEvidence),
        ([[2, 4, "1/5"], [2, 4, "1/5"], [4, 3, "3/5"]], BadEvidence),
        ([[2, 4, "-2/5"]], Malformed),
        ([[2, 4, "0"]], Malformed),
        ([[2, 8, "2/5"]], Malformed),
        (None, Malformed),
    ],
)
def test_shapes_of_couplings(coupling: Json, failure: Any) -> None:
    refused(edited(KERNEL_PAIR, {(*RELATED, 5, "coupling"): coupling}), failure)


# The unrelated rule


@pytest.mark.parametrize(
    ("g", "words"),
    [
        ([[3, "1"]], "too large"),
        ([[2, "2"], [3, "3"]], "too large"),  # k counts, though no state goes there
        ([[3, "3"], [4, "2"]], "too large"),
        ([[2, "2"], [3, "3"], [4, "199/100"]], "too large"),
        ([[2, "2"], [3, "301/100"], [4, "2"]], "too large"),
        ([[2, "2"], [3, "3"], [4, "2"], [5, "1"]], "too large"),
        ([[2, "2"], [3, "2"], [4, "2"]], "gain nothing"),
        ([], "gain nothing"),
    ],
)
def test_potentials_that_do_not_separate(g: Json, words: str) -> None:
    refused(edited(KERNEL, {(*UNRELATED, 1, "potentials"): g}), RuleBroken, words)


@pytest.mark.parametrize(
    "g",
    [
        [[2, "4"], [3, "6"], [4, "4"]],
        [[2, "2"], [3, "3"], [4, "3"]],
        [[2, "1/50"], [3, "3/100"], [4, "1/50"]],
    ],
)
def test_potentials_that_do(g: Json) -> None:
    accepted(edited(KERNEL, {(*UNRELATED, 1, "potentials"): g}))


def ladder(rank: int, below: int, g: Json = None) -> Json:
    rows = [
        {"pair": [2, 3], "potentials": [[4, "1"]] if g is None else g, "rank": rank},
        {"pair": [4, 5], "potentials": [[0, "1"]], "rank": below},
    ]
    return asked("s", "t", "1", {"related": [], "unrelated": rows}, LADDER_STATES)


@pytest.mark.parametrize(
    ("rank", "below", "holds"), [(2, 1, True), (10**17, 1, True), (1, 1, False), (1, 2, False), (2, 2, False)]
)
def test_ranks_are_an_order_of_removal(rank: int, below: int, holds: bool) -> None:
    if holds:
        accepted(ladder(rank, below))
    else:
        refused(ladder(rank, below), RuleBroken, "too large")


@pytest.mark.parametrize(("below", "holds"), [(1, True), (2, False), (3, False)])
def test_pairs_of_one_rank_are_removed_together(below: int, holds: bool) -> None:
    # The ladder upside down: the pair that must be removed first also stands first.
    states = {
        "A": ("A", {"A": "1"}),
        "B": ("B", {"B": "1"}),
        "a": ("one", {"A": "1"}),
        "b": ("one", {"B": "1"}),
        "c": ("two", {"a": "1"}),
        "d": ("two", {"b": "1"}),
    }
    rows = [
        {"pair": [2, 3], "potentials": [[0, "1"]], "rank": below},
        {"pair": [4, 5], "potentials": [[2, "1"]], "rank": 2},
    ]
    about = asked("c", "d", "1", {"related": [], "unrelated": rows}, states)
    if holds:
        accepted(about)
    else:
        refused(about, RuleBroken, "potentials of (4, 5)")


def test_a_removed_pair_counts_in_one_direction_only() -> None:
    # (u,v) is removed, (v,u) is not.
    accepted(ladder(2, 1, [[4, "4"], [5, "1"]]))
    refused(ladder(2, 1, [[4, "1"], [5, "1"]]), RuleBroken, "gain nothing")
    refused(ladder(2, 1, [[4, "4"], [5, "7"]]), RuleBroken, "too large")


def test_a_removed_pair_needs_evidence_of_its_own() -> None:
    refused(edited(ladder(2, 1), {(*UNRELATED, 1): ...}), RuleBroken, "too large")
    refused(edited(ladder(2, 1), {(*UNRELATED, 1, "potentials"): [[1, "1"]]}), RuleBroken, "(4, 5)")


@pytest.mark.parametrize("rank", [0, -1, "1", True, None])
def test_ranks(rank: Json) -> None:
    refused(edited(KERNEL, {(*UNRELATED, 0, "rank"): rank}), Malformed)


@pytest.mark.parametrize(
    ("g", "failure"),
    [
        ([[0, "0"]], Malformed),
        ([[0, "-1"]], Malformed),
        ([[0, "from", 1]], Malformed),
        ([[8, "1"]], Malformed),
        ([[1, "1"], [0, "1"]], BadEvidence),
        ([[0, "1"], [0, "1"]], BadEvidence),
        (None, Malformed),
    ],
)
def test_shapes_of_potentials(g: Json, failure: Any) -> None:
    refused(edited(KERNEL, {(*UNRELATED, 0, "potentials"): g}), failure)


# Rows


def test_rows_are_sorted_pairs_of_equal_label_without_repetition() -> None:
    rows = KERNEL_EVIDENCE["related"]
    refused(edited(KERNEL, {RELATED: [rows[1], rows[0], *rows[2:]]}), BadEvidence, "order")
    refused(edited(KERNEL, {RELATED: [rows[0], *rows]}), BadEvidence, "order")
    for pair in ([7, 7], [5, 7], [6, 0]):
        refused(
            edited(KERNEL_PAIR, {(*RELATED, 5, "pair"): pair}), BadEvidence, "the pair is not of equal label"
        )
        refused(
            edited(KERNEL_PAIR, {(*UNRELATED, 1, "pair"): pair}),
            BadEvidence,
            "the pair is not of equal label",
        )


def test_no_pair_is_both() -> None:
    rows = [*KERNEL_EVIDENCE["unrelated"][:1], {"pair": [5, 6], "potentials": [[2, "1"]], "rank": 9}]
    refused(edited(KERNEL, {UNRELATED: rows}), BadEvidence, "both")


@pytest.mark.parametrize("key", ["related", "unrelated"])
def test_keys(key: str) -> None:
    refused(edited(KERNEL, {("evidence", key): ...}), Malformed, "key")
    refused(edited(KERNEL, {("evidence", key): None}), Malformed)
    refused(edited(KERNEL, {("evidence", key, 0, "value"): "0"}), Malformed, "key")
    refused(edited(KERNEL, {("evidence", "exact"): []}), Malformed, "key")
