"""The graph of a program: what is reachable, strongly connected components, and shortest routes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from prover.errors import Fault
from prover.program.model import Edge, Program, outgoing

Leaving = Mapping[str, tuple[Edge, ...]]
"""The edges that leave each state, as ``outgoing`` gives them; final states have no entry."""


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

    def holds(self, edge: Edge) -> bool:
        """Whether the edge is inside a component, that is, on a cycle."""
        return edge.number in self.inside


def components(program: Program) -> Components:
    """The components of what the initial state reaches, in time linear in the number of transitions."""
    leaving = outgoing(program)
    found = strong_components(leaving, program.initial)
    number = {state: k for k, members in enumerate(reversed(found)) for state in members}
    edges = tuple(edge for edge in program.edges if edge.source in number)
    inside = frozenset(edge.number for edge in edges if number.get(edge.target) == number[edge.source])
    return Components(dict(sorted(number.items())), edges, inside)


def strong_components(leaving: Leaving, initial: str) -> list[list[str]]:
    """Tarjan's algorithm without recursion; a component comes after those that it leads to."""
    found: list[list[str]] = []
    order = {initial: 0}
    low = {initial: 0}
    open_states = [initial]  # of components that are not complete yet
    is_open = {initial}
    visit = [(initial, iter(leaving[initial]))]
    while visit:
        state, rest = visit[-1]
        for edge in rest:
            target = edge.target
            if target in is_open:
                low[state] = min(low[state], order[target])
            elif target in leaving and target not in order:
                order[target] = low[target] = len(order)
                open_states.append(target)
                is_open.add(target)
                visit.append((target, iter(leaving[target])))
                break
        else:
            visit.pop()
            if visit:
                before = visit[-1][0]
                low[before] = min(low[before], low[state])
            if low[state] == order[state]:
                members = [open_states.pop()]
                while members[-1] != state:
                    members.append(open_states.pop())
                is_open.difference_update(members)
                found.append(members)
    return found


def search(
    leaving: Leaving, sources: Iterable[str], allowed: Callable[[Edge], bool]
) -> Mapping[str, Edge | None]:
    """The states that allowed edges lead to from the sources, each with the last edge of a shortest route.

    Sources have None. Breadth first, sources and edges in their order; final states are left out.
    """
    reached: dict[str, Edge | None] = {state: None for state in sources if state in leaving}
    waiting = deque(reached)
    while waiting:
        for edge in leaving[waiting.popleft()]:
            if edge.target in leaving and edge.target not in reached and allowed(edge):
                reached[edge.target] = edge
                waiting.append(edge.target)
    return reached


def trace(reached: Mapping[str, Edge | None], goal: str) -> list[Edge]:
    """The edges of the route to ``goal`` that ``search`` found, from its source on. Raises Fault if none."""
    if goal not in reached:
        raise Fault(f"no route to state {goal!r}")
    edges = []
    last = reached[goal]
    while last is not None:
        edges.append(last)
        last = reached[last.source]
    return edges[::-1]


def route(leaving: Leaving, source: str, goal: str, allowed: Callable[[Edge], bool]) -> list[Edge]:
    """The edges of a shortest route by allowed edges; none if source is goal. Raises Fault if no route."""
    return trace(search(leaving, [source], allowed), goal)


def turn(leaving: Leaving, components: Components, first: Edge) -> list[Edge]:
    """A shortest cycle that begins with an edge inside a component."""
    return [first, *route(leaving, first.target, first.source, components.holds)]
