"""Mechanisms on Poisson samples against the laws of all samples."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from prover.accounting.account import Mechanism, Questions, account
from prover.accounting.choosing import one_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.sampling import poisson_sampled
from prover.chain.arguments import Slope
from tests.accounting.chains import asymmetric
from tests.refusals import refuses

F = Fraction
RATE = F(1, 3)


def noisy_sum(people: tuple[int, ...]) -> dict[int, Fraction]:
    """The sum of the people's numbers and noise, one of −2 to 2, which is likelier to be small."""
    weights = {-2: 1, -1: 2, 0: 4, 1: 2, 2: 1}
    return {sum(people) + x: F(w, 10) for x, w in weights.items()}


def on_samples(people: tuple[int, ...]) -> dict[int, Fraction]:
    law: dict[int, Fraction] = {}
    for chosen in product((0, 1), repeat=len(people)):
        weight = F(1)
        for one in chosen:
            weight *= RATE if one else 1 - RATE
        for x, p in noisy_sum(tuple(n for n, one in zip(people, chosen, strict=True) if one)).items():
            law[x] = law.get(x, F(0)) + weight * p
    return law


@pytest.mark.parametrize("others", [(), (0, 0), (1,), (1, 1, 0)])
@pytest.mark.parametrize("alpha", [F(1, 4), F(2, 3), F(1), F(11, 10), F(3)])
def test_the_pair_bounds_all_databases_and_is_attained(others: tuple[int, ...], alpha: Fraction) -> None:
    whole = Mechanism.of_laws(noisy_sum((1,)), noisy_sum(()))
    part = poisson_sampled(whole, RATE)
    more, fewer = on_samples((*others, 1)), on_samples(others)
    for choices, first, second in ((part.forward, more, fewer), (part.backward, fewer, more)):
        bound = choices[0].loss.delta(alpha)
        truth = LossDistribution.of_laws(first, second).delta(alpha)
        assert truth <= bound
        if not any(others):
            assert truth == bound


def test_the_larger_direction_counts_after_composition() -> None:
    part = poisson_sampled(Mechanism.of_laws({0: "1/2", 1: "1/2"}, {0: "1"}, times=3), "1/2")
    for alpha in ("1", "5/4", "3"):
        slope = Slope.of_alpha(F(alpha))
        both = [side[0].loss.repeat(3).delta(alpha) for side in (part.forward, part.backward)]
        assert account([part], Questions()).delta(slope) == (max(both), max(both))


def test_distributions_are_those_of_the_account() -> None:
    """Also where there is mass at 0 and at ∞; the other way round is the reverse of the reverse."""
    loss = LossDistribution.of_laws({0: "1/2", 1: "1/3", 2: "1/6"}, {1: "1/2", 2: "1/4", 3: "1/4"})
    part = poisson_sampled(
        Mechanism.of_laws({0: "1/2", 1: "1/3", 2: "1/6"}, {1: "1/2", 2: "1/4", 3: "1/4"}), RATE
    )
    assert loss.poisson_sampled(RATE) == part.forward[0].loss
    mean = {k: (1 - RATE) * q + RATE * p for k, q, p in ((0, 0, F(1, 2)), (1, F(1, 2), F(1, 3)))}
    mean |= {2: (1 - RATE) * F(1, 4) + RATE * F(1, 6), 3: (1 - RATE) * F(1, 4)}
    without = {1: F(1, 2), 2: F(1, 4), 3: F(1, 4)}
    assert part.forward[0].loss == LossDistribution.of_laws(mean, without)
    assert part.backward[0].loss == LossDistribution.of_laws(without, mean)
    with refuses("bad-mechanism"):
        loss.poisson_sampled("3/2")


def test_what_is_refused() -> None:
    with refuses("bad-sampling"):
        poisson_sampled(Mechanism.of(asymmetric()), "1/2")
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"})
    with refuses("bad-sampling", "of each mechanism"):
        poisson_sampled(one_of([coin, coin]), "1/2")
    with refuses("bad-mechanism"):
        poisson_sampled(coin, 0)
