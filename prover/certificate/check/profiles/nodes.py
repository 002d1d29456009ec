"""Products of chances against a stored value with Gaussian noise, at equally distant nodes.

The integral of a function that is analytic in a strip is near to the sum over nodes, times their distance
(docs/theory_profiles.md, *Gaussian noise of one pair*). Values are integers over 2^bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt

from ..budget import Budget
from ..reading import BadEvidence, BadModel, TooLarge, demand, written
from .normal import DIGITS, HEIGHT, distribution
from .pieces import Enclosure, Law, scaled
from .sums import Exponentials, longest

MOST_NODES = 20_000
PI = Fraction(314159265358979, 10**14)  # below π
LOG = Fraction(14426950, 10**7)  # below 1/ln 2
LOG_ABOVE = Fraction(14426951, 10**7)


@dataclass(frozen=True, slots=True)
class Values:
    """Of a function at the nodes; how far off each may be; and the bits that one has."""

    values: Sequence[int]
    error: int
    bits: int

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Grid:
    """Half the width of the strip, and the distance of nodes."""

    strip: Fraction
    step: Fraction


class Nodes:
    """A stored sample with Gaussian noise, or without noise, and functions of it; at most `most` tests, of
    samples with Gaussian noise, multiply one."""

    def __init__(
        self,
        law: Law,
        tests: Sequence[Law],
        most: int,
        grid: Grid | None,
        exponentials: Exponentials,
        budget: Budget,
        known: dict[str, dict[int, Enclosure]],
    ) -> None:
        self.exponentials, self.budget, self.bits = exponentials, budget, exponentials.bits
        self.whole = 1 << self.bits
        self.known = known if law.sigma is not None else {}  # of tests at nodes, which others may have too
        sigmas = [test.sigma for test in tests if test.sigma is not None]
        demand(len(sigmas) == len(tests), BadModel, "a sample with rates beside Gaussian noise")
        self.first, self.places, self.weights, self.error = 0, [law.center], [(self.whole, self.whole)], 0
        if law.sigma is None:
            demand(
                law.left is None and law.right is None, BadModel, "a sample with rates beside Gaussian noise"
            )
            return
        if grid is None:
            raise BadEvidence("no strip and no step")
        sigma, step = law.sigma, grid.step
        last = isqrt(ceil(Fraction(7, 5) * self.bits * (sigma / step) ** 2)) + 1
        demand(last <= MOST_NODES, TooLarge, f"more than {MOST_NODES} nodes on either side")
        long = longest([law.center, sigma, step])
        budget.spend(16 * last, long, long)
        self.first = floor(law.center / step) - last
        self.places = [k * step for k in range(self.first, self.first + 2 * last + 2)]
        self.weights = [self.weight((z - law.center) / sigma, step / sigma) for z in self.places]
        self.error = self.trapezoid(grid, sigma, min(sigmas, default=grid.strip), most) + 1

    def weight(self, away: Fraction, step: Fraction) -> Enclosure:
        """The density of a standard normal sample, times the distance of nodes."""
        size = away * away / 2
        low, high = (0, 1) if size >= self.bits else self.exponentials.exponential(-size)
        return scaled(step * HEIGHT / DIGITS, (low, low))[0], scaled(
            step * (HEIGHT + 1) / DIGITS, (high, high)
        )[1]

    def trapezoid(self, grid: Grid, sigma: Fraction, least: Fraction, most: int) -> int:
        """How far the sum is from the integral at most, in units of 2^-bits."""
        wide, steep = grid.strip / sigma, grid.strip / least
        demand(wide <= 100 and steep <= 10, TooLarge, "a strip of more than 100 or 10 standard deviations")
        bend = self.exponentials.exponential(steep * steep / 2)[1]
        factor = self.whole + ceil(Fraction(2, 5) * steep * bend)
        self.budget.spend(
            4 * most, most * (factor.bit_length() - self.bits + 1) + self.bits, factor.bit_length()
        )
        size = self.whole
        for _ in range(most):
            size = -(-size * factor >> self.bits)
        size <<= ceil(wide * wide / 2 * LOG_ABOVE)
        falls = floor(2 * PI * grid.strip / grid.step * LOG)
        demand(falls > 0, BadEvidence, "a step that is wider than the strip")
        return -(-2 * size // ((1 << falls) - 1))

    def one(self) -> Values:
        return Values([self.whole] * len(self.places), 0, self.bits)

    def tested(self, function: Values, law: Law, *, at_least: bool) -> Values:
        """The function times the probability that a sample is ≥, or <, what is stored."""
        self.budget.spend(4 * len(function), self.bits, self.bits)
        chances = self.chances(law)
        if not at_least:
            chances = [(self.whole - high, self.whole - low) for low, high in chances]
        values = [value * low >> self.bits for value, (low, _) in zip(function.values, chances, strict=True)]
        return Values(values, function.error + max(high - low for low, high in chances) + 1, self.bits)

    def chances(self, law: Law) -> Sequence[Enclosure]:
        """The probability, at each node, that a sample is at least there."""
        sigma = law.sigma or Fraction(1)
        found = self.known.setdefault(written(*law.center.as_integer_ratio(), *sigma.as_integer_ratio()), {})
        long = longest([law.center, sigma, self.places[0], self.places[-1]])
        self.budget.spend(8 * len(self.places), long, long)
        for number, z in enumerate(self.places, start=self.first):
            if number not in found:
                found[number] = distribution((law.center - z) / sigma, self.bits, self.budget)
        return [found[number] for number in range(self.first, self.first + len(self.places))]

    def total(self, function: Values) -> Enclosure:
        """The integral of a function times the density, which is the probability of all its tests."""
        self.budget.spend(4 * len(function), self.bits, self.bits)
        total = error = mass = 0
        for value, (low, high) in zip(function.values, self.weights, strict=True):
            total += value * low >> self.bits
            error += (value * (high - low) >> self.bits) + 2
            mass += high
        error += self.error + (function.error * mass >> self.bits) + 1
        return max(total - error, 0), min(total + error, self.whole)
