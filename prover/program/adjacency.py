"""Adjacency: by how much two inputs that must not be told apart may differ."""

from __future__ import annotations

from enum import StrEnum

from prover.program.errors import unknown_adjacency


class Adjacency(StrEnum):
    """Which inputs are neighbours; no two numbers of theirs differ by more than 1.

    All inputs may differ, or one of them; all may increase; all may decrease; or all move the same way,
    either way (*monotonic*). Increasing and decreasing are not symmetric: what is bounded is what an input
    can lose to those that are larger, or to those that are smaller. Monotonic is symmetric, and its loss the
    larger of both.
    """

    ALL_DIFFER = "all-differ"
    ONE_DIFFER = "one-differ"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    MONOTONIC = "monotonic"

    @property
    def is_symmetric(self) -> bool:
        """Whether neighbours may be swapped, as in the definition of differential privacy."""
        return self not in ONE_WAY


ADJACENCIES = tuple(adjacency.value for adjacency in Adjacency)
"""The names of the adjacencies, the default first."""

ONE_WAY = (Adjacency.INCREASING, Adjacency.DECREASING)
"""The adjacencies that are not symmetric; together they make the monotonic one."""

POLYTOPES = ADJACENCIES[:-1]
"""The adjacencies whose differences are a convex set: all but the monotonic one, which is a union of two."""

_EXTREME_POINTS = {
    Adjacency.ALL_DIFFER: (-1, 1),
    Adjacency.ONE_DIFFER: (-1, 0, 1),
    Adjacency.INCREASING: (0, 1),
    Adjacency.DECREASING: (-1, 0),
    Adjacency.MONOTONIC: (-1, 0, 1),
}


def given_adjacency(name: str) -> Adjacency:
    """The adjacency of this name. Raises UnknownName."""
    if name not in ADJACENCIES:
        raise unknown_adjacency(name, ADJACENCIES)
    return Adjacency(name)


def extreme_points(adjacency: str, input: bool) -> tuple[int, ...]:
    """The differences Δ of one step that are extreme points of the adjacency's polytope, in increasing order.

    A step at a state without input has only Δ = 0. The loss is convex in Δ, so its maximum is at these. With
    ``one-differ`` at most one step of a run may have Δ ≠ 0, and with ``monotonic`` no two may have opposite
    signs: to keep to that is up to the caller. Raises UnknownName.

        >>> extreme_points("all-differ", True)
        (-1, 1)
    """
    points = _EXTREME_POINTS[given_adjacency(adjacency)]
    return points if input else (0,)
