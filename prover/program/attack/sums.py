"""Exact probabilities of runs with discrete noise: sums over the points of a grid, in closed form.

A sample is center + z with z on the grid h, of weight e^(−rate·ε·|z|). With a unit of which all rates times h
are multiples and q = e^(−ε·unit) weights are powers of q, and a run's probability, summed backwards along it
over what is stored, is a rational function of q: a rational number where q is one. Ties count
(docs/theory_noise.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from flint import arb, fmpq

from prover.exact.ball import ball_of
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.piecewise import Allowance
from prover.program.attack.lattice import LatticeCalculus, N, Series
from prover.program.noise import Rate

Window = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class GridSample:
    """A sample around ``center``, and what a run asks of it.

    It stands in a relation (``""``: any) to what is stored, lies in a window, ends included, if there is one,
    and is stored or not.
    """

    center: Fraction
    left: Rate
    right: Rate
    relation: str = ""
    window: Window | None = None
    assigns: bool = False

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

    run = _Run(tuple(samples), grid, unit)
    return run.probability(LatticeCalculus(*run.window, arb, power, Allowance()))


def rational_chance(samples: Sequence[GridSample], grid: Fraction, unit: Fraction, q: Fraction) -> Fraction:
    """The probability of a run where e^(−ε·unit) is the rational number q, 0 < q < 1. Raises TooManyTerms."""
    base = fmpq_of(q)
    run = _Run(tuple(samples), grid, unit)
    return fraction_of(run.probability(LatticeCalculus(*run.window, fmpq, lambda e: base**e, Allowance())))


@dataclass(frozen=True, slots=True)
class _Run:
    """The samples of a run on a grid, of which the first is stored."""

    samples: tuple[GridSample, ...]
    grid: Fraction
    unit: Fraction

    @property
    def window(self) -> tuple[int, int]:
        """Places between which all centers and ends of windows are, with one more on both sides."""
        numbers = [Fraction(0), *(sample.center for sample in self.samples)]
        numbers += [end for sample in self.samples for end in sample.window or ()]
        return floor(min(numbers) / self.grid) - 1, floor(max(numbers) / self.grid) + 1

    def probability(self, calculus: LatticeCalculus[N]) -> N:
        """The probability that the samples are what the run asks of them.

        ``rest`` is that of all later samples, as a function of what is stored. Samples that are not stored
        only multiply it, so equal ones are put together.
        """
        rest = calculus.one()
        tests: Counter[GridSample] = Counter()
        for place in range(len(self.samples) - 1, -1, -1):
            sample = self.samples[place]
            if not sample.assigns:
                tests[sample] += 1
                continue
            for test, count in tests.items():
                if test.relation or test.window is not None:
                    asked = self._asked(test, calculus.one(), sample, calculus)
                    rest = calculus.product(rest, calculus.to_power(asked, count))
            tests.clear()
            stored = next((s for s in reversed(self.samples[:place]) if s.assigns), sample)
            rest = self._asked(sample, rest, stored, calculus)
        return calculus.constant(rest)

    def _asked(
        self, sample: GridSample, rest: Series[N], stored: GridSample, calculus: LatticeCalculus[N]
    ) -> Series[N]:
        """The sum of weights times ``rest`` over what the sample may be, as a function of what is stored."""
        place, offset = self._place(sample.center)
        found = calculus.product(
            calculus.weights(place, *map(self._exponent, (sample.left, sample.right))), rest
        )
        if sample.window is not None:
            low, high = (end - offset for end in sample.window)
            found = calculus.within(found, ceil(low / self.grid), floor(high / self.grid))
        _, other = self._place(stored.center)
        if sample.relation in ("<", ">="):
            strict = int(other <= offset)  # with the same place, it is not below what is stored
            ordered = sample.relation == "<"
        elif sample.relation in ("<=", ">"):
            strict = int(other < offset)
            ordered = sample.relation == "<="
        elif sample.relation == "=":
            return calculus.product(found, calculus.number_if(other == offset))
        else:
            return calculus.total(found)
        return calculus.up_to(found, strict) if ordered else calculus.from_on(found, 1 - strict)

    def _place(self, center: Fraction) -> tuple[int, Fraction]:
        """The point of the grid at or below a number, and the distance to it."""
        place = floor(center / self.grid)
        return place, center - place * self.grid

    def _exponent(self, rate: Rate) -> int | None:
        return int(rate * self.grid / self.unit) if isinstance(rate, Fraction) else None
