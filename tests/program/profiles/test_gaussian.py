"""δ with Gaussian noise: values that other programs have found, and loops that lose everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import exp
from pathlib import Path

import pytest

import prover
from prover.formats.load import load_program
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.noise import Gaussian
from prover.program.profiles import above
from prover.program.profiles.normal import tangents
from prover.program.profiles.streams import demand_length, losing_loop
from tests.certified import proved
from tests.program.profiles.made import delta_above
from tests.program.profiles.quadrature import Quadrature, delta
from tests.program.profiles.test_above_values import ABOVE, BELOW, ONE, above_threshold
from tests.refusals import refuses

EXAMPLE = Path(__file__).parents[3] / "examples/mechanisms/gaussian.py"
ALPHAS = [Fraction(round(exp(k / 4) * 10**6), 10**6) for k in (0, 1, 2, 4)]


def first_hit(drawn: str = "2", own: str = "4") -> Program:
    program = above_threshold(1, ONE, ONE)
    sigmas = {"q0": drawn, "q1": own}
    states = {k: replace(s, rate=Gaussian(Fraction(sigmas[k]))) for k, s in program.states.items()}
    return replace(program, states=states)


def changed(place: str, change: Callable[[State], State], more: dict[str, State] | None = None) -> Program:
    """The first hit, with another state."""
    states = dict(first_hit().states) | (more or {})
    return Program("q0", states | {place: change(states[place])})


@pytest.mark.family
@pytest.mark.parametrize(
    ("steps", "upper", "lower"),
    [
        (1, (0.1004, 0.0238, 0.0028, 0.0000034), (0.0890, 0.0167, 0.0013, 0)),
        (5, (0.1591, 0.0766, 0.0319, 0.0027), (0.1491, 0.0643, 0.0233, 0.0017)),
        (25, (0.2292, 0.1471, 0.0854, 0.0187), (0.2141, 0.1269, 0.0656, 0.0125)),
    ],
)
def test_first_hits(steps: int, upper: tuple[float, ...], lower: tuple[float, ...]) -> None:
    tables = above.closed_tables(first_hit(), Adjacency.ALL_DIFFER, ONE, ALPHAS, steps)
    found = [float(tables.at(alpha).upper) for alpha in ALPHAS]
    assert all(low <= value <= high for low, value, high in zip(lower, found, upper, strict=True))


def test_the_certificate_of_a_first_hit() -> None:
    found = delta_above(first_hit(), Adjacency.ALL_DIFFER, ONE, ALPHAS[1], 3)
    assert proved(found.certificate)["claim"]["steps"] == 3


@pytest.mark.family
@pytest.mark.parametrize("drawn", ["1/100000", "1/100", "1000000", "1000000000000"])
@pytest.mark.parametrize("own", ["1/1000", "1/20", "1", "1000000"])
def test_much_noise_and_little(drawn: str, own: str) -> None:
    found = delta_above(first_hit(drawn, own), Adjacency.INCREASING, ONE, ALPHAS[1], 2)
    assert Fraction(proved(found.certificate)["claim"]["upper"]) == found.upper


def test_too_much_noise() -> None:
    with refuses("not-moderate"):
        prover.delta(first_hit("1" + 15 * "0"), at_epsilon=1, alpha=1, steps=2)
    with refuses("too-much-noise"):
        tangents(Fraction(1, 10**16), [])


def test_laplace_and_gaussian_noise_are_mixed() -> None:
    program = changed("q0", lambda state: replace(state, rate=Fraction(1, 2)))
    scales = Fraction(1, 4), Fraction(8)
    bounds = [delta_above(program, Adjacency.ALL_DIFFER, at, ALPHAS[2], 3) for at in scales]
    assert bounds[0].upper < bounds[1].upper < 1
    for found in bounds:
        proved(found.certificate)


def test_the_quadrature_itself() -> None:
    """The same numbers in balls, by another program."""
    first, second = (-1, 0.5, 0, 2), (0, -0.5, 1, 1)
    keys = [(k, number) for k in range(4) for number in range(4)]
    inputs = {key: float(first[key[0]]) for key in keys}
    moves = {key: float(second[key[0]] - first[key[0]]) for key in keys}
    law = Quadrature(first_hit(), 1.0, inputs, moves, 4).law()
    assert [delta(law, alpha) for alpha in (1, 1.2)] == pytest.approx(
        [0.122279554884064, 0.0695120251837882], abs=1e-10
    )
    assert [delta(law[:, ::-1], alpha) for alpha in (1.2, 1.5)] == pytest.approx(
        [0.0122659599802259, 0], abs=1e-10
    )


@pytest.mark.parametrize("adjacency", ["all-differ", "increasing", "decreasing", "monotonic"])
def test_a_loop_that_loses_everything(adjacency: str) -> None:
    answer = prover.delta(load_program(f"{EXAMPLE}:first_hit"), at_epsilon=1, alpha=9, adjacency=adjacency)
    assert answer.lower == answer.upper == answer.value == 1
    assert answer.certificate is None
    assert "No bound below 1 holds for inputs of every length." in str(answer)
    assert "Why δ is 1: state " in str(answer)
    assert answer.is_at_most(Fraction(99, 100)) is False


def waits(state: State) -> State:
    """The first case leads to a state between two queries."""
    return replace(state, transitions=(replace(state.transitions[0], target="w"), state.transitions[1]))


def between(**case: tuple[str, ...]) -> State:
    own = replace(Transition((), (), "w", "q1"), **case)  # type: ignore[arg-type]
    return State(True, ONE, Fraction(0), None, None, (own,))


STILL = {"w": between()}
STORING = {"w": between(assign=("x",))}
TESTING = {"w": State(False, ONE, Fraction(0), None, None, (Transition(BELOW, (), "w", "q1"),))}


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (first_hit(), True),
        (changed("q1", waits, STILL), True),
        (changed("q1", waits, STORING), False),
        (changed("q1", waits, TESTING), False),
        (changed("q0", lambda state: replace(state, rate=ONE)), True),
        (changed("q1", lambda state: replace(state, rate=ONE)), False),
        (changed("q1", lambda state: replace(state, input=False)), False),
        (
            changed(
                "q1",
                lambda s: replace(s, transitions=(s.transitions[0], replace(s.transitions[1], output="no"))),
            ),
            False,
        ),
        (changed("q1", lambda s: replace(s, transitions=s.transitions[1:])), False),
        (
            changed(
                "q1",
                lambda s: replace(
                    s,
                    transitions=tuple(
                        replace(t, guard=g) for t, g in zip(s.transitions, (ABOVE, BELOW), strict=True)
                    ),
                ),
            ),
            True,
        ),
        (
            changed(
                "q1",
                lambda s: replace(s, transitions=(replace(s.transitions[0], target="end"), s.transitions[1])),
            ),
            False,
        ),
    ],
)
def test_which_loops_lose_everything(program: Program, found: bool) -> None:
    assert losing_loop(program, Adjacency.ALL_DIFFER) == (("q1", "tail") if found else None)
    assert losing_loop(program, Adjacency.ONE_DIFFER) is None


@pytest.mark.family
@pytest.mark.parametrize("more", [STORING, TESTING])
def test_other_loops_ask_for_a_length(more: dict[str, State]) -> None:
    program = changed("q1", waits, more)
    with refuses("no-length", match="--steps N"):
        prover.delta(program, at_epsilon=1, alpha=2)
    answer = prover.delta(program, at_epsilon=1, alpha=2, steps=3)
    assert answer.lower < answer.upper < 1


def test_without_loops_no_length_is_needed() -> None:
    once = changed(
        "q1", lambda s: replace(s, transitions=(replace(s.transitions[0], target="end"), s.transitions[1]))
    )
    demand_length(once, Adjacency.ALL_DIFFER)
    answer = prover.delta(once, at_epsilon=1, alpha=1)
    assert float(answer.upper) == pytest.approx(
        prover.delta(once, at_epsilon=1, alpha=1, steps=1).upper, rel=1e-6
    )


def test_one_input_that_differs_needs_no_length() -> None:
    answer = prover.delta(first_hit(), at_epsilon=1, alpha=1, adjacency="one-differ")
    one = prover.delta(first_hit(), at_epsilon=1, alpha=1, adjacency="one-differ", steps=1)
    assert float(answer.upper) == pytest.approx(float(one.upper), rel=1e-6)
    assert answer.certificate is not None
    proved(answer.certificate)


def test_without_rates_no_epsilon_is_needed() -> None:
    hits = first_hit()
    answer = prover.delta(hits, alpha=1, steps=2)
    assert answer.upper == prover.delta(hits, alpha=1, steps=2, at_epsilon=7).upper < 1
    assert prover.epsilon_for(hits, delta="1/10", steps=2).is_at_most(ONE)
    drawn = replace(hits.states["q1"], rate=Fraction(1, 4))
    with refuses("no-epsilon"):
        prover.delta(replace(hits, states={**hits.states, "q1": drawn}), alpha=1, steps=2)
