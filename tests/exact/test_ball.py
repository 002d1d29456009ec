"""Balls enclose what they stand for, and precision is raised until it is enough."""

from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from prover.exact.ball import FIRST_BITS, MOST_BITS, PrecisionExhausted, ball_of, bounds, refined


@given(st.fractions(), st.fractions(), st.integers(2, 200))
def test_bounds_enclose_sums_and_products(first: Fraction, second: Fraction, bits: int) -> None:
    with ctx.workprec(bits):
        low, high = bounds(ball_of(first) * ball_of(second) + ball_of(first))
    assert low <= first * second + first <= high


def test_bounds_of_a_ball_are_its_ends() -> None:
    low, high = bounds(arb(3, 1))
    assert Fraction(2) - Fraction(1, 10**6) < low <= 2 < 4 <= high < 4 + Fraction(1, 10**6)


def test_precision_is_raised_until_the_attempt_succeeds() -> None:
    tried: list[int] = []

    def attempt() -> str | None:
        tried.append(ctx.prec)
        return "enough" if ctx.prec >= 200 else None

    before = ctx.prec
    assert refined(attempt) == ("enough", 256)
    assert tried == [FIRST_BITS, 128, 256]
    assert ctx.prec == before


def test_precision_has_a_limit() -> None:
    tried: list[int] = []
    with pytest.raises(PrecisionExhausted):
        refined(lambda: tried.append(ctx.prec))
    assert tried[-1] == MOST_BITS
