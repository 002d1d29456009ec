"""Files for which the checker ended with an error of Python: a list as the kind of a block, and registers
that a public sample without noise sets.
"""

from __future__ import annotations

from typing import Any

from prover.certificate.check.reading import ClaimOpen, Malformed
from tests.certificate.counted_samples import TWICE
from tests.certificate.program_samples import once, program, state, step, transition
from tests.certificate.samples import certificate
from tests.certificate.verdicts import edited, refused

Json = Any


def test_the_kind_of_a_block_is_a_word() -> None:
    place = ("evidence", "blocks", 0, 0, "kind")
    refused(edited(TWICE, {place: ["once"]}), Malformed, "not of type str")


def test_public_samples_set_registers() -> None:
    def public(to: str, mean: str, variable: str, *tests: list[str], **more: Json) -> Json:
        case = {"assign": [variable], "guard": [*tests], "output": "o", "to": to, **more}
        return state(case, takes_input=False) | {"mean": mean, "rate": None, **dict.fromkeys(SIDES, "inf")}

    states = {
        "q0": public("q1", "0", "x"),
        "q1": public("q2", "1", "y", [">=", "x"], registers={"r": {"r": 1}}),
        "q2": state(transition("<", "q2")),
    }
    claim = {"adjacency": "all-differ", "kind": "not-private"}
    evidence = {"blocks": [once(step(0))], "sums": "followed"}
    refused(certificate(claim, program(states), evidence), ClaimOpen, "does not grow")


SIDES = ("rate_left", "rate_right")
