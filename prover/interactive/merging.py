"""Bisimilarity under all actions: which states no attacker can tell apart, whatever is chosen.

Reference: docs/theory_interactive.md, *The quotient*.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.chain.bisimulation import Bisimilarity, bisimilarity
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.unrolling.situations import Situation, Situations, Successor
from prover.interactive.model import LabelledMarkovDecisionProcess, quotient_of


@dataclass(frozen=True, slots=True)
class MergedProcess:
    """A process divided by bisimilarity under all actions.

    ``process`` is the quotient by ``classes``, and ``place`` says which of its states stands for each state.
    ``situations`` are what can be known after something was done and seen, for all α at once.
    """

    classes: tuple[tuple[int, ...], ...]
    process: LabelledMarkovDecisionProcess
    place: tuple[int, ...]
    situations: InteractiveSituations

    @staticmethod
    def of(process: LabelledMarkovDecisionProcess) -> MergedProcess:
        """The process with bisimilar states merged, and no situation explored yet."""
        classes = classes_of(process)
        merged = quotient_of(process, classes)
        place = {s: c for c, members in enumerate(classes) for s in members}
        places = tuple(place[s] for s in range(len(process)))
        return MergedProcess(classes, merged, places, InteractiveSituations(merged))

    def twin(self, pair: Pair) -> Pair:
        """The pair of the quotient that stands for a pair of the process."""
        return self.place[pair[0]], self.place[pair[1]]


def classes_of(process: LabelledMarkovDecisionProcess) -> tuple[tuple[int, ...], ...]:
    """The classes of bisimilarity under all actions, in the order of their first members.

    >>> process = LabelledMarkovDecisionProcess.of({
    ...     "s": ("a", {"x": {"s": 1}, "y": {"t": 1}}), "t": ("a", {"x": {"t": 1}, "y": {"s": 1}})})
    >>> classes_of(process)
    ((0, 1),)
    """
    found = bisimilarity(_with_coins(process)).classes
    return tuple(members for members in found if members[0] < len(process))


def bisimilarity_of(process: LabelledMarkovDecisionProcess) -> Bisimilarity:
    """The same classes, with the sets that split the states of each label into them: how likely it is to go
    into such a set differs for some action.

    >>> process = LabelledMarkovDecisionProcess.of({
    ...     "s": ("a", {"x": {"s": 1}, "y": {"t": 1}}), "t": ("a", {"x": {"u": 1}, "y": {"t": 1}}),
    ...     "u": ("b", {"u": 1})})
    >>> bisimilarity_of(process).splitters
    ((0, 1),)
    """
    classes = _blocks([(label,) for label in process.labels])
    waiting, splitters = deque(classes), list[tuple[int, ...]]()
    while waiting:
        splitter = waiting.popleft()
        place = {s: c for c, members in enumerate(classes) for s in members}
        inside, states = set(splitter), range(len(process))
        keys = [(place[s], *(_chance(process.row(s, a), inside) for a in process.menu(s))) for s in states]
        finer = _blocks(keys)
        if len(finer) > len(classes):
            splitters.append(splitter)
            waiting.extend(members for members in finer if members not in set(classes))
            classes = finer
    return Bisimilarity(classes, tuple(splitters))


def _chance(row: Mapping[int, Fraction], inside: set[int]) -> Fraction:
    return sum((p for t, p in row.items() if t in inside), Fraction(0))


def _blocks(keys: Sequence[Hashable]) -> tuple[tuple[int, ...], ...]:
    """The states of equal keys together, in the order of their first ones."""
    blocks: dict[Hashable, list[int]] = {}
    for s, key in enumerate(keys):
        blocks.setdefault(key, []).append(s)
    return tuple(map(tuple, blocks.values()))


def _with_coins(process: LabelledMarkovDecisionProcess) -> LabelledMarkovChain:
    """The chain of an attacker who tosses fair coins and shows which action he takes before he takes it.

    Its first states are those of the process. Two of these are bisimilar in it if and only if they are under
    all actions: the next label names the action, and all actions have positive probability.
    """
    size = len(process)
    labels = [json.dumps([label]) for label in process.labels]
    rows: list[dict[int, Fraction]] = []
    moves: list[tuple[str, dict[int, Fraction]]] = []
    for s, label in enumerate(process.labels):
        menu = process.menu(s)
        row = {}
        for action in menu:
            row[size + len(moves)] = Fraction(1, len(menu))
            moves.append((json.dumps([label, action]), dict(process.row(s, action))))
        rows.append(row)
    names = tuple(f"{place:012d}" for place in range(size + len(moves)))
    taken = (label for label, _ in moves)
    return LabelledMarkovChain(names, (*labels, *taken), (*rows, *(row for _, row in moves)))


class InteractiveSituations:
    """The situations of a process that were come across so far, and where each action leads from them."""

    def __init__(self, process: LabelledMarkovDecisionProcess) -> None:
        self.process = process
        self._under = {action: Situations(chain) for action, chain in process.under.items()}

    @property
    def memory(self) -> int:
        """About how many bytes the situations take."""
        return sum(situations.memory for situations in self._under.values())

    def of_pair(self, pair: Pair) -> Situation:
        """The situation at the beginning: one secret against the other."""
        return next(iter(self._under.values())).of_pair(pair)

    def menu(self, situation: Situation) -> tuple[str, ...]:
        """What can be done in a situation."""
        return self.process.menu(situation.x[0][0])

    def after(self, situation: Situation, action: str) -> tuple[tuple[Successor, ...], int, int]:
        """Where an action leads: a successor for every label that x leads to, in order of the labels; and how
        many numbers, of how many bits, a checker has to work with.
        """
        under = self._under[action]
        found = under.expansion(under.of_vectors(situation.x, situation.y))
        return found.successors, found.width, found.bits
