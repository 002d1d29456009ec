"""A program as cells: states among which a run can move for ever without changing the stored value.

Edges that do not assign only add to the values, x by x. Where such an edge lies on a cycle of its like, the
cycle can be repeated, and what costs anything at shift x then costs arbitrarily much. So all states of a cell
have the same values, those of what leaves the cell, with infinity at every shift x where some edge inside
costs anything (docs/theory_programs.md, *Cells*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prover.program.graph import Components, Leaving, strong_components
from prover.program.model import Program, outgoing
from prover.program.optimum.transfer import Arc, Scale, Values, arcs_of

ONE_DIFFER = "one-differ"
FINAL = -1
"""The node of final states."""


@dataclass(frozen=True, slots=True)
class Step:
    """An arc together with the node that it leads to."""

    arc: Arc
    target: int


@dataclass(frozen=True, slots=True)
class Node:
    """A cell, with adjacency one-differ before (layer 0) or after (layer 1) the inputs have differed.

    ``loops`` are the arcs that a run can repeat inside the cell and that cost something, ``moves`` the
    numbers of the edges between states of the cell, ``mask`` is infinite where some loop costs anything, else
    0. ``steps`` are all other arcs that leave states of the cell.
    """

    layer: int
    moves: frozenset[int]
    loops: tuple[Arc, ...]
    mask: Values
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Cells:
    """The reachable part of a program as a graph of nodes.

    ``at`` gives the nodes of every state, one for each layer. ``groups`` are the nodes that lead to each
    other, later groups first.
    """

    leaving: Leaving
    initial: str
    adjacency: str
    scale: Scale
    nodes: tuple[Node, ...]
    groups: tuple[tuple[int, ...], ...]
    at: Mapping[str, tuple[int, ...]]

    @property
    def start(self) -> int:
        """The node of the initial state while nothing has differed."""
        return self.at[self.initial][0]


def divide(program: Program, adjacency: str, scale: Scale, parts: Components) -> Cells:
    """The cells of a program; ``parts`` are its components."""
    leaving = outgoing(program)
    members: dict[int, list[str]] = {}
    for state, number in parts.number.items():
        members.setdefault(number, []).append(state)
    layers = (0, 1) if adjacency == ONE_DIFFER else (0,)
    cells: list[list[str]] = []
    groups: list[tuple[int, ...]] = []
    for number in sorted(members, reverse=True):
        found = _cells(members[number], leaving, parts)
        first = len(cells)
        cells += found
        own = range(first, len(cells))
        groups.extend(tuple(k * len(layers) + layer for k in own) for layer in reversed(layers))
    at = {
        state: tuple(k * len(layers) + layer for layer in layers)
        for k, states in enumerate(cells)
        for state in states
    }
    arcs = {edge.number: arcs_of(edge, adjacency, scale) for edge in parts.edges}
    nodes = tuple(_node(states, layer, leaving, arcs, at, scale) for states in cells for layer in layers)
    return Cells(leaving, program.initial, adjacency, scale, nodes, tuple(groups), at)


def _cells(states: Sequence[str], leaving: Leaving, parts: Components) -> list[list[str]]:
    """The states of a component, divided by who can reach whom without assigning."""
    staying = {s: tuple(e for e in leaving[s] if e.number in parts.inside and not e.assigns) for s in states}
    found = []
    for state in states:
        if state in staying:
            for cell in strong_components(staying, state):
                found.append(cell)
                for member in cell:
                    del staying[member]
    return found


def _node(
    states: Sequence[str],
    layer: int,
    leaving: Leaving,
    arcs: Mapping[int, tuple[Arc, ...]],
    at: Mapping[str, tuple[int, ...]],
    scale: Scale,
) -> Node:
    own = at[states[0]]
    one_differs = len(own) > 1
    moves = frozenset(
        edge.number
        for state in states
        for edge in leaving[state]
        if not edge.assigns and at.get(edge.target) == own
    )
    loops, steps = [], []
    for edge in (edge for state in states for edge in leaving[state]):
        for arc in arcs[edge.number]:
            if one_differs and layer and arc.delta:
                continue
            if edge.number in moves and not (one_differs and arc.delta):
                if any(arc.costs):
                    loops.append(arc)
                continue
            after = layer + (one_differs and arc.delta != 0)
            steps.append(Step(arc, at[edge.target][after] if edge.target in at else FINAL))
    mask = scale.capped(scale.cap * any(arc.costs[x] for arc in loops) for x in range(3))
    return Node(layer, moves, tuple(loops), mask, tuple(steps))
