"""The attack as a strategy: which action after which labels, and when to guess the first secret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.model import Pair
from prover.chain.unrolling.event import Event, Worth, event_at_once, event_of
from prover.chain.unrolling.intervals import Intervals
from prover.chain.unrolling.values import attacker_sums
from prover.errors import short_name
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.readable import lower_text, upper_text
from prover.exact.refinement import TooLong
from prover.views import Printed

SHOWN = 60
"""The most answers that a tree lists."""

_ONE = fmpq(1)


@dataclass(frozen=True, slots=True)
class Answer:
    """The next label, with the probability to come to it under either secret, and the next action.

    ``then`` is None where the attacker stops; ``says`` is whether the guess is the first secret. Where the
    tree is cut, both are None.
    """

    label: str
    from_probability: Fraction
    to_probability: Fraction
    then: Ask | None
    says: bool | None


@dataclass(frozen=True, slots=True)
class Ask:
    """The attacker takes ``action`` ("" where there is no choice), or nature where it is ``by_nature``. Then
    the attacker sees the label of one of the ``answers``, or one that is impossible under the first secret.
    """

    action: str
    answers: tuple[Answer, ...]
    by_nature: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Strategy(Printed):
    """An attack with choices: an action after each output, and then a guess, ``source`` or ``target``.

    P[guess is source | source] − α P[guess is source | target] is the lower bound of the answer. The first
    probability is at least ``from_probability``, the second at most ``to_probability``; where ``close``
    holds, these are the probabilities themselves, at most with their last digits rounded. ``begin`` is None
    if the labels of the secrets differ: then no action is needed. ``complete``: the tree is whole. ``event``
    is the rule for all outputs: the actions, and when to guess ``source``. ``print(strategy)`` prints the
    tree.
    """

    source: str
    target: str
    label: str
    begin: Ask | None
    complete: bool
    from_probability: Fraction
    to_probability: Fraction
    event: Event
    close: bool = True

    @property
    def headline(self) -> str:
        """The attack in a line, without its tree."""
        s, t = short_name(self.source), short_name(self.target)
        p, q = lower_text(self.from_probability), upper_text(self.to_probability)
        return f"guess {s} with probability {p} under {s} and {q} under {t}"


def strategy(found: Intervals, pair: Pair, names: Sequence[str]) -> Strategy | None:
    """The attacker behind the lower bound of a pair; None if that is 0."""
    if found.lower[pair] == 0:
        return None
    source, target = (names[s] for s in pair)
    root, label = found.root(pair), found.label(pair)
    if root is None:
        at_once = event_at_once(label)
        return Strategy(source, target, label, None, True, Fraction(1), Fraction(0), at_once)
    nodes, close = found.nodes, True
    try:
        there = attacker_sums(nodes, found.taken, root, lambda node: node.belief.mass, below=True)
        here = attacker_sums(nodes, found.taken, root, lambda node: node.belief.other_mass, below=False)
    except TooLong:  # there - alpha * here is at least the lower bound, and there at most 1
        there, close = fmpq_of(found.lower[pair]), False
        here = (_ONE - there) / found.alpha
    tree = _Tree(found)
    begin = tree.ask(root, _ONE, SHOWN)
    chances = fraction_of(there), fraction_of(here)
    event = _event(found, label, root)
    return Strategy(source, target, label, begin, tree.complete, *chances, event, close)


def _event(found: Intervals, label: str, root: int) -> Event:
    """That the attacker stops where there is something to gain, as he does what gains most."""

    def worth(number: int) -> Worth | None:
        node = found.nodes[number]
        if found.action(number) is not None or node.lower == 0:
            return None
        return fmpq(node.belief.mass), fmpq(node.belief.other_mass)

    def action(number: int) -> str | None:
        return found.action(number) or None

    return event_of(label, root, found.taken_entries, worth, action)


class _Tree:
    """A tree of what the attacker does, breadth first cut where it grows too large."""

    def __init__(self, found: Intervals) -> None:
        self._found = found
        self.complete = True

    def ask(self, number: int, weight: fmpq, room: int) -> Ask | None:
        """What is done at a node that is reached with this weight, in a tree of so many answers."""
        action, entries = self._found.action(number), self._found.taken_entries(number)
        if action is None:
            return None
        going_on = [self._found.action(entry.target) is not None for entry in entries]
        share = (room - len(entries)) // max(1, sum(going_on))
        answers = []
        for entry, goes_on in zip(entries, going_on, strict=True):
            after, factor = self._found.nodes[entry.target], weight * entry.factor
            then = self.ask(entry.target, factor, share) if goes_on and share > 0 else None
            cut = goes_on and then is None
            self.complete = self.complete and not cut
            answers.append(
                Answer(
                    entry.label,
                    fraction_of(factor * after.belief.mass),
                    fraction_of(factor * after.belief.other_mass),
                    then,
                    None if goes_on else bool(after.lower > 0),
                )
            )
        return Ask(action, tuple(answers), self._found.nodes[number].by_nature)
