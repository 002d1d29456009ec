"""Draws two pictures: how the loss of the sparse vector technique grows with t, and why.

    python examples/loss_against_t.py docs/run_exponents.svg docs/loss_against_t.svg

The run outputs "below" n times and then "above". The first picture shows -ln P[run | inputs tΔ], the second
the loss between tΔ and (t+1)Δ, at ε = 1. Points are midpoints of proved intervals narrower than 10^-12.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from prover.program.attack.probability import Loss, loss_between
from prover.program.model import Edge, Program
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.picture.svg import svg_file
from prover.zoo import svt

TURNS = {0: "1/4", 1: "1", 2: "5/4", 3: "5/4"}
"""The runs that are drawn, by their number of "below", and the limit V of the loss of each."""

LOOKS = {0: "faint", 1: "bound", 2: "curve", 3: "other"}
TIMES = [Fraction(k, 8) for k in range(8 * 8 + 1)]
OPTIMUM = 1.25


@dataclass(frozen=True, slots=True)
class Curve:
    """−ln P and the loss at each of ``TIMES``."""

    exponents: list[float]
    losses: list[float]


def run_of(program: Program, turns: int) -> tuple[Edge, ...]:
    """The threshold, the given number of answers below it, and one that is not below."""
    start, below, above = program.edges
    return (start, *[below] * turns, above)


def inputs(path: Sequence[Edge], t: Fraction) -> list[Fraction]:
    """tΔ: answers below are moved up, and the others down."""
    signs = {"": 0, "<": 1, ">=": -1}
    return [signs[edge.relation] * t for edge in path]


def measured(program: Program, turns: int, t: Fraction) -> Loss:
    """The probabilities on tΔ and (t+1)Δ, and the loss."""
    path = run_of(program, turns)
    return loss_between(program, path, inputs(path, t), inputs(path, t + 1), Fraction(1))


def curve(program: Program, turns: int) -> Curve:
    """The two curves of one run."""
    found = [measured(program, turns, t) for t in TIMES]
    return Curve(
        [-math.log(point.probability[0]) for point in found], [float(sum(p.loss) / 2) for p in found]
    )


def charts(curves: Mapping[int, Curve]) -> tuple[Chart, Chart]:
    """The charts of how unlikely runs become and of their loss, from the curves by number of turns."""
    times = [float(t) for t in TIMES]
    exponents = [
        ChartSeries(
            f"{turns} below, then above: slope → {TURNS[turns]}", _points(times, one.exponents), LOOKS[turns]
        )
        for turns, one in curves.items()
    ]
    losses = [
        ChartSeries(
            f"{turns} below, then above: V = {TURNS[turns]}", _points(times, one.losses), LOOKS[turns]
        )
        for turns, one in curves.items()
    ]
    limit = ChartSeries("(5/4)·ε: no run loses more", [(0.0, OPTIMUM), (times[-1], OPTIMUM)], "limit")
    return (
        Chart("How fast a run becomes unlikely", "t", "−ln P[run | inputs tΔ]", exponents),
        Chart("Loss of a run between neighbours", "t", "loss between tΔ and (t+1)Δ", [*losses, limit]),
    )


def _points(across: Sequence[float], up: Sequence[float]) -> list[tuple[float, float]]:
    return list(zip(across, up, strict=True))


def words(curves: Mapping[int, Curve], what: str) -> list[str]:
    """A description of the picture in words: where the curves begin and end."""
    return [
        f"The run that outputs below {turns} times, then above: {_ends(one, what)}."
        for turns, one in curves.items()
    ]


def _ends(one: Curve, what: str) -> str:
    if what == "exponents":
        return f"−ln P is {one.exponents[0]:.3f} at t = 0 and {one.exponents[-1]:.3f} at t = {TIMES[-1]}"
    return f"the loss is {one.losses[0]:.3f} at t = 0 and {one.losses[-1]:.3f} at t = {TIMES[-1]}"


def draw(exponents: str, losses: str) -> None:
    """Write both pictures, with the same bytes every time."""
    program = svt()
    curves = {turns: curve(program, turns) for turns in TURNS}
    for file, what, chart in zip((exponents, losses), ("exponents", "losses"), charts(curves), strict=True):
        Path(file).write_bytes(svg_file(drawn_chart(chart), words(curves, what)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(f"usage: python {sys.argv[0]} EXPONENTS.svg LOSSES.svg")
    draw(*sys.argv[1:])
