"""The lower rule: 0 ≤ f ≤ 1, f_i − α f_j ≤ d(i,j) for every pair, Σ f_k b_k ≥ value; and how f is written."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, Malformed, RuleBroken
from tests.certificate.samples import INTERVAL, LADDER_STATES, Path, certificate, model, pair_claim
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
ROWS: Path = ("evidence", "lower", "rows")
VALUE: Path = (*ROWS, 1, "value")


def steps(potentials: Json, value: str = "1", alpha: str = "2", distances: Json = ()) -> Json:
    """s goes to i, t to B; i, j, k are pairs, which go to A with 1, 1/4, 0 and else to B. A row for (s,t).

    Indices: A 0, B 1, i 2, j 3, k 4, s 5, t 6. b_i = 1, b_B = −α. Values are eighths.
    """
    states = {
        "A": ("A", {"A": "1"}),
        "B": ("B", {"B": "1"}),
        "i": ("mid", {"A": "1"}),
        "j": ("mid", {"A": "1/4", "B": "3/4"}),
        "k": ("mid", {"B": "1"}),
        "s": ("start", {"i": "1"}),
        "t": ("start", {"B": "1"}),
    }
    # f_A = 1 gains at least 1/2 for (i,j) and (i,k), and 1/4 for (j,k), at α = 2
    rows = [
        {"pair": pair, "potentials": [[0, "1"]], "rank": 1, "rank_potentials": [[0, "1"]], "value": eighths}
        for pair, eighths in distances
    ]
    row = {"pair": [5, 6], "potentials": potentials, "value": value}
    rank = {"rank": 1, "rank_potentials": [[2, "1"]]} if value != "0" else {}
    claim = pair_claim("ld", "s", "t", "0", "1", alpha)
    return certificate(claim, model(states), {"lower": {"denominator": "8", "rows": [*rows, row | rank]}})


IJ, IK, JK = ([2, 3], "2"), ([2, 4], "4"), ([3, 4], "2")
FAR_IK, NEAR_JK = ([2, 4], "8"), ([3, 4], "1")


@pytest.mark.parametrize(
    ("potentials", "distances"),
    [
        # without distances, i, j and k must agree up to α, if they are listed
        ([[2, "1/8"]], []),
        ([[2, "1/8"], [3, "1/16"]], []),
        ([[2, "1/8"], [3, "1/16"], [4, "1/16"]], []),
        ([[4, "1/16"], [3, "1/16"], [2, "1/8"]], []),
        ([[2, "1"], [3, "1"], [4, "1"]], []),
        # d(i,j) = 1/4, and k is where mass could go from i to j for nothing
        ([[2, "1/4"], [3, "1/16"]], [IJ]),
        ([[2, "1/4"], [3, "1/16"], [4, "1/8"]], [IJ]),
        ([[2, "1/2"], [3, "1/8"], [4, "1/4"]], [IJ]),
        # d(i,j) = 1/4, d(i,k) = 1/2
        ([[2, "1/4"], [3, "0"]], [IJ, IK]),
        ([[2, "1/4"], [3, "0"], [4, "0"]], [IJ, IK]),
        ([[2, "1/2"], [3, "1/8"]], [IJ, IK]),
        ([[2, "1/2"], [3, "1/8"], [4, "1/16"]], [IJ, IK]),
        # j lies between i and k: d(i,j) + α d(j,k) = 1/4 + 1/4, or + α d(j,k) + α² f_k = 1/4 + 1/4 + 1/4
        ([[2, "1/2"], [4, "0"]], [IJ, FAR_IK, NEAR_JK]),
        ([[2, "3/4"], [4, "1/16"]], [IJ, FAR_IK, NEAR_JK]),
        # states whose label differs demand nothing
        ([[2, "1/8"], [0, "1"], [5, "1/2"]], []),
        ([[2, "1/8"], [6, "1/2"], [5, "1"]], []),
    ],
)
def test_potentials_that_are_smooth(potentials: Json, distances: Json) -> None:
    accepted(steps(potentials, distances=distances))


@pytest.mark.parametrize(
    ("potentials", "distances", "words"),
    [
        ([[2, "1/8"], [3, "1/17"]], [], "d(2,3)"),
        ([[2, "1/8"], [3, "1/16"], [4, "999/16000"]], [], "d(2,4)"),
        ([[2, "1"], [3, "1"], [4, "499/1000"]], [], "d(2,4)"),
        ([[2, "1/4"], [3, "0"], [4, "1/8"]], [IJ], "d(4,3)"),
        ([[2, "1001/4000"], [3, "0"]], [IJ, IK], "d(2,3)"),
        ([[2, "1/2"], [3, "124999/1000000"], [4, "0"]], [IJ, IK, JK], "d(2,3)"),
        ([[2, "1/8"], [5, "1/2"], [6, "0"]], [], "d(5,6)"),
        # what is listed is fine, and does not extend to the rest
        ([[2, "1/4"], [3, "0"]], [IJ], "extend"),
        ([[2, "1/4"], [3, "1/17"]], [IJ], "extend"),
        ([[2, "501/1000"], [4, "0"]], [IJ, FAR_IK, NEAR_JK], "extend"),
        ([[2, "7501/10000"], [4, "1/16"]], [IJ, FAR_IK, NEAR_JK], "extend"),
        ([[2, "1/2"], [4, "0"]], [IJ, FAR_IK], "extend"),
        ([[2, "1/2"], [4, "0"]], [FAR_IK, NEAR_JK], "extend"),
    ],
)
def test_potentials_that_are_not(potentials: Json, distances: Json, words: str) -> None:
    refused(steps(potentials, distances=distances), RuleBroken, words)


@pytest.mark.parametrize(("number", "holds"), [("11/16", True), ("11001/16000", False)])
def test_the_detour_at_another_alpha(number: str, holds: bool) -> None:
    # d(i,j) + 3/2 d(j,k) + 9/4 f_k = 1/4 + 3/16 + 1/4
    about = steps([[2, number], [4, "1/9"]], alpha="3/2", distances=[IJ, FAR_IK, NEAR_JK])
    if holds:
        accepted(about)
    else:
        refused(about, RuleBroken, "extend")


@pytest.mark.parametrize(
    ("potentials", "words"),
    [
        # h and k are free: the least d(i,u) is d(i,h) = 1/4, the least d(u,j) is d(k,j) = 1/2
        ([[3, "3/4"], [4, "0"]], None),
        ([[3, "1"], [4, "0"]], "extend"),
        # k is free: d(i,k) = d(k,j) = 1/2, and h does not count
        ([[3, "1"], [2, "3/4"], [4, "0"]], None),
        ([[3, "1"], [2, "3/4"], [4, "0"], [5, "1/2"]], None),
        # h is free: d(i,h) = 1/4, d(h,j) = 3/4
        ([[3, "1"], [5, "1/2"], [4, "0"]], None),
        ([[3, "1"], [5, "1/4"], [4, "0"]], "d(3,5)"),
    ],
)
def test_the_detour_takes_the_least_way_in_and_the_least_way_out(potentials: Json, words: str | None) -> None:
    """h, i, j, k go to A with 3/4, 1, 0, 1/2, else to B. Indices: A 0, B 1, h 2, i 3, j 4, k 5, s 6, t 7."""
    weights = {"h": ("3/4", "1/4"), "k": ("1/2", "1/2")}
    states = {name: ("mid", {"A": x, "B": y}) for name, (x, y) in weights.items()}
    states |= {
        "A": ("A", {"A": "1"}),
        "B": ("B", {"B": "1"}),
        "i": ("mid", {"A": "1"}),
        "j": ("mid", {"B": "1"}),
    }
    states |= {"s": ("start", {"i": "1"}), "t": ("start", {"B": "1"})}
    quarters = {(2, 4): "3", (2, 5): "1", (3, 2): "1", (3, 4): "4", (3, 5): "2", (5, 4): "2"}
    rows = [
        {
            "pair": list(pair),
            "potentials": [[0, "1"]],
            "rank": 1,
            "rank_potentials": [[0, "1"]],
            "value": value,
        }
        for pair, value in quarters.items()
    ]
    rows.append({"pair": [6, 7], "potentials": potentials, "value": "0"})
    claim = pair_claim("ld", "s", "t", "0", "1", "1")
    about = certificate(claim, model(states), {"lower": {"denominator": "4", "rows": rows}})
    if words is None:
        accepted(about)
    else:
        refused(about, RuleBroken, words)


@pytest.mark.parametrize("outside", [False, True])
def test_the_least_unit_counts(outside: bool) -> None:
    # Over D = 1: f_u = 1 and f_v = 0 where d(u,v) = 0, or where it is 1 and w lies between.
    states = LADDER_STATES | ({"w": ("two", {"A": "1"})} if outside else {})
    row = {"pair": [2, 3], "potentials": [[4, "1"]], "rank": 2, "rank_potentials": [[4, "1"]], "value": "1"}
    below = {"pair": [4, 5], "potentials": [[0, "1"]], "rank": 1, "rank_potentials": [[0, "1"]], "value": "1"}
    table = {"denominator": "1", "rows": [row, below] if outside else [row]}
    about = certificate(pair_claim("ld", "s", "t", "0", "1", "2"), model(states), {"lower": table})
    refused(about, RuleBroken, "extend" if outside else "d(4,5)")


def test_a_state_that_loses_has_potential_0_without_an_entry() -> None:
    # (s,t) of the ladder, or of the fork below: b_v = −2, so f_v = 0 counts although v has no entry.
    def fork(value: str) -> Json:
        row = {
            "pair": [2, 3],
            "potentials": [[4, "1"]],
            "rank": 2,
            "rank_potentials": [[4, "1"]],
            "value": "1",
        }
        below = {"pair": [4, 5], "potentials": [[0, "1"]], "rank": 1, "rank_potentials": [[0, "1"]]}
        table = {"denominator": "4", "rows": [row, below | {"value": value}]}
        return certificate(pair_claim("ld", "s", "t", "0", "1", "2"), model(LADDER_STATES), {"lower": table})

    accepted(fork("4"))
    refused(fork("3"), RuleBroken, "d(4,5)")
    at_once: Path = (*ROWS, 0, "potentials")
    accepted(edited(fork("3"), {at_once: [[4, "to", 5]]}))
    accepted(edited(fork("3"), {at_once: [[5, "0"], [4, "to", 5]]}))
    refused(edited(fork("3"), {at_once: [[4, "from", 5]]}), BadEvidence, "earlier")
    # f_v was 0 for f_u, so that it must not be anything else later on.
    refused(edited(fork("3"), {at_once: [[4, "to", 5], [5, "0"]]}), BadEvidence, "twice")
    refused(edited(fork("3"), {at_once: [[4, "to", 5], [5, "1/8"]]}), BadEvidence, "twice")


@pytest.mark.parametrize(
    ("potentials", "value"),
    [
        ([[2, "1"], [3, "1"], [4, "1"]], "8"),
        ([[2, "1"], [3, "1"], [4, "1"], [1, "1/16"]], "7"),
        ([[2, "1"], [3, "1"], [4, "1"], [1, "1/2"]], "0"),
        ([], "0"),
    ],
)
def test_the_gain_reaches_the_value(potentials: Json, value: str) -> None:
    accepted(steps(potentials, value))
    if value not in ("0", "8"):
        refused(steps(potentials, str(int(value) + 1)), RuleBroken, "gain less")


def test_a_gain_below_nothing_does_not_do_for_value_0() -> None:
    refused(steps([[1, "1/2"]], "0"), RuleBroken, "gain less")


@pytest.mark.parametrize("number", ["1000001/1000000", "2", "-1", "-1/1000000"])
def test_potentials_lie_between_0_and_1(number: str) -> None:
    # At A, which weighs nothing for (s,t).
    accepted(steps([[2, "1"], [3, "1"], [4, "1"], [0, "1"]]))
    refused(steps([[2, "1"], [3, "1"], [4, "1"], [0, number]]), RuleBroken, "between 0 and 1")


@pytest.mark.parametrize(
    ("potentials", "distances"),
    [
        ([[2, "1/4"], [3, "from", 2], [4, "from", 2]], []),  # f_j = f_k = 1/8
        ([[2, "1/4"], [4, "from", 2], [3, "from", 4]], [IJ]),  # f_k = 1/8, f_j = 1/16
        ([[2, "3/4"], [3, "from", 2], [4, "from", 3]], [IJ, IK]),  # f_j = 1/4, f_k = 1/8
        ([[3, "1/8"], [2, "to", 3], [4, "from", 2]], [IJ]),  # f_i = 1/2, f_k = 1/4
        ([[4, "1/8"], [3, "to", 4], [2, "from", 3]], []),  # f_j = 1/4, f_i = 1/8
        ([[4, "1/8"], [2, "to", 4], [3, "from", 2]], []),  # f_i = 1/4, f_j = 1/8
    ],
)
def test_derived_potentials(potentials: Json, distances: Json) -> None:
    accepted(steps(potentials, distances=distances))


@pytest.mark.parametrize(
    ("potentials", "distances", "words"),
    [
        ([[4, "0"], [3, "to", 4], [2, "to", 3]], [IJ, IK, JK], "d(2,4)"),  # f_j = 1/4, f_i = 3/4
        ([[2, "1/2"], [4, "from", 2], [3, "from", 2]], [IJ, IK], "f_3"),  # f_k = 0, f_j = 1/8
        ([[3, "0"], [2, "to", 3], [4, "from", 2]], [IJ], "f_4"),  # f_i = 1/4, f_k = 1/8
    ],
)
def test_derived_potentials_are_potentials(potentials: Json, distances: Json, words: str) -> None:
    refused(steps(potentials, distances=distances), RuleBroken, words)


def test_derived_potentials_to_the_last_digit() -> None:
    # f_i = 1/4 + 2 · 1/8, so that (s,t) gains 1/2, and no more.
    potentials = [[3, "1/8"], [2, "to", 3], [4, "from", 2]]
    accepted(steps(potentials, "4", distances=[IJ]))
    refused(steps(potentials, "5", distances=[IJ]), RuleBroken, "gain less")
    longer = {("evidence", "lower", "denominator"): "8" + "0" * 5_000, (*ROWS, 0, "value"): "2" + "0" * 5_000}
    for value, holds in (("4" + "0" * 5_000, True), ("4" + "0" * 4_999 + "1", False)):
        changed = edited(steps(potentials, distances=[IJ]), longer | {VALUE: value})
        if holds:
            accepted(changed)
        else:
            refused(changed, RuleBroken, "gain less")


@pytest.mark.parametrize("denominator", ["2", "1" + "0" * 5_000])
def test_differences_to_the_last_digit(denominator: str) -> None:
    # f_u = 1 and f_v = 0 need d(u,v) = 1; one less in the last place is not enough.
    row = {"pair": [2, 3], "potentials": [[4, "1"]], "rank": 2, "rank_potentials": [[4, "1"]], "value": "1"}
    below = {"pair": [4, 5], "potentials": [[0, "1"]], "rank": 1, "rank_potentials": [[0, "1"]]}
    claim = pair_claim("ld", "s", "t", "0", "1", "2")
    less = "1" if denominator == "2" else "9" * 5_000
    for value, holds in ((denominator, True), (less, False)):
        table = {"denominator": denominator, "rows": [row, below | {"value": value}]}
        about = certificate(claim, model(LADDER_STATES), {"lower": table})
        if holds:
            accepted(about)
        else:
            refused(about, RuleBroken, "d(4,5)")


def test_long_chains_of_derivations() -> None:
    # Up and down again: powers of α = 3/2 must cancel, whatever the order.
    chain = model(
        {"A": ("A", {"A": "1"}), "B": ("B", {"B": "1"})}
        | {f"c{n:02}": ("c", {"A": "1"}) for n in range(40)}
        | {"s": ("s", {"c00": "1"}), "t": ("s", {"B": "1"})}
    )
    up_and_down = [[2 + n, "from" if n % 2 else "to", 1 + n] for n in range(1, 40)]
    down = [[2 + n, "from", 1 + n] for n in range(1, 3)] + [[2 + n, "from", 2] for n in range(3, 40)]
    row = {"pair": [42, 43], "rank": 1, "rank_potentials": [[2, "1"]], "value": "1"}
    claim = pair_claim("ld", "s", "t", "1", "1", "3/2")
    for potentials, holds in (([[2, "1"], *up_and_down], True), ([[2, "1"], *down], False)):
        row["potentials"] = potentials
        about = certificate(claim, chain, {"lower": {"denominator": "1", "rows": [row]}})
        if holds:
            accepted(about)
        else:
            refused(about, RuleBroken, "f_2 is too large")  # f falls to 4/9 and f_i may fall to 2/3


@pytest.mark.parametrize(
    ("potentials", "words"),
    [
        ([[3, "from", 2], [2, "1/4"], [4, "from", 2]], "earlier"),
        ([[2, "from", 2], [3, "1"], [4, "1"]], "earlier"),
        ([[2, "to", 3]], "earlier"),
        ([[2, "1/4"], [3, "from", 2], [4, "to", 5]], "earlier"),
        ([[2, "1/4"], [3, "from", 2], [0, "to", 2]], "is not a pair of equal label"),
        ([[2, "1/4"], [3, "from", 2], [0, "from", 2]], "is not a pair of equal label"),
        ([[2, "1/4"], [3, "1/8"], [4, "1/8"], [2, "1/4"]], "twice"),
        ([[2, "1/4"], [3, "1/8"], [4, "1/8"], [3, "from", 2]], "twice"),
        ([[2, "1/4"], [2, "from", 2]], "is not a pair of equal label"),
    ],
)
def test_entries_follow_from_earlier_ones_of_pairs_of_equal_label(potentials: Json, words: str) -> None:
    refused(steps(potentials), BadEvidence, words)


@pytest.mark.parametrize(
    "entry",
    [
        [],
        [4],
        [4, 1],
        [4, "1/8", 2],
        [4, "via", 2],
        [4, "From", 2],
        [4, "from"],
        [4, "from", 2, 2],
        [4, "from", "2"],
        [4, "from", True],
        [4, "from", 7],
        [4, "to", -1],
        [4, "to", None],
        [7, "1/8"],
        ["k", "1/8"],
        [True, "1/8"],
        [4, None],
        [4, ["1/8"]],
        [4, "2/16"],
        [4, "0.125"],
        "4",
        {"4": "1/8"},
        None,
    ],
)
def test_shapes_of_entries(entry: Json) -> None:
    refused(steps([[2, "1/4"], [3, "from", 2], entry]), Malformed)


def test_derived_potentials_lie_between_0_and_1() -> None:
    refused(steps([[2, "1/4"], [4, "from", 2]], distances=[IJ, IK]), RuleBroken, "between 0 and 1")
    refused(steps([[4, "1/2"], [2, "to", 4]], distances=[IJ, IK]), RuleBroken, "between 0 and 1")


def test_potentials_are_listed() -> None:
    refused(steps({}), Malformed)
    refused(steps(None), Malformed)


def test_every_row_is_looked_at() -> None:
    # A row of value 0 says nothing, but its potentials are looked at all the same.
    row = {"pair": [2, 3], "potentials": [[0, "2"]], "value": "0"}
    refused(edited(INTERVAL, {(*ROWS, 0): row}), RuleBroken, "(2, 3)")


def test_rows_are_sorted_pairs_of_equal_label_of_value_at_most_1() -> None:
    rows = INTERVAL["evidence"]["lower"]["rows"]
    refused(edited(INTERVAL, {ROWS: rows[::-1]}), BadEvidence, "order")
    refused(edited(INTERVAL, {ROWS: [rows[0], rows[0], rows[1]]}), BadEvidence, "order")
    refused(edited(INTERVAL, {(*ROWS, 1, "pair"): [5, 5]}), BadEvidence, "the pair is not of equal label")
    refused(edited(INTERVAL, {(*ROWS, 1, "pair"): [5, 7]}), BadEvidence, "the pair is not of equal label")
    refused(edited(INTERVAL, {VALUE: "1501"}), BadEvidence, "above 1")
    refused(edited(INTERVAL, {(*ROWS, 1, "coupling"): []}), Malformed, "unknown key")


def test_the_value_may_be_less_than_the_gain() -> None:
    accepted(edited(INTERVAL, {VALUE: "12"}))
    refused(edited(INTERVAL, {VALUE: "14"}), RuleBroken, "gain less")
