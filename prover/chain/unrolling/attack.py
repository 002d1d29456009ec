"""The event that tells two secrets apart: words that are more likely, by more than the factor α, from one."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from flint import fmpq

from prover.chain.ld.problem import Pair
from prover.chain.unrolling.graph import UnrollingNode
from prover.chain.unrolling.intervals import Intervals
from prover.chain.unrolling.node_values import Values
from prover.errors import abbreviated
from prover.exact.fmpq import fraction_of
from prover.graphs import search
from prover.views import Lined

SHOWN = 5
"""The most words that are listed."""

_LONGEST_SEARCH = 20_000  # words looked at to find the shortest ones of the event
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Word:
    """Labels, the secret's own first, with the probability to see them in the beginning."""

    labels: tuple[str, ...]
    from_probability: Fraction
    to_probability: Fraction


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Lined):
    """An event E: the run begins with one of certain words. Some shortest ones are listed, all if
    ``complete``.

    P[E | source] − α P[E | target] is the lower bound of the answer. The probabilities are exact where that
    is known exactly; otherwise P[E | source] is at least ``from_probability`` and P[E | target] at most
    ``to_probability``, up to the rounding of the last digits.
    """

    source: str
    target: str
    words: tuple[Word, ...]
    complete: bool
    from_probability: Fraction
    to_probability: Fraction

    def __str__(self) -> str:
        count = len(self.words)
        words = f"{'' if self.complete else 'more than '}{count} word{'s' * (count != 1)}"
        return f"{abbreviated(self.source)} is told from {abbreviated(self.target)} by {words}"


def attack(found: Intervals, pair: Pair, names: Sequence[str]) -> Attack | None:
    """The event behind the lower bound of a pair; None if that is 0."""
    if found.lower[pair] == 0:
        return None
    source, target = (names[s] for s in pair)
    root = found.root(pair)
    if root is None:  # the labels of the two secrets differ
        label = found.merged.chain.labels[found.merged.place[pair[0]]]
        word = Word((label,), Fraction(1), Fraction(0))
        return Attack(source, target, (word,), True, Fraction(1), Fraction(0))
    values = Values(found.nodes, found.order, found.settled)
    there = values.solve(lambda node: fmpq(node.situation.mass) if node.lower > 0 else _ZERO, below=True)[
        root
    ]
    here = values.solve(
        lambda node: fmpq(node.situation.other_mass) if node.lower > 0 else _ZERO, below=False
    )[root]
    words, complete = _shortest(found, root)
    return Attack(source, target, words, complete, fraction_of(there), fraction_of(here))


def _shortest(found: Intervals, root: int) -> tuple[tuple[Word, ...], bool]:
    """The shortest words of the event, the likelier of equally long ones first; and whether these are all."""
    nodes, leading = found.nodes, _leading(found.nodes)
    first = found.merged.chain.labels[found.roots[root][0]]
    heap: list[tuple[int, float, tuple[str, ...], int, fmpq]] = [(1, -1.0, (first,), root, _ONE)]
    visits: dict[int, int] = {}
    words: list[Word] = []
    for _ in range(_LONGEST_SEARCH):
        if not heap:
            return tuple(words), True
        if len(words) == SHOWN:
            break
        length, likely, labels, number, weight = heappop(heap)
        visits[number] = visits.get(number, 0) + 1
        if visits[number] > SHOWN + 1:  # so many words come this way that these are not all
            continue
        node = nodes[number]
        if node.entries is None:
            likelihood = (weight * node.total, weight * node.scale * node.situation.other_mass)
            words.append(Word(labels, fraction_of(likelihood[0]), fraction_of(likelihood[1])))
        for entry in node.entries or ():
            if entry.target in leading:
                step = (*labels, entry.label)
                chance = likely * entry.chance
                heappush(heap, (length + 1, chance, step, entry.target, weight * entry.factor))
    return tuple(words), False


def _leading(nodes: Sequence[UnrollingNode]) -> Set[int]:
    """The nodes from which a word of the event is reached."""
    before: dict[int, list[int]] = {}
    for number, node in enumerate(nodes):
        for entry in node.entries or ():
            before.setdefault(entry.target, []).append(number)
    ends = [number for number, node in enumerate(nodes) if node.entries is None and node.lower > 0]
    return search(ends, lambda number: before.get(number, ())).keys()
