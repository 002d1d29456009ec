"""Adjacency: by how much two inputs that must not be told apart may differ."""

from __future__ import annotations

from prover.program.errors import UnknownAdjacency

_CORNERS = {
    "all-differ": (-1, 1),
    "one-differ": (-1, 0, 1),
    "increasing": (0, 1),
    "decreasing": (-1, 0),
}

ADJACENCIES = tuple(_CORNERS)
"""The names of the adjacencies, the default first."""


def corners(adjacency: str, input: bool) -> tuple[int, ...]:
    """The differences Δ of one step that are corners of the adjacency's polytope, in increasing order.

    A step at a state without input has only Δ = 0. The loss is convex in Δ, so its maximum is at corners.
    With ``one-differ`` at most one step of a run may have Δ ≠ 0: to keep to that is up to the caller. Raises
    UnknownAdjacency.
    """
    if adjacency not in _CORNERS:
        raise UnknownAdjacency(adjacency, ADJACENCIES)
    return _CORNERS[adjacency] if input else (0,)
