"""The event that tells two secrets apart: words that are more likely, by more than the factor α, from one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from flint import fmpq

from prover.chain.ld.problem import Pair
from prover.chain.unrolling.event import Event, Word, Worth, event_at_once, event_of
from prover.chain.unrolling.graph import UnrollingNode
from prover.chain.unrolling.intervals import Intervals
from prover.chain.unrolling.node_values import Values
from prover.errors import EMPTY, abbreviated
from prover.exact.fmpq import fraction_of
from prover.views import Lined

SHOWN = 5
"""The most words that are shown."""

_ZERO = fmpq(0)


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Lined):
    """An event E: the run begins with one of certain words. Some shortest ones are shown, all if
    ``complete``; ``event`` is the rule for all of them.

    P[E | source] − α P[E | target] is the lower bound of the answer. The probabilities are exact where that
    is known exactly; otherwise P[E | source] is at least ``from_probability`` and P[E | target] at most
    ``to_probability``, up to the rounding of the last digits.
    """

    source: str
    target: str
    words: tuple[Word, ...]
    from_probability: Fraction
    to_probability: Fraction
    event: Event = field(compare=False)

    @property
    def complete(self) -> bool:
        """Whether all words of the event are shown."""
        return len(self.words) == self.event.count

    def __str__(self) -> str:
        told = f"{abbreviated(self.source) or EMPTY} is told from {abbreviated(self.target) or EMPTY}"
        return f"{told} by {self.event.extent}"


def attack(found: Intervals, pair: Pair, names: Sequence[str]) -> Attack | None:
    """The event behind the lower bound of a pair; None if that is 0."""
    if found.lower[pair] == 0:
        return None
    nodes, root = found.nodes, found.root(pair)
    label = found.merged.chain.labels[found.merged.place[pair[0]]]
    if root is None:  # the labels of the two secrets differ
        event, chances = event_at_once(label), (Fraction(1), Fraction(0))
    else:
        event = event_of(
            label, root, lambda node: nodes[node].entries or (), lambda node: _worth(nodes[node])
        )
        values = Values(nodes, found.order, found.settled)
        there = values.solve(lambda node: fmpq(node.situation.mass) if node.lower > 0 else _ZERO, below=True)
        here = values.solve(
            lambda node: fmpq(node.situation.other_mass) if node.lower > 0 else _ZERO, below=False
        )
        chances = fraction_of(there[root]), fraction_of(here[root])
    words = tuple(islice(event.words(), SHOWN))
    return Attack(names[pair[0]], names[pair[1]], words, *chances, event)


def _worth(node: UnrollingNode) -> Worth | None:
    """The probabilities to come to a leaf of the event; None of other nodes."""
    if node.entries is not None or node.lower == 0:
        return None
    return node.total, node.scale * node.situation.other_mass
