"""The runs of the structure that was named lost nothing under this adjacency, and the answer was "undecided",
although its certificate proved that the loss has no bound."""

from fractions import Fraction

import pytest

from prover.program.model import Program, State, Transition
from prover.program.privacy import privacy
from prover.report.privacy import privacy_text
from tests.certificate.verdicts import claimed

ONE = Fraction(1)


@pytest.mark.parametrize("adjacency", ["increasing", "decreasing"])
def test_a_number_that_is_given_away_in_every_turn(adjacency: str) -> None:
    start = State(False, ONE, ONE, None, None, (Transition((), ("x",), "start", "q1"),))
    back = Transition(((">=" if adjacency == "increasing" else "<", "x"),), (), "insampleprime", "q0")
    program = Program("q0", {"q0": start, "q1": State(True, ONE, ONE, ONE, ONE, (back,))})
    answer = privacy(program, adjacency)
    assert (answer.private, answer.lower, answer.upper) == (False, None, None)
    assert answer.certificate is not None
    assert claimed(answer.certificate.data) == f"not-private adjacency={adjacency} loss=observer"
    assert set(answer.states) == {"q0", "q1"}
    assert answer.family
    text = privacy_text(answer)
    assert text.startswith("one way, towards ")
    assert "no bound" in text
    assert "None" not in text
