"""Natural logarithms of rationals, enclosed between decimals by Arb's balls."""

from __future__ import annotations

from fractions import Fraction
from math import floor

FIRST_BITS = 64


def enclosed_logarithm(number: Fraction, digits: int = 12) -> tuple[Fraction, Fraction]:
    """The neighbouring decimals of so many ``digits`` between which ln ``number`` lies, for ``number`` > 0.

    They are equal, and 0, for 1; the logarithm of any other rational is irrational.
    """
    from flint import arb, ctx, fmpq

    if number == 1:
        return Fraction(0), Fraction(0)
    scale, bits = 10**digits, FIRST_BITS + 4 * digits
    while True:
        with ctx.workprec(bits):  # the ends, too, are rounded to this precision
            ball = arb(fmpq(number.numerator, number.denominator)).log()
            ends = [end.fmpq() for end in (ball.lower(), ball.upper())]
        low, high = (floor(Fraction(int(end.p), int(end.q)) * scale) for end in ends)
        if low == high:
            return Fraction(low, scale), Fraction(low + 1, scale)
        bits *= 2
