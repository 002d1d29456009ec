"""Curves of δ on pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from prover.exact.convex import Piecewise
from prover.report.picture.chart import Chart, Point, Series

_STEPS = 60


def profile_series(profile: Piecewise, last: float, name: str) -> Series:
    """δ from ε = 0 to ``last``, where it is known as a function of α: straight in α, and so bent in ε."""
    corners = [math.log(alpha) for alpha, _ in profile.corners if alpha < _exponential(last)]
    places = sorted({*corners, *(last * k / _STEPS for k in range(_STEPS + 1))})
    return Series(name, [(x, _value(profile, x)) for x in places])


def _value(profile: Piecewise, epsilon: float) -> float:
    alpha = Fraction(_exponential(epsilon))
    return float(max(profile.value(max(alpha, Fraction(1))), Fraction(0)))


def _exponential(epsilon: float) -> float:
    return math.exp(min(epsilon, 600.0))


def line_series(constant: Fraction, slope: Fraction, last: float, name: str) -> Series:
    """What one event proves for every ε: its probability from one secret less α times that from the other."""
    points: list[Point] = []
    for k in range(_STEPS + 1):
        x = last * k / _STEPS
        points.append((x, max(0.0, float(constant) - float(slope) * _exponential(x))))
    return Series(name, points, "bound")


def end_of(profile: Piecewise | None, asked: Sequence[float]) -> float:
    """Where the axis of ε ends: behind the last breakpoint, and behind what is asked about."""
    corners = [] if profile is None else [math.log(alpha) for alpha, _ in profile.corners[-1:]]
    return max([0.0, *(1.15 * x for x in corners), *(1.3 * x for x in asked)]) or 1.0


def delta_chart(
    series: Sequence[Series],
    title: str,
    band: Sequence[tuple[float, float, float]] = (),
    floor: float = 0.0,
) -> Chart:
    """A chart of δ by ε; above 0 the floor is where a logarithmic axis of δ begins."""
    return Chart(title, "ε", "δ", series, band, floor=floor)
