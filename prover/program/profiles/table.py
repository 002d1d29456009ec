"""The search for a closed profile table, in floats: a convex function of α for each state and shift.

Reference: docs/theory_profiles.md, *Closed tables*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from prover.graphs import search, strong_components
from prover.program.adjacency import extreme_points
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian
from prover.program.order_graph import live_variables
from prover.program.profiles.entries import Anchor, CurveCell, CurveNode, Move, Way
from prover.program.profiles.guarded import KnotValues, Line, ValuedMove, best_pair, cuts_of
from prover.program.profiles.regions import Polygon, Regions
from prover.program.profiles.rounding import KNOT, VALUE, as_floats, convex_above
from prover.program.profiles.shifts import ShiftRange, Shifts, between, keeps, with_shift

_STILL, _FREE = (Fraction(0), Fraction(0)), (Fraction(0),)
_NONE = Move(False, Fraction(0))
_SURPLUS = 1e-7  # of each layer, in proportion
_ROOM = 1e-11  # of each layer
_MARGIN = 1e-13  # in proportion
_ONCE = 0.01  # of a layer: a component without a cycle, where only rounding needs room
_TRIES = 5  # steps with values that are rounded
_SPARSE = 4  # of so many knots one may be an anchor where samples are tested and kept
_CLOSE = 1e-15
_TIE = 1e-12  # a shift that costs something has to be better by this


@dataclass
class ProfileTable:
    """Values of functions at the knots, for each node, and the cells of nodes that draw."""

    program: Program
    adjacency: str
    regions: Regions
    numerators: Sequence[int]
    """Of the knots, over KNOT."""
    points: Sequence[Fraction]
    steps: Sequence[ShiftRange]
    inputs: int | None = None
    """How many are read at most."""
    knots: KnotValues = field(init=False)
    places: KnotValues = field(init=False)
    """The knots that are anchors of steps that test and keep."""
    edges: Mapping[str, Sequence[Edge]] = field(init=False)
    live: Mapping[str, frozenset[str]] = field(init=False)
    components: Sequence[Sequence[CurveNode]] = field(init=False)
    """Nodes that lead to each other, after those that they lead to."""
    again: Set[CurveNode] = field(init=False)
    """Nodes that lead to themselves."""
    layers: Mapping[CurveNode, float] = field(init=False)
    """How many components a way from each node to the end has at most; those without a cycle count little."""
    free: set[CurveNode] = field(init=False, default_factory=set)
    """Those of them that draw and choose only shifts that cost nothing."""
    values: dict[CurveNode, KnotValues] = field(init=False)
    cells: dict[CurveNode, list[list[CurveCell]]] = field(init=False, default_factory=dict)
    written: dict[CurveNode, list[int]] = field(init=False, default_factory=dict)
    """The values, larger by what rounding may take, as numerators over VALUE."""
    lines: dict[str, Line] = field(init=False, default_factory=dict)
    """Of the noise of states that test and store, or output the sample."""
    moves: dict[ShiftRange, list[tuple[Move, ShiftRange, tuple[Fraction, ...]]]] = field(
        init=False, default_factory=dict
    )
    """Of samples, in cells of differences."""
    margin: float = field(init=False, default=0.0)
    """What rounding may add to a sum, in proportion, while it is looked whether there is room for it."""

    def __post_init__(self) -> None:
        self.edges, self.live = out_edges(self.program), live_variables(self.program)
        self.knots = as_floats(self.numerators, KNOT)
        kept = (k for k, knot in enumerate(self.numerators) if k % _SPARSE == 0 or knot == KNOT)
        self.places = np.array(list(kept))
        self.trivial = np.maximum(0.0, 1.0 - self.knots)
        self.components = strong_components([self.start], self.following)
        self.again = self._cyclic(self.components)
        self.layers = self._layers(self.components)
        self.values = {node: self._first(node) for node in self.layers}

    @property
    def start(self) -> CurveNode:
        """The node of the initial state."""
        return CurveNode(self.program.initial, (), self.adjacency == "one-differ", self.inputs)

    def _draws(self, state: str) -> bool:
        """Whether the step from a state does not depend on what is stored."""
        first = self.edges[state][0]
        return first.assigns and not first.bounds and not first.pinned

    def ways(self, node: CurveNode) -> list[Way]:
        """How inputs may differ at a node."""
        first = self.edges[node.state][0]
        left = node.left if node.left is None else node.left - first.input
        if not first.input:
            return [Way(_STILL, node.open, left)]
        ends = [end * first.sensitivity for end in extreme_points(self.adjacency, True)]
        low, high = min(ends), max(ends)
        if self.adjacency != "one-differ":
            return [Way((low, high), node.open, left)]
        return [Way(_STILL, node.open, left), *([Way((low, high), False, left)] if node.open else [])]

    def following(self, node: CurveNode) -> list[CurveNode]:
        """The nodes that the step from a node may lead to, or does, once its cells are chosen."""
        found = []
        for number, way in enumerate(self.ways(node)):
            for edge in self.edges[node.state]:
                found += [self.target(edge, shifts, way) for shifts in self._kept(node, number, way, edge)]
        return [target for target in found if target is not None]

    def _kept(self, node: CurveNode, number: int, way: Way, edge: Edge) -> list[Shifts]:
        """The shifts after a transition from a node."""
        if not edge.assigns:
            return [node.shifts]
        chosen = [_STILL] if edge.pinned else self._chosen(node, number, way, int(edge.relation == ">="))
        return [with_shift(node.shifts, edge, own) for own in chosen]

    def _chosen(self, node: CurveNode, number: int, way: Way, place: int) -> list[ShiftRange]:
        """The shifts that a draw may choose, or does, for the moves at this place of its anchors."""
        if node not in self.cells:
            return [*((shift, shift) for shift in self.points), *self._cells(way)]
        low, found = way.differences[0], []
        for cell in self.cells[node][number]:
            moves = {id(anchor.moves[place]): anchor.moves[place] for anchor in cell.anchors}
            found += [move.kept((low, cell.until)) for move in moves.values()]
            low = cell.until + (self.regions.grid or 0)
        return found

    def used(self) -> list[CurveNode]:
        """The nodes that the start leads to by the cells that are chosen, narrow ones first."""
        found = search([self.start], self.following)
        return sorted(
            found, key=lambda node: (node.state, _width(node), node.shifts, node.open, node.left or 0)
        )

    def functions(self) -> dict[CurveNode, Sequence[int]]:
        """The values of the nodes that are used, as certificates hold them."""
        return {node: self.written[node] for node in self.used()}

    def close(self, rounds: int) -> None:
        """Iterate until nothing changes, the last states first. Where something does not settle in so many
        rounds, or leaves no room for rounding, draws that come again have to be free; if they are, it is
        bounded by 1. Then the rest is iterated anew.
        """
        while refused := self._iterated(rounds) or self._tight():
            costly = {node for node in refused if node in self.again and self._draws(node.state)} - self.free
            self.free |= costly
            for node in self.values if costly else refused:
                self.values[node] = self._first(node) if costly else np.ones_like(self.trivial)

    def _first(self, node: CurveNode) -> KnotValues:
        """What is lost at least: everything in a loop of tests with Gaussian noise, as no line of its regions
        goes through (0, 0).
        """
        first = self.edges[node.state][0]
        if node in self.again and first.bounds and isinstance(first.noise, Gaussian):
            least, most = dict(node.shifts)[first.bounds[0][1]]
            staying = [way.differences for way in self.ways(node) if way.open == node.open]
            if any(least != high or most != low for low, high in staying):
                return np.ones_like(self.trivial)
        return self.trivial.copy()

    def _tight(self) -> list[CurveNode]:
        """The nodes whose steps would be worth more than they promise once values are raised, in proportion
        and by more before more layers, rounded, and made convex; also after some more steps.
        """
        self.layers, kept = self._chosen_layers(), self.values
        flat = {node for node, own in kept.items() if own.min() == own.max()}
        for node, layer in self.layers.items():
            self._write(node, kept[node] * (1 + _SURPLUS) ** layer + _ROOM * layer)
        self.margin = _MARGIN
        tight = list[CurveNode]()
        self.values = {node: as_floats(own, VALUE) for node, own in self.written.items()}
        changed = kept.keys() - flat
        for _ in range(_TRIES):
            worth = {node: self.step(node) for node in kept if node in changed}
            tight = [node for node, own in worth.items() if not np.all(own <= self.values[node])]
            if not tight:
                break
            for node in tight:
                self._write(node, np.maximum(worth[node], self.values[node]))
                self.values[node] = as_floats(self.written[node], VALUE)
            changed = {node for node in kept.keys() - flat if not {*tight}.isdisjoint(self.following(node))}
        self.values, self.margin = kept, 0.0
        return tight

    def _write(self, node: CurveNode, values: KnotValues) -> None:
        self.written[node] = convex_above(self.numerators, values)

    def _iterated(self, rounds: int) -> list[CurveNode]:
        """The nodes whose values still change after so many rounds."""
        return [node for members in self.components for node in self._settled(members, rounds)]

    def _settled(self, members: Sequence[CurveNode], rounds: int) -> list[CurveNode]:
        changed: list[CurveNode] = []
        for _ in range(rounds):
            changed = []
            for node in members:
                before = self.values[node]
                self.values[node] = np.maximum(before, np.minimum(self.step(node), 1.0))
                if np.max(self.values[node] - before) > _CLOSE:
                    changed.append(node)
            if not changed or members[0] not in self.again:
                return []
        return changed

    def _cyclic(self, components: Sequence[Sequence[CurveNode]]) -> Set[CurveNode]:
        cyclic = (own for own in components if len(own) > 1 or own[0] in self.following(own[0]))
        return {node for own in cyclic for node in own}

    def _layers(self, components: Sequence[Sequence[CurveNode]]) -> Mapping[CurveNode, float]:
        depth: dict[CurveNode, float] = {}
        again = self._cyclic(components)
        for members in components:
            after = [depth[t] for node in members for t in self.following(node) if t in depth]
            own = 1.0 if members[0] in again else _ONCE
            depth.update(dict.fromkeys(members, max(after, default=0.0) + own))
        return depth

    def _chosen_layers(self) -> Mapping[CurveNode, float]:
        """The layers by the cells that are chosen; what none of them leads to comes before all others."""
        chosen = self._layers(strong_components([self.start], self.following))
        return {**dict.fromkeys(self.values, max(chosen.values()) + 1.0), **chosen}

    def target(self, edge: Edge, shifts: Shifts, way: Way) -> CurveNode | None:
        """The node after a transition; None where a run ends, or has no more inputs."""
        if edge.target not in self.edges or (way.left == 0 and self.edges[edge.target][0].input):
            return None
        live = self.live[edge.target]
        kept = tuple((name, self._widened(own)) for name, own in shifts if name in live)
        return CurveNode(edge.target, kept, way.open, way.left)

    def _widened(self, shifts: ShiftRange) -> ShiftRange:
        low, high = shifts
        if low == high:
            return shifts
        return next(step for step in self.steps if step[0] <= low and high <= step[1])

    def after(self, edge: Edge, shifts: Shifts, way: Way) -> KnotValues:
        """The same, insampleprime being output or not."""
        target = self.target(edge, shifts, way)
        found = self.trivial if target is None else self.values[target]
        farthest = max(map(abs, way.differences))
        second = edge.noise_prime
        if not edge.primed or farthest == 0 or second is None:
            return found
        shape = (second, second) if isinstance(second, Fraction) else second
        return self.mixed(found, self.regions.polygon(shape, farthest))

    def mixed(self, values: KnotValues, polygon: Polygon) -> KnotValues:
        """⟨p, p′; D⟩ for atoms that are the sides of a polygon."""
        if len(polygon.vertices) == 2:
            return values
        found = sum(p * self._at(values, self.knots * (q / p)) for p, q in polygon.atoms)
        return found * (1 + self.margin)

    def _at(self, values: KnotValues, positions: KnotValues) -> KnotValues:
        return np.interp(positions, self.knots, values)

    def step(self, node: CurveNode) -> KnotValues:
        """What the steps from a node lose at most."""
        leaving = self.edges[node.state]
        first = leaving[0]
        if first.bounds and not keeps(leaving):
            return np.max([self._tested(node, leaving, way) for way in self.ways(node)], axis=0)
        if first.pinned and not first.bounds:
            return np.max([self._shown(node, first, way) for way in self.ways(node)], axis=0)
        if not first.assigns and not first.bounds:
            return np.max([self.after(first, node.shifts, way) for way in self.ways(node)], axis=0)
        drawn = [self._drawn(node, leaving, way) for way in self.ways(node)]
        self.cells[node] = [cells for _, cells in drawn]
        return np.max([values for values, _ in drawn], axis=0)

    def _tested(self, node: CurveNode, leaving: Sequence[Edge], way: Way) -> KnotValues:
        outcome = {edge.relation: self.after(edge, node.shifts, way) for edge in leaving}
        below, above = (outcome.get(relation, self.trivial) for relation in ("<", ">="))
        first = leaving[0]
        low, high = dict(node.shifts)[first.bounds[0][1]]
        ends = {low - way.differences[1], high - way.differences[0]}
        worth = np.maximum(below, above)
        for polygon in [self.regions.polygon(first.noise, s) for s in ends]:
            p, ratio, not_p, not_ratio = polygon.corners
            here, rest = (
                p * self._at(above, self.knots * ratio),
                not_p * self._at(below, self.knots * not_ratio),
            )
            worth = np.maximum(worth, np.max((here + rest) * (1 + self.margin), axis=0, initial=0.0))
        return worth

    def _shown(self, node: CurveNode, edge: Edge, way: Way) -> KnotValues:
        found = self.after(edge, with_shift(node.shifts, edge, _STILL), way)
        noise = [self.regions.polygon(edge.noise, -end) for end in way.differences]
        return np.max([self.mixed(found, polygon) for polygon in noise], axis=0)

    def _drawn(
        self, node: CurveNode, leaving: Sequence[Edge], way: Way
    ) -> tuple[KnotValues, list[CurveCell]]:
        """The cells of differences, each with the best anchors; at all knots if the node comes again, as
        chords leave no room for rounding.
        """
        found, cells = [], []
        guarded = bool(leaving[0].bounds)
        places = self.places if guarded else np.arange(len(self.knots))
        for cell in self._cells(way):
            moves, least = (self._guarded if guarded else self._plain)(node, leaving, way, cell)
            least[0] = 1.0
            hull = range(len(least)) if node in self.again else _hull(self.knots[places], least)
            corners = places[list(hull)]
            cells.append(CurveCell(cell[1], [Anchor(int(places[k]), moves[k]) for k in hull[1:]]))
            chords = np.interp(self.knots, self.knots[corners], least[list(hull)]) * (1 + self.margin)
            chords[corners] = least[list(hull)]
            found.append(chords)
        return np.max(found, axis=0), cells

    def _plain(
        self, node: CurveNode, leaving: Sequence[Edge], way: Way, cell: ShiftRange
    ) -> tuple[list[list[Move]], KnotValues]:
        """At each knot the best move of a sample that is stored and not tested, and what it costs; of those
        that cost nothing, if they have to be free."""
        edge, options = leaving[0], []
        for move, kept, ends in self._moves(cell):
            if node in self.free and ends != _FREE:
                continue
            after = self.after(edge, with_shift(node.shifts, edge, kept), way)
            sums = [self.mixed(after, self.regions.polygon(edge.noise, end)) for end in ends]
            options.append((move, np.max(sums, axis=0), ends != _FREE))
        every = np.array([values for _, values, _ in options])
        costly = np.array([own for *_, own in options])
        best = np.argmin(every + _TIE * costly[:, None], axis=0)
        return [[options[k][0]] for k in best], np.take_along_axis(every, best[None], axis=0)[0]

    def _guarded(
        self, node: CurveNode, leaving: Sequence[Edge], way: Way, cell: ShiftRange
    ) -> tuple[list[list[Move]], KnotValues]:
        """The same for a sample that is tested, and stored or output."""
        first, edges = leaving[0], {edge.relation: edge for edge in leaving}
        low, high = dict(node.shifts)[first.bounds[0][1]]
        line = self.lines.get(first.source)
        if line is None:
            cuts = cuts_of(first, self.regions, self.points)
            line = self.lines[first.source] = Line(self.regions, first.noise, cuts, self.knots, self.places)
        sides: list[list[ValuedMove]] = []
        for relation in ("<", ">="):
            edge, options = edges.get(relation), list[ValuedMove]()
            shown = edge is not None and edge.pinned
            for move, kept, ends in self._moves(cell):
                legal = kept[1] <= low if relation == "<" else kept[0] >= high
                if move != _NONE if shown else not legal:
                    continue
                after = self.trivial
                if edge is not None:
                    after = self.after(edge, with_shift(node.shifts, edge, kept), way)
                options.append((move, line.worth(after, ends if legal else (), 1 + self.margin)))
            sides.append(options)
        return best_pair(sides[0], sides[1])

    def _moves(self, cell: ShiftRange) -> list[tuple[Move, ShiftRange, tuple[Fraction, ...]]]:
        """Of a sample: the shifts, and that by the difference; between which numbers it moves then, and the
        least and the greatest shift of its noise."""
        if cell not in self.moves:
            offsets = [Move(True, Fraction(0))] if cell[0] < cell[1] else []
            moves = [*(Move(False, shift) for shift in self.points), *offsets]
            self.moves[cell] = [(own, own.kept(cell), own.shifts(cell)) for own in moves]
        return self.moves[cell]

    def _cells(self, way: Way) -> list[ShiftRange]:
        low, high = way.differences
        if low == high:
            return [way.differences]
        inner = [point for point in self.points if low < point < high]
        first = [] if self.regions.grid is None else [(low, low)]
        return [*first, *between([low, *inner, high], self.regions.grid)]


def _width(node: CurveNode) -> Fraction:
    return sum((high - low for _, (low, high) in node.shifts), Fraction(0))


def _hull(knots: KnotValues, values: KnotValues) -> list[int]:
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
