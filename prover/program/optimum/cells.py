"""A program as cells: states among which a run can move for ever without changing the stored value.

Edges that do not assign only add to the values, x by x. Where such an edge lies on a cycle of its like, the
cycle can be repeated, and what costs anything at shift x then costs arbitrarily much. So all states of a cell
have the same values, those of what leaves the cell, with infinity at every shift x where some edge inside
costs anything (docs/theory_programs.md, *Cells*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prover.graphs import strong_components
from prover.program.adjacency import Adjacency
from prover.program.graph import Components, OutEdges
from prover.program.model import Program, out_edges
from prover.program.optimum.transfer import Arc, Scale, Values, arcs_of

FINAL = -1
"""The node of final states."""


@dataclass(frozen=True, slots=True)
class CellStep:
    """An arc together with the node that it leads to."""

    arc: Arc
    target: int


@dataclass(frozen=True, slots=True)
class CellNode:
    """A cell, with adjacency one-differ before (layer 0) or after (layer 1) the inputs have differed.

    ``loops`` are the arcs that a run can repeat inside the cell and that cost something, ``moves`` the
    numbers of the edges between states of the cell, ``mask`` is infinite where some loop costs anything, else
    0. ``steps`` are all other arcs that leave states of the cell.
    """

    layer: int
    moves: frozenset[int]
    loops: tuple[Arc, ...]
    mask: Values
    steps: tuple[CellStep, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """The reachable part of a program as a graph of nodes.

    ``at`` gives the nodes of every state, one for each layer. ``groups`` are the nodes that lead to each
    other, later groups first.
    """

    leaving: OutEdges
    initial: str
    adjacency: str
    scale: Scale
    nodes: tuple[CellNode, ...]
    groups: tuple[tuple[int, ...], ...]
    at: Mapping[str, tuple[int, ...]]

    @property
    def start(self) -> int:
        """The node of the initial state while nothing has differed."""
        return self.at[self.initial][0]


def divide(program: Program, adjacency: str, scale: Scale, parts: Components) -> Cells:
    """The cells of a program; ``parts`` are its components."""
    leaving = out_edges(program)
    layers = (0, 1) if adjacency == Adjacency.ONE_DIFFER else (0,)
    cells: list[list[str]] = []
    groups: list[tuple[int, ...]] = []
    for members in reversed(parts.members):
        found = _cells(members, leaving, parts)
        own = range(len(cells), len(cells) + len(found))
        cells += found
        groups.extend(tuple(k * len(layers) + layer for k in own) for layer in reversed(layers))
    at = {
        state: tuple(k * len(layers) + layer for layer in layers)
        for k, states in enumerate(cells)
        for state in states
    }
    arcs = {edge.number: arcs_of(edge, adjacency, scale) for edge in parts.edges}
    writer = _NodeWriter(leaving, arcs, at, scale)
    nodes = tuple(writer.node(states, layer) for states in cells for layer in layers)
    return Cells(leaving, program.initial, adjacency, scale, nodes, tuple(groups), at)


def _cells(states: Sequence[str], leaving: OutEdges, parts: Components) -> list[list[str]]:
    """The states of a component, divided by who can reach whom without assigning."""

    def staying(state: str) -> Iterator[str]:
        return (edge.target for edge in leaving[state] if parts.holds(edge) and not edge.assigns)

    return strong_components(states, staying)


@dataclass(frozen=True, slots=True)
class _NodeWriter:
    """Makes the nodes of cells, of which ``at`` has the numbers, from the arcs of all edges."""

    leaving: OutEdges
    arcs: Mapping[int, tuple[Arc, ...]]
    at: Mapping[str, tuple[int, ...]]
    scale: Scale

    def node(self, states: Sequence[str], layer: int) -> CellNode:
        """The node of the cell with these states in a layer."""
        own = self.at[states[0]]
        edges = [edge for state in states for edge in self.leaving[state]]
        moves = frozenset(e.number for e in edges if not e.assigns and self.at.get(e.target) == own)
        loops: list[Arc] = []
        steps: list[CellStep] = []
        for arc in (arc for edge in edges for arc in self.arcs[edge.number]):
            differs = len(own) > 1 and arc.delta != 0  # the only difference that one-differ allows
            if differs and layer:
                continue
            if differs or arc.edge.number not in moves:
                steps.append(self._step(arc, layer + differs))
            elif any(arc.costs):
                loops.append(arc)
        mask = self.scale.capped(
            self.scale.cap * any(arc.costs[x] for arc in loops) for x in range(len(self.scale.shifts))
        )
        return CellNode(layer, moves, tuple(loops), mask, tuple(steps))

    def _step(self, arc: Arc, layer: int) -> CellStep:
        target = self.at.get(arc.edge.target)
        return CellStep(arc, FINAL if target is None else target[layer])
