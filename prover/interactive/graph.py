"""A process unrolled from pairs of secrets, at one α: what can be known, what can be done, where it leads.

A node stands for a situation: where the run may be after something was done and seen, with probabilities from
the first and from the second secret, as integers without a common factor. Expanding a node asks what follows
each action; a node may always stop, too. Nodes are shared, so there are cycles.
Reference: docs/theory_interactive.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.model import Pair
from prover.chain.unrolling.situations import Situation
from prover.exact.field import approximately
from prover.exact.fmpq import fmpq_of
from prover.interactive.merging import InteractiveSituations

_LONGEST = 40_000  # bits of a number, from which its node is not expanded any more
_BYTES_OF_NODE = 600
_LEAST_BITS = 256  # that a checker counts for a number that it keeps


@dataclass(frozen=True, slots=True)
class Entry:
    """After ``label`` the vectors are ``factor`` times those of node ``target``; ``chance`` is the
    probability of the label from the first secret, a guide.
    """

    label: str
    target: int
    factor: fmpq
    chance: float


@dataclass(slots=True)
class InteractiveNode:
    """A situation with its bounds, in its own units: ``mass`` is |x|.

    ``stop`` = max(0, |x| − α|y|) is what is gained by stopping, ``most`` = Σ max(0, x_k − α y_k) at most what
    can be gained; ``length`` is how many bits a checker counts for a number of it. ``choices`` are the
    entries of every action, None as long as the node is a leaf; one that is ``stuck`` stays so.
    """

    situation: Situation
    stop: fmpq
    most: fmpq
    length: int
    choices: Mapping[str, tuple[Entry, ...]] | None = None
    stuck: bool = False

    @property
    def mass(self) -> int:
        """|x|."""
        return self.situation.mass

    @property
    def settled(self) -> bool:
        """Whether nothing is gained by going on, as the bounds of the leaf agree."""
        return bool(self.stop == self.most)

    @property
    def is_open(self) -> bool:
        """Whether it is a leaf that may be expanded."""
        return self.choices is None and not self.stuck and not self.settled

    def guide(self) -> tuple[float, float]:
        """Both bounds of the leaf as parts of |x|, in floating point."""
        return approximately(self.stop / self.mass), approximately(self.most / self.mass)


class InteractiveUnrolling:
    """The graph of nodes from given pairs of states; these are the first nodes, in their order."""

    def __init__(self, situations: InteractiveSituations, alpha: Fraction, roots: Sequence[Pair]) -> None:
        self.alpha = fmpq_of(alpha)
        self.roots = tuple(roots)
        self.nodes: list[InteractiveNode] = []
        self.checking = 0
        """About how many bits a checker has to compute: certificates have a limit."""
        self._situations = situations
        self._known: dict[Situation, int] = {}
        self._vectors: dict[tuple[object, object], int] = {}
        for pair in roots:
            self._place(situations.of_pair(pair), 1)

    @property
    def memory(self) -> int:
        """About how many bytes the nodes take, their situations included."""
        return self._situations.memory + _BYTES_OF_NODE * len(self.nodes)

    def expand(self, number: int) -> bool:
        """Turn a leaf into an inner node; False if its numbers are too long: it is stuck then."""
        node = self.nodes[number]
        situation = node.situation
        if max(amount.bit_length() for _, amount in (*situation.x, *situation.y)) > _LONGEST:
            node.stuck = True
            return False
        choices = {}
        for action in self._situations.menu(situation):
            successors, width, bits = self._situations.after(situation, action)
            length = node.length + bits
            self.checking += width * max(_LEAST_BITS, length)
            choices[action] = tuple(
                Entry(after.label, self._place(after.situation, length), after.factor, after.chance)
                for after in successors
            )
        node.choices = choices
        return True

    def _place(self, situation: Situation, length: int) -> int:
        """The number of the node of a situation, a new leaf where there is none yet."""
        known = self._known.get(situation)
        if known is not None:
            return known
        key = situation.x, situation.y  # the same under another action is another object
        number = self._vectors.setdefault(key, len(self.nodes))
        self._known[situation] = number
        if number == len(self.nodes):
            self.nodes.append(self._leaf(situation, length))
        return number

    def _leaf(self, situation: Situation, length: int) -> InteractiveNode:
        up, down = int(self.alpha.p), int(self.alpha.q)
        there = dict(situation.y)
        stop = max(0, down * situation.mass - up * situation.other_mass)
        most = sum(max(0, down * amount - up * there.get(s, 0)) for s, amount in situation.x)
        return InteractiveNode(situation, fmpq(stop, down), fmpq(most, down), length)
