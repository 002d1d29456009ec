"""Curves of δ on pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from prover.chain.arguments import Slope
from prover.chain.breakpoints import breakpoints_of
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.chain.unrolling.word_graph import TooManyWords
from prover.exact.convex import Piecewise
from prover.exact.readable import brief, upper_text
from prover.report.document import Figure
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart

if TYPE_CHECKING:
    from prover.report.event import Likely

_STEPS = 60


def profile_of(
    chain: LabelledMarkovChain, source: str | None, target: str | None, kind: str
) -> Piecewise | None:
    """δ as a function of α; None where too many words count."""
    try:
        return breakpoints_of(Secrets.of(chain, source, target, kind)).delta
    except TooManyWords:
        return None


def known_series(
    profile: Piecewise | None, event: Likely | None, last: float
) -> tuple[list[ChartSeries], list[str]]:
    """What is known of δ from ε = 0 to ``last``: itself, and what an event proves; in words itself only."""
    series: list[ChartSeries] = []
    words: list[str] = []
    if profile is not None:
        series.append(profile_series(profile, last, "δ, exactly"))
        words += [f"δ = {brief(value)} at α = {brief(alpha)}." for alpha, value in profile.corners]
    if event is not None:
        series.append(_line_series(event, last))
    return series, words


def falling_figure(
    delta: Callable[[Slope], tuple[Fraction, Fraction]],
    slopes: Sequence[Slope],
    title: str,
    name: str,
    caption: str,
    *,
    logarithmic: bool = False,
) -> Figure:
    """The bounds of δ at these ε, as a line of this name and a band."""
    band = []
    words = []
    for slope in slopes:
        lower, upper = delta(slope)
        epsilon = float(slope.epsilon) if slope.epsilon is not None else math.log(slope.upper)
        band.append((epsilon, float(lower), float(upper)))
        words.append(f"At ε = {epsilon:.6g}, δ is at most {upper_text(upper)}.")
    line = ChartSeries(name, [(x, high) for x, _, high in band])
    floor = min((high for _, _, high in band if high > 0), default=1e-9) if logarithmic else 0.0
    return Figure(drawn_chart(delta_chart([line], title, band, floor)), caption, words)


def profile_series(profile: Piecewise, last: float, name: str) -> ChartSeries:
    """δ from ε = 0 to ``last``, where it is known as a function of α: straight in α, and so bent in ε."""
    corners = [math.log(alpha) for alpha, _ in profile.corners if alpha < _exponential(last)]
    positions = sorted({*corners, *(last * k / _STEPS for k in range(_STEPS + 1))})
    return ChartSeries(name, [(x, _value(profile, x)) for x in positions])


def _value(profile: Piecewise, epsilon: float) -> float:
    alpha = Fraction(_exponential(epsilon))
    return float(max(profile.value(max(alpha, Fraction(1))), Fraction(0)))


def _exponential(epsilon: float) -> float:
    return math.exp(min(epsilon, 600.0))


def _line_series(event: Likely, last: float) -> ChartSeries:
    """What one event proves for every ε: its probability from one secret less α times that from the other."""
    more, less = float(event.from_probability), float(event.to_probability)
    positions = [last * k / _STEPS for k in range(_STEPS + 1)]
    points = [(x, max(0.0, more - less * _exponential(x))) for x in positions]
    return ChartSeries("the lower bound that the attack above proves", points, "bound")


def end_of(profile: Piecewise | None, positions: Sequence[float]) -> float:
    """Where the axis of ε ends: behind the last breakpoint, and behind what is asked about."""
    corners = [] if profile is None else [math.log(alpha) for alpha, _ in profile.corners[-1:]]
    return max([0.0, *(1.15 * x for x in corners), *(1.3 * x for x in positions)]) or 1.0


def delta_chart(
    series: Sequence[ChartSeries],
    title: str,
    band: Sequence[tuple[float, float, float]] = (),
    floor: float = 0.0,
) -> Chart:
    """A chart of δ by ε; above 0 the floor is where a logarithmic axis of δ begins."""
    return Chart(title, "ε", "δ", series, band, floor=floor)
