"""e^x and ln x of rationals, between two short rationals."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from flint import ctx

from prover.exact.ball import FIRST_BITS, ball_of, bounds, refined
from prover.exact.fraction import short_near

_SPARE = 64  # bits of working precision beyond those asked for


def exponential(x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """(low, high) with low ≤ e^x ≤ high and high − low ≤ 2^−bits · e^x, of short numerators and denominators.

    x ≥ 0 and bits ≥ 1. Both are 1 if x = 0, and otherwise at least 1.
    """
    if x == 0:
        return Fraction(1), Fraction(1)
    # e^x < 4^x, so that many bits may stand before the point.
    with ctx.workprec(bits + _SPARE + 2 * int(x)):
        ball = ball_of(x).exp()
        below, above = bounds(ball)
    reach = below / 2 ** (bits + 3)
    low, high = short_near(below - reach, reach), short_near(above + reach, reach)
    return max(Fraction(1), low), high


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
