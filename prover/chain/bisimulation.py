"""Bisimilarity ∼: no observer can distinguish bisimilar states.

Reference: docs/theory.md, *Kernels and ranks*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from prover.chain.process import SYSTEMS, System, different_numbers
from prover.errors import must_be

_LONGEST_COMMON = 4_096  # bits
_LARGE = 1_000  # states


Classes = tuple[tuple[int, ...], ...]
"""The classes of states, in order of their first members, and the members in order."""


@dataclass(frozen=True, slots=True)
class Bisimilarity:
    """The classes of ∼ and the sets that split the label partition into them, in the order of their use."""

    classes: Classes
    splitters: tuple[tuple[int, ...], ...]


def numbers_of(classes: Classes) -> dict[int, int]:
    """The number of the class of every state."""
    return {s: c for c, members in enumerate(classes) for s in members}


def bisimilar_classes(system: System) -> Classes:
    """The classes of ``bisimilarity``, without the sets that split: for large systems this is quicker.

    Fingerprints distinguish most states, and integers prove that those left together are bisimilar. Where
    they do not, the classes are refined state by state.
    """
    if len(system) < _LARGE:
        return bisimilarity(system).classes
    from prover.chain.fingerprints import separated

    found = separated(system)
    if found is None or not found.bisimilar:
        return _refined(system, (found.number if found else system.labels).__getitem__).classes
    classes: dict[int, list[int]] = {}
    for s, number in enumerate(found.number):
        classes.setdefault(number, []).append(s)
    return tuple(map(tuple, classes.values()))


def bisimilarity(chain: System) -> Bisimilarity:
    """The classes of bisimilar states: the fewest classes whose states have one label, and enter
    each class with equal probabilities (docs/theory.md, *Kernels and ranks*).

    Partition refinement splits classes by the probability of entering one, until nothing splits. If a class
    that needs no turn as a splitter is split, all its parts but the largest get a turn: the probability of
    entering that one is the rest. (All states together are such a class, as rows sum to 1.) So a state is in
    splitters of at most half the size each time: with m transitions between n states this takes m log n
    steps. Each turn looks only at the states with a transition into the splitter.

    In a decision process the probabilities are equal under every action: then no attacker can distinguish the
    states (docs/theory_interactive.md, *The quotient*).

        >>> import prover
        >>> states = {"a": ("x", {"a": 1}), "b": ("x", {"a": 1}), "c": ("y", {"b": 1})}
        >>> chain = prover.LabelledMarkovChain.of(states)
        >>> bisimilarity(chain).classes
        ((0, 1), (2,))
    """
    must_be(SYSTEMS, chain=chain)
    return _refined(chain, chain.labels.__getitem__)


def _refined(system: System, key: Callable[[int], object]) -> Bisimilarity:
    """The classes of ∼, refined from those of equal keys, which bisimilar states have."""
    entering = _entering(system)
    partition = _Partition(len(system))
    partition.split(range(len(system)), key)
    splitters: list[tuple[int, ...]] = []
    while partition.waiting and len(partition.classes) < len(system):
        splitter, divided = partition.next_splitter(), False
        for before, weights in entering:
            mass: dict[int, int | Fraction] = {}
            for t in splitter:
                for s, weight in zip(before[t], weights[t], strict=True):
                    mass[s] = mass.get(s, 0) + weight
            divided = partition.split(mass, mass.__getitem__) or divided
        if divided:
            splitters.append(splitter)
    return Bisimilarity(tuple(sorted(tuple(sorted(c)) for c in partition.classes)), tuple(splitters))


class _Partition:
    """Classes of states, the numbers of those that have to be splitters, and which of them come next."""

    def __init__(self, size: int) -> None:
        self.classes = [set(range(size))]
        self.waiting: deque[int] = deque()
        self._class_of = [0] * size
        self._is_waiting = [False]

    def next_splitter(self) -> tuple[int, ...]:
        """The members, in order, of the class whose turn it is."""
        number = self.waiting.popleft()
        self._is_waiting[number] = False
        return tuple(sorted(self.classes[number]))

    def split(self, states: Iterable[int], key: Callable[[int], object]) -> bool:
        """Put states of different keys into different classes, apart from those without; whether any were
        together.
        """
        parts: dict[int, dict[object, list[int]]] = {}
        for s in states:
            number = self._class_of[s]
            if len(self.classes[number]) > 1:  # one state alone cannot be divided
                parts.setdefault(number, {}).setdefault(key(s), []).append(s)
        return sum(self._divide(number, list(parts[number].values())) for number in sorted(parts)) > 0

    def _divide(self, number: int, parts: list[list[int]]) -> bool:
        """Make classes of disjoint parts of a class; what is in none keeps its number, or the largest."""
        left = len(self.classes[number]) - sum(map(len, parts))
        if not left:
            parts.remove(max(parts, key=len))
        first = len(self.classes)
        for part in parts:
            for s in part:
                self._class_of[s] = len(self.classes)
            self.classes[number].difference_update(part)
            self.classes.append(set(part))
        self._is_waiting += [False] * len(parts)
        new = [number, *range(first, len(self.classes))]
        if not self._is_waiting[number]:
            new.remove(max(new, key=lambda c: len(self.classes[c])))
        for c in new:
            if not self._is_waiting[c]:
                self._is_waiting[c] = True
                self.waiting.append(c)
        return bool(parts)


def _entering(system: System) -> list[tuple[list[list[int]], list[list[int | Fraction]]]]:
    """For each action, and each state, the states that lead to it, and with which probabilities, all of them
    times one number.
    """
    _, weight_of = integer_weights(system)
    found = []
    for action, chain in system.under.items():
        before: list[list[int]] = [[] for _ in system.states]
        weights: list[list[int | Fraction]] = [[] for _ in system.states]
        for s, row in enumerate(chain.rows):
            if action in system.menu(s):
                for t, p in row.items():
                    before[t].append(s)
                    weights[t].append(weight_of[id(p)])
        found.append((before, weights))
    return found


def integer_weights(system: System) -> tuple[int | None, Mapping[int, int | Fraction]]:
    """A number that makes all probabilities integers, which are quicker to add and to compare, and these by
    what ``id`` says of the probabilities; None, and the probabilities, if it would be too long.
    """
    different = different_numbers(system)
    scale = _common_denominator(different.values())
    if scale is None:
        return None, different
    return scale, {key: p.numerator * (scale // p.denominator) for key, p in different.items()}


def _common_denominator(probabilities: Iterable[Fraction]) -> int | None:
    """The least common denominator; None if it would be too long."""
    common = 1
    for p in probabilities:
        common = lcm(common, p.denominator)
        if common.bit_length() > _LONGEST_COMMON:
            return None
    return common
