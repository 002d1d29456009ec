"""How likely counts are: Clopper-Pearson intervals, rounded outward."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from prover.exact.ball import ball_of

_BITS = 128


def clopper_pearson(hits: int, runs: int, error: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """An interval that misses the chance of a hit with probability at most ``error``, whatever this is.

    The ends are decimals with ``digits`` decimals. Below the lower end, ``hits`` hits or more have
    probability at most error/2 in ``runs`` independent runs, and above the upper end, so few or fewer do
    (C. J. Clopper and E. S. Pearson, 1934). 0 ≤ hits ≤ runs, runs > 0 and 0 < error < 1.
    """
    return _below(hits, runs, error / 2, digits), 1 - _below(runs - hits, runs, error / 2, digits)


def _below(hits: int, runs: int, error: Fraction, digits: int) -> Fraction:
    """The largest decimal, up to rounding, at which that many hits or more are no likelier than ``error``."""
    scale = 10**digits
    low, high = 0, scale  # at low they are proved that unlikely, at high they are not
    while hits and high - low > 1:
        middle = (low + high) // 2
        if _is_rarer(hits, runs, Fraction(middle, scale), error):
            low = middle
        else:
            high = middle
    return Fraction(low, scale)


def _is_rarer(hits: int, runs: int, chance: Fraction, error: Fraction) -> bool:
    """Whether it is proved that P[hits or more], an incomplete beta function, is at most ``error``."""
    with ctx.workprec(_BITS):
        tail = ball_of(chance).beta_lower(arb(hits), arb(runs - hits + 1), regularized=True)
        return bool(tail <= ball_of(error))
