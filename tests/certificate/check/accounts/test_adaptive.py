"""Certificates about mechanisms that are chosen: what is rejected, and what is demanded."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, BadModel, Malformed, NotDemanded, Rejected, TooLarge, budget
from prover.certificate.check.accounts import parts
from prover.certificate.check.demands import Demands, meet
from prover.certificate.check.verdict import verified
from tests.certificate.accounts_samples import ACCOUNT_SAMPLES
from tests.certificate.samples import encode
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
F = Fraction
KNOWN = ACCOUNT_SAMPLES["composition of mechanisms that are chosen"]
CHAINS = ACCOUNT_SAMPLES["composition of chains that are chosen"]
OPTIONS = ("model", "parts", 1, "options")
COIN = KNOWN["model"]["parts"][1]["options"][0]
PROGRAM = {"adjacency": "all-differ", "at_epsilon": "1", "program": {}, "times": 1}


def test_the_line_names_what_may_be_chosen() -> None:
    assert "one-of(known=randomised-response; known=approximate) parts=2 runs=3" in accepted(KNOWN)
    assert "one-of(relation; laws)" in accepted(CHAINS)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({OPTIONS: []}, Malformed, "not as many proofs as options"),
        (
            {OPTIONS: [], ("evidence", "parts", 1, "options"): []},
            BadModel,
            "the number of options is out of range",
        ),
        (
            {OPTIONS: [COIN] * 21, ("evidence", "parts", 1, "options"): [{}] * 21},
            BadModel,
            "the number of options is out of range",
        ),
        ({(*OPTIONS, 0, "times"): 2}, BadModel, "an option runs more than once"),
        ({(*OPTIONS, 0): PROGRAM}, BadModel, "an option is a program"),
        ({(*OPTIONS, 0): {"options": [COIN], "times": 1}}, Malformed, ""),
        (
            {("model", "parts", 1, "sampling"): {"kind": "poisson", "rate": "1/2"}},
            Malformed,
            "",
        ),
        ({("evidence", "adaptive"): 10}, TooLarge, "the work is more than the evidence declares"),
        (
            {("model", "parts", 0, "times"): 10**6, ("model", "parts", 1, "times"): 10**6},
            TooLarge,
            "the memory exceeds the limit",
        ),
    ],
)
def test_why_it_is_rejected(edits: dict[Any, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(KNOWN, edits), failure, words)


def test_all_of_the_work_is_declared() -> None:
    used = ACCOUNT_SAMPLES["composition of mechanisms that are chosen"]["evidence"]["adaptive"]
    accepted(KNOWN)
    refused(edited(KNOWN, {("evidence", "adaptive"): used - 1}), TooLarge)


def test_ratios_of_what_was_seen_have_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MEMORY_BITS", 60_000)
    refused(KNOWN, TooLarge, "the memory exceeds the limit")
    monkeypatch.setattr(budget, "MEMORY_BITS", 120_000)
    accepted(KNOWN)


def test_options_need_evidence_of_their_own() -> None:
    """Products of fixed mechanisms do not bound those that are chosen."""
    proofs = KNOWN["evidence"]["parts"]
    for method in (
        {"basis": ["2", "3"], "sums": 10**6},
        {"grid": ACCOUNT_SAMPLES["composition on a grid"]["evidence"]["grid"]},
    ):
        forged = edited(KNOWN, {("evidence",): {**method, "parts": proofs}})
        refused(forged, BadEvidence, "options are allowed only with adaptive")


def test_laws_have_to_be_known() -> None:
    opened = ACCOUNT_SAMPLES["composition of an open graph"]
    forged = edited(opened, {("evidence",): {"adaptive": 10**6, "parts": opened["evidence"]["parts"]}})
    refused(forged, BadEvidence, "laws that are only enclosed are allowed only with a grid, or")


def test_one_mechanism_each_needs_no_basis() -> None:
    """The same values follow for parts that nobody chooses."""
    sample = ACCOUNT_SAMPLES["composition of known mechanisms"]
    accepted(edited(sample, {("evidence",): {"adaptive": 10**6, "parts": sample["evidence"]["parts"]}}))


def test_so_many_choices_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_CHOICES", 4)
    accepted(CHAINS)
    monkeypatch.setattr(parts, "MOST_CHOICES", 3)
    refused(CHAINS, TooLarge, "the options have too many choices of pairs")


def test_what_is_demanded_of_parts_is_demanded_of_options() -> None:
    chain = CHAINS["model"]["parts"][0]["options"][0]["chain"]
    found = verified(encode(CHAINS))
    with pytest.raises(NotDemanded, match="other models, too"):
        meet(Demands(model=encode(chain)), found.claim, found.model)
    with pytest.raises(NotDemanded, match="no named secrets"):
        meet(Demands(secrets=("s", "t")), found.claim, found.model)
    one = edited(CHAINS, {("claim", "lower"): "0", ("claim", "upper"): "1"})
    option = one["model"]["parts"][0]["options"][0]
    proof = one["evidence"]["parts"][0]["options"][0]
    alone = edited(
        one,
        {
            ("model", "parts"): [{"options": [option | {"from": "s", "to": "t"}], "times": 1}],
            ("evidence", "parts"): [{"options": [proof]}],
        },
    )
    found = verified(encode(alone))
    meet(Demands(model=encode(chain), secrets=("s", "t")), found.claim, found.model)
    with pytest.raises(NotDemanded, match="not about the whole relation"):
        meet(Demands(at_most=(F(1).numerator, 1)), found.claim, found.model)
