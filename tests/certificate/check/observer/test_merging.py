"""The bound from above of a program in which transitions that look alike are one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prover.certificate.check import Rejected
from prover.certificate.check.reading import BadClaim, BadEvidence, BadModel, Malformed, RuleBroken
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# A value is compared with a private threshold, and nobody is told. Transitions: 0; below 1, above 2.
ALIKE = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "0"},
    program(
        {
            "q0": state(transition("", "q1", assign=True)),
            "q1": state(transition("<", "end"), transition(">=", "end"), rate="2"),
        }
    ),
    {"merged": [[1, 2]], "table": {}},
)
CLAIM = "epsilon adjacency=all-differ loss=observer value=0"
PAIRS: Path = ("evidence", "merged")
CASES: Path = ("model", "states", "q1", "transitions")
DISCRETE: dict[Path, Json] = {("model", "noise"): "discrete-laplace"}
UNCOVERED = "the tests are not < and >=, or <= and >, of one variable"


def test_nothing_is_lost() -> None:
    assert accepted(ALIKE) == CLAIM
    strict = {(*CASES, 0, "guard"): [["<=", "x"]], (*CASES, 1, "guard"): [[">", "x"]]}
    assert accepted(edited(ALIKE, {**DISCRETE, **strict})) == CLAIM
    assert accepted(edited(ALIKE, {PAIRS: [[1, 2]], ("claim", "upper"): "1"})) == CLAIM.replace(
        "value=0", "lower=0 upper=1"
    )


def test_after_a_loop() -> None:
    assert accepted(OBSERVER_SAMPLES["merged"]).endswith("loss=observer value=4")


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "loss"): "runs"}, BadClaim, "evidence about outputs is for observers only"),
        ({PAIRS: ...}, RuleBroken, "not closed"),
        ({PAIRS: []}, BadEvidence, "there are no pairs"),
        ({PAIRS: [[1, 1]]}, BadEvidence, "a transition occurs twice in the pairs"),
        ({PAIRS: [[1, 2], [1, 2]]}, BadEvidence, "pairs are out of order or repeated"),
        ({PAIRS: [[0, 1]]}, RuleBroken, "the two transitions differ in more than their tests"),
        ({PAIRS: [[1, 3]]}, Malformed, "unknown transition"),
        ({PAIRS: [[1]]}, Malformed, "a list has the wrong length"),
        ({(*CASES, 1, "output"): "p"}, RuleBroken, "the two transitions differ in more than their tests"),
        ({(*CASES, 1, "to"): "other"}, RuleBroken, "the two transitions differ in more than their tests"),
        ({(*CASES, 1, "assign"): ["x"]}, RuleBroken, "the two transitions differ in more than their tests"),
        ({(*CASES, 1, "guard"): [["<", "x"]]}, RuleBroken, UNCOVERED),
        ({(*CASES, 1, "guard"): []}, RuleBroken, UNCOVERED),
        (
            {(*CASES, 1, "guard"): [[">=", "y"]]},
            BadModel,
            "a test uses a variable that is not assigned on every path to it",
        ),
        ({**DISCRETE, (*CASES, 1, "guard"): [[">", "x"]]}, RuleBroken, UNCOVERED),
        (
            {**DISCRETE, (*CASES, 0, "guard"): [["<=", "x"]]},
            RuleBroken,
            UNCOVERED,
        ),
    ],
)
def test_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(deepcopy(edited(ALIKE, edits)), failure, words)


def test_gaps_are_not_merged() -> None:
    gap = ["o", {"gap": "x"}]
    made = edited(ALIKE, {(*CASES, k, "output"): gap for k in (0, 1)})
    refused(made, RuleBroken, "a gap is output")
