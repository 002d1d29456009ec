"""Probabilities of runs with noise on a grid: sums over its points, between multiples of 2^-bits.

With q = e^(−ε·unit), probabilities of noise are c·q^(e·i) up to some place of the grid and beyond another.
Between these they are summed up point by point; outside, sums of geometric series are left
(docs/theory_profiles.md, *Noise on a grid*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..programs import Transition
from ..reading import TooLarge, demand
from .scale import Scale, bits
from .sums import MOST_TERMS, Exponentials

Number = tuple[Any, Any]  # what is between these multiples of 2^-bits; or a rational, twice
Tail = Mapping[int, Number]  # e ↦ c stands for Σ c·q^(e·i), i = 1, 2, …
Rates = tuple[Fraction | None, Fraction | None]  # None is infinite: no noise on that side
Sample = tuple[Transition, Fraction]  # with the center of its noise

ZERO = 0, 0


@dataclass(frozen=True, slots=True)
class Series:
    """A function on a window of the grid, and below and above it."""

    left: Tail
    values: Sequence[Number]
    right: Tail

    def __len__(self) -> int:
        return len(self.left) + len(self.values) + len(self.right)


class Lattice:
    """Sums over a grid of numbers with so many bits."""

    def __init__(self, scale: Scale, grid: Fraction, size: int) -> None:
        self.scale, self.grid, self.bits = scale, grid, size
        self.one: Number = (1 << size, 1 << size)
        self.exponentials = Exponentials(size, scale.budget)
        self.known: dict[int, Number] = {}

    def spend(self, count: int) -> None:
        self.scale.budget.spend(count, self.bits, self.bits)

    def power(self, n: int) -> Number:
        """q^n, n ≥ 0."""
        if n not in self.known:
            if self.scale.epsilon is not None:
                self.known[n] = self.exponentials.exponential(-n * self.scale.unit * self.scale.epsilon)
            else:
                a, c = self.scale.q.as_integer_ratio()
                long = n * c.bit_length()
                self.scale.budget.spend(8, long, long + self.bits)
                low, rest = divmod(a**n << self.bits, c**n)
                self.known[n] = low, low + (rest > 0)
        return self.known[n]

    def times(self, x: Number, y: Number) -> Number:
        products = [a * b for a in x for b in y]
        return min(products) >> self.bits, -(-max(products) >> self.bits)

    def over(self, x: Number, y: Number) -> Number:
        """x/y for x ≥ 0."""
        demand(y[0] > 0, TooLarge, "too few bits for the noise")
        return (x[0] << self.bits) // y[1], -((-x[1] << self.bits) // y[0])

    def besides(self, x: Number) -> Number:
        """1 − x."""
        return self.one[0] - x[1], self.one[1] - x[0]

    def series(self, n: int | None) -> Number:
        """q^n + q^2n + …; 0 for noise that does not go there."""
        return ZERO if n is None else self.over(self.power(n), self.besides(self.power(n)))

    def share(self, n: int, strict: int) -> Number:
        """1/(1 − q^n), without the term 1 if `strict` is 1."""
        return self.series(n) if strict else self.over(self.one, self.besides(self.power(n)))

    def exponents(self, rates: Rates) -> tuple[int | None, int | None]:
        """Of q, for a step of the grid below the center of noise and above."""
        step = self.scale.grid or Fraction(1)
        left, right = (None if rate is None else self.scale.exponent(rate * step) for rate in rates)
        return left, right

    def mass(self, left: int | None, right: int | None) -> Number:
        """The probability of noise 0."""
        sides = self.series(left), self.series(right)
        return self.over(
            self.one, (self.one[0] + sides[0][0] + sides[1][0], self.one[1] + sides[0][1] + sides[1][1])
        )

    def falling(self, first: Number, n: int | None, count: int) -> list[Number]:
        """`first` times 1, q^n, q^2n, …; 0 after the first if there is no n."""
        ratio, found = ZERO if n is None else self.power(n), [first]
        while len(found) < count:
            found.append(self.times(found[-1], ratio))
        return found[:count]

    def weights(self, rates: Rates, low: int, high: int) -> Series:
        """Probabilities of noise with these rates below 0 and above; low ≤ 0 ≤ high."""
        left, right = self.exponents(rates)
        mass = self.mass(left, right)
        above, below = self.falling(mass, right, high + 1), self.falling(mass, left, 1 - low)
        values = [*reversed(below), *above[1:]]
        return Series(
            {} if left is None else {left: values[0]}, values, {} if right is None else {right: values[-1]}
        )

    def passed(self, t: Transition, place: int, low: int, high: int) -> Series:
        """Of each point k, that noise is ≥ k + place, or < it; low + place ≤ 0 < high + place."""
        left, right = self.exponents((t.left, t.right))
        mass = self.mass(left, right)
        above = self.falling(self.times(mass, self.series(right)), right, high + place)  # noise ≥ 1, 2, …
        below = self.falling(self.times(mass, self.series(left)), left, 1 - low - place)  # noise < 0, −1, …
        beyond = ({} if left is None else {left: below[-1]}), ({} if right is None else {right: above[-1]})
        most = [{0: self.one, **{n: (-y, -x) for n, (x, y) in tail.items()}} for tail in beyond]
        if t.written[0] in (">=", ">"):
            return Series(most[0], [*map(self.besides, reversed(below)), *above], beyond[1])
        return Series(beyond[0], [*reversed(below), *map(self.besides, above)], most[1])

    def product(self, one: Series, two: Series) -> Series:
        values = [self.times(x, y) for x, y in zip(one.values, two.values, strict=True)]
        return Series(self.tails(one.left, two.left), values, self.tails(one.right, two.right))

    def tails(self, one: Tail, two: Tail) -> Tail:
        self.spend(8 * len(one) * len(two))
        found: dict[int, Number] = {}
        for n, x in one.items():
            for m, y in two.items():
                (a, b), (c, d) = found.get(n + m, ZERO), self.times(x, y)
                found[n + m] = a + c, b + d
        demand(len(found) <= MOST_TERMS, TooLarge, f"a function of more than {MOST_TERMS} terms")
        return found

    def total(self, function: Series) -> Number:
        """The sum over the grid; both tails fall."""
        tails = [*function.left.items(), *function.right.items()]
        self.spend(8 * len(tails))
        return self.plus(*function.values, *(self.times(c, self.series(n)) for n, c in tails))

    def below(self, function: Series, strict: int) -> tuple[Series, Number]:
        """The sums up to each place or, if `strict` is 1, to the one before it; and over all. Tails fall."""
        self.spend(24 * (len(function.left) + len(function.values) + len(function.right)))
        start = self.plus(ZERO, *(self.times(c, self.series(n)) for n, c in function.left.items()))
        sums, rest = (
            [start],
            self.plus(ZERO, *(self.times(c, self.series(n)) for n, c in function.right.items())),
        )
        for value in function.values:
            sums.append(self.plus(sums[-1], value))
        total = self.plus(sums[-1], rest)
        before = {n: self.times(c, self.share(n, strict)) for n, c in function.left.items()}
        after = {
            n: self.minus(ZERO, self.times(c, self.share(n, 1 - strict))) for n, c in function.right.items()
        }
        return Series(before, sums[:-1] if strict else sums[1:], {0: total, **after}), total

    def passed_by(self, function: Series, relation: str, apart: Fraction) -> Series:
        """The sums of a function of a sample over its places that are so related to place k of another one,
        whose places are farther to the right by this part of a step."""
        if relation == "=":
            zero = [ZERO] * len(function.values)
            return function if apart == 0 else Series({}, zero, {})
        strict = {"<": apart <= 0, "<=": apart < 0, ">=": apart <= 0, ">": apart < 0}[relation]
        below, total = self.below(function, int(strict))
        if relation in ("<", "<="):
            return below
        left, right = (
            {n: self.minus(ZERO, c) for n, c in tail.items()} for tail in (below.left, below.right)
        )
        for tail in (left, right):
            tail[0] = self.plus(total, tail.get(0, ZERO))
        return Series(left, [self.minus(total, x) for x in below.values], right)

    def plus(self, *numbers: Number) -> Number:
        return sum(x for x, _ in numbers), sum(y for _, y in numbers)

    def minus(self, x: Number, y: Number) -> Number:
        return x[0] - y[1], x[1] - y[0]

    def chance(self, drawn: Sample, tests: Sequence[Sample]) -> Number:
        """Σ f(k) Π G(k), f the probability of what is stored at its k-th point, and G that of each test."""
        stored, center = drawn
        places = []
        for t, own in tests:
            self.scale.budget.spend(8, bits(center) + bits(own), bits(self.grid))
            apart = (center - own) / self.grid
            places.append(ceil(apart) if t.written[0] in (">=", "<") else floor(apart) + 1)
        low, high = min(0, *(-k for k in places), 0), max(0, *(1 - k for k in places), 0)
        self.spend(24 * (high - low + 1) * (1 + len(tests)))
        found = self.weights((stored.left, stored.right), low, high)
        for (t, _), place in zip(tests, places, strict=True):
            found = self.product(found, self.passed(t, place, low, high))
        return self.total(found)


class Rational(Lattice):
    """The same with rational numbers, each written twice; `bits` are those of the longest so far."""

    def __init__(self, scale: Scale, grid: Fraction) -> None:
        super().__init__(scale, grid, 0)
        self.one = Fraction(1), Fraction(1)

    def noted(self, x: Fraction, *operands: Fraction) -> Number:
        long = max(map(bits, (x, *operands)))
        self.bits = max(self.bits, bits(x))
        self.scale.budget.spend(8 * len(operands))
        self.scale.budget.spend(2 * len(operands), long, long)
        return x, x

    def power(self, n: int) -> Number:
        if n not in self.known:
            self.scale.budget.spend(8, n * bits(self.scale.q), n * bits(self.scale.q))
            self.known[n] = self.noted(self.scale.q**n)
        return self.known[n]

    def times(self, x: Number, y: Number) -> Number:
        return self.noted(x[0] * y[0], x[0], y[0])

    def over(self, x: Number, y: Number) -> Number:
        demand(y[0] > 0, TooLarge, "too few bits for the noise")
        return self.noted(x[0] / y[0], x[0], y[0])

    def plus(self, *numbers: Number) -> Number:
        first = [x for x, _ in numbers]
        return self.noted(Fraction(sum(first)), *first)
