"""A threshold that is shown follows no input to the right, and so no word does; inputs only fall, however."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from prover.certificate.check import check
from prover.program.noise import INFINITE
from prover.program.privacy import privacy
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


@pytest.mark.parametrize("adjacency", ["increasing", "monotonic"])
def test_such_inputs_are_left_out(adjacency: str) -> None:
    shown = state(step(TRUE, "q1", "insample", assign=True))
    states = {
        "q0": replace(shown, rate=None, rate_left=Fraction(1), rate_right=INFINITE),
        "q1": state(step(BELOW, "end", "a", assign=True), step(ABOVE, "end", "a")),
    }
    answer = privacy(program(states), adjacency)
    if adjacency == "increasing":
        assert answer.epsilon == 1
    else:
        assert answer.private is False
    proof = answer.certificate
    assert proof is not None
    check(proof.data)
