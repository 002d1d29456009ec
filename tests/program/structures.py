"""The four structures of a program that is not private: the readable form of the answer "no" (all-differ).

An L-cycle is a cycle with an edge of guard <, a G-cycle one with an edge of guard >=. A path is *rising* if
all its edges that assign have guard >=, and *falling* if all have guard <. The structures are

    leaking cycle             a strongly connected component with an edge that assigns and one with a guard;
    leaking pair              a rising path from an L-cycle to a G-cycle, or the mirror image;
    disclosing cycle          a cycle with an edge that reads an input and outputs insample or insampleprime;
    privacy violating path    a rising path, or the mirror image, that
                            (a) follows an edge that assigns and outputs insample, and ends in a G-cycle,
                            (b) begins with an edge of guard < that outputs insample, and ends in a G-cycle,
                            (c) begins in an L-cycle, and ends with an edge of guard >= that outputs insample.

The mirror image swaps < with >=, L with G, and rising with falling. Paths may be empty: a cycle with both
guards is a leaking pair. Everything here is a search in the graph, independent of the facts of ``decide``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prover.graphs import nearest_way
from prover.program.decision.boundedness import DISCLOSING_CYCLE, LEAKING_CYCLE, LEAKING_PAIR, VIOLATING_PATH
from prover.program.graph import Components, OutEdges, components, route
from prover.program.model import Edge, Program, Relation, out_edges
from prover.program.outputs import INSAMPLE, REAL_OUTPUTS


@dataclass(frozen=True, slots=True)
class Structure:
    """One of the four structures in a program: its states and the numbers of its edges, in order of a run.

    ``detail`` is the letter of a privacy violating path; ``mirror`` says that it is the mirror image.
    """

    name: str
    detail: str | None
    mirror: bool
    states: tuple[str, ...]
    edges: tuple[int, ...]

    def __str__(self) -> str:
        kind = f" ({self.detail})" if self.detail else ""
        return f"{self.name}{kind}{', mirror image' if self.mirror else ''}: {', '.join(self.states)}"


def structures(program: Program) -> tuple[Structure, ...]:
    """One structure of each kind that the reachable part of the program has; none if it is private.

    The order of the kinds is that of this file's heading, each before its mirror image.
    """
    return tuple(_found(components(program), out_edges(program)))


def _found(parts: Components, leaving: OutEdges) -> Iterator[Structure]:
    cyclic = [edge for edge in parts.edges if parts.holds(edge)]
    if edges := _leaking_cycle(cyclic, parts, leaving):
        yield _structure(LEAKING_CYCLE, None, False, edges)

    def joined(
        name: str, detail: str | None, mirror: bool, first: Iterable[Edge], last: Iterable[Edge]
    ) -> Iterator[Structure]:
        path = _path(leaving, first, last, "<" if mirror else ">=")
        if path:
            begin = turn(leaving, parts, path[0]) if detail in (None, "c") else []
            end = turn(leaving, parts, path[-1]) if detail in (None, "a", "b") else []
            yield _structure(name, detail, mirror, [*begin, *path, *end])

    for mirror, low, high in ((False, "<", ">="), (True, ">=", "<")):
        below = [edge for edge in cyclic if edge.relation == low]
        above = [edge for edge in cyclic if edge.relation == high]
        yield from joined(LEAKING_PAIR, None, mirror, below, above)
    if disclosing := next((edge for edge in cyclic if edge.input and edge.output in REAL_OUTPUTS), None):
        yield _structure(DISCLOSING_CYCLE, None, False, turn(leaving, parts, disclosing))
    outputs = [edge for edge in parts.edges if edge.output == INSAMPLE]
    for detail in "abc":
        for mirror, low, high in ((False, "<", ">="), (True, ">=", "<")):
            starts = {
                "a": [edge for edge in outputs if edge.assigns],
                "b": [edge for edge in outputs if edge.relation == low and not edge.assigns],
                "c": [edge for edge in cyclic if edge.relation == low],
            }[detail]
            stops = [edge for edge in (outputs if detail == "c" else cyclic) if edge.relation == high]
            yield from joined(VIOLATING_PATH, detail, mirror, starts, stops)


def _leaking_cycle(cyclic: list[Edge], parts: Components, leaving: OutEdges) -> list[Edge]:
    """A closed walk through an edge with a guard and an edge that assigns, if some component has both."""
    assigning = {parts.number[edge.source]: edge for edge in reversed(cyclic) if edge.assigns}
    for edge in cyclic:
        other = assigning.get(parts.number[edge.source])
        if edge.relation and other is not None:
            if edge.assigns:
                return turn(leaving, parts, edge)
            there = route(leaving, edge.target, other.source, parts.holds)
            return [edge, *there, other, *route(leaving, other.target, edge.source, parts.holds)]
    return []


def _path(leaving: OutEdges, first: Iterable[Edge], last: Iterable[Edge], relation: Relation) -> list[Edge]:
    """A path from one of the first edges to one of the last; those between assign only with ``relation``."""
    begins = {edge.target: edge for edge in first}

    def steps(state: str) -> list[tuple[str, Edge]]:
        quiet = (e for e in leaving.get(state, ()) if not e.assigns or e.relation == relation)
        return [(edge.target, edge) for edge in quiet if edge.target in leaving]

    for end in last:
        found = nearest_way(begins, steps, {end.source})
        if found is not None:
            start, between = found
            return [begins[start], *between, end]
    return []


def turn(leaving: OutEdges, parts: Components, first: Edge) -> list[Edge]:
    """A shortest cycle that begins with an edge inside a component."""
    return [first, *route(leaving, first.target, first.source, parts.holds)]


def _structure(name: str, detail: str | None, mirror: bool, edges: list[Edge]) -> Structure:
    states = dict.fromkeys(state for edge in edges for state in (edge.source, edge.target))
    numbers = dict.fromkeys(edge.number for edge in edges)
    return Structure(name, detail, mirror, tuple(states), tuple(numbers))
