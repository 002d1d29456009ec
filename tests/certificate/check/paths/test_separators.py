"""Separators: which pairs they part, the ways that their potentials spread, and what they may not say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import (
    BadEvidence,
    ClaimOpen,
    Malformed,
    Rejected,
    RuleBroken,
    TooLarge,
    relations,
)
from tests.certificate.budgets import allow, spent
from tests.certificate.check.test_kernel import asked
from tests.certificate.judge import accepts
from tests.certificate.samples import (
    KERNEL,
    KERNEL_PAIR,
    MIRRORED_KERNEL,
    MIRRORED_SEPARATORS,
    SEPARATORS,
    SEPARATORS_PAIR,
    Path,
    certificate,
    encode,
)
from tests.certificate.verdicts import accepted, claimed, edited, refused

Json = Any
LISTED: Path = ("evidence", "separators")


def test_they_say_what_rows_say() -> None:
    for rows, separators in ((KERNEL, SEPARATORS), (MIRRORED_KERNEL, MIRRORED_SEPARATORS)):
        assert claimed(encode(rows)) == claimed(encode(separators))  # with the identity of the table
        assert accepts(separators)


def chain(alpha: str, entries: Json, value: str = "1", related: Json = ()) -> Json:
    """s goes to x, t to y; and there are z and w beside them. x goes to A, the others to B.

    Indices: A 0, B 1, s 2, t 3, w 4, x 5, y 6, z 7. At rank 1 all pairs are left.
    """
    states = {name: (name, {name: "1"}) for name in "AB"}
    states |= {"x": ("mid", {"A": "1"}), **{name: ("mid", {"B": "1"}) for name in "yzw"}}
    states |= {"s": ("start", {"x": "1"}), "t": ("start", {"y": "1"})}
    return asked("s", "t", value, {"related": list(related), "separators": entries}, states, alpha)


def first(*potentials: Json) -> Json:
    return {"potentials": list(potentials), "rank": 1}


def then(*potentials: Json) -> Json:
    return {"potentials": list(potentials), "rank": 2}


@pytest.mark.parametrize(
    ("entries", "holds"),
    [
        # (x,y) has to go first, as what x gives, y gives, divided by α
        ([first([0, "1"]), then([5, "1"])], True),
        ([first([5, "1"])], False),
        ([first([0, "1"]), first([5, "1"])], False),
        ([then([0, "1"]), {"potentials": [[5, "1"]], "rank": 30}], True),
        # what y gives by itself is in the way
        ([first([0, "1"]), then([5, "1"], [6, "1/2"])], False),
        ([first([0, "1"]), then([5, "1"], [6, "499/1000"])], True),
        # z, which x no longer gives to, gives half of it to y
        ([first([0, "1"]), then([5, "1"], [7, "1"])], False),
        ([first([0, "1"]), then([5, "1"], [7, "999/1000"])], True),
        ([], False),
    ],
)
def test_ways_that_potentials_spread(entries: Json, holds: bool) -> None:
    about = chain("2", entries)
    assert accepts(about) == holds
    if holds:
        accepted(about)
    else:
        refused(about, ClaimOpen)


def test_two_arcs() -> None:
    # a → b → c is left, and (a,c) is gone: c has a quarter of what a gives.
    states = {name: (name, {name: "1"}) for name in "AB"}
    rows = {"a": {"A": "4/5", "B": "1/5"}, "b": {"A": "1/2", "B": "1/2"}, "c": {"A": "3/10", "B": "7/10"}}
    states |= {name: ("mid", row) for name, row in rows.items()}
    states |= {"s": ("start", {"a": "1/2", "B": "1/2"}), "t": ("start", {"c": "1"})}
    for share, holds in (("1/2", False), ("13/25", True)):
        states["s"] = "start", {"a": share, "B": str(1 - Fraction(share))}
        about = asked(
            "s", "t", "1", {"related": [], "separators": [first([0, "1"]), then([2, "1"])]}, states, "2"
        )
        assert accepts(about) == holds
        if holds:
            accepted(about)
        else:
            refused(about, ClaimOpen)


def test_equality_separates_nothing() -> None:
    # i gives A 9/20, and k 3/10: at α = 3/2 just as much, and a little below it more.
    alone: dict[Path, Json] = {("evidence", "related"): [], LISTED: [{"potentials": [[0, "1"]], "rank": 1}]}
    for alpha, holds in (("3/2", False), ("149/100", True)):
        claim = {"alpha": alpha, "from": "i", "kind": "kernel", "scope": "pair", "to": "k", "value": "1"}
        about = edited(SEPARATORS, {**alone, ("claim",): claim})
        assert accepts(about) == holds
        if holds:
            accepted(about)
        else:
            refused(about, ClaimOpen)


def test_a_pair_of_equal_label_that_is_separated_is_not_related() -> None:
    # j, i and k are alike at α = 9/4: they are related, until somebody says that i gives more than j.
    rows = [{"coupling": [], "pair": [2, 3]}]
    about = certificate(
        {"alpha": "9/4", "from": "i", "kind": "kernel", "scope": "pair", "to": "j", "value": "0"},
        SEPARATORS["model"],
        {"related": rows, "separators": []},
    )
    accepted(about)
    refused(edited(about, {("claim", "alpha"): "2"}), RuleBroken, "does not carry all mass")
    mirrored = edited(
        MIRRORED_SEPARATORS, {("evidence", "related"): [{"coupling": [[5, 4, "1"]], "pair": [3, 2]}]}
    )
    refused(mirrored, RuleBroken, "it uses a pair without a related row")


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([{"potentials": [[0, "1"]], "rank": 0}], Malformed),
        ([{"potentials": [[0, "1"]], "rank": -1}], Malformed),
        ([{"potentials": [[0, "1"]], "rank": "1"}], Malformed),
        ([{"potentials": [[0, "1"]]}], Malformed),
        ([{"potentials": [[0, "1"]], "pair": [2, 3], "rank": 1}], Malformed),
        ([{"potentials": [[0, "1"]], "rank": 2}, {"potentials": [[3, "3"]], "rank": 1}], BadEvidence),
        ([{"potentials": [[3, "1"], [0, "1"]], "rank": 1}], BadEvidence),
        ([{"potentials": [[0, "1"], [0, "1"]], "rank": 1}], BadEvidence),
        ([{"potentials": [[0, "0"]], "rank": 1}], Malformed),
        ([{"potentials": [[0, "-1"]], "rank": 1}], Malformed),
        ([{"potentials": [[8, "1"]], "rank": 1}], Malformed),
        ([{"potentials": [[0, "from", 1]], "rank": 1}], Malformed),
        ({}, Malformed),
        (None, Malformed),
    ],
)
def test_malformed(entries: Json, reason: type[Rejected]) -> None:
    refused(edited(SEPARATORS, {LISTED: entries}), reason)


def test_no_pair_is_related_and_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    # No sound separator parts a pair that couplings relate: here one is made to.
    s, t = SEPARATORS["evidence"]["related"][0]["pair"]
    separated = [(k == s) << t for k in range(len(SEPARATORS["model"]["states"]))]
    monkeypatch.setattr(relations, "separated", lambda *_: separated)
    related = edited(KERNEL_PAIR, {("evidence",): SEPARATORS["evidence"]})
    refused(related, BadEvidence, "a pair is both related and separated")


def test_rows_and_separators_are_not_in_one_file() -> None:
    both = edited(SEPARATORS, {("evidence", "unrelated"): KERNEL["evidence"]["unrelated"]})
    refused(both, Malformed, "unknown key")
    refused(edited(SEPARATORS, {LISTED: ...}), Malformed, "lacks a key")


def test_every_pair_of_equal_label_has_to_be_known() -> None:
    for spared in (0, 1):
        kept = [row for n, row in enumerate(SEPARATORS["evidence"]["separators"]) if n != spared]
        refused(edited(SEPARATORS, {LISTED: kept}), ClaimOpen, "nothing separates it")
    accepted(
        edited(SEPARATORS, {LISTED: [{"potentials": [], "rank": 1}, *SEPARATORS["evidence"]["separators"]]})
    )


def test_what_they_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(entries: Json) -> int:
        return spent(monkeypatch, edited(SEPARATORS_PAIR, {LISTED: entries}))[0]

    one = [{"potentials": [[3, "1"]], "rank": 1}]
    # common [4; 1; 1]; [4 v Λ; 8; 0] with v = 1 and Λ = 3; [v Λ + 2 H; 1 + 2 H; 2] with H = 2, as i and k are
    # an arc away; [V (8 + 4); β; β] and [4 V; 8; 0] with V = 2, as s enters i, t enters j and nobody k
    assert cost([*one, *one]) - cost(one) == 33 * (4 + 12 + (3 + 4) + 2 * (8 + 4) + 4 * 2)
    # and [4 n; 8; 0] for another rank
    assert cost([*one, {**one[0], "rank": 2}]) - cost([*one, *one]) == 33 * 4 * 8
    more = [*one, {"potentials": [[2, "1"]], "rank": 1}, {"potentials": [[2, "1"]], "rank": 3}]
    for entries in (one, more):
        about = edited(SEPARATORS_PAIR, {LISTED: entries})
        units, _ = spent(monkeypatch, about)
        allow(monkeypatch, units=units - 1)
        refused(about, TooLarge, "the work exceeds the limit")
        monkeypatch.undo()


def test_pairs_that_no_row_names_count_for_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    _, bits = spent(monkeypatch, SEPARATORS)
    assert bits == spent(monkeypatch, KERNEL)[1] + 2 * 1024
