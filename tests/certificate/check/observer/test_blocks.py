"""Hidden blocks: what is accepted, and one refusal for each rule."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.reading import BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

BLOCK = OBSERVER_SAMPLES["a hidden block"]
WINNER = OBSERVER_SAMPLES["the index of the largest"]
KNOWN = OBSERVER_SAMPLES["the least and the largest, known"]
KINDS = OBSERVER_SAMPLES["a hidden block of two kinds"]
EVIDENCE: Path = ("evidence", "block")
STATES: Path = ("model", "states")
FIRST: Path = (*STATES, "q1", "transitions")
SECOND: Path = (*STATES, "q2", "transitions")
ELSEWHERE = {"assign": [], "guard": [], "output": "e", "to": "q2"}

BOTH = {"assign": ["max", "min"], "guard": [], "output": "r", "to": "q2"}


def with_entry(to: str) -> Json:
    """The block, with one state more that no run reaches and that leads into it."""
    changed = deepcopy(BLOCK)
    changed["model"]["states"]["q9"] = {
        **changed["model"]["states"]["q3"],
        "transitions": [{**ELSEWHERE, "to": to}],
    }
    return changed


def test_accepted() -> None:
    assert accepted(BLOCK) == "epsilon adjacency=all-differ loss=observer lower=0 upper=1"
    assert accepted(KINDS).endswith("loss=observer lower=0 upper=1/4")
    assert accepted(with_entry("q1")) == accepted(BLOCK)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "upper"): "99/100"}, ClaimOpen, "the functions do not prove upper"),
        ({("evidence", "nodes"): []}, Malformed, "a block and other bounds"),
        ({("evidence", "groups"): []}, Malformed, "groups and other bounds"),
        ({("evidence", "merged"): []}, Malformed, "both block and merged"),
        ({(*EVIDENCE, "states"): ["q1"]}, BadEvidence, "the states are not reached ones"),
        ({(*EVIDENCE, "states"): ["q1", "q7"]}, BadEvidence, "the states are not reached ones"),
        ({(*EVIDENCE, "states"): ["q1", "q2", "q2"]}, BadEvidence, "a state is twice in the block"),
        ({(*EVIDENCE, "states"): ["q2", "q3"]}, RuleBroken, "the block is entered elsewhere"),
        ({(*EVIDENCE, "least"): ["max"]}, BadEvidence, "a variable twice, or none"),
        ({(*EVIDENCE, "least"): [], (*EVIDENCE, "largest"): []}, BadEvidence, "a variable twice, or none"),
        ({(*EVIDENCE, "least"): []}, RuleBroken, "not the least and largest"),
        ({(*EVIDENCE, "least"): ["max"], (*EVIDENCE, "largest"): ["min"]}, RuleBroken, "not the least"),
        ({(*EVIDENCE, "bounds"): []}, BadEvidence, "not one bound for each choice of noise"),
        ({(*EVIDENCE, "bounds", 0): {}}, ClaimOpen, "the evidence has no bound from above"),
        ({(*SECOND, 0, "to"): "q1"}, RuleBroken, "the block is passed twice"),
        ({(*SECOND, 0, "assign"): []}, RuleBroken, "not the least and largest"),
        ({(*SECOND, 0, "assign"): ["max", "min"]}, RuleBroken, "not the least and largest"),
        ({(*SECOND, 0, "guard"): []}, RuleBroken, "not the least and largest"),
        (
            {
                (*FIRST, 0, "assign"): ["max", "min", "z"],
                (*STATES, "q3", "transitions", 1, "guard"): [["<", "z"]],
            },
         RuleBroken, "another variable is stored, and tested later"),
        ({(*FIRST, 0, "output"): "insample"}, RuleBroken, "a number is output"),
        ({(*EVIDENCE, "states"): [["q1"], "q2"]}, BadEvidence, "a row is a list of one state"),
        ({(*EVIDENCE, "states"): [["q1", "q2"], "q3"]}, BadEvidence, "the states are not reached ones"),
        ({(*STATES, "q3", "transitions", 1, "to"): "q1"}, RuleBroken, "the block is passed twice"),
        ({(*STATES, "q3", "transitions", 1, "to"): "q2"}, RuleBroken, "the block is entered elsewhere"),
    ],
)  # fmt: skip
def test_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(BLOCK, edits), failure, words)


def test_an_entry_from_anywhere_is_refused() -> None:
    refused(with_entry("q2"), RuleBroken, "the block is entered elsewhere")


def test_numbers_that_are_output_are_refused() -> None:
    gap = {(*STATES, "q3", "transitions", 1, "output"): ["below", {"gap": "min"}]}
    refused(edited(BLOCK, gap), BadModel, "ties, gaps, or inputs that are not rounded")
    tied: dict[Path, Json] = {
        ("model", "noise"): "discrete-laplace",
        (*SECOND, 0, "guard"): [["<=", "min"]],
        (*SECOND, 2, "guard"): [[">", "min"], ["<", "max"]],
    }
    refused(edited(BLOCK, tied), BadModel, "ties, or inputs that are not rounded")


@pytest.mark.parametrize("case", [{"assign": ["max"]}, {"guard": [["<", "max"], [">=", "min"]]}])
def test_the_first_state_stores_both_whatever_it_draws(case: Json) -> None:
    """Before it another state stores both: what the block does not store comes from there."""
    before = {**BLOCK["model"]["states"]["q1"], "transitions": [{**BOTH, "to": "q1"}]}
    first = [{**BOTH, **case}]
    changes: dict[Path, Json] = {("model", "initial"): "q0", (*STATES, "q0"): before, FIRST: first}
    refused(edited(BLOCK, changes), RuleBroken, "does not store its sample whatever it is")


def test_noise_may_lack_a_side() -> None:
    """Whoever wins moves up by 2, at a rate of 1/2."""
    upwards = OBSERVER_SAMPLES["the index of the largest, with noise upwards"]
    assert accepted(upwards).endswith("upper=1")
    refused(edited(upwards, {("claim", "upper"): "99/100"}), ClaimOpen, "the table does not prove upper")


def test_each_choice_of_noise_has_a_bound() -> None:
    fewer = {(*EVIDENCE, "bounds"): KINDS["evidence"]["block"]["bounds"][:-1]}
    refused(edited(KINDS, fewer), BadEvidence, "not one bound for each choice")
    turned = {(*EVIDENCE, "bounds"): KINDS["evidence"]["block"]["bounds"][::-1]}
    refused(edited(KINDS, turned), RuleBroken, "")


def test_a_later_state_sees_both_orders_of_what_is_stored() -> None:
    """A third state that keeps the largest only where both are equal is refused."""
    path = (*STATES, "q3", "transitions")
    cases = deepcopy(KINDS["model"]["states"]["q3"]["transitions"])
    wrong = [{**case, "assign": ["max"] if case["assign"] == [] else case["assign"]} for case in cases]
    refused(edited(KINDS, {path: wrong}), RuleBroken, "not the least and largest")


Q3: Path = (*STATES, "q3", "transitions")


def test_rows_of_states_that_know_the_extremes() -> None:
    assert accepted(WINNER) == "epsilon adjacency=all-differ loss=observer lower=0 upper=1"
    assert accepted(KNOWN) == "epsilon adjacency=all-differ loss=observer lower=0 upper=4"
    refused(edited(WINNER, {("claim", "upper"): "99/100"}), ClaimOpen, "the table does not prove upper")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*EVIDENCE, "states", 2): ["q4", "q3"]}, BadEvidence, "states of a row"),
        ({(*EVIDENCE, "states", 2): ["q3", "q3"]}, BadEvidence, "states of a row"),
        ({(*EVIDENCE, "states", 2): "q3"}, RuleBroken, "a transition leaves the block"),
        ({(*STATES, "q3", "rate"): "1"}, RuleBroken, "states of a row have different noise"),
        ({(*STATES, "q3", "mean"): "1"}, RuleBroken, "states of a row have different noise"),
        ({(*STATES, "q3", "input"): False}, RuleBroken, "states of a row have different noise"),
        (
            {("model", "states", "q2", "transitions", 0, "output"): "p"},
            RuleBroken,
            "outputs of a state differ",
        ),
        ({(*Q3, 0, "output"): "insample"}, RuleBroken, "a number is output"),
        ({(*Q3, 0, "output"): "w2"}, RuleBroken, "the places of the extremes do not tell the end"),
        ({(*Q3, 0, "guard"): []}, RuleBroken, "not the least and largest"),
        ({(*Q3, 0, "to"): "q4"}, RuleBroken, "the block is entered elsewhere"),
        ({(*Q3, 0, "to"): "q1"}, RuleBroken, "the block is passed twice"),
        ({("model", "initial"): "q4"}, BadModel, ""),
    ],
)
def test_rows_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(WINNER, edits), failure, words)


def test_what_states_know_does_not_matter_where_places_tell_the_end() -> None:
    """With swapped targets letters name other values; with another letter one value has two names."""
    second = deepcopy(WINNER["model"]["states"]["q2"]["transitions"])
    swapped = [{**case, "to": {"q3": "q4", "q4": "q3"}[case["to"]]} for case in second]
    changed = edited(WINNER, {(*STATES, "q2", "transitions"): swapped})
    assert accepted(changed) == accepted(WINNER)
    assert accepted(edited(WINNER, {(*STATES, "q4", "transitions", 1, "output"): "w4"})) == accepted(WINNER)


def test_what_is_live_after_the_block_is_kept_until_then() -> None:
    """The last row need not keep what nothing tests later."""
    kept = deepcopy(WINNER["model"]["states"]["q3"]["transitions"])
    idle = [{**case, "assign": []} for case in kept]
    assert accepted(edited(WINNER, {Q3: idle})) == accepted(WINNER)
    later = {"input": True, "mean": "0", "mean_prime": None, "rate": "1/2", "rate_prime": None}
    asked = [{"assign": [], "guard": [[sign, "x"]], "output": sign, "to": "end"} for sign in ("<", ">=")]
    state = {**later, "transitions": asked}
    model: dict[Path, Json] = {(*STATES, "q9"): state}
    for q in ("q3", "q4"):
        own = deepcopy(WINNER["model"]["states"][q]["transitions"])
        model[*STATES, q, "transitions"] = [{**case, "assign": [], "output": "r", "to": "q9"} for case in own]
    refused(edited(WINNER, model), RuleBroken, "not the least and largest")


def test_there_is_a_bound_for_each_state_after_the_block() -> None:
    one = {(*EVIDENCE, "bounds"): KNOWN["evidence"]["block"]["bounds"][:1]}
    refused(edited(KNOWN, one), BadEvidence, "not one bound for each choice")
