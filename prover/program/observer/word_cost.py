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
from prover.program.observer.places import Place, PlaceMoves, span_of
from prover.program.observer.words import Word
from prover.program.optimum.transfer import Scale
from prover.program.order_graph import FINAL, OrderGraph


@dataclass(frozen=True, slots=True)
class Cheapest:
    """A run of a word with shifts that cost least."""

    cost: int
    edges: tuple[Edge, ...]
    shifts: tuple[int, ...]


class WordCosts:
    """The function g of one word of a program, in units of the scale."""

    def __init__(self, graph: OrderGraph, scale: Scale, word: Word) -> None:
        self.graph = graph
        self.scale = scale
        self.word = word
        self._moves = PlaceMoves(graph, scale)
        self._known: dict[tuple[int, ...], int | None] = {}
        nodes = {0}
        takes_input = []
        for seen in word:
            moves = [move for node in nodes for move in self._moves.of(node, seen)]
            nodes = {move.arrow.target for move in moves}
            takes_input.append(any(move.arrow.edge.input for move in moves))
        if not nodes:
            raise Fault("no run has this word")
        self.takes_input = tuple(takes_input)

    def cost(self, inputs: tuple[int, ...]) -> int | None:
        """The number g(b); None if it is infinite."""
        if inputs not in self._known:
            *_, last = self._layers(inputs)
            self._known[inputs] = min(last.values(), default=None)
        return self._known[inputs]

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
        place = min(layers[-1], key=lambda key: (layers[-1][key], max(key[0], FINAL), key[1]))
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
        span = span_of(inputs)
        layer: dict[Place, int] = {(0, ()): 0}
        yield layer
        for seen, given in zip(self.word, inputs, strict=True):
            after: dict[Place, int] = {}
            origins: dict[Place, tuple[Place, Edge, int]] = {}
            for place, cost in layer.items():
                for key, edge, own, more in self._moves.following(place, seen, given, span):
                    if key not in after or cost + more < after[key]:
                        after[key] = cost + more
                        if before is not None:
                            origins[key] = (place, edge, own)
            if before is not None:
                before.append(origins)
            layer = after
            yield layer
