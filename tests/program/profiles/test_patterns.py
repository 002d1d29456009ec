"""Pairs of inputs where outputs hide the run: those of noisy max, in which one candidate stands alone."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

import prover
from prover.language import laplace, mechanism, see
from prover.program.model import Program
from prover.program.profiles.below import Below
from prover.zoo import build_program
from tests.certificate.verdicts import accepted
from tests.profiles import thinned

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "mechanisms" / "gaussian.py"
ADJACENCIES = ["all-differ", "one-differ", "increasing", "decreasing", "monotonic"]


def gaussian_max(size: int) -> Program:
    return prover.load_program(f"{EXAMPLE}:largest", const=f"size={size}")


@cache
def answer_of(program: Program) -> prover.ProgramDelta:
    return prover.delta(program, at_epsilon=1, alpha="3/2")


@mechanism
def sorted_twice(queries):  # type: ignore[no-untyped-def]
    """Nothing is told of the first comparison but by the second one, which is with the same number."""
    limit = laplace(0, rate=1)
    first = laplace(next(queries), rate=1) >= limit
    second = laplace(next(queries), rate=1) >= limit
    see(first == second)


@pytest.mark.family
@pytest.mark.parametrize(("size", "adjacency"), thinned([*product([2, 3], ADJACENCIES)], 4))
def test_noisy_max(size: int, adjacency: str) -> None:
    program = gaussian_max(size=size)
    answer = prover.delta(program, alpha="3/2", adjacency=adjacency)
    assert 0 < answer.lower < answer.upper
    assert isinstance(answer.attack, Below)
    assert answer.lower_certificate is not None
    assert accepted(json.loads(answer.lower_certificate.data))
    pair = prover.delta(
        program,
        alpha="3/2",
        adjacency=adjacency,
        inputs=answer.attack.inputs,
        neighbour=answer.attack.neighbour,
    )
    assert answer.lower <= pair.upper


def test_two_candidates_are_one_gaussian() -> None:
    """δ is that of the difference, whose standard deviation is √2 of one, and which moves by 2."""
    answer = prover.delta(gaussian_max(size=2), alpha=1, adjacency="all-differ")
    assert Fraction("0.2763") - Fraction(1, 500) < answer.lower < answer.upper < Fraction("0.2773")


@pytest.mark.family
@pytest.mark.parametrize(
    ("program", "least"),
    [
        (build_program("noisy-max", n="3"), "3/100"),
        (build_program("noisy-max", n="5"), "3/100"),
        (sorted_twice(), "3/100"),
    ],
)
def test_laplace_noise(program: Program, least: str) -> None:
    answer = answer_of(program)
    assert answer.lower > Fraction(least)
    assert answer.lower_certificate is not None
    assert accepted(json.loads(answer.lower_certificate.data))


def test_the_exact_epsilon_bounds_more_than_a_table() -> None:
    """The outputs hide how samples are coupled, and the exact ε is 1: randomised response has δ = .3276…."""
    answer = answer_of(build_program("noisy-max", n="5"))
    assert answer.certificate is not None
    made = json.loads(answer.certificate.data)
    accepted(made)
    assert made["evidence"].keys() == {"pure"}
    assert answer.pure is None
    assert answer.lower < answer.upper < Fraction(328, 1000)


def test_curves_and_the_least_epsilon_have_inputs_too() -> None:
    program = build_program("noisy-max", n="3")
    alphas = ["1", "3/2", "2"]
    curve = prover.curve(program, alphas=alphas, at_epsilon=1)
    values = [point.lower for point in curve]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 0
    assert all(point.lower < point.upper for point in curve)
    least = prover.epsilon_for(program, delta="1/100", at_epsilon=1)
    assert least.lower > Fraction(3, 4)
    for found in (curve, least):
        assert found.lower_certificate is not None
        accepted(json.loads(found.lower_certificate.data))


def test_accounts_have_inputs_too() -> None:
    losses = prover.ProgramLosses.of(build_program("noisy-max", n="3"), at_epsilon=1, times=10)
    ((lower, upper),) = losses.bounds()
    assert 0 < lower.delta(1) < upper.delta(1)
