"""The order graph as cells: nodes among which a run can move for ever without changing a live variable.

An arrow between nodes of a cell that changes no live variable can be repeated, and what costs anything at
some shifts of what is stored then costs arbitrarily much there. So all nodes of a cell have the same values,
those of the arrows that leave it, infinite wherever some arrow inside costs anything
(docs/theory_programs.md, *Cells*; docs/theory_variables.md, *The optimum*). What values are is up to a
``ValueKind``: numbers at all shifts of the only variable, or sparse functions of the shifts of several.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

from prover.program.adjacency import Adjacency
from prover.program.model import Edge
from prover.program.optimum.budget import Steps
from prover.program.optimum.transfer import Scale
from prover.program.order_graph import FINAL, Arrow, Order, OrderGraph
from prover.program.shifts import differences_of, layers_of


class ValueStep(Protocol):
    """An edge with the difference of its inputs, and what that does to values."""

    @property
    def edge(self) -> Edge:
        """The edge."""

    @property
    def delta(self) -> int:
        """The difference."""


V = TypeVar("V")  # what can still be lost
S = TypeVar("S", bound=ValueStep)
B = TypeVar("B")  # where the values of a cell are finite


@dataclass(frozen=True, slots=True)
class CellMove(Generic[S]):
    """A step from a node to a cell, or to FINAL."""

    step: S
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Cell(Generic[S, B]):
    """Nodes that share their values; with one-differ before (layer 0) or after the inputs have differed.

    ``loops`` are the steps inside that can be repeated; ``moves`` are the others that count. ``bound`` says
    where loops cost nothing.
    """

    nodes: tuple[int, ...]
    layer: int
    order: Order
    loops: tuple[CellMove[S], ...]
    moves: tuple[CellMove[S], ...]
    bound: B


class ValueKind(ABC, Generic[V, S, B]):
    """One kind of values, and what steps do to them; values dominate others if they are nowhere smaller."""

    scale: Scale

    @property
    @abstractmethod
    def nothing(self) -> V:
        """What a run that has ended can still lose."""

    @abstractmethod
    def step(self, edge: Edge, delta: int, /) -> S:
        """An edge with a difference of its inputs."""

    @abstractmethod
    def stays(self, graph: OrderGraph, arrow: Arrow, /) -> bool:
        """Whether an arrow leaves what values depend on as it is."""

    @abstractmethod
    def bound(self, loops: Sequence[S]) -> B:
        """Where no loop costs anything."""

    @abstractmethod
    def ended(self, cell: Cell[S, B]) -> V:
        """The value of a run that ends in a cell: 0, infinite where loops cost something."""

    @abstractmethod
    def carried(
        self,
        cell: Cell[S, B],
        move: CellMove[S],
        values: Sequence[V],
        steps: Steps,
        forwards: bool,
        /,
    ) -> list[V]:
        """What a move makes, in its cell, of each of the values at its other end. Raises Exhausted."""

    def telling(self, moves: Sequence[CellMove[S]], /) -> Sequence[CellMove[S]]:
        """The moves of a cell without some of which others make values that dominate theirs."""
        return moves

    @abstractmethod
    def maximal(self, cell: Cell[S, B], values: Sequence[V], steps: Steps, /) -> list[V]:
        """The values that no others dominate, in a fixed order. Raises Exhausted."""

    @abstractmethod
    def fewer(
        self, cell: Cell[S, B], values: list[V], most: int, above: bool, worth: Sequence[int] | None, /
    ) -> list[V]:
        """At most so many values: with ``above`` such as dominate all given ones, else some of them."""

    @abstractmethod
    def anything(self, graph: OrderGraph, cell: Cell[S, B], unshifted: int, /) -> V:
        """A value that dominates all that cost at most ``unshifted`` with shifts 0."""


@dataclass(frozen=True, slots=True)
class Cells(Generic[V, S, B]):
    """The cells of an order graph, and the groups of cells that lead to each other, later groups first.

    ``at`` gives the cells of every node, one for each layer.
    """

    graph: OrderGraph
    adjacency: str
    kind: ValueKind[V, S, B]
    cells: tuple[Cell[S, B], ...]
    groups: tuple[tuple[int, ...], ...]
    at: Sequence[tuple[int, ...]]

    @property
    def scale(self) -> Scale:
        """What numbers stand for."""
        return self.kind.scale

    @property
    def start(self) -> int:
        """The cell of the first node while nothing has differed."""
        return self.at[0][0]


def divide(graph: OrderGraph, adjacency: str, kind: ValueKind[V, S, B]) -> Cells[V, S, B]:
    """The cells of an order graph."""
    group_of = graph.components()
    layers = (0, 1) if adjacency == Adjacency.ONE_DIFFER else (0,)

    def stays(arrow: Arrow, layer: int) -> bool:
        """Whether the arrow stays in a layer, too: with registers not all of them do."""
        deltas = differences_of(arrow.edge, adjacency)
        return kind.stays(graph, arrow) and any(
            (layer, layer) in layers_of(arrow.edge, delta, adjacency) for delta in deltas
        )

    cell_of = [graph.components(partial(stays, layer=layer)) for layer in layers]
    members: dict[tuple[int, int, int], list[int]] = {}
    for node, group in enumerate(group_of):
        for layer in layers:
            members.setdefault((-group, cell_of[layer][node], layer), []).append(node)
    ordered = sorted(members)
    numbers = {key: number for number, key in enumerate(ordered)}
    groups: dict[tuple[int, int], list[int]] = {}
    for key, number in numbers.items():
        groups.setdefault((key[0], -key[2]), []).append(number)
    at = [
        tuple(numbers[-group, cell_of[layer][node], layer] for layer in layers)
        for node, group in enumerate(group_of)
    ]
    writer = _CellWriter(graph, adjacency, kind, at, {})
    return Cells(
        graph,
        adjacency,
        kind,
        tuple(writer.cell(members[key], key[2]) for key in ordered),
        tuple(tuple(groups[key]) for key in sorted(groups)),
        at,
    )


@dataclass(frozen=True, slots=True)
class _CellWriter(Generic[V, S, B]):
    """Makes the cells of nodes, of which ``at`` has the numbers; ``known`` are steps that were asked for."""

    graph: OrderGraph
    adjacency: str
    kind: ValueKind[V, S, B]
    at: Sequence[tuple[int, ...]]
    known: dict[tuple[int, int], S]

    def cell(self, nodes: Sequence[int], layer: int) -> Cell[S, B]:
        """The cell with these nodes in a layer."""
        own = set(nodes)
        loops: list[CellMove[S]] = []
        moves: list[CellMove[S]] = []
        for arrow in (arrow for node in nodes for arrow in self.graph.arrows[node]):
            inside = arrow.target in own and self.kind.stays(self.graph, arrow)
            for delta in differences_of(arrow.edge, self.adjacency):
                after = dict(layers_of(arrow.edge, delta, self.adjacency)).get(layer)
                if after is None:
                    continue
                step = self._step(arrow.edge, delta)
                if inside and after == layer:
                    loops.append(CellMove(step, arrow.source, self.at[arrow.source][layer]))
                else:
                    target = FINAL if arrow.target == FINAL else self.at[arrow.target][after]
                    moves.append(CellMove(step, arrow.source, target))
        bound = self.kind.bound([loop.step for loop in loops])
        order, telling = self.graph.orders[nodes[0]], self.kind.telling(moves)
        return Cell(tuple(nodes), layer, order, tuple(loops), tuple(telling), bound)

    def _step(self, edge: Edge, delta: int) -> S:
        if (edge.number, delta) not in self.known:
            self.known[edge.number, delta] = self.kind.step(edge, delta)
        return self.known[edge.number, delta]
