"""Programs of several variables: exact sums are never above what a table promises; which have none."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import pytest

import prover
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.profiles import above, search
from prover.zoo import build_program
from tests.certified import proved
from tests.profiles import everything
from tests.program.profiles.joint import Joint
from tests.program.profiles.made import (
    bounded_by_exact_epsilon,
    delta_above,
    neighbours,
    of_two_variables,
    promised,
    random_program,
)
from tests.program.profiles.quadrature import delta

ALPHAS = [Fraction(number) for number in ("1/2", "1", "11/10", "3/2", "3", "8")]
ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing", "monotonic")
QUARTER = Fraction(1, 4)


def state(input: bool, *cases: Transition) -> State:
    return State(input, QUARTER, Fraction(0), None, None, cases)


def in_turns(count: int) -> Program:
    """Queries are compared with each of some limits in turn, until one is not below its limit."""
    states = {
        f"d{k}": state(False, Transition((), (f"t{k}",), "o", f"d{k + 1}" if k + 1 < count else "q0"))
        for k in range(count)
    }
    for k in range(count):
        below = Transition((("<", f"t{k}"),), (), "no", f"q{(k + 1) % count}")
        states[f"q{k}"] = state(True, below, Transition(((">=", f"t{k}"),), (), "yes", "end"))
    return Program("d0", states)


@pytest.mark.parametrize("seed", range(1000) if everything() else range(16))
def test_no_pair_of_inputs_exceeds_the_table(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("KNOTS", 30), ("LINES", 4), ("STEPS", 2)):
        monkeypatch.setattr(above, name, number)
    random = Random(seed)
    program = of_two_variables(random_program(seed, grid=True), seed)
    adjacency = ADJACENCIES[seed % 5]
    found = delta_above(program, Adjacency(adjacency), Fraction(1), Fraction(3, 2))
    assert Fraction(proved(found.certificate)["claim"]["upper"]) == found.upper
    document = json.loads(found.certificate.data)
    bounds = {alpha: float(promised(document, alpha)) for alpha in ALPHAS}
    for _ in range(3):
        inputs, moves = neighbours(program, adjacency, 3, random)
        law = Joint(program, 1.0, inputs, moves, 3, most_steps=6).law()
        assert law.sum(axis=0) == pytest.approx([1, 1], abs=1e-6)
        assert all(delta(law, float(alpha)) <= bound + 1e-6 for alpha, bound in bounds.items())


@pytest.mark.slow
def test_both_ends_of_two_limits_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(above, "KNOTS", 80)
    monkeypatch.setattr(search, "SHORT", (1, 2))
    answer = prover.delta(in_turns(2), at_epsilon=1, alpha="5/4")
    assert Fraction("0.01") < answer.lower < answer.upper < Fraction("0.18")
    for certificate in (answer.certificate, answer.lower_certificate):
        assert certificate is not None
        proved(certificate)


@pytest.mark.parametrize(
    ("name", "most"), [pytest.param("levels", "0.016", marks=pytest.mark.slow), ("streams", "0.046")]
)
def test_programs_of_the_zoo(name: str, most: str) -> None:
    """Their exact ε is 1, which alone proves 0.3276 at α = 3/2."""
    found = delta_above(build_program(name), Adjacency.ALL_DIFFER, Fraction(1), Fraction(3, 2))
    assert 0 < found.upper < Fraction(most)
    assert Fraction(proved(found.certificate)["claim"]["upper"]) == found.upper


@pytest.mark.slow
def test_a_variable_that_is_not_tested_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn from an input, and stored beside the limit."""
    monkeypatch.setattr(above, "KNOTS", 40)
    one = in_turns(1)
    draw = Transition((), ("unused",), "o", "q0")
    first = state(False, Transition((), ("t0",), "o", "more"))
    two = Program("d0", {**one.states, "d0": first, "more": state(True, draw)})
    uppers = [delta_above(p, Adjacency.ALL_DIFFER, Fraction(1), Fraction(5, 4)).upper for p in (one, two)]
    assert uppers[0] == pytest.approx(float(uppers[1]), rel=0.02)


@pytest.mark.parametrize("name", ["m-range", "num-range", "two-range", "k-min-max"])
def test_states_that_compare_with_two(name: str) -> None:
    bounded_by_exact_epsilon(build_program(name), r"compares with several variables|numbers at once")


def test_too_many_limits() -> None:
    bounded_by_exact_epsilon(in_turns(5), "stores 5 numbers at once")
