"""Samples that stand in an order: those with one neighbour are summed up first, as functions of that one.

The samples of a run and what their tests demand of two of them are a graph. A sample with one neighbour only
is integrated, or summed, as a function of that one, which is multiplied by it; so with one stored variable,
where the graph is a forest, nothing else is left. Samples that are alike are counted, not told apart. What
kind of functions these are, a *measure* knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from prover.graphs import search

F = TypeVar("F")


class FunctionCalculus(Protocol[F]):
    """What can be done with functions of one variable. All raise TooManyTerms."""

    def one(self) -> F:
        """The function 1."""

    def product(self, first: F, second: F, /) -> F:
        """The product of two functions."""

    def to_power(self, function: F, exponent: int, /) -> F:
        """A power of a function, exponent ≥ 1."""

    def total(self, function: F, /) -> F:
        """The constant sum, or integral, of a function."""


class Measure(Protocol[F]):
    """Samples by number, and functions of where one of them is. All raise TooManyTerms."""

    @property
    def calculus(self) -> FunctionCalculus[F]:
        """The functions."""

    @property
    def above(self) -> Sequence[set[int]]:
        """For each sample those that are to be above it."""

    def density(self, number: int, /) -> F:
        """The chances of where a sample is, and in its window."""

    def side(self, function: F, number: int, other: int, /) -> F:
        """A function of a sample, summed up over the places that are as demanded where its neighbour is."""

    def likeness(self, number: int, /) -> Hashable:
        """What is the same for samples with the same density, and for no others."""

    def relation(self, number: int, other: int, /) -> Hashable:
        """What is demanded of a sample and its neighbour."""

    def has_window(self, number: int, /) -> bool:
        """Whether not all places of a sample are allowed."""

    def in_order(self, left: Folding[F], part: Sequence[int], /) -> F:
        """The probability of a part that folding leaves, as a constant function."""


@dataclass(slots=True)
class Folding(Generic[F]):
    """What is left to sum up: the neighbours of samples, and what each is multiplied by."""

    measure: Measure[F]
    neighbours: list[set[int]]
    leaves: list[Counter[tuple[Hashable, Hashable]]] = field(init=False)
    factors: dict[int, F] = field(default_factory=dict)
    _examples: dict[tuple[Hashable, Hashable], tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.leaves = [Counter() for _ in self.neighbours]

    def whole(self) -> F:
        """All samples summed up: by folding, and in their order what is left then, as a constant function."""
        answer = self._fold()
        for part in self._parts():
            answer = self.measure.calculus.product(answer, self.measure.in_order(self, part))
        return answer

    def _fold(self) -> F:
        """Sum up samples with one neighbour, or none; the product of the latter."""
        measure, calculus = self.measure, self.measure.calculus
        answer = calculus.one()
        waiting = [number for number, near in enumerate(self.neighbours) if len(near) < 2]
        left = set(range(len(self.neighbours)))
        while waiting:
            number = waiting.pop()
            if number not in left:
                continue
            left.discard(number)
            if not self.neighbours[number]:
                if measure.has_window(number) or not self.is_plain(number):
                    answer = calculus.product(answer, calculus.total(self.weight(number)))
                continue
            (other,) = self.neighbours[number]
            if self.is_plain(number):
                key = measure.likeness(number), measure.relation(number, other)
                self._examples[key] = number, other
                self.leaves[other][key] += 1
            else:
                self._multiply(other, measure.side(self.weight(number), number, other))
            self.neighbours[other].discard(number)
            self.neighbours[number] = set()
            if len(self.neighbours[other]) < 2:
                waiting.append(other)
        return answer

    def is_plain(self, number: int) -> bool:
        """Whether nothing is multiplied by a sample's density."""
        return number not in self.factors and not self.leaves[number]

    def weight(self, number: int) -> F:
        """The density of a sample, times what is summed up as a function of it."""
        for key, count in self.leaves[number].items():
            leaf, other = self._examples[key]
            side = self.measure.side(self.measure.density(leaf), leaf, other)
            self._multiply(number, self.measure.calculus.to_power(side, count))
        self.leaves[number].clear()
        density = self.measure.density(number)
        own = self.factors.get(number)
        return density if own is None else self.measure.calculus.product(density, own)

    def _multiply(self, number: int, function: F) -> None:
        old = self.factors.get(number)
        self.factors[number] = function if old is None else self.measure.calculus.product(old, function)

    def _parts(self) -> Iterator[list[int]]:
        """The samples that are left, those that demands link together."""
        seen: set[int] = set()
        for number, near in enumerate(self.neighbours):
            if number not in seen and near:
                found = list(search([number], lambda n: sorted(self.neighbours[n])))
                seen.update(found)
                yield found

    def kinds(self, part: Sequence[int]) -> tuple[list[list[int]], list[set[int]]]:
        """Samples of a part, alike ones together, with one density and the same demands; and the kinds that
        are to be below each.
        """
        alike: dict[Hashable, list[int]] = {}
        for number in part:
            near = frozenset((n, self.measure.relation(number, n)) for n in self.neighbours[number])
            own: Hashable = (self.measure.likeness(number), near) if self.is_plain(number) else number
            alike.setdefault(own, []).append(number)
        kinds = list(alike.values())
        kind_of = {number: k for k, numbers in enumerate(kinds) for number in numbers}
        firsts = [numbers[0] for numbers in kinds]
        below = [{kind_of[n] for n in self.neighbours[own] if own in self.measure.above[n]} for own in firsts]
        return kinds, below


def reduced(above: Sequence[set[int]]) -> list[set[int]]:
    """The demands without those that follow from others: for each sample those that are to be above it."""
    found = []
    for own in above:
        following = [number for number in own if len(own) > 1]
        beyond = search([later for number in following for later in above[number]], lambda n: above[n])
        found.append(own.difference(beyond))
    return found


def bottom_up(above: Sequence[set[int]]) -> list[int]:
    """The samples that are on no cycle, and above none, each after those below it."""
    missing = Counter(later for own in above for later in own)
    found = [number for number in range(len(above)) if not missing[number]]
    for number in found:  # it grows on the way
        for later in above[number]:
            missing[later] -= 1
            if not missing[later]:
                found.append(later)
    return found


def neighbours_of(above: Sequence[set[int]]) -> list[set[int]]:
    """The samples that demands link each sample to, above or below."""
    found = [set(own) for own in above]
    for number, own in enumerate(above):
        for other in own:
            found[other].add(number)
    return found
