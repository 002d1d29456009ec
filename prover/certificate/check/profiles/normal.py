"""The distribution function Φ of the standard normal law at rationals, and lines below a curve of it."""

from __future__ import annotations

from fractions import Fraction

from ..budget import Budget
from ..reading import TooLarge, demand
from .sums import Exponentials, longest

MOST_BITS = 300
BITS = 120  # with which lines are compared with the curve
DIGITS = 10**100
HEIGHT = int(  # ⌊10^100/√(2π)⌋
    "3989422804014326779399460599343818684758586311649346576659258296706579258993018385012523339073069364"
)


def distribution(x: Fraction, bits: int, budget: Budget) -> tuple[int, int]:
    """Two integers between which 2^bits Φ(x) lies.

    Φ(y) − 1/2 is 1/√(2π) times the sum of (−1)^k u_k/(2k + 1), u_k = y (y²/2)^k/k!. From k = y²/2 on these
    terms fall, so what is left is at most the next one. Far out, Φ(−y) ≤ e^(−y²/2)/2 is below 2^-bits.
    """
    demand(0 < bits <= MOST_BITS, TooLarge, f"not from 1 to {MOST_BITS} bits")
    y, square = abs(x), x * x
    if 18 * square >= 25 * bits:
        low, high = (1 << bits) - 1, 1 << bits
    else:
        whole = bits + int(square) + 16
        long = 2 * (x.numerator.bit_length() + x.denominator.bit_length())
        budget.spend(8 * (whole + 4 * int(square)), whole + long, max(whole, long))
        n, d = square.numerator, 2 * square.denominator
        below = (y.numerator << whole) // y.denominator
        above = below + 1
        first, last, k = below, above, 0
        while above > 1 or (k + 1) * d < n:
            k += 1
            below, above = below * n // (d * k), -(-above * n // (d * k))
            least, most = below // (2 * k + 1), -(-above // (2 * k + 1))
            first, last = (first - most, last - least) if k % 2 else (first + least, last + most)
        down = whole - bits
        half = 1 << (whole - 1)
        low = (half + max(0, first - 1) * HEIGHT // DIGITS) >> down
        high = -(-(half - (-(last + 1) * (HEIGHT + 1) // DIGITS)) >> down)
    return (low, high) if x >= 0 else ((1 << bits) - high, (1 << bits) - low)


def is_below(line: tuple[Fraction, Fraction], t: Fraction, ratio: Fraction, budget: Budget) -> bool:
    """Whether it is certain that the line p′ = m p + c, m > 0, is nowhere above the curve of all (Φ(t), Φ(t −
    ratio)), ratio > 0, from what it is near one t (docs/theory_profiles.md, *Gaussian noise*)."""
    m, c = line
    if m + c <= 0:
        return True
    one = 1 << BITS
    exponent = ratio * (t - ratio / 2)
    e = [Fraction(x, one) for x in Exponentials(BITS, budget).exponential(exponent)]
    demand(e[0] > 0, TooLarge, "a line that touches the curve too far out")
    least = Fraction(distribution(t - ratio, BITS, budget)[0], one)
    most = Fraction(distribution(t, BITS, budget)[1], one)
    apart = max(abs(e[0] - m), abs(e[1] - m))
    budget.spend(32, 8 * BITS + 4 * longest([m, c]), 8 * BITS + 4 * longest([ratio]))
    return c <= least - m * most - Fraction(2, 5) * apart * apart / (ratio * min(e[0], m))
