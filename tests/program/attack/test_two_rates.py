"""Attacks on noise with two rates, on one side, or none: integrals, inputs to begin with, infinite losses."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import mpmath
import pytest

from prover.exact.ball import bounds
from prover.program.attack.attack import InputAttack, attack
from prover.program.attack.probability import loss_between, path_probability
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, INFINITE, Noise, Rate
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy
from prover.zoo import svt
from tests.program.automata import leaning, random_program
from tests.program_examples import ABOVE, BELOW, TRUE, program, rated, state, step
from tests.refusals import refuses

F = Fraction
NO_NOISE: tuple[Rate, Rate] = (INFINITE, INFINITE)


def tail(rates: tuple[Rate, Rate], x: float) -> mpmath.mpf:
    """The chance that noise is above x, at ε = 1."""
    left, right = (mpmath.inf if rate == INFINITE else mpmath.mpf(float(rate)) for rate in rates)
    mass = 1 / left + 1 / right
    above = 1 / right * mpmath.exp(-right * max(x, 0)) if right != mpmath.inf else mpmath.mpf(0)
    if x >= 0:
        return above / mass
    below = 1 / left * (1 - mpmath.exp(left * x)) if left != mpmath.inf else mpmath.mpf(0)
    return (above + below) / mass


def density(rates: tuple[Rate, Rate], x: float) -> mpmath.mpf:
    left, right = (mpmath.inf if rate == INFINITE else mpmath.mpf(float(rate)) for rate in rates)
    own = right if x >= 0 else left
    return mpmath.mpf(0) if own == mpmath.inf else mpmath.exp(-own * abs(x)) / (1 / left + 1 / right)


@pytest.mark.parametrize("seed", range(12))
def test_integrals_agree_with_numerical_ones(seed: int) -> None:
    """Of sparse vector, "below, above": the integral over the threshold of its density times two tails."""
    random = Random(seed)
    choices: list[Rate] = [F(1), F(2), F(1, 2), INFINITE]
    threshold, query = ((random.choice(choices), random.choice(choices)) for _ in range(2))
    if threshold == NO_NOISE:
        threshold = (INFINITE, F(1))
    model = rated(svt(), q1=threshold, q2=query)
    low, high = F(random.randint(-2, 2), 2), F(random.randint(-2, 2), 2)
    exact = path_probability(model, model.edges[:3], [F(0), low, high])

    def integrand(x: float) -> mpmath.mpf:
        if query == NO_NOISE:
            return density(threshold, x) * (float(low) < x <= float(high))
        return density(threshold, x) * (1 - tail(query, x - float(low))) * tail(query, x - float(high))

    breaks = sorted({-40.0, float(low), 0.0, float(high), 40.0})
    assert abs(mpmath.quad(integrand, breaks, maxdegree=7) - float(bounds(exact.at(F(1)))[0])) < 1e-8


def test_all_runs_together_are_certain() -> None:
    model = rated(svt(), q1=(F(1), F(2)), q2=(INFINITE, F(3)))
    start, below, above = model.edges
    inputs = [F(0), F(1), F(-1, 2)]
    runs = [[start, below, below], [start, below, above], [start, above]]
    parts = [path_probability(model, run, inputs[: len(run)]) for run in runs]
    assert str(sum(parts[1:], parts[0])) == "1"


def found_on(model: Program, adjacency: str = "all-differ") -> InputAttack:
    answer = privacy(model, adjacency, budget=Budget(values=200))
    found = attack(model, answer)
    assert found is not None
    return found


@pytest.mark.parametrize("noise", [Noise(), Noise(DISCRETE_LAPLACE), Noise(DISCRETE_LAPLACE, F(1, 2))])
class TestVanishing:
    def test_queries_without_noise(self, noise: Noise) -> None:
        """Below, above: with queries −1 and 1 that can be, and no longer with 0 and 0."""
        model = replace(rated(svt(), q2=NO_NOISE), noise=noise)
        found = found_on(model)
        assert found.is_infinite
        assert found.succeeds
        assert found.measured is not None
        assert found.measured.probability[0] > 0
        assert found.measured.other_probability == (F(0), F(0))
        path = [step.edge for step in found.run.steps]
        assert loss_between(model, path, found.inputs, found.neighbour, F(1)).is_infinite
        with refuses("impossible-run"):
            loss_between(model, path, found.neighbour, found.inputs, F(1))
        with refuses("infinite-loss"):
            found.loss  # noqa: B018 -- the property raises

    def test_neighbours_are_adjacent_in_units_of_the_sensitivity(self, noise: Noise) -> None:
        model = replace(rated(svt(), q2=NO_NOISE), noise=replace(noise, sensitivity=F(3)))
        found = found_on(model)
        assert found.is_infinite
        assert {abs(a - b) for a, b in zip(found.inputs, found.neighbour, strict=True)} <= {F(0), F(3)}

    def test_a_finite_loss_may_need_inputs_to_begin_with(self, noise: Noise) -> None:
        """With noise upwards, on input 0 nothing is below a threshold with noise downwards only."""
        draw = state(step(TRUE, "low", assign=True), input=False)
        model = program({"draw": draw, "low": state(step(BELOW, "high")), "high": state(step(ABOVE, "end"))})
        leaned = rated(model, draw=(F(1), INFINITE), low=(INFINITE, F(1)))
        found = found_on(replace(leaned, noise=noise), "decreasing")
        assert found.has_base
        assert found.succeeds
        assert found.bound == 1


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed: int) -> None:
    model = leaning(random_program(seed, 3), seed)
    if seed % 2:
        model = replace(model, noise=Noise(DISCRETE_LAPLACE))
    answer = privacy(model, budget=Budget(values=200))
    found = attack(model, answer)
    if found is None:
        assert answer.lower == 0
        return
    assert found.succeeds
    assert all(abs(a - b) <= 1 for a, b in zip(found.inputs, found.neighbour, strict=True))
    if found.is_infinite:
        assert answer.private is False
    elif answer.runs.upper is not None:
        assert found.loss[1] <= answer.runs.upper
