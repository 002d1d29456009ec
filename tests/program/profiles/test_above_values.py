"""Upper bounds of δ that other programs have found, in floats and in rationals (docs/theory_profiles.md)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from pathlib import Path

import pytest

from prover.exact.rational import format_rational
from prover.formats.load import load_program
from prover.program.adjacency import Adjacency
from prover.program.attack.at_epsilon import given_place
from prover.program.model import Program, State, Transition
from prover.program.noise import INFINITE, Noise, Rate
from prover.program.profiles import above
from tests.certified import proved
from tests.program.profiles.made import delta_above
from tests.program.profiles.quadrature import Quadrature, delta

BELOW, ABOVE = (("<", "x"),), ((">=", "x"),)
HALF, QUARTER, ONE = Fraction(1, 2), Fraction(1, 4), Fraction(1)
PLACES = 10**9
EXAMPLES = Path(__file__).parents[3] / "examples"


def state(input: bool, rate: Fraction | None, *cases: Transition) -> State:
    """With Laplace noise, or none."""
    side: Rate | None = None if rate else INFINITE
    return State(input, rate, Fraction(0), None, None, cases, side, side)


def threshold(rate: Fraction | None) -> State:
    return state(False, rate, Transition((), ("x",), "start", "q1"))


def above_threshold(count: int, rate: Fraction | None, own: Fraction) -> Program:
    """Until `count` inputs are not below a threshold, which is drawn or, without a rate, public."""
    states = {"q0": threshold(rate)}
    for k in range(1, count + 1):
        onwards = f"q{k + 1}" if k < count else "end"
        cases = Transition(BELOW, (), "no", f"q{k}"), Transition(ABOVE, (), "yes", onwards)
        states[f"q{k}"] = state(True, own, *cases)
    return Program("q0", states)


def found(program: Program, alpha: float, adjacency: str = "all-differ") -> float:
    ratio = Fraction(round(alpha * PLACES), PLACES)
    return float(delta_above(program, Adjacency(adjacency), ONE, ratio).upper)


@pytest.mark.family
@pytest.mark.parametrize(
    ("at", "many", "five", "lower"),
    [
        (0, 0.1613, 0.161452, 0.143346),
        (1 / 4, 0.0830, 0.083512, 0.062322),
        (1 / 2, 0.0343, 0.036728, 0.022074),
        (3 / 4, 0.0106, 0.010953, 0.005027),
        (9 / 10, 0.0034, 0.003539, 0.000859),
    ],
)
def test_above_threshold_once(at: float, many: float, five: float, lower: float) -> None:
    """21 shifts give `many`, 5 of them in steps of ¼ give `five`, and some inputs `lower`."""
    upper = found(above_threshold(1, HALF, QUARTER), exp(at))
    assert lower < upper <= five
    assert upper >= many * 0.99


TEN_HITS = {0: 0.05131, 1 / 4: 0.002568, 1 / 2: 3.421e-5, 5 / 8: 1.694e-6, 3 / 4: 6.886e-8, 9 / 10: 2.43e-10}


@pytest.mark.slow
def test_above_threshold_ten_times() -> None:
    """The exact ε is 1. At no α one table proves more than another one with 5 shifts did."""
    alphas = {at: Fraction(round(exp(at) * PLACES), PLACES) for at in (*TEN_HITS, 0.65)}
    program = above_threshold(10, HALF, Fraction(1, 40))
    tables = above.closed_tables(program, Adjacency.ALL_DIFFER, ONE, list(alphas.values()))
    for at, value in TEN_HITS.items():
        assert 0 < tables.at(alphas[at]).upper <= value, at
    last = tables.at(alphas[0.65])
    assert last.upper <= Fraction(1, 10**6)
    assert proved(last.certificate)["claim"]["kind"] == "profile-table"


@pytest.mark.family
@pytest.mark.parametrize("near", [Fraction(1), Fraction(2), Fraction(21170000, 10**7)])
def test_knots_are_not_near_to_each_other(near: Fraction) -> None:
    """Otherwise rounded values between them would fall too much or too little, and a step lose too much."""
    alphas = [near + Fraction(k, 10**9) for k in range(3)]
    tables = above.closed_tables(above_threshold(1, HALF, QUARTER), Adjacency.ALL_DIFFER, ONE, alphas)
    knots = [log(knot) for knot in tables.sides["all-differ"].knots[1:]]
    widths = [two - one for one, two in pairwise(knots)]
    assert min(widths) > max(widths) / 32
    assert proved(tables.at(alphas[1]).certificate)["claim"]["alpha"] == str(alphas[1])


def repeated(*cases: Transition, input: bool = True) -> Program:
    """A threshold, and a state that leads to itself or back to the threshold."""
    return Program("q0", {"q0": threshold(HALF), "q1": state(input, HALF, *cases)})


ANEW = repeated(Transition(BELOW, (), "no", "q0"), Transition(ABOVE, (), "yes", "end"))
SIX = repeated(Transition(BELOW, (), "no", "q1"), Transition(ABOVE, (), "yes", "q1"))
STORED = repeated(Transition((), ("x",), "no", "q1"))
PUBLIC = repeated(Transition(BELOW, (), "no", "q0"), Transition(ABOVE, (), "yes", "q2"), input=False)
ONE_QUERY = state(True, HALF, Transition(BELOW, (), "no", "end"), Transition(ABOVE, (), "yes", "end"))


@pytest.mark.family
@pytest.mark.parametrize(
    ("program", "adjacency", "value"),
    [
        (STORED, "all-differ", 0),  # what is stored is compared with nothing
        (replace(PUBLIC, states={**PUBLIC.states, "q2": ONE_QUERY}), "all-differ", 1 - exp(-1 / 4)),
        (ANEW, "one-differ", 1 - exp(-1 / 4)),
        (ANEW, "all-differ", 0.3074),
        (ANEW, "increasing", 0.2382),
        (SIX, "one-differ", 1 - exp(-1 / 4)),
        (SIX, "all-differ", 1),
    ],
)
def test_loops_that_draw_again(program: Program, adjacency: str, value: float) -> None:
    """One query of rate ½ that differs by 1 has δ(1) = 1 − e^(−¼)."""
    bound = delta_above(program, Adjacency(adjacency), ONE, ONE)
    assert float(bound.upper) == pytest.approx(value, rel=0.002, abs=1e-9)
    assert proved(bound.certificate)["claim"]["upper"] == format_rational(bound.upper)


@pytest.mark.parametrize(("at", "value"), [(0, 0.226), (9 / 8, 0.0077)])
def test_above_threshold_twice(at: float, value: float) -> None:
    assert value * 0.9 < found(above_threshold(2, HALF, QUARTER), exp(at)) < value * 1.01


@pytest.mark.parametrize(
    ("rate", "values"),
    [
        (QUARTER, {1: 0.16125, 2: 0.03064, 10: 0.00062}),
        (ONE, {1: 0.5428, 2: 0.4149, 10: 0.2205}),
    ],
)
def test_a_public_threshold_is_exact(rate: Fraction, values: dict[float, float]) -> None:
    for alpha, value in values.items():
        assert found(above_threshold(1, None, rate), alpha) == pytest.approx(value, rel=0.02), alpha


@pytest.mark.family
@pytest.mark.parametrize(
    ("at", "value"),
    [
        (0, 0.4211),
        (1 / 2, 0.2978),
        (1, 0.2038),
        (2, 0.0904),
    ],
)
def test_a_program_of_infinite_loss(at: float, value: float) -> None:
    """A public threshold: below it until an input is not, then above it until one is not."""
    states = {
        "q0": threshold(None),
        "q1": state(True, HALF, Transition(BELOW, (), "no", "q1"), Transition(ABOVE, (), "yes", "q2")),
        "q2": state(True, HALF, Transition(ABOVE, (), "yes", "q2"), Transition(BELOW, (), "no", "end")),
    }
    assert found(Program("q0", states), exp(at)) == pytest.approx(value, rel=0.02)


@pytest.mark.family
@pytest.mark.parametrize(
    ("adjacency", "at", "value"),
    [
        ("all-differ", 0, 0.3073),
        ("all-differ", 1 / 2, 0.1505),
        ("all-differ", 1, 0.0288),
        ("increasing", 0, 0.178),
        ("decreasing", 0, 0.178),
        ("decreasing", 1 / 4, 0.090),
    ],
)
def test_a_program_that_outputs_a_number(adjacency: str, at: float, value: float) -> None:
    program = load_program(EXAMPLES / "svt.dipa")
    assert found(program, exp(at), adjacency) <= value * 1.02


@pytest.mark.parametrize(
    ("at", "value"), [(0, 0.1651), (1 / 4, 0.0930), (1 / 2, 0.0523), (3 / 4, 0.0293), (9 / 10, 0.0127)]
)
def test_geometric_noise(at: float, value: float) -> None:
    program = above_threshold(1, HALF, QUARTER)
    upper = found(replace(program, noise=Noise("discrete-laplace")), exp(at))
    assert value * 0.99 <= upper <= value * 1.004


def test_a_grid_that_is_fine_is_nearly_the_line() -> None:
    """Not below it: a small grid hides less than Laplace noise."""
    program = above_threshold(1, HALF, QUARTER)
    on_line = found(program, 1)
    fine = found(replace(program, noise=Noise("discrete-laplace", Fraction(1, 16))), 1)
    assert on_line * 0.99 <= fine <= on_line * 1.01


def test_a_public_threshold_on_a_grid_is_exact() -> None:
    """One answer, q = 1/2: half-lines differ in probability by at most (1 − q)/(1 + q) = 1/3."""
    draw = state(False, None, Transition((), ("x",), "start", "q1"))
    cases = (Transition(BELOW, (), "no", "end"), Transition(ABOVE, (), "yes", "end"))
    program = Program("q0", {"q0": draw, "q1": state(True, ONE, *cases)}, noise=Noise("discrete-laplace"))
    place = given_place(program, None, HALF)
    tables = above.closed_tables(program, Adjacency.ALL_DIFFER, place.epsilon, [ONE], q=place.q)
    assert Fraction(1, 3) < tables.at(ONE).upper < Fraction(1, 3) + Fraction(1, 10**6)


def test_the_quadrature_itself() -> None:
    """Probabilities in balls, equal in two programs."""
    first, second = (-1, 0.5, 0, 2), (0, -0.5, 1, 1)
    keys = [(k, number) for k in range(4) for number in range(4)]
    inputs = {key: float(first[key[0]]) for key in keys}
    moves = {key: float(second[key[0]] - first[key[0]]) for key in keys}
    law = Quadrature(above_threshold(1, HALF, QUARTER), 1.0, inputs, moves, 4).law()
    ahead = [0.418112078762164, 0.275343197886968, 0.11130928778435, 0.0927040451249835, 0.102531390441534]
    behind = [0.5, 0.187920346867491, 0.139212843058578, 0.065654909889956, 0.107211900183974]
    assert sorted(law[:, 0]) == pytest.approx(sorted(ahead), abs=1e-12)
    assert sorted(law[:, 1]) == pytest.approx(sorted(behind), abs=1e-12)
    assert [delta(law, alpha) for alpha in (1, 1.2, 1.5)] == pytest.approx(
        [0.114471986254504, 0.0637569349030149, 0], abs=1e-12
    )
    reverse = law[:, ::-1]
    assert [delta(reverse, alpha) for alpha in (1.2, 1.5)] == pytest.approx(
        [0.0056416977173588, 0], abs=1e-12
    )
