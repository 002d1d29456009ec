"""Enclosures of logarithms against series in exact fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.exact.exponential import enclosed_logarithm

F = Fraction


def series(number: Fraction, terms: int) -> tuple[Fraction, Fraction]:
    """Bounds on ln, for 1 ≤ number ≤ 3: 2 Σ z^(2k+1) / (2k+1) for z = (number − 1)/(number + 1) ≤ 1/2."""
    z = (number - 1) / (number + 1)
    partial = sum((2 * z ** (2 * k + 1) / (2 * k + 1) for k in range(terms)), F(0))
    return partial, partial + 4 * z ** (2 * terms + 1)


@given(st.fractions(1, 3, max_denominator=1000), st.integers(0, 15))
def test_against_the_series(number: Fraction, digits: int) -> None:
    low, high = enclosed_logarithm(number, digits)
    below, above = series(number, 40)
    assert low <= above
    assert below <= high
    assert high - low == (0 if number == 1 else F(1, 10**digits))


@given(st.fractions(F(1, 40), 1000, max_denominator=50))
def test_of_the_inverse(number: Fraction) -> None:
    low, high = enclosed_logarithm(number)
    assert enclosed_logarithm(1 / number) == (-high, -low)


@pytest.mark.parametrize(
    ("number", "low"),
    [
        (F(2), F(693147180559, 10**12)),
        (F(1, 2), F(-693147180560, 10**12)),
        (1 + F(1, 10**50), F(0)),
        (1 - F(1, 10**50), F(-1, 10**12)),
        (F(10) ** 5000, F(11512925464970228, 10**12)),
    ],
)
def test_known_values(number: Fraction, low: Fraction) -> None:
    assert enclosed_logarithm(number) == (low, low + F(1, 10**12))


def test_nearly_a_decimal() -> None:
    """e^(1/2) to 60 digits: the logarithm differs from 1/2 far beyond the digits that are asked for."""
    root = F(1648721270700128146848650787814163571653776100710148011575079, 10**60)
    assert F(1, 2) in enclosed_logarithm(root, 6)
