"""The units in which checkers count work (docs/certificates.md, 6)."""

from __future__ import annotations

from fractions import Fraction

MOST_WORK = 10**10
"""Units that checkers spend on any file."""


def operation(bits: int, other: int) -> int:
    """The units of an operation on a number of at most so many bits and one of at most so many others."""
    return 32 + (bits // 64 + 1) * (other // 64 + 1)


def bits_of(number: Fraction) -> int:
    """The length of the longer of its numerator and its denominator."""
    return max(n.bit_length() for n in number.as_integer_ratio())
