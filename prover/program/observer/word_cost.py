"""The least cost of shifts over all runs of a word: a shortest path over nodes and stored shifts.

For a vector b of integers, one a step of the word, g(b) is the minimum of V_ρ(b) over the runs ρ of the word:
of the costs Σ |b_i − γ_i|·rate_i of shifts γ that the run's tests allow, with the rate to the left where
γ_i < b_i and the one to the right where γ_i > b_i, with γ_i = 0 where insample is
output, plus |b_i|·rate'_i where insampleprime is, and b_i = 0 at public steps. Integral shifts between the
least and the largest of the b_i and 0 suffice (docs/theory_observer.md, *Any words*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prover.errors import Fault
from prover.program.model import Edge
from prover.program.observer.words import Symbol, Word, symbol
from prover.program.optimum.transfer import Scale, prime_units
from prover.program.several.order_graph import Arrow, OrderGraph

Place = tuple[int, tuple[int, ...]]
"""A node of the order graph, and the shifts of its live variables in their order."""


@dataclass(frozen=True, slots=True)
class Cheapest:
    """A run of a word with shifts that cost least."""

    cost: int
    edges: tuple[Edge, ...]
    shifts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Move:
    """An arrow, with the places of what it compares with and of what is kept in vectors of shifts."""

    arrow: Arrow
    low: tuple[int, ...]
    high: tuple[int, ...]
    kept: tuple[int, ...]  # −1 for the new sample
    stores: bool
    sides: tuple[int | None, int | None]  # None if infinite
    prime: int

    def cost(self, given: int, shift: int) -> int | None:
        """What a shift costs with an input; None if that is infinite."""
        rate = self.sides[shift > given]
        if shift == given:
            return abs(given) * self.prime
        return None if rate is None else abs(given - shift) * rate + abs(given) * self.prime


class WordCosts:
    """The function g of one word of a program, in units of the scale."""

    def __init__(self, graph: OrderGraph, scale: Scale, word: Word) -> None:
        self.graph = graph
        self.scale = scale
        self.word = word
        self._moves: dict[tuple[int, Symbol], list[_Move]] = {}
        self._known: dict[tuple[int, ...], int] = {}
        nodes = {0}
        takes_input = []
        for seen in word:
            moves = [move for node in nodes for move in self._of(node, seen)]
            nodes = {move.arrow.target for move in moves}
            takes_input.append(any(move.arrow.edge.input for move in moves))
        if not nodes:
            raise Fault("no run has this word")
        self.takes_input = tuple(takes_input)

    def cost(self, inputs: tuple[int, ...]) -> int:
        """The number g(b). Raises Fault if it is infinite; where runs have a bound it is not."""
        known = self._known.get(inputs)
        if known is None:
            *_, last = self._layers(inputs)
            if not last:
                raise Fault("a word has infinite cost where its runs lose no more than a bound")
            known = self._known[inputs] = min(last.values())
        return known

    @property
    def evaluations(self) -> int:
        """How many costs have been asked for."""
        return len(self._known)

    def places(self, inputs: Sequence[int]) -> int:
        """How many places there are before the steps: what the work of finding g(b) grows with."""
        return sum(len(layer) for layer in list(self._layers(inputs))[:-1])

    def cheapest(self, inputs: Sequence[int]) -> Cheapest:
        """A run and shifts that cost g(b)."""
        before: list[dict[Place, tuple[Place, Edge, int]]] = []
        layers = list(self._layers(inputs, before))
        place = min(layers[-1], key=lambda key: (layers[-1][key], key))
        cost = layers[-1][place]
        edges, shifts = [], []
        for origins in reversed(before):
            place, edge, shift = origins[place]
            edges.append(edge)
            shifts.append(shift)
        return Cheapest(cost, tuple(edges[::-1]), tuple(shifts[::-1]))

    def _layers(
        self, inputs: Sequence[int], before: list[dict[Place, tuple[Place, Edge, int]]] | None = None
    ) -> Iterator[dict[Place, int]]:
        """The least costs by which places are reached, before the first step and after each."""
        least, most = min(0, *inputs), max(0, *inputs)
        layer: dict[Place, int] = {(0, ()): 0}
        yield layer
        for seen, given in zip(self.word, inputs, strict=True):
            after: dict[Place, int] = {}
            origins: dict[Place, tuple[Place, Edge, int]] = {}
            for (node, vector), cost in layer.items():
                for move in self._of(node, seen):
                    b = given if move.arrow.edge.input else 0
                    low = max([least, *[vector[k] for k in move.low]])
                    high = min([most, *[vector[k] for k in move.high]])
                    if move.arrow.edge.pinned:
                        shifts: Sequence[int] = (0,) if low <= 0 <= high else ()
                    elif move.stores:
                        shifts = range(low, high + 1)
                    else:
                        shifts = (max(low, min(b, high)),) if low <= high else ()
                    for own in shifts:
                        key = (move.arrow.target, tuple([own if k < 0 else vector[k] for k in move.kept]))
                        more = move.cost(b, own)
                        if more is not None and (key not in after or cost + more < after[key]):
                            after[key] = cost + more
                            if before is not None:
                                origins[key] = ((node, vector), move.arrow.edge, own)
            if before is not None:
                before.append(origins)
            layer = after
            yield layer

    def _of(self, node: int, seen: Symbol) -> list[_Move]:
        if (node, seen) not in self._moves:
            arrows = self.graph.arrows[node] if node >= 0 else ()
            self._moves[node, seen] = [self._move(a) for a in arrows if symbol(a.edge) == seen]
        return self._moves[node, seen]

    def _move(self, arrow: Arrow) -> _Move:
        edge = arrow.edge
        place = {name: k for k, name in enumerate(sorted(self.graph.live_at(arrow.source)))}
        later = sorted(self.graph.live_at(arrow.target))
        return _Move(
            arrow,
            tuple(place[name] for relation, name in edge.bounds if relation != "<"),
            tuple(place[name] for relation, name in edge.bounds if relation != ">="),
            tuple(-1 if name in edge.assign else place[name] for name in later),
            not set(later).isdisjoint(edge.assign),
            self.scale.sides(edge),
            prime_units(edge, self.scale),
        )
