"""Losses bounded by the slope: never more than what is measured, and as near to the cost as one likes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import Fault
from prover.exact.ball import bounds
from prover.program.adjacency import POLYTOPES
from prover.program.attack.attack import WINDOW, attack
from prover.program.attack.probability import loss_between, path_probability
from prover.program.attack.tail_bound import far_loss, slope_of
from prover.program.decision.blocks import Linear, RunStep
from prover.program.model import Program, Test
from prover.program.optimum.budget import Budget
from prover.program.optimum.measure import measure
from prover.program.optimum.witness import written_out
from prover.program.outputs import REAL_OUTPUTS
from prover.program.privacy import privacy
from prover.zoo import chain_of_tests, numeric_svt, svt
from tests.profiles import examples
from tests.program import several_examples
from tests.program.automata import leaning, random_program
from tests.program_examples import ABOVE, BELOW, TRUE, rated, state, step
from tests.program_examples import program as program_of
from tests.program_strategies import programs

F = Fraction


def witness(program: Program, adjacency: str = "all-differ") -> tuple[list[RunStep], Fraction]:
    """A short worst run with optimal multipliers, and what it costs; no steps if there is none."""
    cost = measure(program, adjacency)
    if cost.witness is None or cost.witness.length > 12:
        return [], F(0)
    return list(written_out(cost.witness)), cost.witness.loss


def reads(steps: list[RunStep], t: int) -> list[Fraction]:
    return [F(t * step.delta) for step in steps]


def windows(steps: list[RunStep]) -> dict[int, tuple[Fraction, Fraction]]:
    return {place: WINDOW for place, step in enumerate(steps) if step.edge.output in REAL_OUTPUTS}


@examples(60)
@given(
    programs(max_states=5),
    st.sampled_from(POLYTOPES),
    st.sampled_from([F(1, 4), F(1), F(3)]),
    st.sampled_from([1, 2, 7, 40]),
)
def test_never_more_than_what_is_measured(
    program: Program, adjacency: str, epsilon: Fraction, t: int
) -> None:
    steps, cost = witness(program, adjacency)
    if not steps:
        return
    path = [step.edge for step in steps]
    measured = loss_between(program, path, reads(steps, t), reads(steps, t + 1), epsilon, windows(steps)).loss
    assert far_loss(program, steps, epsilon, t) <= measured[1]
    assert measured[0] <= epsilon * cost


def check_parts(program: Program, steps: list[RunStep], epsilon: Fraction, t: int) -> None:
    """ln p(t) is at most the upper part, and ln p(0) at least the lower one."""
    path = [step.edge for step in steps]
    with ctx.workprec(64 + 2 * int(t * epsilon * 50)):
        start, far = (
            bounds(path_probability(program, path, reads(steps, s), windows(steps)).at(epsilon).log())
            for s in (0, t)
        )
        upper = bounds(slope_of(program, steps).upper(t, epsilon))
        both = far_loss(program, steps, epsilon, t) * t + upper[0]
    assert far[0] <= upper[1]
    assert both <= start[1]


@examples(60)
@given(programs(max_states=5), st.sampled_from([F(1, 4), F(1), F(3)]), st.sampled_from([1, 5, 30]))
def test_its_parts_bound_probabilities(program: Program, epsilon: Fraction, t: int) -> None:
    steps, _ = witness(program)
    if steps:
        check_parts(program, steps, epsilon, t)


@examples(40)
@given(programs(max_states=4), st.sampled_from([F(-20), F(20)]), st.sampled_from([2, 15]))
def test_its_parts_bound_probabilities_far_from_0(program: Program, mean: Fraction, t: int) -> None:
    """Where inputs move towards a mean, or away from it, the latter counts."""
    moved = {
        name: replace(
            state, mean=mean if name == program.initial else state.mean, mean_prime=state.mean_prime
        )
        for name, state in program.states.items()
    }
    steps, _ = witness(Program(program.initial, moved))
    if steps:
        check_parts(Program(program.initial, moved), steps, F(1), t)


@pytest.mark.family
@pytest.mark.parametrize("relation", [BELOW, ABOVE])
@pytest.mark.parametrize(("t", "epsilon"), [(50, F(1)), (2_000, F(1)), (1, F(40))])
def test_a_chain_of_what_is_stored(relation: tuple[Test, ...], t: int, epsilon: Fraction) -> None:
    """With equal rates probabilities fall like t^k·e^(−εt), more slowly than an exponential; on equal inputs
    every order of samples is equally likely, whatever ε is."""
    line = {f"q{k}": state(step(relation, f"q{k + 1}", assign=True)) for k in range(1, 5)}
    program = program_of({"q0": state(step(TRUE, "q1", assign=True)), **line})
    steps, _ = witness(program)
    assert len(steps) == 5
    check_parts(program, steps, epsilon, t)


@pytest.mark.parametrize("relation", ["<", ">="])
def test_what_is_compared_is_beyond_what_is_stored(relation: str) -> None:
    """With little noise a run of many tests is unlikely on equal inputs, though each test seems not to be."""
    looping = program_of(
        {"q0": state(step(TRUE, "q1", assign=True)), "q1": state(step(((relation, "x"),), "q1"))}
    )
    steps = [RunStep(looping.edges[0]), *[RunStep(looping.edges[1])] * 30]
    check_parts(looping, steps, F(40), 1)


@pytest.mark.parametrize("program", [svt(), numeric_svt(2), chain_of_tests()])
def test_it_tends_to_the_cost(program: Program) -> None:
    steps, cost = witness(program)
    found = [far_loss(program, steps, F(1, 2), 10**k) for k in (2, 4, 6)]
    assert found == sorted(found)
    assert F(999, 1000) * cost / 2 < found[-1] < cost / 2


@examples(40)
@given(programs(max_states=5))
def test_the_slope_is_the_cost(program: Program) -> None:
    steps, cost = witness(program)
    if steps:
        slope = slope_of(program, steps)
        assert slope.slope + sum((rate * delta for rate, delta, _ in slope.primes), F(0)) == cost
        assert slope.steps == len(steps)


@pytest.mark.parametrize("seed", range(16))
def test_two_rates(seed: int) -> None:
    """Programs of one variable and of several."""
    if seed % 2:
        model = leaning(random_program(seed, 4), seed, infinite=0)
    else:
        model = several_examples.leaning(
            several_examples.random_tests(Random(seed)), Random(seed), infinite=0
        )
    found = privacy(model, budget=Budget(values=60)).witness
    if found is None or not 0 < found.length <= 12:
        return
    steps = list(written_out(found))
    slope = slope_of(model, steps)
    assert slope.slope + sum((rate * delta for rate, delta, _ in slope.primes), F(0)) == found.loss
    check_parts(model, steps, F(1), 5)
    path = [step.edge for step in steps]
    measured = loss_between(model, path, reads(steps, 5), reads(steps, 6), F(1), windows(steps)).loss
    assert far_loss(model, steps, F(1), 5) <= measured[1]
    assert measured[0] <= found.loss


def test_runs_too_deep_to_be_measured_have_attacks_with_two_rates() -> None:
    model = rated(numeric_svt(2), q1=(F(1, 4), F(1)), q2=(F(1), F(1, 2)))
    found = attack(model, epsilon=10**7)
    assert found is not None
    assert found.measured is None
    assert found.is_close
    assert found.loss[1] <= found.bound


def test_multipliers_that_are_not_feasible_are_a_fault() -> None:
    program = svt()
    steps = [
        RunStep(program.edges[0]),
        RunStep(program.edges[1], 1, (Linear(F(10)),)),
    ]
    with pytest.raises(Fault, match="load"):
        far_loss(program, steps, F(1), 5)
