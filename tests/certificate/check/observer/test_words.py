"""The bound from below of what an observer learns: a word, and how its cost rises between two inputs."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.reading import BadClaim, BadEvidence, ClaimOpen, Malformed, RuleBroken, TooLarge
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# A public threshold, and two values of which one is to be below it, but not which. Transitions: 0; below 1,
# above 2; then, of one below, below 3, above 4; of one above, below 5, above 6.
XOR_PROGRAM = program(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("<", "q2"), transition(">=", "q3"), rate="2"),
        "q2": state(transition("<", "end", "same"), transition(">=", "end", "differ"), rate="2"),
        "q3": state(transition("<", "end", "differ"), transition(">=", "end", "same"), rate="2"),
    }
)
# Both values rise by 1: the cheapest is to raise the threshold. One of them is no less than it.
XOR = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "1", "upper": "inf"},
    XOR_PROGRAM,
    {"word": {"delta": [0, 1, 1], "inputs": ["0"] * 3, "places": 7, "run": [0, 1, 4], "shifts": ["0"] * 3}},
)
WORD: Path = ("evidence", "word")
ONE_STEP = {"delta": [0], "inputs": ["0"], "run": [0], "shifts": ["0"]}
CLAIM = "epsilon adjacency=all-differ loss=observer lower=1 upper=inf"


def test_a_word() -> None:
    assert accepted(XOR) == CLAIM


@pytest.mark.parametrize(
    "edits",
    [
        {(*WORD, "places"): 8},
        {(*WORD, "run"): [0, 2, 5]},
        {(*WORD, "delta"): [0, -1, -1]},
        {(*WORD, "inputs"): ["0", "5", "5"], (*WORD, "shifts"): ["5", "5", "5"], (*WORD, "places"): 100},
        {(*WORD, "inputs"): ["9", "0", "0"], (*WORD, "places"): 100},  # of a step that takes no input
    ],
)
def test_other_evidence_that_does_as_well(edits: dict[Path, Json]) -> None:
    assert accepted(edited(XOR, edits)) == CLAIM


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "lower"): "2"}, ClaimOpen, "the word loses less than lower"),
        ({("claim", "loss"): "runs"}, BadClaim, "evidence about outputs is for observers only"),
        ({("claim", "loss"): ...}, BadClaim, "evidence about outputs is for observers only"),
        ({("claim", "upper"): "4"}, ClaimOpen, "upper is finite, and the evidence has no bound from above"),
        (
            {(*WORD, "delta"): [0, 1, -1], (*WORD, "places"): 10},
            ClaimOpen,
            "loses less than lower",
        ),  # another run loses nothing
        ({(*WORD, "delta"): [0, 1, 2]}, BadEvidence, "the adjacency excludes a delta"),
        ({(*WORD, "delta"): [0, 1]}, Malformed, "a list has the wrong length"),
        ({(*WORD, "inputs"): ["0", "0", "1/2"]}, Malformed, "a number is not an integer"),
        ({(*WORD, "inputs"): ["0", "0", 0]}, Malformed, "not of type str"),
        ({(*WORD, "places"): 6}, BadEvidence, "more places are reached than the evidence declares"),
        ({WORD: ONE_STEP | {"places": 0}}, BadEvidence, "more places are reached than the evidence declares"),
        ({WORD: ONE_STEP | {"places": 1}}, ClaimOpen, "loses less than lower"),
        ({(*WORD, "places"): "7"}, Malformed, "not of type int"),
        ({(*WORD, "places"): 10**17}, TooLarge, "the work exceeds the limit"),
        ({(*WORD, "inputs"): ["0", "0", "1" + "0" * 40]}, TooLarge, "the work exceeds the limit"),
        ({(*WORD, "run"): [0, 1, 3]}, ClaimOpen, "loses less than lower"),
        ({(*WORD, "run"): [0, 1, 5]}, BadEvidence, "the transitions are not a run of the program"),
        ({(*WORD, "run"): [1, 4, 4]}, BadEvidence, "the transitions are not a run of the program"),
        ({(*WORD, "run"): []}, BadEvidence, "a run has no steps"),
        ({(*WORD, "run"): [0, 1, 9]}, Malformed, "unknown transition"),
        ({(*WORD, "shifts"): ["0", "1", "0"]}, RuleBroken, "a shift violates a test"),
        ({(*WORD, "shifts"): ["0", "0", "-1"]}, RuleBroken, "a shift violates a test"),
        ({(*WORD, "shifts"): ["0", "-1", "0"]}, ClaimOpen, "loses less than lower"),
        ({("claim", "adjacency"): "one-differ"}, BadEvidence, "more than one delta is not 0"),
        ({("claim", "adjacency"): "decreasing"}, BadEvidence, "the adjacency excludes a delta"),
        ({("claim", "adjacency"): "monotonic", (*WORD, "delta"): [0, 1, -1]}, BadEvidence, "opposite signs"),
        ({("claim", "kind"): "not-private", ("claim", "lower"): ..., ("claim", "upper"): ...}, Malformed, ""),
        ({("evidence", "blocks"): []}, Malformed, "both blocks and word"),
    ],
)
def test_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(XOR, edits), failure, words)


def test_what_is_output_has_no_shift() -> None:
    model = program(
        {
            "q0": state(transition("", "q1", assign=True), takes_input=False),
            "q1": state(transition("<", "q2", "insample"), transition(">=", "q2", "insample")),
        }
    )
    word = {"delta": [0, 1], "inputs": ["0", "0"], "places": 4, "run": [0, 1], "shifts": ["0", "0"]}
    made = edited(XOR, {("model",): model, WORD: word})
    assert accepted(made) == CLAIM
    moved = edited(made, {(*WORD, "inputs"): ["0", "-1"], (*WORD, "shifts"): ["0", "-1"]})
    refused(moved, RuleBroken, "a step outputs insample, and its shift is not 0")


def test_all_numbers_look_alike() -> None:
    """The second sample shows nothing but the second sample: the run whose shift is free costs less."""
    model = program(
        {
            "q0": state(transition("", "q1", assign=True), takes_input=False),
            "q1": state(
                transition("<", "q2", "insample"),
                transition(">=", "q2", "insampleprime"),
                rate="3",
                prime="1/2",
            ),
        }
    )
    word = {"delta": [0, 1], "inputs": ["0", "0"], "places": 4, "run": [0, 1], "shifts": ["0", "0"]}
    made = edited(XOR, {("model",): model, WORD: word, ("claim", "lower"): "1/2"})
    assert accepted(made) == CLAIM.replace("lower=1 ", "lower=1/2 ")
    refused(edited(made, {("claim", "lower"): "3"}), ClaimOpen, "loses less than lower")


@pytest.mark.parametrize("output", ["o", "never"])
def test_a_run_of_probability_0(output: str) -> None:
    """With two names of one sample no value is below the one and not below the other."""
    both = {"assign": [], "guard": [["<", "x"], [">=", "y"]], "output": output, "to": "q2"}
    start = {"assign": ["x", "y"], "guard": [], "output": "o", "to": "q1"}
    model = program({"q0": state(start), "q1": state(both, transition("<", "q2"))})
    word = {"delta": [0, 1], "inputs": ["0", "0"], "places": 4, "run": [0, 1], "shifts": ["0", "0"]}
    made = edited(XOR, {("model",): model, WORD: word, ("claim", "lower"): "0"})
    refused(made, RuleBroken, "the run has probability 0")
    assert accepted(edited(made, {(*WORD, "run"): [0, 2]})) == CLAIM.replace("lower=1 ", "lower=0 ")


class TestNoise:
    """Two rates, infinite ones, and ties."""

    def leaning(self, left: str, right: str, *states: str, **more: Json) -> Json:
        sides = {"rate": None, "rate_left": left, "rate_right": right}
        changed: dict[Path, Json] = {
            ("model", "states", q): XOR_PROGRAM["states"][q] | sides | more for q in states
        }
        return edited(XOR, changed)

    def test_the_threshold_is_raised_at_the_rate_to_the_right(self) -> None:
        made = edited(self.leaning("3", "1/2", "q0"), {("claim", "lower"): "1/2"})
        assert accepted(made) == CLAIM.replace("lower=1 ", "lower=1/2 ")
        refused(edited(made, {("claim", "lower"): "3/4"}), ClaimOpen, "loses less than lower")
        down = edited(made, {(*WORD, "delta"): [0, -1, -1], ("claim", "lower"): "2"})
        assert accepted(down) == CLAIM.replace("lower=1 ", "lower=2 ")

    def test_what_has_no_noise_does_not_move(self) -> None:
        """Neither does the threshold, nor values downwards: then to be above it costs 2."""
        made = edited(self.leaning("inf", "inf", "q0"), {("claim", "lower"): "2"})
        assert accepted(made) == CLAIM.replace("lower=1 ", "lower=2 ")
        values = self.leaning("inf", "1/4", "q1", "q2", "q3")
        assert accepted(edited(values, {("claim", "lower"): "1"})) == CLAIM
        against = {(*WORD, "inputs"): ["0", "1", "1"], (*WORD, "places"): 20}
        refused(edited(values, against), RuleBroken, "a shift has infinite cost")

    def test_a_word_that_becomes_impossible(self) -> None:
        model = program(
            {
                "q0": state(transition("", "q1", assign=True), takes_input=False),
                "q1": state(transition("<", "q2", "a"), transition(">=", "q2", "b")),
            }
        )
        for name in ("q0", "q1"):
            model["states"][name] |= {"rate": None, "rate_left": "inf", "rate_right": "inf"}
        word = {"delta": [0, 1], "inputs": ["0", "0"], "places": 4, "run": [0, 1], "shifts": ["0", "0"]}
        refused(edited(XOR, {("model",): model, WORD: word}), RuleBroken, "the word has infinite cost")

    def test_runs_that_may_be_impossible(self) -> None:
        made = self.leaning("inf", "inf", "q0", "q1", input=False)
        refused(
            made,
            BadClaim,
            "public samples have no noise on a side, so whether a run is possible may depend on the means",
        )

    def test_ties(self) -> None:
        """Neither the strictness of tests nor inputs that are not rounded matter for this bound."""
        model = deepcopy(XOR_PROGRAM) | {"noise": "discrete-laplace"}
        for case in model["states"]["q2"]["transitions"]:
            case["guard"][0][0] = {"<": "<=", ">=": ">"}[case["guard"][0][0]]
        made = edited(XOR, {("model",): model})
        assert accepted(made) == CLAIM
        assert accepted(edited(made, {("model", "inputs"): "unrounded"})) == CLAIM
