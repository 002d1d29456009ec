"""Families of words: by how much what all their runs cost grows with the turns, and potentials that prove it.

Some blocks of a word are seen N times in a row, each time with the same differences of inputs. After n turns
of a repeated block every run of the word that is at a place s has cost

    start(s)·(N − n) + end(s)·n + constant(s)

at least, in units: potentials, three numbers for each place, which do not rise from turn to turn
(docs/theory_observer.md, *Families of words*). In a graph of turns ``end`` is the least mean cost of a cycle
on the way to s, added to what the blocks before cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.errors import Fault
from prover.graphs import strong_components
from prover.program.decision.blocks import Block, RunStep
from prover.program.observer.places import Place, PlaceMoves, span_of
from prover.program.observer.words import symbol
from prover.program.optimum.budget import Budget


@dataclass(frozen=True, slots=True)
class TurnPotential:
    """What a place costs at least: start·(N − n) + end·n + constant after n of N turns, in units."""

    start: Fraction
    end: Fraction
    constant: Fraction


@dataclass(frozen=True, slots=True)
class WordFamily:
    """Words, by the run with this word that the ``blocks`` are, all of whose runs lose more with every turn.

    ``tables`` has the potentials of each repeated block. ``growth`` is by how much at least, as a multiple of
    ε; None if every run is impossible at the other inputs. ``places`` is how many places there are before all
    steps.
    """

    moves: PlaceMoves
    blocks: tuple[Block, ...]
    tables: tuple[Mapping[Place, TurnPotential], ...]
    growth: Fraction | None
    places: int


_Form = tuple[Fraction, Fraction, Fraction]
"""start, end, and constant, of a potential, or on the way from turn to turn."""
_Layer = dict[Place, _Form]
_Turns = dict[Place, dict[Place, int]]
"""The least costs of a turn between places."""


def family_of(
    moves: PlaceMoves, blocks: Sequence[Block], budget: Budget, spent: set[str]
) -> WordFamily | None:
    """The family with its potentials; None if its cost does not grow, or there are too many places."""
    span = span_of([step.delta for block in blocks for step in block.steps])
    walk = _Walk(moves, span)
    zero = Fraction(0)
    layer: _Layer = {(0, ()): (zero, zero, zero)}
    tables = []
    for block in blocks:
        if block.repeat:
            turns = walk.turns(layer, block, budget.turns)
            if turns is None:
                spent.add("turns")
                return None
            table = _potentials(layer, turns)
            tables.append(table)
            within = {s: (p.start, p.end, p.start + p.constant) for s, p in table.items()}
            after = walk.through(within, block)
            layer = {s: (table[s].end, zero, table[s].constant) for s in after}
        else:
            layer = walk.through(layer, block)
    least = min((start for start, _, _ in layer.values()), default=None)
    if least is not None and least <= 0:
        return None
    growth = None if least is None else least / moves.scale.denominator
    return WordFamily(moves, tuple(blocks), tuple(tables), growth, walk.places)


class _Walk:
    """Walks of places along blocks, with shifts in a span; ``places`` counts those before steps."""

    def __init__(self, moves: PlaceMoves, span: range) -> None:
        self.moves, self.span, self.places = moves, span, 0
        keys = list(zip(moves.graph.states, moves.graph.orders, strict=True))
        first = {key: node for node, key in reversed(list(enumerate(keys)))}
        # What is known of shifts only, where gaps are output, makes no difference here
        self._same = [first[key] for key in keys]

    def after(self, place: Place, step: RunStep) -> Iterator[tuple[Place, int]]:
        """The places after a step that looks like this one, with what it costs."""
        for (node, shifts), _, _, cost in self.moves.following(
            place, symbol(step.edge), step.delta, self.span
        ):
            yield (node if node < 0 else self._same[node], shifts), cost

    def through(self, layer: _Layer, block: Block) -> _Layer:
        """The least of each of the three numbers after the steps of a block, of all ways to a place."""
        for step in block.steps:
            self.places += len(layer)
            later: _Layer = {}
            for place, (start, end, constant) in layer.items():
                for target, cost in self.after(place, step):
                    old = later.get(target, (start, end, constant + cost))
                    later[target] = min(start, old[0]), min(end, old[1]), min(constant + cost, old[2])
            layer = later
        return layer

    def turns(self, starts: Collection[Place], block: Block, most: int) -> _Turns | None:
        """The turns from these places on; None if they come to too many."""
        found: _Turns = {}
        waiting = deque(starts)
        while waiting:
            place = waiting.popleft()
            if place not in found:
                found[place] = self.turn(place, block)
                waiting.extend(found[place])
            if len(found) > most:
                return None
        return found

    def turn(self, place: Place, block: Block) -> dict[Place, int]:
        """What the steps of a block cost at least from a place to others."""
        layer = {place: 0}
        for step in block.steps:
            later: dict[Place, int] = {}
            for before, cost in layer.items():
                for target, more in self.after(before, step):
                    later[target] = min(cost + more, later.get(target, cost + more))
            layer = later
        return layer


def _potentials(layer: _Layer, turns: _Turns) -> dict[Place, TurnPotential]:
    """The potentials of a repeated block that prove most of its growth, from the numbers before it.

    Where a place can be reached by few turns only, ``end`` is any number above 0 that is not below others.
    """
    components = strong_components(layer, turns.__getitem__)[::-1]
    start: dict[Place, Fraction] = {place: own for place, (own, _, _) in layer.items()}
    end: dict[Place, Fraction] = {}
    for members in components:
        lowest = min(start[place] for place in members if place in start)
        ends = [end[place] for place in members if place in end]
        if (mean := least_mean(members, turns)) is not None:
            ends.append(lowest + mean)
        for place in members:
            start[place] = lowest
            end |= {place: min(ends)} if ends else {}
            for target in turns[place]:
                start[target] = min(lowest, start.get(target, lowest))
                end |= {target: min(*ends, end.get(target, ends[0]))} if ends else {}
    highest = max([Fraction(1), *end.values()])
    end = {place: end.get(place, highest) for place in start}
    constant = {place: own for place, (_, _, own) in layer.items()}
    waiting = deque(constant)
    for _ in range(2 * len(start) ** 2 + 2):
        if not waiting:
            return {s: TurnPotential(start[s], end[s], constant[s]) for s in start}
        place = waiting.popleft()
        for target, cost in turns[place].items():
            lower = start[place] + constant[place] + cost - end[target]
            if target not in constant or lower < constant[target]:
                constant[target] = lower
                if target not in waiting:
                    waiting.append(target)
    raise Fault("potentials of a family of words fall without bound")


def least_mean(members: Collection[Place], turns: _Turns) -> Fraction | None:
    """The least mean cost of a cycle of a strong component; None if there is none.

    Karp ("A characterization of the minimum cycle mean in a digraph", 1978).
    """
    first = next(iter(members))
    inside = {s: {t: cost for t, cost in turns[s].items() if t in members} for s in members}
    layers: list[dict[Place, int]] = [{first: 0}]
    for _ in members:
        later: dict[Place, int] = {}
        for place, cost in layers[-1].items():
            for target, more in inside[place].items():
                later[target] = min(cost + more, later.get(target, cost + more))
        layers.append(later)
    n = len(members)
    return min(
        (
            max(Fraction(cost - layers[k][place], n - k) for k in range(n) if place in layers[k])
            for place, cost in layers[n].items()
        ),
        default=None,
    )
