"""Shifts of what is stored, divided by the sensitivity, from which a table chooses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

from prover.errors import NotSupported
from prover.program.model import Edge, Program, out_edges, reachable, variables
from prover.program.order_graph import live_variables

ShiftRange = tuple[Fraction, Fraction]
Shifts = tuple[tuple[str, ShiftRange], ...]
"""Of some variables, in the order of their names."""
MOST_NODES = 120
MOST_CHOICES = 2_500


def keeps(leaving: Sequence[Edge]) -> bool:
    """Whether a transition with a guard stores or outputs the sample."""
    return any(edge.guard and (edge.assigns or edge.pinned) for edge in leaving)


def with_shift(shifts: Shifts, edge: Edge, own: ShiftRange) -> Shifts:
    """The shifts after a transition whose sample has this one."""
    return tuple(sorted((dict(shifts) | dict.fromkeys(edge.assign, own)).items()))


def parts_of(program: Program, most: int) -> int:
    """Into how many parts, ``most`` of them, differences may be cut so that a table has not too many nodes:
    one for each state and shift of each variable that is tested later; and not too many choices where
    samples are tested and kept. Raises NotSupported.
    """
    reached, least = reachable(program), _choices(program, 1)
    if least > MOST_CHOICES:
        raise NotSupported(
            "too many states store or output a sample that they also compare; bounds on delta are for up to "
            f"{MOST_CHOICES // 60} that read an input",
            code="too-many-shifts",
        )
    most = next(p for p in range(max(most, 1), 0, -1) if p == 1 or _choices(program, p) <= MOST_CHOICES)
    if len(variables(program)) < 2:
        return most
    live = live_variables(program)
    stored = [len(live[state]) for state in reached]
    for parts in range(max(most, 1), 0, -1):
        if sum((2 * parts + 1) ** count for count in stored) <= MOST_NODES:
            return parts
    raise NotSupported(
        f"the program stores {max(stored)} numbers at once, and a table has a function for each shift of "
        f"each of them; bounds on delta are for up to {MOST_NODES} of these",
        code="too-many-shifts",
    )


def _choices(program: Program, parts: int) -> int:
    """For states that test and keep samples: their nodes, times cells of differences, times segments."""
    leaving, reached = out_edges(program), reachable(program)
    reading = [leaving[state][0].input for state in reached if keeps(leaving[state])]
    return sum((4 * parts + 1) * (2 * parts if input else 1) * (4 * parts + 2) for input in reading)


def between(points: Sequence[Fraction], grid: Fraction | None) -> list[ShiftRange]:
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
