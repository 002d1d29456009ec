"""Bisimilarity ∼: which states nothing that can be observed ever tells apart.

Reference: docs/theory.md, *Kernels and ranks*.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from prover.chain.model import LabelledMarkovChain
from prover.errors import must_be

_LONGEST_COMMON = 4_096  # bits


@dataclass(frozen=True, slots=True)
class Bisimilarity:
    """The classes of ∼ and the sets that split the label partition into them, in the order of their use."""

    classes: tuple[tuple[int, ...], ...]
    splitters: tuple[tuple[int, ...], ...]

    def class_of(self) -> dict[int, int]:
        """The number of the class of every state."""
        return {s: c for c, members in enumerate(self.classes) for s in members}


def bisimilarity(chain: LabelledMarkovChain) -> Bisimilarity:
    """Partition refinement: split by the probability of entering a class, until nothing splits.

    A set that once served as a splitter needs no second turn: only what it has been split into does. Each
    turn looks at the states with a transition into the splitter and at nothing else.

        >>> chain = LabelledMarkovChain.of({"a": ("x", {"a": 1}), "b": ("x", {"a": 1}), "c": ("y", {"b": 1})})
        >>> bisimilarity(chain).classes
        ((0, 1), (2,))
    """
    must_be(LabelledMarkovChain, chain=chain)
    scale = _common_denominator(chain)
    entering: list[list[tuple[int, int | Fraction]]] = [[] for _ in chain.states]
    for s, row in enumerate(chain.rows):
        for t, probability in row.items():
            scaled = probability * scale
            entering[t].append((s, scaled.numerator if scaled.denominator == 1 else scaled))
    classes = _groups(range(len(chain)), chain.labels.__getitem__)
    class_of = {s: c for c, members in enumerate(classes) for s in members}
    waiting = deque(tuple(members) for members in classes)
    splitters: list[tuple[int, ...]] = []
    while waiting:
        splitter = waiting.popleft()
        mass: dict[int, int | Fraction] = {}
        for t in splitter:
            for s, weight in entering[t]:
                mass[s] = mass.get(s, 0) + weight
        split = False
        for c in sorted({class_of[s] for s in mass}):
            pieces = _groups(classes[c], lambda s, mass=mass: mass.get(s, 0))  # type: ignore[misc]
            if len(pieces) == 1:
                continue
            split = True
            waiting.extend(tuple(piece) for piece in pieces)
            classes[c] = pieces[0]
            for piece in pieces[1:]:
                class_of.update(dict.fromkeys(piece, len(classes)))
                classes.append(piece)
        if split:
            splitters.append(splitter)
    return Bisimilarity(tuple(sorted(tuple(members) for members in classes)), tuple(splitters))


def _common_denominator(chain: LabelledMarkovChain) -> int:
    """A number that makes all probabilities integers, which are quicker to add and to compare; 1 if it would
    be too long.
    """
    common = 1
    for row in chain.rows:
        common = lcm(common, *(p.denominator for p in row.values()))
        if common.bit_length() > _LONGEST_COMMON:
            return 1
    return common


def _groups(members: Iterable[int], key: Callable[[int], object]) -> list[list[int]]:
    groups: dict[object, list[int]] = {}
    for s in members:
        groups.setdefault(key(s), []).append(s)
    return list(groups.values())
