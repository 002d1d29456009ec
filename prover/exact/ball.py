"""Balls: enclosures of real numbers by Arb, from rationals and to rationals, at a precision that is raised.

Comparisons of balls are not three-valued: ``x > 0`` is true if it is proved, and false both if it is refuted
and if it is open. So nothing is ever concluded from a comparison that is false.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from flint import arb, ctx

from prover.exact.fmpq import fmpq_of, fraction_of

T = TypeVar("T")

FIRST_BITS = 64
MOST_BITS = 1 << 17
"""The precision in bits that is tried first, and the largest."""


class PrecisionExhausted(ArithmeticError):
    """No enclosure is as tight as asked at the largest precision."""


def ball_of(number: Fraction) -> arb:
    """The ball of a rational number, at the precision that is set."""
    return arb(fmpq_of(number))


def bounds(ball: arb) -> tuple[Fraction, Fraction]:
    """Rationals between which all of a finite ball lies."""
    low, high = ball.lower().fmpq(), ball.upper().fmpq()
    return fraction_of(low), fraction_of(high)


def refined(attempt: Callable[[], T | None], bits: int = FIRST_BITS) -> tuple[T, int]:
    """The first result that is not None of an attempt at precisions ``bits``, 2·``bits``, 4·``bits``, …, and
    its precision.

    Raises PrecisionExhausted.
    """
    while bits <= MOST_BITS:
        with ctx.workprec(bits):
            result = attempt()
        if result is not None:
            return result, bits
        bits *= 2
    raise PrecisionExhausted(f"{MOST_BITS} bits are not enough")
