"""An event as a rule that decides about every word: an automaton, its words, how many there are, and which.

A word is the beginning of an output, label by label. The automaton begins at node 0, before the first label;
at its last node the event has happened. A label for which a node has no step rules the event out.
So no word of the event is the beginning of another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from math import log

from flint import fmpq

from prover.chain.unrolling.graph import Entry
from prover.exact.fmpq import fraction_of
from prover.graphs import search, strong_components

MOST_WORDS, MOST_LABELS = 10_000, 1_000_000
"""How many words are listed, and how many labels they may have together."""

MOST_COUNTED = 10**15
"""Words of an event that are counted."""

_ONE = fmpq(1)
_UNIT = 2**20  # of the logarithm of a probability, by which words are ordered

Worth = tuple[fmpq, fmpq]
"""What a node where the event happens adds to the probabilities of a word, from either secret."""

_Way = tuple[int, int, int, tuple[str, ...], int, fmpq, Worth]
"""How long words with this beginning are at least, how rare, and minus how many labels it has; the labels,
the node that they lead to, and their weight there."""


@dataclass(frozen=True, slots=True)
class EventWord:
    """Labels, the secret's own first, with the probability to see them in the beginning."""

    labels: tuple[str, ...]
    from_probability: Fraction
    to_probability: Fraction


@dataclass(frozen=True, slots=True)
class Step:
    """After ``label`` the event is at node ``target``, with ``factor`` times the probabilities.

    ``chance`` is the probability of the label from the first secret, a guide. ``worth`` is None unless the
    event has happened then.
    """

    label: str
    target: int
    factor: fmpq
    chance: float
    worth: Worth | None = None


@dataclass(frozen=True, eq=False)
class Event:
    """The steps of every node. ``actions`` are those of the attacker at the nodes, if there are choices.

    >>> from prover.zoo import pin_checker
    >>> import prover
    >>> event = prover.delta(pin_checker(), "0", "1", "11/10").attack.event
    >>> event.extent, next(event.words()).labels
    ('infinitely many sequences of labels', ('a', 'b', 'end'))
    """

    steps: Sequence[Sequence[Step]]
    actions: Sequence[str | None] = ()

    @cached_property
    def _counted(self) -> tuple[int, int] | None:
        """How many words there are, and how many labels they have together; None if there is no end of them.

        Numbers beyond ``MOST_COUNTED`` are not told apart.
        """
        found: dict[int, tuple[int, int]] = {len(self.steps) - 1: (1, 0)}
        for part in strong_components([0], lambda node: [step.target for step in self.steps[node]]):
            node = part[0]
            if len(part) > 1 or any(step.target == node for step in self.steps[node]):
                return None
            if node not in found:
                after = [found[step.target] for step in self.steps[node]]
                words = sum(count for count, _ in after)
                labels = sum(count + rest for count, rest in after)
                found[node] = min(words, MOST_COUNTED + 1), min(labels, MOST_COUNTED + 1)
        return found[0]

    @property
    def is_endless(self) -> bool:
        """Whether the event has infinitely many words."""
        return self._counted is None

    @property
    def count(self) -> int | None:
        """How many words the event has; None if they are infinitely many, or too many to be counted."""
        return None if self._counted is None or self._counted[0] > MOST_COUNTED else self._counted[0]

    @property
    def extent(self) -> str:
        """How many words it has, for people."""
        if self.is_endless:
            return "infinitely many sequences of labels"
        if self.count is None:
            return f"more than {MOST_COUNTED:,} sequences of labels"
        return f"{self.count:,} sequence{'s' * (self.count != 1)} of labels"

    @property
    def is_listed(self) -> bool:
        """Whether the words are few and short enough for a list of all of them."""
        return self._counted is not None and (
            self._counted[0] <= MOST_WORDS and self._counted[1] <= MOST_LABELS
        )

    def after(self, node: int, label: str) -> int | None:
        """The node after the label; None if the event is ruled out then."""
        return self._targets[node].get(label)

    def has_happened(self, node: int) -> bool:
        """Whether it has, at this node."""
        return node == len(self.steps) - 1

    def words(self) -> Iterator[EventWord]:
        """The words, shorter ones first, of equally long ones the likelier ones from the first secret first.

        Their probabilities are exact. Each takes about as much work as it has labels.
        """
        ahead = self._ahead
        heap: list[_Way] = [(*ahead[0], 0, (), 0, _ONE, (_ONE, _ONE))]
        while heap:
            _, rarity, depth, labels, node, weight, worth = heappop(heap)
            if self.has_happened(node):
                yield EventWord(labels, fraction_of(weight * worth[0]), fraction_of(weight * worth[1]))
            rarity -= ahead[node][1]
            for step in self.steps[node]:
                far, rare = ahead[step.target]
                heappush(
                    heap,
                    (
                        1 - depth + far,
                        rarity + _rarity(step) + rare,
                        depth - 1,
                        (*labels, step.label),
                        step.target,
                        weight * step.factor,
                        step.worth or (_ONE, _ONE),
                    ),
                )

    @cached_property
    def _targets(self) -> Sequence[Mapping[str, int]]:
        return [{step.label: step.target for step in steps} for steps in self.steps]

    @cached_property
    def _ahead(self) -> Sequence[tuple[int, int]]:
        """How many labels it takes from every node until the event has happened, and how rare these are at
        least among the shortest ways.
        """
        before: list[list[tuple[int, Step]]] = [[] for _ in self.steps]
        for node, steps in enumerate(self.steps):
            for step in steps:
                before[step.target].append((node, step))
        end = len(self.steps) - 1
        found = {end: (0, 0)}
        level = [end]
        while level:
            nearer: dict[int, tuple[int, int]] = {}
            for target in level:
                length, rare = found[target]
                for node, step in before[target]:
                    if node not in found:
                        way = length + 1, rare + _rarity(step)
                        nearer[node] = min(way, nearer.get(node, way))
            found |= nearer
            level = list(nearer)
        return [found[node] for node in range(len(self.steps))]


def _rarity(step: Step) -> int:
    """How rare the label is, as an integer: sums of these are compared exactly, so ties are ties."""
    return round(-log(max(step.chance, 1e-300)) * _UNIT)


def event_of(
    label: str,
    root: int,
    entries: Callable[[int], Sequence[Entry]],
    worth: Callable[[int], Worth | None],
    action: Callable[[int], str | None] | None = None,
) -> Event:
    """The event that has happened where an unrolling comes to a node with a worth.

    ``label`` is that of both secrets, ``root`` the node after it. What leads to no such node is left out.
    """
    reached = search([root], lambda node: [entry.target for entry in entries(node)])
    before: dict[int, list[int]] = {}
    for node in reached:
        for entry in entries(node):
            before.setdefault(entry.target, []).append(node)
    worths = {node: found for node in reached if (found := worth(node)) is not None}
    leading = search(worths, lambda node: before.get(node, ()))
    inner = [node for node in reached if node in leading and node not in worths]
    number = {node: place for place, node in enumerate(inner, 1)} | dict.fromkeys(worths, len(inner) + 1)

    def step(entry: Entry) -> Step:
        to = entry.target
        return Step(entry.label, number[to], entry.factor, entry.chance, worths.get(to))

    steps = [
        [Step(label, 1, _ONE, 1.0, worths.get(root))],
        *([step(entry) for entry in entries(node) if entry.target in leading] for node in inner),
        [],
    ]
    actions = () if action is None else (None, *map(action, inner), None)
    return Event(steps, actions)


def event_at_once(label: str) -> Event:
    """The event of a secret that shows another label than the other one."""
    return Event([[Step(label, 1, _ONE, 1.0, (_ONE, fmpq(0)))], []])
