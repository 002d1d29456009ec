"""The belief pairs of a system, for all α at once: where two runs may be after the same word.

After a word let x and y be the vectors of where a run may be, and with which probability, from the first and
from the second secret. The *belief pair* is this pair up to one common scalar: words with the same belief
pair have the same future. It leads, by an action and the next label, to other belief pairs. None of this
depends on α, so questions about several values of α explore it once: breakpoints are read off it, and an
unrolling is a layer on it.
Reference: docs/theory.md, *Unrollings* and *δ as a function of α*; docs/theory_interactive.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

from flint import fmpq

from prover.certificate.schema import Json
from prover.chain.bisimulation import Classes, bisimilar_classes, numbers_of
from prover.chain.model import ANONYMOUS, Pair
from prover.chain.process import System, quotient_of
from prover.exact.field import approximately
from prover.graphs import strong_components

Vector = tuple[tuple[int, int], ...]
"""(state, amount) for the states with a positive amount, in increasing order of the states."""


LabelPart = tuple[str, Vector, Vector, int]
"""A label with the parts of both vectors on its states, divided by what all their amounts share."""


@dataclass(eq=False, slots=True)
class BeliefPair:
    """The vectors x ≠ 0 and y over the states of one label, as integers without a common factor.

    ``mass`` is |x| and ``other_mass`` is |y|. ``expansions`` are those asked for by now, by their actions.
    """

    x: Vector
    y: Vector
    mass: int
    other_mass: int
    expansions: dict[str, Expansion] = field(default_factory=dict)

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
    """After ``label`` the vectors are ``factor`` times those of ``belief``.

    ``chance`` is the probability of the label from the first secret, a guide.
    """

    label: str
    belief: BeliefPair
    factor: fmpq
    chance: float


@dataclass(frozen=True, slots=True)
class Expansion:
    """Where an action leads: a successor for every label that x leads to, in order of the labels.

    ``width`` counts the amounts of both vectors one step later, ``bits`` are those of their common
    denominator ``common``: what a checker has to work with. ``parts`` are these vectors label by label.
    """

    successors: tuple[Successor, ...]
    width: int
    common: int
    parts: tuple[LabelPart, ...]

    @property
    def bits(self) -> int:
        """Of the common denominator."""
        return self.common.bit_length()


class BeliefPairs:
    """The belief pairs of a system that were come across so far; each is one object."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.memory = 0
        """About how many bytes the belief pairs take."""
        self.endless: set[Pair] = set()
        """Pairs of which more belief pairs arise than are tried."""
        self.heaviest: dict[tuple[Pair, Fraction, int], frozenset[BeliefPair]] = {}
        """Of these pairs, those that are looked into for a width of δ, as far as a limit (word_graph.py)."""
        self._rows = {action: _IntegerRows(chain.rows) for action, chain in system.under.items()}
        self._known: dict[tuple[Vector, Vector], BeliefPair] = {}

    @cached_property
    def cyclic(self) -> frozenset[int]:
        """The states of a chain with a way back to themselves, except absorbing ones."""
        rows = self.system.under[ANONYMOUS].rows
        parts = strong_components(range(len(rows)), rows.__getitem__)
        found = {s for part in parts if len(part) > 1 for s in part}
        return frozenset(found | {s for s, row in enumerate(rows) if s in row and len(row) > 1})

    def of_pair(self, pair: Pair) -> BeliefPair:
        """The belief pair at the beginning: one secret against the other, before any step."""
        return self.of_vectors(((pair[0], 1),), ((pair[1], 1),))

    def menu(self, belief: BeliefPair) -> tuple[str, ...]:
        """What can be done."""
        return self.system.menu(belief.x[0][0])

    def expansion(self, belief: BeliefPair, action: str = ANONYMOUS) -> Expansion:
        """Where an action leads; computed when it is first asked for."""
        found = belief.expansions.get(action)
        if found is None:
            found = belief.expansions[action] = self._expanded(belief, action)
        return found

    def forget(self) -> None:
        """Keep no belief pair any more. What was asked for before is not to be mixed with what comes."""
        self._known.clear()
        self.memory = 0

    def _expanded(self, belief: BeliefPair, action: str) -> Expansion:
        swapped = self._known.get((belief.y, belief.x))
        if swapped is not None and action in swapped.expansions:  # the other way round, it is known
            same = swapped.expansions[action]
            common, width = same.common, same.width
            parts = [(label, x, y, shared) for label, y, x, shared in same.parts]
        else:
            rows = self._rows[action]
            common = rows.common({s for s, _ in belief.x} | {s for s, _ in belief.y})
            x, y = (rows.stepped(vector, common) for vector in (belief.x, belief.y))
            width, parts = len(x) + len(y), self._parts(x, y)
        found, kept = list[Successor](), list[LabelPart]()
        for label, first, second, shared in parts:
            if first:
                after, factor = self.of_vectors(first, second), fmpq(shared, common)
                chance = approximately(factor * after.mass / belief.mass)
                found.append(Successor(label, after, factor, chance))
                first, second = after.x, after.y  # one copy of equal vectors
            else:
                self.memory += 100 * len(second)
            kept.append((label, first, second, shared))
        return Expansion(tuple(found), width, common, tuple(kept))

    def _parts(self, x: Mapping[int, int], y: Mapping[int, int]) -> list[LabelPart]:
        """Both vectors label by label, in order of the labels."""
        labels = self.system.labels
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

    def of_vectors(self, x: Vector, y: Vector) -> BeliefPair:
        """The belief pair of two vectors, x ≠ 0, whose amounts have no common factor; kept from now on."""
        found = self._known.get((x, y))
        if found is None:
            mass, other_mass = (sum(amount for _, amount in z) for z in (x, y))
            found = BeliefPair(x, y, mass, other_mass)
            self._known[x, y] = found
            bits = sum(amount.bit_length() for _, amount in (*x, *y))
            self.memory += 1_000 + 200 * (len(x) + len(y)) + bits // 8
        return found


class _IntegerRows(dict[int, tuple[int, Vector]]):
    """The rows of a chain as integers, each after its denominator; made when they are first asked for."""

    def __init__(self, rows: Sequence[Mapping[int, Fraction]]) -> None:
        super().__init__()
        self._given = rows

    def __missing__(self, state: int) -> tuple[int, Vector]:
        row = self._given[state]
        common = lcm(*(p.denominator for p in row.values()))
        entries = tuple((t, p.numerator * (common // p.denominator)) for t, p in row.items())
        self[state] = found = common, entries
        return found

    def common(self, states: Iterable[int]) -> int:
        """A common denominator of the rows of some states."""
        return lcm(*{self[s][0] for s in states})

    def stepped(self, vector: Vector, common: int) -> dict[int, int]:
        """The vector one step later, times ``common``."""
        after: dict[int, int] = {}
        get = after.get
        for s, amount in vector:
            denominator, row = self[s]
            unit = amount * (common // denominator)
            for t, weight in row:
                after[t] = get(t, 0) + unit * weight
        return after


def _divided(entries: list[tuple[int, int]], by: int) -> Vector:
    return tuple(entries) if by == 1 else tuple([(s, v // by) for s, v in entries])


@dataclass(frozen=True, slots=True)
class MergedSystem:
    """A system divided by bisimilarity, with its belief pairs: what questions about any α have in common.

    ``system`` is the quotient by ``classes``, and ``state_of`` says which of its states stands for each
    state. Only pairs that are ``looked`` into are explored; None is all. Of each at most so many belief pairs
    are ``opened``, those that weigh most; None is as many as limits allow.
    """

    classes: Classes
    system: System
    state_of: Mapping[int, int]
    beliefs: BeliefPairs
    looked: frozenset[Pair] | None = None
    opened: int | None = None

    @staticmethod
    def of(system: System) -> MergedSystem:
        """The system with bisimilar states merged, and no belief pair explored yet."""
        classes = bisimilar_classes(system)
        merged = quotient_of(system, classes)
        # Both number the classes in the order of their first members.
        return MergedSystem(classes, merged, numbers_of(classes), BeliefPairs(merged))

    @staticmethod
    def as_it_is(system: System, looked: Iterable[Pair], opened: int | None = None) -> MergedSystem:
        """The system without a search for bisimilar states, of which a few pairs are looked into."""
        states = range(len(system))
        classes = tuple((state,) for state in states)
        return MergedSystem(
            classes, system, numbers_of(classes), BeliefPairs(system), frozenset(looked), opened
        )

    def of_some(self, pairs: Iterable[Pair]) -> MergedSystem:
        """The same before anything was explored, and a few pairs of the system only are looked into."""
        looked = frozenset(map(self.pair, pairs))
        return MergedSystem(self.classes, self.system, self.state_of, BeliefPairs(self.system), looked)

    def is_looked_into(self, pair: Pair) -> bool:
        """Whether a pair of the quotient is explored; of others it is known only what their labels say."""
        return self.looked is None or pair in self.looked

    def classes_evidence(self) -> Json:
        """What certificates about the quotient say of the classes: nothing where every state is one."""
        if len(self.classes) == sum(map(len, self.classes)):
            return {}
        return {"classes": [list(members) for members in self.classes]}

    def pair(self, pair: Pair) -> Pair:
        """The pair of the quotient that stands for a pair of the system."""
        return self.state_of[pair[0]], self.state_of[pair[1]]
