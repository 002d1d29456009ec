"""The budget of work: the rest of it. No work is begun that exceeds it.

Work is counted in units of about 5 ns. An operation on a number of at most a bits and one of at most b bits
is 32 + w(a) w(b) units, where w(a) = ⌊a/64⌋ + 1 are the words of a number. The cost of a rule is a formula
in numbers that are known before the rule is tried (docs/certificates.md, *Work*), so all checkers count the
same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import lcm

from .reading import Ratio, TooLarge, demand

UNITS = 10**10  # for any file: about a minute
UNITS_PER_BYTE = 200  # of the file, on top
MEMORY_BITS = 2**31  # of all numbers that are kept, and of a row's over its common denominator
LEAST_BITS = 256  # that a number counts which is kept

STEP = 32  # units that an operation costs beside its words
FEW_BITS = 2**12  # of denominators whose least common multiple is found at once


class Budget:
    """The budget of a file of so many bytes."""

    def __init__(self, size: int) -> None:
        self.units = UNITS + UNITS_PER_BYTE * size
        self.bits = MEMORY_BITS

    def spend(self, count: int, bits: int = 0, other_bits: int = 0) -> None:
        """So many operations on numbers of at most so many bits and numbers of at most so many other bits."""
        self.units -= count * (STEP + (bits // 64 + 1) * (other_bits // 64 + 1))
        if self.units < 0:
            raise TooLarge("the work exceeds the limit")

    def spend_units(self, units: int) -> None:
        self.units -= units
        if self.units < 0:
            raise TooLarge("the work exceeds the limit")

    def keep(self, count: int, bits: int) -> None:
        """So many numbers of so many bits stay in memory."""
        bits = max(bits, LEAST_BITS)
        self.fit(count, bits)
        self.bits -= count * bits

    def fit(self, count: int, bits: int) -> None:
        """So many numbers of so many bits are in memory for a while."""
        if count * bits > self.bits:
            raise TooLarge("the memory exceeds the limit")

    def common(self, ratios: Sequence[Ratio]) -> tuple[list[int], int]:
        """Numerators over the least common denominator, and that denominator."""
        denominator = self.denominator([d for _, d in ratios])
        return [n if d == denominator else n * (denominator // d) for n, d in ratios], denominator

    def denominator(self, denominators: Sequence[int], many: int | None = None) -> int:
        """The least common multiple of n numbers, for 4 n operations on it and the longest of them.

        If so ``many`` numbers are meant, these are the ones among them that differ, and n is that many.
        """
        many = len(denominators) if many is None else many
        longest = max(denominators).bit_length() if denominators else 0
        if len(denominators) * longest <= FEW_BITS:
            multiple = lcm(*denominators)
        elif denominators.count(denominators[0]) == len(denominators):
            multiple = denominators[0]
        else:
            multiple = 1
            for d in denominators:
                if multiple % d:
                    multiple = lcm(multiple, d)
                    cost = 4 * many * operation(multiple.bit_length(), longest)
                    demand(cost <= self.units, TooLarge, "the work exceeds the limit")
        bits = multiple.bit_length()
        self.spend(4 * many, bits, longest)
        self.fit(many, bits)
        return multiple


def operation(bits: int, other_bits: int) -> int:
    """The units of one operation on a number of at most so many bits and one of at most so many others."""
    return STEP + words(bits) * words(other_bits)


def words(bits: int) -> int:
    return bits // 64 + 1


def bits_of(numbers: Iterable[int]) -> int:
    """The bits of the longest of some numbers; 0 if there is none."""
    return max(map(int.bit_length, numbers), default=0)
