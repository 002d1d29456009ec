"""Floats near rationals, however long these are."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from prover.exact.field import FLOATS, RATIONALS, approximate_power, approximately


@given(st.fractions(-(10**20), 10**20))
def test_floats_are_near(q: Fraction) -> None:
    assert approximately(fmpq(q.numerator, q.denominator)) == pytest.approx(float(q))


@pytest.mark.parametrize(
    ("q", "near"),
    [
        (fmpq(10) ** 1000, 2.0**300),
        (-(fmpq(10) ** 1000), -(2.0**300)),
        (fmpq(10) ** 100, 2.0**300),
        (fmpq(10) ** -1000, 0.0),
        (fmpq(10**1000 + 1, 10**1000), 1.0),
    ],
)
def test_numbers_beyond_floats_are_cut(q: fmpq, near: float) -> None:
    assert approximately(q) == near


def test_powers_are_cut() -> None:
    assert approximate_power(1.5, 0) == 1.0
    assert approximate_power(1.5, 3) == 1.5**3
    assert approximate_power(1e200, 9) == 2.0**300


def test_numbers_of_either_field() -> None:
    assert FLOATS.number(fmpq(1, 4)) == 0.25
    assert RATIONALS.number(fmpq(1, 4)) == fmpq(1, 4)
    assert (FLOATS.exact, RATIONALS.exact) == (False, True)
