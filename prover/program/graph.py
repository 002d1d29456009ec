"""The graph of a program: what is reachable, strongly connected components, and shortest routes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from prover import graphs
from prover.errors import Fault
from prover.program.model import Edge, Program, out_edges

OutEdges = Mapping[str, tuple[Edge, ...]]
"""The edges that leave each state, as ``out_edges`` gives them; final states have no entry."""


@dataclass(frozen=True, slots=True)
class Components:
    """The strongly connected components of the reachable part of a program.

    ``number`` gives every reachable state that is not final the number of its component, 0, 1, …, and no edge
    leads to a lower one. ``edges`` are those that leave reachable states, in order, and ``inside`` the
    numbers of those that stay in their component: exactly the edges on cycles.
    """

    number: Mapping[str, int]
    edges: tuple[Edge, ...]
    inside: frozenset[int]

    @property
    def members(self) -> list[list[str]]:
        """The states of component 0, of component 1, and so on."""
        found: list[list[str]] = [[] for _ in range(1 + max(self.number.values()))]
        for state, number in self.number.items():
            found[number].append(state)
        return found

    def holds(self, edge: Edge) -> bool:
        """Whether the edge is inside a component, that is, on a cycle."""
        return edge.number in self.inside


def components(program: Program) -> Components:
    """The components of what the initial state reaches, in time linear in the number of transitions."""
    leaving = out_edges(program)
    found = graphs.strong_components([program.initial], lambda state: targets(leaving, state))
    number = {state: k for k, members in enumerate(reversed(found)) for state in members}
    edges = tuple(edge for edge in program.edges if edge.source in number)
    inside = frozenset(edge.number for edge in edges if number.get(edge.target) == number[edge.source])
    return Components(dict(sorted(number.items())), edges, inside)


def targets(leaving: OutEdges, state: str) -> Iterator[str]:
    """The states that the edges of a state lead to, in order; final states are left out."""
    return (edge.target for edge in leaving[state] if edge.target in leaving)


def search(leaving: OutEdges, sources: Iterable[str], allowed: Callable[[Edge], bool]) -> Collection[str]:
    """The states that allowed edges lead to from the sources, breadth first; final states are left out."""
    steps = _allowed(leaving, allowed)
    return graphs.search(sources, lambda state: (target for target, _ in steps(state)))


def route(leaving: OutEdges, source: str, goal: str, allowed: Callable[[Edge], bool]) -> list[Edge]:
    """The edges of a shortest route by allowed edges; none if source is goal. Raises Fault if no route."""
    found = graphs.nearest_way([source], _allowed(leaving, allowed), {goal})
    if found is None:
        raise Fault(f"no route to state {goal!r}")
    return found[1]


def _allowed(leaving: OutEdges, allowed: Callable[[Edge], bool]) -> Callable[[str], list[tuple[str, Edge]]]:
    """The allowed edges that leave a state, each behind its target; those that end runs are left out."""
    return lambda state: [(e.target, e) for e in leaving.get(state, ()) if e.target in leaving and allowed(e)]
