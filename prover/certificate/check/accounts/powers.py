"""Powers and products of moments, which are rounded where they are long (*Moments*)."""

from __future__ import annotations

from fractions import Fraction

from ..budget import Budget
from ..reading import TooLarge, demand

LONGEST, ROUNDED = 16_384, 256  # bits of numbers that are not rounded, and of those that are
MOST_DOUBLINGS = 2**18


def power(budget: Budget, base: Fraction, times: int, up: bool) -> Fraction:
    result, square = Fraction(1), rounded(base, up)
    while times:
        if times & 1:
            result = multiplied(budget, result, square, up)
        times >>= 1
        if times:
            square = multiplied(budget, square, square, up)
    return result


def multiplied(budget: Budget, one: Fraction, other: Fraction, up: bool) -> Fraction:
    budget.spend(8, length(one), length(other))
    return rounded(one * other, up)


def rounded(number: Fraction, up: bool) -> Fraction:
    """If it is long, to so many bits, down or up."""
    top, bottom = number.as_integer_ratio()
    above = top.bit_length() - bottom.bit_length()
    demand(above <= MOST_DOUBLINGS, TooLarge, "a moment is too large")
    if length(number) <= LONGEST:
        return number
    shift = ROUNDED - above
    scaled, rest = divmod(top << max(0, shift), bottom << max(0, -shift))
    return Fraction((scaled + (up and rest > 0)) << max(0, -shift), 1 << max(0, shift))


def length(number: Fraction) -> int:
    return sum(n.bit_length() for n in number.as_integer_ratio())
