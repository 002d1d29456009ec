"""Compositions by sums against products of all atoms."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.accounting.distribution import LossDistribution, composition
from prover.accounting.sums import EnclosedComposition, ExactComposition

F = Fraction
COIN = LossDistribution.randomised_response("1/2")
VALUES = LossDistribution.randomised_response("1/3", 4)
NOISE = LossDistribution.discrete_laplace("1/2", 3)
BOUNDED = LossDistribution.discrete_laplace("2/3", 1, 2)
LEAKY = LossDistribution.approximate("3/2", "1/10")
OPEN = LossDistribution.of_laws({0: 1}, {1: 1})
SAME = LossDistribution.of_laws({0: 1}, {0: 1})
# Ratios nearer to each other, and to 1, than floats tell.
NEAR = LossDistribution.of_laws(
    {k: F(1, 3) for k in range(3)}, {0: F(1, 3), 1: F(1, 3) + F(1, 10**40), 2: F(1, 3) - F(1, 10**40)}
)


@pytest.mark.parametrize(
    "parts",
    [
        [(COIN, 5)],
        [(COIN, 3), (VALUES, 4)],
        [(NOISE, 9)],
        [(NOISE, 2), (BOUNDED, 3)],
        [(LEAKY, 7), (COIN, 2)],
        [(OPEN, 2), (COIN, 1)],
        [(SAME, 4)],
        [(NEAR, 3)],
    ],
)
def test_sums_are_those_of_all_atoms(parts: list[tuple[LossDistribution, int]]) -> None:
    truth = composition(parts)
    exact, enclosed = ExactComposition.of(parts), EnclosedComposition.of(parts)
    for alpha in (F(0), F(1, 2), F(1), F(2), F(9, 4), F(81), F(10**5)):
        low, high = enclosed.delta(alpha)
        assert exact.delta(alpha) == truth.delta(alpha)
        assert low <= truth.delta(alpha) <= high < low + F(1, 10**60)
    for bound in (F(0), F(1, 10**6), F(1, 100), F(1, 3), F(1)):
        least, found = truth.epsilon(bound).alpha, enclosed.epsilon(bound)
        assert exact.epsilon(bound).alpha == least
        if least is None:
            assert found.impossible
        else:
            assert found.alpha_lower is not None
            assert found.alpha_upper is not None
            assert found.alpha_lower <= least <= found.alpha_upper
