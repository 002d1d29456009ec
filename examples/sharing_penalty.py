"""What one strategy for a whole program costs, beside one for each of its branches: a picture.

The program is `prover zoo sharing-family n=N`: a line of N blocks, each of which draws a threshold and finds
N values that are not below it. Its loss is 4·N, for N > 1. A proof that gives every transition one shift,
whatever branch it is on, costs 2·N² + 2·N.

    python examples/sharing_penalty.py docs/sharing_penalty.svg --most 8

The same version of matplotlib writes the same bytes.
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import prover
from prover import zoo

MUTED, GRID = "#52606d", "#e4e7eb"
SHARED, APART = "#c2410c", "#1d4ed8"


def costs(most: int) -> tuple[list[Fraction], list[Fraction]]:
    """The costs of one strategy and of one for each branch, for 1, …, most blocks."""
    found = [prover.shared_cost(zoo.sharing_family(n)) for n in range(1, most + 1)]
    together = [cost.value for cost in found if cost.value is not None]
    apart = [cost.separate for cost in found if cost.separate is not None]
    return together, apart


def draw(path: str, together: list[Fraction], apart: list[Fraction]) -> None:
    """Both costs against the number of blocks, as an SVG file."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "sharing_penalty"  # else the names of parts are random
    matplotlib.rcParams["svg.fonttype"] = "path"
    from matplotlib import pyplot

    blocks = range(1, len(together) + 1)
    figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
    lines = [
        (together, SHARED, "o", "one strategy for all branches: 2n² + 2n", (-10, -2), "right"),
        (apart, APART, "s", "one strategy for each branch: 4n", (-4, 10), "right"),
    ]
    for values, colour, marker, label, offset, side in lines:
        heights = [float(value) for value in values]
        axes.plot(blocks, heights, color=colour, marker=marker, markersize=5, linewidth=2)
        axes.annotate(
            label,
            (blocks[-1], heights[-1]),
            xytext=offset,
            textcoords="offset points",
            ha=side,
            color=colour,
        )
    axes.set_xlabel("blocks n", color=MUTED)
    axes.set_ylabel("privacy cost, in units of ε", color=MUTED)
    axes.set_xticks(list(blocks))
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=GRID)
    axes.set_axisbelow(True)
    axes.tick_params(colors=MUTED, length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(MUTED)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw what sharing shifts among branches costs.")
    parser.add_argument("file", help="the SVG file to write")
    parser.add_argument("--most", type=int, default=8, help="the largest number of blocks")
    options = parser.parse_args()
    together, apart = costs(options.most)
    draw(options.file, together, apart)
    print("blocks  together  apart")
    for n, (shared, own) in enumerate(zip(together, apart, strict=True), start=1):
        print(f"{n:6}  {shared!s:>8}  {own!s:>5}")


if __name__ == "__main__":
    main()
