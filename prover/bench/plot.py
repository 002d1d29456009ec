"""Plots on logarithmic axes as SVG, which a page can hold and every browser draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from xml.sax.saxutils import escape

from prover.report.picture.chart import power_text

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colours that people who see few colours tell apart (Okabe and Ito)."""

_WIDTH, _HEIGHT = 480, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 24, 28, 44
_ROUND = (1, 2, 5)
_TINY = 1e-9
_FEW = 1.4  # decades up to which there are marks within them


@dataclass(frozen=True, slots=True)
class Series:
    """Points with positive coordinates, joined by a line in one of the ``COLOURS``.

    ``missed`` are x where a limit was met.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    colour: int = 0
    dashed: bool = False
    missed: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class _Axis:
    """The numbers from ``low`` to ``high`` on ``length`` units from ``start`` on."""

    low: float
    high: float
    start: float
    length: float

    @classmethod
    def of(cls, values: Sequence[float], start: float, length: float) -> _Axis:
        """An axis that has all values, and begins and ends at round numbers."""
        low, high = _round(min(values), down=True), _round(max(values), down=False)
        return cls(low, high if high > low else 10 * low, start, length)

    def place(self, value: float) -> float:
        return self.start + self.length * log10(value / self.low) / log10(self.high / self.low)

    def marks(self) -> list[tuple[float, str]]:
        """Where there are lines, and what stands at them: powers of ten, or where these are few all."""
        first, last = floor(log10(self.low)), ceil(log10(self.high))
        few = log10(self.high / self.low) <= _FEW
        found = []
        for decade in range(first, last + 1):
            for factor in _ROUND:
                value = factor * 10.0**decade
                if self.low * 0.99 < value < self.high * 1.01:
                    found.append((value, power_text(factor, decade) if few or factor == 1 else ""))
        return found


def _round(value: float, *, down: bool) -> float:
    """The next of the numbers 1, 2 and 5 times a power of ten, itself included."""
    decade = floor(log10(value))
    near = [factor * 10.0**place for place in (decade, decade + 1) for factor in _ROUND]
    if down:
        return max(one for one in near if one <= value * (1 + _TINY))
    return min(one for one in near if one >= value * (1 - _TINY))


def log_plot(series: Sequence[Series], x_label: str, y_label: str) -> str:
    """The plot of series with at least one point in all, both axes logarithmic; no point is left out."""
    xs = [x for one in series for x, _ in one.points] + [x for one in series for x in one.missed]
    ys = [y for one in series for _, y in one.points]
    across = _Axis.of(xs, _LEFT, _WIDTH - _LEFT - _RIGHT)
    up = _Axis.of(ys, _HEIGHT - _BOTTOM, _TOP + _BOTTOM - _HEIGHT)
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{_text(f"{y_label} by {x_label}")}">'
    ]
    for value, label in across.marks():
        x = across.place(value)
        parts.append(_line(x, _TOP, x, _HEIGHT - _BOTTOM, "grid"))
        parts.append(_label(x, _HEIGHT - _BOTTOM + 16, label, "middle"))
    for value, label in up.marks():
        y = up.place(value)
        parts.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, "grid"))
        parts.append(_label(_LEFT - 6, y + 4, label, "end"))
    parts.append(_label(_LEFT + (_WIDTH - _LEFT - _RIGHT) / 2, _HEIGHT - 8, x_label, "middle"))
    parts.append(_label(_LEFT, 16, y_label, "start"))
    parts += [_drawn(one, across, up) for one in series]
    parts.append("</svg>")
    return "\n".join(parts)


def colour_of(series: Series) -> str:
    """The colour of a series, as pages write it."""
    return COLOURS[series.colour % len(COLOURS)]


def _drawn(series: Series, across: _Axis, up: _Axis) -> str:
    colour = colour_of(series)
    places = [(across.place(x), up.place(y)) for x, y in series.points]
    dashes = ' stroke-dasharray="5 4"' if series.dashed else ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>']
    for (x, y), (size, value) in zip(places, series.points, strict=True):
        tip = _text(f"{series.name}: {size:g}: {value:.4g}")
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{tip}</title></circle>')
    for size in series.missed:
        x, tip = across.place(size), _text(f"{series.name}: {size:g}: limit met")
        parts.append(
            f'<path d="M {x - 5:.1f} {_TOP} h 10 l -5 9 z" fill="{colour}"><title>{tip}</title></path>'
        )
    return "\n".join(parts)


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _label(x: float, y: float, text: str, anchor: str) -> str:
    if not text:
        return ""
    return f'<text class="label" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_text(text)}</text>'


def _text(text: str) -> str:
    return escape(text, {'"': "&quot;"})
