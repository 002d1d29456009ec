"""Steps that test a sample and store or output it: segments of the line of a noise, judged once more, in
balls, from docs/theory_profiles.md. Nothing of the checker is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, ctx

Profile = Callable[[Fraction], Fraction]
Atom = tuple[Fraction, Fraction]  # a mass, and a ratio
INFINITE = Fraction(10**30)
BITS = 400
SLACK = Fraction(1, 10**60)
"""More than the radii of all balls, which are used by their middles."""


@dataclass(frozen=True)
class Noise:
    """Rates times ε, None on a side without noise; or a standard deviation; and the grid, or 0."""

    left: arb | None
    right: arb | None
    sigma: Fraction | None
    grid: Fraction

    def tail(self, x: Fraction) -> arb:
        """P[noise ≥ x]."""
        if self.sigma is not None:
            return (ball(x / self.sigma) / arb(2).sqrt()).erfc() / 2
        if x > 0:
            return arb(0) if self.right is None else self.share(self.right) * (-self.right * ball(x)).exp()
        if self.left is None:
            return arb(1)
        return 1 - self.share(self.left) * (self.left * ball(x - self.grid)).exp()

    def share(self, rate: arb) -> arb:
        if self.left is None or self.right is None:
            return arb(1)
        return 1 / (1 + (-rate * ball(self.grid)).exp())

    def holds(self, x: Fraction) -> bool:
        return self.sigma is not None or not ((x < 0 and self.left is None) or (x > 0 and self.right is None))

    def log_density(self, x: Fraction) -> arb:
        """But for a constant, where noise may be."""
        if self.sigma is not None:
            return -ball(x * x / self.sigma**2 / 2)
        rate = self.right if x > 0 else self.left
        return arb(0) if rate is None else -rate * ball(abs(x))

    def ratio(self, x: Fraction, shift: Fraction) -> Fraction:
        """Of the densities at x + shift and at x."""
        if not self.holds(x + shift):
            return Fraction(0)
        return middle((self.log_density(x + shift) - self.log_density(x)).exp())

    def ends(self, low: Fraction | None, high: Fraction | None, shift: Fraction) -> Atom | None:
        """The ratios at both ends of a segment, as limits; none where there is no noise."""
        last = None if high is None else high - self.grid
        if self.sigma is None and self.left is None:
            low = Fraction(0) if low is None else max(low, Fraction(0))
        if self.sigma is None and self.right is None:
            last = Fraction(0) if last is None else min(last, Fraction(0))
        if low is not None and last is not None and low > last:
            return None
        far = abs(shift) + sum(abs(x) for x in (low, last) if x is not None) + self.grid
        found = []
        for x, side in ((low, -1), (last, 1)):
            if x is None and self.sigma is not None and shift != 0:
                found.append(Fraction(0) if side * shift > 0 else INFINITE)
            else:
                found.append(self.ratio(side * far if x is None else x, shift))
        return found[0], found[1]

    def moved(self, low: Fraction | None, high: Fraction | None, shift: Fraction) -> Fraction:
        """The mass under the shifted density of what is in a segment and has noise."""
        if self.sigma is None and self.left is None:
            low = Fraction(0) if low is None else max(low, Fraction(0))
        if self.sigma is None and self.right is None:
            high = self.grid if high is None else min(high, self.grid)
        above = arb(1) if low is None else self.tail(low + shift)
        return middle(above - (arb(0) if high is None else self.tail(high + shift)))


def ball(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def middle(x: arb) -> Fraction:
    mantissa, power = x.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(power)


def segments(
    noise: Noise, cuts: list[Fraction], shifts: list[Fraction] | None
) -> Iterator[tuple[Atom, list[Atom]]]:
    """Of each segment its mass with the least ratio for shifts between two, and what stands for all of it."""
    for low, high in pairwise([None, *cuts, None]):
        mass = middle(
            (arb(1) if low is None else noise.tail(low)) - (arb(0) if high is None else noise.tail(high))
        )
        ratios = [noise.ends(low, high, shift) for shift in shifts or []]
        known = [pair for pair in ratios if pair is not None]
        if not known or mass == 0:
            yield (mass, Fraction(0)), [(mass, Fraction(0))]
            continue
        least = min(min(pair) for pair in known)
        first, last = (min(pair[k] for pair in known) + SLACK for k in (0, 1))
        finite = all(0 < ratio < INFINITE for pair in known for ratio in pair)
        smallest = [
            (pair, shift)
            for pair, shift in zip(ratios, shifts or [], strict=True)
            if pair is not None and pair[0] <= first and pair[1] <= last
        ]
        whole = [(mass, least)]
        if smallest and (finite or len(set(shifts or [])) == 1):
            (most, shift) = max(smallest[0][0]), smallest[0][1]
            if least + SLACK < most < INFINITE:
                upper = (noise.moved(low, high, shift) - mass * least) / (most - least)
                whole = [(mass - upper, least), (upper, most)]
        yield (mass, least), whole


def worth(
    noise: Noise,
    cuts: list[Fraction],
    sides: list[tuple[Profile, list[Fraction] | None]],
    alpha: Fraction,
) -> Fraction:
    """Of a step at α, wherever the line is cut: for what is below the stored value, and for the rest, a
    profile and between which shifts the noise moves, None where nothing is known of it."""
    before, ctx.prec = ctx.prec, BITS
    try:
        lists = [list(segments(noise, cuts, shifts)) for _, shifts in sides]
    finally:
        ctx.prec = before
    parts = [
        [mass * profile(alpha * ratio) for (mass, ratio), _ in found]
        for (profile, _), found in zip(sides, lists, strict=True)
    ]
    all_of = [
        [sum((mass * profile(alpha * ratio) for mass, ratio in whole), Fraction(0)) for _, whole in found]
        for (profile, _), found in zip(sides, lists, strict=True)
    ]
    places = range(len(cuts) + 1)
    sums = (sum(all_of[0][:j]) + max(parts[0][j], parts[1][j]) + sum(all_of[1][j + 1 :]) for j in places)
    return min(Fraction(1), max(sums) - SLACK)
