"""e^x between short rationals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.exact.exponential import exponential


def series(x: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Bounds on e^x for 0 ≤ x < terms/2: partial sums, and twice the next term on top."""
    total, term = Fraction(0), Fraction(1)
    for n in range(1, terms + 1):
        total += term
        term *= x / n
    return total, total + 2 * term


@given(
    x=st.fractions(min_value=0, max_value=8, max_denominator=10**6),
    bits=st.integers(min_value=1, max_value=100),
)
def test_the_bounds_enclose_the_series(x: Fraction, bits: int) -> None:
    low, high = exponential(x, bits)
    below, above = series(x, 80)
    assert 1 <= low <= above
    assert below <= high
    assert high - low <= above / 2**bits


@pytest.mark.parametrize(
    "x", ["1", "1/1000000000000", "1000", "693147180559945309417232/1000000000000000000000000"]
)
def test_the_bounds_are_short_and_in_order(x: str) -> None:
    low, high = exponential(Fraction(x), 40)
    assert 1 <= low < high
    size = max(1, low.numerator // low.denominator).bit_length()
    assert all(q.denominator.bit_length() <= 45 for q in (low, high))
    assert high.numerator.bit_length() <= size + 46


def test_e_to_the_0_is_1() -> None:
    assert exponential(Fraction(0), 10) == (Fraction(1), Fraction(1))
