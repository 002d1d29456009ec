"""Natural logarithms of rationals, enclosed between decimals."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from prover.exact.ball import FIRST_BITS, ball_of, bounds, refined


def enclosed_logarithm(number: Fraction, digits: int = 12) -> tuple[Fraction, Fraction]:
    """The neighbouring decimals of so many ``digits`` between which ln ``number`` lies, for ``number`` > 0.

    They are equal, and 0, for 1; the logarithm of any other rational is irrational. Raises PrecisionExhausted
    for a number that is closer to 1 than any with fewer than some 39,000 digits.
    """
    if number == 1:
        return Fraction(0), Fraction(0)
    scale = 10**digits

    def attempt() -> int | None:
        low, high = (floor(end * scale) for end in bounds(ball_of(number).log()))
        return low if low == high else None

    low, _ = refined(attempt, FIRST_BITS + 4 * digits)
    return Fraction(low, scale), Fraction(low + 1, scale)
