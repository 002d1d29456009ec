"""Conversions: what follows holds for random pairs, closed formulas, and the table of the page."""

from __future__ import annotations

from fractions import Fraction
from math import tanh
from pathlib import Path
from random import Random
from statistics import NormalDist

import pytest

from prover.accounting.conversions import (
    delta_of_gaussian,
    epsilon_of_gaussian,
    epsilon_of_renyi,
    epsilon_of_zcdp,
    gaussian_of_epsilon,
    zcdp_of_epsilon,
    zcdp_of_gaussian,
)
from prover.accounting.distribution import LossDistribution
from prover.exact.divergence import RenyiDivergence
from prover.exact.exponential import exponential
from tests.refusals import refuses
from tests.scripts import module_at

F = Fraction
PAGE = Path(__file__).resolve().parents[2] / "docs" / "theory_divergences.md"


def random_loss(seed: int) -> LossDistribution:
    random = Random(seed)
    weights = [[random.randint(1, 30) for _ in range(4)] for _ in range(2)]
    return LossDistribution.of_laws(*({k: F(n, sum(w)) for k, n in enumerate(w)} for w in weights))


def delta_at(loss: LossDistribution, epsilon: Fraction) -> Fraction:
    """At least δ at ε, in both directions."""
    alpha = exponential(epsilon, 100)[0]
    return max(loss.delta(alpha), loss.reverse.delta(alpha))


@pytest.mark.parametrize("seed", range(25))
def test_what_follows_holds(seed: int) -> None:
    loss, delta = random_loss(seed).repeat(seed % 4 + 1), F(1, 10 ** (seed % 5 + 1))
    slack = F(1, 10**25)  # e^ε is rounded down
    for order in ("3/2", 2, 9, "inf"):
        proved = [epsilon_of_renyi(one.renyi(order), delta) for one in (loss, loss.reverse)]
        assert None not in proved
        assert delta_at(loss, max(x for x in proved if x is not None)) <= delta + slack
    rho = loss.zcdp().upper
    assert rho is not None
    assert delta_at(loss, epsilon_of_zcdp(rho, delta)) <= delta + slack
    shift = loss.tradeoff().symmetric.gaussian()
    assert shift is not None
    if shift[1] > 0:
        assert delta_at(loss, epsilon_of_gaussian(shift[1], delta)) <= delta + slack
        assert rho <= zcdp_of_gaussian(shift[1]) + F(1, 10**6)
    pure = max(x for one in (loss, loss.reverse) if (x := one.renyi("inf").upper) is not None)
    assert rho <= zcdp_of_epsilon(pure)[1] + F(1, 10**6)
    assert shift[0] <= gaussian_of_epsilon(pure)[1]


def test_the_constant_of_renyi_is_the_least() -> None:
    # All mass of P at the ratio αa/(a − 1) = 4 for α = 2 and a = 2: δ = 1/2, and M = 4.
    loss = LossDistribution.of_laws({0: 1, 1: 0}, {0: "1/4", 1: "3/4"})
    assert loss.delta(2) == F(1, 2)
    epsilon = epsilon_of_renyi(loss.renyi(2), F(1, 2))
    assert epsilon is not None
    assert float(epsilon) == pytest.approx(0.6931471805599453, abs=1e-11)


def test_closed_formulas() -> None:
    normal = NormalDist()
    assert float(zcdp_of_epsilon("1/2")[0]) == pytest.approx(tanh(0.25) / 2, abs=1e-11)
    assert zcdp_of_epsilon(0) == gaussian_of_epsilon(0) == (F(0), F(0))
    assert float(delta_of_gaussian("1/2", "1/3")[0]) == pytest.approx(
        normal.cdf(-2 / 3 + 0.25) - 1.3956124250860895 * normal.cdf(-2 / 3 - 0.25), abs=1e-12
    )
    assert float(gaussian_of_epsilon(1)[1]) == pytest.approx(
        -2 * normal.inv_cdf(1 / (1 + 2.718281828459045)), abs=1e-10
    )
    # ρ-zCDP: the classical ε = ρ + 2·sqrt(ρ·ln(1/δ)) is larger.
    assert 1.5 < epsilon_of_zcdp("1/10", "1/1000000") < F(1, 10) + 2 * F(118, 100)


def test_nothing_follows() -> None:
    assert epsilon_of_renyi(RenyiDivergence(F(2), None, None), "1/2") is None
    for wrong in ("0", "2"):
        with refuses("bad-question"):
            epsilon_of_zcdp(1, wrong)
    with refuses("bad-question"):
        epsilon_of_gaussian(0, "1/2")


def test_the_table_of_the_page() -> None:
    lines = module_at(PAGE.parents[1] / "examples" / "conversions.py").table()
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8")
