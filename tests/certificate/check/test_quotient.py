"""Claims about the quotient by bisimilarity."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, ClaimOpen, Malformed, RuleBroken, TooLarge
from tests.certificate.budgets import allow, spent
from tests.certificate.judge import accepts
from tests.certificate.samples import (
    KERNEL_PAIR,
    QUOTIENT,
    QUOTIENT_ALL,
    QUOTIENT_EVIDENCE,
    QUOTIENT_RELATION,
    WALK,
    Path,
)
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
CLAIM: Path = ("claim", "quotient")
EVIDENCE: Path = ("evidence", "quotient")
CLASSES: Path = (*EVIDENCE, "classes")
SPLITTERS: Path = (*EVIDENCE, "splitters")
SAMPLES = [QUOTIENT, QUOTIENT_ALL, QUOTIENT_RELATION]


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        (QUOTIENT_ALL, "lgd alpha=11/10 quotient=bisimilarity all-pairs exact: 2 pairs"),
        (
            QUOTIENT_RELATION,
            'ld alpha=11/10 quotient=bisimilarity relation maximum at from="t" to="s" value=3/50',
        ),
    ],
)
def test_lines(sample: Json, line: str) -> None:
    assert accepted(sample) == line


@pytest.mark.parametrize("sample", SAMPLES)
def test_claim_and_evidence_say_so(sample: Json) -> None:
    accepted(sample)
    assert accepts(sample)
    refused(edited(sample, {CLAIM: ...}), Malformed)
    refused(edited(sample, {EVIDENCE: ...}), Malformed, "the evidence has no quotient")
    refused(edited(sample, {CLAIM: "bisimulation"}), Malformed)
    refused(edited(sample, {SPLITTERS: ...}), Malformed)
    refused(edited(sample, {CLASSES: ...}), Malformed)


def test_only_distances_have_a_quotient() -> None:
    refused(edited(KERNEL_PAIR, {CLAIM: "bisimilarity"}), Malformed)
    refused(edited(WALK, {CLAIM: "bisimilarity"}), Malformed, "the evidence has no quotient")


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_classes_are_those_of_bisimilarity(sample: Json) -> None:
    # A finer partition would do for an upper bound, but a lower one would be about another chain.
    refused(edited(sample, {CLASSES: [[0], [1], [2], [3], [4]]}), RuleBroken, "do not separate")
    refused(edited(sample, {CLASSES: [[0, 1], [2], [3, 4]]}), RuleBroken, "differs from its class")
    refused(edited(sample, {CLASSES: [[0, 1], [2], [3]]}), BadEvidence, "not a partition")
    refused(edited(sample, {SPLITTERS: []}), RuleBroken, "do not separate")


def test_states_stand_for_their_classes() -> None:
    nothing: Json = {"quotient": QUOTIENT_EVIDENCE["quotient"], "upper": {"denominator": "1", "rows": []}}
    zero: dict[Path, Json] = {
        ("claim", "from"): "e",
        ("claim", "to"): "f",
        ("claim", "lower"): "0",
        ("claim", "upper"): "0",
    }
    accepted(edited(QUOTIENT, {**zero, ("evidence",): nothing}))
    refused(edited(QUOTIENT, {**zero, ("claim", "upper"): "1/20", ("claim", "lower"): "1/20"}), ClaimOpen)
    refused(edited(QUOTIENT, {("claim", "upper"): "1/10", ("claim", "lower"): "1/10"}), ClaimOpen)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_work_is_counted(monkeypatch: pytest.MonkeyPatch, sample: Json) -> None:
    units, bits = spent(monkeypatch, sample)
    assert bits > 0
    allow(monkeypatch, units=units)
    accepted(sample)
    allow(monkeypatch, units=units - 1)
    refused(sample, TooLarge, "the work exceeds the limit")
