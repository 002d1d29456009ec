"""Products of chances against a stored value, on pieces of the line, in integers with bounds of their errors.

On a piece from a to b a function is Σ n·E_λ(z)/2^bits, where E_λ(z) = e^(λ(z − b)) for λ > 0, e^(λ(z − a))
for λ < 0, and 1 for λ = 0. So all E_λ are between 0 and 1. A function that is multiplied by a chance, which
is at most 1, is not farther off than before, but for rounding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from ..budget import Budget
from ..reading import written
from .sums import Exponentials, longest

Rate = Fraction | None  # None is infinite: no noise on that side
Enclosure = tuple[int, int]  # between multiples of 1/2^bits


@dataclass(frozen=True, slots=True)
class Law:
    """A sample: its center, and the rates of its noise below and above it, or a standard deviation."""

    center: Fraction
    left: Rate
    right: Rate
    sigma: Fraction | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether there is no noise."""
        return self.left is None and self.right is None and self.sigma is None

    def text(self) -> str:
        """Different ones of different laws."""
        numbers = (self.center, self.left, self.right, self.sigma)
        texts = ("" if number is None else written(*number.as_integer_ratio()) for number in numbers)
        return " ".join(texts)


@dataclass(frozen=True, slots=True)
class Function:
    """On each piece that is not lost the coefficients by λ, in units of rates; and how far off it may be."""

    pieces: Mapping[int, Mapping[int, int]]
    error: int
    bits: int  # that a coefficient has at most

    def __len__(self) -> int:
        return sum(map(len, self.pieces.values()))


@dataclass(frozen=True, slots=True)
class Piece:
    """Between two ends, of which one may be infinite; or a point."""

    low: Fraction | None
    high: Fraction | None
    falls: dict[int, Enclosure] = field(default_factory=dict)
    shares: dict[int, Enclosure] = field(default_factory=dict)  # of what is stored, times E_λ

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.low == self.high

    def is_above(self, center: Fraction) -> bool:
        """Whether the piece is on the upper side of a center."""
        return self.low is not None and (self.low > center or (self.low == center and not self.is_point))

    def distance(self, center: Fraction) -> Fraction:
        """From a center that is outside of the piece, or at an end."""
        if self.is_above(center):
            return (self.low or Fraction(0)) - center
        return center - (center if self.high is None else self.high)


class Stored:
    """A stored sample, and functions of it on the pieces between the centers of tests; rates are multiples of
    1/unit."""

    def __init__(
        self, law: Law, centers: Sequence[Fraction], unit: int, exponentials: Exponentials, budget: Budget
    ) -> None:
        self.law, self.unit, self.exponentials, self.budget = law, unit, exponentials, budget
        self.bits = exponentials.bits
        self.whole = 1 << self.bits
        self.long = longest([law.center, *centers])
        budget.spend(16 * (len(centers) + 2), self.long, self.long)
        ends: list[Fraction | None] = [None, *sorted({law.center, *centers}), None]
        found = [Piece(low, high) for low, high in pairwise(ends)]
        if law.left is None and law.right is None:
            found = [Piece(law.center, law.center)]
        self.pieces = {
            index: piece
            for index, piece in enumerate(found)
            if piece.is_point or self.rate(law, piece) is not None
        }

    def rate(self, law: Law, piece: Piece) -> Rate:
        return law.right if piece.is_above(law.center) else law.left

    def one(self) -> Function:
        return Function({place: {0: self.whole} for place in self.pieces}, 0, self.bits + 1)

    def exponential(self, size: Fraction) -> Enclosure:
        """e^−size."""
        long = longest([size])
        self.budget.spend(8, long, long)
        if size >= self.bits:  # it is less than 2^−bits
            return 0, 1
        return self.exponentials.exponential(-size)

    def fall(self, piece: Piece, number: int) -> Enclosure:
        """How far E_λ falls on the piece, for λ = ± number."""
        if number == 0:
            return self.whole, self.whole
        if piece.low is None or piece.high is None:
            return 0, 0
        if number not in piece.falls:
            piece.falls[number] = self.exponential((piece.high - piece.low) * number / self.unit)
        return piece.falls[number]

    def both(self, first: Enclosure, second: Enclosure) -> Enclosure:
        """A product, rounded outward."""
        return first[0] * second[0] >> self.bits, -(-first[1] * second[1] >> self.bits)

    def tested(self, function: Function, law: Law, *, at_least: bool) -> Function:
        """The function times the probability that a sample is ≥, or <, what is stored."""
        self.budget.spend(4 * len(function), function.bits, self.bits)
        self.budget.spend(4 * len(function.pieces), self.long, self.long)
        found: dict[int, Mapping[int, int]] = {}
        errors = 0
        for place, terms in function.pieces.items():
            piece = self.pieces[place]
            rate, above = self.rate(law, piece), piece.is_above(law.center)
            other = law.left if above else law.right
            rest = above != at_least  # 1 minus what is left beyond the piece
            if rate is None:
                if rest:
                    found[place] = terms
                continue
            share = Fraction(1) if other is None else other / (rate + other)
            near = scaled(share, self.exponential(rate * piece.distance(law.center)))
            step = int(rate * self.unit) * (-1 if above else 1)
            made, error = self.shifted(piece, terms, near, step)
            if rest:
                total = dict(terms)
                for number, value in made.items():
                    total[number] = total.get(number, 0) - value
                made = total
            found[place] = made
            errors = max(errors, error)
        return Function(found, function.error + errors, function.bits + 2)

    def shifted(
        self, piece: Piece, terms: Mapping[int, int], near: Enclosure, step: int
    ) -> tuple[dict[int, int], int]:
        """Terms times near·E_step, and how far off rounding may take them."""
        made, error = dict[int, int](), 0
        for number, value in terms.items():
            low, high = near
            if number * step < 0:
                low, high = self.both(near, self.fall(piece, min(abs(number), abs(step))))
            made[number + step] = value * low >> self.bits
            error += (abs(value) * (high - low) >> self.bits) + 2
        return made, error

    def total(self, function: Function) -> Enclosure:
        """The integral of a function times the density, which is the probability of all its tests."""
        self.budget.spend(4 * len(function), function.bits, self.bits)
        total, error = 0, function.error + 1
        for place, terms in function.pieces.items():
            for number, value in terms.items():
                low, high = self.share(self.pieces[place], number)
                total += value * low >> self.bits
                error += (abs(value) * (high - low) >> self.bits) + 2
        return max(total - error, 0), min(total + error, self.whole)

    def share(self, piece: Piece, number: int) -> Enclosure:
        """The integral of the density times E_λ over the piece, λ = number/unit."""
        if number not in piece.shares:
            piece.shares[number] = self._share(piece, number)
        return piece.shares[number]

    def _share(self, piece: Piece, number: int) -> Enclosure:
        if piece.is_point:
            return self.whole, self.whole
        above = piece.is_above(self.law.center)
        rate, other = self.law.left, self.law.right
        if above:
            rate, other = other, rate
        if rate is None:
            return 0, 0
        height = rate if other is None else rate * other / (rate + other)
        near = self.exponential(rate * piece.distance(self.law.center))
        step = int(rate * self.unit) * (-1 if above else 1)
        lost = min(abs(number), abs(step)) if number * step < 0 else 0
        slope = abs(number + step)
        if slope == 0:
            width = Fraction(0) if piece.low is None or piece.high is None else piece.high - piece.low
            return scaled(height * width, self.both(near, self.fall(piece, lost)))
        low, high = self.fall(piece, slope)
        rest = self.whole - high, self.whole - low
        return scaled(height * self.unit / slope, self.both(self.both(near, self.fall(piece, lost)), rest))


def scaled(factor: Fraction, enclosure: Enclosure) -> Enclosure:
    """A product with a number of at least 0, rounded outward."""
    return floor(factor * enclosure[0]), ceil(factor * enclosure[1])
