"""The probability of samples that stand in an order, by integrals of functions of one variable.

What is left of them after folding (``folding.py``) is integrated in the order of size: let G_I(u) be the
probability that the samples of I, a set that holds with a sample all that are below it, are as demanded and
at most u. The largest of them is any j above which there is none, so

    G_I(u) = Σ_j ∫_{−∞}^u (density of j) · G_{I∖j},

and samples that are alike are counted, not told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Generic

from flint import fmpq

from prover.exact.piecewise import Calculus, Pieces, R, TooManyTerms
from prover.program.attack.folding import Folding, bottom_up, neighbours_of, reduced

OutputWindow = tuple[Fraction, Fraction]
"""An interval, of positive length, that a number which is output lies in."""

MOST_SETS = 2_000
"""The most sets I of one run."""


@dataclass(frozen=True, slots=True)
class SampleNoise:
    """A sample around ``center``, with a rate to the left and one to the right, None where it is infinite.

    It is to lie between ``low`` and ``high``, where they are not None.
    """

    center: Fraction
    left: Fraction | None
    right: Fraction | None
    low: Fraction | None = None
    high: Fraction | None = None

    @property
    def is_fixed(self) -> bool:
        """Whether there is no noise, and the sample is its center."""
        return self.left is None and self.right is None

    def within(self, low: Fraction | None, high: Fraction | None) -> SampleNoise:
        """The same noise, which is to lie between these numbers as well."""
        lows = [end for end in (self.low, low) if end is not None]
        highs = [end for end in (self.high, high) if end is not None]
        return replace(self, low=max(lows, default=None), high=min(highs, default=None))


@dataclass(frozen=True, slots=True)
class RunSample:
    """Noise, and the numbers of the earlier samples that it is not to be below, or that it is to be below."""

    noise: SampleNoise
    least: tuple[int, ...] = ()
    most: tuple[int, ...] = ()


def settled(samples: Sequence[RunSample]) -> tuple[RunSample, ...] | None:
    """Samples without those that have no noise, which are numbers; None if these contradict what is asked.

    What is compared with a number lies on one side of it. On a side without noise samples end at their
    center. So what is left has densities, and ends; meetings have probability 0.
    """
    noises = []
    for sample in samples:
        own = sample.noise
        low = own.center if own.left is None else None
        high = own.center if own.right is None else None
        noises.append(own.within(low, high))
    kept: list[list[tuple[int, ...]]] = []
    for number, sample in enumerate(samples):
        here = samples[number].noise
        sides = []
        for others, is_above in ((sample.least, True), (sample.most, False)):
            left = []
            for other in others:
                there = samples[other].noise
                if here.is_fixed and there.is_fixed:
                    if (here.center >= there.center) is not is_above:
                        return None
                elif there.is_fixed:
                    ends = (there.center, None) if is_above else (None, there.center)
                    noises[number] = noises[number].within(*ends)
                elif here.is_fixed:
                    ends = (None, here.center) if is_above else (here.center, None)
                    noises[other] = noises[other].within(*ends)
                else:
                    left.append(other)
            sides.append(tuple(left))
        kept.append(sides)
    numbers = [number for number, noise in enumerate(noises) if not noise.is_fixed]
    for noise in noises:
        if noise.is_fixed and not _between(noise.low, noise.center, noise.high):
            return None
    place = {number: k for k, number in enumerate(numbers)}
    return tuple(
        RunSample(noises[number], *(tuple(place[other] for other in side) for side in kept[number]))
        for number in numbers
    )


def _between(low: Fraction | None, number: Fraction, high: Fraction | None) -> bool:
    return (low is None or low <= number) and (high is None or number <= high)


def successors_of(samples: Sequence[RunSample]) -> list[set[int]]:
    """For each sample those that are not to be below it."""
    above: list[set[int]] = [set(sample.most) for sample in samples]
    for number, sample in enumerate(samples):
        for lower in sample.least:
            above[lower].add(number)
    return above


def is_possible(samples: Sequence[RunSample]) -> bool:
    """Whether it has a positive probability that samples with densities are as demanded.

    Demands must have no cycle, and no sample may have to lie below one it is above.
    """
    above = successors_of(samples)
    ordered = bottom_up(above)
    lowest = [sample.noise.low for sample in samples]
    for number in ordered:
        low, high = lowest[number], samples[number].noise.high
        if low is not None and high is not None and low >= high:
            return False
        for later in above[number]:
            known = lowest[later]
            if low is not None and (known is None or known < low):
                lowest[later] = low
    return len(ordered) == len(samples)


def integrated(samples: Sequence[RunSample], calculus: Calculus[R]) -> R:
    """The probability that samples with densities are as demanded. Raises TooManyTerms."""
    if not is_possible(samples):
        return calculus.constant([{}])
    run = _Integrals(calculus, [sample.noise for sample in samples], reduced(successors_of(samples)))
    return calculus.constant(Folding(run, neighbours_of(run.above)).whole())


@dataclass(frozen=True, slots=True)
class _Integrals(Generic[R]):
    """Densities, and integrals of them, of samples of which each is below some others."""

    calculus: Calculus[R]
    noises: Sequence[SampleNoise]
    above: Sequence[set[int]]

    def density(self, number: int) -> Pieces[R]:
        noise = self.noises[number]
        density = self.calculus.laplace(noise.center, noise.left, noise.right)
        return self.calculus.within(density, noise.low, noise.high)

    def side(self, function: Pieces[R], number: int, other: int) -> Pieces[R]:
        return self.calculus.below(function) if other in self.above[number] else self.calculus.above(function)

    def likeness(self, number: int) -> SampleNoise:
        return self.noises[number]

    def relation(self, number: int, other: int) -> bool:
        return other in self.above[number]

    def has_window(self, number: int) -> bool:
        return self.noises[number].low is not None or self.noises[number].high is not None

    def in_order(self, left: Folding[Pieces[R]], part: Sequence[int]) -> Pieces[R]:
        """The probability of a part, as a constant function."""
        calculus = self.calculus
        kinds, needed = left.kinds(part)
        weights = [left.weight(numbers[0]) for numbers in kinds]
        layer: dict[tuple[int, ...], Pieces[R]] = {(0,) * len(kinds): calculus.one()}
        sets = 0
        for size in range(1, len(part) + 1):
            larger: dict[tuple[int, ...], Pieces[R]] = {}
            for counts, function in layer.items():
                for k, numbers in enumerate(kinds):
                    if counts[k] < len(numbers) and all(counts[j] == len(kinds[j]) for j in needed[k]):
                        density = calculus.product(weights[k], function)
                        last = size == len(part)
                        made = calculus.total(density) if last else calculus.below(density)
                        made = calculus.scaled(made, fmpq(counts[k] + 1))
                        key = (*counts[:k], counts[k] + 1, *counts[k + 1 :])
                        larger[key] = calculus.sum(larger[key], made) if key in larger else made
            layer = larger
            sets += len(layer)
            if sets > MOST_SETS:
                raise TooManyTerms(f"more than {MOST_SETS:,} sets of samples")
        (answer,) = layer.values()
        return answer
