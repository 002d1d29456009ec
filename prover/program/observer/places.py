"""Places of a word: nodes of the order graph with the shifts of stored values, and what the next step costs.

Of a run with shifts nothing else matters for what follows: not how it came there (docs/theory_observer.md,
*Any words*).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from prover.program.model import Edge
from prover.program.observer.words import Symbol, symbol
from prover.program.optimum.transfer import Scale, prime_units
from prover.program.order_graph import FINAL, Arrow, OrderGraph

Place = tuple[int, tuple[int, ...]]
"""A node of the order graph, and the shifts of its live variables in their order.

Final states have numbers below 0 here, a number each.
"""

Following = tuple[Place, Edge, int, int]
"""A place after a step, the edge that leads there, its shift, and what that costs."""


@dataclass(frozen=True, slots=True)
class PlaceMove:
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


class PlaceMoves:
    """The steps from places of a program, with costs in units of the scale."""

    def __init__(self, graph: OrderGraph, scale: Scale) -> None:
        self.graph = graph
        self.scale = scale
        self._known: dict[tuple[int, Symbol], list[PlaceMove]] = {}
        ends = {a.edge.target for arrows in graph.arrows for a in arrows if a.target == FINAL}
        self.finals = dict(zip(sorted(ends), range(FINAL, FINAL - len(ends), -1), strict=True))

    def of(self, node: int, seen: Symbol) -> list[PlaceMove]:
        """The moves from a node that an observer sees so."""
        if (node, seen) not in self._known:
            arrows = self.graph.arrows[node] if node >= 0 else ()
            self._known[node, seen] = [self._move(a) for a in arrows if symbol(a.edge) == seen]
        return self._known[node, seen]

    def following(self, place: Place, seen: Symbol, given: int, span: range) -> Iterator[Following]:
        """All steps from a place with an input and shifts in the span whose cost is finite.

        Where any shift leads to one place there is the cheapest only.
        """
        node, vector = place
        for move in self.of(node, seen):
            b = given if move.arrow.edge.input else 0
            low = max([span.start, *[vector[k] for k in move.low]])
            high = min([span.stop - 1, *[vector[k] for k in move.high]])
            if move.arrow.edge.pinned:
                shifts: Sequence[int] = (0,) if low <= 0 <= high else ()
            elif move.stores:
                shifts = range(low, high + 1)
            else:
                shifts = (max(low, min(b, high)),) if low <= high else ()
            for own in shifts:
                cost = move.cost(b, own)
                if cost is not None:
                    after = tuple([own if k < 0 else vector[k] for k in move.kept])
                    target = self.finals.get(move.arrow.edge.target, move.arrow.target)
                    yield (target, after), move.arrow.edge, own, cost

    def _move(self, arrow: Arrow) -> PlaceMove:
        edge = arrow.edge
        place = {name: k for k, name in enumerate(sorted(self.graph.live_at(arrow.source)))}
        later = sorted(self.graph.live_at(arrow.target))
        return PlaceMove(
            arrow,
            tuple(place[name] for relation, name in edge.bounds if relation != "<"),
            tuple(place[name] for relation, name in edge.bounds if relation != ">="),
            tuple(-1 if name in edge.assign else place[name] for name in later),
            not set(later).isdisjoint(edge.assign),
            self.scale.sides(edge),
            prime_units(edge, self.scale),
        )


def span_of(inputs: Sequence[int]) -> range:
    """Shifts that suffice for some inputs: from the least to the largest of them and 0."""
    return range(min(0, *inputs), max(0, *inputs) + 1) if inputs else range(1)
