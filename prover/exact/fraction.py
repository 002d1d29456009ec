"""Continued fractions: a rational of small denominator near a given one."""

from __future__ import annotations

from fractions import Fraction


def convergent_within(numerator: int, denominator: int, error: int) -> tuple[int, int]:
    """The first convergent p/q of numerator/denominator with |p/q − numerator/denominator| ≤
    error/denominator.

    ``denominator`` > 0 and ``error`` ≥ 0 are integers. The last convergent is the number itself, so there
    always is one; p and q are coprime and q > 0.
    """
    p0, q0, p, q = 0, 1, 1, 0
    top, bottom = numerator, denominator
    while True:
        quotient, rest = divmod(top, bottom)
        p0, q0, p, q = p, q, quotient * p + p0, quotient * q + q0
        # After each step of Euclid's algorithm |p·denominator − q·numerator| equals the rest.
        if rest <= error * q:
            return p, q
        top, bottom = bottom, rest


def short_near(middle: Fraction, reach: Fraction) -> Fraction:
    """A short rational that differs from ``middle`` by at most ``reach`` ≥ 0."""
    common = middle.denominator * reach.denominator
    top, error = middle.numerator * reach.denominator, reach.numerator * middle.denominator
    return Fraction(*convergent_within(top, common, error))
