"""Rényi divergences and ρ of accounts, against sums over all outcomes, closed formulas and quadratures."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, log, pi, sqrt
from random import Random

import pytest

from prover.accounting.choosing import one_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.divergences import divergences, rounded, rounded_power
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import poisson_sampled
from tests.refusals import refuses

F = Fraction


def laws(random: Random, outcomes: int = 2) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    first, second = ([random.randint(1, 9) for _ in range(outcomes)] for _ in range(2))
    return {k: F(n, sum(first)) for k, n in enumerate(first)}, {
        k: F(n, sum(second)) for k, n in enumerate(second)
    }


@pytest.mark.parametrize("seed", range(20))
def test_moments_are_those_of_the_composed_distribution(seed: int) -> None:
    random = Random(seed)
    parts = [(laws(random, random.randint(2, 3)), random.randint(1, 3)) for _ in range(2)]
    found = divergences([Mechanism.of_laws(*own, times=n) for own, n in parts], [3, "inf"])
    ways = [LossDistribution.of_laws(*own[::step]).repeat(n) for step in (1, -1) for own, n in parts]
    both = [ways[0].compose(ways[1]), ways[2].compose(ways[3])]
    for divergence in found:
        order = "inf" if divergence.order is None else divergence.order
        assert divergence.moment == max(one.renyi(order).moment or 0 for one in both)
    whole = both[0].zcdp()
    assert found.rho is not None
    assert None not in (whole.lower, whole.upper, found.rho.lower, found.rho.upper)
    assert found.rho.lower <= whole.upper  # type: ignore[operator]
    assert whole.lower <= found.rho.upper  # type: ignore[operator]
    assert found.rho.upper <= found.rho.lower * (1 + F(1, 10**4))  # type: ignore[operator]


def test_what_was_seen_does_not_raise_the_largest_moment() -> None:
    """All ways to choose one of two surveys after each of two answers."""
    random = Random(1)
    for _ in range(3):
        first, *options = (laws(random) for _ in range(3))
        moments = []
        for chosen in product(options, repeat=2):
            both = (
                {(seen, k): p * chosen[seen][side][k] for seen, p in first[side].items() for k in range(2)}
                for side in (0, 1)
            )
            loss = LossDistribution.of_laws(*both)
            moments += [loss.renyi(2).moment, loss.reverse.renyi(2).moment]
        part = one_of([Mechanism.of_laws(*own) for own in options])
        assert divergences([Mechanism.of_laws(*first), part], [2]).orders[0].moment == max(
            filter(None, moments)
        )


def test_the_rho_of_mechanisms_that_are_chosen() -> None:
    coin, other = (Mechanism.of_known("randomised-response", {"q": q}) for q in ("1/2", "2/3"))
    leaky = Mechanism.of_known("approximate", {"alpha": 1, "delta": "1/10"})
    once = divergences([coin], [2]).rho
    twice = divergences([one_of([coin, other], times=2)], [2]).rho
    assert abs(twice.upper - 2 * once.upper) < F(1, 10**8)  # type: ignore[operator]
    assert str(divergences([one_of([coin, leaky])], [2]).rho) == "rho is infinite"
    assert divergences([coin, leaky], [2]).rho.delta == F(1, 10)
    many = [Mechanism.of_known("randomised-response", {"q": F(1, k)}) for k in range(2, 13)]
    coins = divergences([many[10], many[10]], [2]).rho
    assert divergences([one_of(many), one_of(many)], [2]).rho == coins  # 121 combinations


def test_gaussian_noise_is_answered_exactly() -> None:
    noise = Mechanism.of_known("gaussian", {"sigma": "2", "sensitivity": "3"}, times=4)
    found = divergences([noise], ["3/2", "6", "inf"])
    for divergence, expected in zip(found, (F(27, 4), F(27)), strict=False):
        assert abs(divergence.upper - expected) <= F(1, 10**12)  # type: ignore[operator]
        assert abs(divergence.lower - expected) <= F(1, 10**12)  # type: ignore[operator]
    assert found.orders[2].lower is None
    assert (found.rho.lower, found.rho.upper) == (F(9, 2), F(9, 2))


def test_gaussian_noise_on_samples_agrees_with_quadrature() -> None:
    noise = poisson_sampled(Mechanism.of_known("gaussian", {"sigma": "2"}), "1/10")
    found = divergences([noise], [2, "5/2", 9])
    for divergence in found:
        order = float(divergence.order or 0)
        moments = []
        for one, other in ((0.1, 0.0), (0.0, 0.1)):
            steps, total = 40_000, 0.0
            for k in range(steps):
                x = -40 + 90 * (k + 0.5) / steps
                ratio = exp((2 * x - 1) / 8)
                first, second = 1 - one + one * ratio, 1 - other + other * ratio
                total += exp(-x * x / 8) * first**order * second ** (1 - order)
            moments.append(total * 90 / steps / sqrt(8 * pi))
        assert moments[0] > moments[1]
        expected = log(moments[0]) / (order - 1)
        assert float(divergence.lower) - 1e-9 <= expected <= float(divergence.upper) + 1e-9  # type: ignore[arg-type]
        assert float(divergence.upper) < expected + 1e-9  # type: ignore[arg-type]
    assert (found.rho.lower, found.rho.upper) == (F(1, 8), F(1, 8))


@pytest.mark.parametrize(
    ("sigma", "rate", "order"), [(1, "1/1000", "201/2"), (2, "1/100", "5/2"), (1, "1/2", "3/2")]
)
def test_fractional_orders_on_samples_are_between_extended_and_ordinary_chords(
    sigma: int, rate: str, order: str
) -> None:
    noise = poisson_sampled(Mechanism.of_known("gaussian", {"sigma": sigma}), rate)
    k = F(order).__floor__()
    orders = [one for one in (k - 1, k, F(order), k + 1, k + 2) if one > 1]
    found = {one.order: (one.order - 1) * one.upper for one in divergences([noise], orders)}  # type: ignore[operator]
    found[F(1)] = F(0)
    half = (found[F(k)] + found[F(k + 1)]) / 2
    before = found[F(k)] + (found[F(k)] - found.get(F(k - 1), F(0))) / 2
    after = found[F(k + 1)] - (found[F(k + 2)] - found[F(k + 1)]) / 2
    assert max(before, after) < found[F(order)] < half
    (fractional,) = divergences([noise], [order])
    assert fractional.upper - fractional.lower <= F(2, 10**12)  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(10))
def test_a_person_more_on_samples_of_pairs_that_are_as_likely_the_other_way_round(seed: int) -> None:
    random = Random(seed)
    weights = [random.randint(1, 9) for _ in range(3)]
    ratios = [F(random.randint(9, 30), random.randint(1, 9)) for _ in weights]
    total = sum(w * (1 + r) for w, r in zip(weights, ratios, strict=True))
    rows = [(w * r / total, w / total) for w, r in zip(weights, ratios, strict=True)]
    rate, order = F(random.randint(1, 9), 10), random.randint(2, 6)
    ahead = sum((1 - rate + rate * p / q) ** order * q for p, q in [*rows, *(row[::-1] for row in rows)])
    back = sum((1 - rate + rate * p / q) ** (1 - order) * q for p, q in [*rows, *(row[::-1] for row in rows)])
    assert ahead >= back
    expansion = sum(
        comb(order, k) * (1 - rate) ** (order - k) * rate**k * (p / q) ** k * q
        for k in range(order + 1)
        for p, q in [*rows, *(row[::-1] for row in rows)]
    )
    assert ahead == expansion


def test_powers_of_many_runs_are_rounded_outward() -> None:
    base = F(10**9 + 1, 10**9)
    low, high = (rounded_power(base, 10**6, up=up) for up in (False, True))
    assert low < high < low * (1 + F(1, 2**200))
    assert abs(float(low) - exp(10**6 * log(1 + 1e-9))) < 1e-9
    assert rounded_power(base, 9, up=True) == base**9
    assert rounded(F(2) ** 20_000 + 1, up=False) == 2**20_000
    with refuses("too-large-moment"):
        rounded_power(F(2), 10**6, up=True)


def test_thousands_of_runs() -> None:
    found = divergences([Mechanism.of_known("randomised-response", {"q": "99/100"}, times=10**6)], [2, "7/2"])
    once = divergences([Mechanism.of_known("randomised-response", {"q": "99/100"})], [2])
    expected = 10**6 * log(once.orders[0].moment)  # type: ignore[arg-type]
    assert abs(float(found.orders[0].upper) - expected) < 1e-6  # type: ignore[arg-type]
    assert found.orders[1].upper - found.orders[1].lower <= F(2, 10**12)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("mechanisms", "orders", "code"),
    [([], [2], "bad-mechanism"), ([Mechanism.of_known("randomised-response", {"q": 1})], [], "bad-order")],
)
def test_bad_questions(mechanisms: list[Mechanism], orders: list[int], code: str) -> None:
    with refuses(code):
        divergences(mechanisms, orders)
