"""Paths of one basis that share a middle state, with potentials that did not agree there.

The engine without a guide ended in a fault: a state in the middle of two paths got its potential from
the first, and the arcs of the second were believed to be tight although the basis was not optimal.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.chain.model import LabelledMarkovChain
from tests import oracle
from tests.chain.problems import full, solved
from tests.profiles import thinned

pytestmark = pytest.mark.thorough

CHAIN = LabelledMarkovChain.of(
    {
        "A": ("A", {"A": 1}),
        "m0": ("m", {"m5": 1}),
        "m1": ("m", {"A": "1/10", "m1": "1/20", "m2": "3/4", "m5": "1/10"}),
        "m2": ("m", {"A": "1/4", "m1": "1/2", "m2": "1/4"}),
        "m3": ("m", {"m0": "1/18", "m4": "17/18"}),
        "m4": ("m", {"m0": "1/8", "m2": "1/8", "m4": "1/2", "m5": "1/4"}),
        "m5": ("m", {"m3": "1/9", "m4": "2/9", "m5": "2/3"}),
    }
)


@pytest.mark.parametrize("alpha", thinned([Fraction(6, 5), Fraction(1), Fraction(23, 20), Fraction(3, 2)], 2))
def test_distances_are_found_without_a_guide(alpha: Fraction) -> None:
    expected = oracle.ld(CHAIN, alpha)
    assert full(CHAIN, solved(CHAIN, alpha, guided=False).table) == expected
    assert full(CHAIN, solved(CHAIN, alpha).table) == expected
