"""Mechanisms on Poisson samples against the laws of all samples."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations, product
from random import Random

import pytest

from prover.accounting.account import Questions, account
from prover.accounting.choosing import dominating, one_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.mechanism import Mechanism
from prover.accounting.sampling import fixed_size_sampled, poisson_sampled
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


PEOPLE, SIZE = 3, 2


@pytest.mark.parametrize("seed", range(6))
def test_samples_of_a_fixed_size_of_all_databases(seed: int) -> None:
    """Any mechanism on 2 of 3 people whose data are 0, 1 or 2, against the largest δ of its neighbours."""
    random = Random(seed)
    laws: dict[tuple[int, ...], dict[int, Fraction]] = {}
    for people in combinations_with_replacement(range(3), SIZE):
        weights = [random.randint(1, 9) for _ in range(3)]
        laws[people] = {k: F(w, sum(weights)) for k, w in enumerate(weights)}
    pairs = [
        (tuple(sorted((one, x))), tuple(sorted((one, y))))
        for one, x, y in product(range(3), repeat=3)
        if x != y
    ]
    bound = dominating([LossDistribution.of_laws(laws[s], laws[t]) for s, t in pairs])
    sampled = bound.fixed_size_sampled(F(SIZE, PEOPLE))

    def law(people: tuple[int, ...]) -> dict[int, Fraction]:
        chosen = [tuple(sorted(own)) for own in combinations(people, SIZE)]
        return {k: sum((laws[own][k] for own in chosen), F(0)) / len(chosen) for k in range(3)}

    for others in combinations_with_replacement(range(3), PEOPLE - 1):
        for x, y in permutations(range(3), 2):
            truth = LossDistribution.of_laws(law((*others, x)), law((*others, y)))
            for alpha in (F(1, 3), F(4, 5), F(1), F(5, 4), F(2)):
                assert truth.delta(alpha) <= sampled.delta(alpha)


def test_one_run_attains_the_bound_where_all_others_have_the_same_data() -> None:
    part = fixed_size_sampled(Mechanism.of_known("randomised-response", {"q": "1/3"}), RATE)
    for side in (part.forward, part.backward):
        assert all(side[0].loss.delta(alpha) <= side[0].most.delta(alpha) for alpha in ("1/2", "1", "2"))
    for alpha in ("1", "5/4", "3/2", "3"):
        assert part.forward[0].loss.delta(alpha) == part.forward[0].most.delta(alpha)
        assert part.forward[0].most.delta(alpha) == RATE * LossDistribution.randomised_response("1/3").delta(
            1 + (F(alpha) - 1) / RATE
        )
    assert part.forward[0].most == part.forward[0].most.reverse


def test_what_is_refused() -> None:
    with refuses("bad-sampling", "as likely the other way round"):
        fixed_size_sampled(Mechanism.of_laws({0: "1/2", 1: "1/2"}, {0: "1/4", 1: "3/4"}), "1/2")
    with refuses("bad-sampling"):
        poisson_sampled(Mechanism.of(asymmetric()), "1/2")
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"})
    with refuses("bad-sampling", "of each mechanism"):
        poisson_sampled(one_of([coin, coin]), "1/2")
    with refuses("bad-mechanism"):
        poisson_sampled(coin, 0)
