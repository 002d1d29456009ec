"""Distributions of outcomes whose probabilities are known in whole units, from one side.

Reference: docs/accounting.md, *Rounded losses*.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from prover.accounting.distribution import LossDistribution

UNIT = 10**40
"""How many units are 1."""


def dominating(outcomes: Iterable[tuple[int, int]]) -> LossDistribution:
    """What dominates all pairs of laws under which every outcome has at least these probabilities; what is
    left under the first law is at ∞.
    """
    return LossDistribution.of_endings((Fraction(p, UNIT), Fraction(q, UNIT)) for p, q in outcomes if p)


def dominated(outcomes: Iterable[tuple[int, int]], infinite: int = 0) -> LossDistribution:
    """What all pairs of laws dominate under which every outcome has at least the first probability, and at
    most the second one; and under the first law at least ``infinite`` is what the second one never shows.

    Outcomes are in falling order of their ratios. All that is left is one outcome more, and those that have
    a smaller ratio than that are left.
    """
    p, q = UNIT - infinite, UNIT
    kept = []
    for first, second in outcomes:
        if first * (q - second) >= (p - first) * second and first < p and second < q:
            kept.append((first, second))
            p, q = p - first, q - second
    return dominating([*kept, (p, q)])
