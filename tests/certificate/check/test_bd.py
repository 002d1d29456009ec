"""The symmetric distance: rows about unordered pairs, couplings both ways, potentials one way."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken
from tests.certificate.samples import (
    LADDER,
    LADDER_STATES,
    SYMMETRIC,
    SYMMETRIC_ROWS,
    Path,
    certificate,
    model,
    pair_claim,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
ROWS: Path = ("evidence", "exact", "rows")
LAST: Path = (*ROWS, 3)
BOUNDS: tuple[Path, Path] = (("claim", "lower"), ("claim", "upper"))


@pytest.mark.parametrize(("start", "end"), [("s", "t"), ("t", "s")])
def test_the_distance_is_symmetric(start: str, end: str) -> None:
    ends: dict[Path, Json] = {("claim", "from"): start, ("claim", "to"): end}
    for scope in ("pair", "relation"):
        changed = edited(SYMMETRIC, ends | {("claim", "scope"): scope})
        assert accepted(changed).endswith("value=63/250")
        refused(edited(changed, {BOUNDS[0]: "253/1000", BOUNDS[1]: "1"}), ClaimOpen)
        refused(edited(changed, {BOUNDS[0]: "0", BOUNDS[1]: "251/1000"}), ClaimOpen)


def test_all_pairs() -> None:
    claim = {"alpha": "8/5", "kind": "bd", "scope": "all-pairs", "width": "0"}
    assert accepted(edited(SYMMETRIC, {("claim",): claim})) == "bd alpha=8/5 all-pairs exact: 8 pairs"
    refused(edited(SYMMETRIC, {("claim",): claim, (*ROWS, 1): ...}), RuleBroken, "(5, 6)")


def test_sides_apart() -> None:
    lower = [{key: row[key] for key in row if key not in ("forward", "backward")} for row in SYMMETRIC_ROWS]
    above = ("forward", "backward", "pair", "value")
    upper = [{key: row[key] for key in above} for row in SYMMETRIC_ROWS]
    sides = {
        name: {"denominator": "1500", "rows": rows} for name, rows in (("lower", lower), ("upper", upper))
    }
    accepted(edited(SYMMETRIC, {("evidence",): sides}))
    refused(edited(SYMMETRIC, {("evidence",): sides, ("evidence", "lower"): ...}), ClaimOpen, "lower")
    refused(edited(SYMMETRIC, {("evidence",): sides, ("evidence", "upper"): ...}), ClaimOpen, "upper")
    refused(edited(SYMMETRIC, {("evidence",): sides | {"upper": sides["lower"]}}), Malformed, "key")


@pytest.mark.parametrize("key", ["forward", "backward"])
def test_both_couplings_count(key: str) -> None:
    # Without a coupling forward 2/5 is left over, backward 3/5.
    refused(
        edited(SYMMETRIC, {(*LAST, key): []}),
        RuleBroken,
        "coupling of (5, 6)" if key == "forward" else "(6, 5)",
    )
    refused(edited(SYMMETRIC, {(*LAST, key): ...}), Malformed, "key")
    other = SYMMETRIC_ROWS[3]["backward" if key == "forward" else "forward"]
    refused(edited(SYMMETRIC, {(*LAST, key): other}), RuleBroken, "coupling of")
    for wrong in ([[3, 3, "2/5"]], [[3, 2, "1/5"], [3, 2, "1/5"]]):
        refused(edited(SYMMETRIC, {(*LAST, key): wrong}), BadEvidence)


def test_the_direction_is_that_of_the_potentials() -> None:
    # Forward, f_j = 1 loses.
    refused(edited(SYMMETRIC, {(*LAST, "direction"): "forward"}), RuleBroken, "gain less")
    forward = {(*LAST, "direction"): "forward", (*LAST, "potentials"): [[2, "13/100"]]}
    refused(edited(SYMMETRIC, forward), RuleBroken)
    for direction in ("", "both", None, True, 0, ["forward"]):
        refused(edited(SYMMETRIC, {(*LAST, "direction"): direction}), Malformed)
    refused(edited(SYMMETRIC, {(*LAST, "direction"): ...}), Malformed, "key")


def test_either_direction_will_do_for_value_0() -> None:
    for row in (1, 2):
        for direction in ("forward", "backward"):
            accepted(edited(SYMMETRIC, {(*ROWS, row, "direction"): direction}))


def test_pairs_are_unordered() -> None:
    refused(edited(SYMMETRIC, {(*LAST, "pair"): [6, 5]}), BadEvidence, "a pair is not increasing")
    refused(edited(SYMMETRIC, {(*ROWS, 1, "pair"): [2, 3]}), BadEvidence, "rows are out of order or repeated")
    refused(
        edited(SYMMETRIC, {ROWS: [SYMMETRIC_ROWS[k] for k in (1, 0, 2, 3)]}),
        BadEvidence,
        "rows are out of order or repeated",
    )


def test_rows_are_those_of_the_kind() -> None:
    refused(edited(SYMMETRIC, {("claim", "kind"): "ld"}), Malformed, "key")
    refused(edited(LADDER, {("claim", "kind"): "bd"}), Malformed, "key")
    refused(edited(SYMMETRIC, {(*LAST, "coupling"): []}), Malformed, "key")


def crossed(rank: int, below: int, value: str = "1") -> Json:
    """s goes to v and t to u: the step of (s,t) is (v,u), and the row that it rests on is that of (u,v)."""
    states = LADDER_STATES | {"s": ("one", {"v": "1"}), "t": ("one", {"u": "1"})}
    row = {"direction": "forward", "potentials": [[5, "1/2"]], "rank_potentials": [[5, "1"]]}
    rest = {"direction": "forward", "potentials": [[0, "1"]], "rank_potentials": [[0, "1"]]}
    rows = [
        row | {"pair": [2, 3], "rank": rank, "value": "1"},
        rest | {"pair": [4, 5], "rank": below, "value": value},
    ]
    claim = pair_claim("bd", "t", "s", "1/2", "1", "2")
    return certificate(claim, model(states), {"lower": {"denominator": "2", "rows": rows}})


@pytest.mark.parametrize(
    ("rank", "below", "value", "holds"),
    [(2, 1, "1", True), (1, 1, "1", False), (1, 2, "1", False), (1, 9, "2", True)],
)
def test_ranks_bind_in_both_orders(rank: int, below: int, value: str, holds: bool) -> None:
    changed = crossed(rank, below, value)
    if holds:
        accepted(changed)
    else:
        refused(changed, RuleBroken, "g_5")


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_a_distance_that_feeds_itself(direction: str) -> None:
    chain = model({"s": ("a", {"s": "1"}), "t": ("a", {"t": "1"})})
    state = 0 if direction == "forward" else 1
    row = {"direction": direction, "pair": [0, 1], "potentials": [[state, "1"]], "value": "1"}
    for rank in ({}, {"rank": 1, "rank_potentials": [[state, "1"]]}):
        lower = {"lower": {"denominator": "1", "rows": [row | rank]}}
        refused(certificate(pair_claim("bd", "s", "t", "1", "1", "2"), chain, lower), RuleBroken, "rank")
