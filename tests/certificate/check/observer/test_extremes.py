"""Hidden extremes: pairs of transitions of which nobody sees which one stored the larger of two values."""

from __future__ import annotations

from typing import Any

import pytest

from prover.certificate.check import BadEvidence, BadModel, Malformed, Rejected, RuleBroken
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
PAIRS: Path = ("evidence", "extremes")
HIDDEN: Path = ("model", "states", "q1", "transitions")

# Transitions: 0; at q1 below 1, above 2, which stores the larger sample; then this is compared, 3, 4.
LARGER = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "4"},
    program(
        {
            "q0": state(transition("", "q1", assign=True), takes_input=False),
            "q1": state(transition("<", "q2"), transition(">=", "q2", assign=True)),
            "q2": state(transition("<", "end", "below"), transition(">=", "end", "above")),
        }
    ),
    {
        "extremes": [[1, 2]],
        "table": {"q0": [["4", "4", "4"]], "q1": [["4", "4", "4"]], "q2": [["2", "2", "2"]]},
    },
)


def test_the_larger_one() -> None:
    accepted(LARGER)
    smaller = edited(LARGER, {(*HIDDEN, 0, "assign"): ["x"], (*HIDDEN, 1, "assign"): []})
    accepted(smaller)
    accepted(edited(LARGER, {PAIRS: [[2, 1]]}))


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({PAIRS: []}, BadEvidence, "there are no pairs"),
        ({PAIRS: [[1, 2], [1, 2]]}, BadEvidence, "pairs are out of order or repeated"),
        (
            {("model", "states", "q0", "transitions", 0, "assign"): ["x", "y"]},
            Malformed,
            "unknown key",
        ),
        ({PAIRS: [[1, 9]]}, Malformed, "unknown transition"),
        ({PAIRS: [[1, 2], [2, 1]]}, BadEvidence, "a transition occurs twice in the pairs"),
        ({PAIRS: [[1, 1]]}, BadEvidence, "a transition occurs twice in the pairs"),
        ({(*HIDDEN, 0, "output"): "p"}, RuleBroken, "the outputs or ends differ, or hold a number"),
        ({(*HIDDEN, 0, "to"): "end"}, RuleBroken, "the outputs or ends differ, or hold a number"),
        (
            {(*HIDDEN, 0, "output"): "insample", (*HIDDEN, 1, "output"): "insample"},
            RuleBroken,
            "the outputs or ends differ, or hold a number",
        ),
        ({(*HIDDEN, 0, "guard"): [[">=", "x"]]}, RuleBroken, "the tests are not < and >= of one variable"),
        ({(*HIDDEN, 0, "guard"): []}, RuleBroken, "the tests are not < and >= of one variable"),
        ({(*HIDDEN, 0, "assign"): ["x"]}, RuleBroken, "not exactly one of the two transitions assigns"),
        ({(*HIDDEN, 1, "assign"): []}, RuleBroken, "not exactly one of the two transitions assigns"),
        ({("model", "noise"): "discrete-laplace", ("model", "grid"): "1/2"}, BadModel, "above the grid"),
    ],
)
def test_what_is_rejected(edits: dict[Path, Json], failure: type[Rejected], words: str) -> None:
    refused(edited(LARGER, edits), failure, words)
