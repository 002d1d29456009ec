"""Output words, and the runs that lead to them.

An observer sees the *word* of a run: what each step outputs, where all numbers look alike but for their
values. Several runs may have one word, and its probability is the sum of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from types import MappingProxyType

from prover.program.graph import components
from prover.program.model import Edge, Program, out_edges
from prover.program.outputs import seen_of

Symbol = tuple[str | None, int]
"""The letter that a step outputs, if there is one, and how many numbers."""

Word = tuple[Symbol, ...]


def symbol(edge: Edge) -> Symbol:
    """What an observer sees of a step, but for the values of numbers."""
    return seen_of(edge.outputs)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of positive probability, with the order of its samples.

    ``below[i]`` has bit j set if the tests of the run say that sample j is at most sample i, directly or by
    way of others; ``tested`` are the pairs (j, i) of which a test itself says that. ``stored`` are the steps
    that stored what the variables hold at the end.
    """

    edges: tuple[Edge, ...] = ()
    below: tuple[int, ...] = ()
    tested: frozenset[tuple[int, int]] = frozenset()
    stored: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def word(self) -> Word:
        """What an observer sees."""
        return tuple(symbol(edge) for edge in self.edges)

    def between(self, guards: Sequence[tuple[str, str]]) -> tuple[int, int] | None:
        """The samples that tests put below and above another one, as bits; None if they contradict it."""
        least = most = 0
        for relation, name in guards:
            bit = 1 << self.stored[name]
            if relation == "<":
                most |= bit
            else:
                least |= bit
        for step, under in enumerate(self.below):
            if least >> step & 1:
                least |= under
        for step, under in enumerate(self.below):
            if under & most:
                most |= 1 << step
        return None if least & most else (least, most)

    def then(self, edge: Edge) -> Run | None:
        """The run with one more step; None if that has probability 0."""
        found = self.between(edge.guard)
        if found is None:
            return None
        least, most = found
        new = len(self.edges)
        below = [
            under | least | 1 << new if most >> step & 1 else under for step, under in enumerate(self.below)
        ]
        tested = self.tested.union(
            (new, self.stored[name]) if relation == "<" else (self.stored[name], new)
            for relation, name in edge.guard
        )
        stored = MappingProxyType({**self.stored, **dict.fromkeys(edge.assign, new)})
        return Run((*self.edges, edge), (*below, least), tested, stored)

    def excludes(self, first: Edge, second: Edge) -> bool:
        """Whether after this run no sample passes the tests of both steps."""
        return self.between((*first.guard, *second.guard)) is None


def orders_samples(program: Program) -> bool:
    """Whether all that is asked of samples is their order: tests < and >=, no gaps, and inputs rounded.

    A tie counts as if the later sample were larger; the other tests have ties of their own.
    """
    return orders_tests(program) and compares_samples(program)


def compares_samples(program: Program) -> bool:
    """Whether inputs are rounded, and outputs do not tell how far samples are apart."""
    return not program.noise.unrounded and not any(edge.gaps for edge in program.edges)


def orders_tests(program: Program) -> bool:
    """Whether all tests are < and >=, of rounded inputs, so that one of both sides holds."""
    ties = any(relation in ("<=", ">", "=") for edge in program.edges for relation, _ in edge.written)
    return not ties and not program.noise.unrounded


def covering_pairs(edges: Sequence[Edge], alike: Callable[[Edge, Edge], bool]) -> list[tuple[int, int]]:
    """Pairs of edges of one state that are ``alike``, one of which is taken whatever the sample is.

    The one has the test < and the other >=, or <= and >, of one variable, and neither another one. No edge is
    in two pairs.
    """
    found: list[tuple[int, int]] = []
    for first, second in combinations(edges, 2):
        sides = [{(a, name), (b, name)} for _, name in first.guard for a, b in (("<", ">="), ("<=", ">"))]
        covering = len(first.guard) == len(second.guard) == 1 and {*first.written, *second.written} in sides
        if covering and alike(first, second) and not {first.number, second.number} & set(chain(*found)):
            found.append((first.number, second.number))
    return found


def is_bounded(program: Program) -> bool:
    """Whether no run of the program can go on for ever."""
    return not components(program).inside


def runs_of(program: Program, most: int, longest: int | None = None) -> list[Run] | None:
    """All runs of at least one step and at most ``longest``, shorter ones first; None if these are too many.

    Without ``longest`` the program has to be bounded.
    """
    leaving = out_edges(program)
    found: list[Run] = []
    last = [Run()]
    while last and (longest is None or len(last[0].edges) < longest):
        after = [
            longer
            for run in last
            for edge in leaving.get(run.edges[-1].target if run.edges else program.initial, ())
            if (longer := run.then(edge)) is not None
        ]
        found += after
        if len(found) > most:
            return None
        last = after
    return found


def by_word(runs: Sequence[Run]) -> dict[Word, list[Run]]:
    """The runs of each word."""
    found: dict[Word, list[Run]] = {}
    for run in runs:
        found.setdefault(run.word, []).append(run)
    return found
