"""Curves, points and bands between two axes, drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from prover.report.picture.svg import Position, add, picture, text_width, write

_WIDTH, _HEIGHT = 430.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 14.0, 22.0, 46.0
_LEGEND = 20.0
_TICKS = 5
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """Points that are joined, or with ``dots`` not, and the name of what they are; ``look`` as in the CSS."""

    name: str
    points: Sequence[Position]
    look: str = "curve"
    dots: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn; ``band`` are points with a lower and an upper end each."""

    title: str
    across: str
    up: str
    series: Sequence[ChartSeries]
    band: Sequence[tuple[float, float, float]] = ()
    logarithmic: bool = False
    """Whether the axis from left to right is, for what grows by factors."""
    begin: float = 0.0
    """Where the axis from left to right begins, unless it is logarithmic."""
    floor: float = 0.0
    """Where the axis upwards begins, which is logarithmic above 0; lower points are left out."""


def drawn_chart(chart: Chart) -> Element:
    """The picture of a chart; axes begin at 0 or where they are told, a logarithmic one at its least point or
    at the floor.
    """
    points = [point for series in chart.series for point in series.points]
    points += [(x, high) for x, _, high in chart.band]
    scale = math.log2 if chart.logarithmic else float
    height_of = _height_above(chart.floor)
    xs = [scale(x) for x, _ in points] or [0.0]
    low = min(xs) if chart.logarithmic else chart.begin
    across = _ticks_between(low, max(xs), 1.0 if chart.logarithmic else 0.0)
    tops = [height_of(y) for _, y in points]
    upward = _ticks_between(height_of(chart.floor), max(tops, default=1.0), 1.0 if chart.floor else 0.0)
    legend = [series for series in chart.series if series.name]
    height = _HEIGHT + _LEGEND * len(legend)
    top = picture(_WIDTH, height, chart.title)

    def position(point: Position) -> Position:
        x = _LEFT + (scale(point[0]) - across[0]) / (across[-1] - across[0]) * (_WIDTH - _LEFT - _RIGHT)
        y = (height_of(point[1]) - upward[0]) / (upward[-1] - upward[0])
        return x, _HEIGHT - _BOTTOM - y * (_HEIGHT - _TOP - _BOTTOM)

    def unscaled(x: float) -> float:
        return 2.0**x if chart.logarithmic else x

    for number, y in enumerate(upward):
        at = _HEIGHT - _BOTTOM - number / (len(upward) - 1) * (_HEIGHT - _TOP - _BOTTOM)
        add(top, "path", "grid", d=f"M{_LEFT:g} {at:.6g}H{_WIDTH - _RIGHT:g}")
        write(
            top, _LEFT - 7, at, (power_text(1, round(y)) if chart.floor else _tick(y),), "small", anchor="end"
        )
    for x in across:
        at = position((unscaled(x), chart.floor))[0]
        add(top, "path", "grid", d=f"M{at:.6g} {_TOP:g}V{_HEIGHT - _BOTTOM:g}")
        write(top, at, _HEIGHT - _BOTTOM + 14, (_tick(unscaled(x)),), "small")
    add(top, "path", "axis", d=f"M{_LEFT:g} {_TOP:g}V{_HEIGHT - _BOTTOM:g}H{_WIDTH - _RIGHT:g}")
    write(top, (_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, (chart.across,))
    long = text_width((chart.up,)) > _LEFT - 7
    write(top, 0.0 if long else _LEFT - 7, 4.0, (chart.up,), anchor="start" if long else "end")
    if chart.band:
        upper = [position((x, high)) for x, _, high in chart.band]
        lower = [position((x, low)) for x, low, _ in reversed(chart.band)]
        add(top, "path", "band", d=_path([*upper, *lower]) + "Z")
    for series in chart.series:
        for piece in _above(chart.floor, series.points):
            _draw(top, series, [position(point) for point in piece])
    for number, series in enumerate(legend):
        y = _HEIGHT + _LEGEND * (number + 0.5)
        _draw(top, series, [(_LEFT, y)] if series.dots else [(_LEFT - 12, y), (_LEFT + 12, y)])
        write(top, _LEFT + 20, y, (series.name,), anchor="start")
    return top


def _draw(top: Element, series: ChartSeries, points: Sequence[Position]) -> None:
    if series.dots:
        for x, y in points:
            add(top, "circle", series.look, cx=x, cy=y, r=5.0)
    elif points:
        add(top, "path", series.look, d=_path(points))


def _height_above(floor: float) -> Callable[[float], float]:
    """Where numbers are on the axis upwards; none is below the floor."""
    return (lambda y: math.log10(max(y, floor))) if floor else float


def _above(floor: float, points: Sequence[Position]) -> list[Sequence[Position]]:
    """The pieces of a line that are not below the floor, which a line that falls below it ends at."""
    if not floor:
        return [points]
    pieces: list[list[Position]] = []
    before: Position | None = None
    for point in points:
        if point[1] >= floor:
            if before is None or before[1] < floor:
                pieces.append([] if before is None else [_crossing(floor, point, before)])
            pieces[-1].append(point)
        elif before is not None and before[1] >= floor:
            pieces[-1].append(_crossing(floor, before, point))
        before = point
    return [*pieces]


def _crossing(floor: float, above: Position, below: Position) -> Position:
    """Where a line from one point to the other meets the floor."""
    share = (above[1] - floor) / (above[1] - below[1])
    return above[0] + share * (below[0] - above[0]), floor


def _path(points: Sequence[Position]) -> str:
    return "M" + "L".join(f"{x:.6g} {y:.6g}" for x, y in points)


def _ticks_between(low: float, high: float, least: float = 0.0) -> list[float]:
    """Round numbers, ``least`` or more apart, the first at most ``low`` and the last at least ``high``."""
    span = high - low if high - low > 1e-300 else 1.0
    rough = span / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = max(least, next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999))
    first, end = math.floor(low / step + 1e-9), high if least else low + span
    last = max(first + 1, math.ceil(end / step - 1e-9))
    return [number * step for number in range(first, last + 1)]


def _tick(number: float) -> str:
    return f"{number:.4g}"


def power_text(factor: int, decade: int) -> str:
    """``factor`` times a power of ten for people: in full where that is short."""
    if 0 <= decade <= 4:
        return f"{factor * 10**decade:,}"
    if -3 <= decade < 0:
        return f"{factor * 10.0**decade:.{-decade}f}"
    return f"{'' if factor == 1 else f'{factor}·'}10{str(decade).translate(_RAISED)}"
