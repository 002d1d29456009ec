"""An α, or a power of it, that no float can hold ended in OverflowError."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.chain.distance import distance, distances
from prover.chain.model import LabelledMarkovChain
from tests.certified import verified
from tests.outside_examples import THREE_RUNGS

F = Fraction


def far_rungs(step: Fraction) -> LabelledMarkovChain:
    """The rungs i, k, j go to A with 1 − step⁻⁴, step⁻¹ and step⁻²: mass goes from i to j by way of k."""
    tops = {"i": 1 - step**-4, "k": 1 / step, "j": step**-2}
    rungs = {name: ("b", {"A": top, "B": 1 - top}) for name, top in tops.items()}
    return LabelledMarkovChain.of({**THREE_RUNGS, **rungs})


@pytest.mark.parametrize("kind", ["ld", "bd"])
@pytest.mark.parametrize("digits", [160, 309, 1000, 9000])
def test_large_alphas(digits: int, kind: str) -> None:
    alpha = F(10**digits)
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    # All rungs are related, but an arc multiplies mass by α: i has room for 2/5 of the 3/5 that t has in j.
    assert verified(distance(chain, "t", "s", alpha, kind=kind)).value == F(1, 5)
    assert verified(distance(chain, "s", "t", alpha)).value == 0
    assert set(verified(distances(chain, alpha, kind=kind)).lower.values()) == {0, F(1, 5), 1}


@pytest.mark.parametrize("digits", [100, 200, 400])
def test_large_alphas_with_detours(digits: int) -> None:
    alpha = F(10**digits)
    chain = far_rungs(alpha)
    found = verified(distances(chain, alpha))
    assert found.lower["i", "k"] == found.lower["k", "j"] == 0
    assert found.lower["i", "j"] == 1 - 1 / alpha - alpha**-4
    # j has room for α 3/5: an amount x by way of k takes α² x of it, the rest of 2/5 goes directly.
    assert found.lower["s", "t"] == (F(2, 5) - 1 / (5 * (alpha - 1))) * found.lower["i", "j"]
    for limit in (1, 10**6):
        bounds = verified(distances(chain, alpha, max_bits=limit))
        assert all(bounds.lower[p] <= found.lower[p] <= bounds.upper[p] for p in found.lower)
