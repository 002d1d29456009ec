"""Rényi divergences and ρ of laws, against sums, closed formulas, and searches in floats."""

from __future__ import annotations

import json
from fractions import Fraction
from math import exp, log, tanh
from random import Random

import pytest

from prover.accounting import zcdp
from prover.accounting.distribution import LossDistribution
from prover.accounting.renyi import renyi
from prover.accounting.zcdp import Concentration
from prover.exact.divergence import root_bounds
from prover.report.renyi import rho_lines
from prover.zoo import randomised_response
from tests.refusals import refuses

F = Fraction


def pair_of_laws(random: Random, outcomes: int) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    first, second = ([random.randint(1, 50) for _ in range(outcomes)] for _ in range(2))
    return tuple({k: F(n, sum(w)) for k, n in enumerate(w)} for w in (first, second))  # type: ignore[return-value]


def divergence(p: dict[int, Fraction], q: dict[int, Fraction], order: float) -> float:
    return log(sum(float(p[k]) * float(p[k] / q[k]) ** (order - 1) for k in p)) / (order - 1)


@pytest.mark.parametrize("seed", range(40))
def test_divergences_are_sums_and_rho_is_the_largest_share(seed: int) -> None:
    random = Random(seed)
    p, q = pair_of_laws(random, random.randint(2, 5))
    loss = LossDistribution.of_laws(p, q)
    assert loss.renyi(3).moment == sum(p[k] ** 3 / q[k] ** 2 for k in p)
    assert loss.renyi("inf").moment == max(p[k] / q[k] for k in p)
    half = loss.renyi("5/2")
    assert half.lower is not None
    assert half.upper is not None
    assert half.upper - half.lower <= F(2, 10**12)
    assert abs(float(half.lower) - divergence(p, q, 2.5)) < 1e-9
    rho = loss.zcdp()
    assert rho.lower is not None
    assert rho.upper is not None
    orders = [1 + 10 ** (k / 10) for k in range(-30, 15)]
    found = max(divergence(*pq, a) / a for a in orders for pq in ((p, q), (q, p)))
    assert float(rho.lower) - 1e-9 <= max(found * 1.02, found + 1e-6)
    assert found <= float(rho.upper) + 1e-9
    assert rho.upper - rho.lower <= max(F(2, 10**12), rho.upper / 10**5)


@pytest.mark.parametrize("q", ["1/2", "9/10", "999/1000", "1/1000"])
def test_randomised_response_has_the_largest_rho_of_its_epsilon(q: str) -> None:
    epsilon = -log(F(q))
    rho = LossDistribution.randomised_response(q).zcdp()
    assert rho.lower is not None
    assert rho.upper is not None
    assert float(rho.lower) == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-6)
    assert LossDistribution.discrete_laplace(q).zcdp().lower < rho.upper  # type: ignore[operator]


def test_the_rho_of_the_exponential_mechanism_is_not_enough_for_noisy_max() -> None:
    # Scores 1 and 0, and exponential noise of the rate 1/2: the first one wins with 1 - e^(-1/2)/2.
    wins = 1 - F(exp(-0.5)).limit_denominator(10**9) / 2
    rho = LossDistribution.of_laws({0: wins, 1: 1 - wins}, {0: 1 - wins, 1: wins}).zcdp()
    assert rho.lower is not None
    assert F(327, 1000) < rho.lower < F(328, 1000)
    assert rho.lower > F(1, 8)


def test_the_largest_share_may_be_at_an_order_above_1() -> None:
    # Rare outcomes with a large ratio: orders that are looked at too coarsely miss it.
    loss = LossDistribution.of_laws({0: F(1, 100), 1: F(99, 100)}, {0: F(1, 10**6), 1: 1 - F(1, 10**6)})
    forward = [float(loss.renyi(F(k, 8)).lower or 0) * 8 / k for k in range(9, 200)]
    rho = loss.zcdp()
    assert rho.lower is not None
    assert rho.upper is not None
    assert forward[0] < 0.5 < max(forward) <= float(rho.upper)
    assert float(rho.lower) >= max(forward) - 1e-9


def test_outputs_of_one_secret_only() -> None:
    loss = LossDistribution.approximate("2", "1/100")
    assert loss.renyi(2).lower is None
    assert loss.renyi("inf").upper is None
    rho = loss.zcdp()
    assert (rho.lower, rho.upper, rho.delta) == (None, None, F(1, 100))
    assert rho.without == LossDistribution.randomised_response("1/2").zcdp().upper
    assert LossDistribution.approximate("2", 1).zcdp().without is None
    same = LossDistribution.approximate(1, 0)
    assert {same.zcdp().upper, same.renyi("7/2").upper, same.renyi("inf").upper} == {F(0)}


def test_moments_of_runs_are_products() -> None:
    loss = LossDistribution.discrete_laplace("1/3")
    for order in (2, 5):
        once = loss.renyi(order).moment
        assert once is not None
        assert loss.repeat(4).renyi(order).moment == once**4


@pytest.mark.parametrize("seed", range(20))
def test_roots_are_enclosed_to_128_bits(seed: int) -> None:
    random = Random(seed)
    base = F(random.randint(1, 10 ** random.randint(1, 60)), random.randint(1, 10 ** random.randint(1, 60)))
    degree = random.randint(2, 9)
    low, high = root_bounds(base, degree)
    assert low**degree <= base <= high**degree
    assert high - low <= low / 2**127
    assert root_bounds(F(base.numerator**degree, 4**degree), degree) == (F(base.numerator, 4),) * 2


@pytest.mark.parametrize("order", ["1", "1/2", "0", "infinity", "1001", "43/21"])
def test_orders_that_are_refused(order: str) -> None:
    with refuses("bad-order" if order != "infinity" else "malformed-number"):
        LossDistribution.randomised_response("1/2").renyi(order)


def test_certificates_leave_out_a_rho_that_takes_checkers_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its claim and the words of the answer are about the same."""
    answer = renyi(randomised_response(), "a", "b", [2])
    assert "rho" in json.loads(answer.certificate.data)["claim"]
    monkeypatch.setattr(zcdp, "MOST_CHECKED", 1)
    assert "rho" not in json.loads(renyi(randomised_response(), "a", "b", [2]).certificate.data)["claim"]
    assert rho_lines(answer.rho)[-1] == "A certificate is about the divergences, but not about rho."


def test_the_delta_of_approximate_zcdp_is_not_cut_off() -> None:
    """Printed decimals are at least δ: a smaller one may not be enough."""
    delta = F(1, 3**40)
    rho = Concentration(F(1, 10), None, delta, F(1, 5))
    for text in (rho.headline, rho_lines(rho)[-1].rstrip(".")):
        printed = F(text.rpartition(" ")[2])
        assert delta <= printed < 11 * delta
