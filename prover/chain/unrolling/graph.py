"""A system unrolled from pairs of secrets, at one α: what can be known, what can be done, where it leads.

A *node* stands for a belief pair (beliefs.py): where the run may be after something was done and seen, and
with which probability, from the first and from the second secret. Expanding a node asks what follows each
action, and splits it by the labels of the successors; a node may also be where one stops. Nodes whose vectors
differ by one scalar have the same future up to that scalar, so they are one node; this makes the graph finite
more often than the set of words, and gives it cycles.
Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import chain
from operator import attrgetter
from typing import Any

from flint import fmpq

from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import System
from prover.chain.unrolling.beliefs import BeliefPair, BeliefPairs, Successor
from prover.exact.field import approximately
from prover.exact.fmpq import fmpq_of

_LONGEST = 40_000  # bits of a number, from which its node is not expanded any more
_LEAST_BITS = 256  # that a checker of processes counts for a number that it keeps
_ONE = fmpq(1)


@dataclass(frozen=True, slots=True)
class Entry:
    """After ``label`` the vectors are ``factor`` times those of node ``target``; ``chance`` is the
    probability of the label from the first secret, a guide.

    ``defining``: the entry is the one that gave the node its scale, and then the factor is 1.
    """

    label: str
    target: int
    factor: fmpq
    chance: float
    defining: bool


@dataclass(slots=True)
class Node:
    """The vectors ``scale``·x and ``scale``·y of a belief pair.

    ``total`` is ``scale``·|x|: in chains the probability to come here from the first secret. ``lower`` and
    ``upper`` are the bounds as a leaf, in units of ``scale``: max(0, |x| − α|y|), which is gained by
    stopping, and the cost of ``coupling`` (in the same units); ``guide`` has them as parts of |x|.
    ``length`` is how many bits a checker counts for a number of the node.

    ``choices`` are the entries of every action, in the order of the menu; None as long as the node is a leaf.
    One that is ``stuck`` stays so, and one with a ``circle`` is balanced: these entries lead to balanced
    nodes for ever, so that the lower bound is the truth. ``by_nature``: nature chooses here, and the choice
    is ``hidden`` if the next label does not always show it.
    """

    belief: BeliefPair
    scale: fmpq
    total: fmpq
    lower: fmpq
    upper: fmpq
    coupling: Mapping[Pair, fmpq]
    guide: tuple[float, float]
    length: int
    choices: tuple[tuple[Entry, ...], ...] | None = None
    circle: tuple[Entry, ...] = ()
    stuck: bool = False
    by_nature: bool = False
    hidden: bool = False

    def as_now(self) -> Node:
        """The node as it is now: later changes leave this one as it is."""
        return Node(*_fields_of(self))

    @property
    def is_leaf(self) -> bool:
        """Whether nothing follows it."""
        return self.choices is None

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What follows it, whatever is done."""
        choices = self.choices or ((),)
        return choices[0] if len(choices) == 1 else tuple(chain.from_iterable(choices))

    @property
    def settled(self) -> bool:
        """Whether the bounds of the leaf agree."""
        return bool(self.lower == self.upper)

    @property
    def is_open(self) -> bool:
        """Whether it is a leaf that may be expanded."""
        return self.choices is None and not self.stuck and not self.settled

    @property
    def stop(self) -> fmpq:
        """What is gained by stopping here."""
        return self.scale * self.lower

    def gap(self) -> float:
        """How far apart the leaf's bounds are, as a part of |x|; a guide."""
        return max(0.0, self.guide[1] - self.guide[0])

    def couple(self, coupling: Mapping[Pair, fmpq], cost: fmpq) -> None:
        """Give the leaf another upper bound."""
        self.coupling, self.upper = coupling, cost
        self.guide = self.guide[0], approximately(cost / self.belief.mass)


_fields_of: Callable[[Node], tuple[Any, ...]] = attrgetter(*(one.name for one in fields(Node)))


class Unrolling:
    """The graph of nodes from given pairs of states, its roots, which are the first nodes.

    In the graph of a chain every node that is no root gets its scale from one entry of a node before it, so
    that many factors are 1, and every inner node reaches a leaf. Where that would end, there is a circle of
    balanced nodes, whose values are known (docs/theory.md, *Unrollings*, lemma on circles); they are leaves
    then. Where an attacker chooses all scales are 1. ``nature`` are the actions that nature chooses.
    """

    def __init__(
        self,
        beliefs: BeliefPairs,
        alpha: Fraction,
        roots: Sequence[Pair],
        nature: frozenset[str] = frozenset(),
    ) -> None:
        self.alpha = fmpq_of(alpha)
        self.roots = tuple(roots)
        self.nodes: list[Node] = []
        self.memory = 0
        """About how many bytes the nodes take, their belief pairs included."""
        self.checking = 0
        """About how many bits a checker has to compute: certificates have a limit."""
        self.chooses = not isinstance(beliefs.system, LabelledMarkovChain)
        """Whether there may be something to choose."""
        self.nature = nature
        self._beliefs = beliefs
        self._numbers: dict[BeliefPair, int] = {}
        for pair in roots:
            self._add(beliefs.of_pair(pair), _ONE, 1)

    @property
    def system(self) -> System:
        """The system that is unrolled."""
        return self._beliefs.system

    def expand(self, number: int) -> bool:
        """Turn a leaf into an inner node, or the circle that this closes into balanced nodes.

        False if the leaf's numbers are too long: it is stuck then.
        """
        node = self.nodes[number]
        amounts = max(amount.bit_length() for _, amount in (*node.belief.x, *node.belief.y))
        if max(amounts, int(node.scale.q).bit_length()) > _LONGEST:
            node.stuck = True
            return False
        choices = []
        for action in self._beliefs.menu(node.belief):
            expansion = self._beliefs.expansion(node.belief, action)
            length = node.length + expansion.bits
            self.checking += expansion.width * (max(_LEAST_BITS, length) if self.chooses else length)
            choices.append(tuple(self._entry(node, after, length) for after in expansion.successors))
        node.choices = tuple(choices)
        node.by_nature = not self.nature.isdisjoint(self._beliefs.menu(node.belief))
        node.hidden = node.by_nature and not self._is_shown(node.belief)
        if not self.chooses:
            for other in (self.nodes[index] for index in self._without_leaf(number)):
                other.circle, other.choices = other.entries, None
                other.couple({}, other.lower)
        return True

    def _is_shown(self, belief: BeliefPair) -> bool:
        """Whether the next label shows which action was taken, under both secrets."""
        system, states = self.system, {s for s, _ in (*belief.x, *belief.y)}
        seen = [
            {system.labels[t] for s in states for t in system.row(s, action)}
            for action in self._beliefs.menu(belief)
        ]
        return sum(map(len, seen)) == len(set[str]().union(*seen))

    def _entry(self, node: Node, after: Successor, length: int) -> Entry:
        number = self._numbers.get(after.belief)
        if self.chooses:
            number = self._add(after.belief, _ONE, length) if number is None else number
            return Entry(after.label, number, after.factor, after.chance, defining=False)
        weight = node.scale * after.factor
        if number is None:
            number = self._add(after.belief, weight, int(weight.q).bit_length())
            return Entry(after.label, number, _ONE, after.chance, defining=True)
        return Entry(after.label, number, weight / self.nodes[number].scale, after.chance, defining=False)

    def _add(self, belief: BeliefPair, scale: fmpq, length: int) -> int:
        """A new leaf; its coupling leaves all mass where it is."""
        number = len(self.nodes)
        up, down = int(self.alpha.p), int(self.alpha.q)
        x, y, mass = belief.x, belief.y, belief.mass
        there = dict(y)
        lower = max(0, down * mass - up * belief.other_mass)
        upper = sum(max(0, down * amount - up * there.get(s, 0)) for s, amount in x)
        bounds = fmpq(lower, down), fmpq(upper, down)
        guide = approximately(bounds[0] / mass), approximately(bounds[1] / mass)
        self.nodes.append(Node(belief, scale, scale * mass, *bounds, {}, guide, length))
        self._numbers[belief] = number
        bits = sum(amount.bit_length() for _, amount in (*x, *y)) + int(scale.q).bit_length()
        self.memory += 1_000 + 200 * (len(x) + len(y)) + bits // 2
        return number

    def _without_leaf(self, start: int) -> set[int]:
        """All nodes that an inner node reaches, if none of them is a leaf; or else none.

        The first node is one that was expanded just now: what it has made are leaves.
        """
        if any(entry.defining for entry in self.nodes[start].entries):
            return set()
        seen, waiting = {start}, [start]
        while waiting:
            node = self.nodes[waiting.pop()]
            if node.is_leaf:
                return set()
            for entry in reversed(node.entries):
                if entry.target not in seen:
                    seen.add(entry.target)
                    waiting.append(entry.target)
        return seen
