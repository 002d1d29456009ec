"""What words lead to, up to two factors: belief pairs whose vectors are scaled one by one.

M(c·x, d·y) = c^a·d^(1 − a)·M(x, y), so vectors that differ by a factor each have the same moments up to a
known factor, at every order. There are finitely many more often than up to one common factor.
Reference: docs/theory_divergences.md, *Moments of chains*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from flint import fmpq

from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.unrolling.beliefs import BeliefPair, BeliefPairs, Vector
from prover.progress import Progress, silent

MOST_NODES, MOST_BITS = 20_000, 2**26
MOST_CYCLIC_NODES, MOST_CYCLIC_BITS = 1_000, 2**22
"""How many belief pairs are looked into, and how many bits of numbers in all of them; less where runs may
return to a state."""


@dataclass(frozen=True, slots=True)
class Link:
    """After ``label`` the vectors are c times x and d times y of node ``target``."""

    label: str
    target: int
    c: fmpq
    d: fmpq


@dataclass(frozen=True, slots=True)
class MomentNode:
    """The vectors x ≠ 0 and y, the integers of each without a common factor, and the links of every action;
    none at a leaf, which is *open* unless both vectors are equal or y is 0.
    """

    belief: BeliefPair
    choices: dict[str, tuple[Link, ...]]

    @property
    def is_leaf(self) -> bool:
        """Whether nothing follows it."""
        return not self.choices

    @property
    def is_open(self) -> bool:
        """Whether its moments are not known, as it was not looked into."""
        return self.is_leaf and not self.belief.is_decided

    @property
    def targets(self) -> list[int]:
        """The nodes that follow, whatever is done."""
        return [link.target for links in self.choices.values() for link in links]


def moment_graph(
    beliefs: BeliefPairs, roots: Sequence[Pair], progress: Progress = silent, *, most: int = MOST_NODES
) -> tuple[MomentNode, ...]:
    """The nodes that the roots lead to, which are the first ones; breadth first, as far as limits allow.

    At most ``most`` of them have links.
    """
    waiting = [beliefs.of_pair(pair) for pair in roots]
    numbers = {belief: number for number, belief in enumerate(waiting)}
    is_chain = isinstance(beliefs.system, LabelledMarkovChain)
    found: list[MomentNode] = []
    bits, cyclic, opened = 0, not is_chain, 0
    for belief in waiting:  # which grows
        cyclic = cyclic or not beliefs.cyclic.isdisjoint({s for s, _ in (*belief.x, *belief.y)})
        nodes, size = (MOST_CYCLIC_NODES, MOST_CYCLIC_BITS) if cyclic else (MOST_NODES, MOST_BITS)
        choices: dict[str, tuple[Link, ...]] = {}
        if not belief.is_decided and opened < min(nodes, most) and bits <= size:
            opened += 1
            for action in beliefs.menu(belief):
                links = []
                for after in beliefs.expansion(belief, action).successors:
                    to, c, d = _parted(beliefs, after.belief)
                    if to not in numbers:
                        numbers[to] = len(waiting)
                        waiting.append(to)
                        bits += sum(n.bit_length() for _, n in (*to.x, *to.y))
                    links.append(Link(after.label, numbers[to], after.factor * c, after.factor * d))
                choices[action] = tuple(links)
        found.append(MomentNode(belief, choices))
        progress("words (belief pairs)", len(found), None)
    return tuple(found)


def _parted(beliefs: BeliefPairs, belief: BeliefPair) -> tuple[BeliefPair, int, int]:
    """The belief pair with both vectors divided by what their own amounts share, and what that is."""
    c, d = (gcd(*(n for _, n in z)) or 1 for z in (belief.x, belief.y))
    return beliefs.of_vectors(_divided(belief.x, c), _divided(belief.y, d)), c, d


def _divided(vector: Vector, by: int) -> Vector:
    return vector if by == 1 else tuple((s, n // by) for s, n in vector)
