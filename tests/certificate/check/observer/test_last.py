"""Last steps that look alike: what is accepted, and one refusal for each rule."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.reading import BadEvidence, BadModel, ClaimOpen, Malformed, RuleBroken
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# Below a public threshold an input goes on, above it ends, unseen. Transitions: 0; below 1, above 2.
HIDDEN = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "1"},
    program(
        {
            "q0": state(transition("", "q1", assign=True), takes_input=False),
            "q1": state(transition("<", "q1"), transition(">=", "end")),
        }
    ),
    {
        "last": {
            "nodes": [
                {
                    "by": [0, 0],
                    "functions": [{"names": [], "points": [[[], "1"]]}],
                    "order": [],
                    "state": "q0",
                    "targets": [1],
                },
                {
                    "by": [0, 0, 0, 0],
                    "functions": [{"names": ["x"], "points": [[[1], "0"]]}],
                    "order": [],
                    "state": "q1",
                    "targets": [1, 2],
                },
                {"by": [], "functions": [], "order": [], "state": "end", "targets": []},
            ],
            "sets": [{"node": 1, "tests": [], "transitions": [1, 2]}],
        }
    },
)
LAST: Path = ("evidence", "last")
SET: Path = (*LAST, "sets", 0)
CASES: Path = ("model", "states", "q1", "transitions")
NODE: Path = (*LAST, "nodes", 1)
NOT_ONE = "the tests are not those of one transition"


def test_accepted() -> None:
    assert accepted(HIDDEN) == "epsilon adjacency=all-differ loss=observer lower=0 upper=1"
    assert accepted(OBSERVER_SAMPLES["last steps"]).endswith("loss=observer lower=0 upper=4/3")
    assert accepted(OBSERVER_SAMPLES["last steps, monotonic"]).endswith("loss=observer lower=0 upper=2/3")
    no_letter = edited(HIDDEN, {(*CASES, 0, "output"): "p", (*CASES, 1, "output"): "p"})
    assert accepted(no_letter) == accepted(HIDDEN)


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "upper"): "99/100"}, ClaimOpen, "the functions do not prove upper"),
        ({("evidence", "table"): {}}, Malformed, "last steps and other bounds"),
        ({("evidence", "extremes"): []}, Malformed, "last steps and other bounds"),
        ({("evidence", "groups"): []}, Malformed, "last steps and other bounds"),
        ({("model", "noise"): "discrete-laplace", (*CASES, 0, "guard"): [["<=", "x"]]}, BadModel, "ties, or"),
        ({(*LAST, "sets"): []}, BadEvidence, "by has the wrong length"),
        ({(*SET, "node"): 3}, Malformed, "unknown node"),
        ({(*SET, "node"): -1}, Malformed, "unknown node"),
        ({(*SET, "node"): 0}, BadEvidence, "not transitions of the node's state"),
        ({(*SET, "transitions"): []}, BadEvidence, "not transitions of the node's state"),
        ({(*SET, "transitions"): [2, 1]}, BadEvidence, "transitions are out of order or repeated"),
        (
            {(*LAST, "sets"): [{"node": 1, "tests": [], "transitions": [1, 2]}] * 2},
            BadEvidence,
            "sets are out of order or repeated",
        ),
        (
            {
                (*LAST, "sets"): [
                    {"node": 1, "tests": [["<", "x"]], "transitions": [1]},
                    {"node": 1, "tests": [], "transitions": [1, 2]},
                ]
            },
            BadEvidence,
            "a transition is in two sets",
        ),
        ({(*CASES, 1, "output"): "p"}, RuleBroken, "the outputs differ"),
        (
            {(*CASES, 0, "output"): "insample", (*CASES, 1, "output"): "insample"},
            RuleBroken,
            "a number is output",
        ),
        ({(*SET, "tests"): [["<", "y"]]}, BadEvidence, "a test of another variable"),
        ({(*SET, "tests"): [["<=", "x"]]}, Malformed, "a test is unknown"),
        ({(*SET, "tests"): [["<", "x"], ["<", "x"]]}, BadEvidence, "tests are out of order or repeated"),
        ({(*SET, "tests"): [["<", "x"]]}, RuleBroken, NOT_ONE),
        ({(*CASES, 1, "guard"): [["<", "x"]]}, RuleBroken, NOT_ONE),
        ({(*CASES, 1, "guard"): []}, RuleBroken, NOT_ONE),
        ({(*NODE, "by"): [0, 0, -1, 0]}, BadEvidence, "by has the wrong length, or names"),
        ({(*NODE, "by"): [0, 0, 0]}, BadEvidence, "by has the wrong length, or names"),
        ({(*NODE, "by"): [0, 0, 0, 0, 0]}, BadEvidence, "by has more numbers"),
    ],
)
def test_what_is_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(HIDDEN, edits), failure, words)


def test_a_run_that_ends_after_a_step_in_no_set() -> None:
    """Without sets each transition is a last step, and the input that is above costs 2 more."""
    single = edited(HIDDEN, {(*LAST, "sets"): [], (*NODE, "by"): [0, 0, 0, 0, 0, 0]})
    refused(single, RuleBroken, "not closed under transition 2 with delta -1")


def test_the_end_of_a_set_costs_as_well() -> None:
    """A set of one transition ends with its own tests."""
    own = [{"node": 1, "tests": [[">=", "x"]], "transitions": [2]}]
    refused(
        edited(HIDDEN, {(*LAST, "sets"): own, (*NODE, "by"): [0] * 6}),
        RuleBroken,
        "not closed under transition 2 with delta -1",
    )


def test_an_order_makes_transitions_exhaust_everything() -> None:
    """Without the order of the two thresholds an input below one and above the other takes none of them."""
    known = OBSERVER_SAMPLES["last steps"]
    nodes = [n for n, own in enumerate(known["evidence"]["last"]["sets"]) if not own["tests"]]
    (place,) = nodes
    node = known["evidence"]["last"]["sets"][place]["node"]
    changed: dict[Path, Json] = {("evidence", "last", "nodes", node, "order"): []}
    refused(edited(known, changed), RuleBroken, NOT_ONE)
