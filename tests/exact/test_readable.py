"""Rational numbers as people read them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.exact.rational import parse_rational
from prover.exact.readable import (
    brief,
    lower_text,
    readable,
    readable_alpha,
    readable_interval,
    upper_text,
)

LONG = Fraction(10**50 + 1, 3 * 10**50)


def number(text: str) -> Fraction:
    return parse_rational(text.removesuffix("…"))


@pytest.mark.parametrize(
    ("q", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(2, 3), "2/3 (0.666666…)"),
        (Fraction(1, 4), "1/4 (0.25)"),
        (LONG, "0.33333333333333333333… (exact rational of 103 characters)"),
    ],
)
def test_readable(q: Fraction, text: str) -> None:
    assert readable(q) == text


def test_alpha_is_cut_where_it_is_long() -> None:
    assert readable_alpha(Fraction(6, 5)) == "6/5"
    assert readable_alpha(1 + LONG) == "1.33333333333333333333…"


def test_brief() -> None:
    assert brief(Fraction(1, 7)) == "1/7"
    assert brief(LONG) == "0.33333333333333333333…"
    assert brief(Fraction(10**12, 10**13 + 1)) == "1000000000000/10000000000001"


@given(st.fractions(0, 1, max_denominator=10**40))
def test_ends_are_rounded_to_the_safe_side(q: Fraction) -> None:
    low, high = number(lower_text(q)), number(upper_text(q))
    assert low <= q <= high
    assert high - low <= Fraction(2, 10**6)
    assert max(len(lower_text(q)), len(upper_text(q))) <= 40


@given(st.fractions(0, 1, max_denominator=10**30), st.fractions(0, 1, max_denominator=10**30))
def test_intervals_enclose_and_are_little_wider(one: Fraction, other: Fraction) -> None:
    lower, upper = sorted((one, other))
    if lower == upper:
        return
    low, high = map(number, readable_interval(lower, upper))
    assert low <= lower < upper <= high
    assert high - low <= max(2 * (upper - lower), upper - lower + Fraction(2, 10**6))
