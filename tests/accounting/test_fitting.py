"""How many runs fit into a budget, against all numbers of runs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.accounting.fitting import most_runs
from prover.accounting.mechanism import Mechanism
from prover.chain.arguments import Slope
from tests.refusals import refuses

F = Fraction
COIN = Mechanism.of_known("randomised-response", {"q": "2/3"})
COUNT = Mechanism.of_known("discrete-laplace", {"q": "4/5", "bound": 9}, times=2)
NOTHING = Mechanism.of_known("randomised-response", {"q": 1})


@pytest.mark.parametrize("alpha", [F(1), F(3, 2), F(4), F(20)])
@pytest.mark.parametrize("delta", [F(0), F(1, 30), F(1, 8), F(2, 5)])
def test_one_run_more_is_too_many(alpha: Fraction, delta: Fraction) -> None:
    """So it is beside another mechanism, which alone may be too much."""
    coin, count = COIN.forward[0].loss, COUNT.forward[0].loss
    truth = [count.repeat(2).delta(alpha)]
    while truth[-1] <= delta:
        truth.append(count.repeat(2).compose(coin.repeat(len(truth))).delta(alpha))
    found = most_runs([COIN, COUNT], 0, Slope.of_alpha(alpha), delta)
    fits = len(truth) - 2
    assert (found.fits, found.fails) == (None if fits < 0 else fits, fits + 1)
    assert found.exact
    if found.failing is not None:
        assert found.failing.delta(found.slope) == (truth[-1], truth[-1])
    if found.fitting is not None:
        assert found.fitting.delta(found.slope) == (truth[-2], truth[-2])


def test_nothing_else_runs() -> None:
    found = most_runs([COIN], 0, Slope.of_alpha(F(1)), "1/10")
    assert (found.fits, found.fails, found.fitting) == (0, 1, None)
    assert found.account.delta(found.slope)[0] > F(1, 10)
    assert found.headline.startswith("no run of randomised-response fits: with one, delta <= 1/10")


def test_what_gives_nothing_away_always_fits() -> None:
    found = most_runs([NOTHING], 0, Slope.of_alpha(F(1)), 0)
    assert (found.fits, found.fails, found.exact) == (10**6, None, False)
    assert found.headline.startswith("at least 1,000,000 runs of randomised-response fit: ")


def test_what_is_refused() -> None:
    with refuses("bad-question"):
        most_runs([COIN], 0, Slope.of_alpha(F(1)), 2)
