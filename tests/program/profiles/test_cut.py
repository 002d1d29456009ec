"""Numbers that are output, seen by whether they are below 0: both ends of δ of plain noise meet."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import erfc, exp, log

import pytest

import prover
from prover.certificate.check.budget import Budget
from prover.certificate.check.profiles import cut as checked
from prover.certificate.check.programs import read_program
from prover.language import discrete_laplace, gaussian, laplace, mechanism, see
from prover.program.canonical import program_model
from prover.program.model import Program, State, Transition
from prover.program.profiles.below import Below
from prover.program.profiles.cut import LETTERS, cut
from prover.report.program_attack import attack_lines
from prover.zoo import build_program
from tests.certificate.cut_judge import as_seen
from tests.certificate.verdicts import accepted
from tests.profiles import thinned


@mechanism
def normal(queries, sigma=2, size=1):  # type: ignore[no-untyped-def]
    for _ in range(size):
        see(gaussian(next(queries), sigma=sigma))


@mechanism
def double(queries, size=1):  # type: ignore[no-untyped-def]
    for _ in range(size):
        see(laplace(next(queries), rate=1))


@mechanism
def whole(queries):  # type: ignore[no-untyped-def]
    see(discrete_laplace(next(queries), rate=1))


@mechanism
def after_alarm(queries):  # type: ignore[no-untyped-def]
    limit = laplace(0, rate=1)
    while laplace(next(queries), rate=1) < limit:
        see("below")
    see(laplace(next(queries), rate="1/2"))


def normal_delta(sigma: float, alpha: float) -> float:
    def below(x: float) -> float:
        return erfc(-x / 2**0.5) / 2

    return below(1 / (2 * sigma) - sigma * log(alpha)) - alpha * below(-1 / (2 * sigma) - sigma * log(alpha))


@pytest.mark.parametrize(("sigma", "alpha"), thinned([*product([1, 2], ["1", "6/5", "2"])], 2))
def test_gaussian_noise(sigma: int, alpha: str) -> None:
    answer = prover.delta(normal(sigma=sigma), alpha=alpha)
    exact = normal_delta(sigma, float(Fraction(alpha)))
    assert float(answer.lower) - 1e-8 <= exact <= float(answer.upper) + 1e-12
    assert exact - float(answer.lower) < 1e-4
    assert answer.lower_certificate is not None
    accepted(json.loads(answer.lower_certificate.data))


def test_the_known_value() -> None:
    """Of the difference 1 and σ = 2 at α = 1, to the digits that are printed everywhere."""
    answer = prover.delta(normal(sigma=2), alpha=1)
    assert Fraction("0.19741265") < answer.lower <= answer.upper < Fraction("0.19741266")


def test_laplace_noise() -> None:
    answer = prover.delta(double(), at_epsilon=1, alpha="3/2")
    exact = 1 - exp((log(1.5) - 1) / 2)
    assert float(answer.lower) <= exact <= float(answer.upper) < float(answer.lower) + 2e-3


def test_noise_on_a_grid() -> None:
    answer = prover.delta(whole(), at_epsilon=1, alpha="3/2")
    assert 0 < answer.upper - answer.lower < Fraction(1, 10**6)


def test_words_are_those_of_the_program_with_cuts() -> None:
    answer = prover.delta(double(size=2), at_epsilon=1, alpha=1)
    assert isinstance(answer.attack, Below)
    assert answer.attack.is_cut
    words = [line.strip().split(", ") for line in attack_lines(answer) if "insample" in line]
    assert words
    assert all(set(word) <= {"insample < 0 (2 times)", *LETTERS.values()} for word in words)


def one_state(*cases: Transition) -> Program:
    return Program("a", {"a": State(True, Fraction(1), Fraction(0), None, None, cases)})


@pytest.mark.parametrize(
    "program",
    [
        normal(),
        double(size=3),
        whole(),
        after_alarm(),
        one_state(Transition((), ("x",), ("letter", "insample"), "end")),
    ],
)
def test_prover_checker_and_judge_cut_alike(program: Program) -> None:
    model = program_model(program)
    mine = read_program(program_model(cut(program)), Budget(0), gaussian=True)
    theirs = checked.cut(read_program(model, Budget(0), gaussian=True))
    third = read_program(as_seen(model, {"cut": True}), Budget(0), gaussian=True)
    assert len(mine.transitions) > len(program.edges)
    assert list(mine.transitions) == list(theirs.transitions) == list(third.transitions)
    assert set(mine.variables) <= set(theirs.variables)
    assert set(mine.reached) == set(theirs.reached)
    assert mine.initial == theirs.initial


@pytest.mark.parametrize(
    "program",
    [
        build_program("svt"),
        build_program("svt-gap"),
        one_state(Transition((), ("\0",), "insample", "end")),
        one_state(Transition((), ("x",), "insample", "\0")),
    ],
)
def test_what_is_not_cut(program: Program) -> None:
    assert cut(program) is program
