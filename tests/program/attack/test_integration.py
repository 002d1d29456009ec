"""Probabilities of runs of several variables: against sums over all orders of the samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from prover.exact.ball import bounds
from prover.exact.piecewise import TooManyTerms
from prover.program.attack import integration
from prover.program.attack.attack import WINDOW
from prover.program.attack.probability import Loss, loss_between, path_probability
from prover.program.model import Edge, Program
from prover.program.outputs import REAL_OUTPUTS
from prover.zoo import counterexample, k_min_max
from tests.program.optimum.test_scale import some_runs
from tests.program.several_examples import demands, is_possible, price, random_program, state
from tests.refusals import refuses

F = Fraction
ENDS, POINTS = 45.0, 20_001


def by_orders(program: Program, run: Sequence[Edge], inputs: Sequence[Fraction]) -> float:
    """At ε = 1: for every order of the samples that tests allow, one integral after the other on a grid."""
    grid = np.linspace(-ENDS, ENDS, POINTS)
    step = grid[1] - grid[0]
    densities = []
    for edge, read in zip(run, inputs, strict=True):
        rate, mean = float(program.states[edge.source].rates[0]), float(program.states[edge.source].mean)
        density = rate / 2 * np.exp(-rate * abs(grid - float(read) - mean))
        densities.append(density / (density.sum() * step))
    pairs = demands(run)

    def rest(done: frozenset[int], function: np.ndarray) -> float:
        if len(done) == len(run):
            return float(function[-1])
        total = 0.0
        for place in range(len(run)):
            if place not in done and all(a in done for a, b in pairs if b == place):
                weighed = densities[place] * function
                total += rest(done | {place}, (np.cumsum(weighed) - weighed / 2) * step)
        return total

    return rest(frozenset(), np.ones(POINTS))


def windows(run: Sequence[Edge]) -> dict[int, tuple[Fraction, Fraction]]:
    return {place: WINDOW for place, edge in enumerate(run) if edge.output in REAL_OUTPUTS}


def runs(seeds: range, longest: int) -> Iterator[tuple[Program, list[Edge], Random]]:
    """Possible runs of random programs in which some sample is compared with two others."""
    for seed in seeds:
        random = Random(seed)
        program = random_program(random)
        for run in some_runs(program, random):
            if len(run) <= longest and any(len(edge.guard) > 1 for edge in run):
                yield program, run, random
                break


def test_against_all_orders() -> None:
    seen = 0
    for program, run, random in runs(range(80), 6):
        inputs = [F(random.randint(-3, 3)) if edge.input else F(0) for edge in run]
        low, high = bounds(path_probability(program, run, inputs).at(F(1)))
        assert 0 < low <= high
        assert abs(float(low) - by_orders(program, run, inputs)) < 2e-3 * float(low) + 1e-9
        seen += 1
    assert seen > 15


def test_alike_samples_are_counted() -> None:
    """The least and the largest, then many values between: one set of samples for each number of these."""
    program = k_min_max(2)
    edges = {(edge.source, edge.output): edge for edge in program.edges}
    run = [edges["q1", "o"], edges["q2", "a"], *[edges["q3", "in"]] * 3]
    exact = path_probability(program, run, [F(0)] * len(run)).at(F(1))
    assert abs(float(bounds(exact)[0]) - by_orders_of_slow_rates(program, run)) < 1e-3
    many = [*run[:2], *[edges["q3", "in"]] * 60]
    low, high = bounds(path_probability(program, many, [F(0)] * len(many)).at(F(1)))
    assert 0 < low <= high < bounds(exact)[0]


def by_orders_of_slow_rates(program: Program, run: Sequence[Edge]) -> float:
    """The same by chance: how often samples of the means 0 are as demanded."""
    random = np.random.default_rng(3)
    rates = [float(program.states[edge.source].rates[0]) for edge in run]
    samples = [random.laplace(0, 1 / rate, 2_000_000) for rate in rates]
    return float(np.mean(np.all([samples[a] <= samples[b] for a, b in demands(run)], axis=0)))


def far(program: Program, run: Sequence[Edge], deltas: Sequence[int], t: int) -> Loss:
    inputs, others = ([F(s * delta) for delta in deltas] for s in (t, t + 1))
    return loss_between(program, run, inputs, others, F(1), windows(run))


@pytest.mark.thorough
def test_losses_stay_below_and_come_near() -> None:
    seen = 0
    for program, run, random in runs(range(100, 230), 7):
        deltas = [random.choice((-1, 1)) if edge.input else 0 for edge in run]
        most, last = price(run, deltas), -1.0
        for t in (3, 9, 30, 90):
            low, high = map(float, far(program, run, deltas, t).loss)
            assert last - 1e-9 <= low <= high <= most + 1e-6
            assert most - low <= 0.5 * len(run) / t
            last = high
        seen += 1
    assert seen > 30


@pytest.mark.parametrize("turns", [1, 2, 4, 6])
def test_a_range_between_two_loops(turns: int) -> None:
    """Over 2N + 3 steps 2N + 2 are lost."""
    program = counterexample("range-between")
    edges = {(edge.source, edge.output): edge for edge in program.edges}
    first = [edges["q1", "o"], edges["q2", "o"]]
    run = [*first, *[edges["q3", "a"]] * turns, edges["q3", "in"], *[edges["q4", "a"]] * turns]
    deltas = [1, 1, *[-1] * turns, -1, *[1] * turns]
    assert price(run, deltas) == pytest.approx(2 * turns + 2)
    low, high = far(program, run, deltas, 8).loss
    assert 2 * turns + 2 - F(1, 10**5) < low <= high < 2 * turns + 2


@pytest.mark.parametrize("turns", [4, 10])
def test_two_loops_and_then_a_range(turns: int) -> None:
    program = counterexample("sequence")
    edges = {(edge.source, edge.output): edge for edge in program.edges}
    first = [edges["q1", "o"], edges["q2", "o"], *[edges["q3", "a"]] * turns, edges["q3", "b"]]
    run = [*first, *[edges["q4", "a"]] * turns, edges["q4", "b"], edges["q5", "in"]]
    deltas = [1, 1, *[1] * turns, -1, *[-1] * turns, 1, -1]
    most = {4: 12, 10: 24}[turns]
    assert price(run, deltas) == pytest.approx(most)
    low, high = far(program, run, deltas, 8).loss
    assert most - F(1, 10**5) < low <= high < most


def test_what_contradicts_itself_is_impossible() -> None:
    tests = (("<", "x"), (">=", "y"))
    program = Program("q1", {"q1": state(((), ("x", "y"), "o", "q2")), "q2": state((tests, (), "a", "end"))})
    run = [program.edges[0], program.edges[1]]
    assert not is_possible(run)
    with refuses("impossible-run"):
        loss_between(program, run, [F(0)] * 2, [F(1)] * 2, F(1))
    assert bounds(path_probability(program, run, [F(0)] * 2).at(F(1)))[1] == 0


def test_too_many_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integration, "MOST_SETS", 3)
    program = k_min_max(2)
    edges = {(edge.source, edge.output): edge for edge in program.edges}
    run = [edges["q1", "o"], edges["q2", "a"], *[edges["q3", "in"]] * 3]
    with pytest.raises(TooManyTerms, match="sets"):
        path_probability(program, run, [F(0)] * 5)
