"""Counting units of work and bits of memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flint import fmpz

UNITS = 10**10
UNITS_PER_BYTE = 200
MEMORY_BITS = 2**31
LEAST_BITS = 256
STEP = 32


class Count:
    """Units of work and bits of memory, as they add up; of numbers held for a while, the most at a time."""

    def __init__(self) -> None:
        self.units = 0
        self.bits = 0
        self.passing = 0

    def spend(self, count: int, bits: int = 0, other: int = 0) -> None:
        """So many operations on numbers of at most so many bits, and at most so many others."""
        self.units += count * (STEP + (bits // 64 + 1) * (other // 64 + 1))

    def keep(self, count: int, bits: int) -> None:
        """So many numbers of at most so many bits stay in memory."""
        self.bits += count * max(bits, LEAST_BITS)

    def hold(self, count: int, bits: int) -> None:
        """So many numbers of at most so many bits are in memory for a while."""
        self.passing = max(self.passing, count * bits)

    def common(self, denominators: Iterable[Any], number: int | None = None) -> fmpz:
        """The least common multiple of numbers, or of texts for numbers, which repeat in so many."""
        listed = list(denominators)
        many = len(listed) if number is None else number
        distinct = [fmpz(d) for d in set(listed)]
        whole = fmpz(1)
        for d in distinct:
            whole = whole.lcm(d)
        self.spend(4 * many, whole.bit_length(), max((d.bit_length() for d in distinct), default=0))
        self.hold(many, whole.bit_length())
        return whole

    def exceeds(self, size: int) -> bool:
        """Whether this is more than checkers spend on a file of so many bytes."""
        return self.units > UNITS + UNITS_PER_BYTE * size or self.bits + self.passing > MEMORY_BITS


def parts(text: str) -> tuple[str, str]:
    """Numerator and denominator of a rational, as texts."""
    above, _, below = text.partition("/")
    return above, below or "1"


def denominator(text: str) -> str:
    """The denominator of a rational, as text."""
    return parts(text)[1]


def long(text: str) -> int:
    """The bits of the longer end of a rational."""
    return max(fmpz(end).bit_length() for end in parts(text))
