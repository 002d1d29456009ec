"""Functions on the integers that fall off geometrically: products and sums, all in closed form.

From ``low`` to ``high`` a function has any values; outside it is a sum of c·q^(e·j), with e ≥ 0, where j ≥ 1
is the distance from that window, and 0 < q < 1. Sums of such functions over all integers below or above a
place are geometric series, so nothing is cut off. Numbers are rationals where q is, and else balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from flint import arb, fmpq

from prover.exact.piecewise import Allowance

N = TypeVar("N", fmpq, arb)

GridSum = dict[int, N]
"""e ↦ c stands for Σ c·q^(e·j)."""


@dataclass(frozen=True, slots=True)
class Series(Generic[N]):
    """A function: its values from ``low`` to ``high`` of its calculus, and what it is on both sides."""

    left: GridSum[N]
    values: list[N]
    right: GridSum[N]


@dataclass(frozen=True, slots=True)
class LatticeCalculus(Generic[N]):
    """The functions with one window; ``number`` makes numbers, ``power`` makes q^e for e ≥ 0."""

    low: int
    high: int
    number: Callable[[int], N]
    power: Callable[[int], N]
    allowance: Allowance

    def one(self) -> Series[N]:
        """The function 1."""
        return self._constant(self.number(1))

    def number_if(self, truth: bool) -> Series[N]:
        """The function 1, or 0."""
        return self._constant(self.number(int(truth)))

    def weights(self, center: int, left: int | None, right: int | None) -> Series[N]:
        """q^(left·(center − k)) below the center, which is in the window, and q^(right·(k − center)) above.

        In multiples that sum up to 1; None is an infinite exponent, and the weight 0.
        """
        zero = self.number(0)
        mass = self.number(1)  # at the center and above; all below is q^left / (1 − q^left)
        if right is not None:
            mass = mass / (1 - self.power(right))
        if left is not None:
            mass = mass + self.power(left) / (1 - self.power(left))
        places = range(self.low, self.high + 1)
        exponents = [(left, center - k) if k < center else (right, k - center) for k in places]
        values = [
            zero if rate is None and far else self.power((rate or 0) * far) / mass for rate, far in exponents
        ]
        return Series(
            {} if left is None else {left: self.power(left * (center - self.low)) / mass},
            values,
            {} if right is None else {right: self.power(right * (self.high - center)) / mass},
        )

    def within(self, function: Series[N], low: int, high: int) -> Series[N]:
        """The function from ``low`` to ``high``, which are in the window, 0 elsewhere."""
        zero = self.number(0)
        places = range(self.low, self.high + 1)
        values = zip(places, function.values, strict=True)
        return Series({}, [value if low <= k <= high else zero for k, value in values], {})

    def product(self, first: Series[N], second: Series[N]) -> Series[N]:
        """The product of two functions. Raises TooManyTerms."""
        self.allowance.take(
            len(first.values) + len(first.left) * len(second.left) + len(first.right) * len(second.right)
        )
        return Series(
            _product(first.left, second.left),
            [a * b for a, b in zip(first.values, second.values, strict=True)],
            _product(first.right, second.right),
        )

    def sum(self, first: Series[N], second: Series[N]) -> Series[N]:
        """The sum of two functions."""
        left, right = dict(first.left), dict(first.right)
        for tail, more in ((left, second.left), (right, second.right)):
            for e, c in more.items():
                tail[e] = tail[e] + c if e in tail else c
        values = [a + b for a, b in zip(first.values, second.values, strict=True)]
        return Series(left, values, right)

    def scaled(self, function: Series[N], factor: int) -> Series[N]:
        """A function, so many times."""
        if factor == 1:
            return function
        left, right = ({e: factor * c for e, c in tail.items()} for tail in (function.left, function.right))
        return Series(left, [factor * value for value in function.values], right)

    def to_power(self, function: Series[N], exponent: int) -> Series[N]:
        """A power of a function, exponent ≥ 1. Raises TooManyTerms."""
        if exponent == 1:
            return function
        half = self.to_power(function, exponent // 2)
        square = self.product(half, half)
        return self.product(square, function) if exponent % 2 else square

    def up_to(self, function: Series[N], shift: int) -> Series[N]:
        """k ↦ the sum of the function at all places ≤ k − shift, where shift is 0 or 1."""
        left, values, right = self._summed(function.left, function.values, function.right, shift)
        return Series(left, values, right)

    def from_on(self, function: Series[N], shift: int) -> Series[N]:
        """k ↦ the sum of the function at all places ≥ k + shift, where shift is 0 or 1."""
        right, values, left = self._summed(function.right, function.values[::-1], function.left, shift)
        return Series(left, values[::-1], right)

    def total(self, function: Series[N]) -> Series[N]:
        """The constant sum of the function over all places."""
        return self._constant(self._ends(function.left, function.values, function.right)[1])

    def constant(self, function: Series[N]) -> N:
        """The number that a constant function is everywhere."""
        return function.values[0]

    def _constant(self, value: N) -> Series[N]:
        return Series({0: value}, [value] * (self.high - self.low + 1), {0: value})

    def _ends(self, tail: GridSum[N], values: Sequence[N], other: GridSum[N]) -> tuple[N, N]:
        """The sums over the first tail, and over everything."""
        start = sum((c * self.power(e) / (1 - self.power(e)) for e, c in tail.items()), self.number(0))
        rest = sum((c * self.power(e) / (1 - self.power(e)) for e, c in other.items()), self.number(0))
        return start, sum(values, start) + rest

    def _summed(
        self, tail: GridSum[N], values: Sequence[N], other: GridSum[N], shift: int
    ) -> tuple[GridSum[N], list[N], GridSum[N]]:
        """Sums from the far end of the first tail, up to a place or ``shift`` before it."""
        self.allowance.take(2 * (len(tail) + len(values) + len(other)))
        start, total = self._ends(tail, values, other)
        before = {e: c * self.power(e * shift) / (1 - self.power(e)) for e, c in tail.items()}
        sums = [start]
        for value in values:
            sums.append(sums[-1] + value)
        after = {e: -c * self.power(e * (1 - shift)) / (1 - self.power(e)) for e, c in other.items()}
        return before, sums[:-1] if shift else sums[1:], {0: total, **after}


def _product(first: GridSum[N], second: GridSum[N]) -> GridSum[N]:
    found: GridSum[N] = {}
    for e, c in first.items():
        for f, d in second.items():
            found[e + f] = found[e + f] + c * d if e + f in found else c * d
    return found
