"""Exponential sums: a ring, equality of functions, and rigorous values."""

from fractions import Fraction

import pytest
from flint import ctx, fmpq
from hypothesis import given
from hypothesis import strategies as st

from prover.exact.ball import bounds
from prover.exact.exponential_sum import ExponentialSum

F = Fraction
SMALL = st.fractions(min_value=-3, max_value=3, max_denominator=6)


@st.composite
def sums(draw: st.DrawFn) -> ExponentialSum:
    denominator = draw(st.integers(1, 6))
    keys = st.tuples(st.integers(0, 2), st.integers(-8, 8))
    numbers = draw(st.dictionaries(keys, SMALL.filter(bool), max_size=4))
    return ExponentialSum(denominator, {k: fmpq(c.numerator, c.denominator) for k, c in numbers.items()})


def single(coefficient: Fraction | int, power: int, exponent: Fraction | int) -> ExponentialSum:
    exponent = F(exponent)
    number = fmpq(F(coefficient).numerator, F(coefficient).denominator)
    return ExponentialSum(exponent.denominator, {(power, exponent.numerator): number})


def overlap(first: tuple[Fraction, Fraction], second: tuple[Fraction, Fraction]) -> bool:
    return first[0] <= second[1] and second[0] <= first[1]


@given(sums(), sums(), sums())
def test_ring_laws(a: ExponentialSum, b: ExponentialSum, c: ExponentialSum) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert not a - a
    assert hash(a + b) == hash(b + a)
    assert a * ExponentialSum.rational(F(2, 3)) == a * fmpq(2, 3)


@given(sums(), sums(), st.fractions(min_value=F(1, 8), max_value=3, max_denominator=8))
def test_values_follow_the_operations(a: ExponentialSum, b: ExponentialSum, epsilon: Fraction) -> None:
    with ctx.workprec(100):
        assert overlap(bounds((a + b).at(epsilon)), bounds(a.at(epsilon) + b.at(epsilon)))
        assert overlap(bounds((a * b).at(epsilon)), bounds(a.at(epsilon) * b.at(epsilon)))


def test_equal_functions_are_equal_whatever_they_were_made_of() -> None:
    half = single(1, 0, F(1, 2))
    assert half * half == single(1, 0, 1)
    assert half != single(1, 1, F(1, 2))
    assert half * fmpq(0) == ExponentialSum.rational(0)
    assert half != "e"


def test_terms_are_sorted_and_rational() -> None:
    found = single(F(1, 2), 0, F(1, 4)) + single(-1, 1, -2) + ExponentialSum.rational(3)
    assert found.terms == ((F(1, 2), 0, F(1, 4)), (F(3), 0, F(0)), (F(-1), 1, F(-2)))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (ExponentialSum.rational(0), "0"),
        (ExponentialSum.rational(F(-1, 2)), "-1/2"),
        (single(1, 0, -1) + single(F(-1, 6), 2, F(-3, 2)), "1·e^(-1·ε) - 1/6·ε^2·e^(-3/2·ε)"),
        (single(2, 1, 0), "2·ε"),
    ],
)
def test_text(found: ExponentialSum, text: str) -> None:
    assert str(found) == text
    assert text in repr(found)


def test_a_known_value() -> None:
    with ctx.workprec(64):
        low, high = bounds(single(1, 1, 1).at(F(1)))
    assert low <= F(271828182845904523536, 10**20) <= high
    assert high - low < F(1, 10**15)
