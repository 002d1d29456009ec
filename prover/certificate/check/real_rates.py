"""Rates that are real numbers: sums of rationals times powers of e, logarithms, roots and inverses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from .budget import Budget, bits_of
from .noise import RATES
from .profiles.sums import Exponentials
from .reading import (
    BadClaim,
    BadModel,
    Json,
    Malformed,
    TooLarge,
    ascending,
    canonical,
    demand,
    items,
    positive,
    rational,
    typed,
)

BITS = (128, 4096)  # of enclosures, one after the other
MOST_TERMS = 20
MOST_PARTS = 20
MOST_DEPTH = 5
MOST_ARGUMENT = 10**50  # of logarithms and roots, and of their denominators
MOST_EXPONENT = 100
MOST_BITS = 2000  # of a coefficient, and of a rational rate that is made of real ones

Range = tuple[Fraction, Fraction]  # between which a number lies


class Unknown(BadModel):
    """The enclosures are too wide."""


@dataclass(frozen=True, slots=True)
class Reals:
    """Enclosures of numbers by multiples of 2^-bits."""

    bits: int
    budget: Budget

    def number(self, value: Json, depth: int = 1) -> Range:
        """A sum of [c, [part, …]], c not 0, the lists of parts ascending by their canonical bytes."""
        demand(depth <= MOST_DEPTH, TooLarge, "a number is nested too deeply")
        terms = [items(term, 2) for term in typed(value, list)]
        demand(0 < len(terms) <= MOST_TERMS, Malformed, "a number has no terms, or too many")
        ascending([canonical(typed(parts, list)) for _, parts in terms], Malformed, "terms of a number")
        low = high = Fraction(0)
        for c, parts in terms:
            factor = coefficient(c)
            demand(len(parts) <= MOST_PARTS, TooLarge, "a term has too many parts")
            found = (factor, factor)
            for part in parts:
                found = self.times(found, self.part(part, depth))
            low, high = low + found[0], high + found[1]
        return self.rounded(low, high)

    def spend(self) -> None:
        width = 32 * self.bits + 4000
        self.budget.spend(64, width, width)

    def times(self, one: Range, other: Range) -> Range:
        ends = [x * y for x in one for y in other]
        return self.rounded(min(ends), max(ends))

    def rounded(self, low: Fraction, high: Fraction) -> Range:
        self.spend()
        one = 1 << self.bits
        least, most = low.numerator * one // low.denominator, -(-high.numerator * one // high.denominator)
        return Fraction(least, one), Fraction(most, one)

    def part(self, value: Json, depth: int) -> Range:
        kind, of = items(value, 2)
        if kind == "inverse":
            low, high = self.number(of, depth + 1)
            demand(low > 0 or high < 0, Unknown, "a divisor is not known to differ from 0")
            return self.rounded(1 / high, 1 / low)
        demand(kind in ("exp", "ln", "sqrt"), Malformed, "a part of a number is unknown")
        if kind == "exp":
            exponent = Fraction(*rational(of))
            demand(abs(exponent) <= MOST_EXPONENT, TooLarge, "an exponent is too large")
            demand(exponent.denominator < MOST_ARGUMENT, TooLarge, "an exponent is too long")
            ends = Exponentials(self.bits + 8, self.budget).exponential(exponent)
            return self.rounded(*(Fraction(end, 1 << self.bits + 8) for end in ends))
        argument = Fraction(*positive(of))
        demand(max(argument.as_integer_ratio()) < MOST_ARGUMENT, TooLarge, "an argument is too long")
        return self.root(argument) if kind == "sqrt" else self.logarithm(argument)

    def root(self, x: Fraction) -> Range:
        """The whole root of x·4^bits, and the next one."""
        self.spend()
        found = isqrt((x.numerator << 2 * self.bits) // x.denominator)
        return Fraction(found, 1 << self.bits), Fraction(found + 1, 1 << self.bits)

    def logarithm(self, x: Fraction) -> Range:
        """2·artanh((y − 1)/(y + 1)) for y = x/2^k from 2/3 to 4/3, and k times the same for y = 2."""
        sizes = [n.bit_length() for n in x.as_integer_ratio()]
        self.budget.spend(16 * (self.bits + 32), self.bits + 32, max(1400, 4 * sum(sizes)))
        k = sizes[0] - sizes[1]
        x /= Fraction(2) ** k
        while x > Fraction(4, 3):
            x, k = x / 2, k + 1
        while x < Fraction(2, 3):
            x, k = x * 2, k - 1
        (low, high), two = self.artanh((x - 1) / (x + 1)), self.artanh(Fraction(1, 3))
        least, most = sorted(k * end for end in two)
        return self.rounded(2 * (low + least), 2 * (high + most))

    def artanh(self, z: Fraction) -> Range:
        """z + z³/3 + z⁵/5 + …, |z| ≤ 1/3: what is left out is at most 9/8 of the next term."""
        size, one = abs(z), 1 << self.bits + 32
        square = size * size
        below, above = size.numerator * one // size.denominator, -(-size.numerator * one // size.denominator)
        low = high = n = 0
        while above > 1:
            low, high, n = low + below // (2 * n + 1), high - (-above // (2 * n + 1)), n + 1
            below = below * square.numerator // square.denominator
            above = -(-above * square.numerator // square.denominator)
        ends = Fraction(low, one), Fraction(high + 2 * above, one)
        return ends if z >= 0 else (-ends[1], -ends[0])


def coefficient(value: Json) -> Fraction:
    found = Fraction(*rational(value))
    demand(found != 0, Malformed, "a term of a number is 0")
    demand(bits_of(found.as_integer_ratio()) <= MOST_BITS, TooLarge, "a coefficient is too long")
    return found


def positive_bounds(value: Json, budget: Budget) -> Range:
    """Rationals above 0 between which a number lies."""
    found = bounds_of(value, budget, above=Fraction(0))
    demand(found[0] > 0, BadModel, "a number is not known to be positive")
    return found


def bounds_of(value: Json, budget: Budget, above: Fraction | None = None) -> Range:
    """Rationals between which a number lies; the first bits that tell that it is above another are enough."""
    found = None
    for bits in BITS:
        with suppress(Unknown):
            found = Reals(bits, budget).number(value)
        if found is not None and (above is None or found[0] > above):
            return found
    if found is None:
        raise BadModel("a divisor is not known to differ from 0")
    return found


def in_units(model: Json, unit: Json, budget: Budget) -> Json:
    """The model with rational rates: of which multiples of the unit, a number above 0, its rates are."""
    positive_bounds(unit, budget)
    terms = [(coefficient(c), canonical(parts)) for c, parts in unit]

    def divided(rate: Json) -> Json:
        if rate is None or rate == "inf":
            return rate
        own = [items(term, 2) for term in typed(rate, list)]
        alike = [canonical(parts) for _, parts in own] == [parts for _, parts in terms]
        demand(alike, BadClaim, "a rate has other terms than the unit")
        budget.spend(4 * len(own), MOST_BITS, MOST_BITS)
        shares = [coefficient(c) / whole for (c, _), (whole, _) in zip(own, terms, strict=True)]
        demand(shares.count(shares[0]) == len(shares), BadClaim, "a rate is no multiple of the unit")
        return text_of(shares[0])

    return with_rates_of(model, divided)


def text_of(number: Fraction) -> str:
    n, d = number.as_integer_ratio()
    demand(bits_of((n, d)) <= MOST_BITS, TooLarge, "a rate is too long")
    return f"{n}" if d == 1 else f"{n}/{d}"


def with_rates_of(model: Json, change: Callable[[Json], Json]) -> Json:
    """The model with other rates."""
    fields = typed(model, dict)
    states = {
        name: {key: change(entry) if key in RATES else entry for key, entry in typed(state, dict).items()}
        for name, state in typed(fields.get("states"), dict).items()
    }
    return {**fields, "states": states}


def unit_words(claim: Mapping[str, Json]) -> str:
    """The words about the unit of the numbers of a claim."""
    return f" unit={canonical(claim['unit']).decode()}" if "unit" in claim else ""
