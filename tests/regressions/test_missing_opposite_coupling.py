"""Upper bounds on bd relied on pairs with a coupling in one direction only; their certificates were refused.

The coupling of the other direction was infeasible by 10^-18, and the pair got the value of the first one all
the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from prover.chain.distance import distances
from prover.chain.model import LabelledMarkovChain
from tests.certified import verified

F = Fraction


def one_way_out(leak: Fraction) -> LabelledMarkovChain:
    """Of three states of one label, m1 may leave for A, with probability ``leak``."""
    return LabelledMarkovChain.of(
        {
            "A": ("A", {"A": 1}),
            "m0": ("m", {"m0": 1}),
            "m1": ("m", {"A": leak, "m0": 1 - leak}),
            "m2": ("m", {"m2": 1}),
        }
    )


def nearly_a_loop(leak: Fraction) -> LabelledMarkovChain:
    """m2 hardly ever stays where it is, and m3 goes there."""
    return LabelledMarkovChain.of(
        {
            "A": ("A", {"A": 1}),
            "m0": ("m", {"A": leak, "m0": 1 - leak}),
            "m1": ("m", {"m0": 1}),
            "m2": ("m", {"m0": 1 - leak, "m2": leak}),
            "m3": ("m", {"m2": 1}),
        }
    )


@pytest.mark.parametrize("limits", [{"bounds": "upper"}, {"max_bits": 1}, {"max_bits": 10**6}])
@pytest.mark.parametrize("alpha", [F(1), F(143, 100), 1 + F(1, 10**12), F(2)])
@pytest.mark.parametrize("leak", [F(1, 10**digits) for digits in (9, 12, 18, 30)])
@pytest.mark.parametrize("shape", [one_way_out, nearly_a_loop])
def test_both_directions_have_a_coupling(
    shape: Callable[[Fraction], LabelledMarkovChain],
    leak: Fraction,
    alpha: Fraction,
    limits: dict[str, Any],
) -> None:
    chain = shape(leak)
    exact = verified(distances(chain, alpha, kind="bd"))
    found = verified(distances(chain, alpha, kind="bd", **limits))
    assert all(found.lower[p] <= exact.lower[p] <= found.upper[p] for p in exact.lower)


def test_the_exact_distance() -> None:
    leak = F(1, 10**18)
    table = verified(distances(one_way_out(leak), F(3, 2), kind="bd")).lower
    assert table["m1", "m2"] == table["m2", "m1"] == table["m0", "m1"] == leak
