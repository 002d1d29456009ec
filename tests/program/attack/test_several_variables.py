"""Inputs on which programs of several variables lose nearly as much as they can: rigorous from below."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp
from random import Random

import numpy as np
import pytest
from flint import arb

from prover.program.attack.attack import attack
from prover.program.attack.tail_bound import _chances
from prover.program.decision.blocks import RunStep
from prover.program.model import Program
from prover.program.noise import DISCRETE_LAPLACE, Noise
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy
from prover.zoo import k_min_max, m_range
from tests.certificate.variables_samples import VANISHING
from tests.program.decision.test_tokens import PRIVATE, UNBOUNDED
from tests.program.several_examples import drawn, random_program


@pytest.mark.parametrize("program", [k_min_max(3), m_range(2), *PRIVATE.values()], ids=str)
def test_a_loss_near_the_bound(program: Program) -> None:
    answer = privacy(program)
    found = attack(program, answer, epsilon="1/2")
    assert found is not None
    assert answer.lower is not None
    assert found.bound == answer.lower / 2
    assert 0.99 * float(found.bound) <= float(found.loss[0]) <= float(found.bound)
    assert found.measured is not None
    assert found.measured.loss[1] <= found.bound


@pytest.mark.parametrize("name", UNBOUNDED)
def test_a_loss_that_exceeds_what_is_asked(name: str) -> None:
    found = attack(UNBOUNDED[name], exceed=20)
    assert found is not None
    assert found.succeeds
    assert found.loss[0] > 20


@pytest.mark.thorough
def test_no_loss_is_above_its_bound_on_random_programs() -> None:
    seen = 0
    for seed in range(40):
        program = random_program(Random(seed))
        answer = privacy(program)
        if answer.private and answer.lower:
            found = attack(program, answer)
            assert found is not None
            assert 0 < found.loss[0] <= found.bound
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("noise", [Noise(), Noise(DISCRETE_LAPLACE)], ids=["continuous", "discrete"])
@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 150), marks=pytest.mark.slow)], ids=str)
def test_two_rates(noise: Noise, seeds: range) -> None:
    """Also infinite ones: then inputs to begin with are looked for, and a loss may be infinite."""
    infinite = 0
    for seed in seeds:
        model = replace(drawn(seed), noise=noise)
        answer = privacy(model, budget=Budget(values=60))
        found = attack(model, answer)
        if found is None:
            assert answer.lower == 0
            continue
        assert found.succeeds, seed
        assert all(abs(a - b) <= 1 for a, b in zip(found.inputs, found.neighbour, strict=True))
        if found.is_infinite:
            assert answer.private is False
            infinite += 1
        elif answer.runs.upper is not None:
            assert found.loss[1] <= answer.runs.upper
    assert len(seeds) < 10 or infinite


@pytest.mark.parametrize("noise", [Noise(), Noise(DISCRETE_LAPLACE), Noise(DISCRETE_LAPLACE, Fraction(1, 2))])
def test_a_loss_that_is_infinite_from_inputs_that_are_not_0(noise: Noise) -> None:
    """v and w lean upwards, and w, which has no noise, is below v at first."""
    model = replace(VANISHING, noise=noise)
    found = attack(model)
    assert found is not None
    assert found.is_infinite
    assert found.measured is not None
    assert found.measured.probability[0] > 0


def test_the_chance_of_a_run_is_at_least_the_product() -> None:
    """Against the frequency of the run among samples: two thresholds, and a value between them."""
    program = m_range(1)
    between = next(e for e in program.edges if len(e.guard) == 2)
    first = [e for e in program.edges if not e.guard]
    run = [*(RunStep(edge) for edge in first), RunStep(between), RunStep(between)]
    product = arb(1)
    for chance in _chances(program, run, Fraction(2)):
        product *= chance
    random = np.random.default_rng(1)
    count = 400_000
    low, high, x, y = (random.laplace(0, 1 / (2 * float(step.edge.rate)), count) for step in run)
    frequency = float(np.mean((low <= x) & (x < high) & (low <= y) & (y < high)))
    assert 0 < float(product) <= frequency + 5 * (frequency / count) ** 0.5
    assert exp(-12) < float(product)
