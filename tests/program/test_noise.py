"""Noise, grids and sensitivity: what models may say, and what follows for the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import prover
from prover.program.answer import assumption
from prover.program.model import Program, State
from prover.program.noise import DISCRETE_LAPLACE, Noise
from prover.program.privacy import privacy
from prover.zoo import numeric_sparse, svt
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.refusals import refuses

F = Fraction


def with_noise(model: Program, **parts: Any) -> Program:
    return replace(model, noise=replace(Noise(), **parts))


class TestNoise:
    def test_what_is_usual(self) -> None:
        assert svt().noise == Noise() == Noise("laplace", None, F(1), False)
        assert Noise(DISCRETE_LAPLACE).grid == 1

    @pytest.mark.parametrize(
        ("make", "error"),
        [
            (lambda: Noise("gauss"), "unknown-noise"),
            (lambda: Noise(grid=F(1)), "grid-without-discrete-noise"),
            (lambda: Noise(DISCRETE_LAPLACE, F(0)), "grid-not-positive"),
            (lambda: Noise(DISCRETE_LAPLACE, F(-1, 2)), "grid-not-positive"),
            (lambda: Noise(sensitivity=F(0)), "sensitivity-not-positive"),
            (lambda: Noise(DISCRETE_LAPLACE, F(2)), "grid-too-coarse"),
            (lambda: Noise(DISCRETE_LAPLACE, F(2), F(3)), "grid-too-coarse"),
            (lambda: Noise(DISCRETE_LAPLACE, F(2, 3)), "grid-too-coarse"),
            (lambda: Noise(unrounded=True), "unrounded-without-grid"),
            (lambda: Noise(sensitivity=0.5), "not-a-fraction"),  # type: ignore[arg-type]
            (lambda: Noise(DISCRETE_LAPLACE, 1), "not-a-fraction"),  # type: ignore[arg-type]
        ],
    )
    def test_refusals(self, make: Callable[[], Noise], error: str) -> None:
        with refuses(error):
            make()

    def test_a_coarse_grid_is_refused_with_the_reason(self) -> None:
        with refuses("grid-too-coarse", match="the loss can be larger"):
            Noise(DISCRETE_LAPLACE, F(2), F(3))


class TestRates:
    def test_two_equal_ones_are_one(self) -> None:
        two = State(True, None, F(0), None, None, (step(TRUE, "q"),), F(2), F(2))
        assert two == State(True, F(2), F(0), None, None, (step(TRUE, "q"),))

    def test_edges_have_rates_of_the_sensitivity(self) -> None:
        model = with_noise(svt(), sensitivity=F(3))
        assert [edge.rate for edge in model.edges] == [3 * edge.rate for edge in svt().edges]

    @pytest.mark.parametrize(
        ("left", "right", "rate", "error"),
        [
            (F(1), None, None, "one-rate-only"),
            (None, "inf", None, "one-rate-only"),
            (F(1), F(2), F(1), "useless-rate"),
            (F(0), F(2), None, "rate-not-positive"),
            (F(1), F(-2), None, "rate-not-positive"),
            (F(1), "infinite", None, "not-a-fraction"),
            (None, None, None, "not-a-fraction"),
        ],
    )
    def test_refusals(
        self, left: Fraction | None, right: Fraction | None, rate: Fraction | None, error: str
    ) -> None:
        one = State(False, rate, F(0), None, None, (step(TRUE, "q", assign=True),), left, right)
        with refuses(error):
            program({"p": one})


class TestTies:
    def test_only_discrete_noise_has_them(self) -> None:
        states = {
            "p": state(step(TRUE, "q", assign=True)),
            "q": state(step((("<=", "x"),), "end", "a"), step(((">", "x"),), "end", "b")),
        }
        with refuses("tie-without-atoms"):
            program(states)
        made = Program("p", states, noise=Noise(DISCRETE_LAPLACE))
        assert [edge.guard for edge in made.edges] == [TRUE, BELOW, ABOVE]
        assert [edge.written for edge in made.edges[1:]] == [(("<=", "x"),), ((">", "x"),)]
        assert privacy(made).conditions.coverage
        assert privacy(made).conditions.determinism

    def test_strictness_does_not_matter(self) -> None:
        strict = with_noise(svt(), kind=DISCRETE_LAPLACE)
        loose = {
            name: replace(
                old,
                transitions=tuple(
                    replace(t, guard=tuple(({"<": "<=", ">=": ">"}[r], v) for r, v in t.guard))
                    for t in old.transitions
                ),
            )
            for name, old in strict.states.items()
        }
        assert privacy(replace(strict, states=loose)).epsilon == privacy(strict).epsilon == F(5, 4)


class TestAnswers:
    def test_the_discrete_form_costs_the_same(self) -> None:
        answer = privacy(with_noise(svt(), kind=DISCRETE_LAPLACE))
        assert answer.epsilon == F(5, 4)
        assert "geometric on the multiples of 1" in answer.assumption

    @pytest.mark.parametrize("kind", ["laplace", DISCRETE_LAPLACE])
    @pytest.mark.parametrize("unit", [F(3), F(1, 2), F(7, 3)])
    def test_sensitivity_multiplies(self, kind: str, unit: Fraction) -> None:
        grid = unit / 2 if kind == DISCRETE_LAPLACE else None
        answer = privacy(with_noise(svt(), kind=kind, sensitivity=unit, grid=grid))
        assert answer.epsilon == F(5, 4) * unit
        assert answer.certificate is not None
        assert f"value={answer.epsilon} " in prover.verify(answer.certificate)

    def test_the_assumption_says_what_inputs_are(self) -> None:
        inputs = "inputs range over all real numbers; neighbouring inputs differ by at most {} in each number"
        assert assumption(svt()) == inputs.format(1)
        assert assumption(with_noise(svt(), sensitivity=F(3))) == inputs.format(3)

    def test_unrounded_inputs_may_not_show(self) -> None:
        noise = Noise(DISCRETE_LAPLACE, unrounded=True)
        answer = privacy(replace(svt(), noise=noise))
        assert answer.epsilon == F(5, 4)
        assert answer.assumption.startswith("inputs range over all real numbers")
        with refuses("unrounded-input", match="a number that is output"):
            replace(numeric_sparse(), noise=noise)

    def test_an_attack_is_measured_in_units_of_the_sensitivity(self) -> None:
        one, three = (prover.attack(with_noise(svt(), sensitivity=F(k))) for k in (1, 3))
        assert one is not None
        assert three is not None
        assert three.loss[0] > F(15, 4) * F(98, 100)
        assert {abs(read) for read in three.inputs if read} == {3 * three.t}
