"""What is possible after a word: the graph of vectors that unrolling a chain from two secrets leads to.

A *node* stands for two vectors x and y over the states of one label: where the run may be after a word, and
with which probability, from the first and from the second secret. Expanding a node splits it by the labels
of the successors. Two nodes whose vectors differ by one scalar have the same future up to that scalar, so
they are one node; this makes the graph finite more often than the set of words, and gives it cycles.
Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from flint import fmpq

from prover.chain.ld.problem import Pair
from prover.chain.model import LabelledMarkovChain
from prover.exact.field import approximately
from prover.exact.fmpq import fmpq_of

Vector = tuple[tuple[int, int], ...]
"""(state, amount) for the states with a positive amount, in increasing order of the states."""

_LONGEST = 40_000  # bits of a number, from which its node is not expanded any more
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Entry:
    """After ``label`` the vectors are ``factor`` times those of node ``target``; ``chance`` is the
    probability of the label from the first secret, a guide.

    ``defining``: the entry is the one that made the node, and then the factor is 1.
    """

    label: str
    target: int
    factor: fmpq
    chance: float
    defining: bool


@dataclass(slots=True)
class Node:
    """The vectors ``scale``·x and ``scale``·y, where x and y hold integers without a common factor.

    ``mass`` is |x|, and ``total`` the same with the scale: the probability to come here from the first
    secret. ``lower`` and ``upper`` are the bounds as a leaf, in units of ``scale``: max(0, |x| − α|y|), and
    the cost of ``coupling`` (in the same units); ``guide`` has them as parts of |x|. A node without
    ``entries`` is a leaf; one that is ``stuck`` stays so, and one with a ``circle`` is balanced: these
    entries lead to balanced nodes for ever, so that the lower bound is the truth.
    """

    x: Vector
    y: Vector
    scale: fmpq
    mass: int
    total: fmpq
    lower: fmpq
    upper: fmpq
    coupling: Mapping[Pair, fmpq]
    guide: tuple[float, float]
    entries: tuple[Entry, ...] | None = None
    circle: tuple[Entry, ...] = ()
    stuck: bool = False

    @property
    def settled(self) -> bool:
        """Whether the bounds of the leaf agree."""
        return bool(self.lower == self.upper)

    def length(self) -> int:
        """The bits of the longest number."""
        amounts = max(amount.bit_length() for _, amount in (*self.x, *self.y))
        return max(amounts, int(self.scale.q).bit_length())

    def gap(self) -> float:
        """How far apart the leaf's bounds are, as a part of |x|; a guide."""
        return max(0.0, self.guide[1] - self.guide[0])

    def couple(self, coupling: Mapping[Pair, fmpq], cost: fmpq) -> None:
        """Give the leaf another upper bound."""
        self.coupling, self.upper = coupling, cost
        self.guide = self.guide[0], approximately(cost / self.mass)


class Unrolling:
    """The graph of nodes from given pairs of states, its roots, which are the first nodes.

    Every node that is no root is made by one entry of a node before it, and every inner node reaches a leaf.
    Where that would end, there is a circle of balanced nodes, whose values are known (docs/theory.md,
    *Unrollings*, lemma on circles); they are leaves then.
    """

    def __init__(self, chain: LabelledMarkovChain, alpha: Fraction, roots: Sequence[Pair]) -> None:
        self.chain = chain
        self.alpha = fmpq_of(alpha)
        self.roots = tuple(roots)
        self.nodes: list[Node] = []
        self.memory = 0
        """About how many bytes the nodes take."""
        self.checking = 0
        """About how many bits a checker has to compute: certificates have a limit."""
        self._denominators = [lcm(*(p.denominator for p in row.values())) for row in chain.rows]
        self._rows = [
            tuple((t, p.numerator * (d // p.denominator)) for t, p in row.items())
            for row, d in zip(chain.rows, self._denominators, strict=True)
        ]
        self._known: dict[tuple[Vector, Vector], int] = {}
        for s, t in roots:
            self._add(((s, 1),), ((t, 1),), _ONE)

    def expand(self, number: int) -> bool:
        """Turn a leaf into an inner node, or the circle that this closes into balanced nodes.

        False if the leaf's numbers are too long: it is stuck then.
        """
        node = self.nodes[number]
        if node.length() > _LONGEST:
            node.stuck = True
            return False
        node.entries = tuple(
            self._entry(node, label, x, y, factor) for label, x, y, factor in self._successors(node)
        )
        circle = self._without_leaf(number)
        for other in (self.nodes[place] for place in circle):
            other.circle, other.entries = other.entries or (), None
            other.couple({}, other.lower)
        return True

    def _entry(self, node: Node, label: str, x: Vector, y: Vector, factor: fmpq) -> Entry:
        weight = node.scale * factor
        mass = sum(amount for _, amount in x)
        chance = approximately(factor * mass / node.mass)
        known = self._known.get((x, y))
        if known is None:
            return Entry(label, self._add(x, y, weight), _ONE, chance, defining=True)
        return Entry(label, known, weight / self.nodes[known].scale, chance, defining=False)

    def _successors(self, node: Node) -> list[tuple[str, Vector, Vector, fmpq]]:
        """The labels that x leads to, in order, with the vectors on their states, and what to multiply these
        with to get the probabilities.
        """
        common = lcm(*(self._denominators[s] for s, _ in (*node.x, *node.y)))
        x, y = (self._stepped(vector, common) for vector in (node.x, node.y))
        self.checking += (len(x) + len(y)) * (int(node.scale.q).bit_length() + common.bit_length())
        labels = self.chain.labels
        found = []
        for label in sorted({labels[s] for s in x}):
            parts = [sorted((s, v) for s, v in z.items() if labels[s] == label) for z in (x, y)]
            shared = gcd(*(v for part in parts for _, v in part))
            first, second = (tuple((s, v // shared) for s, v in part) for part in parts)
            found.append((label, first, second, fmpq(shared, common)))
        return found

    def _stepped(self, vector: Vector, common: int) -> dict[int, int]:
        after: dict[int, int] = {}
        for s, amount in vector:
            unit = amount * (common // self._denominators[s])
            for t, weight in self._rows[s]:
                after[t] = after.get(t, 0) + unit * weight
        return after

    def _add(self, x: Vector, y: Vector, scale: fmpq) -> int:
        """A new leaf; its coupling leaves all mass where it is."""
        number = len(self.nodes)
        up, down = int(self.alpha.p), int(self.alpha.q)
        mass = sum(amount for _, amount in x)
        there = dict(y)
        lower = max(0, down * mass - up * sum(there.values()))
        upper = sum(max(0, down * amount - up * there.get(s, 0)) for s, amount in x)
        bounds = fmpq(lower, down), fmpq(upper, down)
        guide = approximately(bounds[0] / mass), approximately(bounds[1] / mass)
        self.nodes.append(Node(x, y, scale, mass, scale * mass, *bounds, {}, guide))
        self._known[x, y] = number
        bits = sum(amount.bit_length() for _, amount in (*x, *y)) + int(scale.q).bit_length()
        self.memory += 1_000 + 200 * (len(x) + len(y)) + bits // 2
        return number

    def _without_leaf(self, start: int) -> set[int]:
        """All nodes that an inner node reaches, if none of them is a leaf; or else none."""
        seen, waiting = {start}, [start]
        while waiting:
            entries = self.nodes[waiting.pop()].entries
            if entries is None:
                return set()
            for entry in reversed(entries):
                if entry.target not in seen:
                    seen.add(entry.target)
                    waiting.append(entry.target)
        return seen
