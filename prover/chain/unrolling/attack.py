"""The event that distinguishes two secrets: words that are more likely under one, by more than α.

An attack may do no more than count steps: nothing is left of it where only changes of the label are seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby, islice

from flint import fmpq

from prover.chain.collapsing.collapse import collapse
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain, Pair, reachable, restrict
from prover.chain.unrolling.event import Event, EventWord, Worth, event_at_once, event_of
from prover.chain.unrolling.graph import Node
from prover.chain.unrolling.intervals import Intervals
from prover.chain.unrolling.values import GraphValues
from prover.errors import abbreviated, short_name
from prover.exact.fmpq import fraction_of
from prover.views import Printed

SHOWN = 5
"""The most words that are shown."""

_ZERO = fmpq(0)
_MOST_STATES = 1_000  # of which it is looked up whether time is all that tells them apart


@dataclass(frozen=True, slots=True, repr=False)
class Attack(Printed):
    """Guess ``source`` if the event E happens: the output begins with one of certain words.

    ``words`` are some of the shortest words, all of them if ``complete``; ``event`` is the rule for all.

    P[E | source] − α P[E | target] is the lower bound of the answer. The probabilities are exact if this is
    known exactly. Otherwise P[E | source] is at least ``from_probability`` and P[E | target] at most
    ``to_probability``, up to the rounding of the last digits. ``print(attack)`` prints the words.
    """

    source: str
    target: str
    words: tuple[EventWord, ...]
    from_probability: Fraction
    to_probability: Fraction
    event: Event = field(compare=False)

    @property
    def complete(self) -> bool:
        """Whether all words of the event are shown."""
        return len(self.words) == self.event.count

    def uncut(self, label: str | None, lost: Fraction) -> Attack:
        """The attack where runs that show this label are in truth lost, with at most this probability: the
        event without them.
        """
        return replace(
            self,
            words=tuple(word for word in self.words if label not in word.labels),
            from_probability=max(Fraction(0), self.from_probability - lost),
            to_probability=min(Fraction(1), self.to_probability + lost),
        )

    @property
    def headline(self) -> str:
        """The attack in a line, without its outputs."""
        several = self.event.count != 1
        only = ", ".join(map(short_name, self.words[0].labels))
        begins = f"one of {self.event.extent}" if several else abbreviated(only)
        s, t = short_name(self.source), short_name(self.target)
        return f"guess {s}, not {t}, if the output begins with {begins}"


def attack(found: Intervals, pair: Pair, names: Sequence[str]) -> Attack | None:
    """The event behind the lower bound of a pair; None if that is 0."""
    if found.lower[pair] == 0:
        return None
    nodes, root = found.nodes, found.root(pair)
    label = found.label(pair)
    if root is None:  # the labels of the two secrets differ
        event, chances = event_at_once(label), (Fraction(1), Fraction(0))
    else:
        event = event_of(label, root, found.taken_entries, lambda node: _worth(nodes[node]))
        values = GraphValues(nodes, found.order, found.exact, chooses=False)

        def chance(mass: Callable[[Node], int], *, below: bool) -> Fraction:
            def of_leaf(node: Node) -> fmpq:
                return fmpq(mass(node)) if node.lower > 0 else _ZERO

            return fraction_of(values.solve(of_leaf, found.taken, below=below).values[root])

        there = chance(lambda node: node.belief.mass, below=True)
        chances = there, chance(lambda node: node.belief.other_mass, below=False)
    words = tuple(islice(event.words(), SHOWN))
    return Attack(names[pair[0]], names[pair[1]], words, *chances, event)


def _worth(node: Node) -> Worth | None:
    """The probabilities to come to a leaf of the event; None of other nodes."""
    if not node.is_leaf or node.lower == 0:
        return None
    return node.total, node.scale * node.belief.other_mass


def only_counts_steps(chain: LabelledMarkovChain, attack: Attack, alpha: Fraction) -> bool:
    """Whether an attack rests only on how often labels are repeated.

    It does if its listed words are no attack at α once equal labels in a row count as one. The answer is
    False without a look for chains that are large, or collapsed already.
    """
    s, t = chain.index(attack.source), chain.index(attack.target)
    if isinstance(chain, CollapsedChain) or chain.labels[s] != chain.labels[t]:
        return False
    reached = reachable(chain, (s, t))
    stays = any(chain.labels[u] == chain.labels[v] for u in reached for v in chain.rows[u])
    if not stays or len(reached) > _MOST_STATES:
        return False
    part = restrict(chain, (s, t))
    pair = part.index(attack.source), part.index(attack.target)
    related = tuple(sorted({pair, pair[::-1]}))
    small = collapse(LabelledMarkovChain(part.states, part.labels, part.rows, related))
    words = {tuple(label for label, _ in groupby(word.labels)) for word in attack.words}
    shortest = [word for word in words if not any(word[:n] in words for n in range(len(word)))]
    there, here = (
        sum((_beginning(small, small.index(name), word) for word in shortest), Fraction(0))
        for name in (attack.source, attack.target)
    )
    return there <= alpha * here


def _beginning(chain: LabelledMarkovChain, state: int, word: Sequence[str]) -> Fraction:
    """The probability that the labels from a state on begin with a word that begins with its own label."""
    level = {state: Fraction(1)}
    for label in word[1:]:
        following: dict[int, Fraction] = {}
        for s, mass in level.items():
            for t, p in chain.rows[s].items():
                if chain.labels[t] == label:
                    following[t] = following.get(t, Fraction(0)) + mass * p
        level = following
    return sum(level.values(), Fraction(0))
