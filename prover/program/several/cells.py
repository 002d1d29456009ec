"""The order graph as cells: nodes among which a run can move for ever without changing a live variable.

Live variables only become fewer, and their order only richer, along arrows that assign no live variable; so
all nodes of a cell have the same of both. An arrow between nodes of a cell can be repeated: its tests then
allow only the shifts at which it costs nothing, whatever the differences, and the cell's *box* says which
these are. All nodes of a cell have the same functions, those of the arrows that leave it, infinite outside
the box (docs/theory_variables.md, *The optimum*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.model import Edge
from prover.program.optimum.transfer import SHIFTS, Scale, prime_units
from prover.program.several.functions import Box, Transfer
from prover.program.several.order_graph import FINAL, Arrow, Order, OrderGraph, above, below
from prover.program.shifts import cost


@dataclass(frozen=True, slots=True)
class Move:
    """An arrow with the difference of its inputs, and the cell that it leads to."""

    arrow: Arrow
    delta: int
    step: Transfer
    target: int


@dataclass(frozen=True, slots=True)
class Cell:
    """Nodes that share their functions; with one-differ before (layer 0) or after the inputs have differed.

    ``loops`` are the arrows inside, with the differences that can be repeated; ``moves`` are all others.
    """

    nodes: tuple[int, ...]
    layer: int
    order: Order
    box: Box
    loops: tuple[Move, ...]
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class OrderCells:
    """The cells, and the groups of cells that lead to each other, later groups first.

    ``at`` gives the cells of every node, one for each layer.
    """

    graph: OrderGraph
    scale: Scale
    cells: tuple[Cell, ...]
    groups: tuple[tuple[int, ...], ...]
    at: tuple[tuple[int, ...], ...]


def transfer_of(edge: Edge, delta: int, scale: Scale) -> Transfer:
    """An edge with a difference of its inputs, as a step of functions."""
    prime = abs(delta) * prime_units(edge, scale)
    own = [None if shift and edge.pinned else cost(edge, delta, shift) for shift in SHIFTS]
    costs = [None if number is None else scale.units(number) + prime for number in own]
    return Transfer(below(edge), above(edge), frozenset(edge.assign), (costs[0], costs[1], costs[2]))


def divide(graph: OrderGraph, adjacency: str, scale: Scale) -> OrderCells:
    """The cells of an order graph."""
    group_of = graph.components()
    cell_of = graph.components(graph.stays)
    layers = (0, 1) if adjacency == Adjacency.ONE_DIFFER else (0,)
    by_cell: dict[tuple[int, int], list[int]] = {}
    for node, (group, cell) in enumerate(zip(group_of, cell_of, strict=True)):
        by_cell.setdefault((group, cell), []).append(node)
    ordered = sorted(by_cell, key=lambda key: (-key[0], key[1]))
    at: list[tuple[int, ...]] = [()] * len(group_of)
    for place, key in enumerate(ordered):
        for node in by_cell[key]:
            at[node] = tuple(place * len(layers) + layer for layer in layers)
    cells = [_cell(graph, adjacency, scale, by_cell[key], layer, at) for key in ordered for layer in layers]
    groups: list[tuple[int, ...]] = []
    for group in sorted(set(group_of), reverse=True):
        places = [place for place, key in enumerate(ordered) if key[0] == group]
        groups.extend(tuple(place * len(layers) + layer for place in places) for layer in reversed(layers))
    return OrderCells(graph, scale, tuple(cells), tuple(groups), tuple(at))


def _cell(
    graph: OrderGraph,
    adjacency: str,
    scale: Scale,
    nodes: Sequence[int],
    layer: int,
    at: Sequence[tuple[int, ...]],
) -> Cell:
    own = set(nodes)
    one_differs = adjacency == Adjacency.ONE_DIFFER
    loops: list[Move] = []
    moves: list[Move] = []
    for arrow in (arrow for node in nodes for arrow in graph.arrows[node]):
        inside = arrow.target in own and graph.stays(arrow)
        for delta in extreme_points(adjacency, arrow.edge.input):
            if one_differs and layer and delta:
                continue
            step = transfer_of(arrow.edge, delta, scale)
            if inside and not (one_differs and delta):
                loops.append(Move(arrow, delta, step, at[arrow.source][layer]))
            else:
                after = layer + (one_differs and delta != 0)
                target = FINAL if arrow.target == FINAL else at[arrow.target][after]
                moves.append(Move(arrow, delta, step, target))
    return Cell(tuple(nodes), layer, graph.orders[nodes[0]], box_of(loops), tuple(loops), tuple(moves))


def box_of(loops: Sequence[Move]) -> Box:
    """The shifts at which every loop costs nothing."""
    ranges: dict[str, tuple[int, int]] = {}
    for move in loops:
        free = [shift for shift in SHIFTS if move.step.costs[shift + 1] == 0]
        if not free:
            return Box({}, empty=True)
        # One shift is free, the difference itself: rates are positive.
        for name in move.step.below:
            low, high = ranges.get(name, (-1, 1))
            ranges[name] = (low, min(high, free[0]))
        for name in move.step.above:
            low, high = ranges.get(name, (-1, 1))
            ranges[name] = (max(low, free[0]), high)
    if any(low > high for low, high in ranges.values()):
        return Box({}, empty=True)
    return Box(ranges)
