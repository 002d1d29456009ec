"""Mechanisms that are chosen after what was seen, against all ways to choose, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.accounting import adaptive
from prover.accounting.account import Account, Questions, account
from prover.accounting.choosing import dominating, one_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.mechanism import Mechanism
from prover.chain.arguments import Slope
from tests.accounting.chains import asymmetric
from tests.refusals import refuses

F = Fraction
Law = tuple[tuple[Fraction, Fraction], ...]
SURVEY, OTHER = (Mechanism.of_known("randomised-response", {"q": q}) for q in ("1/2", "2/3"))
LEAKY = Mechanism.of_known("approximate", {"alpha": 1, "delta": "1/10"})
ALPHAS = tuple(F(n, 12) for n in (0, 5, 9, 12, 14, 19, 25, 40, 90))


def delta(mechanisms: list[Mechanism], alpha: Fraction) -> Fraction:
    lower, upper = account(mechanisms, Questions()).delta(Slope.of_alpha(alpha))
    assert lower == upper
    return lower


def test_a_choice_after_the_first_answer_is_worse_than_any_before_it() -> None:
    fixed = [delta([SURVEY, second], F(2)) for second in (OTHER, LEAKY)]
    assert max(fixed) == F(2, 15)
    assert delta([SURVEY, one_of([OTHER, LEAKY])], F(2)) == F(1, 6)
    assert delta([one_of([OTHER, LEAKY]), SURVEY], F(2)) == F(2, 15)  # nothing is seen before the choice


def test_a_pair_that_dominates_all_of_them_gives_more() -> None:
    loss = dominating([OTHER.forward[0].loss, LEAKY.forward[0].loss])
    assert loss.repeat(3).delta("11/10") == F(226, 625)
    assert delta([one_of([OTHER, LEAKY], times=3)], F(11, 10)) == F(799, 2500)


def law(draw: Random) -> Law:
    """Two outcomes, with few different ratios, so that they meet again."""
    p, q = (F(draw.randint(0, 4), 4) for _ in "pq")
    return (p, q), (1 - p, 1 - q)


def ways(runs: int, options: int) -> Iterator[dict[tuple[int, ...], int]]:
    words = [word for k in range(runs) for word in product((0, 1), repeat=k)]
    for chosen in product(range(options), repeat=len(words)):
        yield dict(zip(words, chosen, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_the_largest_of_all_ways_to_choose(seed: int) -> None:
    draw = Random(seed)
    laws = [law(draw), law(draw)]
    parts = [Mechanism.of_laws(*(dict(enumerate(side)) for side in zip(*one, strict=True))) for one in laws]
    found = account([one_of(parts, times=3)], Questions())

    def gains(alpha: Fraction, way: dict[tuple[int, ...], int]) -> Iterator[Fraction]:
        for turned in (False, True):
            total = F(0)
            for word in product((0, 1), repeat=3):
                p = q = F(1)
                for k, seen in enumerate(word):
                    own = laws[way[word[:k]]][seen]
                    p, q = p * own[turned], q * own[not turned]
                total += max(F(0), p - alpha * q)
            yield total

    every = list(ways(3, 2))
    alpha = draw.choice(ALPHAS[2:])
    best = max(gain for way in every for gain in gains(alpha, way))
    assert found.delta(Slope.of_alpha(alpha)) == (best, best)
    check_least(found, best)


def check_least(found: Account, bound: Fraction) -> None:
    """The least α is exact: δ is the bound there, and more just before."""
    least = found.epsilon(bound)
    assert least.alpha is not None
    assert found.delta(Slope.of_alpha(least.alpha))[1] <= bound
    if least.alpha > 1:
        assert found.delta(Slope.of_alpha(least.alpha - F(1, 10**9)))[0] > bound


def test_the_least_epsilon() -> None:
    found = account([SURVEY, one_of([OTHER, LEAKY], times=3)], Questions())
    for bound in ("1/3", "28/100", "271/1000"):
        check_least(found, F(bound))
    assert found.infinite == F(271, 1000)
    assert found.epsilon("27/100").impossible


def test_to_stop_early_does_not_help() -> None:
    silent = Mechanism.of_known("randomised-response", {"q": 1})
    for alpha in ALPHAS:
        found = delta([one_of([OTHER, LEAKY], times=3)], alpha)
        assert delta([one_of([OTHER, LEAKY, silent], times=3)], alpha) == found


def test_what_dominates_is_the_largest_at_every_alpha() -> None:
    losses = [SURVEY.forward[0].loss, LEAKY.forward[0].loss, LossDistribution.discrete_laplace("3/4", 3)]
    largest = dominating(losses)
    for alpha in ALPHAS:
        assert largest.delta(alpha) == max(loss.delta(alpha) for loss in losses)


def test_pairs_of_secrets_stay_the_same() -> None:
    """One pair of each mechanism counts in all runs; the largest over them all is what is claimed."""
    chain = asymmetric()
    whole = one_of([Mechanism.of(chain), LEAKY], times=2)
    for alpha in ALPHAS:
        named = (Mechanism.of(chain, "s", other) for other in "tu")
        assert delta([whole], alpha) == max(delta([one_of([part, LEAKY], times=2)], alpha) for part in named)


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with refuses("bad-mechanism"):
        one_of([SURVEY])
    with refuses("bad-mechanism"):
        one_of([SURVEY, replace(LEAKY, times=2)])
    with refuses("bad-mechanism"):
        one_of([SURVEY, one_of([OTHER, LEAKY])])
    noisy = Mechanism.of_known("laplace", {"scale": "20"})
    with refuses("only-enclosed"):
        one_of([SURVEY, noisy])
    with refuses("only-enclosed"):
        account([noisy, one_of([OTHER, LEAKY])], Questions())
    monkeypatch.setattr(adaptive, "MOST_PLACES", 9)
    with refuses("too-many-ratios"):
        account([one_of([OTHER, LEAKY], times=3)], Questions())
