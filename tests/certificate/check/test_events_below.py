"""ld, lgd and bd whose lower side is an unrolling (docs/certificates.md, 3.1): what some event gains."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadClaim, ClaimOpen, Malformed, RuleBroken
from tests.certificate.samples import Path
from tests.certificate.unrolling_judge import accepts_events_below
from tests.certificate.unrolling_samples import (
    EVENTS_SAMPLES,
    PIN,
    PIN_EVENTS,
    PIN_EVENTS_BOTH,
    QUOTIENT_EVENTS,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
BELOW: Path = ("evidence", "lower")
ABOVE: Path = ("evidence", "upper")
NODES: Path = (*BELOW, "unrolling", "nodes")
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")
KIND: Path = ("claim", "kind")
SWAPPED: dict[Path, Json] = {("claim", "from"): "1", ("claim", "to"): "0"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("pin, events below", 'ld alpha=1 from="0" to="1" lower=200/2503 upper=6/53'),
        (
            "pin, events below both",
            'bd alpha=11/10 relation maximum at from="0" to="1" lower=3791/75090 upper=6/53',
        ),
        ("quotient, events below", 'ld alpha=11/10 from="s" to="t" lower=1/20 upper=1'),
    ],
)
def test_the_samples(name: str, line: str) -> None:
    assert accepted(EVENTS_SAMPLES[name]) == line
    assert accepts_events_below(EVENTS_SAMPLES[name])


def test_lgd_is_the_same_number() -> None:
    assert accepted(edited(PIN_EVENTS, {KIND: "lgd"})).startswith("lgd alpha=1 ")


def test_the_lower_end_is_no_more_than_the_value_of_the_node() -> None:
    accepted(edited(PIN_EVENTS, {LOWER: "199/2503"}))
    refused(edited(PIN_EVENTS, {LOWER: "201/2503"}), ClaimOpen, "lower: the nodes do not prove lower")


def test_values_of_nodes_follow_from_the_next() -> None:
    more = {LOWER: "201/2503", (*NODES, 0, "lower"): "201/2503"}
    refused(edited(PIN_EVENTS, more), RuleBroken, "lower: node 0: lower")


def test_the_upper_end_is_that_of_the_table() -> None:
    assert accepted(edited(PIN_EVENTS, {ABOVE: ..., UPPER: "1"})).endswith("upper=1")
    refused(edited(PIN_EVENTS, {UPPER: "5/53"}), ClaimOpen, "the upper table does not prove upper")
    # The nodes have an upper value, too: it bounds lv and not ld.
    accepted(edited(PIN, {UPPER: "200/2503"}))
    refused(edited(PIN_EVENTS, {UPPER: "200/2503"}), ClaimOpen, "the upper table does not prove upper")
    weak = edited(PIN_EVENTS, {(*ABOVE, "rows", 0, "coupling"): []})
    refused(weak, RuleBroken, "coupling of (0, 1)")


def test_ends_are_in_order() -> None:
    refused(edited(PIN_EVENTS, {LOWER: "6/53", UPPER: "200/2503"}), BadClaim, "lower > upper")


def test_one_direction_says_nothing_of_the_other_but_for_bd() -> None:
    refused(edited(PIN_EVENTS, SWAPPED), ClaimOpen, "the nodes do not prove lower")
    accepted(edited(PIN_EVENTS_BOTH, SWAPPED))
    # From 0 to 1 alone events gain 130/7509, from 1 to 0 more.
    directed = edited(PIN_EVENTS_BOTH, {KIND: "ld", ABOVE: ..., UPPER: "1"})
    refused(directed, ClaimOpen, "the nodes do not prove lower")
    accepted(edited(directed, {LOWER: "130/7509"}))
    accepted(edited(directed, SWAPPED))


def test_another_alpha_is_another_claim() -> None:
    refused(edited(PIN_EVENTS, {("claim", "alpha"): "11/10", ABOVE: ..., UPPER: "1"}), RuleBroken, "node 0")


def test_all_pairs_need_tables() -> None:
    claim = {"alpha": "1", "kind": "ld", "scope": "all-pairs", "width": "1"}
    refused(edited(PIN_EVENTS, {("claim",): claim}), Malformed, "lower: ")


def test_nothing_else_stands_beside_the_nodes() -> None:
    table = PIN_EVENTS["evidence"]["upper"]
    refused(edited(PIN_EVENTS, {(*BELOW, "distance"): {"denominator": "1", "rows": []}}), Malformed, "key")
    refused(edited(PIN_EVENTS, {(*BELOW, "rows"): []}), Malformed, "key")
    refused(edited(PIN_EVENTS, {("evidence", "exact"): table}), Malformed, "key")
    refused(edited(PIN_EVENTS, {("evidence", "unrolling"): PIN["evidence"]["unrolling"]}), Malformed, "key")
    refused(edited(PIN_EVENTS, {ABOVE: PIN["evidence"]}), Malformed, "key")


def test_symmetries_are_for_the_rows_of_the_table() -> None:
    same, other = [0, 1, 2, 3, 4], [1, 0, 2, 3, 4]
    accepted(edited(PIN_EVENTS, {("evidence", "symmetries"): [same]}))
    refused(edited(PIN_EVENTS, {("evidence", "symmetries"): [other]}), RuleBroken, "symmetries")


def test_classes_are_those_of_the_unrolling_alone() -> None:
    refused(edited(QUOTIENT_EVENTS, {(*BELOW, "classes"): [[0, 2], [1], [3], [4]]}), RuleBroken, "classes")
    # Of the quotient the unrolling has no classes of its own left but single states.
    splitters = [[0, 1], [2]]
    whole = {"classes": [[0, 1], [2], [3], [4]], "splitters": splitters}
    merged = edited(
        QUOTIENT_EVENTS,
        {("claim", "quotient"): "bisimilarity", ("evidence", "quotient"): whole, (*BELOW, "classes"): ...},
    )
    assert "quotient=bisimilarity" in accepted(merged)
    assert accepts_events_below(merged)


def test_a_process_has_tables_below() -> None:
    process = {**PIN_EVENTS["model"], "type": "labelled-markov-decision-process"}
    refused(edited(PIN_EVENTS, {("model",): process}), Malformed, "lower: ")
