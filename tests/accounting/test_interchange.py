"""Distributions for other programs, and what ``dp_accounting`` finds of the same compositions."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from prover.accounting.distribution import LossDistribution
from prover.accounting.interchange import privacy_profile, to_dp_accounting

F = Fraction
INTERVAL = 1e-4
COIN = LossDistribution.randomised_response("1/2")
NOISE = LossDistribution.discrete_laplace("3/4")


def test_a_privacy_profile_is_rounded_up() -> None:
    found = privacy_profile(COIN.repeat(3), ["0", "ln 2", "1", "3"])
    assert found["epsilon"] == ["0", "ln 2", "1", "3"]
    exact = [COIN.repeat(3).delta(alpha) for alpha in (1, 2)]
    assert all(
        0 <= F(text) - delta < F(1, 10**15) for text, delta in zip(found["delta"], exact, strict=False)
    )
    assert F(found["delta"][3]) == 0


@pytest.mark.thorough
@pytest.mark.parametrize("times", [1, 10, 100, 1000])
@pytest.mark.parametrize(("name", "loss"), [("coin", COIN), ("noise", NOISE)])
def test_the_exact_value_is_within_the_error_of_dp_accounting(
    name: str, loss: LossDistribution, times: int
) -> None:
    """Rounding each of n losses up by at most h moves the curve by at most nh; floats err by some 1e-10."""
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    from dp_accounting.pld import privacy_loss_distribution as pld

    theirs = {
        "coin": lambda: pld.from_randomized_response(2 / 3, 2, value_discretization_interval=INTERVAL),
        "noise": lambda: pld.from_discrete_laplace_mechanism(0.2876820724517809, 1, True, INTERVAL),
    }[name]()
    if name == "coin":  # it replies at random with probability 2/3, so truthfully with 2/3 in all
        assert abs(theirs.get_delta_for_epsilon(0.0) - 1 / 3) < 1e-3
    ours = to_dp_accounting(loss)
    exact = loss.repeat(times)
    for epsilon in (0.0, 0.1 * times, 0.25 * times):
        least = float(exact.delta(F(exp(epsilon + times * INTERVAL + 1e-9))))
        most = float(exact.delta(F(exp(epsilon - times * INTERVAL - 1e-9))))
        truth = float(exact.delta(F(exp(epsilon))))
        for found in (theirs, ours):
            delta = found.self_compose(times).get_delta_for_epsilon(epsilon)
            assert truth - 1e-9 <= delta  # it errs above
            assert least - 1e-9 <= delta <= most + 1e-9
