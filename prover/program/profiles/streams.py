"""Loops in which inputs of every length lose everything, and those for which tables need a largest length.

Reference: docs/theory_profiles.md, Theorem 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import Literal, NamedTuple

from prover.errors import NotSupported, quoted
from prover.graphs import search, strong_components
from prover.program.adjacency import Adjacency
from prover.program.graph import components
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import INFINITE, NO_NOISE, Gaussian
from prover.program.outputs import seen_of

_DOES: Mapping[str, str] = MappingProxyType(
    {
        "returns": "compares an input with the stored value, runs come back to it after both outcomes, and "
        "the output shows how often each comes",
        "tail": "compares Gaussian noise around an input with the stored value, until one comparison has the "
        "other outcome, and the output shows when, on inputs far from the stored value",
        "sure": "compares an input with a constant, runs come back to it after an outcome that is certain on "
        "some inputs and not on others, and the output shows whether the other one comes",
        "shown": "outputs a number for an input, and runs come back to it",
    }
)


class Losing(NamedTuple):
    """A ``state`` by which δ is 1 at every α, over inputs of every length; and the case of Theorem 3."""

    state: str
    by: Literal["returns", "tail", "sure", "shown"]

    @property
    def does(self) -> str:
        """What the state does, for people."""
        return _DOES[self.by]


def losing_loop(program: Program, adjacency: Adjacency) -> Losing | None:
    """What makes δ = 1, if Theorem 3 finds a loop that does."""
    if adjacency == Adjacency.ONE_DIFFER:
        return None
    edges, parts = out_edges(program), components(program)
    inside = {state: [edge for edge in edges[state] if parts.holds(edge)] for state in parts.number}
    hidden = {name for edge in parts.edges for name in _hides(edge)}
    for state in search([program.initial], lambda name: _led(edges.get(name, ()))):
        by = _losing(edges[state], inside, state, hidden) if edges.get(state) else None
        if by is not None:
            return Losing(state, by)
    return None


def _losing(
    leaving: Sequence[Edge], inside: Mapping[str, Sequence[Edge]], state: str, hidden: Set[str]
) -> Literal["returns", "tail", "sure", "shown"] | None:
    """By which case a state loses everything; runs come back to it only by edges inside of components."""
    first = leaving[0]
    if not first.input:
        return None
    back = inside[state]
    if any(edge.discloses and _led([edge]) and state in _after(inside, edge.target) for edge in back):
        return "shown"
    kept = {name for _, name in first.bounds} & hidden
    back = [edge for edge in back if state in _after(inside, edge.target, kept)]
    letters = {seen_of(edge.outputs)[0] for edge in leaving} - {None}
    if not back or len(letters) < len(leaving) or any(edge.assigns or edge.gaps for edge in leaving):
        return None
    if len(back) == 2:
        return "returns"
    if isinstance(first.noise, Gaussian):
        return "tail"
    end = back[0].left if back[0].relation == ">=" else back[0].right
    return "sure" if not kept and end == INFINITE else None


def _hides(edge: Edge) -> Sequence[str]:
    """The variables in which a transition stores something that is not a constant."""
    return edge.assign if edge.input or edge.noise != NO_NOISE else ()


def _after(edges: Mapping[str, Sequence[Edge]], state: str, kept: Set[str] = frozenset()) -> Set[str]:
    """Where inputs lead runs from a state, without storing in these variables."""
    return {*search([state], lambda name: _led(edges.get(name, ()), kept))}


def _led(leaving: Sequence[Edge], kept: Set[str] = frozenset()) -> list[str]:
    """Where inputs lead runs in a step, as surely as one likes, without storing in these variables."""
    plain = [edge for edge in leaving if not edge.bounds or (edge.input and not edge.assigns)]
    return [edge.target for edge in plain if kept.isdisjoint(edge.assign)]


def demand_length(program: Program, adjacency: Adjacency) -> None:
    """Raises NotSupported where inputs of every length have no closed table: Gaussian noise around inputs,
    all of which may differ, is compared or output in a loop.
    """
    edges = out_edges(program)

    def following(state: str) -> list[str]:
        return [edge.target for edge in edges[state] if edge.target in edges]

    if adjacency == Adjacency.ONE_DIFFER:
        return
    for members in strong_components([program.initial], following):
        for state in sorted(members):
            cyclic = len(members) > 1 or state in following(state)
            if cyclic and any(_tells(edge) for edge in edges[state]):
                raise NotSupported(
                    f"state {quoted(state)} has Gaussian noise in a loop, and no table is closed for inputs "
                    "of every length; say how many numbers they have at most: --steps N, in Python steps=N",
                    code="no-length",
                )


def _tells(edge: Edge) -> bool:
    """Whether a transition tells something of an input by Gaussian noise."""
    first = isinstance(edge.noise, Gaussian) and (bool(edge.bounds) or edge.pinned)
    second = isinstance(edge.noise_prime, Gaussian) and edge.primed
    return edge.input and (first or second)
