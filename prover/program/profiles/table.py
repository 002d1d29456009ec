"""The search for a closed profile table, in floats: a convex function of α for each state and shift.

Reference: docs/theory_profiles.md, *Closed tables*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from prover.graphs import strong_components
from prover.program.adjacency import extreme_points
from prover.program.model import Edge, Program, out_edges, reachable
from prover.program.profiles.regions import Polygon, Regions

Interval = tuple[Fraction, Fraction]
Values = Any  # an array of numpy, a number for each knot

_STILL = (Fraction(0), Fraction(0))
_SURPLUS = 1e-7  # of each layer, in proportion
_ROOM = 1e-11  # of each layer
_MARGIN = 1e-12  # in proportion
_CLOSE = 1e-15


@dataclass(frozen=True, slots=True)
class Node:
    """A state, an interval of shifts of what is stored, and whether no input has differed so far."""

    state: str
    shifts: Interval
    open: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """How far inputs may differ at a step, and whether none has differed so far after it."""

    differences: Interval
    open: bool


@dataclass(frozen=True, slots=True)
class Anchor:
    """At a knot the shift of what is stored or, if ``offset``, how far it is from the difference."""

    knot: int
    offset: bool
    amount: Fraction


@dataclass(frozen=True, slots=True)
class Cell:
    """Differences up to ``until``, from where the cell before ends, and the anchors that bound their loss."""

    until: Fraction
    anchors: Sequence[Anchor]


@dataclass
class Table:
    """Values of functions at the knots, for each node, and the cells of nodes that draw."""

    program: Program
    adjacency: str
    regions: Regions
    knots: Values
    points: Sequence[Fraction]
    steps: Sequence[Interval]
    edges: Mapping[str, Sequence[Edge]] = field(init=False)
    values: dict[Node, Values] = field(init=False)
    cells: dict[Node, list[list[Cell]]] = field(init=False, default_factory=dict)
    margin: float = field(init=False, default=0.0)
    """What rounding may add to a sum, in proportion, while it is looked whether there is room for it."""

    def __post_init__(self) -> None:
        self.edges = out_edges(self.program)
        self.trivial = np.maximum(0.0, 1.0 - self.knots)
        self.values = {node: self.trivial.copy() for node in self._nodes()}

    def _nodes(self) -> Iterator[Node]:
        phases = (False, True) if self.adjacency == "one-differ" else (False,)
        exact = [(shift, shift) for shift in self.points]
        for state in sorted(reachable(self.program)):
            for phase in phases:
                if state == self.program.initial:
                    yield Node(state, _STILL, phase)
                if self._draws(state):
                    yield Node(state, self._everywhere, phase)
                else:
                    yield from (Node(state, shifts, phase) for shifts in (*exact, *self.steps))

    @property
    def _everywhere(self) -> Interval:
        return self.points[0], self.points[-1]

    def _draws(self, state: str) -> bool:
        """Whether the step from a state does not depend on what is stored."""
        first = self.edges[state][0]
        return first.assigns and not first.bounds and not first.pinned

    def ways(self, node: Node) -> list[Way]:
        """How inputs may differ at a node."""
        first = self.edges[node.state][0]
        if not first.input:
            return [Way(_STILL, node.open)]
        ends = [end * first.sensitivity for end in extreme_points(self.adjacency, True)]
        low, high = min(ends), max(ends)
        if self.adjacency != "one-differ":
            return [Way((low, high), node.open)]
        return [Way(_STILL, node.open), *([Way((low, high), False)] if node.open else [])]

    def close(self, rounds: int) -> None:
        """Iterate until nothing changes, the last states first. What does not settle in so many rounds, or
        leaves no room for rounding, is bounded by 1, and the rest iterated anew.
        """
        layers = self.layers()
        order = sorted(self.values, key=layers.__getitem__)
        refused = order
        while refused:
            refused = self._iterated(order, rounds) or self._tight(layers)
            for node in refused:
                self.values[node] = np.ones_like(self.trivial)

    def raised(self, layers: Mapping[Node, int]) -> dict[Node, Values]:
        """The values, larger by what rounding may take: in proportion, and by more before more layers."""
        return {
            node: values * (1 + _SURPLUS) ** (layers[node] + 1) + _ROOM * (layers[node] + 1)
            for node, values in self.values.items()
        }

    def _tight(self, layers: Mapping[Node, int]) -> list[Node]:
        """The nodes whose steps would be worth more than they promise once values are raised and rounded."""
        kept, self.values, self.margin = self.values, self.raised(layers), _MARGIN
        flat = [node for node, own in self.values.items() if own.min() == own.max()]  # 1 before it was raised
        tight = [
            node
            for node, own in self.values.items()
            if node not in flat and not np.all(self.step(node) <= own)
        ]
        self.values, self.margin = kept, 0.0
        return tight

    def _iterated(self, order: Sequence[Node], rounds: int) -> list[Node]:
        """The nodes whose values still change after so many rounds."""
        changed: list[Node] = []
        for _ in range(rounds):
            changed = []
            for node in order:
                before = self.values[node]
                self.values[node] = np.maximum(before, np.minimum(self.step(node), 1.0))
                if np.max(self.values[node] - before) > _CLOSE:
                    changed.append(node)
            if not changed:
                break
        return changed

    def layers(self) -> Mapping[Node, int]:
        """How many strong components a way from each node to the end has at most, its own left out; where one
        input may differ, a node whose input may still differ comes after those where one has.
        """
        depth: dict[str, int] = {}

        def following(state: str) -> list[str]:
            return [edge.target for edge in self.edges[state] if edge.target in self.edges]

        for members in strong_components([self.program.initial], following):
            after = [depth[t] + 1 for state in members for t in following(state) if t in depth]
            depth.update(dict.fromkeys(members, max(after, default=0)))
        height = 1 + max(depth.values())
        return {node: depth[node.state] + height * node.open for node in self.values}

    def target(self, edge: Edge, shifts: Interval, phase: bool) -> Values:
        """What is lost after a transition at most."""
        if edge.target not in self.edges:
            return self.trivial
        exact = self.values.get(Node(edge.target, shifts, phase))
        if exact is not None:
            return exact
        low, high = shifts
        around = [step for step in self.steps if step[0] <= low and high <= step[1]]
        wide = Node(edge.target, around[0] if around else self._everywhere, phase)
        return self.values[wide if wide in self.values else Node(edge.target, self._everywhere, phase)]

    def after(self, edge: Edge, shifts: Interval, way: Way) -> Values:
        """The same, insampleprime being output or not."""
        found = self.target(edge, shifts, way.open)
        farthest = max(map(abs, way.differences))
        if not edge.primed or farthest == 0 or edge.rate_prime is None:
            return found
        return self.mixed(found, self.regions.polygon(edge.rate_prime, edge.rate_prime, farthest))

    def mixed(self, values: Values, polygon: Polygon) -> Values:
        """⟨p, p′; D⟩ for atoms that are the sides of a polygon."""
        if not polygon.corners:
            return values
        found = sum(p * self._at(values, self.knots * (q / p)) for p, q in polygon.atoms)
        return found * (1 + self.margin)

    def _at(self, values: Values, positions: Values) -> Values:
        return np.interp(positions, self.knots, values)

    def step(self, node: Node) -> Values:
        """What the steps from a node lose at most."""
        leaving = self.edges[node.state]
        first = leaving[0]
        if first.bounds:
            return np.max([self._tested(node, leaving, way) for way in self.ways(node)], axis=0)
        if first.pinned:
            return np.max([self._shown(node, first, way) for way in self.ways(node)], axis=0)
        if not first.assigns:
            return np.max([self.after(first, node.shifts, way) for way in self.ways(node)], axis=0)
        drawn = [self._drawn(first, way) for way in self.ways(node)]
        self.cells[node] = [cells for _, cells in drawn]
        return np.max([values for values, _ in drawn], axis=0)

    def _tested(self, node: Node, leaving: Sequence[Edge], way: Way) -> Values:
        outcome = {edge.relation: self.after(edge, node.shifts, way) for edge in leaving}
        below, above = (outcome.get(relation, self.trivial) for relation in ("<", ">="))
        first = leaving[0]
        ends = {node.shifts[0] - way.differences[1], node.shifts[1] - way.differences[0]}
        corners = [c for s in ends for c in self.regions.polygon(first.left, first.right, s).corners]
        worth = np.maximum(below, above)
        for p, q, not_p, not_q in corners:
            here = p * self._at(above, self.knots * (q / p)) if p > 0 else 0.0
            rest = not_p * self._at(below, self.knots * (not_q / not_p)) if not_p > 0 else 0.0
            worth = np.maximum(worth, (here + rest) * (1 + self.margin))
        return worth

    def _shown(self, node: Node, edge: Edge, way: Way) -> Values:
        found = self.after(edge, _STILL if edge.assigns else node.shifts, way)
        noise = [self.regions.polygon(edge.left, edge.right, -end) for end in way.differences]
        return np.max([self.mixed(found, polygon) for polygon in noise], axis=0)

    def _drawn(self, edge: Edge, way: Way) -> tuple[Values, list[Cell]]:
        """The cells of differences, each with the best anchors."""
        found, cells = [], []
        for low, high in self._cells(way):
            options = []
            for shift in self.points:
                after = self.after(edge, (shift, shift), way)
                ends = {shift - low, shift - high}
                sums = [self.mixed(after, self.regions.polygon(edge.left, edge.right, end)) for end in ends]
                options.append((False, shift, np.max(sums, axis=0)))
            if low < high:
                options.append((True, Fraction(0), self.after(edge, (low, high), way)))
            least = np.min([values for _, _, values in options], axis=0)
            best = np.argmin([values for _, _, values in options], axis=0)
            least[0] = 1.0
            corners = _hull(self.knots, least)
            anchors = [Anchor(k, options[best[k]][0], options[best[k]][1]) for k in corners[1:]]
            cells.append(Cell(high, anchors))
            chords = np.interp(self.knots, self.knots[corners], least[corners]) * (1 + self.margin)
            chords[corners] = least[corners]
            found.append(chords)
        return np.max(found, axis=0), cells

    def _cells(self, way: Way) -> list[Interval]:
        low, high = way.differences
        if low == high:
            return [way.differences]
        inner = [point for point in self.points if low < point < high]
        return list(pairwise([low, *inner, high]))


def _hull(knots: Values, values: Values) -> list[int]:
    """The corners of the largest convex function below the values."""
    corners: list[int] = []
    for k in range(len(knots)):
        while len(corners) > 1:
            a, b = corners[-2], corners[-1]
            if (values[b] - values[a]) * (knots[k] - knots[a]) < (values[k] - values[a]) * (
                knots[b] - knots[a]
            ):
                break
            corners.pop()
        corners.append(k)
    while len(corners) > 2 and values[corners[-1]] >= values[corners[-2]]:
        corners.pop()
    return corners
