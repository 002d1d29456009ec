"""Whether an attack only counts steps: nothing is left of it where changes of the label alone are seen."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from prover.chain.collapsing.collapse import collapse
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain, reachable, restrict
from prover.chain.unrolling.attack import Attack

_MOST_STATES = 1_000  # of which it is looked up whether time is all that tells them apart


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
