"""Smaller programs that show the same: each rule with a certificate that breaks only this one."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prover.certificate.check.reading import BadEvidence, BadModel, Malformed, RuleBroken
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path, certificate
from tests.certificate.verdicts import accepted, edited, refused

Json = Any

# A public threshold (0); then a test that nobody sees (1, 2); then another threshold (3, 4), and one of two
# states, in which the number is below it and goes to the other one (5, 7), or not (6, 8). The smaller program
# has one of these states, and no test before it.
PROGRAM = program(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("<", "q2"), transition(">=", "q3", assign=True)),
        "q2": state(transition("", "q4", assign=True), rate="2"),
        "q3": state(transition("", "q5", assign=True), rate="2"),
        "q4": state(transition("<", "q5", "a"), transition(">=", "end", "b")),
        "q5": state(transition("<", "q4", "a"), transition(">=", "over", "b")),
    }
)
SMALL = program(
    {
        "q0": state(transition("", "q1", assign=True), takes_input=False),
        "q1": state(transition("", "q2"), rate="7"),  # nobody cares
        "q2": state(transition("", "q4", assign=True), rate="2"),
        "q4": state(transition("<", "q4", "a"), transition(">=", "end", "b")),
    }
)
STATES = {"q0": "q0", "q1": "q1", "q2": "q2", "q3": "q2", "q4": "q4", "q5": "q4"}
IMAGES = [0, 1, 1, 2, 2, 3, 4, 3, 4]
# A number that is not below a shift of 1 costs 2; to store this shift costs 4 at most
TABLE = {
    "q0": [["6", "6", "6"]],
    "q1": [["6", "6", "6"]],
    "q2": [["6", "6", "6"]],
    "q4": [["inf", "inf", "2"]],
}
QUOTIENT = certificate(
    {"adjacency": "all-differ", "kind": "epsilon", "loss": "observer", "lower": "0", "upper": "6"},
    PROGRAM,
    {"quotient": {"model": SMALL, "states": STATES, "transitions": IMAGES}, "table": TABLE},
)
IN: Path = ("evidence", "quotient")
B: Path = (*IN, "model", "states")
CLAIM = "epsilon adjacency=all-differ loss=observer lower=0 upper=6"
TESTS = "the tests of the parts do not make up the image's"


def test_a_quotient() -> None:
    assert accepted(QUOTIENT) == CLAIM


@pytest.mark.parametrize(
    ("edits", "failure", "words"),
    [
        ({("claim", "loss"): "runs"}, None, "evidence about outputs is for observers only"),
        ({("claim", "lower"): "1"}, None, "the output of transition 2 does not identify it"),
        ({("evidence", "merged"): [[1, 2]]}, Malformed, "both merged and quotient"),
        ({(*IN, "model", "sensitivity"): "2"}, BadModel, "the image has other noise"),
        ({(*IN, "model", "noise"): "discrete-laplace"}, BadModel, "the image has other noise"),
        ({(*IN, "states", "q5"): ...}, BadEvidence, "not exactly the reached states"),
        ({(*IN, "states", "end"): "q4"}, BadEvidence, "not exactly the reached states"),
        ({(*IN, "states", "q5"): "q9"}, BadEvidence, "the image of a state is not a state"),
        ({(*IN, "states", "q5"): 4}, Malformed, ""),
        ({(*IN, "states", "q0"): "q1"}, BadEvidence, "the initial state has another image"),
        ({(*IN, "transitions"): IMAGES[:-1]}, BadEvidence, "not one image for each transition"),
        ({(*IN, "transitions", 8): 5}, Malformed, "unknown transition"),
        ({(*IN, "transitions", 8): None}, Malformed, ""),
        ({(*IN, "transitions", 8): 2}, BadEvidence, "the image leads to another state"),
        ({(*IN, "states", "q5"): "q2"}, BadEvidence, "the image leads to another state"),
        ({(*IN, "transitions", 7): 4}, BadEvidence, "the image leads to another state"),
        ({(*IN, "transitions", 7): 2}, BadEvidence, "the image leaves another state"),
        (
            {("model", "states", "q5", "transitions", 0, "to"): "end"},
            BadEvidence,
            "the image leads to another state",
        ),
        (
            {("model", "states", "q5", "transitions", 1, "to"): "q4"},
            BadEvidence,
            "the image leads to another state",
        ),
        (
            {("model", "states", "q5", "transitions", 0, "output"): "c"},
            RuleBroken,
            "the image has other outputs",
        ),
        ({(*B, "q1", "transitions", 0, "output"): "c"}, RuleBroken, "the image has other outputs"),
        (
            {("model", "states", "q5", "transitions", 0, "assign"): ["x"]},
            RuleBroken,
            "the image assigns other variables",
        ),
        (
            {("model", "states", "q3", "transitions", 0, "assign"): []},
            RuleBroken,
            "the image assigns other variables",
        ),
        ({("model", "states", "q5", "transitions", 0, "guard"): [[">=", "x"]]}, RuleBroken, TESTS),
        ({("model", "states", "q1", "transitions", 0, "guard"): []}, RuleBroken, TESTS),
        ({("model", "states", "q1", "transitions", 0, "guard"): [[">=", "x"]]}, RuleBroken, TESTS),
        ({("model", "states", "q5", "rate"): "2"}, RuleBroken, "the image has other noise"),
        ({("model", "states", "q5", "mean"): "2"}, RuleBroken, "the image has other noise"),
        ({("model", "states", "q3", "input"): False}, RuleBroken, "the image has other noise"),
        ({(*B, "q2", "transitions", 0, "output"): "insample"}, RuleBroken, "the image has other outputs"),
        ({("evidence", "table", "q4"): [["inf", "inf", "1"]]}, RuleBroken, "not closed"),
    ],
)
def test_rejected(edits: dict[Path, Json], failure: type | None, words: str) -> None:
    from prover.certificate.check.reading import BadClaim

    refused(edited(QUOTIENT, edits), failure or BadClaim, words)


def test_ties_of_the_smaller_program() -> None:
    grid = dict.fromkeys((("model", "noise"), (*IN, "model", "noise")), "discrete-laplace")
    assert accepted(edited(QUOTIENT, grid)) == CLAIM
    tied = {(*B, "q4", "transitions", n, "guard"): [[test, "x"]] for n, test in enumerate(("<=", ">"))}
    refused(edited(QUOTIENT, grid | tied), BadModel, "ties, or inputs that are not rounded")


def test_what_no_run_comes_to_has_no_image() -> None:
    model = deepcopy(PROGRAM)
    model["states"]["q9"] = state(transition("", "q9"))
    made = edited(QUOTIENT, {("model",): model, (*IN, "transitions"): [*IMAGES, None]})
    assert accepted(made) == CLAIM
    refused(
        edited(made, {(*IN, "transitions"): [*IMAGES, 0]}),
        BadEvidence,
        "a transition that no run reaches has an image",
    )


def test_numbers_make_noise_matter() -> None:
    """A state that shows a number is not quiet; nor do second samples of other noise look the same."""
    for output in ("insample", "insampleprime"):
        model, small = deepcopy(PROGRAM), deepcopy(SMALL)
        for own, name in ((model, "q2"), (model, "q3"), (small, "q2")):
            own["states"][name]["transitions"][0] |= {"output": output}
            own["states"][name] |= {"rate_prime": "1", "mean_prime": "0"}
        edits: dict[Path, Json] = {("model",): model, (*IN, "model"): small}
        made = edited(QUOTIENT, edits | {("claim", "upper"): "inf", ("evidence", "table"): ...})
        assert accepted(made) == CLAIM.replace("6", "inf")
        for key in ("rate_prime", "mean_prime"):
            other = edited(made, {("model", "states", "q3", key): "3"})
            if output == "insample":
                assert accepted(other) == CLAIM.replace("6", "inf")
            else:
                refused(other, RuleBroken, "the image has another second sample")


def test_two_numbers_at_once() -> None:
    both: dict[Path, Json] = {
        ("model", "states", "q2", "transitions", 0, "output"): ["insample", "insampleprime"]
    }
    second: dict[Path, Json] = {("model", "states", "q2", f"{key}_prime"): "1" for key in ("rate", "mean")}
    refused(
        edited(QUOTIENT, both | second),
        BadModel,
        "a transition outputs a gap, or both insample and insampleprime",
    )
