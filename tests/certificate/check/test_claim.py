"""Claims about distances: what they need, and the line that they become."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadModel, ClaimOpen, Malformed
from prover.certificate.check.shown import abbreviate
from tests.certificate.samples import (
    INTERVAL,
    KERNEL,
    KERNEL_PAIR,
    LADDER,
    RELATION,
    SAMPLES,
    WALK,
    WALK_STATES,
    Path,
    certificate,
    model,
    pair_claim,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
LOWER: Path = ("claim", "lower")
UPPER: Path = ("claim", "upper")
NOTHING = {"upper": {"denominator": "1", "rows": []}}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("walk", 'ld alpha=8/5 from="s" to="t" value=13/1500'),
        ("relation", 'lgd alpha=8/5 relation maximum at from="t" to="s" value=1/5'),
        ("interval", 'ld alpha=8/5 from="s" to="t" lower=1/500 upper=1/100'),
        ("ladder", "ld alpha=2 all-pairs exact: 4 pairs"),
        ("symmetric", 'bd alpha=8/5 relation maximum at from="s" to="t" value=63/250'),
        ("kernel", "kernel alpha=3/2 all-pairs exact: 8 pairs"),
        ("kernel-pair", 'kernel alpha=3/2 from="s" to="t" value=0'),
        ("kernel-relation", 'kernel alpha=3/2 relation maximum at from="t" to="s" value=1'),
        ("quotient", 'ld alpha=11/10 quotient=bisimilarity from="s" to="t" value=1/20'),
        ("bisimilarity", "bisimilarity all-pairs exact: 8 pairs"),
        ("bisimilarity-pair", 'bisimilarity from="s" to="u" value=1'),
        ("bisimilarity-relation", 'bisimilarity relation maximum at from="s" to="t" value=0'),
    ],
)
def test_lines(name: str, line: str) -> None:
    assert accepted(SAMPLES[name]) == line


@pytest.mark.parametrize("evidence", [{}, {"symmetries": []}])
def test_a_claim_that_says_nothing_needs_evidence(evidence: Json) -> None:
    claim = edited(WALK, {LOWER: "0", UPPER: "1"})
    refused(edited(claim, {("evidence",): evidence}), Malformed, "there is no evidence")


def test_a_name_cannot_forge_a_line() -> None:
    name = '"\nVERIFIED ld \x1b[2J\u2028'
    chain = model({name: ("a", {name: "1"})})
    line = accepted(certificate(pair_claim("ld", name, name, "0", "0"), chain, NOTHING))
    escaped = r'"\"\nVERIFIED ld \u001b[2J\u2028"'
    assert line == f"ld alpha=8/5 from={escaped} to={escaped} value=0"


@pytest.mark.parametrize(
    ("number", "short"),
    [
        ("1/3", "1/3"),
        ("9" * 60, "9" * 60),
        ("2" * 30 + "/" + "9" * 29, "2" * 30 + "/" + "9" * 29),
        ("2" * 31 + "/" + "9" * 30, "2." + "2" * 20 + "... (exact number of 61 digits)"),
        # 2/3 less a little, and 1 less a little: cut, never rounded
        ("1" + "9" * 69 + "/3" + "0" * 69, "0." + "6" * 20 + "... (exact number of 140 digits)"),
        ("9" * 70 + "/1" + "0" * 70, "0." + "9" * 20 + "... (exact number of 141 digits)"),
        ("1/1" + "0" * 60, "0." + "0" * 20 + "... (exact number of 62 digits)"),
        ("1234567890" * 7, "12345678901234567890.12345678901234567890...e+50 (exact number of 70 digits)"),
    ],
)
def test_long_numbers_are_cut(number: str, short: str) -> None:
    assert abbreviate(number) == short


def test_numbers_of_thousands_of_digits_are_printed() -> None:
    line = accepted(edited(INTERVAL, {UPPER: "1" + "0" * 50_000 + "1/9" + "0" * 50_001}))
    assert line.endswith(
        "lower=1/500 upper=0.11111111111111111112... (exact number of 100004 digits, rounded up)"
    )


@pytest.mark.parametrize("alpha", ["0", "-1", "999999999999/1000000000000"])
def test_alpha_is_at_least_1(alpha: str) -> None:
    refused(edited(WALK, {("claim", "alpha"): alpha}), BadClaim, "alpha")


@pytest.mark.parametrize(
    ("lower", "upper"), [("1/2", "1/3"), ("-1/3", "1"), ("0", "3/2"), ("13/1500", "13/1501"), ("2", "2")]
)
def test_bounds_are_ordered_and_between_0_and_1(lower: str, upper: str) -> None:
    refused(edited(WALK, {LOWER: lower, UPPER: upper}), BadClaim)


@pytest.mark.parametrize("width", ["-1/2", "2", "1000000000001/1000000000000"])
def test_width_is_between_0_and_1(width: str) -> None:
    refused(edited(LADDER, {("claim", "width"): width}), BadClaim)


@pytest.mark.parametrize("end", ["from", "to"])
def test_from_and_to_are_states(end: str) -> None:
    refused(edited(WALK, {("claim", end): "q"}), BadModel, "there is no state of this name")
    refused(edited(WALK, {("claim", end): 5}), Malformed)


def test_keys_depend_on_kind_and_scope() -> None:
    refused(edited(WALK, {("claim", "scope"): "all-pairs"}), Malformed, "key")
    refused(edited(LADDER, {("claim", "scope"): "pair"}), Malformed, "key")
    refused(edited(KERNEL, {("claim", "value"): "0"}), Malformed, "key")
    refused(edited(KERNEL_PAIR, {("claim", "value"): ..., LOWER: "0", UPPER: "0"}), Malformed, "key")
    refused(edited(WALK, {("claim", "alpha"): ...}), Malformed, "key")


@pytest.mark.parametrize("value", ["1/2", "2", "-1"])
def test_values_of_relations(value: str) -> None:
    refused(edited(KERNEL_PAIR, {("claim", "value"): value}), BadClaim)


# The claim rule


@pytest.mark.parametrize(
    ("lower", "upper", "holds"),
    [
        ("13/1500", "13/1500", True),
        ("0", "1", True),
        ("13/1500", "1", True),
        ("0", "13/1500", True),
        ("13/1499", "1", False),
        ("0", "13/1501", False),
    ],
)
def test_bounds_of_a_pair(lower: str, upper: str, holds: bool) -> None:
    changed = edited(WALK, {LOWER: lower, UPPER: upper})
    if holds:
        accepted(changed)
    else:
        refused(changed, ClaimOpen)


@pytest.mark.parametrize(
    ("start", "end", "value"), [("s", "s", "0"), ("s", "z", "1"), ("i", "j", "13/100"), ("j", "i", "0")]
)
def test_pairs_with_and_without_rows(start: str, end: str, value: str) -> None:
    accepted(certificate(pair_claim("ld", start, end, value, value), WALK["model"], WALK["evidence"]))


def test_a_pair_of_equal_label_without_a_row_is_between_0_and_1() -> None:
    for bounds in (("0", "1"), ("0", "999/1000"), ("1/1000", "1")):
        about = certificate(pair_claim("ld", "k", "i", *bounds), WALK["model"], WALK["evidence"])
        if bounds == ("0", "1"):
            accepted(about)
        else:
            refused(about, ClaimOpen)


@pytest.mark.parametrize(("start", "end", "value"), [("s", "s", "0"), ("s", "z", "1")])
def test_without_any_table(start: str, end: str, value: str) -> None:
    about = certificate(pair_claim("ld", start, end, value, value), model(WALK_STATES), NOTHING)
    accepted(about)
    refused(edited(about, {LOWER: "1/2", UPPER: "1/2"}), ClaimOpen)


def test_a_relation_bounds_all_its_pairs_from_above() -> None:
    # (s,t) has 13/1500 and (t,s) 1/5: the one that is named must reach, the other must not exceed.
    accepted(RELATION)
    accepted(edited(RELATION, {LOWER: "13/1500", ("claim", "from"): "s", ("claim", "to"): "t"}))
    refused(edited(RELATION, {("claim", "from"): "s", ("claim", "to"): "t"}), ClaimOpen, "lower")
    low = {LOWER: "13/1500", UPPER: "13/1500", ("claim", "from"): "s", ("claim", "to"): "t"}
    refused(edited(RELATION, low), ClaimOpen, "upper")


def test_from_and_to_are_in_the_relation() -> None:
    refused(edited(RELATION, {("claim", "from"): "s", ("claim", "to"): "s"}), BadClaim, "related")
    refused(edited(RELATION, {("model", "relation"): []}), BadClaim, "related")
    refused(edited(RELATION, {("model", "relation"): ...}), BadClaim, "related")


def test_all_pairs_need_all_rows() -> None:
    # All distances of the ladder are 1, as the upper table has them without a row, but not the lower one.
    rows = LADDER["evidence"]["exact"]["rows"]
    without = edited(LADDER, {("evidence", "exact", "rows"): [rows[0], rows[2], rows[3]]})
    refused(without, ClaimOpen, "width")
    refused(edited(without, {("claim", "width"): "999/1000"}), ClaimOpen, "width")
    assert accepted(edited(without, {("claim", "width"): "1"})) == "ld alpha=2 all-pairs width=1"


@pytest.mark.parametrize(
    ("value", "denominator", "width", "holds"),
    [
        ("2", "3", "1", True),
        ("2", "3", "1/3", True),
        ("2", "3", "333/1000", False),
        ("2", "3", "0", False),
        ("7", "14", "1/2", True),  # the upper table says 7 of 7
        ("7", "14", "499/1000", False),
    ],
)
def test_the_width_bounds_every_gap(value: str, denominator: str, width: str, holds: bool) -> None:
    # (s,t) is at least the value and at most 1, which is said in another denominator. The others are 1.
    rows = LADDER["evidence"]["exact"]["rows"]
    lower = [{key: row[key] for key in row if key != "coupling"} | {"value": denominator} for row in rows]
    lower[0] |= {"value": value}
    upper = [{"coupling": [], "pair": [2, 3], "value": "7"}]
    evidence = {
        "lower": {"denominator": denominator, "rows": lower},
        "upper": {"denominator": "7", "rows": upper},
    }
    about = certificate(LADDER["claim"] | {"width": width}, LADDER["model"], evidence)
    if holds:
        accepted(about)
    else:
        refused(about, ClaimOpen, "width")
