"""Where words are looked for all of whose runs lose more with every turn: a program that is not private.

The words of runs whose loss grows come first. After that it is a question about a distance automaton, whose
letters are what a step outputs with a difference of its inputs, and whose states are the places: has the
least cost of a word a bound? Costs are known by *levels* here: none, some, or some in every turn. A word is a
matrix of levels between places; repeated words are the matrices of words that are idempotent, stabilised
(Leung, "Limitedness theorem on finite automata with distance functions", 1991; Simon, "On semigroups of
matrices over the tropical semiring", 1994). Only words that are not nested, and not too many, are tried.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from prover.program.adjacency import ONE_WAY, Adjacency, extreme_points
from prover.program.decision.blocks import Block, RunStep
from prover.program.model import Program
from prover.program.observer.growth import WordFamily, family_of
from prover.program.observer.places import Place, PlaceMoves
from prover.program.observer.words import Symbol, symbol
from prover.program.optimum.budget import Budget
from prover.program.optimum.transfer import scale_of
from prover.program.order_graph import OrderGraph, order_graph

FEW_LOOPS = 300
"""How many matrices of words that may be repeated are looked at first."""

FREE, COSTLY, GROWING = range(3)
"""Levels of a way: it costs nothing, something, or something in every turn."""

Letter = tuple[Symbol, int]
"""What a step outputs, and the difference of its inputs."""
WordPart = tuple[bool, tuple[Letter, ...]]
"""Letters that are seen once, or in every turn."""
LevelRow = tuple[tuple[int, int], ...]
"""The places that can be reached, each with the least level of a way."""
LevelMatrix = tuple[LevelRow, ...]


def leaking_words(
    program: Program, adjacency: Adjacency, blocks: Sequence[Block], budget: Budget, spent: set[str]
) -> WordFamily | None:
    """Words all of whose runs lose more with every turn, or None if none are found.

    ``blocks`` are runs whose loss grows. If a budget ended the search, that is added to those that are
    ``spent``.
    """
    moves = PlaceMoves(order_graph(program), scale_of(program.edges, adjacency))
    if blocks:
        bare = [Block(own.repeat, tuple(RunStep(s.edge, s.delta) for s in own.steps)) for own in blocks]
        if (found := family_of(moves, bare, budget, spent)) is not None:
            return found
    for way in ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,):
        automaton = DistanceAutomaton.of(moves, way, budget.places)
        if automaton is None:
            spent.add("places")
            continue
        tries = (min(FEW_LOOPS, budget.loops), budget.loops)
        for parts in chain.from_iterable(automaton.growing(most, budget.rows, spent) for most in tries):
            for run in runs_with(moves.graph, parts):
                if (found := family_of(moves, run, budget, spent)) is not None:
                    return found
    return None


@dataclass(frozen=True, slots=True)
class DistanceAutomaton:
    """Matrices of the letters; rows are places, and then the nodes, which say what runs there are."""

    matrices: Mapping[Letter, LevelMatrix]
    places: int
    once: bool  # whether one step only may have a difference
    first: LevelRow

    @classmethod
    def of(cls, moves: PlaceMoves, adjacency: Adjacency, most: int) -> DistanceAutomaton | None:
        """The automaton of a program; None if there are too many places."""
        graph = moves.graph
        symbols = sorted({symbol(a.edge) for own in graph.arrows for a in own}, key=str)
        taking = {symbol(a.edge) for own in graph.arrows for a in own if a.edge.input}
        deltas = sorted({0, *extreme_points(adjacency, input=True)}, key=abs)
        letters = [(seen, d) for seen in symbols for d in (deltas if seen in taking else (0,))]
        span = range(min(deltas), max(deltas) + 1)
        index: dict[Place, int] = {(0, ()): 0}
        steps: dict[Letter, list[LevelRow]] = {letter: [] for letter in letters}
        waiting = deque(index)
        while waiting:
            place = waiting.popleft()
            for letter in letters:
                least: dict[int, int] = {}
                for target, _, _, cost in moves.following(place, *letter, span):
                    if target not in index:
                        index[target] = len(index)
                        waiting.append(target)
                    level = COSTLY if cost else FREE
                    least[index[target]] = min(level, least.get(index[target], level))
                steps[letter].append(tuple(sorted(least.items())))
            if len(index) > most:
                return None
        number, final = len(index), len(index) + len(graph.states)
        for (seen, _), rows in steps.items():
            for arrows in graph.arrows:
                ends = {a.target for a in arrows if symbol(a.edge) == seen}
                rows.append(tuple((k, FREE) for k in sorted(final if e < 0 else number + e for e in ends)))
            rows.append(())
        matrices = {letter: tuple(rows) for letter, rows in steps.items()}
        once = adjacency == Adjacency.ONE_DIFFER
        return cls(matrices, number, once, ((0, FREE), (number, FREE)))

    def growing(self, loops: int, rows: int, spent: set[str]) -> Iterator[list[WordPart]]:
        """Words, with parts in every turn, that cost more with every turn; those of few parts first."""
        steps: list[tuple[LevelMatrix, WordPart, bool]] = [
            (matrix, (False, (letter,)), letter[1] != 0) for letter, matrix in self.matrices.items()
        ]
        steps += [(matrix, (True, letters), False) for matrix, letters in self._repeated(loops, spent)]
        known: dict[tuple[LevelRow, bool], list[WordPart]] = {(self.first, False): []}
        waiting = deque(known)
        while waiting and len(known) < rows:
            row, used = waiting.popleft()
            for matrix, part, differs in steps:
                if self.once and used and differs:
                    continue
                after = times(row, matrix), used or differs
                if after in known or not any(k >= self.places for k, _ in after[0]):
                    continue
                parts = known[after] = [*known[row, used], part]
                if all(level == GROWING for k, level in after[0] if k < self.places):
                    yield parts
                else:
                    waiting.append(after)
        if waiting:
            spent.add("rows")

    def _repeated(self, most: int, spent: set[str]) -> Iterator[tuple[LevelMatrix, tuple[Letter, ...]]]:
        """The stabilised matrices of words that are idempotent, and some of whose cycles cost something."""
        letters = {m: letter for letter, m in self.matrices.items() if not (self.once and letter[1])}
        known: dict[LevelMatrix, tuple[Letter, ...]] = {m: (letter,) for m, letter in letters.items()}
        waiting = deque(known)
        while waiting:
            matrix = waiting.popleft()
            if product(matrix, matrix) == matrix:
                stable = stabilised(matrix)
                if stable != matrix:
                    yield stable, known[matrix]
            for own, letter in letters.items():
                longer = product(matrix, own)
                if longer in known or not any(longer):
                    continue
                if len(known) >= most:
                    spent.add("loops")
                else:
                    known[longer] = (*known[matrix], letter)
                    waiting.append(longer)


def times(row: LevelRow, matrix: LevelMatrix) -> LevelRow:
    """The places after a word, from those before it."""
    found: dict[int, int] = {}
    for k, level in row:
        for target, more in matrix[k]:
            most = max(level, more)
            found[target] = min(most, found.get(target, most))
    return tuple(sorted(found.items()))


def product(first: LevelMatrix, second: LevelMatrix) -> LevelMatrix:
    """The matrix of one word and then another."""
    return tuple(times(row, second) for row in first)


def stabilised(matrix: LevelMatrix) -> LevelMatrix:
    """The matrix of a word in every turn, with so many turns that cycles which cost something cost much.

    >>> stabilised((((0, COSTLY), (1, FREE)), ((1, FREE),)))
    (((0, 2), (1, 0)), ((1, 0),))
    """
    cycles = tuple(
        tuple((j, GROWING if level == COSTLY else level) for j, level in row if j == k)
        for k, row in enumerate(matrix)
    )
    return product(product(matrix, cycles), matrix)


def runs_with(graph: OrderGraph, parts: Sequence[WordPart]) -> Iterator[tuple[Block, ...]]:
    """Runs with such words: those of each part in turns come back to their node after some of the turns."""
    for blocks in _from(graph, 0, list(parts)):
        merged: list[Block] = []
        for block in blocks:
            if merged and not block.repeat and not merged[-1].repeat:
                merged[-1] = Block(False, merged[-1].steps + block.steps)
            elif block.steps:
                merged.append(block)
        yield tuple(merged)


def _from(graph: OrderGraph, node: int, parts: list[WordPart]) -> Iterator[list[Block]]:
    if not parts:
        yield []
        return
    (repeat, letters), *rest = parts
    if not repeat:
        for target, steps in _ways(graph, node, letters).items():
            for blocks in _from(graph, target, rest):
                yield [Block(False, steps), *blocks]
        return
    for before, later in ((0, 0), (1, 0), (0, 1), (1, 1)):
        for entered, first in _ways(graph, node, letters * before).items():
            cycle = _ways(graph, entered, letters).get(entered)
            if cycle is None:
                continue
            for target, last in _ways(graph, entered, letters * later).items():
                for blocks in _from(graph, target, rest):
                    yield [Block(False, first), Block(True, cycle), Block(False, last), *blocks]


def _ways(graph: OrderGraph, node: int, letters: Sequence[Letter]) -> dict[int, tuple[RunStep, ...]]:
    """The nodes after some letters, each with a way there."""
    found: dict[int, tuple[RunStep, ...]] = {node: ()}
    for seen, delta in letters:
        found = {
            arrow.target: (*steps, RunStep(arrow.edge, delta))
            for before, steps in reversed(found.items())
            for arrow in (graph.arrows[before] if before >= 0 else ())[::-1]
            if symbol(arrow.edge) == seen
        }
    return found
