"""Statements that look right and are false, refuted by quadrature or sums that share nothing with the tables
(docs/theory_profiles.md, *False shortcuts*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import exp, prod, sqrt, tanh

import pytest

import prover
from prover.formats.load import load_program
from prover.program.model import Program, State, Transition
from prover.program.profiles import above
from tests.program.profiles.quadrature import Quadrature, delta, tail
from tests.program.profiles.test_above_values import (
    ABOVE,
    BELOW,
    EXAMPLES,
    HALF,
    QUARTER,
    above_threshold,
    found,
    state,
    threshold,
)

BOTH = (-1.0, 1.0)


def case(guard: object, output: str, target: str) -> Transition:
    return Transition(guard, (), output, target)  # type: ignore[arg-type]


def advantage(program: Program, x: Sequence[float], moves: Sequence[float], alpha: float) -> float:
    """Of the best event for the inputs x and x + moves."""
    keys = [(k, number) for k in range(len(x)) for number in range(len(program.edges) + 1)]
    inputs = {key: x[key[0]] for key in keys}
    return delta(Quadrature(program, 1.0, inputs, {key: moves[key[0]] for key in keys}, len(x)).law(), alpha)


def best_of_extremes(program: Program, x: Sequence[float], alpha: float) -> float:
    return max(advantage(program, x, moves, alpha) for moves in product(BOTH, repeat=len(x)))


@pytest.mark.parametrize("last", ["sign", "end"])
def test_extreme_differences_do_not_suffice_where_more_follows_the_hit(last: str) -> None:
    """What follows reads no input: it tells whether the threshold is above 0."""
    own = Fraction(13, 2)
    tests = [
        state(True, own, case(BELOW, "no", target), case(ABOVE, "yes", "sign")) for target in ("q2", last)
    ]
    sign = state(False, None, case(BELOW, "positive", "end"), case(ABOVE, "negative", "end"))
    drawn = threshold(Fraction(3, 5))
    program = Program("q0", {"q0": drawn, "q1": tests[0], "q2": tests[1], "sign": sign})
    x, alpha = (-1 / 20, 3 / 20), 7 / 4
    assert best_of_extremes(program, x, alpha) < 0.0692
    assert advantage(program, x, (-3 / 10, -1), alpha) == pytest.approx(0.074406, abs=1e-6)


def test_extreme_differences_do_not_suffice_for_several_answers() -> None:
    states = {"q0": threshold(HALF)}
    for k, target in enumerate(("q2", "q3", "end"), start=1):
        states[f"q{k}"] = state(True, Fraction(8), case(BELOW, "no", target), case(ABOVE, "yes", target))
    program, x, alpha = Program("q0", states), (4 / 25, 7 / 20, -17 / 100), exp(3 / 2)
    assert best_of_extremes(program, x, alpha) == pytest.approx(0.125228046404, abs=1e-10)
    assert advantage(program, x, (-1 / 10, -1, 1), alpha) == pytest.approx(0.126355254791, abs=1e-10)


def test_the_worst_inputs_are_not_those_of_the_exact_epsilon() -> None:
    program, alpha = load_program(EXAMPLES / "svt.dipa"), exp(5 / 8)
    witness = prover.privacy(program).witness
    assert witness is not None
    moves = [float(step.delta) for step in witness.steps if step.edge.input]
    assert moves == [1, 1, -1]
    gains = [advantage(program, [t * move for move in moves], moves, alpha) for t in (1, 4, 16)]
    assert 0.01 > gains[0] > 10 * gains[1]
    assert gains[2] < 1e-9
    assert advantage(program, (-1, -1, 1, 2), (1, 1, -1, -1), alpha) > 0.029


@pytest.mark.parametrize(("at", "few"), [(1 / 4, 0.0895), (1 / 2, 0.0494), (3 / 4, 0.0253), (9 / 10, 0.0110)])
def test_three_shifts_do_not_suffice(monkeypatch: pytest.MonkeyPatch, at: float, few: float) -> None:
    """They prove a bound, of which more shifts prove a part."""
    program = above_threshold(1, HALF, QUARTER)
    better = found(program, exp(at))
    monkeypatch.setattr(above, "STEPS", 1)
    assert found(program, exp(at)) == pytest.approx(few, rel=0.04)
    assert better < 0.95 * few


def test_a_step_asks_for_factors_below_1() -> None:
    """Two answers at α = 1: the second one is worth more than 1 − β after a first one of the ratio β < 1."""
    one, two = ([1 / 2, 1 / 2], [3 / 8, 5 / 8]), ([2 / 3, 1 / 3], [1 / 3, 2 / 3])
    whole = sum(max(0.0, p * s - q * t) for p, q in zip(*one, strict=True) for s, t in zip(*two, strict=True))

    def after(beta: float, *, known: bool) -> float:
        if beta < 1 and not known:
            return 1 - beta
        return sum(max(0.0, s - beta * t) for s, t in zip(*two, strict=True))

    for known in (True, False):
        steps = sum(p * after(q / p, known=known) for p, q in zip(*one, strict=True))
        assert steps == pytest.approx(whole) if known else steps < whole - 0.05


@pytest.mark.parametrize("rate", [1 / 4, 1.0])
def test_a_hit_loses_more_than_its_type(rate: float) -> None:
    """A mechanism of one output whose loss has a range of 2·rate gains at most tanh(rate/2) at α = 1."""
    b = exp(2 * rate)
    bound = (sqrt(b) - 1) ** 2 / (b - 1)
    assert bound == pytest.approx(tanh(rate / 2))
    x, other = (0, -3 / 4, 1 / 4, -1, -1, -1), (-1, 1 / 4, -3 / 4, 0, 0, 0)
    first = [(hit_first(k, x, rate), hit_first(k, other, rate)) for k in range(len(x) + 1)]
    assert sum(max(0.0, p - q) for p, q in first) > 1.1 * bound
    # Nor is 1 − p′ at most (1 − p)^(1/b), as for that mechanism.
    assert 1 - 1 / (2 * b) > (1 / 2) ** (1 / b)


def hit_first(k: int, x: Sequence[float], rate: float) -> float:
    """The probability that the first of the numbers that is not below 0, with noise, is the one at k."""
    hits = [float(tail(-number, rate, rate)) for number in x]
    return prod(1 - hit for hit in hits[:k]) * (hits[k] if k < len(hits) else 1.0)


def released(first: str, second: str, target: str) -> State:
    """A number is read, and output with fresh noise of the second rate."""
    return State(True, Fraction(first), Fraction(0), Fraction(second), Fraction(0), (shown(target),))


def shown(target: str) -> Transition:
    return Transition((), (), "insampleprime", target)


def guarded(left: str, right: str, threshold_rate: str, states: Mapping[str, State]) -> Program:
    """A guard without input chooses between two states."""
    draw = State(False, Fraction(threshold_rate), Fraction(0), None, None, (drawn("guard"),))
    guard = state(False, Fraction(1), case(BELOW, "left", left), case(ABOVE, "right", right))
    return Program("draw", {"draw": draw, "guard": guard, **states})


def drawn(target: str) -> Transition:
    return Transition((), ("x",), "drawn", target)


@pytest.mark.parametrize(
    ("one", "two", "loss"), [("1", "9/10", "2"), ("2", "19/10", "4"), ("1", "19/10", "29/10")]
)
def test_rates_between_have_a_form_of_their_own(one: str, two: str, loss: str) -> None:
    """Twice the rate d₁ at (1, 9/10) and at (2, 19/10), but the sum of both at (1, 19/10)."""
    states = {
        "a": released(one, one, "a2"),
        "a2": released(one, one, "end"),
        "b": released(one, one, "b2"),
        "b2": released(one, two, "end"),
    }
    assert prover.privacy(guarded("a", "b", "1", states)).epsilon == Fraction(loss)


@pytest.mark.parametrize(("t", "loss"), [("9/10", "29/10"), ("3/2", "9/2"), ("4", "6")])
def test_one_rate_between_has_a_form_of_its_own(t: str, loss: str) -> None:
    """2 + t at both ends of an interval, and min(3t, 5) between."""
    rate = Fraction(t)
    states = {
        "a": released("1", str(2 + rate), "end"),
        "b": state(True, rate, case(BELOW, "low", "b2")),
        "b2": state(True, 5 - rate, case(ABOVE, "high", "end")),
    }
    assert prover.privacy(guarded("a", "b", t, states)).epsilon == Fraction(loss)
