"""Continued fractions: a rational of small denominator near a given one, or in an interval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isqrt, prod


def convergents(numerator: int, denominator: int) -> Iterator[tuple[int, int, int]]:
    """The convergents p/q of numerator/denominator, as (p, q, |p·denominator − q·numerator|).

    ``denominator`` > 0; p and q are coprime and q > 0; the last convergent is the number itself.
    """
    p0, q0, p, q = 0, 1, 1, 0
    top, bottom = numerator, denominator
    while bottom:
        quotient, rest = divmod(top, bottom)
        p0, q0, p, q = p, q, quotient * p + p0, quotient * q + q0
        # After each step of Euclid's algorithm |p·denominator − q·numerator| equals the rest.
        yield p, q, rest
        top, bottom = bottom, rest


def convergent_within(numerator: int, denominator: int, error: int) -> tuple[int, int]:
    """The first convergent p/q of numerator/denominator with |p/q − numerator/denominator| ≤
    error/denominator.

    ``denominator`` > 0 and ``error`` ≥ 0 are integers. The last convergent is the number itself, so there
    always is one; p and q are coprime and q > 0.
    """
    return next((p, q) for p, q, rest in convergents(numerator, denominator) if rest <= error * q)


def short_near(middle: Fraction, reach: Fraction) -> Fraction:
    """A short rational that differs from ``middle`` by at most ``reach`` ≥ 0."""
    common = middle.denominator * reach.denominator
    top, error = middle.numerator * reach.denominator, reach.numerator * middle.denominator
    return Fraction(*convergent_within(top, common, error))


def simplest_between(
    low: Fraction, high: Fraction, *, low_open: bool = False, high_open: bool = False
) -> Fraction:
    """The rational of least denominator between two, and of those the one of least size; ends belong unless
    open.

    There has to be one: low ≤ high, and low < high where an end is open. It is the continued fraction that
    the two ends share, continued by the simplest integer between what is left of them; so it is what
    Theorem 3 of "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018) recovers.
    """
    if high < 0 or (high == 0 and high_open):
        return -simplest_between(-high, -low, low_open=high_open, high_open=low_open)
    if low < 0 or (low == 0 and not low_open):
        return Fraction(0)
    p0, q0, p, q = 0, 1, 1, 0
    bottomless = False  # whether the upper end is infinite
    while True:
        whole = low.numerator // low.denominator
        first = whole if low == whole and not low_open else whole + 1  # the least integer that may belong
        if bottomless or first < high or (first == high and not high_open):
            return Fraction(first * p + p0, first * q + q0)
        # Both ends are between whole and whole + 1; go on with 1/(end − whole), which swaps them.
        p0, q0, p, q = p, q, whole * p + p0, whole * q + q0
        bottomless = low == whole
        low, high = 1 / (high - whole), high if bottomless else 1 / (low - whole)
        low_open, high_open = high_open, low_open


def vertex_denominator(squared_norms: Iterable[int], unknowns: int) -> int:
    """A bound on the denominators of a vertex of a polyhedron in so many unknowns.

    The polyhedron is given by rows of integers a·x ≤ b, of which ``squared_norms`` are the |a|². By Cramer's
    rule the coordinates of a vertex have the determinant of ``unknowns`` rows as a common denominator, which
    by Hadamard's inequality is at most the product of the largest norms. This makes Theorem 1 of
    "Bisimilarity Distances for Approximate Differential Privacy" (ATVA 2018), that values have polynomially
    many bits, a number.
    """
    largest = sorted(squared_norms, reverse=True)[:unknowns]
    return isqrt(prod(largest, start=1))


def narrow_enough(bound: int) -> Fraction:
    """A width below which an interval holds at most one rational of denominator at most ``bound``.

    Two such rationals differ by 1/bound² at least. The simplest rational of the interval is then the only
    candidate: the step that makes Theorem 3 of the ATVA 2018 paper exact.
    """
    return Fraction(1, bound * bound)
