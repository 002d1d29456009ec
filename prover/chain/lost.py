"""Chains that are cut from larger ones: how likely their runs are lost.

Reference: docs/theory.md, *Lost runs*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from prover.chain.collapsing.elimination import next_seen
from prover.chain.model import LabelledMarkovChain, Pair
from prover.exact.fmpq import fmpq_of, fraction_of

_DIGITS = 3


def losing(chain: LabelledMarkovChain) -> tuple[Fraction, ...]:
    """For each state the probability that a run from it is ever lost."""
    rows = {s: {t: fmpq_of(p) for t, p in row.items()} for s, row in enumerate(chain.rows)}
    ends = next_seen(rows, lambda _, t: chain.labels[t] == chain.lost, range(len(rows)))
    return tuple(
        Fraction(1) if label == chain.lost else sum(map(fraction_of, ends[s].values()), Fraction(0))
        for s, label in enumerate(chain.labels)
    )


def most_lost(chances: Sequence[Fraction], pairs: Iterable[Pair]) -> Fraction:
    """The most of these for the states of some pairs, rounded up to few digits; 0 if there are none."""
    most = max((chances[s] for pair in pairs for s in pair), default=Fraction(0)) if chances else Fraction(0)
    scale = 10 ** (_DIGITS + len(str(int(1 / most)))) if most else 1
    return Fraction(-(-most * scale // 1), scale)
