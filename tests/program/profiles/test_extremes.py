"""Programs with very large and very small numbers have no table, and do not end in a fault.

The exact ε bounds their δ, or they are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

import prover
from prover.program.model import Program
from prover.program.noise import Gaussian, Noise
from prover.program.scope import has_gaussian
from prover.zoo import svt
from tests.program.profiles.made import bounded_by_exact_epsilon
from tests.refusals import refuses

HUGE = Fraction(10**400)
RATES = [HUGE, Gaussian(HUGE), Gaussian(1 / HUGE), Fraction(10**5 + 1), Gaussian(Fraction(1, 10**6))]


def changed(name: str, rate: Fraction | Gaussian = Fraction(1), mean: Fraction | int = 0) -> Program:
    own = replace(svt().states[name], rate=rate, mean=Fraction(mean))
    return replace(svt(), states={**svt().states, name: own})


def refused(model: Program, at_epsilon: Fraction | int = 1) -> None:
    """At every length, and for two inputs; of Gaussian noise at one length, as δ may be 1 without one."""
    with refuses("not-moderate", match="very large or very small"):
        prover.delta(model, at_epsilon=at_epsilon, alpha=1, steps=2)
    if not has_gaussian(model):
        with refuses("not-moderate"):
            prover.delta(model, at_epsilon=at_epsilon, alpha=1)
        with refuses("not-moderate"):
            prover.delta(model, at_epsilon=at_epsilon, alpha=1, inputs=[0], neighbour=[0])


def bounded(model: Program, at_epsilon: Fraction | int = 1) -> None:
    """By the exact ε alone, at every length; for two inputs it is refused."""
    bounded_by_exact_epsilon(model, "very large or very small", alpha=1, at_epsilon=at_epsilon)
    with refuses("not-moderate"):
        prover.delta(model, at_epsilon=at_epsilon, alpha=1, inputs=[0], neighbour=[0])


@pytest.mark.parametrize("name", ["q1", "q2"])
@pytest.mark.parametrize("rate", RATES, ids=range(len(RATES)))
def test_rates_and_sigmas(name: str, rate: Fraction | Gaussian) -> None:
    refused(changed(name, rate))


@pytest.mark.parametrize("name", ["q1", "q2"])
def test_rates_near_0(name: str) -> None:
    bounded(changed(name, 1 / HUGE))


@pytest.mark.parametrize("name", ["q1", "q2"])
def test_means(name: str) -> None:
    bounded(changed(name, mean=10**12 + 1))
    bounded(changed(name, mean=-HUGE))


@pytest.mark.parametrize(("size", "expected"), [(HUGE, refused), (1 / HUGE, bounded)])
def test_sensitivities(size: Fraction, expected: Callable[[Program], None]) -> None:
    expected(replace(svt(), noise=Noise(sensitivity=size)))
    expected(replace(svt(), states={**svt().states, "q2": replace(svt().states["q2"], sensitivity=size)}))


def test_it_is_the_rate_at_epsilon_that_counts() -> None:
    bounded(changed("q2", Fraction(2, 10**12)), Fraction(1, 4))
    assert prover.delta(
        changed("q2", Fraction(10**4)), at_epsilon=1, alpha=1, inputs=[0], neighbour=[1]
    ).lower
