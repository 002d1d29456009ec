"""Programs with very large and very small numbers: they are refused, and do not end in a fault."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import prover
from prover.program.model import Program
from prover.program.noise import Gaussian, Noise
from prover.program.scope import has_gaussian
from prover.zoo import svt
from tests.refusals import refuses

HUGE = Fraction(10**400)
RATES = [
    HUGE,
    1 / HUGE,
    Gaussian(HUGE),
    Gaussian(1 / HUGE),
    Fraction(10**5 + 1),
    Gaussian(Fraction(1, 10**6)),
]


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


@pytest.mark.parametrize("name", ["q1", "q2"])
@pytest.mark.parametrize("rate", RATES, ids=range(len(RATES)))
def test_rates_and_sigmas(name: str, rate: Fraction | Gaussian) -> None:
    refused(changed(name, rate))


@pytest.mark.parametrize("name", ["q1", "q2"])
def test_means(name: str) -> None:
    refused(changed(name, mean=10**12 + 1))
    refused(changed(name, mean=-HUGE))


@pytest.mark.parametrize("size", [HUGE, 1 / HUGE])
def test_sensitivities(size: Fraction) -> None:
    refused(replace(svt(), noise=Noise(sensitivity=size)))
    refused(replace(svt(), states={**svt().states, "q2": replace(svt().states["q2"], sensitivity=size)}))


def test_it_is_the_rate_at_epsilon_that_counts() -> None:
    refused(changed("q2", Fraction(2, 10**12)), Fraction(1, 4))
    assert prover.delta(
        changed("q2", Fraction(10**4)), at_epsilon=1, alpha=1, inputs=[0], neighbour=[1]
    ).lower
