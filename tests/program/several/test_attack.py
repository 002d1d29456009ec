"""Inputs on which programs of several variables lose nearly as much as they can: rigorous from below."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from random import Random

import numpy as np
import pytest
from flint import arb

from prover.program.attack.attack import attack
from prover.program.attack.tail_bound import _chances
from prover.program.decision.pumping import RunStep
from prover.program.model import Program
from prover.program.privacy import privacy
from prover.zoo import k_min_max, m_range
from tests.program.several.test_tokens import PRIVATE, UNBOUNDED
from tests.program.several_examples import random_program


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
