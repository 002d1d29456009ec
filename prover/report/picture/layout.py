"""Where the nodes of a directed graph are drawn: in layers, from the top to the bottom.

The steps are those of Sugiyama, Tagawa and Toda, "Methods for Visual Understanding of Hierarchical System
Structures" (1981): arrows that close a cycle are turned round, every node gets a layer, long arrows a bend in
each layer between, layers are sorted by the medians of neighbours, and a linear program makes arrows as
straight as can be. What is written on an arrow is a node of a layer of its own, so it covers nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from prover.report.picture.svg import Position

GAP = 22.0
"""Between neighbours in a layer."""
BETWEEN = 36.0
"""Between two layers."""

_SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Extent:
    """The place that something takes around its centre."""

    left: float
    right: float
    up: float
    down: float

    @classmethod
    def of(cls, width: float, height: float) -> Extent:
        """A place that is as large on both sides."""
        return cls(width / 2, width / 2, height / 2, height / 2)


@dataclass(frozen=True, slots=True)
class Connection:
    """From one node to another one, by their numbers; ``label`` is the place of what is written on it."""

    source: int
    target: int
    label: Extent | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """Where an arrow goes: through the points, from the top down, or up if it is ``turned`` round."""

    points: tuple[Position, ...]
    label: Position | None
    turned: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The centres of the nodes, the routes of the arrows without their ends at nodes, and the whole size."""

    nodes: tuple[Position, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


@dataclass(slots=True)
class _Layers:
    """The nodes, and behind them labels and bends: their boxes, layers, and who is joined to whom below."""

    boxes: list[Extent]
    layer: list[int]
    joined: list[tuple[int, int, float]]

    def add(self, box: Extent, layer: int) -> int:
        self.boxes.append(box)
        self.layer.append(layer)
        return len(self.boxes) - 1


def layered(boxes: Sequence[Extent], arrows: Sequence[Connection], first: Sequence[int] = ()) -> Layout:
    """A layout of the nodes with these boxes; those that are ``first`` are on top, if nothing leads to them.

    Arrows from a node to itself are not among ``arrows``; their place is part of the node's box.
    """
    turned = _turned(len(boxes), arrows, first)
    down = [
        (a.target, a.source) if back else (a.source, a.target) for a, back in zip(arrows, turned, strict=True)
    ]
    layers = _Layers(list(boxes), _assigned(len(boxes), down), [])
    ways: list[tuple[list[int], int | None]] = []
    for arrow, (top, bottom) in zip(arrows, down, strict=True):
        ways.append(_way(layers, top, bottom, arrow.label))
    rows = _ordered(layers)
    across = _across(layers, rows)
    along = _along(layers, rows, across)
    left = min(x - box.left for x, box in zip(across, layers.boxes, strict=True))
    right = max(x + box.right for x, box in zip(across, layers.boxes, strict=True))
    positions = [(x - left, along[layer]) for x, layer in zip(across, layers.layer, strict=True)]
    last = max(layers.layer)
    height = along[last] + max(layers.boxes[node].down for node in rows[last])
    routes = [
        Route(tuple(positions[k] for k in bends), None if label is None else positions[label], back)
        for (bends, label), back in zip(ways, turned, strict=True)
    ]
    return Layout(tuple(positions[: len(boxes)]), tuple(routes), right - left, height)


def _turned(count: int, arrows: Sequence[Connection], first: Sequence[int]) -> list[bool]:
    """Which arrows lead back, on a walk in depth from the first nodes, to where the walk has come from."""
    leaving: list[list[int]] = [[] for _ in range(count)]
    for number, arrow in enumerate(arrows):
        leaving[arrow.source].append(number)
    back = [False] * len(arrows)
    state = [0] * count  # 1: on the way, 2: done
    for root in (*first, *range(count)):
        if state[root]:
            continue
        state[root] = 1
        stack = [(root, iter(leaving[root]))]
        while stack:
            node, numbers = stack[-1]
            for number in numbers:
                target = arrows[number].target
                back[number] = state[target] == 1
                if not state[target]:
                    state[target] = 1
                    stack.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return back


def _assigned(count: int, down: Sequence[tuple[int, int]]) -> list[int]:
    """Layers with even numbers: the longest way from the top; between them is room for labels."""
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(down)
    layer = [0] * count
    for node in nx.lexicographical_topological_sort(graph):
        layer[node] = max((layer[before] + 2 for before in graph.predecessors(node)), default=0)
    for node in range(count):  # what nothing leads to stands just above what it leads to
        if not graph.in_degree(node) and graph.out_degree(node):
            layer[node] = min(layer[after] for after in graph.successors(node)) - 2
    return layer


def _way(layers: _Layers, top: int, bottom: int, label: Extent | None) -> tuple[list[int], int | None]:
    """The bends of an arrow in the layers between its ends, one of them where its label is."""
    start, end = layers.layer[top], layers.layer[bottom]
    where = (start + end) // 2 | 1 if end - start > 2 else start + 1
    bends = [
        layers.add(label if label is not None and layer == where else Extent(3, 3, 0, 0), layer)
        for layer in range(start + 1, end)
    ]
    ways = [top, *bends, bottom]
    for index, (one, other) in enumerate(pairwise(ways)):
        inner = 0 < index < len(ways) - 2
        layers.joined.append((one, other, 4.0 if inner else 1.0))
    return bends, bends[where - start - 1] if label is not None else None


def _neighbours(layers: _Layers) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for one, other, _ in layers.joined:
        below.setdefault(one, []).append(other)
        above.setdefault(other, []).append(one)
    return above, below


def _ordered(layers: _Layers) -> list[list[int]]:
    """The nodes of each layer from the left to the right, with few crossings."""
    rows: list[list[int]] = [[] for _ in range(max(layers.layer) + 1)]
    for node, layer in enumerate(layers.layer):
        rows[layer].append(node)
    above, below = _neighbours(layers)
    _spread_out(rows, layers, below)
    best, fewest = [list(row) for row in rows], _crossings(rows, below)
    for sweep in range(_SWEEPS):
        downward = sweep % 2 == 0
        order = range(1, len(rows)) if downward else range(len(rows) - 2, -1, -1)
        for number in order:
            beside = rows[number - 1] if downward else rows[number + 1]
            index = {node: k for k, node in enumerate(beside)}
            near = above if downward else below
            here = {node: k for k, node in enumerate(rows[number])}
            rows[number].sort(key=lambda node: (_median(near.get(node, ()), index, here[node]), here[node]))
        crossings = _crossings(rows, below)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    return best


def _spread_out(rows: list[list[int]], layers: _Layers, below: Mapping[int, Sequence[int]]) -> None:
    """An order to begin with: that in which a walk from the top comes by."""
    met: dict[int, int] = {}
    waiting = [node for row in reversed(rows) for node in reversed(row)]
    while waiting:
        node = waiting.pop()
        if node not in met:
            met[node] = len(met)
            waiting.extend(sorted(below.get(node, ()), key=lambda k: (layers.layer[k], -k), reverse=True))
    for row in rows:
        row.sort(key=met.__getitem__)


def _median(near: Sequence[int], index: Mapping[int, int], here: int) -> float:
    """The middle of the indices of the neighbours; without any a node stays."""
    at = sorted(index[node] for node in near)
    if not at:
        return float(here)
    middle = len(at) // 2
    return float(at[middle]) if len(at) % 2 else (at[middle - 1] + at[middle]) / 2


def _crossings(rows: Sequence[Sequence[int]], below: Mapping[int, Sequence[int]]) -> int:
    crossings = 0
    for upper, lower in pairwise(rows):
        index = {node: k for k, node in enumerate(lower)}
        ends = [
            index[after] for node in upper for after in sorted(below.get(node, ()), key=index.__getitem__)
        ]
        crossings += sum(one > other for k, one in enumerate(ends) for other in ends[k + 1 :])
    return crossings


def _across(layers: _Layers, rows: Sequence[Sequence[int]]) -> list[float]:
    """Positions from the left to the right: the least sum of weighted slants with nothing on top of another.

    A linear program over the positions x and the slants e of joined nodes: minimise Σ w e with e ≥ ±(x − x').
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    nodes, joined = len(layers.boxes), layers.joined
    entries: list[tuple[int, int, float]] = []
    bounds: list[float] = []
    for row in rows:
        for one, other in pairwise(row):
            entries += [(len(bounds), one, 1.0), (len(bounds), other, -1.0)]
            bounds.append(-(layers.boxes[one].right + layers.boxes[other].left + GAP))
    for number, (one, other, _) in enumerate(joined):
        for sign in (1.0, -1.0):
            entries += [
                (len(bounds), one, sign),
                (len(bounds), other, -sign),
                (len(bounds), nodes + number, -1.0),
            ]
            bounds.append(0.0)
    if not bounds:
        return [0.0] * nodes
    at, columns, values = zip(*entries, strict=True)
    matrix = coo_array((values, (at, columns)), shape=(len(bounds), nodes + len(joined)))
    costs = [1e-4] * nodes + [weight for _, _, weight in joined]
    solution = linprog(costs, A_ub=matrix.tocsr(), b_ub=bounds, bounds=(0, None), method="highs-ds")
    return [round(float(x), 2) for x in solution.x[:nodes]]


def _along(layers: _Layers, rows: Sequence[Sequence[int]], across: Sequence[float]) -> list[float]:
    """How far down each layer is; farther where arrows go far to a side."""
    aside = [0.0] * (len(rows) + 1)
    for one, other, _ in layers.joined:
        below = layers.layer[other]
        aside[below] = max(aside[below], abs(across[one] - across[other]))
    positions: list[float] = []
    reached = 0.0
    for number, row in enumerate(rows):
        boxes = [layers.boxes[node] for node in row]
        up, down = max((box.up for box in boxes), default=0.0), max((box.down for box in boxes), default=0.0)
        gap = BETWEEN / 2 + min(BETWEEN, aside[number] / 10) if positions else 0.0
        positions.append(round(reached + gap + up, 2))
        reached += gap + up + down
    return positions
