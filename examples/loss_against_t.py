"""Draws how the loss of the sparse vector technique grows with t, and why: docs/loss_against_t.svg.

    python examples/loss_against_t.py docs/loss_against_t.svg

The run says "below" n times and then "above". On the left -ln P[run | inputs tΔ], on the right what it loses
between tΔ and (t+1)Δ, at ε = 1. Points are middles of rigorous enclosures that are narrower than 10^-12.
Needs matplotlib.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.program.attack.probability import Loss, loss_between
from prover.program.model import Edge, Program
from prover.zoo import svt

TURNS = {0: "1/4", 1: "1", 2: "5/4", 3: "5/4"}
"""The runs that are drawn, by how often they say "below", and what each loses in the limit (V)."""

COLOURS = {0: "#999999", 1: "#0072b2", 2: "#d55e00", 3: "#009e73"}
TIMES = [Fraction(k, 8) for k in range(8 * 8 + 1)]
OPTIMUM = 1.25


@dataclass(frozen=True, slots=True)
class Curve:
    """−ln P and the loss at each of ``TIMES``."""

    exponents: list[float]
    losses: list[float]


def run_of(program: Program, turns: int) -> tuple[Edge, ...]:
    """The threshold, so many answers below it, and one that is not."""
    start, below, above = program.edges
    return (start, *[below] * turns, above)


def inputs(path: Sequence[Edge], t: Fraction) -> list[Fraction]:
    """tΔ: what is below is moved up, what is not is moved down."""
    signs = {"": 0, "<": 1, ">=": -1}
    return [signs[edge.relation] * t for edge in path]


def measured(program: Program, turns: int, t: Fraction) -> Loss:
    """The probabilities on tΔ and (t+1)Δ, and the loss."""
    path = run_of(program, turns)
    return loss_between(program, path, inputs(path, t), inputs(path, t + 1), Fraction(1))


def curve(program: Program, turns: int) -> Curve:
    """What is drawn of one run."""
    found = [measured(program, turns, t) for t in TIMES]
    return Curve(
        [-math.log(point.probability[0]) for point in found], [float(sum(p.loss) / 2) for p in found]
    )


def draw(file: str) -> None:
    """Write the picture; the same bytes every time."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.rcParams.update({"svg.hashsalt": "loss against t", "svg.fonttype": "none", "font.size": 10})
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    program = svt()
    times = [float(t) for t in TIMES]
    for turns, limit in TURNS.items():
        found = curve(program, turns)
        colour = COLOURS[turns]
        left.plot(times, found.exponents, color=colour)
        left.annotate(
            f"slope → {limit}",
            (times[-1], found.exponents[-1]),
            (6, -3),
            textcoords="offset points",
            color=colour,
        )
        right.plot(times, found.losses, color=colour, label=f"{turns} below, then above: V = {limit}")
    left.set(xlabel="t", ylabel="−ln P[run | inputs tΔ]", xlim=(0, 10))
    left.set_title("How fast a run becomes unlikely …", loc="left", fontsize=10)
    right.axhline(OPTIMUM, color="black", linestyle="--", linewidth=1)
    right.annotate("ε·5/4: no run loses more", (0.1, OPTIMUM), (0, 4), textcoords="offset points")
    right.set(xlabel="t", ylabel="loss between tΔ and (t+1)Δ", xlim=(0, 8), ylim=(0, 1.45))
    right.set_title("… is what it loses between neighbours", loc="left", fontsize=10)
    right.legend(loc="center right", bbox_to_anchor=(1, 0.42), frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, metadata={"Date": None, "Creator": None} if file.endswith(".svg") else None)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: python {sys.argv[0]} FILE.svg")
    draw(sys.argv[1])
