"""Programs with a block that is repeated: the loss for every count."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadClaim, BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from tests.certificate.counted_judge import accepts_counted
from tests.certificate.counted_samples import ANSWERS
from tests.certificate.program_samples import once, repeat, state, step, transition
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
BLOCKS = ("evidence", "blocks")
TABLE = ("evidence", "table")
BLOCK = ("model", "block")
STATES = ("model", "program", "states")


def test_the_sample() -> None:
    line = "counted-epsilon adjacency=all-differ loss=observer constant=1 each=1 first=1"
    assert accepted(ANSWERS) == line
    assert accepts_counted(ANSWERS)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "constant"): "3/2"}, ClaimOpen, "at the first count"),
        ({("claim", "constant"): "1/2"}, ClaimOpen, "the table does not prove"),
        ({("claim", "each"): "2", ("claim", "constant"): "0"}, ClaimOpen, "less with each count"),
        ({("claim", "each"): "1/2", ("claim", "constant"): "3/2"}, RuleBroken, "adds more"),
        ({("claim", "each"): "-1", ("claim", "constant"): "3"}, BadClaim, "each is negative"),
        ({("claim", "first"): 0}, BadClaim, "below the least"),
        ({("claim", "adjacency"): "some"}, Malformed, "adjacency"),
        ({("model", "least"): -1}, Malformed, ""),
        ({("model", "type"): "threshold-program"}, Malformed, ""),
        ({("model", "version"): 2}, Malformed, ""),
        ({("model", "more"): 2}, Malformed, ""),
        ({(*BLOCK, "states"): ["q1", "q1"]}, Malformed, "states of the block"),
        ({(*BLOCK, "states"): ["q1", "q3"]}, BadModel, "not a state"),
        ({(*BLOCK, "entry"): "q2"}, BadModel, "entry"),
        ({(*BLOCK, "states"): ["q0", "q1"]}, BadModel, "the initial state"),
        ({(*BLOCK, "after"): "q1"}, BadModel, "reached from what is after"),
        ({(*STATES, "q2", "transitions", 1, "to"): "q1"}, BadModel, "reached from what is after"),
        ({(*STATES, "q2", "transitions", 1, "assign"): ["y"]}, BadModel, "several variables"),
        ({(*STATES, "q1", "transitions", 1, "output"): "below"}, BadClaim, "does not identify"),
        ({(*BLOCK, "more"): 1}, Malformed, ""),
        ({("evidence", "more"): 1}, Malformed, ""),
        ({(*TABLE, "q1"): [["inf", "inf", "1"]]}, RuleBroken, "not closed"),
        ({(*TABLE, "q0"): [["3", "3", "3"]]}, ClaimOpen, "the table does not prove"),
        ({(*BLOCKS, 1, "kind"): "once"}, BadEvidence, "do not pass the block once"),
        ({(*BLOCKS, 1, "steps", 0, "multiplier"): "1/4"}, RuleBroken, "load"),
        ({(*BLOCKS, 0, "steps", 0, "transition"): 9}, Malformed, "unknown transition"),
    ],
)
def test_forgeries(edits: Any, failure: Any, words: str) -> None:
    refused(edited(ANSWERS, edits), failure, words)


def test_a_function_that_becomes_infinite_is_raised_by_more() -> None:
    only: dict[tuple[str | int, ...], Any] = {(*STATES, "q2"): state(transition("", "end"))}
    refused(edited(ANSWERS, {**only, (*TABLE, "q2"): [["9", "9", "1"]]}), RuleBroken, "adds more")


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
    refused(edited(ANSWERS, {(*BLOCKS, 2): end}), BadEvidence, "does not follow")


def test_multipliers_hold_without_turns() -> None:
    falling: dict[tuple[str | int, ...], Any] = {(*BLOCKS, 2, "steps", 1): step(3, 1, "-1/2", "1/2")}
    refused(edited(ANSWERS, falling), RuleBroken, "")


def test_one_entry() -> None:
    states = {
        (*STATES, "q1"): state(transition("<", "q1b", "below"), transition(">=", "q2", "above"), rate="1/2"),
        (*STATES, "q1b"): state(transition("<", "q1", "below"), transition(">=", "q2", "above"), rate="1/2"),
        (*BLOCK, "states"): ["q1", "q1b"],
        (*STATES, "q0", "transitions", 0, "to"): "q1b",
    }
    refused(edited(ANSWERS, states), BadModel, "past its entry")
