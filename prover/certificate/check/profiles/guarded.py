"""Steps that test a sample and store or output it: the line of the noise, cut into segments.

In a segment the ratio of the shifted density to the density lies between its values at both ends. Masses and
ratios are enclosed between multiples of 1/ONE (docs/theory_profiles.md, *Steps that test and store*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ..noise import Gaussian, Sides
from ..reading import BadEvidence, Json, Malformed, demand, rational, typed
from .functions import Function
from .normal import distribution
from .regions import WHOLE
from .scale import Scale, bits
from .sums import Exponentials

BITS = 120
ONE = 1 << BITS
MOST_CUTS = 1_000

Atom = tuple[int, int]  # its masses under both laws, in parts of WHOLE
Level = tuple[int, Fraction]  # a ratio: −1 stands for 0, 0 for the exponential of the number, 1 for infinity
Edge = Fraction | None  # of a segment; None is infinite


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the line: its mass with the least ratio; and atoms that are worth at least as much as all of
    it."""

    least: Atom
    whole: Sequence[Atom]


def read_cuts(value: Json) -> Sequence[Fraction]:
    cuts = [Fraction(*rational(cut)) for cut in typed(value, list)]
    demand(0 < len(cuts) <= MOST_CUTS, Malformed, f"not from 1 to {MOST_CUTS:,} cuts")
    demand(all(a < b for a, b in pairwise(cuts)), BadEvidence, "cuts that do not rise")
    return cuts


class Line:
    """The line of the noise of a state, and its cuts."""

    def __init__(self, scale: Scale, noise: Sides | Gaussian, cuts: Sequence[Fraction]) -> None:
        self.scale, self.noise, self.step = scale, noise, scale.grid or Fraction(0)
        for cut in cuts:
            scale.demand_on_grid(cut)
        if not isinstance(noise, Gaussian):
            two = None not in noise and noise[0] != noise[1]
            demand(not two, BadEvidence, "noise with two rates")
        self.ends: Sequence[tuple[Edge, Edge]] = list(pairwise([None, *cuts, None]))
        self.longest = max(map(bits, cuts))
        self.exponentials = Exponentials(BITS, scale.budget)
        self.known: dict[tuple[Fraction, ...], Sequence[Segment]] = {}
        self.masses = [self.mass(low, high) for low, high in self.ends]

    def exponential(self, x: Fraction) -> tuple[int, int]:
        """e^x, or for noise with rates e^(x·ε)."""
        if isinstance(self.noise, Gaussian) or self.scale.epsilon is not None:
            times = None if isinstance(self.noise, Gaussian) else self.scale.epsilon
            return self.exponentials.exponential(x if times is None else x * times)
        a, c = self.scale.q.as_integer_ratio() if x <= 0 else (1 / self.scale.q).as_integer_ratio()
        n = self.scale.exponent(abs(x))
        self.scale.budget.spend(8, n * max(bits(self.scale.q), 1) + BITS, n * bits(self.scale.q))
        low, rest = divmod(a**n << BITS, c**n)
        return low, low + (rest > 0)

    def tail(self, x: Fraction) -> tuple[int, int]:
        """P[noise ≥ x], in parts of ONE."""
        if isinstance(self.noise, Gaussian):
            return distribution(-x / self.noise.sigma, BITS, self.scale.budget)
        left, right = self.noise
        rate, far = (right, x) if x > 0 else (left, self.step - x)
        low = high = 0
        if rate is not None:
            low, high = self.exponential(-rate * far)
            if None not in (left, right):
                less, more = self.exponential(-rate * self.step)
                low, high = low * ONE // (ONE + more), -(-high * ONE // (ONE + less))
        return (low, high) if x > 0 else (ONE - high, ONE - low)

    def mass(self, low: Edge, high: Edge, shift: Fraction | int = 0) -> tuple[int, int]:
        """P[low + shift ≤ noise < high + shift]: a lower bound in parts of ONE, an upper one in parts of
        WHOLE."""
        a = (ONE, ONE) if low is None else self.tail(low + shift)
        b = (0, 0) if high is None else self.tail(high + shift)
        return max(0, a[0] - b[1]), -(-(a[1] - b[0]) * WHOLE // ONE)

    def level(self, x: Edge, side: int, shift: Fraction) -> Level:
        """The ratio of the densities at x + shift and at x, where noise may be x; at infinity of this side if
        x is None."""
        if isinstance(self.noise, Gaussian):
            if x is None:
                return (0, Fraction(0)) if shift == 0 else (-1 if side * shift > 0 else 1, Fraction(0))
            return 0, -shift * (2 * x + shift) / (2 * self.noise.sigma * self.noise.sigma)
        left, right = self.noise
        if x is None:  # farther out the ratio stays what it is
            x = side * abs(shift)
        costs = list[Fraction]()
        for place in (x, x + shift):
            rate = right if place > 0 else left
            if rate is None and place != 0:
                return -1, Fraction(0)
            costs.append(abs(place) * (rate or 0))
        return 0, costs[0] - costs[1]

    def segments(self, shifts: Sequence[Fraction]) -> Sequence[Segment]:
        """For shifts between the first and the last of these; for none of them, nothing is as likely under
        the second law."""
        key = tuple(shifts)
        self.scale.budget.spend(8 * (1 + len(self.known)), sum(map(bits, key)), self.longest)
        if key not in self.known:
            long = 2 * self.longest + sum(map(bits, key))
            self.scale.budget.spend(128 * len(self.masses) * (1 + len(key)), BITS + long, BITS + long)
            self.known[key] = list(self.found(key))
        return self.known[key]

    def found(self, shifts: Sequence[Fraction]) -> Iterator[Segment]:
        for (_, mass), (low, high) in zip(self.masses, self.ends, strict=True):
            inner = self.inside(low, high)
            if mass == 0 or inner is None or not shifts:
                yield Segment((mass, 0), [(mass, 0)])
                continue
            first, last = inner
            levels = [(self.level(first, -1, s), self.level(last, 1, s), s) for s in shifts]
            a, b, shift = min(levels)
            finite = all(c[0] == d[0] == 0 for c, d, _ in levels)  # where ratios are 0, both ends say nothing
            alone = len(set(shifts)) == 1 or (finite and all(b <= d for _, d, _ in levels))
            small, large = min(min(c, d) for c, d, _ in levels), max(a, b)
            ratio = self.exponential(small[1])[0] if small[0] == 0 else 0
            least = mass, mass * ratio // ONE
            whole = [least]
            if alone and small < large and large[0] == 0:
                most = self.exponential(large[1])[1]
                after = None if last is None else last + self.step
                rest = self.mass(first, after, shift)[0] * WHOLE - mass * ratio
                upper = max(0, rest // (most - ratio))
                whole = [(mass - upper, (mass - upper) * ratio // ONE), (upper, upper * most // ONE)]
            yield Segment(least, whole)

    def inside(self, low: Edge, high: Edge) -> tuple[Edge, Edge] | None:
        """The first and the last place of a segment where noise may be; None if nowhere."""
        last = None if high is None else high - self.step
        if not isinstance(self.noise, Gaussian):
            left, right = self.noise
            low = max(low or Fraction(0), Fraction(0)) if left is None else low
            last = min(last or Fraction(0), Fraction(0)) if right is None and last is not None else last
            last = Fraction(0) if right is None and last is None else last
        return None if low is not None and last is not None and low > last else (low, last)


def worth(below: Function, above: Function, lines: Sequence[Sequence[Segment]], knot: int) -> int:
    """At a knot, times WHOLE·VALUE, what a step is worth at most whose guards are < and >=, wherever the
    stored value cuts the line; functions and segments of what is below it, and of the rest."""
    under, over = (
        [(function.perspective(s.least[0], knot * s.least[1]), whole(function, s, knot)) for s in segments]
        for function, segments in zip((below, above), lines, strict=True)
    )
    before, after, most = 0, sum(own for _, own in over), 0
    for (part, own), (other, rest) in zip(under, over, strict=True):
        after -= rest
        most = max(most, before + max(part, other) + after)
        before += own
    return most


def whole(function: Function, segment: Segment, knot: int) -> int:
    return sum(function.perspective(p, knot * q) for p, q in segment.whole)
