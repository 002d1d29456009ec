"""Adjacency: by how much two inputs that must not be told apart may differ."""

from __future__ import annotations

from enum import StrEnum

from prover.program.errors import UnknownAdjacency


class Adjacency(StrEnum):
    """Which inputs are neighbours; no two numbers of theirs differ by more than 1."""

    ALL_DIFFER = "all-differ"
    ONE_DIFFER = "one-differ"
    INCREASING = "increasing"
    DECREASING = "decreasing"


ADJACENCIES = tuple(adjacency.value for adjacency in Adjacency)
"""The names of the adjacencies, the default first."""

_EXTREME_POINTS = {
    Adjacency.ALL_DIFFER: (-1, 1),
    Adjacency.ONE_DIFFER: (-1, 0, 1),
    Adjacency.INCREASING: (0, 1),
    Adjacency.DECREASING: (-1, 0),
}


def given_adjacency(name: str) -> Adjacency:
    """The adjacency of this name. Raises UnknownAdjacency."""
    if name not in ADJACENCIES:
        raise UnknownAdjacency(name, ADJACENCIES)
    return Adjacency(name)


def extreme_points(adjacency: str, input: bool) -> tuple[int, ...]:
    """The differences Δ of one step that are extreme points of the adjacency's polytope, in increasing order.

    A step at a state without input has only Δ = 0. The loss is convex in Δ, so its maximum is at these. With
    ``one-differ`` at most one step of a run may have Δ ≠ 0: to keep to that is up to the caller. Raises
    UnknownAdjacency.

        >>> extreme_points("all-differ", True)
        (-1, 1)
    """
    points = _EXTREME_POINTS[given_adjacency(adjacency)]
    return points if input else (0,)
