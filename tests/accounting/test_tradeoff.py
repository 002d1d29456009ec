"""Trade-off functions against tests, the profile δ, and the normal distribution."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random
from statistics import NormalDist
from typing import Any

import pytest

from prover.accounting.distribution import LossDistribution
from prover.accounting.tested import SecretTradeOff, tradeoff
from prover.accounting.tradeoff import TradeOff, least
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.zoo.interactive import adaptive_response, wait
from tests.certified import proved
from tests.interactive_oracle import gain
from tests.refusals import refuses

F = Fraction


def laws(random: Random, outcomes: int) -> list[dict[int, Fraction]]:
    weights = [[random.randint(0, 6) for _ in range(outcomes - 1)] + [1] for _ in range(2)]
    return [{k: F(n, sum(w)) for k, n in enumerate(w)} for w in weights]


def no_test_is_below(random: Random, tests: int) -> LossDistribution:
    """Of two laws, which so many random tests with coins do not err less on than f says."""
    p, q = laws(random, random.randint(2, 6))
    loss = LossDistribution.of_laws(p, q)
    f = loss.tradeoff()
    for _ in range(tests):
        guess = {k: F(random.randint(0, 3), 3) for k in p}  # of the second secret
        errors = sum(p[k] * guess[k] for k in p), sum(q[k] * (1 - guess[k]) for k in p)
        assert errors[1] >= f.value(errors[0])
    return loss


@pytest.mark.slow
def test_ten_thousand_tests() -> None:
    random = Random(0)
    for _ in range(100):
        no_test_is_below(random, 100)


@pytest.mark.parametrize("seed", range(40))
def test_no_test_is_below_and_delta_is_the_conjugate(seed: int) -> None:
    loss = no_test_is_below(Random(seed), 50)
    f = loss.tradeoff()
    for alpha in (F(0), F(1, 3), F(1), F(7, 5), F(4)):
        assert loss.delta(alpha) == max(1 - x - alpha * y for x, y in f.vertices)
    assert f.inverse == loss.reverse.tradeoff()
    assert f.inverse.inverse == f
    both = f.symmetric
    assert both == both.inverse == least([f, f.inverse])
    assert f.is_at_least(both)
    assert f.inverse.is_at_least(both)
    assert both.is_at_least(f) == (f == both)
    ways = loss, loss.reverse
    falls = {(b - y) / (x - a) for (a, b), (x, y) in pairwise(both.vertices)}
    bounds = {k: max(way.delta(k) for way in ways) for k in (*falls, *map(F, range(1, 9))) if k >= 1}
    assert TradeOff.above(bounds) == both
    some = {alpha: delta for alpha, delta in bounds.items() if delta < 1 and Random(seed).random() < 0.5}
    assert both.is_at_least(TradeOff.above(some))
    assert TradeOff.above(some) == TradeOff.above(some).inverse


def test_randomised_response() -> None:
    f = LossDistribution.randomised_response("1/2").tradeoff()
    assert f.vertices == ((F(0), F(1)), (F(1, 3), F(1, 3)), (F(1), F(0)))
    mu = f.gaussian()
    assert mu is not None
    assert mu[1] - mu[0] <= F(2, 10**12)
    assert float(mu[0]) == pytest.approx(-2 * NormalDist().inv_cdf(1 / 3), abs=1e-10)
    assert [f.value(x) for x in ("0", "1/6", "2/3", "1")] == [1, F(2, 3), F(1, 6), 0]


@pytest.mark.parametrize("seed", range(10))
def test_the_gaussian_is_below_and_no_larger_one_is(seed: int) -> None:
    random = Random(seed)
    weights = [[random.randint(1, 9) for _ in range(4)] for _ in range(2)]
    p, q = ({k: F(n, sum(w)) for k, n in enumerate(w)} for w in weights)
    f, normal = LossDistribution.of_laws(p, q).tradeoff(), NormalDist()
    mu = f.gaussian()
    assert mu is not None

    def above(shift: float) -> bool:
        xs = [F(k, 200) for k in range(1, 200)]
        return all(float(f.value(x)) >= normal.cdf(normal.inv_cdf(float(1 - x)) - shift) - 1e-9 for x in xs)

    assert above(float(mu[1]))
    inner = [(float(x), float(y)) for x, y in f.vertices[1:-1]]
    assert any(y < normal.cdf(normal.inv_cdf(1 - x) - float(mu[0]) + 1e-6) for x, y in inner) or mu[0] == 0


def test_no_gaussian_is_below_where_an_output_tells_the_secret() -> None:
    truncated = LossDistribution.discrete_laplace("1/2", bound=2)
    assert truncated.tradeoff().value(0) < 1
    assert truncated.tradeoff().gaussian() is None
    assert truncated.tradeoff().inverse.gaussian() is None
    tells = LossDistribution.of_laws({0: "1/2", 1: "1/2"}, {0: 1, 1: 0})
    assert tells.tradeoff().gaussian() is None
    assert tells.reverse.tradeoff().gaussian() is None
    assert LossDistribution.approximate(1, 0).tradeoff().gaussian() == (F(0), F(0))


def test_refusals() -> None:
    with refuses("bad-question"):
        LossDistribution.randomised_response("1/2").tradeoff().value("3/2")


def questions(random: Random) -> LabelledMarkovDecisionProcess:
    """Two questions one after the other, x or y each, whose answers have random odds."""

    def row(names: str) -> dict[str, Fraction]:
        weights = [random.randint(1, 9) for _ in names]
        return {name: F(w, sum(weights)) for name, w in zip(names, weights, strict=True)}

    states = {name: ("s", {"x": row("kKmM"), "y": row("kKmM")}) for name in "sS"}
    states |= {name: (name.lower(), {"x": row("oOp"), "y": row("oOp")}) for name in "kKmM"}
    ends: dict[str, Any] = {name: (name, {name: F(1)}) for name in "oOp"}
    return LabelledMarkovDecisionProcess.of({**states, **ends}, [("S", "s")])


@pytest.mark.parametrize("seed", range(5))
def test_attackers(seed: int) -> None:
    """δ of the function is the largest that any attacker gains, either way round."""
    process = questions(Random(seed))
    function = tradeoff(process, "s", "S").function
    assert function == function.inverse
    assert len(function.vertices) > 3
    ends = [process.states.index(name) for name in "sS"]
    for alpha in (F(1), F(6, 5), F(3, 2), F(2), F(3), F(5), F(20)):
        gained = max(gain(process, s, t, alpha, 2) for s, t in (ends, ends[::-1]))
        assert max(1 - x - alpha * y for x, y in function.vertices) == gained


def test_attackers_who_can_wait() -> None:
    with refuses("not-supported"):
        tradeoff(wait(), "s", "t", kind="lv")
    assert tradeoff(wait(), "s", "t").function.headline == "linear between (0, 1/2), (1/2, 0), (1, 0)"


def test_attackers_who_learn_more_and_more() -> None:
    """Whoever asks again and again learns the secret, and no unrolling shows the end of it: functions above
    fall from one answer to the next, after a few dozen nodes.
    """

    class Enough(Exception):
        pass

    seen: list[SecretTradeOff] = []

    def take(found: SecretTradeOff) -> None:
        seen.append(found)
        if len(seen) == 3:
            raise Enough

    with pytest.raises(Enough):
        tradeoff(adaptive_response(memoised="no"), on_interval=take)
    for found in seen:
        assert found.most is not None
        assert found.open_area < Fraction(1, 1000)
        assert found.gaussian is None
        claim = proved(found.certificate)["claim"]
        ends = [len(one.vertices) for one in (found.function, found.most)]
        assert [len(claim["vertices"]), len(claim["above"])] == ends
    for wide, narrow in pairwise(seen):
        assert narrow.open_area < wide.open_area
