"""Sums of rational · e^rational, exactly, and between which numbers they lie.

Terms are found by texts: the writer of a file could choose rationals with equal hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..budget import Budget
from ..reading import TooLarge, demand, written

MOST_TERMS = 20_000
MOST_EXPONENT = 100_000


def longest(numbers: Iterable[Fraction]) -> int:
    """The bits of the longest of some rationals, those of numerator and denominator together."""
    return max((x.numerator.bit_length() + x.denominator.bit_length() for x in numbers), default=0)


class Sum:
    """Of number · e^exponent, each exponent once."""

    def __init__(self, *terms: tuple[Fraction, Fraction]) -> None:
        self.found: dict[str, tuple[Fraction, Fraction]] = {}
        for exponent, number in terms:
            self.put(exponent, number)

    def put(self, exponent: Fraction, number: Fraction) -> None:
        key = written(*exponent.as_integer_ratio())
        if key in self.found:
            number += self.found[key][1]
        self.found[key] = exponent, number

    @property
    def terms(self) -> Iterable[tuple[Fraction, Fraction]]:
        return self.found.values()

    def __len__(self) -> int:
        return len(self.found)

    def coefficient(self) -> int:
        """The bits of its longest coefficient."""
        return longest(number for _, number in self.terms)

    def size(self) -> int:
        """The bits of its longest number, exponents included."""
        return longest(x for term in self.terms for x in term)


def add(total: Sum, more: Sum, budget: Budget) -> None:
    """Add a sum to another one."""
    budget.spend(len(total))
    one, two = total.coefficient(), more.coefficient()
    budget.spend(4 * len(more), one + two, two)
    for exponent, number in more.terms:
        total.put(exponent, number)
    demand(len(total) <= MOST_TERMS, TooLarge, f"a sum of more than {MOST_TERMS} terms")


def times(first: Sum, second: Sum, budget: Budget) -> Sum:
    budget.spend(16 * len(first) * len(second), first.size(), second.size())
    found = Sum()
    for exponent, x in first.terms:
        for other, y in second.terms:
            found.put(exponent + other, x * y)
    demand(len(found) <= MOST_TERMS, TooLarge, f"a product of more than {MOST_TERMS} terms")
    return found


class Exponentials:
    """e^x for rational x, between multiples of 2^-bits."""

    def __init__(self, bits: int, budget: Budget) -> None:
        self.bits, self.budget = bits, budget
        self.found: dict[str, tuple[int, int]] = {}

    def enclosed(self, total: Sum) -> tuple[Fraction, Fraction]:
        """Numbers between which a sum lies."""
        low = high = Fraction(0)
        long = 4 * self.bits + 2 * total.size()
        for exponent, number in total.terms:
            self.budget.spend(16, len(total) * long, long)
            below, above = self.exponential(exponent)
            first, second = (below, above) if number > 0 else (above, below)
            low += number * first
            high += number * second
        return low / 2**self.bits, high / 2**self.bits

    def exponential(self, x: Fraction) -> tuple[int, int]:
        """Halve until Taylor's series of at most 1/2 is short, then square; all rounded outward."""
        key = written(*x.as_integer_ratio())
        if key in self.found:
            return self.found[key]
        demand(abs(x) <= MOST_EXPONENT, TooLarge, f"an exponent beyond {MOST_EXPONENT}")
        if x <= -self.bits:  # it is less than 2^−bits
            return 0, 1
        size = abs(x)
        halvings = 0
        while size > Fraction(1, 2):
            size, halvings = size / 2, halvings + 1
        whole = self.bits + 2 * halvings + 16 + int(3 * abs(x) / 2)
        self.budget.spend(4 * whole, whole, max(whole, longest([x])))
        one = 1 << whole
        low = high = below = above = one
        k = 0
        while above > 1:
            k += 1
            below = below * size.numerator // (size.denominator * k)
            above = -(-above * size.numerator // (size.denominator * k))
            low, high = low + below, high + above
        high += 2 * above  # what is left is at most the last term, as each is at most half of the one before
        for _ in range(halvings):
            low, high = low * low >> whole, -(-high * high >> whole)
        if x < 0:
            low, high = one * one // high, -(-one * one // low)
        down = whole - self.bits
        self.found[key] = low >> down, -(-high >> down)
        return self.found[key]
