"""Rule 3 where a table lists labels under `detours`: what potentials of F have to keep beside its arcs."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, Malformed, Rejected, RuleBroken, TooLarge
from tests.certificate.budgets import allow, spent
from tests.certificate.check.test_lower import FAR_IK, IJ, IK, JK, NEAR_JK, steps
from tests.certificate.judge import accepts
from tests.certificate.samples import DETOURS, WALK, Path, certificate, model, pair_claim
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
TABLE: Path = ("evidence", "lower")
LISTED: Path = (*TABLE, "detours")


def short(potentials: Json, distances: Json, alpha: str = "2") -> Json:
    """`test_lower.steps`, with the detours of i, j and k. Indices: i 2, j 3, k 4; values are eighths."""
    return edited(steps(potentials, distances=distances, alpha=alpha), {LISTED: ["mid"]})


@pytest.mark.parametrize(
    ("potentials", "distances"),
    [
        ([[2, "1/8"]], []),
        ([[2, "1/8"], [3, "1/16"]], []),
        # d(i,j) = 1/4, and by way of k nothing is paid: 0 + α² f_j
        ([[2, "1/4"], [3, "1/16"]], [IJ]),
        # d(i,j) = 1/4 = d(j,k), d(i,k) = 1/2: m(i) + α m'(k) is 1/4, but the way by j costs 3/4
        ([[2, "1/2"], [4, "0"]], [IJ, IK, JK]),
        # j lies between i and k: d(i,j) + α d(j,k) = 1/2, and α² f_k
        ([[2, "1/2"], [4, "0"]], [IJ, FAR_IK, NEAR_JK]),
        ([[2, "3/4"], [4, "1/16"]], [IJ, FAR_IK, NEAR_JK]),
    ],
)
def test_potentials_that_extend(potentials: Json, distances: Json) -> None:
    about = short(potentials, distances)
    accepted(about)
    assert accepts(about)


@pytest.mark.parametrize(
    ("potentials", "distances", "words"),
    [
        ([[2, "1/8"], [3, "1/17"]], [], "d(2,3)"),
        ([[2, "1/4"], [3, "1/17"]], [IJ], "detour to 3"),
        ([[2, "501/1000"], [4, "0"]], [IJ, FAR_IK, NEAR_JK], "detour to 4"),
        ([[2, "7501/10000"], [4, "1/16"]], [IJ, FAR_IK, NEAR_JK], "detour to 4"),
        ([[2, "1/2"], [4, "0"]], [IJ, FAR_IK], "detour to 4"),
    ],
)
def test_potentials_that_do_not(potentials: Json, distances: Json, words: str) -> None:
    about = short(potentials, distances)
    refused(about, RuleBroken, words)
    assert not accepts(about)


@pytest.mark.parametrize(("number", "holds"), [("11/16", True), ("11001/16000", False)])
def test_another_alpha(number: str, holds: bool) -> None:
    # d(i,j) + 3/2 d(j,k) + 9/4 f_k = 1/4 + 3/16 + 1/4
    about = short([[2, number], [4, "1/9"]], [IJ, FAR_IK, NEAR_JK], "3/2")
    assert accepts(about) == holds
    if holds:
        accepted(about)
    else:
        refused(about, RuleBroken, "detour to 4")


def test_without_the_key_the_same_potentials_prove_nothing() -> None:
    # i and k go to A, j and l to B: i is near to k and l is near to j, but no way leads from i to j at a low
    # price. Indices: i 2, j 3, k 4, l 5, s 6, t 7.
    far = {"potentials": [[0, "1"]], "rank": 1, "rank_potentials": [[0, "1"]], "value": "1"}
    states = {name: ("mid", {end: "1"}) for name, end in zip("ijkl", "ABAB", strict=True)}
    ends = {name: (name, {name: "1"}) for name in "AB"}
    start = {"s": ("start", {"i": "1"}), "t": ("start", {"j": "1"})}
    rows = [{"pair": pair, **far} for pair in ([2, 3], [2, 5], [4, 3], [4, 5])]
    rows.append({**far, "pair": [6, 7], "potentials": [[2, "1"]], "rank": 2, "rank_potentials": [[2, "1"]]})
    table = {"denominator": "1", "rows": rows}
    about = certificate(
        pair_claim("ld", "s", "t", "1", "1", "2"), model({**ends, **states, **start}), {"lower": table}
    )
    refused(about, RuleBroken, "extend")
    assert not accepts(about)
    accepted(edited(about, {LISTED: ["mid"]}))
    assert accepts(edited(about, {LISTED: ["mid"]}))


def test_a_detour_that_is_just_kept() -> None:
    # f_i = α² f_j = 26/75: by way of k nothing is paid
    accepted(DETOURS)
    row: Path = ("evidence", "exact", "rows", 4, "potentials")
    refused(edited(DETOURS, {row: [[3, "13/97"], [2, "to", 3]]}), RuleBroken, "detour to 3")


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (["none"], BadEvidence),
        (["mid", "mid"], BadEvidence),
        (["start", "mid"], BadEvidence),
        (["mid", 2], Malformed),
        (None, Malformed),
        ("mid", Malformed),
    ],
)
def test_malformed_lists(listed: Json, reason: type[Rejected]) -> None:
    refused(edited(WALK, {("evidence", "exact", "detours"): listed}), reason)


def test_labels_without_detours_may_be_listed() -> None:
    accepted(edited(WALK, {("evidence", "exact", "detours"): ["A", "mid", "start", "z"]}))


def test_an_upper_table_has_none() -> None:
    about = steps([[2, "1/8"]])
    about["evidence"]["upper"] = {"denominator": "1", "detours": [], "rows": []}
    refused(about, Malformed, "unknown key")


def many(states: int, labels: int = 1) -> Json:
    """A pair of states, and others of few labels which are all at distance 0."""
    about = steps([[2, "1/8"]])
    chain = about["model"]["states"]
    for n in range(states):
        chain[f"x{n:05}"] = {"label": f"x{n % labels:03}", "next": {f"x{n:05}": "1"}}
    about["evidence"]["lower"]["detours"] = [f"x{n:03}" for n in range(labels)]
    return about


def test_their_work_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, listed = spent(monkeypatch, many(0, 0))[0], spent(monkeypatch, many(30, 2))[0]
    rows = 30 * (4 * 33 + 5 * 33)  # of the model, and of the splitters, which are none
    # for each label of 15 states: 8 · 15² distances, 15 · 14² ways of two arcs, and 2 · 15² costs
    ways = 2 * (8 * 225 * 33 + (15 * 14 * 14 + 2 * 225) * 33)
    assert listed - plain - ways <= rows


def test_too_much_work_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    allow(monkeypatch, units=10**6)
    refused(many(80), TooLarge, "detours: the work exceeds the limit")
    allow(monkeypatch, bits=256 * 30**2)
    refused(many(30), TooLarge, "the memory exceeds the limit")
