"""A convex function δ(α) of all α ≥ 0 between points above it and lines below it, as two distributions.

The greatest convex function through points that are not below δ dominates it, and the largest of lines that
are nowhere above δ is dominated by it. Both are privacy loss distributions. Reference: docs/accounting.md,
*Between two distributions*.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from prover.accounting.distribution import LossDistribution

UNIT = 10**50
"""Bounds are rounded outward to multiples of one over this, so that numbers stay short."""

Point = tuple[Fraction, Fraction]

_ZERO, _ONE = Fraction(0), Fraction(1)


class CurveBounds:
    """What is known about δ of an ordered pair of secrets; δ(0) = 1 and (1 − α)⁺ ≤ δ(α) at first.

    >>> known = CurveBounds()
    >>> known.add_upper(Fraction(1), Fraction(1, 2))
    >>> known.add_line(Fraction(3, 4), Fraction(1, 4))
    >>> [(str(alpha), str(width)) for alpha, width in known.widths()]
    [('1/3', '1/6'), ('3', '1/2')]
    """

    def __init__(self) -> None:
        self._upper: dict[Fraction, Fraction] = {_ZERO: _ONE}
        self._lines: set[Point] = {(_ONE, _ONE), (_ZERO, _ZERO)}

    def add_upper(self, alpha: Fraction, bound: Fraction) -> None:
        """δ is at most ``bound`` at ``alpha`` > 0."""
        rounded = min(_ONE, Fraction(-(-bound * UNIT // 1), UNIT))
        self._upper[alpha] = min(self._upper.get(alpha, _ONE), rounded)

    def add_line(self, p: Fraction, q: Fraction) -> None:
        """There is an event with at least the probability ``p`` from the first secret, and at most ``q`` from
        the second.
        """
        self._lines.add((Fraction(p * UNIT // 1, UNIT), min(_ONE, Fraction(-(-q * UNIT // 1), UNIT))))

    def upper(self) -> LossDistribution:
        """The distribution that dominates: δ is the greatest convex, non-increasing function through the
        points.
        """
        hull = self._hull()
        slopes = [(high - low) / (right - left) for (left, high), (right, low) in pairwise(hull)]
        masses = zip(hull[1:], pairwise([*slopes, _ZERO]), strict=True)
        return LossDistribution.of_endings((at * (s - t), s - t) for (at, _), (s, t) in masses)

    def lower(self) -> LossDistribution:
        """The distribution that is dominated: δ is the largest of the lines."""
        lines = self._envelope()
        masses = ((_meeting(one, other), one[1] - other[1]) for one, other in pairwise(lines))
        return LossDistribution.of_endings((at * q, q) for at, q in masses)

    def widths(self) -> Iterator[tuple[Fraction, Fraction]]:
        """Where the largest of the lines changes its slope, and how far the two bounds are apart there; they
        are nowhere farther apart, because between these places the one is linear and the other convex.
        """
        hull = self._hull()
        places = [at for at, _ in hull]
        for one, other in pairwise(self._envelope()):
            alpha = _meeting(one, other)
            place = bisect_right(places, alpha)
            left, high = hull[place - 1]
            if place < len(hull):
                right, low = hull[place]
                high += (low - high) * (alpha - left) / (right - left)
            yield alpha, high - (one[0] - one[1] * alpha)

    def _hull(self) -> list[Point]:
        """The corners of the greatest convex, non-increasing function through the points."""
        hull: list[Point] = []
        for point in sorted(self._upper.items()):
            if hull and point[1] >= hull[-1][1]:
                continue
            while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
                hull.pop()
            hull.append(point)
        return hull

    def _envelope(self) -> list[Point]:
        """The lines of which each is the largest somewhere, from the left to the right."""
        kept: list[Point] = []
        for line in sorted(self._lines, key=lambda line: (-line[1], -line[0])):
            while kept and line[0] >= kept[-1][0] and line[1] < kept[-1][1]:
                kept.pop()
            if kept and line[1] == kept[-1][1]:
                continue
            while len(kept) > 1 and _meeting(kept[-2], line) <= _meeting(kept[-2], kept[-1]):
                kept.pop()
            kept.append(line)
        return kept


def _is_above(middle: Point, left: Point, right: Point) -> bool:
    """Whether a point is on or above the chord of its neighbours."""
    rise = (right[1] - left[1]) * (middle[0] - left[0])
    return (middle[1] - left[1]) * (right[0] - left[0]) >= rise


def _meeting(one: Point, other: Point) -> Fraction:
    """The α at which two lines are equal."""
    return (one[0] - other[0]) / (one[1] - other[1])
