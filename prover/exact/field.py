"""The two kinds of numbers that linear programs are solved with: floats, which guide, and rationals, which
decide.

One program never mixes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from flint import fmpq

Scalar = TypeVar("Scalar", float, fmpq)
"""float throughout, or fmpq throughout."""

_LARGEST = 2.0**300  # so that products of two or three numbers are still floats


@dataclass(frozen=True, slots=True)
class Field(Generic[Scalar]):
    """The constants of one kind of numbers, and how a rational is written in it.

    Numbers up to ``tolerance`` count as 0 where a gain is asked for, and those up to ``noise`` times the
    largest one where a step is to be as long as numbers allow: they may be what rounding left of 0.
    """

    zero: Scalar
    one: Scalar
    tolerance: Scalar
    noise: Scalar
    number: Callable[[fmpq], Scalar]
    exact: bool


def approximately(q: fmpq) -> float:
    """A float near the rational, for guides; cut at ±2^300."""
    try:
        return max(-_LARGEST, min(_LARGEST, int(q.p) / int(q.q)))
    except OverflowError:
        return _LARGEST if q > 0 else -_LARGEST


def approximate_power(base: float, exponent: int) -> float:
    """base^exponent for a base of at least 0, for guides; cut at 2^300."""
    power = 1.0
    for _ in range(exponent):
        power = min(_LARGEST, power * base)
    return power


FLOATS: Field[float] = Field(0.0, 1.0, 1e-11, 1e-11, approximately, exact=False)
RATIONALS: Field[fmpq] = Field(fmpq(0), fmpq(1), fmpq(0), fmpq(0), fmpq, exact=True)
