"""Draws what one coupling strategy for a whole program costs, next to one for each of its branches.

The program is `prover zoo sharing-family n=N`: a line of N blocks, each of which draws a threshold and finds
N values that are not below it. Its loss is 4·N·ε, for N > 1. A proof that gives every transition the same
shift on all branches costs (2·N² + 2·N)·ε.

    python examples/sharing_penalty.py docs/sharing_penalty.svg --most 8

It writes the same bytes every time.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path

import prover
from prover import zoo
from prover.report.picture.chart import Chart, ChartSeries, drawn_chart
from prover.report.picture.svg import svg_file


def costs(most: int) -> tuple[list[Fraction], list[Fraction]]:
    """The costs of one strategy, and of one for each branch, for 1 to ``most`` blocks."""
    found = [prover.shared_cost(zoo.sharing_family(n)) for n in range(1, most + 1)]
    together = [cost.value for cost in found if cost.value is not None]
    apart = [cost.separate for cost in found if cost.separate is not None]
    return together, apart


def draw(path: str, together: list[Fraction], apart: list[Fraction]) -> None:
    """Both costs against the number of blocks, as an SVG file."""
    series: list[ChartSeries] = []
    for values, look, name in (
        (together, "bound", "one strategy for all branches: 2n² + 2n"),
        (apart, "curve", "one strategy for each branch: 4n"),
    ):
        points = [(float(n), float(value)) for n, value in enumerate(values, start=1)]
        series += [ChartSeries(name, points, look), ChartSeries("", points, "dot", dots=True)]
    chart = Chart("What one strategy for all branches costs", "blocks n", "cost, in ε", series)
    words = [
        f"{n} blocks: {shared} with one strategy, {own} with one for each branch."
        for n, (shared, own) in enumerate(zip(together, apart, strict=True), start=1)
    ]
    Path(path).write_bytes(svg_file(drawn_chart(chart), words))


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
