"""δ of a threshold program: both ends are proved, however much noise there is and whatever is asked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

import prover
from prover.program.model import Program, State, Transition
from prover.program.noise import INFINITE
from prover.program.profiles.below import Below
from prover.program.profiles.delta import ProgramDelta
from prover.zoo import build_program
from tests.certified import proved
from tests.profiles import everything, thinned
from tests.refusals import refuses


def alarm(*, noisy: bool = True) -> Program:
    """Queries are compared with a limit of 50 until one is not below it."""
    rate = Fraction(1, 2) if noisy else None
    sides = (None, None) if noisy else (INFINITE, INFINITE)
    draw = Transition((), ("x",), "limit", "test")
    below, above = (
        Transition((("<", "x"),), (), "well", "test"),
        Transition(((">=", "x"),), (), "alarm", "end"),
    )
    limit = State(False, rate, Fraction(50), None, None, (draw,), *sides)
    test = State(True, Fraction(1, 4), Fraction(0), None, None, (below, above))
    return Program("draw", {"draw": limit, "test": test})


def is_proved(answer: ProgramDelta) -> None:
    assert 0 <= answer.lower <= answer.upper <= 1
    assert (answer.certificate is None) is (answer.upper == 1)
    assert (answer.lower_certificate is None) is (answer.lower == 0)
    if answer.certificate is not None:
        assert Fraction(proved(answer.certificate)["claim"]["upper"]) == answer.upper
    if answer.lower_certificate is not None:
        assert Fraction(proved(answer.lower_certificate)["claim"]["lower"]) == answer.lower


@pytest.mark.family
@pytest.mark.parametrize(
    ("noisy", "at_epsilon"),
    thinned([*product([True, False], ["1/100000", "1/10", "1000", "25"])], 3),
)
def test_much_noise_and_little(noisy: bool, at_epsilon: str) -> None:
    is_proved(prover.delta(alarm(noisy=noisy), at_epsilon=at_epsilon, alpha=1 if noisy else 2))


@pytest.mark.family
@pytest.mark.parametrize("epsilon", thinned(["0", "ln 2", "5", "1000"], 3))
def test_small_factors_and_large(epsilon: str) -> None:
    is_proved(prover.delta(alarm(), at_epsilon="10", epsilon=epsilon))


def test_more_may_be_lost_under_a_coarser_adjacency() -> None:
    answers = {
        adjacency: prover.delta(build_program("svt"), at_epsilon=1, alpha="6/5", adjacency=adjacency, steps=2)
        for adjacency in ("all-differ", "monotonic", "one-differ", "increasing", "decreasing")
    }
    for answer in answers.values():
        is_proved(answer)
    assert answers["all-differ"].lower >= answers["one-differ"].lower
    assert answers["all-differ"].upper >= answers["monotonic"].upper


@pytest.mark.family
@pytest.mark.parametrize("adjacency", thinned(["monotonic", "all-differ", "one-differ", "increasing"]))
@pytest.mark.parametrize("name", ["numeric-sparse", "chain-of-tests"])
def test_adjacencies(name: str, adjacency: str) -> None:
    steps = None if everything() else 3
    is_proved(prover.delta(build_program(name), at_epsilon=1, alpha="6/5", adjacency=adjacency, steps=steps))


@pytest.mark.slow
def test_a_loop_without_an_end() -> None:
    """Rounding has no room there, so what is not handed on unchanged is bounded by 1."""
    draw = State(True, Fraction(1, 2), Fraction(0), None, None, (Transition((), ("x",), "o", "test"),))
    cases = (Transition((("<", "x"),), (), "y", "test"), Transition(((">=", "x"),), (), "z", "test"))
    loop = State(True, Fraction(1), Fraction(0), None, None, cases)
    program = Program("draw", {"draw": draw, "test": loop})
    is_proved(prover.delta(program, at_epsilon=1, alpha="6/5", adjacency="one-differ"))


def test_a_loop_that_draws_again_where_one_input_differs() -> None:
    """Before it differs nothing is lost there, and shifts that gain nothing are not chosen."""
    half, mean = Fraction(1, 2), Fraction(0)
    draws = [State(True, half, mean, None, None, (Transition((), ("x",), "o", "test"),)) for _ in range(2)]
    cases = Transition((("<", "x"),), (), "a", "end"), Transition(((">=", "x"),), (), "b", "again")
    states = {"draw": draws[0], "test": State(True, Fraction(1), mean, None, None, cases), "again": draws[1]}
    answer = prover.delta(Program("draw", states), at_epsilon=1, alpha=1, adjacency="one-differ")
    is_proved(answer)
    assert answer.upper < 1


def alike(state: State, target: str) -> State:
    """The state with transitions of the same output and target."""
    return replace(
        state, transitions=tuple(replace(case, output="o", target=target) for case in state.transitions)
    )


def test_runs_that_look_alike_are_no_attack() -> None:
    """Nothing else is output, so δ is 0 at α = 1."""
    states = alarm().states
    answer = prover.delta(
        Program("draw", {**states, "test": alike(states["test"], "end")}), at_epsilon=1, alpha=1
    )
    is_proved(answer)
    assert (answer.lower, answer.attack) == (Fraction(0), None)


def test_what_is_seen_before_runs_look_alike_is_an_attack() -> None:
    """A first query is answered, as by itself, and a second one is not."""
    states = alarm().states
    first, hidden = states["test"], alike(states["test"], "end")
    cases = tuple(replace(case, target="hidden") for case in first.transitions)
    program = Program("draw", {**states, "test": replace(first, transitions=cases), "hidden": hidden})
    answer = prover.delta(program, at_epsilon=1, alpha=1)
    is_proved(answer)
    assert isinstance(answer.attack, Below)
    assert {len(run) for run in answer.attack.runs} == {2}
    assert 0.0829 < answer.lower < 0.082938


def test_a_better_answer_is_told_after_the_upper_bound() -> None:
    seen: list[ProgramDelta] = []
    answer = prover.delta(alarm(), at_epsilon=1, alpha="6/5", steps=2, on_interval=seen.append)
    first, second = ((one.lower, one.upper, one.searched) for one in seen)
    assert (first[0], first[2]) == (Fraction(0), False)  # by the exact ε alone
    assert first[1] > answer.upper
    assert second == (Fraction(0), answer.upper, False)
    assert answer.searched
    assert "have not been searched yet" in str(seen[0])


def test_what_does_not_go_together() -> None:
    with refuses("no-epsilon", match="--at-epsilon 1, in Python at_epsilon=1"):
        prover.delta(alarm(), alpha=2)
    with refuses("not-a-system"):
        prover.delta(alarm(), "a", "b", 2, at_epsilon=1)  # type: ignore[call-overload]
    with refuses("not-a-program"):
        prover.delta(prover.zoo.pin_checker(), alpha=2, at_epsilon=1)  # type: ignore[call-overload]
    with refuses("alpha-or-epsilon"):
        prover.delta(alarm(), at_epsilon=1)
    with refuses("bad-epsilon"):
        prover.delta(alarm(), at_epsilon=0, alpha=2)
