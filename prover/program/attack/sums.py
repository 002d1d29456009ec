"""Exact probabilities of runs with discrete noise: sums over the points of a grid, in closed form.

A sample is center + z with z on the grid h, of weight e^(−rate·ε·|z|). With a unit of which all rates times h
are multiples and q = e^(−ε·unit) weights are powers of q, and a run's probability is a rational function of
q: a rational number where q is one. Ties count (docs/theory_noise.md).

A test says of two samples that one place is at most the other, or less. What is left after folding
(``folding.py``) has tests < and >= only: of equal samples the later one counts as the larger, so all demands
are about one order. Let H_I(k) be the probability that the samples of I, a set that holds with a sample all
that are below it, are as demanded and below place k. Its largest samples, m alike ones at one place, leave
a smaller set below that place:

    H_I(k) = Σ over the alike ones at the top, and m, of Σ_{k' < k} binomial · weight(k')^m · H_{smaller}(k').
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import accumulate, repeat
from math import ceil, comb, floor, gcd, lcm
from typing import Generic

from flint import arb, fmpq

from prover.exact.ball import ball_of
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.piecewise import Allowance, TooManyTerms
from prover.program.attack.folding import Folding, bottom_up, neighbours_of, reduced
from prover.program.attack.integration import MOST_SETS, OutputWindow
from prover.program.attack.lattice import LatticeCalculus, N, Series
from prover.program.noise import Rate


@dataclass(frozen=True, slots=True)
class GridSample:
    """A sample around ``center``, and what a run asks of it.

    ``tests`` are relations to earlier samples, by their numbers. It lies in a window, ends included, if there
    is one.
    """

    center: Fraction
    left: Rate
    right: Rate
    tests: tuple[tuple[str, int], ...] = ()
    window: OutputWindow | None = None

    @property
    def of_rate_one(self) -> GridSample:
        """The sample with 1 in place of finite rates: what is possible is the same."""
        left, right = (
            Fraction(1) if isinstance(rate, Fraction) else rate for rate in (self.left, self.right)
        )
        return replace(self, left=left, right=right)


def unit_of(rates: Sequence[Rate], grid: Fraction) -> Fraction:
    """The largest number of which all finite rates times the grid are multiples; 1 if there are none."""
    numbers = [rate * grid for rate in rates if isinstance(rate, Fraction)]
    if not numbers:
        return Fraction(1)
    denominator = lcm(*(number.denominator for number in numbers))
    return Fraction(gcd(*(int(number * denominator) for number in numbers)), denominator)


def chance_at(samples: Sequence[GridSample], grid: Fraction, unit: Fraction, epsilon: Fraction) -> arb:
    """A ball around the probability of a run at ε, at the precision that is set. Raises TooManyTerms."""
    known: dict[int, arb] = {}

    def power(exponent: int) -> arb:
        if exponent not in known:
            known[exponent] = ball_of(-epsilon * unit * exponent).exp()
        return known[exponent]

    return _probability(
        samples, grid, unit, LatticeCalculus(*_window(samples, grid), arb, power, Allowance())
    )


def rational_chance(samples: Sequence[GridSample], grid: Fraction, unit: Fraction, q: Fraction) -> Fraction:
    """The probability of a run where e^(−ε·unit) is the rational number q, 0 < q < 1. Raises TooManyTerms."""
    base = fmpq_of(q)
    window = _window(samples, grid)
    calculus = LatticeCalculus(*window, fmpq, lambda e: base**e, Allowance())
    return fraction_of(_probability(samples, grid, unit, calculus))


def is_ordered(samples: Sequence[GridSample]) -> bool:
    """Whether the tests do not contradict each other, so that samples without ends are possible."""
    return len(bottom_up(_successors(samples))) == len(samples)


def _successors(samples: Sequence[GridSample]) -> list[set[int]]:
    """For each sample those that are to be above it."""
    above: list[set[int]] = [set() for _ in samples]
    for number, sample in enumerate(samples):
        for relation, other in sample.tests:
            low, high = (number, other) if relation in ("<", "<=") else (other, number)
            above[low].add(high)
    return above


def _window(samples: Sequence[GridSample], grid: Fraction) -> tuple[int, int]:
    """Places between which all centers and ends of windows are, with one more on both sides."""
    numbers = [Fraction(0), *(sample.center for sample in samples)]
    numbers += [end for sample in samples for end in sample.window or ()]
    return floor(min(numbers) / grid) - 1, floor(max(numbers) / grid) + 1


def _probability(
    samples: Sequence[GridSample], grid: Fraction, unit: Fraction, calculus: LatticeCalculus[N]
) -> N:
    """The probability that the samples are what the run asks of them."""
    above = _successors(samples)
    if not is_ordered(samples):
        return calculus.number(0)
    run = _Sums(calculus, samples, grid, unit, above)
    return calculus.constant(Folding(run, neighbours_of(reduced(above))).whole())


@dataclass(frozen=True, slots=True)
class _Sums(Generic[N]):
    """Weights, and sums of them, of samples on a grid of which each is below some others."""

    calculus: LatticeCalculus[N]
    samples: Sequence[GridSample]
    grid: Fraction
    unit: Fraction
    above: Sequence[set[int]]

    def density(self, number: int) -> Series[N]:
        sample = self.samples[number]
        place, offset = self._place(number)
        sides = (self._exponent(rate) for rate in (sample.left, sample.right))
        found = self.calculus.weights(place, *sides)
        if sample.window is None:
            return found
        low, high = (end - offset for end in sample.window)
        return self.calculus.within(found, ceil(low / self.grid), floor(high / self.grid))

    def side(self, function: Series[N], number: int, other: int) -> Series[N]:
        relation, strict = self.relation(number, other)
        if relation == "=":
            return self.calculus.product(function, self.calculus.number_if(not strict))
        if relation == "below":
            return self.calculus.up_to(function, strict)
        return self.calculus.from_on(function, strict)

    def likeness(self, number: int) -> Hashable:
        return replace(self.samples[number], tests=())

    def relation(self, number: int, other: int) -> tuple[str, int]:
        """How the place of a sample lies to its neighbour's, and by how much at least.

        For = whether the samples cannot be equal. As places are whole numbers, offsets decide on ties.
        """
        later, stored = max(number, other), min(number, other)
        relation = next(r for r, earlier in self.samples[later].tests if earlier == stored)
        own, before = self._place(later)[1], self._place(stored)[1]
        if relation == "=":
            return "=", int(own != before)
        under = relation in ("<", "<=")
        least = {"<": before <= own, "<=": before < own, ">=": own < before, ">": own <= before}[relation]
        return ("below" if under == (number == later) else "above"), int(least)

    def has_window(self, number: int) -> bool:
        return self.samples[number].window is not None

    def in_order(self, left: Folding[Series[N]], part: Sequence[int]) -> Series[N]:
        """The probability of a part, as a constant function. Its tests are < and >=."""
        kinds, needed = left.kinds(part)
        ranks = [(self._place(numbers[0])[1], numbers[0]) for numbers in kinds]
        powers = [
            list(accumulate(repeat(left.weight(numbers[0]), len(numbers)), self.calculus.product))
            for numbers in kinds
        ]
        full = tuple(map(len, kinds))
        by_size: list[dict[tuple[int, ...], dict[int, Series[N]]]] = [{(0,) * len(kinds): {}}]
        by_size += [{} for _ in part]
        sets = 0
        for layer in by_size:
            sets += len(layer)
            if sets > MOST_SETS:
                raise TooManyTerms(f"more than {MOST_SETS:,} sets of samples")
            for counts, tops in layer.items():
                for k in range(len(kinds)):
                    if any(counts[j] < full[j] for j in needed[k]):
                        continue
                    rest = self._below(tops, ranks, k)
                    for more, power in enumerate(powers[k][: full[k] - counts[k]], start=1):
                        ways = comb(counts[k] + more, more)
                        made = self.calculus.scaled(self.calculus.product(power, rest), ways)
                        key = tuple(count + more * (j == k) for j, count in enumerate(counts))
                        own = by_size[sum(key)].setdefault(key, {})
                        own[k] = self.calculus.sum(own[k], made) if k in own else made
        return self.calculus.total(reduce(self.calculus.sum, by_size[-1][full].values()))

    def _below(
        self, tops: dict[int, Series[N]], ranks: Sequence[tuple[Fraction, int]], kind: int
    ) -> Series[N]:
        """The chance that a set is below a sample of this kind, by where that is.

        ``tops`` are its chances by the kind of its largest samples, and where these are.
        """
        if not tops:
            return self.calculus.one()
        sides = [self.calculus.up_to(function, int(ranks[k] >= ranks[kind])) for k, function in tops.items()]
        return reduce(self.calculus.sum, sides)

    def _place(self, number: int) -> tuple[int, Fraction]:
        """The point of the grid at or below a sample's center, and the distance to it."""
        center = self.samples[number].center
        place = floor(center / self.grid)
        return place, center - place * self.grid

    def _exponent(self, rate: Rate) -> int | None:
        return int(rate * self.grid / self.unit) if isinstance(rate, Fraction) else None
