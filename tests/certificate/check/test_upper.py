"""The upper rule: Σ w u + Σ_k max(0, b_k − Σ_j w(k,j) + α Σ_i w(i,k)) ≤ value."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, Malformed, RuleBroken
from tests.certificate.samples import INTERVAL, WALK, Path, certificate, model, pair_claim
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
ROWS: Path = ("evidence", "upper", "rows")
COUPLING: Path = (*ROWS, 3, "coupling")
VALUE: Path = (*ROWS, 3, "value")


def fork(coupling: Json, value: str, alpha: str = "2", others: Json = ()) -> Json:
    """s goes to i with 1/2, t to j with 1/4; i and j are pairs, which go to A and B. A row for (s,t).

    Indices: A 0, B 1, i 2, j 3, s 4, t 5. At α = 2: b_i = 1/2, b_j = −1/2, b_A = 1/2 − 3/2 < 0.
    """
    states = {
        "A": ("A", {"A": "1"}),
        "B": ("B", {"B": "1"}),
        "i": ("mid", {"A": "1"}),
        "j": ("mid", {"B": "1"}),
        "s": ("start", {"A": "1/2", "i": "1/2"}),
        "t": ("start", {"A": "3/4", "j": "1/4"}),
    }
    rows = [*others, {"coupling": coupling, "pair": [4, 5], "value": value}]
    claim = pair_claim("ld", "s", "t", "0", "1", alpha)
    return certificate(claim, model(states), {"upper": {"denominator": "12", "rows": rows}})


@pytest.mark.parametrize(
    ("coupling", "value"),
    [
        ([], "6"),  # all of b_i is left over
        ([], "12"),
        ([[2, 3, "1/4"]], "6"),  # 1/4 · 1, and 1/4 of b_i
        ([[2, 3, "1/2"]], "12"),  # 1/2 · 1, and j: −1/2 + 2 · 1/2
        ([[2, 0, "1/2"]], "6"),  # across labels at cost 1; A: −1 + 1
        ([[2, 0, "1/4"]], "6"),
        ([[2, 3, "1/1000000007"]], "7"),
    ],
)
def test_couplings_that_cost_no_more_than_the_value(coupling: Json, value: str) -> None:
    accepted(fork(coupling, value))
    if value == "6":
        refused(fork(coupling, "5"), RuleBroken, "costs more")


@pytest.mark.parametrize(
    ("coupling", "value"),
    [
        ([[2, 3, "1/2"]], "11"),
        ([[2, 3, "1"]], "12"),
        ([[2, 3, "1/1000000007"]], "5"),
        ([[3, 2, "1/2"]], "12"),  # the wrong way round
        ([[0, 2, "1/4"]], "11"),
        ([[5, 4, "1/12"]], "6"),  # 1/12 u(t,s), and s: 2 · 1/12; u(t,s) = 1
    ],
)
def test_couplings_that_cost_more(coupling: Json, value: str) -> None:
    refused(fork(coupling, value), RuleBroken, "costs more")


def test_a_row_may_use_other_rows_and_itself() -> None:
    zero = {"coupling": [], "pair": [2, 3], "value": "12"}
    accepted(fork([[2, 3, "1/4"]], "6", others=[zero]))
    # b_i is carried away by (s,t) itself only at a price: w(i,s) costs 1 because labels differ
    refused(fork([[2, 4, "1/4"], [4, 5, "1/2"]], "6"), RuleBroken)


def test_the_walk_carries_mass_over_an_outside_state() -> None:
    accepted(INTERVAL)
    # Without the second step 16/25 is left over at k.
    halfway = {COUPLING: [[2, 4, "2/5"]], ("claim", "upper"): "1"}
    accepted(edited(INTERVAL, halfway | {VALUE: "64"}))
    refused(edited(INTERVAL, halfway | {VALUE: "63"}), RuleBroken)


@pytest.mark.parametrize("n", range(4))
def test_every_row_is_looked_at(n: int) -> None:
    # A weight of 2/5 from A to B, which have different labels, costs 2/5 wherever it stands.
    refused(
        edited(INTERVAL, {(*ROWS, n, "coupling"): [[0, 1, "2/5"]], (*ROWS, n, "value"): "14"}), RuleBroken
    )


def test_the_shared_table_has_couplings_too() -> None:
    refused(edited(WALK, {("evidence", "exact", "rows", 4, "coupling"): []}), RuleBroken, "(5, 6)")


@pytest.mark.parametrize(
    ("coupling", "failure"),
    [
        ([[2, 2, "1/2"]], BadEvidence),
        ([[2, 4, "1/3"], [2, 3, "1/15"], [4, 3, "8/15"]], BadEvidence),
        ([[2, 3, "1/30"], [2, 3, "1/30"], [2, 4, "1/3"], [4, 3, "8/15"]], BadEvidence),
        ([[2, 3, "0"]], Malformed),
        ([[2, 3, "-1/2"]], Malformed),
        ([[2, 3, "2/4"]], Malformed),
        ([[2, 3, 1]], Malformed),
        ([[2, 3]], Malformed),
        ([[2, 3, "1/2", "1/2"]], Malformed),
        ([[2, 8, "1/2"]], Malformed),
        ([["i", "j", "1/2"]], Malformed),
        ([[True, 3, "1/2"]], Malformed),
        ([None], Malformed),
        ({}, Malformed),
    ],
)
def test_shapes(coupling: Json, failure: Any) -> None:
    refused(edited(INTERVAL, {COUPLING: coupling, VALUE: "100"}), failure)


@pytest.mark.parametrize(
    ("pair", "failure"),
    [
        ([5, 5], BadEvidence),
        ([5, 7], BadEvidence),
        ([5, 8], Malformed),
        ([6, 5], None),
        ([2, 3], BadEvidence),
    ],
)
def test_rows_are_sorted_pairs_of_equal_label(pair: Json, failure: Any) -> None:
    # The last row comes to stand for another pair; of (t,s) it says 1, which is always right.
    changed = edited(
        INTERVAL, {("claim", "upper"): "1", (*ROWS, 3, "pair"): pair, COUPLING: [], VALUE: "100"}
    )
    if failure is None:
        accepted(changed)
    else:
        refused(changed, failure)


def test_values_are_at_most_1() -> None:
    accepted(edited(INTERVAL, {VALUE: "100", ("claim", "upper"): "1"}))
    refused(edited(INTERVAL, {VALUE: "101", ("claim", "upper"): "1"}), BadEvidence, "above 1")


def test_rows_have_no_ranks_or_potentials() -> None:
    refused(edited(INTERVAL, {(*ROWS, 3, "potentials"): []}), Malformed, "unknown key")
    refused(edited(INTERVAL, {(*ROWS, 0, "rank"): 1, (*ROWS, 0, "rank_potentials"): [[0, "1"]]}), Malformed)


def test_long_numbers_count_to_the_last_digit() -> None:
    # At j, −24/25 + α · 16/25 = 8/125 is left over.
    zeros = [{"coupling": [], "pair": pair, "value": "0"} for pair in ([2, 4], [4, 3])]
    row = {"coupling": [[2, 4, "2/5"], [4, 3, "16/25"]], "pair": [5, 6]}
    for value, holds in (("64" + "0" * 4_997, True), ("63" + "9" * 4_997, False)):
        table = {"denominator": "1" + "0" * 5_000, "rows": [*zeros, row | {"value": value}]}
        changed = edited(INTERVAL, {("evidence", "upper"): table, ("claim", "upper"): "1"})
        if holds:
            accepted(changed)
        else:
            refused(changed, RuleBroken, "costs more")
