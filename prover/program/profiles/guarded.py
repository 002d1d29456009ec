"""Steps that test a sample and store or output it: what the segments of the line of its noise are worth.

Reference: docs/theory_profiles.md, *Steps that test and store*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, ctx

from prover.exact.ball import ball_of
from prover.program.edge import Edge
from prover.program.noise import Gaussian, Shape
from prover.program.profiles.entries import Move
from prover.program.profiles.regions import Regions
from prover.program.profiles.tails import tail

KnotValues = Any  # an array of numpy, a number for each knot
ValuedMove = tuple[Move, tuple[KnotValues, KnotValues]]
"""A move, and what each segment is worth with it: as a whole, and in parts at most."""
KnotRatio = Fraction | None  # None is infinite
Level = tuple[int, Fraction]
"""A ratio: −1 stands for 0, 0 for the exponential of the number, 1 for infinity."""

SEGMENTS = 64  # of Gaussian noise
_FARTHEST = 6  # standard deviations from the middle to the last cuts
_BITS = 160


def cuts_of(edge: Edge, regions: Regions, points: Sequence[Fraction]) -> list[Fraction]:
    """Where the line of the noise of a state is cut: wherever shifts of the noise may have corners."""
    if isinstance(edge.noise, Gaussian):
        step = 2 * _FARTHEST * edge.noise.sigma / SEGMENTS
        return [step * (k - SEGMENTS // 2) for k in range(SEGMENTS + 1)]
    ends = {one - two for one in points for two in (*points, Fraction(0))}
    steps = {Fraction(0)} if regions.grid is None else {Fraction(0), regions.grid}
    return sorted({end + step for end in ends for step in steps})


class Line:
    """The line of the noise of a state, cut into segments, for functions with knots, at some of these."""

    def __init__(
        self, regions: Regions, noise: Shape, cuts: Sequence[Fraction], knots: KnotValues, places: KnotValues
    ) -> None:
        self.noise, self.cuts, self.knots, self.places = noise, cuts, knots, knots[places]
        self.step = regions.grid or Fraction(0)
        self.scale = Fraction(1) if isinstance(noise, Gaussian) else regions.at.epsilon
        self.known: dict[tuple[Fraction, ...], KnotValues] = {}
        self.found: dict[
            tuple[float | Fraction, ...], list[tuple[KnotValues, tuple[KnotValues, KnotValues]]]
        ] = {}

    def worth(
        self, values: KnotValues, key: tuple[Fraction, ...], margin: float
    ) -> tuple[KnotValues, KnotValues]:
        """What each segment is worth if a function follows, for shifts between these; 1 if there are none."""
        kept = self.found.setdefault((margin, *key), [])
        for known, found in kept:
            if np.array_equal(known, values):
                return found
        if key not in self.known:
            before, ctx.prec = ctx.prec, _BITS
            try:
                self.known[key] = np.array(list(self._segments(key))).T[:, :, None]
            finally:
                ctx.prec = before
        mass, ratio, lower, upper, most = self.known[key]
        small = np.interp(self.places * ratio, self.knots, values) * margin
        large = np.interp(self.places * most, self.knots, values) * margin
        kept[:] = [*kept[-100:], (values, (lower * small + upper * large, mass * small))]
        return kept[-1][1]

    def _segments(self, shifts: Sequence[Fraction]) -> Iterator[tuple[float, ...]]:
        """Of each segment its mass and the least ratio of the shifted density to the density; and masses at
        this ratio and at a larger one, which are worth at least as much as all of it."""
        for low, high in pairwise([None, *self.cuts, None]):
            mass = self._mass(low, high)
            inner = self._inside(low, high)
            if mass <= 0 or inner is None or not shifts:
                yield mass, 0.0, mass, 0.0, 0.0
                continue
            first, last = inner
            levels = [(self._level(first, -1, s), self._level(last, 1, s), s) for s in shifts]
            _, b, shift = min(levels)
            finite = all(c[0] == d[0] == 0 for c, d, _ in levels)
            alone = len(shifts) == 1 or (finite and all(b <= d for _, d, _ in levels))
            small, large = min(min(c, d) for c, d, _ in levels), max(min(levels)[:2])
            least = 0.0 if small[0] else float(self._exponential(small[1]))
            upper = most = 0.0
            if alone and small < large and large[0] == 0:
                most = float(self._exponential(large[1]))
                moved = self._mass(first, None if last is None else last + self.step, shift)
                upper = min(mass, max(0.0, (moved - mass * least) / (most - least)))
            yield mass, least, mass - upper, upper, most

    def _exponential(self, x: Fraction) -> arb:
        return ball_of(x * self.scale).exp()

    def _mass(self, low: KnotRatio, high: KnotRatio, shift: Fraction = Fraction(0)) -> float:
        about = self.scale, self.step
        above = arb(1) if low is None else tail(self.noise, low + shift, *about)
        return float(above - (arb(0) if high is None else tail(self.noise, high + shift, *about)))

    def _level(self, x: KnotRatio, side: int, shift: Fraction) -> Level:
        """The ratio of the densities at x + shift and at x; at infinity of this side if x is None."""
        if isinstance(self.noise, Gaussian):
            if x is None:
                return (0, Fraction(0)) if shift == 0 else (-1 if side * shift > 0 else 1, Fraction(0))
            return 0, -shift * (2 * x + shift) / (2 * self.noise.sigma**2)
        left, right = self.noise
        x = side * abs(shift) if x is None else x
        costs = []
        for place in (x, x + shift):
            rate = right if place > 0 else left
            if not isinstance(rate, Fraction) and place != 0:
                return -1, Fraction(0)
            costs.append(abs(place) * (rate if isinstance(rate, Fraction) else 0))
        return 0, costs[0] - costs[1]

    def _inside(self, low: KnotRatio, high: KnotRatio) -> tuple[KnotRatio, KnotRatio] | None:
        """The first and the last place of a segment where noise may be; None if nowhere."""
        last = None if high is None else high - self.step
        if not isinstance(self.noise, Gaussian):
            left, right = (isinstance(rate, Fraction) for rate in self.noise)
            low = low if left else max(low or Fraction(0), Fraction(0))
            last = last if right else Fraction(0) if last is None else min(last, Fraction(0))
        return None if low is not None and last is not None and low > last else (low, last)


def best_pair(
    below: Sequence[ValuedMove], above: Sequence[ValuedMove]
) -> tuple[list[list[Move]], KnotValues]:
    """At each knot the moves of the samples below and of the others that are found best, and what they cost
    wherever the line is cut: segments below it, a part of one, and segments above."""
    under, over = (
        [np.array(own) for own in zip(*(found for _, found in side), strict=True)] for side in (below, above)
    )
    before = np.cumsum(under[0], axis=1) - under[0]
    after = np.cumsum(over[0][:, ::-1], axis=1)[:, ::-1] - over[0]
    knots = np.arange(before.shape[2])
    two, costs = np.argmin(over[0].sum(axis=1), axis=0), before
    one = two
    for _ in range(2):
        part, rest = over[1][two, :, knots].T, after[two, :, knots].T
        one = np.argmin(np.max(before + np.maximum(under[1], part) + rest, axis=1), axis=0)
        part, rest = under[1][one, :, knots].T, before[one, :, knots].T
        costs = np.max(rest + np.maximum(part, over[1]) + after, axis=1)
        two = np.argmin(costs, axis=0)
    moves = [[below[j][0], above[k][0]] for j, k in zip(one, two, strict=True)]
    return moves, costs[two, knots]
