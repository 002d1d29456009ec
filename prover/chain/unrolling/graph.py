"""A chain unrolled from pairs of secrets, at one α: bounds and scales laid on the graph of situations.

A *node* stands for a situation (situations.py) with its scale: where the run may be after a word, and with
which probability, from the first and from the second secret. Expanding a node splits it by the labels of the
successors. Two nodes whose vectors differ by one scalar have the same future up to that scalar, so they are
one node; this makes the graph finite more often than the set of words, and gives it cycles.
Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.ld.problem import Pair
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.situations import Situation, Situations, Successor
from prover.exact.field import approximately
from prover.exact.fmpq import fmpq_of

_LONGEST = 40_000  # bits of a number, from which its node is not expanded any more
_ONE = fmpq(1)


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
class UnrollingNode:
    """The vectors ``scale``·x and ``scale``·y of a situation.

    ``total`` is ``scale``·|x|: the probability to come here from the first secret. ``lower`` and ``upper``
    are the bounds as a leaf, in units of ``scale``: max(0, |x| − α|y|), and the cost of ``coupling`` (in the
    same units); ``guide`` has them as parts of |x|. A node without ``entries`` is a leaf; one that is
    ``stuck`` stays so, and one with a ``circle`` is balanced: these entries lead to balanced nodes for ever,
    so that the lower bound is the truth.
    """

    situation: Situation
    scale: fmpq
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
        x, y = self.situation.x, self.situation.y
        amounts = max(amount.bit_length() for _, amount in (*x, *y))
        return max(amounts, int(self.scale.q).bit_length())

    def gap(self) -> float:
        """How far apart the leaf's bounds are, as a part of |x|; a guide."""
        return max(0.0, self.guide[1] - self.guide[0])

    def couple(self, coupling: Mapping[Pair, fmpq], cost: fmpq) -> None:
        """Give the leaf another upper bound."""
        self.coupling, self.upper = coupling, cost
        self.guide = self.guide[0], approximately(cost / self.situation.mass)


class Unrolling:
    """The graph of nodes from given pairs of states, its roots, which are the first nodes.

    Every node that is no root is made by one entry of a node before it, and every inner node reaches a leaf.
    Where that would end, there is a circle of balanced nodes, whose values are known (docs/theory.md,
    *Unrollings*, lemma on circles); they are leaves then.
    """

    def __init__(self, situations: Situations, alpha: Fraction, roots: Sequence[Pair]) -> None:
        self.alpha = fmpq_of(alpha)
        self.roots = tuple(roots)
        self.nodes: list[UnrollingNode] = []
        self.memory = 0
        """About how many bytes the nodes take, their situations included."""
        self.checking = 0
        """About how many bits a checker has to compute: certificates have a limit."""
        self._situations = situations
        self._known: dict[Situation, int] = {}
        for pair in roots:
            self._add(situations.of_pair(pair), _ONE)

    @property
    def chain(self) -> LabelledMarkovChain:
        """The chain that is unrolled."""
        return self._situations.chain

    def expand(self, number: int) -> bool:
        """Turn a leaf into an inner node, or the circle that this closes into balanced nodes.

        False if the leaf's numbers are too long: it is stuck then.
        """
        node = self.nodes[number]
        if node.length() > _LONGEST:
            node.stuck = True
            return False
        expansion = self._situations.expansion(node.situation)
        self.checking += expansion.width * (int(node.scale.q).bit_length() + expansion.bits)
        node.entries = tuple(self._entry(node, successor) for successor in expansion.successors)
        circle = self._without_leaf(number)
        for other in (self.nodes[place] for place in circle):
            other.circle, other.entries = other.entries or (), None
            other.couple({}, other.lower)
        return True

    def _entry(self, node: UnrollingNode, after: Successor) -> Entry:
        weight = node.scale * after.factor
        known = self._known.get(after.situation)
        if known is None:
            return Entry(after.label, self._add(after.situation, weight), _ONE, after.chance, defining=True)
        return Entry(after.label, known, weight / self.nodes[known].scale, after.chance, defining=False)

    def _add(self, situation: Situation, scale: fmpq) -> int:
        """A new leaf; its coupling leaves all mass where it is."""
        number = len(self.nodes)
        up, down = int(self.alpha.p), int(self.alpha.q)
        x, y, mass = situation.x, situation.y, situation.mass
        there = dict(y)
        lower = max(0, down * mass - up * situation.other_mass)
        upper = sum(max(0, down * amount - up * there.get(s, 0)) for s, amount in x)
        bounds = fmpq(lower, down), fmpq(upper, down)
        guide = approximately(bounds[0] / mass), approximately(bounds[1] / mass)
        self.nodes.append(UnrollingNode(situation, scale, scale * mass, *bounds, {}, guide))
        self._known[situation] = number
        bits = sum(amount.bit_length() for _, amount in (*x, *y)) + int(scale.q).bit_length()
        self.memory += 1_000 + 200 * (len(x) + len(y)) + bits // 2
        return number

    def _without_leaf(self, start: int) -> set[int]:
        """All nodes that an inner node reaches, if none of them is a leaf; or else none.

        The first node is one that was expanded just now: what it has made are leaves.
        """
        if any(entry.defining for entry in self.nodes[start].entries or ()):
            return set()
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
