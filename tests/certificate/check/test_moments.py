"""Rényi divergences: every rule has a certificate that obeys it, and one that breaks only this rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check.moments import roots
from prover.certificate.check.reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
)
from tests.certificate.moments_judge import accepts_moments
from tests.certificate.moments_samples import DOORS, LOOP, inner
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, confirming, edited, refused

Json = Any
NODES = ("evidence", "orders", 0, "nodes")
INFINITE = ("evidence", "orders", 2, "nodes")
FIRST, LAST = ("claim", "moments", 0), ("claim", "moments", 2)
OTHER_WAY: Json = edited(
    LOOP,
    {
        ("claim", "from"): "t",
        ("claim", "to"): "s",
        ("claim", "moments"): [["2", "1", "2"]],
        ("evidence", "orders"): [{"nodes": [inner("0", "9/5"), {}], "roots": [[2, 1]]}],
    },
)


def test_samples() -> None:
    line = 'renyi from="s" to="t" of=lv order=2 moment=3/2 order=5/2 lower=3 upper=4 order=inf moment=inf'
    assert accepted(LOOP) == line
    assert accepted(DOORS) == 'renyi from="s" to="t" of=lv order=2 lower=5/4 upper=3/2 attackers=all'
    assert accepted(OTHER_WAY).endswith("of=lv order=2 lower=1 upper=2")
    assert all(map(accepts_moments, (LOOP, DOORS, OTHER_WAY)))


def test_spurious_solutions() -> None:
    # From 1/2 against 1/8 the equation u = 2u + 2/7 has the solution -2/7 only.
    chain: dict[Path, Json] = {("model", "states", "t", "next"): {"e": "7/8", "t": "1/8"}}
    one = edited(LOOP, {**chain, ("claim", "moments"): [["2", "1", "9"]], ("evidence", "orders", 2): ...})
    one = edited(one, {("evidence", "orders", 1): ...})
    for value in ("2/7", "9"):
        changed = edited(one, {(*NODES, 0): inner("1", value)})
        refused(changed, RuleBroken, "upper is below")
    refused(edited(one, {(*NODES, 0): inner("1", "-2/7")}), Malformed, "negative")
    infinite = edited(one, {("claim", "moments"): [["2", "inf", "inf"]], (*NODES, 0): inner("1", "inf")})
    assert accepted(infinite).endswith("order=2 moment=inf")


FORGERIES: dict[str, tuple[Json, dict[Path, Json], type[Rejected], str]] = {
    "no order": (
        LOOP, {("claim", "moments"): [], ("evidence", "orders"): []}, BadClaim, "there is no order",
    ),
    "orders not increasing": (LOOP, {(*FIRST, 0): "3"}, BadClaim, "orders are out of order"),
    "order 1": (LOOP, {(*FIRST, 0): "1"}, BadClaim, "not above 1"),
    "an order too large": (LOOP, {("claim", "moments", 1, 0): "1001"}, BadClaim, "above 1,000"),
    "an order of long parts": (LOOP, {(*FIRST, 0): "43/21"}, BadClaim, "denominator above 20"),
    "bounds exchanged": (LOOP, {(*FIRST, 2): "4/3"}, BadClaim, "1 <= lower <= upper"),
    "lower below 1": (LOOP, {(*FIRST, 1): "1/2"}, BadClaim, "1 <= lower <= upper"),
    "lower infinite, upper not": (LOOP, {(*LAST, 2): "9"}, BadClaim, "1 <= lower <= upper"),
    "of something else": (LOOP, {("claim", "of"): "delta"}, Malformed, "neither tv nor lv"),
    "no pair": (
        LOOP,
        {
            ("claim", "scope"): "relation",
            ("claim", "from"): ...,
            ("claim", "to"): ...,
            ("model", "relation"): ...,
        },
        BadClaim,
        "the relation has no pair",
    ),
    "an order without evidence": (LOOP, {("evidence", "orders", 2): ...}, Malformed, "wrong length"),
    "a root twice": (
        LOOP, {("evidence", "orders", 0, "roots"): [[1, 2], [1, 2]]}, BadEvidence, "a root is repeated",
    ),
    "more roots than nodes": (
        LOOP,
        {("evidence", "orders", 0): {"nodes": [{}], "roots": [[1, 2], [2, 1]]}},
        BadEvidence,
        "more roots than nodes",
    ),
    "a node that nothing defines": (LOOP, {NODES: [inner("3/2", "3/2"), {}, {}]}, BadEvidence, "no entry"),
    "an action missing": (DOORS, {(*NODES, 0, "actions", "wait"): ...}, BadEvidence, "of the menu"),
    "a label missing": (LOOP, {(*NODES, 0, "actions", ""): [["a", 0]]}, BadEvidence, "possible ones"),
    "no such action": (DOORS, {(*NODES, 0, "taken"): "knock"}, BadEvidence, "not in the menu"),
    "not a multiple": (
        LOOP, {(*NODES, 0, "actions", ""): [["a", 0], ["e", 0]]}, RuleBroken, "not multiples of node 0",
    ),
    "upper below what stopping shows": (
        OTHER_WAY, {(*NODES, 0, "upper"): "9/10"}, RuleBroken, "upper is below what stopping",
    ),
    "upper below an action": (LOOP, {(*NODES, 0, "upper"): "7/5"}, RuleBroken, "below an action's moment"),
    "upper finite before infinity": (
        edited(
            LOOP,
            {
                ("model", "states", "t", "next"): {"t": "1"},
                ("claim", "moments"): [["2", "1", "inf"]],
                ("evidence", "orders"): [{"nodes": [inner("0", "inf"), {}], "roots": [[1, 2]]}],
            },
        ),
        {(*NODES, 0, "upper"): "9"},
        RuleBroken,
        "finite before",
    ),
    "lower above what stopping shows": (
        LOOP, {(*NODES, 0): inner("3/2", "3/2", None)}, RuleBroken, "lower is above what stopping",
    ),
    "lower above what is taken": (
        LOOP, {(*NODES, 0): inner("8/5", "3/2")}, RuleBroken, "lower is above what the taken",
    ),
    "waiting for ever": (
        DOORS, {(*NODES, 0, "taken"): "wait", (*NODES, 0, "lower"): "9"}, BadEvidence, "no path",
    ),
    "growth where nothing is taken": (
        LOOP, {(*INFINITE, 0): inner("1", "inf", None)}, RuleBroken, "lower is above what stopping",
    ),
    "a circle that does not grow": (
        edited(
            LOOP,
            {
                ("model", "states", "t", "next"): {"e": "1/2", "t": "1/2"},
                ("model", "states", "s", "next"): {"f": "1/2", "s": "1/2"},
                ("model", "states", "f"): {"label": "e", "next": {"e": "1"}},
                ("claim", "moments"): [["inf", "1", "inf"]],
                ("evidence", "orders"): [{"nodes": [inner("1", "inf", None), {}], "roots": [[2, 3]]}],
            },
        ),
        {
            ("claim", "moments", 0, 1): "inf",
            (*NODES, 0): inner("1", "inf"),
        },
        BadEvidence,
        "no path",
    ),
    "nothing grows": (LOOP, {(*INFINITE, 0): inner("0", "inf")}, ClaimOpen, "that it is infinite"),
    "lower is not proved": (LOOP, {(*NODES, 0): inner("4/3", "3/2")}, ClaimOpen, "do not prove lower"),
    "upper is not proved": (LOOP, {(*NODES, 0): inner("3/2", "8/5")}, ClaimOpen, "do not prove upper"),
    "the other direction is missing": (
        LOOP, {("claim", "of"): "tv"}, ClaimOpen, "do not prove upper",
    ),
    "labels that differ": (LOOP, {("claim", "to"): "e"}, ClaimOpen, "do not prove upper"),
    "an observer of attackers": (
        DOORS, {("claim", "observer"): {"sees": "labels", "silent": []}}, Malformed, "has an observer",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGERIES)
def test_each_rule(name: str) -> None:
    sample, edits, failure, words = FORGERIES[name]
    accepted(sample)
    refused(edited(sample, edits), failure, words)
    if failure not in (Malformed, BadClaim):
        assert not accepts_moments(edited(sample, edits))


def test_labels_that_differ_have_infinite_moments() -> None:
    apart = edited(
        LOOP,
        {
            ("claim", "to"): "e",
            ("claim", "moments"): [["2", "inf", "inf"]],
            ("evidence", "orders"): [{"nodes": [], "roots": []}],
        },
    )
    assert accepted(apart).endswith("order=2 moment=inf")
    assert accepts_moments(apart)
    same = edited(apart, {("claim", "to"): "s", ("claim", "moments"): [["2", "1", "1"]]})
    assert accepted(same).endswith("moment=1")
    assert accepts_moments(same)


VALUES = ["0", "1", "9/8", "4/3", "3/2", "3", "4", "inf"]


@pytest.mark.parametrize("sample", [LOOP, DOORS, OTHER_WAY], ids=["loop", "doors", "other way"])
def test_what_is_accepted_obeys_the_page(sample: Json) -> None:
    confirm, count = confirming(accepts_moments), 0
    for number, order in enumerate(sample["evidence"]["orders"]):
        for q, node in enumerate(order["nodes"]):
            for key in ("lower", "upper", "taken"):
                for value in [*VALUES, "look", "wait", ""] if node else []:
                    count += confirm(sample, ("evidence", "orders", number, "nodes", q, key), value)
        for place in (1, 2):
            count += sum(confirm(sample, ("claim", "moments", number, place), value) for value in VALUES)
    assert count > 5


@pytest.mark.parametrize("degree", [2, 3, 7, 20])
@pytest.mark.parametrize("base", ["1/3", "12345678901234567890", "7/10000000000000000000000000000"])
def test_roots(degree: int, base: str) -> None:
    low, high = roots(Fraction(base), degree)
    assert low**degree <= Fraction(base) <= high**degree
    assert 0 < high - low <= low / 2**127
    assert roots(Fraction(3, 4) ** degree, degree) == (Fraction(3, 4), Fraction(3, 4))
