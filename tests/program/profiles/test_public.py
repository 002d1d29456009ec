"""Where all that is stored is public both ends of δ meet; the lower one is what inputs gain that are chosen
by what was output.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor

import pytest

import prover
from prover.program.adjacency import Adjacency
from prover.program.canonical import program_model
from prover.program.model import Program
from prover.program.profiles.below import Below, delta_below
from prover.program.profiles.policy import Policy
from prover.program.profiles.public import GAP, is_public
from prover.zoo import build_program
from tests.certificate.inputs_judge import Noise
from tests.certificate.verdicts import accepted
from tests.profiles import everything, thinned
from tests.program.profiles.public_programs import below_then_above, compared, constant, random_public

ONE = Fraction(1)


def alarm(rate: str) -> Program:
    """The first answer that is not below a constant ends the run."""
    return Program("limit", {"limit": constant(ONE, "test"), "test": compared(Fraction(rate), "test", "end")})


VALUES = [
    ("1/4", "1", ".16125"),
    ("1/4", "3/2", ".06201"),
    ("1/4", "2", ".03064"),
    ("1/4", "4", ".00575"),
    ("1/4", "10", ".00062"),
    ("1", "1", ".5428"),
    ("1", "3/2", ".4694"),
    ("1", "2", ".4149"),
    ("1", "4", ".3162"),
    ("1", "10", ".2205"),
]
"""δ for all inputs by a recursion in floats, to within two units of the last digit."""


@pytest.mark.parametrize(("rate", "alpha", "value"), thinned(VALUES, 5))
def test_the_first_answer_above_a_public_limit(rate: str, alpha: str, value: str) -> None:
    answer = prover.delta(alarm(rate), at_epsilon=1, alpha=alpha)
    last = 2 * Fraction(1, 10 ** (len(value) - 1))
    assert isinstance(answer.attack, Below)
    assert 0 < answer.width <= GAP
    assert Fraction(value) - last < answer.lower < answer.upper < Fraction(value) + last


class Recursion:
    """The largest P[E] − α·P′[E] of so many inputs on a grid, by all inputs near the constants, or far away:
    each step is worth what the best inputs make of what is left.
    """

    def __init__(self, program: Program, epsilon: float) -> None:
        model = program_model(program)
        self.states, self.initial, self.epsilon = model["states"], program.initial, epsilon
        self.share = cache(self._share)

    def _share(self, name: str, level: Fraction, x: int) -> float:
        """The probability that the first test of a state is passed."""
        state = self.states[name]
        relation, sample = state["transitions"][0]["guard"][0][0], Noise(state, Fraction(x), self.epsilon)
        apart = level - sample.exact
        at_least = float(
            sample.at_least_on(ONE, floor(apart) + 1 if relation in ("<=", ">") else ceil(apart))
        )
        return at_least if relation in (">=", ">") else 1 - at_least

    def worth(self, name: str, level: Fraction, left: int, alpha: float) -> float:
        state = self.states.get(name)
        if state is None or (state["input"] and left == 0):
            return max(0.0, 1 - alpha)
        first = state["transitions"][0]
        if not first["guard"]:
            return self.worth(first["to"], Fraction(state["mean"]), left, alpha)
        targets = [*(case["to"] for case in state["transitions"]), ""][:2]
        best = 0.0
        for x, moved in product((*range(-4, 5), -200, 200), (-1, 0, 1)):
            p, q = (self.share(name, level, read) for read in (x, x + moved))
            total = 0.0
            for target, one, other in zip(targets, (p, 1 - p), (q, 1 - q), strict=True):
                if one > 1e-12:
                    total += one * self.worth(target, level, left - 1, alpha * other / one)
            best = max(best, total)
        return best


@pytest.mark.parametrize("seed", range(300 if everything() else 8))
def test_both_ends_enclose_a_recursion(seed: int) -> None:
    program, steps = random_public(seed, grid=True), 2
    answer = prover.delta(program, at_epsilon=1, alpha="5/4", steps=steps)
    exact = Recursion(program, 1.0).worth(program.initial, Fraction(0), steps, 1.25)
    assert answer.lower - Fraction(1, 10**9) <= Fraction(exact) <= answer.upper + Fraction(1, 10**9)
    assert answer.width <= GAP


def test_inputs_that_depend_on_outputs_gain_more() -> None:
    program = below_then_above(Fraction(1, 4))
    gap = Fraction(1, 1000)
    answer = prover.delta(program, at_epsilon=1, alpha=1, gap=gap)
    fixed = delta_below(program, Adjacency.ALL_DIFFER, ONE, ONE)
    assert isinstance(answer.attack, Policy)
    assert fixed is not None
    assert fixed.lower < Fraction("0.21")
    assert Fraction("0.2248") < answer.lower < Fraction("0.225825") < answer.upper < answer.lower + gap
    assert f"by {len(answer.attack.questions)} questions (5 shown)" in str(answer)


def test_the_gap_is_what_is_asked() -> None:
    rough, fine = (
        prover.delta(alarm("1/4"), at_epsilon=1, alpha=1, gap=gap) for gap in ("1/1000", "1/100000")
    )
    assert GAP < rough.width <= Fraction(1, 1000)
    assert 0 < fine.width <= GAP
    assert max(rough.lower, fine.lower) <= min(rough.upper, fine.upper)


def test_what_is_public() -> None:
    svt, plain = build_program("svt"), alarm("1/4")
    assert is_public(plain)
    assert not is_public(svt)  # its threshold has noise
    quiet = replace(plain.states["test"], input=False)
    assert not is_public(replace(plain, states={**plain.states, "test": quiet}))
    cases = tuple(replace(case, output="said") for case in plain.states["test"].transitions)
    alike = replace(plain.states["test"], transitions=cases)
    assert not is_public(replace(plain, states={**plain.states, "test": alike}))


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_adjacencies_and_lengths(adjacency: Adjacency) -> None:
    program, steps, gap = below_then_above(Fraction(1, 2)), 3, Fraction(1, 1000)
    answer = prover.delta(program, at_epsilon=1, alpha=1, steps=steps, adjacency=str(adjacency), gap=gap)
    assert 0 < answer.width <= gap
    for certificate in (answer.certificate, answer.lower_certificate):
        assert certificate is not None
        assert f"steps={steps}" in accepted(json.loads(certificate.data))
