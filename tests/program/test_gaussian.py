"""Programs with Gaussian noise: what states say, and that no question about rates is answered."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

import prover
from prover.encoding import PROGRAM, problems
from prover.errors import NotSupported
from prover.program.attack.probability import (
    can_be,
    enclosed_probability,
    loss_between,
    path_probability,
)
from prover.program.decision.boundedness import decide
from prover.program.model import END, Program
from prover.program.noise import DISCRETE_LAPLACE, Gaussian, Noise, in_units, noise_text
from prover.program.optimum.measure import measure
from prover.program.scope import depends_on_epsilon
from prover.program.strategies.costs import strategy_costs
from prover.report.automaton import dot_text, drawn
from prover.zoo import numeric_sparse, svt
from tests.commands import prover as command
from tests.program_examples import program, state, step
from tests.program_strategies import with_gaussian
from tests.refusals import refuses

F = Fraction
FOUR = Gaussian(F(4))


def first_hit() -> Program:
    """A threshold with Gaussian noise; queries with Gaussian noise are below it, and then one is not."""
    test = replace(svt().states["q2"], rate=FOUR)
    return replace(svt(), states={"q1": replace(svt().states["q1"], rate=Gaussian(F(2))), "q2": test})


def second_sample() -> Program:
    """Noise with rates, and Gaussian noise of the number that is output in the end."""
    states = numeric_sparse().states
    return replace(
        numeric_sparse(),
        states={name: replace(s, rate_prime=s.rate_prime and FOUR) for name, s in states.items()},
    )


def mixed() -> Program:
    """Gaussian noise at a state that runs do not come to."""
    lost = state(step((), "lost"), rate=FOUR)
    return replace(svt(), states={**svt().states, "lost": lost})


MODELS: Mapping[str, Callable[[], Program]] = {
    "first hit": first_hit, "second sample": second_sample, "not reached": mixed,
}  # fmt: skip

QUESTIONS: Mapping[str, Callable[[Program], Any]] = {
    "privacy": prover.privacy,
    "privacy smt": lambda model: prover.privacy(model, engine="smt"),
    "attack": prover.attack,
    "shared_cost": prover.shared_cost,
    "strategy_costs": strategy_costs,
    "decide": decide,
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("name", MODELS)
def test_questions_about_rates_are_refused(name: str, question: str) -> None:
    with refuses("gaussian-noise", match='state ".*" has Gaussian noise, .*; prover delta is about'):
        QUESTIONS[question](MODELS[name]())


@pytest.mark.parametrize("problem", problems(PROGRAM))
@pytest.mark.parametrize("name", MODELS)
def test_so_are_formulas(name: str, problem: str) -> None:
    theta = None if problem.startswith("privacy") else 1
    with refuses("gaussian-noise"):
        prover.encode(MODELS[name](), problem, theta=theta, paths=[(0, 1, 2)])


@pytest.mark.parametrize("name", ["first hit", "second sample"])
def test_no_engine_measures_it(name: str) -> None:
    """Engines that are asked without the question that refuses find no rate."""
    model = MODELS[name]()
    with refuses("gaussian-noise"):
        measure(model)


def test_no_probability_is_computed_from_it() -> None:
    model = first_hit()
    path, inputs = model.edges[:2], [F(0), F(0)]
    asked: list[Callable[[], object]] = [
        lambda: path_probability(model, path, inputs),
        lambda: loss_between(model, path, inputs, inputs, F(1)),
        lambda: enclosed_probability(model, path, inputs, F(1)),
        lambda: can_be(model, path, inputs, {}),
    ]
    for question in asked:
        with refuses("gaussian-noise"):
            question()
    model = second_sample()
    with refuses("gaussian-noise"):
        path_probability(model, [model.edges[0], model.edges[2]], inputs)


def test_nothing_reads_a_rate_that_is_not_there() -> None:
    for model in (first_hit(), second_sample()):
        for edge in model.edges:
            for value, names in (
                (edge.noise, ("left", "right", "rate", "rates")),
                (edge.noise_prime, ("rate_prime",)),
            ):
                for name in names:
                    if isinstance(value, Gaussian):
                        with pytest.raises(NotSupported, match="Gaussian noise"):
                            getattr(edge, name)
                    else:
                        getattr(edge, name)
        for own in model.states.values():
            for noise, part in ((own.rate, "rates"), (own.rate_prime, "second")):
                if isinstance(noise, Gaussian):
                    with pytest.raises(NotSupported, match="Gaussian noise"):
                        getattr(own, part)


def test_edges_count_in_units_of_the_sensitivity() -> None:
    wide = replace(first_hit(), noise=Noise(sensitivity=F(2)))
    assert [edge.noise for edge in wide.edges] == [Gaussian(F(1)), Gaussian(F(2)), Gaussian(F(2))]
    assert in_units((F(1), "inf"), F(2)) == (F(2), "inf")
    assert in_units(F(1, 3), F(2)) == F(2, 3)


@pytest.mark.parametrize(
    ("sigma", "error"),
    [
        (F(0), "sigma-not-positive"),
        (F(-1, 2), "sigma-not-positive"),
        (4, "not-a-fraction"),
        (4.0, "not-a-fraction"),
    ],
)
def test_what_sigma_may_be(sigma: Any, error: str) -> None:
    own = numeric_sparse().states["q2"]
    for made, part in (
        (replace(own, rate=Gaussian(sigma)), "sigma"),
        (replace(own, rate_prime=Gaussian(sigma)), "sigma_prime"),
    ):
        with refuses(error) as caught:
            replace(numeric_sparse(), states={**numeric_sparse().states, "q2": made})
        assert caught.value.path == f'$.states["q2"].{part}'


def test_it_is_on_no_grid_and_not_beside_rates() -> None:
    with refuses("gaussian-on-grid"):
        replace(first_hit(), noise=Noise(DISCRETE_LAPLACE))
    sided = replace(first_hit().states["q2"], rate_left=F(1), rate_right=F(2))
    with refuses("useless-rate"):
        replace(first_hit(), states={**first_hit().states, "q2": sided})


def test_programs_differ_by_their_sigmas() -> None:
    other = replace(first_hit().states["q2"], rate=Gaussian(F(5)))
    five = replace(first_hit(), states={**first_hit().states, "q2": other})
    assert five != first_hit() != svt()
    assert hash(first_hit()) == hash(first_hit())
    assert copy.copy(first_hit()) == first_hit()


@pytest.mark.parametrize("seed", range(5))
def test_random_programs_are_refused_where_they_have_gaussian_noise(seed: int) -> None:
    model = with_gaussian(numeric_sparse(), Random(seed))
    noises = [noise for s in model.states.values() for noise in (s.rate, s.rate_prime)]
    if any(isinstance(noise, Gaussian) for noise in noises):
        with refuses("gaussian-noise"):
            prover.privacy(model)
    else:
        assert prover.privacy(model).epsilon is not None


def test_whether_numbers_depend_on_epsilon() -> None:
    assert not depends_on_epsilon(first_hit())
    assert depends_on_epsilon(second_sample())
    assert depends_on_epsilon(mixed())
    bare = replace(first_hit().states["q1"], rate=None, rate_left="inf", rate_right="inf")
    assert not depends_on_epsilon(replace(first_hit(), states={**first_hit().states, "q1": bare}))
    rates = replace(first_hit().states["q2"], rate=F(1))
    assert depends_on_epsilon(replace(first_hit(), states={**first_hit().states, "q2": rates}))
    assert depends_on_epsilon(replace(first_hit(), states={**first_hit().states, "q1": svt().states["q1"]}))
    unused = program({
        "q0": state(step((), "q1", assign=True), input=False),  # a rate of which nothing is seen
        "q1": state(step((), END, output="insample"), rate=FOUR),
    })  # fmt: skip
    assert not depends_on_epsilon(unused)
    shown = state(step((), END, output="insampleprime"), rate=FOUR, rate_prime=1)
    assert depends_on_epsilon(replace(unused, states={**unused.states, "q1": shown}))
    hidden = state(step((), END, output="insampleprime"), rate=1, rate_prime=FOUR)
    assert not depends_on_epsilon(replace(unused, states={**unused.states, "q1": hidden}))


def test_pictures_show_it() -> None:
    assert noise_text(FOUR) == "sigma 4"
    assert noise_text((F(1), "inf")) == "left 1 right inf"
    assert "sigma 4" in dot_text(first_hit())
    assert "rate 1/2, sigma 4" in dot_text(second_sample())
    assert b"sigma 2" in drawn(first_hit(), "first_hit.svg")


def test_commands_refuse_it_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "hit.dipa"
    prover.save(first_hit(), file)
    assert prover.load(file) == first_hit()
    for name, *options in (("privacy",), ("privacy", "--witness"), ("privacy", "--stuck", "--json")):
        run = command(name, file, *options)
        assert run.status == 2
        assert run.err.count("\n") == 1
        assert "prover delta" in run.err


def test_the_smallest_program_has_it() -> None:
    lone = program({"q0": state(step((), "end", assign=True), rate=FOUR, input=False)})
    with refuses("gaussian-noise"):
        prover.privacy(lone)
