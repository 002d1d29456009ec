"""The rank rule, which keeps d at 0 on skewed bisimilarity, where it could be anything that feeds itself."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, Malformed, RuleBroken
from tests.certificate.samples import LADDER, WALK, Path, certificate, model, pair_claim
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
ROWS: Path = ("evidence", "exact", "rows")


def spinning(row: Json, alpha: str = "1") -> Json:
    """s and t have one label and stay where they are: ld(s,t) = 0, though any d(s,t) = f_s feeds itself.

    Indices: s 0, t 1. b_s = 1, b_t = −α.
    """
    chain = model({"s": ("a", {"s": "1"}), "t": ("a", {"t": "1"})})
    table = {"denominator": "2", "rows": [{"pair": [0, 1]} | row]}
    return certificate(pair_claim("ld", "s", "t", "0", "1", alpha), chain, {"lower": table})


@pytest.mark.parametrize("alpha", ["1", "2", "1000001/1000000"])
@pytest.mark.parametrize("value", ["1", "2"])
def test_a_distance_that_feeds_itself(alpha: str, value: str) -> None:
    row = {"potentials": [[0, "1" if value == "2" else "1/2"]], "value": value}
    refused(spinning(row, alpha), RuleBroken, "no rank")
    for rank in (1, 2, 10**17):
        for g in ([[0, "1"]], [[0, "1"], [1, "1/2"]], [[0, "1"], [1, "1"]], [[1, "1"]], []):
            ranked = row | {"rank": rank, "rank_potentials": g}
            refused(spinning(ranked, alpha), RuleBroken, "rank potentials of (0, 1)")


def test_rows_of_value_0_need_no_rank_and_have_none() -> None:
    row: Json = {"potentials": [], "value": "0"}
    accepted(spinning(row))
    refused(spinning(row | {"rank": 1, "rank_potentials": [[0, "1"]]}), BadEvidence, "value 0")


@pytest.mark.parametrize(
    ("ranks", "holds"),
    [
        ((2, 2, 1, 1), True),
        ((7, 5, 3, 4), True),
        ((2, 10**17, 1, 10**17 - 1), True),
        ((1, 2, 1, 1), False),  # (s,t) stands no higher than (u,v)
        ((2, 1, 1, 1), False),
        ((1, 2, 2, 1), False),
        ((2, 2, 2, 1), False),
        ((2, 2, 1, 2), False),
    ],
)
def test_a_step_is_free_of_rows_of_lower_rank(ranks: tuple[int, ...], holds: bool) -> None:
    changed = edited(LADDER, {(*ROWS, n, "rank"): rank for n, rank in enumerate(ranks)})
    if holds:
        accepted(changed)
    else:
        refused(changed, RuleBroken, "rank potentials of")


def test_rank_potentials_may_fall_by_alpha() -> None:
    # With g_u ≤ 2 g_v nothing needs to be lower, but nothing is gained either: b_u = 1, b_v = −2.
    g: Path = (*ROWS, 0, "rank_potentials")
    same = {(*ROWS, 0, "rank"): 1}
    refused(edited(LADDER, same | {g: [[4, "2"], [5, "1"]]}), RuleBroken, "gain nothing")
    refused(edited(LADDER, same | {g: [[4, "2000001"], [5, "1000000"]]}), RuleBroken, "g_4")
    accepted(edited(LADDER, {g: [[4, "2000001"], [5, "1000000"]]}))
    refused(edited(LADDER, {g: [[4, "2"], [5, "1"]]}), RuleBroken, "gain nothing")


def test_only_rows_of_the_same_value_bind() -> None:
    # In a lower table, (u,v) may be said to be more than (s,t), or less: it binds no more, whatever its rank.
    rows = [
        {key: row[key] for key in row if key != "coupling"} for row in LADDER["evidence"]["exact"]["rows"]
    ]
    claim = pair_claim("ld", "s", "t", "1/2", "1", "2")
    for here, there, holds in (("1", "1", False), ("1", "2", True)):
        half = "1/2" if here == "1" else "1"
        lower = [
            rows[0] | {"value": here, "rank": 1, "potentials": [[4, half]]},
            rows[2] | {"value": there, "rank": 9},
        ]
        about = certificate(claim, LADDER["model"], {"lower": {"denominator": "2", "rows": lower}})
        if holds:
            accepted(about)
        else:
            refused(about, RuleBroken, "rank potentials of (2, 3)")


def test_a_strict_gain_needs_no_rank_and_counts_as_rank_0() -> None:
    # (u,v) gains 1 where 1/2 is claimed. (s,t) gains 1/2, and needs a rank above 0.
    rows = [
        {key: row[key] for key in row if key != "coupling"} for row in LADDER["evidence"]["exact"]["rows"]
    ]
    bare = {key: rows[2][key] for key in ("pair", "potentials")} | {"value": "1"}
    first = rows[0] | {"value": "1", "rank": 1, "potentials": [[4, "1/2"]]}
    claim = pair_claim("ld", "s", "t", "1/2", "1", "2")
    for row, holds in ((bare, True), (bare | {"value": "2"}, False)):
        about = certificate(claim, LADDER["model"], {"lower": {"denominator": "2", "rows": [first, row]}})
        if holds:
            accepted(about)
        else:
            refused(about, RuleBroken, "no rank")


def test_a_strict_gain_may_have_a_rank_all_the_same_and_then_it_counts() -> None:
    rows = [
        {key: row[key] for key in row if key != "coupling"} for row in LADDER["evidence"]["exact"]["rows"]
    ]
    first = rows[0] | {"value": "1", "rank": 2, "potentials": [[4, "1/2"]]}
    claim = pair_claim("ld", "s", "t", "1/2", "1", "2")
    for rank in (1, 2):
        lower = {"denominator": "2", "rows": [first, rows[2] | {"value": "1", "rank": rank}]}
        about = certificate(claim, LADDER["model"], {"lower": lower})
        if rank == 1:
            accepted(about)
        else:
            refused(about, RuleBroken, "g_4")


@pytest.mark.parametrize(
    ("g", "failure"),
    [
        ([], RuleBroken),
        ([[0, "1"]], RuleBroken),  # b_A = 0
        ([[5, "1"]], RuleBroken),  # b_v < 0
        ([[4, "0"]], Malformed),
        ([[4, "-1"]], Malformed),
        ([[4, "2/2"]], Malformed),
        ([[4, 1]], Malformed),
        ([[4]], Malformed),
        ([[4, "from", 5]], Malformed),
        ([[6, "1"]], Malformed),
        ([[True, "1"]], Malformed),
        ([[5, "1/9"], [4, "1"]], BadEvidence),
        ([[4, "1"], [4, "1"]], BadEvidence),
        (None, Malformed),
        ({}, Malformed),
    ],
)
def test_shapes(g: Json, failure: Any) -> None:
    refused(edited(LADDER, {(*ROWS, 0, "rank_potentials"): g}), failure)


def test_equal_values_are_told_from_almost_equal_ones() -> None:
    # (u,v) is said to be a little more than (s,t), in the last of 5,000 digits: it does not bind.
    rows = [
        {key: row[key] for key in row if key != "coupling"} for row in LADDER["evidence"]["exact"]["rows"]
    ]
    value, zeros = "9" * 5_000, "0" * 4_999
    same, less = f"{value}/10{zeros}", f"4{value[1:]}/5{zeros}"
    for there, f, holds in ((value, same, False), (value[1:] + "8", less, True)):
        lower = [rows[0] | {"value": there, "rank": 1, "potentials": [[4, f]]}, rows[2] | {"value": value}]
        table = {"denominator": "10" + zeros, "rows": lower}
        about = certificate(pair_claim("ld", "s", "t", "0", "1", "2"), LADDER["model"], {"lower": table})
        if holds:
            accepted(about)
        else:
            refused(about, RuleBroken, "rank potentials of (2, 3)")


def test_rank_potentials_may_be_large() -> None:
    accepted(edited(LADDER, {(*ROWS, 0, "rank_potentials"): [[4, "9" * 5_000]]}))


@pytest.mark.parametrize("rank", [0, -1, "1", True, None, [1]])
def test_ranks(rank: Json) -> None:
    refused(edited(LADDER, {(*ROWS, 2, "rank"): rank}), Malformed)


def test_rank_and_potentials_come_together() -> None:
    both: dict[Path, Json] = {(*ROWS, 4, "rank"): ..., (*ROWS, 4, "rank_potentials"): ...}
    for path in both:
        refused(edited(WALK, {path: ...}), Malformed, "rank")
    refused(edited(WALK, both), RuleBroken, "no rank")


SPLITTERS: Path = ("evidence", "exact", "splitters")


def without_ranks(*rows: int) -> dict[Path, Json]:
    return {(*ROWS, n, key): ... for n in rows for key in ("rank", "rank_potentials")}


def test_pairs_of_value_1_that_splitters_separate_need_no_rank() -> None:
    # A parts u from v, and then u parts s from t.
    accepted(edited(LADDER, without_ranks(0, 1, 2, 3) | {SPLITTERS: [[0], [4]]}))
    accepted(edited(LADDER, without_ranks(2, 3) | {SPLITTERS: [[0]]}))
    # They count as rank 0, below all others.
    accepted(edited(LADDER, without_ranks(2, 3) | {SPLITTERS: [[0]], (*ROWS, 0, "rank"): 1}))
    refused(edited(LADDER, without_ranks(0, 1, 2, 3) | {SPLITTERS: [[0]]}), RuleBroken, "no rank")
    refused(edited(LADDER, without_ranks(0, 1, 2, 3)), RuleBroken, "no rank")
    refused(edited(LADDER, without_ranks(0, 1, 2, 3) | {SPLITTERS: []}), RuleBroken, "no rank")


def test_a_pair_that_is_separated_and_below_1_needs_a_rank() -> None:
    path: Path = (*ROWS, 4, "rank")
    apart: dict[Path, Json] = {SPLITTERS: [[0]], path: ..., (*ROWS, 4, "rank_potentials"): ...}
    refused(edited(WALK, apart | {SPLITTERS: [[0], [2]]}), RuleBroken, "no rank")
    accepted(edited(WALK, {SPLITTERS: [[0], [2]]}))


def test_splitters_do_not_separate_what_feeds_itself() -> None:
    row = {"potentials": [[0, "1"]], "value": "2"}
    for splitters in ([], [[0, 1]]):
        refused(edited(spinning(row), {("evidence", "lower", "splitters"): splitters}), RuleBroken, "no rank")
    refused(edited(spinning(row), {("evidence", "lower", "splitters"): [[0]]}), RuleBroken, "union")


@pytest.mark.parametrize(
    ("splitters", "failure"), [(None, Malformed), ([[]], BadEvidence), ([[2]], RuleBroken)]
)
def test_shapes_of_splitters(splitters: Json, failure: Any) -> None:
    refused(edited(LADDER, {SPLITTERS: splitters}), failure)


def test_upper_tables_have_no_splitters() -> None:
    upper = {"denominator": "1", "rows": []}
    refused(edited(LADDER, {("evidence",): {"upper": upper | {"splitters": []}}}), Malformed, "unknown key")
