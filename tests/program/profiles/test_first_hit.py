"""Long pairs of inputs where the first hit ends the run: derivatives, and what the best pairs prove."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
import pytest

from prover.certificate.check import check
from prover.program.adjacency import Adjacency
from prover.program.profiles.below import delta_below
from prover.program.profiles.first_hit import FirstHit, climbed, long_pairs
from prover.program.profiles.simulation import Simulation
from prover.zoo import build_program
from tests.profiles import everything
from tests.program.profiles.test_pair import sparse

KNOWN = {
    Fraction(0): ".143346",
    Fraction(1, 4): ".062322",
    Fraction(1, 2): ".022074",
    Fraction(3, 4): ".005027",
    Fraction(9, 10): ".000859",
}
"""What inputs are known to gain, by ε′, for rates 1/2 and 1/4."""


@pytest.mark.parametrize("at", KNOWN if everything() else list(KNOWN)[::3])
def test_long_pairs_prove_more_than_is_known(at: Fraction) -> None:
    alpha = Fraction(exp(at)).limit_denominator(10**6)
    found = delta_below(sparse(), Adjacency.ALL_DIFFER, Fraction(1), alpha)
    assert found is not None
    assert len(found.inputs) > 6
    assert found.lower > Fraction(KNOWN[at])
    assert check(found.certificate.data).startswith("inputs ")


@pytest.mark.parametrize("seed", range(3))
def test_derivatives(seed: int) -> None:
    random = np.random.default_rng(seed)
    program = FirstHit(Simulation(sparse(), Fraction(1)), 5)
    inputs = random.normal(0, 3, 5)
    event = random.integers(0, 2, 6).astype(float)
    found = program.of_inputs(program.law(inputs).derivative(event))
    for k in range(5):
        ends = [
            float((program.law(inputs + sign * 1e-5 * np.eye(5)[k]).ends * event).sum()) for sign in (1, -1)
        ]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-4)


def test_the_law_of_where_runs_end() -> None:
    """The same as that of the runs one by one."""
    simulation = Simulation(sparse(), Fraction(1))
    inputs = [0.5, -1.0, 2.0]
    ends = FirstHit(simulation, 3).law(np.array(inputs)).ends
    assert sorted(ends) == pytest.approx(sorted(p for _, p, _ in simulation.runs(inputs, inputs)))


@pytest.mark.parametrize("adjacency", ["increasing", "decreasing", "monotonic"])
def test_differences_are_those_of_the_adjacency(adjacency: str) -> None:
    pairs = long_pairs(Simulation(sparse(), Fraction(1)), Adjacency(adjacency), 1.0, 6)
    assert pairs
    for _, moved in pairs:
        up, down = any(d > 0 for d in moved), any(d < 0 for d in moved)
        assert not (up and down)
        assert adjacency == "monotonic" or (down if adjacency == "decreasing" else up)


@pytest.mark.parametrize("name", ["numeric-sparse", "svt-star"])
def test_other_programs_have_none(name: str) -> None:
    simulation = Simulation(build_program(name), Fraction(1))
    assert long_pairs(simulation, Adjacency.ALL_DIFFER, 1.0, 6) == []
    assert long_pairs(Simulation(sparse(), Fraction(1)), Adjacency.ONE_DIFFER, 1.0, 6) == []


def test_climbing() -> None:
    """To the top of a hill."""
    top = np.array([1.0, -2.0, 3.0])

    def gain(point: np.ndarray) -> tuple[float, np.ndarray]:
        away = (point - top) * np.array([1.0, 10.0, 0.1])
        return -float((away * (point - top)).sum()), -2 * away

    point, value = climbed(gain, np.zeros(3), 1.0)
    assert value > -1e-6
    assert point == pytest.approx(top, abs=1e-2)
