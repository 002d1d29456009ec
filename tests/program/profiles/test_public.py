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
from prover.program.model import Program, State, Transition
from prover.program.profiles.below import Below, delta_below
from prover.program.profiles.policy import Policy
from prover.program.profiles.public import GAP, is_public
from prover.program.profiles.streams import losing_loop
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


OPEN = [
    (0, "all-differ"),  # needs knots far beyond α
    (0, "decreasing"),
    (9, "decreasing"),  # a loop through a state that only stores
    (14, "increasing"),
]


@pytest.mark.family
@pytest.mark.parametrize(("seed", "adjacency"), OPEN)
def test_both_ends_meet_where_they_once_did_not(seed: int, adjacency: str) -> None:
    answer = prover.delta(random_public(seed), at_epsilon=1, alpha="5/4", adjacency=adjacency)
    assert 0 < answer.width <= GAP


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


def loop(*sides: Fraction | str, below: str | None = None, above: str | None = None) -> Program:
    """A test of an input against 0, with noise of rate 1 or on these sides."""
    test = compared(None if sides else ONE, below, above, sides=sides or (None, None))
    return Program("limit", {"limit": constant(Fraction(0), "test"), "test": test})


def hidden(program: Program) -> Program:
    """The program with Laplace noise on what it stores."""
    limit = replace(program.states["limit"], rate=ONE, rate_left=None, rate_right=None)
    return replace(program, states={**program.states, "limit": limit})


BOTH = loop(below="test", above="test")
CERTAIN = loop("inf", ONE, below="end", above="test")
SHOWN = State(True, ONE, Fraction(0), None, None, (Transition((), (), "insample", "test"),))
NUMBERED = Program("limit", {"limit": constant(Fraction(0), "test"), "test": SHOWN})
BY_TURNS = Program(
    "limit",
    {
        "limit": constant(Fraction(0), "test"),
        "test": compared(ONE, "test", "second"),
        "second": compared(ONE, "end", "test"),
    },
)


@pytest.mark.parametrize(
    ("program", "by"),
    [
        (BOTH, "returns"),
        (hidden(BOTH), "returns"),
        (loop("inf", "inf", below="test", above="test"), "returns"),
        (BY_TURNS, "returns"),
        (hidden(BY_TURNS), "returns"),
        (CERTAIN, "sure"),
        (hidden(CERTAIN), None),
        (loop("inf", ONE, above="test"), "sure"),
        (loop(ONE, "inf", below="end", above="test"), None),
        (loop(ONE, "inf", below="test", above="end"), "sure"),
        (loop(below="end", above="test"), None),
        (loop(above="test"), None),
        (NUMBERED, "shown"),
        (below_then_above(ONE), None),
        (build_program("disclosing-cycle"), "shown"),
        (build_program("lyu-5"), "returns"),
        (build_program("lyu-6"), "returns"),
        (build_program("lyu-2"), None),
        (build_program("svt-star"), None),
    ],
)
def test_loops_that_lose_everything(program: Program, by: str | None) -> None:
    found = losing_loop(program, Adjacency.ALL_DIFFER)
    assert (None if found is None else found.by) == by
    assert losing_loop(program, Adjacency.ONE_DIFFER) is None
    if by is not None:
        for adjacency in ("increasing", "decreasing", "monotonic"):
            answer = prover.delta(program, at_epsilon=1, alpha=9, adjacency=adjacency)
            assert answer.lower == answer.upper == 1
            assert answer.certificate is None
            assert "Why δ is 1: state " in str(answer)
            if answer.attack is not None:
                assert 0 < answer.attack.lower < 1
                accepted(json.loads(answer.attack.certificate.data))


@pytest.mark.parametrize("store", [constant(Fraction(3), "test"), replace(constant(ONE, "test"), input=True)])
def test_what_is_stored_in_the_loop(store: State) -> None:
    """Constants may be stored on the way back, and nothing else."""
    program = Program(
        "limit",
        {"limit": constant(Fraction(0), "test"), "test": compared(ONE, "again", "test"), "again": store},
    )
    found = losing_loop(program, Adjacency.ALL_DIFFER)
    assert (None if found is None else found.by) == (None if store.input else "returns")


def test_unlike_outputs_are_needed_to_lose_everything() -> None:
    cases = tuple(replace(case, output="said") for case in BOTH.states["test"].transitions)
    alike = replace(BOTH.states["test"], transitions=cases)
    assert losing_loop(replace(BOTH, states={**BOTH.states, "test": alike}), Adjacency.ALL_DIFFER) is None


@pytest.mark.family
@pytest.mark.parametrize(
    ("program", "inputs"),
    [(BOTH, 6), (CERTAIN, 8), (BY_TURNS, 8), (hidden(BOTH), 6)],
)
def test_long_inputs_lose_more(program: Program, inputs: int) -> None:
    """Both ends for few inputs, of which the lower one rises, where δ is 1 for inputs of every length."""
    few, more = (prover.delta(program, at_epsilon=2, alpha=1, steps=n, gap="1/10") for n in (1, inputs))
    assert few.upper < more.lower
    assert Fraction(3, 4) < more.lower


@pytest.mark.parametrize("seed", range(40 if everything() else 6))
def test_what_loses_not_everything(seed: int) -> None:
    """Without Gaussian noise a table proves less than 1 where Theorem 3 finds no loop, and conversely."""
    program = random_public(seed, grid=True)
    answer = prover.delta(program, at_epsilon=1, alpha=2, gap="1/10")
    assert (answer.upper < 1) == (losing_loop(program, Adjacency.ALL_DIFFER) is None)


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
