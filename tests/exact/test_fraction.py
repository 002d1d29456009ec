"""Convergents of continued fractions, against all fractions and against the expansion spelt out."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import ceil, floor, gcd

from hypothesis import given
from hypothesis import strategies as st

from prover.exact.fraction import (
    convergent_within,
    convergents,
    narrow_enough,
    short_near,
    simplest_between,
    vertex_denominator,
)
from tests.profiles import examples


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


def brute_simplest(low: Fraction, high: Fraction, low_open: bool, high_open: bool) -> Fraction:
    for q in range(1, 10_000):
        inside = [
            Fraction(p, q)
            for p in range(floor(low * q) - 1, ceil(high * q) + 2)
            if (low < Fraction(p, q) or (low == Fraction(p, q) and not low_open))
            and (Fraction(p, q) < high or (high == Fraction(p, q) and not high_open))
        ]
        if inside:
            return min(inside, key=lambda x: (abs(x), x))
    raise AssertionError


ENDS = st.fractions(min_value=-3, max_value=3, max_denominator=60)


@examples(400)
@given(ENDS, ENDS, st.booleans(), st.booleans())
def test_the_simplest_rational_between_two(p: Fraction, q: Fraction, low_open: bool, high_open: bool) -> None:
    low, high = min(p, q), max(p, q)
    if low == high:
        low_open = high_open = False
    found = simplest_between(low, high, low_open=low_open, high_open=high_open)
    assert found == brute_simplest(low, high, low_open, high_open)


def test_the_simplest_of_long_rationals_needs_no_recursion() -> None:
    low = Fraction(fibonacci(5000), fibonacci(5001))
    high = Fraction(fibonacci(5002), fibonacci(5003))
    low, high = min(low, high), max(low, high)
    assert simplest_between(low, high) in (low, high)
    assert low < simplest_between(low, high, low_open=True, high_open=True) < high


def fibonacci(n: int) -> int:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@given(st.integers(1, 40), st.fractions(0, 1, max_denominator=40), st.integers(1, 10**6))
def test_narrow_intervals_hold_one_candidate(bound: int, value: Fraction, place: int) -> None:
    value = value.limit_denominator(bound)
    width = narrow_enough(bound) * Fraction(999, 1000)
    low = value - width * Fraction(place, 10**6 + 1)
    assert simplest_between(low, low + width) == value


def test_convergents_of_a_known_number() -> None:
    assert [(p, q) for p, q, _ in convergents(415, 93)] == [(4, 1), (9, 2), (58, 13), (415, 93)]


@given(st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=3, max_size=6))
def test_determinants_are_below_the_bound(rows: list[list[int]]) -> None:
    bound = vertex_denominator([sum(a * a for a in row) for row in rows], 3)
    for a, b, c in combinations(rows, 3):
        determinant = (
            a[0] * (b[1] * c[2] - b[2] * c[1])
            - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
        )
        assert abs(determinant) <= bound


@given(st.fractions(), st.fractions(0))
def test_a_short_rational_that_is_near(number: Fraction, reach: Fraction) -> None:
    found = short_near(number, reach)
    assert abs(found - number) <= reach
    assert found.denominator <= number.denominator
