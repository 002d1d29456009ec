"""δ of inputs of at most so many numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import exp

import pytest

import prover
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.profiles import above
from prover.program.profiles.below import Below
from prover.zoo import build_program
from tests.certified import proved
from tests.program.profiles.made import delta_above
from tests.program.profiles.test_above_values import QUARTER, above_threshold, state, threshold
from tests.refusals import refuses

ONE = Fraction(1)
BELOW, ABOVE = (("<", "x"),), ((">=", "x"),)


def upper(program: Program, alpha: Fraction, steps: int | None, adjacency: str = "all-differ") -> float:
    return float(delta_above(program, Adjacency(adjacency), ONE, alpha, steps).upper)


def test_one_query_and_a_public_threshold() -> None:
    """Its answer is as good as the number itself: δ(α) = 1 − √α·e^(−r/2)."""
    program = above_threshold(1, None, ONE)
    for alpha in (Fraction(1), Fraction(3, 2), Fraction(2)):
        exact = 1 - float(alpha) ** 0.5 * exp(-1 / 2)
        assert exact <= upper(program, alpha, 1) <= exact * 1.02


def test_a_public_threshold_by_recursion() -> None:
    """Where what is stored is known, rounds over the exact curve of Laplace noise are exact."""
    most, rate = 3, 0.5
    alphas = [exp(k / 20) for k in range(-60, 61)]
    known = [max(0.0, 1 - a) for a in alphas]

    def at(alpha: float, values: list[float]) -> float:
        if alpha <= alphas[0]:
            return 1 - (1 - values[0]) * alpha / alphas[0]
        for k in range(len(alphas) - 1):
            if alpha <= alphas[k + 1]:
                share = (alpha - alphas[k]) / (alphas[k + 1] - alphas[k])
                return values[k] + share * (values[k + 1] - values[k])
        return values[-1]

    def tail(u: float) -> float:
        return exp(-rate * u) / 2 if u >= 0 else 1 - exp(rate * u) / 2

    for _ in range(most):
        after = known
        known = []
        for alpha in alphas:
            best = at(alpha, after)
            for k in range(-40, 41):
                for side in (1, -1):
                    p, q = tail(k / 5), tail(k / 5 + side)
                    again = (1 - p) * at(alpha * (1 - q) / (1 - p), after)
                    best = max(best, again + p * max(0.0, 1 - alpha * q / p))
            known.append(best)
    found = upper(above_threshold(1, None, Fraction(rate)), Fraction(1), most)
    assert found == pytest.approx(at(1.0, known), rel=0.02)


@pytest.mark.parametrize(
    ("name", "adjacency"),
    [
        ("svt", "all-differ"),
        pytest.param("numeric-sparse", "one-differ", marks=pytest.mark.slow),
        ("chain-of-tests", "increasing"),
    ],
)
def test_more_inputs_lose_more_up_to_the_bound_for_all(
    name: str, adjacency: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the same knots and shifts for all."""
    for number, value in {"KNOTS": 160, "STEPS": 4, "COARSER": 1}.items():
        monkeypatch.setattr(above, number, value)
    program, alpha = build_program(name), Fraction(6, 5)
    found = [upper(program, alpha, steps, adjacency) for steps in (1, 2, 4, 25, None)]
    assert all(a <= b * (1 + 1e-6) + 2e-9 for a, b in pairwise(found))
    assert found[0] < found[-1]
    assert found[-2] == pytest.approx(found[-1], rel=1e-3)


def test_a_loop_that_reads_no_input() -> None:
    """Noise is compared with the threshold until it is not below; then an input is read, and so on."""
    states = {
        "q0": threshold(QUARTER),
        "wait": state(False, ONE, Transition(BELOW, (), "w", "wait"), Transition(ABOVE, (), "v", "test")),
        "test": state(True, ONE, Transition(BELOW, (), "no", "wait"), Transition(ABOVE, (), "yes", "end")),
    }
    states["q0"] = State(False, QUARTER, Fraction(0), None, None, (Transition((), ("x",), "s", "wait"),))
    found = delta_above(Program("q0", states), Adjacency.ALL_DIFFER, ONE, Fraction(2), 3)
    assert found.upper < 1
    assert proved(found.certificate)["claim"]["steps"] == 3


def test_inputs_are_as_short_as_is_asked() -> None:
    program = build_program("svt")
    for steps in (1, 3):
        answer = prover.delta(program, at_epsilon=1, alpha="6/5", steps=steps)
        assert 0 < answer.lower < answer.upper
        assert isinstance(answer.attack, Below)
        assert len(answer.attack.inputs) <= steps
        for certificate in (answer.certificate, answer.lower_certificate):
            assert certificate is not None
            assert proved(certificate)["claim"]["steps"] == steps
        numbers = f"at most {steps} number{'s' * (steps > 1)}"
        assert f"over all neighbouring inputs of {numbers}" in answer.headline
        assert f"all neighbouring inputs x, y of {numbers}:" in str(answer)
        assert f"This holds for inputs of {numbers}, also if" in str(answer)


def test_what_is_refused() -> None:
    program = build_program("svt")
    for steps in (5_000, 10**6):
        with refuses("too-many-steps", match="--steps may be about"):
            prover.delta(program, at_epsilon=1, alpha=2, steps=steps)
    for model in (program, build_program("svt-gap")):
        for steps in (0, 10**6 + 1):
            with refuses("bad-steps", match="from 1 to 1,000,000"):
                prover.delta(model, at_epsilon=1, alpha=2, steps=steps)
    with pytest.raises(TypeError):
        prover.delta(program, at_epsilon=1, alpha=2, steps="3")  # type: ignore[call-overload]
    with refuses("not-a-program"):
        prover.delta(prover.zoo.pin_checker(), alpha=2, steps=3)  # type: ignore[call-overload]
