"""The search for inputs: laws of runs and their derivatives, climbing, and what the found inputs prove."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import exp

import numpy as np
import pytest

from prover.certificate.check import check
from prover.program.adjacency import Adjacency
from prover.program.model import Program
from prover.program.profiles.below import delta_below, search_for
from prover.program.profiles.objectives import Objective, climbed, gain_at, needed_by
from prover.program.profiles.search import FoundInputs
from prover.program.profiles.simulation import RunLaw, Simulation, TooManyRuns
from prover.zoo import build_program, lyu_1
from tests.certified import proved
from tests.profiles import everything
from tests.program.profiles.test_pair import gaussian, sparse

F = Fraction
KNOWN = {F(0): ".143757", F(1, 4): ".062586", F(1, 2): ".02223", F(3, 4): ".005054", F(9, 10): ".00096"}
"""What inputs are known to gain, by ε′, for rates 1/2 and 1/4."""


def ten_hits() -> Program:
    """A sparse vector with ten hits, private with ε = 1 exactly."""
    states = {
        name: replace(state, rate=F(1, 2) if name == "q1" else F(1, 40))
        for name, state in lyu_1(10).states.items()
    }
    return replace(lyu_1(10), states=states)


def near(at: Fraction | int | float) -> Fraction:
    return F(exp(at)).limit_denominator(10**6)


@pytest.mark.slow
@pytest.mark.parametrize("at", KNOWN if everything() else list(KNOWN)[2:3])
def test_long_inputs_prove_more_than_is_known(at: Fraction) -> None:
    found = delta_below(sparse(), Adjacency.ALL_DIFFER, F(1), near(at))
    assert found is not None
    assert len(found.inputs) >= 24
    assert found.lower > F(KNOWN[at])
    assert check(found.certificate.data).startswith("inputs ")


@pytest.mark.family
@pytest.mark.parametrize(
    ("steps", "at", "known"),
    [
        (5, F(0), ".149"),
        (25, F(1), ".0130"),
        *(
            [
                (5, F(1, 2), ".0247"),
                (25, F(0), ".214"),
                (25, F(1, 2), ".0678"),
                (100, F(0), ".2688"),
                (100, F(1), ".0311"),
            ]
            if everything()
            else []
        ),
    ],
)
def test_gaussian_noise(steps: int, at: Fraction, known: str) -> None:
    found = delta_below(gaussian(), Adjacency.ALL_DIFFER, F(1), near(at), steps)
    assert found is not None
    assert len(found.inputs) == steps
    assert found.lower > F(known)
    assert F(proved(found.certificate)["claim"]["lower"]) == found.lower


def test_many_hits_are_two_numbers_in_turns() -> None:
    """At ε′ = 0.45, where single runs prove nothing; checkers follow all runs."""
    found = delta_below(ten_hits(), Adjacency.ALL_DIFFER, F(1), near(0.45), 24)
    assert found is not None
    assert len(set(found.inputs)) <= 2
    assert found.count > 100 > len(found.runs)
    assert found.lower > F(1, 10**8)
    assert proved(found.certificate)["evidence"].keys() == {"bits", "inputs", "neighbour"}


@pytest.mark.parametrize("name", ["svt-star", "lyu-2", "svt-discrete", "numeric-sparse"])
def test_runs_that_are_counted_together(name: str) -> None:
    """As often and as likely as those that are listed one by one."""
    simulation = Simulation(build_program(name), F(1))
    inputs = [F(1), F(-1), F(1), F(-1)]
    single = simulation.runs(inputs, inputs, 100)
    law = RunLaw(simulation, (0, 1, 0, 1), 100)
    chances = law.chances(np.array([1.0, -1.0])).of_runs
    assert law.counts.sum() == len(single)
    assert len(law.counts) <= len(single)
    assert chances.sum() == pytest.approx(sum(p for _, p, _ in single), abs=1e-12)
    alone = {path: p for path, p, _ in single}
    for path, count, chance in zip(law.paths, law.counts, chances, strict=True):
        assert chance / count == pytest.approx(alone[path], rel=1e-9)


@pytest.mark.parametrize("kinds", [(0, 1, 2, 3, 4), (0, 1, 0, 1, 1)])
@pytest.mark.parametrize("name", ["svt-star", "lyu-2", "lyu-1", "numeric-sparse"])
def test_derivatives(name: str, kinds: tuple[int, ...]) -> None:
    random = np.random.default_rng(len(name))
    law = RunLaw(Simulation(build_program(name), F(1)), kinds, 100)
    inputs = random.normal(0, 3, max(kinds) + 1)
    weights = random.normal(0, 1, len(law.counts))
    found = law.chances(inputs).derivative(weights)
    for k, unit in enumerate(np.eye(len(inputs)) * 1e-5):
        ends = [float(law.chances(inputs + sign * unit).of_runs @ weights) for sign in (1, -1)]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


@pytest.mark.parametrize("objective", [gain_at(1.25), needed_by(100, 1e-6)])
def test_derivatives_of_objectives(objective: Objective) -> None:
    random = np.random.default_rng(0)
    p, q = (side / side.sum() for side in random.uniform(0.5, 1, (2, 6)))
    value, by_p, by_q = objective(p, q, None)
    for k, unit in enumerate(np.eye(6) * 1e-7):
        assert (objective(p + unit, q, None)[0] - value) / 1e-7 == pytest.approx(by_p[k], abs=1e-3, rel=1e-3)
        assert (objective(p, q + unit, None)[0] - value) / 1e-7 == pytest.approx(by_q[k], abs=1e-3, rel=1e-3)


def test_too_many_runs() -> None:
    with pytest.raises(TooManyRuns):
        RunLaw(Simulation(build_program("lyu-6"), F(1)), range(12), 400)


@pytest.mark.parametrize("adjacency", ["increasing", "decreasing", "monotonic", "one-differ"])
def test_differences_are_those_of_the_adjacency(adjacency: str) -> None:
    found = search_for(sparse(), Adjacency(adjacency), F(1), 5).fresh(gain_at(1.0))
    assert found
    for one in found:
        up, down = any(d > 0 for d in one.moved), any(d < 0 for d in one.moved)
        if adjacency == "one-differ":
            assert sum(d != 0 for d in one.moved) == 1
        else:
            assert not (up and down)
            assert adjacency == "monotonic" or (down if adjacency == "decreasing" else up)


def test_values_are_those_of_the_inputs() -> None:
    """And searching again from them finds nothing worse."""
    search = search_for(sparse(), Adjacency.ALL_DIFFER, F(1), 5)
    found = search.fresh(gain_at(1.0))
    for one in found:
        runs = search.simulation.runs(one.inputs, one.neighbour, 100)
        assert one.value == pytest.approx(sum(max(0.0, p - q) for _, p, q in runs), abs=1e-9)
    best = max(one.value for one in found)
    assert max(one.value for one in search.improved(found, gain_at(1.0))) > best - 1e-4
    assert search.fresh(gain_at(1.0)) == found


def test_climbing() -> None:
    """To the top of a hill."""
    top = np.array([1.0, -2.0, 3.0])

    def valued(point: np.ndarray) -> tuple[float, np.ndarray]:
        away = (point - top) * np.array([1.0, 10.0, 0.1])
        return -float((away * (point - top)).sum()), -2 * away

    point, value = climbed(valued, np.zeros(3), 1.0, 20)
    assert value > -1e-6
    assert point == pytest.approx(top, abs=1e-2)


def test_neighbours() -> None:
    assert FoundInputs(0.0, (F(1), F(2)), (F(-1), F(1, 2))).neighbour == (F(0), F(5, 2))
