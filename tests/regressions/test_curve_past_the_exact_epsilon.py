"""A table of a curve whose δ is 0 at some α, as the exact ε proves, was never finished."""

from __future__ import annotations

from fractions import Fraction

import prover
from prover.exact.readable import readable_interval
from prover.zoo import svt


def test_the_table_is_finished() -> None:
    answer = prover.curve(svt(), at_epsilon=1, epsilons=[1, 2], steps=1)
    assert answer.points[-1].upper == 0
    assert str(answer).splitlines()[2].split()[2:] == ["0", "0"]


def test_equal_ends_are_enclosed() -> None:
    assert readable_interval(Fraction(0), Fraction(0)) == ("0", "0")
    assert readable_interval(Fraction(1, 3), Fraction(1, 3)) == ("0.333333", "0.333334")
