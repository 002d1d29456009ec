"""e^x of a rational, between two short rationals."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq

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
        ball = arb(fmpq(x.numerator, x.denominator)).exp()
        below, above = _exact(ball.lower()), _exact(ball.upper())
    reach = below / 2 ** (bits + 3)
    low, high = short_near(below - reach, reach), short_near(above + reach, reach)
    return max(Fraction(1), low), high


def _exact(point: arb) -> Fraction:
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
