"""Upper bounds of ld and bd from the pairs that some queried ones come to first; all other pairs count as 1.

Pairs are looked at in the order of how likely guessed couplings come to them. Then mass goes where that costs
least by then, in one pair after the other, last those that lead to others. Values only fall, and costs fall
with them, so the table is a pre-fixed point of Γ at any time (docs/theory.md, *Certified intervals*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import product

from flint import fmpq, fmpz

from prover.chain.ld.greedy import coupled
from prover.chain.ld.interval import BITS, UpperTable
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling, Part, parts
from prover.chain.model import LabelledMarkovChain, Pair
from prover.exact.field import approximately
from prover.exact.fmpq import fmpq_of, fmpq_rows
from prover.graphs import search, strong_components

_UNIT = fmpz(2**BITS)
_ROUNDS = 3  # of passes over the pairs that lead to each other in circles …
_WORTH = fmpz(2 ** (BITS - 12))  # … as long as some value falls by so much
_LITTLE = 1e-12  # of mass, which rounding may have left
_MOST_STEPS = 200  # of one way that is followed


class Nearby:
    """Some pairs of a chain, what bounds them from above, and where to look for more.

    ``both_ways``: for bd. Then a pair i < j stands for both of its directions, and has a coupling for each.
    """

    def __init__(
        self, chain: LabelledMarkovChain, alpha: Fraction, queries: Iterable[Pair], *, both_ways: bool
    ) -> None:
        self._chain, self._both_ways = chain, both_ways
        self._alpha, self._slope = fmpq_of(alpha), float(alpha)
        of_one_label = ((s, t) for s, t in queries if s != t and chain.labels[s] == chain.labels[t])
        self._queries = sorted(set(map(self.key, of_one_label)))
        self._leads: dict[Pair, list[tuple[float, Pair]]] = {}  # of the pairs that were looked at
        self._waiting = [(-1.0, pair) for pair in self._queries]
        self._parts: dict[Pair, tuple[Part, ...]] = {}
        self._rows: dict[int, dict[int, fmpq]] = {}
        self._floats: dict[int, dict[int, float]] = {}
        self._apart: dict[Pair, float] = {}
        self._above: dict[Pair, fmpz] = {}
        self._couplings: dict[Pair, Coupling] = {}

    def key(self, pair: Pair) -> Pair:
        """The pair that stands for this one."""
        return min(pair, pair[::-1]) if self._both_ways else pair

    def open_queries(self) -> list[Pair]:
        """The queried pairs that nothing bounds by now."""
        return [pair for pair in self._queries if pair not in self._above]

    def look(self, work: int) -> bool:
        """Look at more pairs, until about so many arcs were compared; whether there are more."""
        while self._waiting and work > 0:
            weight, pair = heappop(self._waiting)
            if pair not in self._leads:
                work -= self._look_at(pair)
                for amount, following in self._leads[pair]:
                    if following not in self._leads:
                        heappush(self._waiting, (weight * amount, following))
        return bool(self._waiting)

    def follow(self, most: int) -> None:
        """Go one way from every open query, to pairs that have something in common; most pairs wait.

        Nothing more is done where that would take more than so much work, as the first query says.
        """
        ahead, work = self.open_queries(), 0
        for query in ahead:
            pair, seen = query, set[Pair]()
            while pair not in seen and len(seen) < _MOST_STEPS:
                seen.add(pair)
                if pair not in self._leads:
                    work += self._look_at(pair)
                    for amount, following in self._leads[pair]:
                        heappush(self._waiting, (-amount, following))
                if pair in self._above or self._apart_after_one_step(pair) < 1 or not self._leads[pair]:
                    break
                pair = max(self._leads[pair], key=lambda lead: lead[0])[1]
            if query == ahead[0] and work * len(ahead) > most:
                return

    def bounds(self) -> UpperTable:
        """What is proved of the queried pairs, with the rows of those that they use."""
        circles, every = list[Pair](), list[Pair]()
        for members in strong_components(self._leads, self._looked_at_after):
            every += members
            circles += members if len(members) > 1 else ()
        for order in (every, *([circles] * (_ROUNDS - 1))):
            if self._pass(order) < _WORTH:
                break
        kept = search([pair for pair in self._queries if pair in self._above], self._used_by)
        numerators = {arc: self._above[pair] for pair in kept for arc in self._directions(pair)}
        return UpperTable(
            DistanceValues(_UNIT, numerators),
            {pair: self._couplings[pair] for pair in kept},
            {pair: self._couplings[pair[::-1]] for pair in kept} if self._both_ways else {},
        )

    def _directions(self, pair: Pair) -> tuple[Pair, ...]:
        return (pair, pair[::-1]) if self._both_ways else (pair,)

    def _looked_at_after(self, pair: Pair) -> Iterator[Pair]:
        return (following for _, following in self._leads[pair] if following in self._leads)

    def _used_by(self, pair: Pair) -> Iterator[Pair]:
        arcs = (arc for direction in self._directions(pair) for arc in self._couplings[direction].weights)
        return (key for key in map(self.key, arcs) if key in self._above)

    def _look_at(self, pair: Pair) -> int:
        """Guess where the mass of a pair goes; returns how many arcs were compared."""
        leads, work = self._leads.setdefault(pair, []), 1
        for direction in self._directions(pair):
            for part in self._parts_of(direction):
                work += len(part.sources) * len(part.sinks)
                leads += self._guessed(part)
        return work

    def _guessed(self, part: Part) -> Iterator[tuple[float, Pair]]:
        """Mass along the arcs of a part, to pairs that have the most in common first."""
        left = {k: approximately(b) for k, b in zip(part.sources, part.supplies, strict=True)}
        room = {k: approximately(b) for k, b in zip(part.sinks, part.capacities, strict=True)}
        arcs: Sequence[Pair] = list(product(part.sources, part.sinks))
        if len(arcs) > 1:
            arcs = sorted(arcs, key=lambda arc: (self._apart_after_one_step(self.key(arc)), arc))
        for source, sink in arcs:
            amount = min(left[source], room[sink] / self._slope)
            if amount > _LITTLE:
                left[source] -= amount
                room[sink] -= amount * self._slope
                yield amount, self.key((source, sink))

    def _apart_after_one_step(self, pair: Pair) -> float:
        """The mass that two states do not have in common."""
        if pair not in self._apart:
            x, y = map(self._float_row, pair)
            self._apart[pair] = (
                1.0
                if x.keys().isdisjoint(y)
                else sum(max(0.0, p - self._slope * y.get(k, 0.0)) for k, p in x.items())
            )
        return self._apart[pair]

    def _float_row(self, state: int) -> dict[int, float]:
        if state not in self._floats:
            self._floats[state] = {k: float(p) for k, p in self._chain.rows[state].items()}
        return self._floats[state]

    def _parts_of(self, pair: Pair) -> tuple[Part, ...]:
        if pair not in self._parts:
            for state in pair:
                if state not in self._rows:
                    self._rows[state] = fmpq_rows([self._chain.rows[state]])[0]
            x, y = (self._rows[state] for state in pair)
            self._parts[pair] = parts(x, y, self._alpha, self._chain.labels)
        return self._parts[pair]

    def _pass(self, order: Iterable[Pair]) -> fmpz:
        """Give every pair what its cheapest arcs cost by now; returns by how much some value falls."""
        shared: dict[Part, tuple[Coupling, fmpq]] = {}
        fallen = fmpz(0)
        for pair in order:
            found: dict[Pair, Coupling] = {}
            value, before = fmpz(0), self._above.get(pair, _UNIT)
            for direction in self._directions(pair):
                parts_of = self._parts_of(direction)
                found[direction], cost = coupled(parts_of, self._alpha, self._value_of, shared)
                value = max(value, cost.ceil())
            if value < before:
                self._above[pair] = value
                self._couplings |= found
                fallen = max(fallen, before - value)
        return fallen

    def _value_of(self, arc: Pair) -> fmpz | None:
        return self._above.get(self.key(arc))
