"""Numbers seen by whether they are below 0: what the checker demands of such programs."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest

from prover.certificate.check import BadEvidence, BadModel, Malformed, Rejected
from tests.certificate.check.profiles.test_inputs import STATES, gains, pair
from tests.certificate.program_samples import program, state, transition
from tests.certificate.samples import Path
from tests.certificate.verdicts import accepted, edited, refused

Json = Any
CUT: Path = ("evidence", "cut")
SHOWN: Json = state(transition("", "q1", "insample", assign=True))
TESTED: Json = state(transition("<", "end", "below"), transition(">=", "end", "above"))
ONE: Json = edited(
    pair(program({"q0": SHOWN, "q1": TESTED}), ["1/2"], ["-1/2"], [0, 2], lower="1/5"), {CUT: True}
)
# The variable x is tested at q1, so q0 is not cut; without the test it is.
FREE: Json = edited(ONE, {(*STATES, "q1"): state(transition("", "end", "o"), takes_input=False)})
OUTPUT: Path = (*STATES, "q0", "transitions", 0, "output")


def test_a_number_alone() -> None:
    gains(FREE, 1 - exp(-0.5))


@pytest.mark.parametrize("output", [["o", "insample"], "insample"])
def test_letters_stay(output: Json) -> None:
    assert accepted(edited(FREE, {OUTPUT: output}))


REFUSED: dict[str, tuple[Json, type[Rejected], str]] = {
    "a variable that is tested": (ONE, BadEvidence, "no number to cut"),
    "a letter": (edited(FREE, {OUTPUT: "o"}), BadEvidence, "no number to cut"),
    "false": (edited(FREE, {CUT: False}), Malformed, "a value is not"),
    "a number": (edited(FREE, {CUT: 1}), Malformed, "a value is not"),
    "a state of the new name": (
        edited(FREE, {(*STATES, "q0", "transitions", 0, "to"): "\0"}), BadModel, "the name of a new one"
    ),
    "a variable of the new name": (
        edited(FREE, {(*STATES, "q0", "transitions", 0, "assign"): ["\0"]}), BadModel, "the name of a new one"
    ),
    "a sensitivity": (
        edited(FREE, {(*STATES, "q0", "sensitivity"): "2"}), BadModel, "sensitivities of states"
    ),
    "a guard": (
        edited(FREE, {(*STATES, "q1", "transitions", 0, "guard"): [["<", "x"]]}), BadEvidence, "no number"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    certificate, failure, words = REFUSED[name]
    refused(certificate, failure, words)


def test_ties_on_a_grid() -> None:
    tied = state(transition("<=", "end", "o"), transition(">", "end", "p"))
    first = {
        "q0": state(transition("", "q0a", "go", assign=True), takes_input=False),
        "q0a": SHOWN,
        "q1": tied,
    }
    model = program(first) | {"noise": "discrete-laplace"}
    document = edited(pair(model, ["0"], ["1"], [0, 1, 2], lower="0"), {CUT: True})
    refused(document, BadModel, "ties")
