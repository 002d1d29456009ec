"""Shifts of what is stored, divided by the sensitivity, from which a table chooses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

from prover.program.model import Program, reachable

Interval = tuple[Fraction, Fraction]


def between(points: Sequence[Fraction], grid: Fraction | None) -> list[Interval]:
    """The intervals from one point to the next; on a grid they begin one step later."""
    return [(one + (grid or 0), two) for one, two in pairwise(points)]


def points_of(program: Program, parts: int) -> list[Fraction]:
    """The shifts: so many parts of the largest difference of an input, as near as a grid allows."""
    reached = reachable(program)
    reading = [edge for edge in program.edges if edge.input and edge.source in reached]
    reach = max((edge.sensitivity for edge in reading), default=Fraction(1))
    step = reach / parts
    if (grid := program.noise.grid) is not None:
        unit = grid / program.noise.sensitivity
        step = ceil(step / unit) * unit
    below = [step * k for k in range(int(reach / step) + 1)]
    one_way = below if below[-1] == reach else [*below, reach]
    return [*(-point for point in reversed(one_way[1:])), *one_way]
