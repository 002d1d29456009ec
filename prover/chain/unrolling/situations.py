"""What two runs that have shown the same word have come to: the situations of a chain, for all α at once.

After a word let x and y be the vectors of where a run may be, and with which probability, from the first and
from the second secret. The *situation* is this pair up to one common scalar: words with the same situation
have the same future. It leads, by the next label, to other situations. None of this depends on α; so whoever
asks about several values of α explores it once: breakpoints are read off it, an unrolling is a layer on it.
Reference: docs/theory.md, *Unrollings* and *δ as a function of α*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd, lcm

from flint import fmpq

from prover.chain.bisimulation import Bisimilarity, bisimilarity
from prover.chain.model import LabelledMarkovChain, Pair, quotient
from prover.exact.field import approximately

Vector = tuple[tuple[int, int], ...]
"""(state, amount) for the states with a positive amount, in increasing order of the states."""


Part = tuple[str, Vector, Vector, int]
"""A label with the parts of both vectors on its states, divided by what all their amounts share."""


@dataclass(eq=False, slots=True)
class Situation:
    """The vectors x ≠ 0 and y over the states of one label, as integers without a common factor.

    ``mass`` is |x| and ``other_mass`` is |y|. ``expansion`` is None until it is asked for.
    """

    x: Vector
    y: Vector
    mass: int
    other_mass: int
    expansion: Expansion | None = None

    @property
    def ratio(self) -> fmpq:
        """|y| / |x|: how likely the word is from the second secret, as a multiple of the first."""
        return fmpq(self.other_mass, self.mass)

    @property
    def is_decided(self) -> bool:
        """Whether later labels tell nothing: one vector is a multiple of the other."""
        if not self.y:
            return True
        if [s for s, _ in self.x] != [s for s, _ in self.y]:
            return False
        first, other = self.x[0][1], self.y[0][1]
        return all(b * first == a * other for (_, a), (_, b) in zip(self.x, self.y, strict=True))


@dataclass(frozen=True, slots=True)
class Successor:
    """After ``label`` the vectors are ``factor`` times those of ``situation``.

    ``chance`` is the probability of the label from the first secret, a guide.
    """

    label: str
    situation: Situation
    factor: fmpq
    chance: float


@dataclass(frozen=True, slots=True)
class Expansion:
    """Where a situation leads: a successor for every label that x leads to, in order of the labels.

    ``width`` counts the amounts of both vectors one step later, ``bits`` are those of their common
    denominator ``common``: what a checker has to work with. ``parts`` are these vectors label by label.
    """

    successors: tuple[Successor, ...]
    width: int
    common: int
    parts: tuple[Part, ...]

    @property
    def bits(self) -> int:
        """Of the common denominator."""
        return self.common.bit_length()


class Situations:
    """The situations of a chain that were come across so far; each is one object."""

    def __init__(self, chain: LabelledMarkovChain) -> None:
        self.chain = chain
        self.memory = 0
        """About how many bytes the situations take."""
        self.endless: set[Pair] = set()
        """Pairs of which more situations arise than are tried."""
        self._denominators = [lcm(*(p.denominator for p in row.values())) for row in chain.rows]
        self._rows = [
            tuple((t, p.numerator * (d // p.denominator)) for t, p in row.items())
            for row, d in zip(chain.rows, self._denominators, strict=True)
        ]
        self._known: dict[tuple[Vector, Vector], Situation] = {}

    def of_pair(self, pair: Pair) -> Situation:
        """The situation at the beginning: one secret against the other, before any step."""
        return self._situation(((pair[0], 1),), ((pair[1], 1),))

    def of_vectors(self, x: Vector, y: Vector) -> Situation:
        """The situation of two vectors x ≠ 0 and y without a common factor."""
        return self._situation(x, y)

    def expansion(self, situation: Situation) -> Expansion:
        """Where a situation leads; computed when it is first asked for."""
        if situation.expansion is None:
            situation.expansion = self._expanded(situation)
        return situation.expansion

    def forget(self) -> None:
        """Keep no situation any more. What was asked for before is not to be mixed with what comes."""
        self._known.clear()
        self.memory = 0

    def _expanded(self, situation: Situation) -> Expansion:
        swapped = self._known.get((situation.y, situation.x))
        if swapped is not None and swapped.expansion is not None:  # the other way round, it is known
            same = swapped.expansion
            common, width = same.common, same.width
            parts = [(label, x, y, shared) for label, y, x, shared in same.parts]
        else:
            states = {s for s, _ in situation.x} | {s for s, _ in situation.y}
            common = lcm(*{self._denominators[s] for s in states})
            x, y = (self._stepped(vector, common) for vector in (situation.x, situation.y))
            width, parts = len(x) + len(y), self._parts(x, y)
        found, kept = list[Successor](), list[Part]()
        for label, first, second, shared in parts:
            if first:
                after, factor = self._situation(first, second), fmpq(shared, common)
                chance = approximately(factor * after.mass / situation.mass)
                found.append(Successor(label, after, factor, chance))
                first, second = after.x, after.y  # one copy of equal vectors
            else:
                self.memory += 100 * len(second)
            kept.append((label, first, second, shared))
        return Expansion(tuple(found), width, common, tuple(kept))

    def _stepped(self, vector: Vector, common: int) -> dict[int, int]:
        """The vector one step later, times ``common``."""
        after: dict[int, int] = {}
        get, rows, denominators = after.get, self._rows, self._denominators
        for s, amount in vector:
            unit = amount * (common // denominators[s])
            for t, weight in rows[s]:
                after[t] = get(t, 0) + unit * weight
        return after

    def _parts(self, x: Mapping[int, int], y: Mapping[int, int]) -> list[Part]:
        """Both vectors label by label, in order of the labels."""
        labels = self.chain.labels
        groups: dict[str, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
        for side, z in enumerate((x, y)):
            for entry in sorted(z.items()):
                label = labels[entry[0]]
                if label not in groups:
                    groups[label] = [], []
                groups[label][side].append(entry)
        found = []
        for label, (first, second) in sorted(groups.items()):
            shared = gcd(*(v for _, v in first), *(v for _, v in second))
            found.append((label, _divided(first, shared), _divided(second, shared), shared))
        return found

    def _situation(self, x: Vector, y: Vector) -> Situation:
        found = self._known.get((x, y))
        if found is None:
            mass, other_mass = (sum(amount for _, amount in z) for z in (x, y))
            found = Situation(x, y, mass, other_mass)
            self._known[x, y] = found
            bits = sum(amount.bit_length() for _, amount in (*x, *y))
            self.memory += 1_000 + 200 * (len(x) + len(y)) + bits // 8
        return found


def _divided(entries: list[tuple[int, int]], by: int) -> Vector:
    return tuple(entries) if by == 1 else tuple([(s, v // by) for s, v in entries])


@dataclass(frozen=True, slots=True)
class MergedChain:
    """A chain divided by bisimilarity, with its situations: what questions about any α have in common.

    ``chain`` is the quotient by ``classes``, and ``place`` says which of its states stands for each state.
    """

    classes: Bisimilarity
    chain: LabelledMarkovChain
    place: Mapping[int, int]
    situations: Situations

    @staticmethod
    def of(chain: LabelledMarkovChain) -> MergedChain:
        """The chain with bisimilar states merged, and no situation explored yet."""
        classes = bisimilarity(chain)
        merged = quotient(chain, classes.classes)
        # Both number the classes in the order of their first members.
        return MergedChain(classes, merged, classes.class_of(), Situations(merged))

    def twin(self, pair: Pair) -> Pair:
        """The pair of the quotient that stands for a pair of the chain."""
        return self.place[pair[0]], self.place[pair[1]]
