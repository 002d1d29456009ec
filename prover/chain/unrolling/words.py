"""What is seen on the way to the words of an attack: a tree, with the probabilities of both secrets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.attack import Attack

_Mass = Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class Seen:
    """Labels that are seen, in this order, behind those of the node above.

    The probabilities are those to see all labels from the beginning to here, from either secret. ``event``
    says whether they are a word of the attack. ``following`` is what may be seen next, the words of the
    attack and what else is possible; nothing follows what leads to no word.
    """

    labels: tuple[str, ...]
    from_probability: Fraction
    to_probability: Fraction
    event: bool
    following: tuple[Seen, ...]


def words_tree(chain: LabelledMarkovChain, attack: Attack) -> Seen:
    """The tree of the attack's words: what both secrets show, where they part, and which ends are the event.

    The root has no labels, and probability 1; ways without a branch are one node.
    """
    words = [word.labels for word in attack.words]
    start = ({chain.index(attack.source): Fraction(1)}, {chain.index(attack.target): Fraction(1)})
    here, there = ({chain.labels[state]: mass for state in mass} for mass in start)
    return Seen((), Fraction(1), Fraction(1), False, _branches(chain, here, there, words, 0))


def _branches(
    chain: LabelledMarkovChain,
    here: Mapping[str, _Mass],
    there: Mapping[str, _Mass],
    words: Sequence[Sequence[str]],
    depth: int,
) -> tuple[Seen, ...]:
    """A node for each label that may be seen at this depth, given what may be seen from either secret."""
    found = []
    for label in sorted({*here, *there}):
        inside = [word for word in words if word[depth] == label]
        one, other = here.get(label, {}), there.get(label, {})
        chances = sum(one.values(), Fraction(0)), sum(other.values(), Fraction(0))
        ends = any(len(word) == depth + 1 for word in inside)
        following: tuple[Seen, ...] = ()
        if inside and not ends:
            following = _branches(chain, _next(chain, one), _next(chain, other), inside, depth + 1)
        found.append(_joined(Seen((label,), chances[0], chances[1], ends, following)))
    return tuple(found)


def _joined(seen: Seen) -> Seen:
    """A node with its only branch as one."""
    if len(seen.following) != 1:
        return seen
    (only,) = seen.following
    return Seen(
        (*seen.labels, *only.labels), only.from_probability, only.to_probability, only.event, only.following
    )


def _next(chain: LabelledMarkovChain, mass: _Mass) -> dict[str, dict[int, Fraction]]:
    """Where runs are a step later, for each label that they show there."""
    found: dict[str, dict[int, Fraction]] = {}
    for state, p in mass.items():
        for after, chance in chain.rows[state].items():
            arriving = found.setdefault(chain.labels[after], {})
            arriving[after] = arriving.get(after, Fraction(0)) + p * chance
    return found
