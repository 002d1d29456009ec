"""e^x of a rational, between two short rationals."""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from prover.exact.ball import ball_of, bounds
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
