"""What the answer of a program says about the work that it took."""

from prover.program.privacy import privacy
from prover.zoo import leaking_pair, svt


def test_of_a_private_program() -> None:
    effort = privacy(svt()).effort
    assert effort.keys() == {"values", "rounds", "tables"}
    assert effort["values"] >= effort["tables"] >= 1


def test_of_one_that_is_not() -> None:
    assert privacy(leaking_pair()).effort == {}
