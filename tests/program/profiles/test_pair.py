"""δ of one pair of inputs: known values, what is refused, and both ends as near as they should be."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import erf, exp, sqrt

import pytest

import prover
from prover.certificate.check import check
from prover.errors import BadInput
from prover.program.adjacency import Adjacency
from prover.program.model import Program, State, Transition
from prover.program.noise import INFINITE, Gaussian, Noise
from prover.program.profiles.below import delta_below
from prover.report.pair_delta import pair_json
from prover.zoo import build_program, svt
from tests.certificate.pair_samples import FOUR

MEAN = Fraction(0)
WIDTH = Fraction(1, 10**12)


def sparse(after: str = "end") -> Program:
    """The sparse vector technique with rates 1/2 and 1/4; after a hit it is in this state."""
    below = Transition((("<", "x"),), (), "no", "test")
    above = Transition(((">=", "x"),), (), "yes", after)
    draw = State(False, Fraction(1, 2), MEAN, None, None, (Transition((), ("x",), "start", "test"),))
    test = State(True, Fraction(1, 4), MEAN, None, None, (below, above))
    return Program("draw", {"draw": draw, "test": test})


@pytest.fixture(scope="module")
def known() -> Program:
    return sparse()


@pytest.mark.parametrize(
    ("alpha", "near"), [("1", "0.114471986254504"), ("6/5", "0.0637569349030149"), ("3/2", "0")]
)
def test_known_values(known: Program, alpha: str, near: str) -> None:
    answer = prover.delta(known, at_epsilon=1, alpha=alpha, inputs=FOUR[0], neighbour=FOUR[1])
    assert answer.lower <= Fraction(near) + Fraction(1, 10**14) <= answer.upper + Fraction(1, 10**14)
    assert answer.width < WIDTH
    assert answer.lower_certificate is None
    assert check(answer.certificate.data).startswith("pair alpha=")
    assert (answer.attack is None) == (near == "0")


def test_one_query(known: Program) -> None:
    """1 − (d² e^(−q/2) − q² e^(−d/2))/(d² − q²) = 0.0829377…; both inputs are as far from the threshold,
    so that the attack may have either first.
    """
    answer = prover.delta(known, at_epsilon=1, alpha=1, inputs=["1/2"], neighbour=["-1/2"])
    assert abs(answer.lower - Fraction("0.0829377242443411")) < WIDTH
    assert answer.attack is not None
    more, less = answer.attack.probabilities
    assert abs(more - less - answer.lower) < WIDTH
    assert answer.attack.count == 1


def gaussian(after: str = "end") -> Program:
    """The same with Gaussian noise of standard deviations 2 and 4."""
    states = sparse(after).states
    draw, test = (replace(states[name], rate=Gaussian(Fraction(k))) for name, k in (("draw", 2), ("test", 4)))
    return Program("draw", {"draw": draw, "test": test})


@pytest.mark.parametrize(
    ("alpha", "near"), [("1", "0.122279554884064"), ("6/5", "0.0695120251837882"), ("3/2", "0")]
)
def test_gaussian_noise(alpha: str, near: str) -> None:
    answer = prover.delta(gaussian(), at_epsilon=1, alpha=alpha, inputs=FOUR[0], neighbour=FOUR[1])
    assert answer.lower <= Fraction(near) + Fraction(1, 10**14) <= answer.upper + Fraction(1, 10**14)
    assert answer.width < WIDTH
    assert check(answer.certificate.data).startswith("pair alpha=")


def test_gaussian_noise_and_many_runs() -> None:
    answer = prover.delta(gaussian("test"), at_epsilon=1, alpha=1, inputs=[0] * 25, neighbour=[1] * 25)
    assert 0 < answer.width < WIDTH
    assert check(answer.certificate.data)


def test_gaussian_noise_beside_rates() -> None:
    states = {**gaussian().states, "test": sparse().states["test"]}
    with pytest.raises(BadInput, match="compared with noise of another kind"):
        prover.delta(Program("draw", states), at_epsilon=1, alpha=1, inputs=["0"], neighbour=["1"])


def test_exact_numbers_beside_gaussian_noise() -> None:
    """Of numbers between which the threshold lies the first one above it is told for certain."""
    own = sparse("test").states["test"]
    exact = replace(own, rate=None, rate_left=INFINITE, rate_right=INFINITE)
    program = Program("draw", {"draw": gaussian().states["draw"], "test": exact})
    answer = prover.delta(program, at_epsilon=1, alpha=1, inputs=["0", "1", "0"], neighbour=["1", "0", "0"])
    assert answer.width < WIDTH
    assert answer.lower <= Fraction(erf(1 / sqrt(8)) / 2) + Fraction(1, 10**14) <= answer.upper + WIDTH
    assert check(answer.certificate.data).startswith("pair alpha=")
    cases = tuple(replace(case, target="more") for case in exact.transitions)
    states = {**program.states, "test": replace(exact, transitions=cases), "more": gaussian().states["test"]}
    with pytest.raises(BadInput, match="compared with noise of another kind"):
        prover.delta(Program("draw", states), at_epsilon=1, alpha=1, inputs=["0"] * 2, neighbour=["1"] * 2)


@pytest.mark.parametrize(
    ("alpha", "least"),
    [("1", ".1490"), pytest.param(str(Fraction(exp(0.5))), ".0233", marks=pytest.mark.slow)],
)
def test_inputs_are_found_for_gaussian_noise(alpha: str, least: str) -> None:
    """Of five numbers."""
    found = delta_below(gaussian(), Adjacency.ALL_DIFFER, Fraction(1), Fraction(alpha), 5)
    assert found is not None
    assert found.lower > Fraction(least)
    assert check(replace(found, steps=5).certificate.data).startswith("inputs ")


def test_two_certificates_for_an_epsilon(known: Program) -> None:
    answer = prover.delta(known, at_epsilon=1, epsilon="1/10", inputs=FOUR[0], neighbour=FOUR[1])
    assert 0 < answer.width < WIDTH
    assert "<=exp(1/10)" in check(answer.certificate.data)
    assert answer.lower_certificate is not None
    assert ">=exp(1/10)" in check(answer.lower_certificate.data)


def test_one_hundred_queries(known: Program) -> None:
    inputs = [Fraction(k * 7 % 12, 2) for k in range(100)]
    neighbour = [x + (-1) ** k for k, x in enumerate(inputs)]
    answer = prover.delta(known, at_epsilon=1, alpha="5/4", inputs=inputs, neighbour=neighbour)
    assert answer.width < WIDTH
    assert check(answer.certificate.data)


def test_equal_steps_are_counted() -> None:
    """Thirty equal queries, all of whose 2^30 answers are seen, and the threshold is noisy."""
    answer = prover.delta(sparse("test"), at_epsilon=1, alpha="5/4", inputs=[0] * 30, neighbour=[1] * 30)
    assert answer.attack is not None
    assert len(answer.attack.runs) < 31 < answer.attack.count
    assert answer.width < WIDTH
    assert check(answer.certificate.data)


def test_runs_that_stop() -> None:
    """Only one guard: the attacker sees that nothing more comes."""
    states = dict(sparse().states)
    states["test"] = replace(states["test"], transitions=states["test"].transitions[1:])
    program = Program("draw", states)
    answer = prover.delta(program, at_epsilon=1, alpha=1, inputs=[0], neighbour=[1], adjacency="increasing")
    assert answer.attack is not None
    assert [run.stops for run in answer.attack.runs] == [True]
    assert "start, and no more" in str(answer)


def test_only_this_direction(known: Program) -> None:
    """Decreasing inputs are compared in one order."""
    both = {"inputs": ["0", "1/2"], "neighbour": ["-1", "-1/2"], "at_epsilon": 1, "alpha": "11/10"}
    one = prover.delta(known, adjacency="decreasing", **both)  # type: ignore[call-overload]
    two = prover.delta(known, **both)  # type: ignore[call-overload]
    assert one.upper < two.lower
    assert two.attack.swapped


REFUSED = [
    (["0", "1"], ["0"], "all-differ", "2 inputs, but 1 of the neighbour"),
    (["0"], ["2"], "all-differ", "input 1 differs by 2"),
    (["0"], ["1"], "decreasing", "no neighbours by the adjacency decreasing"),
    (["0", "0"], ["1", "-1"], "monotonic", "no neighbours by the adjacency monotonic"),
    (["0", "0"], ["1", "1"], "one-differ", "no neighbours by the adjacency one-differ"),
    (["a"], ["1"], "all-differ", "malformed number"),
]


@pytest.mark.parametrize(("inputs", "neighbour", "adjacency", "words"), REFUSED)
def test_inputs_that_are_refused(
    known: Program, inputs: list[str], neighbour: list[str], adjacency: str, words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        prover.delta(known, at_epsilon=1, alpha=1, inputs=inputs, neighbour=neighbour, adjacency=adjacency)


def test_one_list_is_not_a_pair(known: Program) -> None:
    with pytest.raises(BadInput, match="go together"):
        prover.delta(known, at_epsilon=1, alpha=1, inputs=["0"])  # type: ignore[call-overload]


def test_a_number_that_is_output() -> None:
    with pytest.raises(BadInput, match="outputs a number"):
        prover.delta(build_program("numeric-sparse"), at_epsilon=1, alpha=1, inputs=["0"], neighbour=["1"])


def test_noisy_max() -> None:
    """Samples that are compared and stored: of two alike ones, the greater is the first by 1/2."""
    program = build_program("noisy-max")
    answer = prover.delta(program, at_epsilon=1, alpha=1, inputs=["0", "0", "0"], neighbour=["1", "0", "0"])
    assert 0 < answer.width < WIDTH
    assert check(answer.certificate.data)


def test_on_a_grid() -> None:
    """With q both ends are the same rational number; with ε they are as near as without a grid."""
    program = replace(sparse(), noise=Noise("discrete-laplace"))
    lists = {"inputs": ["0", "1"], "neighbour": ["1", "0"]}
    exact = prover.delta(program, q="1/2", alpha=1, **lists)  # type: ignore[call-overload]
    assert exact.value == Fraction(6, 35)
    assert check(exact.certificate.data).startswith("pair alpha=1 adjacency=all-differ q=1/2 ")
    assert "noise is that of e^(-(1/4)*epsilon) = 1/2" in str(exact)
    assert (pair_json(exact)["q"], pair_json(exact)["at_epsilon"]) == ("1/2", None)
    near = prover.delta(program, at_epsilon=1, alpha=1, **lists)  # type: ignore[call-overload]
    assert 0 < near.width < WIDTH
    assert check(near.certificate.data)


def test_very_many_digits_are_enclosed() -> None:
    program = replace(sparse(), noise=Noise("discrete-laplace"))
    inputs, neighbour = [k % 40 for k in range(60)], [k % 40 + (-1) ** k for k in range(60)]
    answer = prover.delta(program, q="99/100", alpha=1, inputs=inputs, neighbour=neighbour)
    assert 0 < answer.width < WIDTH
    assert "bits" in answer.last.evidence
    assert check(answer.certificate.data)


def test_outputs_that_hide_a_transition() -> None:
    """Only the second answer is seen; the first one would show more."""
    first, last = sparse("test").states.values()
    again = replace(last, transitions=tuple(replace(own, target="last") for own in last.transitions))
    seen = Program("draw", {"draw": first, "test": again, "last": last})
    silent = replace(again, transitions=tuple(replace(own, output="?") for own in again.transitions))
    hidden = Program("draw", {**seen.states, "test": silent})
    lists = {"at_epsilon": 1, "alpha": 1, "inputs": ["0", "0"], "neighbour": ["1", "1"]}
    more, less = (prover.delta(program, **lists) for program in (seen, hidden))  # type: ignore[call-overload]
    alone = Program("draw", {"draw": first, "test": sparse().states["test"]})
    last_only = prover.delta(alone, at_epsilon=1, alpha=1, inputs=["0"], neighbour=["1"])
    assert 0 < less.upper < more.lower
    assert abs(less.lower - last_only.lower) < WIDTH
    assert less.attack is not None
    assert less.attack.count == 1
    assert check(less.certificate.data)


def test_samples_in_a_ring() -> None:
    """Two queries are both compared with the same two limits."""
    state = sparse().states["draw"]
    inside = ((">=", "x"), ("<", "y"))
    draws = {
        name: replace(state, transitions=(Transition((), (name,), "draw", after),))
        for name, after in (("x", "y"), ("y", "first"))
    }
    tests = {
        name: replace(state, input=True, transitions=(Transition(inside, (), "in", after),))
        for name, after in (("first", "second"), ("second", "end"))
    }
    program = Program("x", draws | tests)
    one = prover.delta(program, at_epsilon=1, alpha=1, inputs=["0"], neighbour=["1"])
    assert 0 < one.width < WIDTH
    assert check(one.certificate.data)
    with pytest.raises(BadInput, match="in a ring"):
        prover.delta(program, at_epsilon=1, alpha=1, inputs=["0", "0"], neighbour=["1", "1"])


def test_gaussian_noise_in_a_row() -> None:
    """The difference of two samples is known; three of them in a row are refused."""
    states = {
        name: replace(own, input=True, rate=Gaussian(Fraction(1)))
        for name, own in sparse("test").states.items()
    }
    cases = tuple(
        replace(own, assign=("x",) if own.output == "yes" else ()) for own in states["test"].transitions
    )
    program = Program("draw", {**states, "test": replace(states["test"], transitions=cases)})
    two = prover.delta(program, at_epsilon=1, alpha=1, inputs=["0", "0"], neighbour=["1", "-1"])
    assert abs(float(two.lower) - erf(1) / 2) < 1e-11
    assert check(two.certificate.data)
    with pytest.raises(BadInput, match="is compared and stored"):
        prover.delta(program, at_epsilon=1, alpha=1, inputs=["0"] * 3, neighbour=["1", "0", "0"])


def test_too_many_runs() -> None:
    inputs = list(range(16))
    with pytest.raises(BadInput, match="different runs"):
        prover.delta(sparse("test"), at_epsilon=1, alpha=1, inputs=inputs, neighbour=inputs)


def test_no_inputs(known: Program) -> None:
    states = {**known.states, "draw": replace(known.states["draw"], input=True)}
    for program in (known, Program("draw", states)):
        answer = prover.delta(program, at_epsilon=1, alpha=1, inputs=[], neighbour=[])
        assert answer.lower == 0
        assert answer.upper < WIDTH
        assert check(answer.certificate.data)


def test_the_same_inputs() -> None:
    answer = prover.delta(svt(), at_epsilon=1, alpha=1, inputs=["0"], neighbour=["0"])
    assert answer.lower == 0
    assert answer.upper < WIDTH
    assert answer.attack is None
