"""Clopper-Pearson intervals are those of their definition, by sums of exact probabilities."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from prover.exact.binomial import clopper_pearson


def at_least(hits: int, runs: int, chance: Fraction) -> Fraction:
    terms = (comb(runs, k) * chance**k * (1 - chance) ** (runs - k) for k in range(hits, runs + 1))
    return sum(terms, Fraction(0))


@pytest.mark.parametrize("error", [Fraction(1, 20), Fraction(1, 10**9)])
@pytest.mark.parametrize(("hits", "runs"), [(0, 2), (2, 2), (0, 30), (30, 30), (1, 30), (12, 30), (29, 30)])
def test_both_ends_are_the_next_decimals(hits: int, runs: int, error: Fraction) -> None:
    step = Fraction(1, 10**4)
    low, high = clopper_pearson(hits, runs, error, 4)
    assert low == 0 or at_least(hits, runs, low) <= error / 2
    assert (hits == 0 and low == 0) or at_least(hits, runs, low + step) > error / 2
    at_most = at_least(runs - hits, runs, 1 - high)
    assert high == 1 or at_most <= error / 2
    assert (hits == runs and high == 1) or at_least(runs - hits, runs, 1 - high + step) > error / 2


def test_a_tie_is_rounded_outward() -> None:
    """At 1/40, one hit in one run has just the probability 1/40; balls do not prove that this is no more."""
    assert clopper_pearson(1, 1, Fraction(1, 20), 3) == (Fraction(24, 1000), Fraction(1))
