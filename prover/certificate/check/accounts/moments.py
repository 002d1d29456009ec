"""Claims about the moments of compositions: products of the largest moments of their parts (*Moments*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..budget import Budget
from ..moments import Bound, Order, at_least, read_moments
from ..reading import ClaimOpen, Json, TooLarge, at, demand, record
from .endings import Law, mass_of
from .parts import Options, read_parts
from .zcdp import rho_rule

LONGEST, ROUNDED = 16_384, 256  # bits of numbers that are not rounded, and of those that are
MOST_DOUBLINGS = 2**18


def composed_moments(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ the largest moment ≤ upper, over both directions and all choices, at every order."""
    with at("claim"):
        moments = read_moments(fields["moments"])
    with at("evidence"):
        listed = record(evidence, "parts rho" if "rho" in fields else "parts")
        parts = read_parts(model, listed["parts"], budget)
        sides = [
            [(part.forward, part.times) for part in parts],
            [(part.backward, part.times) for part in parts],
        ]
        for number, (order, (lower, upper)) in enumerate(moments):
            with at(f"order {number}"):
                lows, highs = ([product(budget, order, way, up) for way in sides] for up in (False, True))
                proved = any(at_least(low, lower) for low in lows)
                demand(proved, ClaimOpen, "the evidence does not prove lower")
                proved = all(at_least(upper, high) for high in highs)
                demand(proved, ClaimOpen, "the evidence does not prove upper")
        if "rho" in fields:
            ways = [[([laws for options in own for laws in options], n) for own, n in way] for way in sides]
            rho_rule(fields["rho"], ways, listed["rho"], budget)


def product(budget: Budget, order: Order, parts: Sequence[tuple[Sequence[Options], int]], up: bool) -> Bound:
    """Of the largest moments of the parts, from below or from above."""
    total = Fraction(1)
    for choices, times in parts:
        laws = [laws[up] for options in choices for laws in options]
        moments = [moment(budget, order, law)[up] for law in laws]
        finite = [one for one in moments if one is not None]
        if len(finite) < len(moments):
            return None
        total = multiplied(budget, total, power(budget, max(finite), times, up), up)
    return total


def moment(budget: Budget, order: Order, law: Law) -> tuple[Bound, Bound]:
    """Rounded down and up; None is ∞."""
    if mass_of(law) < 1:
        return None, None
    powers = [order.power(budget, mass, mass / ratio) for ratio, mass in law]
    low, high = (order.added(budget, [ends[side] for ends in powers]) for side in (0, 1))
    return max(Fraction(1), low), high


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
