"""Probabilities of runs: against numerical and symbolic integration, and as parts of a whole."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random

import mpmath
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from prover.exact import piecewise
from prover.exact.ball import bounds
from prover.exact.exponential_sum import ExponentialSum
from prover.exact.piecewise import TooManyTerms
from prover.program.attack.probability import loss_between, path_probability
from prover.program.model import Edge, Program, out_edges
from prover.program.outputs import INSAMPLE, REAL_OUTPUTS
from prover.zoo import chain_of_tests, numeric_sparse, svt
from tests.profiles import examples
from tests.program.automata import optimum
from tests.program.integrals import is_equal, numerical, symbolical
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_oracle import runs, straight_line
from tests.program_strategies import programs
from tests.refusals import refuses

F = Fraction
INPUTS = st.fractions(min_value=-3, max_value=3, max_denominator=3)
ONE = ExponentialSum.rational(1)


def random_inputs(random: Random, path: tuple[Edge, ...]) -> list[Fraction]:
    return [F(random.randint(-4, 4), random.choice([1, 1, 2])) if edge.input else F(0) for edge in path]


def random_windows(random: Random, path: tuple[Edge, ...]) -> dict[int, tuple[Fraction, Fraction]]:
    places = [k for k, edge in enumerate(path) if edge.output in REAL_OUTPUTS and random.random() < 0.8]
    return {k: (F(random.randint(-3, 0)), F(random.randint(1, 3), 2)) for k in places}


def whole(line: Program) -> tuple[Edge, ...]:
    """The run of a straight line."""
    return max(runs(line, len(line.states)), key=len)


@pytest.mark.parametrize("seed", range(12))
def test_numerical_integration_agrees(seed: int) -> None:
    random = Random(seed)
    line = straight_line(random, random.randint(1, 5))
    path = whole(line)
    while sum(edge.assigns for edge in path) > 2:
        line = straight_line(random, random.randint(1, 5))
        path = whole(line)
    inputs, windows, epsilon = random_inputs(random, path), random_windows(random, path), F(3, 4)
    exact = path_probability(line, path, inputs, windows)
    with ctx.workprec(80):
        low, high = bounds(exact.at(epsilon))
    numeric = numerical(line, path, inputs, epsilon, windows)
    assert abs(float(low) - numeric) < 1e-6
    assert high - low < F(1, 10**12)


@pytest.mark.parametrize("seed", range(8))
def test_sympy_agrees(seed: int) -> None:
    random = Random(seed)
    line = straight_line(random, random.randint(1, 4))
    path = whole(line)
    inputs = random_inputs(random, path)
    windows = {k: w for k, w in random_windows(random, path).items() if path[k].output == INSAMPLE}
    exact = path_probability(line, path, inputs, windows)
    assert is_equal(exact, symbolical(line, path, inputs, windows))


def test_powers_of_epsilon_appear_with_equal_rates() -> None:
    line = program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(step(BELOW, "end"))})
    found = path_probability(line, line.edges, [F(2), F(0)])
    assert str(found) == "1 - 1/2·e^(-2·ε) - 1/2·ε·e^(-2·ε)"
    assert is_equal(found, symbolical(line, line.edges, [F(2), F(0)], {}))


def test_a_run_of_no_steps_is_certain() -> None:
    assert path_probability(svt(), (), ()) == ONE


@examples(25)
@given(programs(max_states=4, deterministic=True), st.randoms(use_true_random=False))
def test_all_runs_together_are_certain(automaton: Program, random: Random) -> None:
    """The sums of all runs of so many steps add up to exactly 1 if guards leave nothing out."""
    leaving = out_edges(automaton)
    for edges in leaving.values():
        if {edge.relation for edge in edges} not in ({""}, {"<", ">="}):
            return
    longest = 4
    inputs = [F(random.randint(-3, 3)) for _ in range(longest)]
    total = ExponentialSum.rational(0)
    for run in runs(automaton, longest):
        if len(run) == longest or (run[-1:] and run[-1].target not in leaving):
            read = [value if edge.input else F(0) for value, edge in zip(inputs, run, strict=False)]
            total = total + path_probability(automaton, run, read)
    assert total == ONE


def test_windows_cover_the_line() -> None:
    """Windows that are put together make up what has no window."""
    sparse = numeric_sparse()
    path = (sparse.edges[0], sparse.edges[1], sparse.edges[2])
    inputs = [F(0), F(1), F(-1)]
    cuts = [F(-1000), F(-1), F(1, 3), F(1000)]
    parts = [path_probability(sparse, path, inputs, {2: (low, high)}) for low, high in pairwise(cuts)]
    together = path_probability(sparse, path, inputs, {2: (cuts[0], cuts[-1])})
    assert parts[0] + parts[1] + parts[2] == together
    with ctx.workprec(64):
        low, high = bounds((path_probability(sparse, path, inputs) - together).at(F(1)))
    assert abs(low) < F(1, 10**15)
    assert abs(high) < F(1, 10**15)


@examples(40)
@given(programs(max_states=4), st.randoms(use_true_random=False))
def test_no_adjacent_inputs_lose_more_than_the_best_shifts_cost(automaton: Program, random: Random) -> None:
    """The coupling lemma, with rigorous numbers: a run loses at most ε·V(Δ)."""
    path = random.choice([run for run in runs(automaton, 4) if run])
    inputs = random_inputs(random, path)
    deltas = [random.choice([-1, 0, 1]) if edge.input else 0 for edge in path]
    others = [read + delta for read, delta in zip(inputs, deltas, strict=True)]
    windows = {k: (F(-1, 2), F(1, 2)) for k, edge in enumerate(path) if edge.output in REAL_OUTPUTS}
    epsilon = random.choice([F(1, 3), F(1), F(2)])
    if not path_probability(automaton, path, inputs, windows):
        return  # such windows and guards exclude each other
    found = loss_between(automaton, path, inputs, others, epsilon, windows)
    bound = epsilon * optimum(list(zip(path, deltas, strict=True)))
    assert found.loss[0] <= bound
    assert found.loss[1] <= bound + F(1, 10**12)


@examples(20)
@given(programs(max_states=4), st.randoms(use_true_random=False), st.integers(0, 4))
def test_larger_t_never_makes_the_loss_smaller(automaton: Program, random: Random, t: int) -> None:
    """The probability is log-concave in t, so the loss between tΔ and (t+1)Δ grows with t (Theorem C)."""
    path = random.choice([run for run in runs(automaton, 4) if run])
    deltas = [random.choice([-1, 1]) if edge.input else 0 for edge in path]
    windows = {k: (F(-1), F(1)) for k, edge in enumerate(path) if edge.output in REAL_OUTPUTS}
    inputs = [[F(s * delta) for delta in deltas] for s in (t, t + 1, t + 2)]
    first = loss_between(automaton, path, inputs[0], inputs[1], F(1), windows)
    second = loss_between(automaton, path, inputs[1], inputs[2], F(1), windows)
    assert first.loss[0] <= second.loss[1]


@pytest.mark.parametrize("seed", range(60))
def test_the_leading_exponent_is_the_cost_of_the_best_shifts(seed: int) -> None:
    """Theorem C, read off exact probabilities: P[path | tΔ] = c·t^k·e^(−ε·t·V(Δ)) + smaller terms, c > 0."""
    random = Random(seed)
    line = straight_line(random, random.randint(2, 5))
    path = whole(line)
    letters = [replace(edge, output="o") for edge in path]
    deltas = [random.choice([-1, 1]) if edge.input else 0 for edge in path]
    found = path_probability(line, path, [F(delta) for delta in deltas])
    leading = max(exponent for _, _, exponent in found.terms)
    assert leading == -optimum(list(zip(letters, deltas, strict=True)))
    highest = max(power for _, power, exponent in found.terms if exponent == leading)
    assert next(c for c, power, exponent in found.terms if (power, exponent) == (highest, leading)) > 0


def test_the_loss_of_sparse_vector_grows_with_t() -> None:
    vector = svt()
    path = [vector.edges[k] for k in (0, 1, 1, 2)]
    inputs = [[F(0), F(t), F(t), F(-t)] for t in range(9)]
    found = [loss_between(vector, path, *pair, F(1)).loss for pair in pairwise(inputs)]
    for (_, high), (low, _) in pairwise(found):
        assert high < low < F(5, 4)


def test_loss_and_probabilities_are_enclosed() -> None:
    tests = chain_of_tests()
    path = tests.edges[:1] + tuple(edge for edge in tests.edges[1:] if edge.relation == "<")
    inputs, others = [F(k) for k in range(6)], [F(k + 1) for k in range(6)]
    found = loss_between(tests, path, inputs, others, F(1, 2), digits=20)
    exact = [path_probability(tests, path, given) for given in (inputs, others)]
    with ctx.workprec(200):
        values = [bounds(chance.at(F(1, 2))) for chance in exact]
    for interval, (low, high) in zip((found.probability, found.other_probability), values, strict=True):
        assert interval[0] <= low <= high <= interval[1]
    assert found.loss[1] - found.loss[0] < F(1, 10**20)
    with mpmath.workdps(40):
        ratio = mpmath.mpf(values[0][0].numerator) / values[0][0].denominator
        ratio /= mpmath.mpf(values[1][0].numerator) / values[1][0].denominator
        middle = (found.loss[0] + found.loss[1]) / 2
        assert abs(mpmath.log(ratio) - mpmath.mpf(middle.numerator) / middle.denominator) < 1e-19


def test_precision_follows_the_need() -> None:
    vector = svt()
    path = [vector.edges[0], *[vector.edges[1]] * 60, vector.edges[2]]

    def inputs(t: int) -> list[Fraction]:
        return [F(0), *[F(t)] * 60, F(-t)]

    found = loss_between(vector, path, inputs(300), inputs(301), F(1), digits=30)
    assert found.bits > 100
    assert found.loss[1] - found.loss[0] < F(1, 10**30)
    again = loss_between(vector, path, inputs(300), inputs(301), F(1), digits=30, bits=found.bits)
    assert again == found


class TestRefusals:
    def test_another_run(self) -> None:
        vector = svt()
        with refuses("not-a-run", match="q1"):
            path_probability(vector, vector.edges[1:2], [F(0)])
        with refuses("not-a-run", match="step 1"):
            path_probability(vector, [vector.edges[0], vector.edges[0]], [F(0), F(0)])
        with refuses("not-a-run"):
            path_probability(vector, numeric_sparse().edges[2:3], [F(0)])

    def test_inputs(self) -> None:
        vector = svt()
        with refuses("wrong-number-of-inputs", match="2 inputs for 1 steps"):
            path_probability(vector, vector.edges[:1], [F(0), F(0)])
        with refuses("input-not-taken", match="q1"):
            path_probability(vector, vector.edges[:1], [F(1, 2)])

    def test_windows(self) -> None:
        sparse = numeric_sparse("insample")
        path = (sparse.edges[0], sparse.edges[2])
        for place in (0, 2, -1):
            with refuses("window-without-number"):
                path_probability(sparse, path, [F(0), F(0)], {place: (F(0), F(1))})
        with refuses("empty-window", match="larger"):
            path_probability(sparse, path, [F(0), F(0)], {1: (F(1), F(1))})

    def test_too_many_terms(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(piecewise, "MOST_OPERATIONS", 30)
        vector = svt()
        path = [vector.edges[0], *[vector.edges[1]] * 40]
        with pytest.raises(TooManyTerms):
            path_probability(vector, path, [F(0)] * 41)


def test_guards_and_windows_can_exclude_a_run() -> None:
    line = program(
        {
            "q0": state(step(TRUE, "q1", INSAMPLE, assign=True)),
            "q1": state(step(ABOVE, "end", INSAMPLE)),
        }
    )
    apart = {0: (F(1), F(2)), 1: (F(-2), F(-1))}
    assert path_probability(line, line.edges, [F(0), F(0)], apart) == ExponentialSum.rational(0)
