"""Convergents of continued fractions, against all fractions and against the expansion spelt out."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from hypothesis import given
from hypothesis import strategies as st

from prover.exact.fraction import convergent_within, short_near


def expansion(number: Fraction) -> list[Fraction]:
    """The convergents of a number, each computed from the back: [a0; a1, …, an] = a0 + 1/[a1; …, an]."""
    quotients, rest = [], number
    while True:
        quotients.append(rest.numerator // rest.denominator)
        if rest == quotients[-1]:
            break
        rest = 1 / (rest - quotients[-1])
    convergents = []
    for length in range(1, len(quotients) + 1):
        value = Fraction(quotients[length - 1])
        for quotient in reversed(quotients[: length - 1]):
            value = quotient + 1 / value
        convergents.append(value)
    return convergents


numerators = st.integers(-(10**6), 10**6)
denominators = st.integers(1, 10**6)
errors = st.one_of(st.just(0), st.integers(0, 10), st.integers(0, 10**6))


@given(numerators, denominators, errors)
def test_first_convergent_that_is_near(numerator: int, denominator: int, error: int) -> None:
    number, near = Fraction(numerator, denominator), Fraction(error, denominator)
    p, q = convergent_within(numerator, denominator, error)
    assert (gcd(p, q), q > 0) == (1, True)
    assert Fraction(p, q) == next(c for c in expansion(number) if abs(c - number) <= near)


@given(numerators, denominators, errors)
def test_no_fraction_of_smaller_denominator_is_as_near(numerator: int, denominator: int, error: int) -> None:
    # Convergents are best approximations: what is at least as near has at least their denominator.
    number = Fraction(numerator, denominator)
    p, q = convergent_within(numerator, denominator, error)
    distance = abs(Fraction(p, q) - number)
    for smaller in range(1, min(q, 200)):
        nearest = Fraction(round(number * smaller), smaller)
        assert abs(nearest - number) > distance


def test_without_tolerance_it_is_the_number_in_lowest_terms() -> None:
    assert convergent_within(6, 4, 0) == (3, 2)
    assert convergent_within(-6, 4, 0) == (-3, 2)
    assert convergent_within(0, 7, 0) == (0, 1)
    assert convergent_within(7, 1, 0) == (7, 1)


def test_convergents_of_pi() -> None:
    number = 314159265358979, 10**14
    found = [convergent_within(*number, 10**digits) for digits in (14, 12, 10, 8, 7, 0)]
    assert found == [(3, 1), (22, 7), (333, 106), (355, 113), (103993, 33102), (69305155, 22060516)]


@given(st.integers(1, 10**30), st.integers(1, 10**30), st.integers(0, 60))
def test_a_short_fraction_is_recovered_from_its_binary_digits(p: int, q: int, more: int) -> None:
    # What linear systems rely on: 2·log2(q) + 2 bits and an error of one unit determine p/q.
    short = Fraction(p, q)
    bits = 2 * short.denominator.bit_length() + 2 + more
    digits = short.numerator * 2**bits // short.denominator
    assert convergent_within(digits, 2**bits, 1) == (short.numerator, short.denominator)


@given(st.fractions(), st.fractions(0))
def test_a_short_rational_that_is_near(number: Fraction, reach: Fraction) -> None:
    found = short_near(number, reach)
    assert abs(found - number) <= reach
    assert found.denominator <= number.denominator
