"""Programs with a block that is repeated: the loss for every count."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from prover.formats.load import load_program
from prover.program.counted.privacy import privacy_of_counts
from tests.certificate.counted_judge import accepts_counted
from tests.certificate.counted_samples import ANSWERS, GROWING, TWICE, function, node
from tests.certificate.program_samples import once, repeat, state, step, transition
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
BLOCKS = ("evidence", "blocks", 0)
NODES = ("evidence", "table", "nodes", 0)
LIST = ANSWERS["evidence"]["table"]["nodes"][0]
BLOCK = ("model", "block")
STATES = ("model", "program", "states")
RAISE = ("evidence", "table", "raise")


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        (ANSWERS, "constants=1 each=1 first=1"),
        (TWICE, "constants=1,1 each=1 first=1"),
        (GROWING, "constants=0 each=2 first=1"),
    ],
)
def test_the_samples(sample: Json, words: str) -> None:
    assert accepted(sample) == f"counted-epsilon adjacency=all-differ loss=observer {words}"
    assert accepts_counted(sample)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "constants"): ["3/2"]}, ClaimOpen, "at the first count"),
        ({("claim", "constants"): ["1/2"]}, ClaimOpen, "functions do not prove"),
        ({("claim", "constants"): []}, Malformed, "the period"),
        ({("claim", "constants"): ["1"] * 61}, Malformed, "the period"),
        ({("claim", "constants"): ["1", "1"]}, Malformed, ""),
        ({("claim", "each"): "2", ("claim", "constants"): ["0"]}, ClaimOpen, "less with each count"),
        ({("claim", "each"): "1/2", ("claim", "constants"): ["3/2"]}, ClaimOpen, "raise the functions"),
        ({("claim", "each"): "-1", ("claim", "constants"): ["3"]}, BadClaim, "each is negative"),
        ({("claim", "first"): 0}, BadClaim, "below the least"),
        ({("claim", "adjacency"): "some"}, Malformed, "adjacency"),
        ({("model", "least"): -1}, Malformed, ""),
        ({("model", "type"): "threshold-program"}, Malformed, ""),
        ({("model", "version"): 2}, Malformed, ""),
        ({("model", "more"): 2}, Malformed, ""),
        ({("model", "program", "open"): {"from": "1", "name": "t", "to": "2"}}, BadModel, "open parameter"),
        ({("model", "program", "sensitivity"): "1"}, Malformed, "must be left out"),
        ({("model", "program", "sensitivity"): ["1", "2"]}, Malformed, ""),
        ({(*STATES, "q0", "rate"): ["2", "1"]}, BadModel, "a rate falls"),
        ({(*STATES, "q1", "sensitivity"): "2"}, BadModel, "sensitivities"),
        ({(*BLOCK, "states"): ["q1", "q1"]}, Malformed, "states of the block"),
        ({(*BLOCK, "states"): ["q1", "q3"]}, BadModel, "not a state"),
        ({(*BLOCK, "entry"): "q2"}, BadModel, "entry"),
        ({(*BLOCK, "states"): ["q0", "q1"]}, BadModel, "the initial state"),
        ({(*BLOCK, "after"): "q1"}, BadModel, "reached from what is after"),
        ({(*STATES, "q2", "transitions", 1, "to"): "q1"}, BadModel, "reached from what is after"),
        ({(*STATES, "q1", "transitions", 1, "output"): "below"}, BadClaim, "does not identify"),
        ({(*STATES, "q0", "transitions", 0, "assign"): []}, BadModel, ""),
        ({(*BLOCK, "more"): 1}, Malformed, ""),
        ({("evidence", "more"): 1}, Malformed, ""),
        ({("evidence", "table", "more"): 1}, Malformed, ""),
        ({RAISE: "1/2"}, RuleBroken, "adds more"),
        ({RAISE: "2"}, ClaimOpen, "raise the functions by more"),
        ({RAISE: "-1"}, Malformed, "raise is negative"),
        ({(*NODES, 2, "functions", 0): function({(1,): "1"})}, RuleBroken, "not closed"),
        ({(*NODES, 2, "functions", 0): function({(1,): "2"}, "1")}, RuleBroken, "adds more"),
        ({(*NODES, 0, "functions", 0): function({(): "3"})}, ClaimOpen, "functions do not prove"),
        ({(*NODES, 0, "functions", 0): function({(): "2"}, "1")}, ClaimOpen, "functions do not prove"),
        ({(*NODES, 3, "state"): "q1"}, BadEvidence, ""),
        ({NODES: [*LIST, node("q2", [4, 3], [0] * 6, function({(1,): "1"}))]}, BadEvidence, "one node"),
        ({NODES: [*LIST, node("q1", [4, 1], [0] * 8, function({(1,): "2"}))]}, BadEvidence, "one node"),
        ({(*BLOCKS, 1, "kind"): "once"}, BadEvidence, "do not pass the block once"),
        ({(*BLOCKS, 1, "kind"): "more"}, Malformed, "kind"),
        ({(*BLOCKS, 1, "steps", 0, "multiplier"): "1/4"}, RuleBroken, "load"),
        ({(*BLOCKS, 0, "steps", 0, "transition"): 9}, Malformed, "unknown transition"),
        ({(*BLOCKS, 0, "steps", 0, "transition"): -1}, Malformed, "unknown transition"),
    ],
)
def test_forgeries(edits: Any, failure: Any, words: str) -> None:
    refused(edited(ANSWERS, edits), failure, words)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "constants"): ["1", "3/2"]}, ClaimOpen, "functions do not prove|first count"),
        ({("claim", "constants"): ["1", "1/2"]}, ClaimOpen, "first count|functions do not prove"),
        ({("evidence", "blocks"): TWICE["evidence"]["blocks"][::-1]}, BadEvidence, "for other counts"),
        (
            {("evidence", "table", "nodes"): TWICE["evidence"]["table"]["nodes"][::-1]},
            RuleBroken,
            "adds more",
        ),
        ({RAISE: "3/4"}, RuleBroken, "adds more"),
        ({(*BLOCKS, 1): ANSWERS["evidence"]["blocks"][0][1]}, BadEvidence, "do not pass the block once"),
    ],
)
def test_forgeries_of_periods(edits: Any, failure: Any, words: str) -> None:
    forged = edited(TWICE, edits)
    refused(forged, failure, "" if "|" in words else words)
    assert not accepts_counted(forged)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({(*STATES, "q0", "rate"): ["1", "5/2"]}, RuleBroken, "not closed"),
        ({(*STATES, "q0", "rate"): ["1", "3/2"]}, RuleBroken, "load"),
        ({(*STATES, "q0", "rate"): ["1/2", "3/2"]}, RuleBroken, "load"),
        ({RAISE: "3/2"}, ClaimOpen, ""),
        ({(*NODES, 0, "functions", 0): function({(): "2"}, "3/2")}, ClaimOpen, ""),
        ({(*NODES, 0, "functions", 0): function({(): "2"})}, RuleBroken, "not closed"),
    ],
)
def test_forgeries_of_growing_rates(edits: Any, failure: Any, words: str) -> None:
    forged = edited(GROWING, edits)
    refused(forged, failure, words)
    assert not accepts_counted(forged)


def test_a_function_that_becomes_infinite_is_raised_by_more() -> None:
    only: dict[tuple[str | int, ...], Any] = {(*STATES, "q2"): state(transition("", "end"))}
    after = node("q2", [3], [0, 0], function({(0,): "1", (1,): "1"}))
    refused(edited(ANSWERS, {**only, (*NODES, 1): after}), RuleBroken, "")


def test_turns_pass_the_block_once() -> None:
    two = repeat(*[step(5, 1, "1/2"), step(2, -1, "1/2")] * 2)
    refused(edited(ANSWERS, {(*BLOCKS, 1): two}), BadEvidence, "do not pass the block once")


def test_copies_that_pass_before_count() -> None:
    # One copy is passed outside of the turns, so nothing is said of count 1.
    before = once(step(0), step(5, 1, "1/2"), step(2, -1, "1/2"))
    later = edited(ANSWERS, {(*BLOCKS, 0): before})
    refused(later, ClaimOpen, "too often")
    assert accepts_counted(later) is False
    from_two = edited(later, {("claim", "first"): 2})
    accepted(from_two)
    assert accepts_counted(from_two)


def test_no_copy_begins_after_a_step_of_the_state_after_the_block() -> None:
    end = once(step(7, 1, "1/2"), step(5, 1, "1/2"), step(2, -1, "1/2"), step(8, -1, "1/2"))
    refused(edited(ANSWERS, {(*BLOCKS, 2): end, ("claim", "first"): 2}), BadEvidence, "does not follow")


def test_multipliers_hold_without_turns() -> None:
    falling: dict[tuple[str | int, ...], Any] = {(*BLOCKS, 2, "steps", 1): step(3, 1, "-1/2", "1/2")}
    refused(edited(ANSWERS, falling), RuleBroken, "no turn is taken")


def test_one_entry() -> None:
    states = {
        (*STATES, "q1"): state(transition("<", "q1b", "below"), transition(">=", "q2", "above"), rate="1/2"),
        (*STATES, "q1b"): state(transition("<", "q1", "below"), transition(">=", "q2", "above"), rate="1/2"),
        (*BLOCK, "states"): ["q1", "q1b"],
        (*STATES, "q0", "transitions", 0, "to"): "q1b",
    }
    refused(edited(ANSWERS, states), BadModel, "past its entry")


def test_the_order_at_the_entry_is_known_after_each_copy() -> None:
    found = privacy_of_counts(
        lambda count: load_program("examples/mechanisms/counted.py:outside", const=f"count={count}"), last=4
    )
    assert found.certificate is not None
    several = json.loads(found.certificate.data)
    accepted(several)
    nodes, entry = several["evidence"]["table"]["nodes"][0], several["model"]["block"]["entry"]
    place = next(k for k, node in enumerate(nodes) if node["state"] == entry)
    more: dict[tuple[str | int, ...], Any] = {(*NODES, place, "order"): [["high", "low"]]}
    refused(edited(several, more), RuleBroken, "order")
