"""Gaussian noise in loops: inputs of every length lose everything, or tables need a largest length.

Reference: docs/theory_profiles.md, Theorem 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from prover.errors import NotSupported, quoted
from prover.graphs import strong_components
from prover.program.adjacency import Adjacency
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian
from prover.program.outputs import seen_of


def losing_loop(program: Program, adjacency: Adjacency) -> str | None:
    """A state by which δ is 1 at every α, over inputs of every length, if Theorem 3 finds one.

    Every run comes to it with a number stored. It compares Gaussian noise around an input with that number,
    until one comparison has the other outcome; the letters that are output show when that is.
    """
    if adjacency == Adjacency.ONE_DIFFER:
        return None
    edges = out_edges(program)
    *_, state = _plain_way(program, program.initial)
    leaving = edges.get(state, ())
    if {edge.relation for edge in leaving} != {"<", ">="} or len(leaving) != 2:
        return None
    first = leaving[0]
    letters = {seen_of(edge.outputs)[0] for edge in leaving}
    if not first.input or not isinstance(first.noise, Gaussian) or len(letters - {None}) != 2:
        return None
    if any(edge.assign or edge.gaps for edge in leaving):
        return None
    for edge in leaving:
        way = list(_plain_way(program, edge.target))
        if state == way[-1] and not any(edges[name][0].assign for name in way[:-1]):
            return state
    return None


def _plain_way(program: Program, state: str) -> Iterator[str]:
    """From a state on, the states that every run comes to, up to the first that is final or has a guard."""
    edges, seen = out_edges(program), set()
    while state not in seen:
        yield state
        seen.add(state)
        leaving = edges.get(state, ())
        if len(leaving) != 1 or leaving[0].bounds:
            return
        state = leaving[0].target


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
