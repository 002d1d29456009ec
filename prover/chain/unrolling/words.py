"""What is seen on the way to the words of an attack: a tree, with the probabilities of both secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.attack import Attack
from prover.chain.unrolling.event import Event, EventWord

MOST_ALIKE = 8
"""Branches with which it ends alike, each a node of its own; of more the rarer ones are one node."""

_Mass = Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class Seen:
    """Labels that are seen, in this order, behind those of the node above.

    The probabilities are those to see all labels from the beginning to here, from either secret. ``event``
    says whether the event has happened then. ``following`` is what may be seen next; nothing follows where it
    is decided. Where it is not, and what follows is not part of the tree, it is ``cut``. A node that stands
    for several that end alike has ``others``, the labels of which one is seen.
    """

    labels: tuple[str, ...]
    from_probability: Fraction
    to_probability: Fraction
    event: bool = False
    cut: bool = False
    others: tuple[str, ...] = ()
    following: tuple[Seen, ...] = ()

    def words(self) -> list[Seen]:
        """The nodes of the tree where the event has happened."""
        return [self] * self.event + [word for after in self.following for word in after.words()]


def words_tree(chain: LabelledMarkovChain, attack: Attack, words: Sequence[EventWord]) -> Seen:
    """The tree that these words of the attack's event need: what both secrets show, and what is the event.

    The root has no labels, and probability 1; ways without a branch are one node.
    """
    labels = [word.labels for word in words]
    start = ({chain.index(attack.source): Fraction(1)}, {chain.index(attack.target): Fraction(1)})
    here, there = ({chain.labels[state]: mass for state in mass} for mass in start)
    following = _branches(chain, attack.event, (here, there), labels, (0, 0))
    return Seen((), Fraction(1), Fraction(1), following=following)


def _branches(
    chain: LabelledMarkovChain,
    event: Event,
    arriving: tuple[Mapping[str, _Mass], Mapping[str, _Mass]],
    words: Sequence[Sequence[str]],
    place: tuple[int, int],
) -> tuple[Seen, ...]:
    """A node for each label that may be seen next, given what may be seen from either secret.

    ``place`` is the depth, and the event's node.
    """
    depth, node = place
    found = []
    for label in sorted({*arriving[0], *arriving[1]}):
        inside = [word for word in words if word[depth] == label]
        one, other = (mass.get(label, {}) for mass in arriving)
        there, here = sum(one.values(), Fraction(0)), sum(other.values(), Fraction(0))
        after = event.after(node, label)
        if after is None or event.has_happened(after) or not inside:
            happened = after is not None and event.has_happened(after)
            seen = Seen((label,), there, here, event=happened, cut=after is not None and not happened)
        else:
            steps = _next(chain, one), _next(chain, other)
            following = _branches(chain, event, steps, inside, (depth + 1, after))
            seen = _joined(Seen((label,), there, here, following=following))
        found.append(seen)
    return _grouped(found)


def _grouped(found: Sequence[Seen]) -> tuple[Seen, ...]:
    """Of many branches that end alike the likeliest ones, and the others as one."""
    for event, cut in ((True, False), (False, True), (False, False)):
        ends = [one for one in found if not one.following and len(one.labels) == 1]
        alike = [one for one in ends if (one.event, one.cut) == (event, cut)]
        alike.sort(key=lambda one: -max(one.from_probability, one.to_probability))
        rarer = alike[MOST_ALIKE - 1 :]
        if len(rarer) > 1:
            labels = tuple(sorted(one.labels[0] for one in rarer))
            there = sum((one.from_probability for one in rarer), Fraction(0))
            here = sum((one.to_probability for one in rarer), Fraction(0))
            one = Seen((), there, here, event=event, cut=cut, others=labels)
            found = [*(seen for seen in found if seen not in rarer), one]
    return tuple(found)


def _joined(seen: Seen) -> Seen:
    """A node with its only branch as one."""
    if len(seen.following) != 1:
        return seen
    (only,) = seen.following
    return replace(only, labels=(*seen.labels, *only.labels))


def _next(chain: LabelledMarkovChain, mass: _Mass) -> dict[str, dict[int, Fraction]]:
    """Where runs are a step later, for each label that they show there."""
    found: dict[str, dict[int, Fraction]] = {}
    for state, p in mass.items():
        for after, chance in chain.rows[state].items():
            arriving = found.setdefault(chain.labels[after], {})
            arriving[after] = arriving.get(after, Fraction(0)) + p * chance
    return found
