"""Bounds of an unknown function of α ≥ 1 that is convex, non-increasing and between 0 and 1.

What is learnt at one α holds further: an upper bound at every larger α, a lower one at every smaller α, two
upper bounds by the chord in between, and a line below the function everywhere.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

ZERO, ONE = Fraction(0), Fraction(1)
Coordinates = tuple[Fraction, Fraction]


class EnclosedCurve:
    """Bounds at points and lines below the function, and what follows from them."""

    def __init__(self) -> None:
        self._hull: list[Coordinates] = []
        self._lines: list[tuple[Fraction, Fraction]] = []
        self._steps: list[Coordinates] = []
        self._lowers: dict[Fraction, Fraction] = {}

    def add_upper(self, alpha: Fraction, bound: Fraction) -> None:
        """The function is at most ``bound`` at ``alpha``."""
        if bound >= self.upper(alpha):
            return
        index = bisect_left(self._hull, (alpha,))
        later = [point for point in self._hull[index:] if point[1] < bound]
        hull: list[Coordinates] = []
        # The bounds that are not implied by others are the corners of the greatest convex function below all.
        for point in (*self._hull[:index], (alpha, bound), *later):
            while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
                hull.pop()
            hull.append(point)
        self._hull = hull

    def add_line(self, constant: Fraction, slope: Fraction) -> None:
        """The function is at least constant − slope·α at every α."""
        if (constant, slope) in self._lines:
            return
        self._lines.append((constant, slope))
        for alpha, lower in self._lowers.items():
            self._lowers[alpha] = max(lower, constant - slope * alpha)

    def add_lower(self, alpha: Fraction, bound: Fraction) -> None:
        """The function is at least ``bound`` at ``alpha``, and so at every smaller α."""
        if bound <= self.lower(alpha):
            return
        self._steps.append((alpha, bound))
        for at, lower in self._lowers.items():
            if at <= alpha:
                self._lowers[at] = max(lower, bound)

    def upper(self, alpha: Fraction) -> Fraction:
        """The least upper bound that follows."""
        index = bisect_left(self._hull, (alpha,))
        if index < len(self._hull) and self._hull[index][0] == alpha:
            return self._hull[index][1]
        if index == 0:
            return ONE
        (left, high) = self._hull[index - 1]
        if index == len(self._hull):
            return high
        (right, low) = self._hull[index]
        return high + (low - high) * (alpha - left) / (right - left)

    def lower(self, alpha: Fraction) -> Fraction:
        """The greatest lower bound at a point or on a line that holds here."""
        if alpha not in self._lowers:
            lines = [constant - slope * alpha for constant, slope in self._lines]
            self._lowers[alpha] = max([ZERO, *lines, *(bound for at, bound in self._steps if alpha <= at)])
        return self._lowers[alpha]


def _is_above(middle: Coordinates, left: Coordinates, right: Coordinates) -> bool:
    """Whether a point is on or above the chord of its neighbours."""
    rise = (right[1] - left[1]) * (middle[0] - left[0])
    return (middle[1] - left[1]) * (right[0] - left[0]) >= rise
