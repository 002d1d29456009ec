"""Approximate and relaxed cost: against all constant shifts of all branches, and against the optimum."""

from fractions import Fraction
from random import Random

from prover.program.branches import looping_branches
from prover.program.optimum.measure import measure
from prover.program.strategies.strategy import approximate_strategy, outlay, relaxed_strategy
from prover.zoo import chain_of_tests, svt
from tests.profiles import thinned
from tests.program.automata import random_program
from tests.program_examples import BELOW, TRUE, program, state, step
from tests.program_oracle import constant_cost, straight_line


def test_they_are_the_largest_of_all_branches() -> None:
    checked = 0
    for seed in thinned(range(400)):
        model = random_program(seed)
        cost = measure(model)
        if cost.upper is not None:
            checked += 1
            assert cost.approx == constant_cost(model, leaves_are_free=False), seed
            assert cost.relaxed == constant_cost(model, leaves_are_free=True), seed
            assert cost.approx_bound is not None
            assert cost.upper <= cost.relaxed <= cost.approx <= cost.approx_bound, seed
    assert checked > 40


def test_they_are_near_the_optimum_of_a_straight_line() -> None:
    strict = 0
    for seed in thinned(range(300)):
        random = Random(seed)
        model = straight_line(random, random.randint(1, 7))
        cost = measure(model)
        assert cost.upper is not None
        assert cost.relaxed == constant_cost(model, leaves_are_free=True), seed
        assert cost.approx == constant_cost(model, leaves_are_free=False), seed
        private = [edge for edge in model.edges if edge.input]
        stored = sum((edge.rate for edge in private if edge.assigns), Fraction(0))
        assert cost.upper <= cost.relaxed <= cost.upper + stored, seed
        assert cost.approx_bound == cost.upper + sum(edge.rate for edge in private), seed
        assert cost.relaxed <= cost.approx <= cost.approx_bound, seed
        strict += cost.upper < cost.relaxed < cost.approx
    assert strict > 8


def test_a_public_step_is_not_charged_for_a_difference() -> None:
    cost = measure(svt())
    assert (cost.approx, cost.relaxed) == (Fraction(5, 4), Fraction(5, 4))


def test_free_leaves_help() -> None:
    cost = measure(chain_of_tests())
    assert cost.upper == cost.relaxed == 1
    assert cost.approx == Fraction(3, 2)
    assert cost.approx_bound == Fraction(5, 2)


def test_an_assignment_on_a_cycle_is_charged_once() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(TRUE, "q1", assign=True), step(TRUE, "q2", "onext"), rate=2),
            "q2": state(step(BELOW, "q3"), rate=2),
        }
    )
    cost = measure(model)
    assert cost.upper == 4
    assert cost.relaxed == 5  # 1 for the start, 2·(1+γ) for the last turn, 2·(1−γ) for the test
    assert cost.approx_bound == 4 + 1 + 3 * 2
    assert cost.approx == 7  # with shifts 0: 1 for the start, and 2 for each other edge


def test_what_can_only_be_reached_by_storing_is_compared_with_what_is_stored() -> None:
    # The test at q2 comes after the assignment at q1, so that the shift of the first one is no concern.
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True), rate=100),
            "q1": state(step(TRUE, "q2", assign=True)),
            "q2": state(step(TRUE, "q1"), step(BELOW, "q3", "out"), rate=50),
        }
    )
    cost = measure(model)
    assert cost.upper == 2
    assert cost.relaxed == 102  # with shifts 0 and 1
    assert cost.approx == 151  # with shifts 0


def test_they_are_those_of_the_costliest_branch() -> None:
    checked = 0
    for seed in range(400, 700):
        model = random_program(seed)
        cost = measure(model)
        if cost.upper is not None:
            checked += 1
            for bound, best in ((cost.relaxed, relaxed_strategy), (cost.approx, approximate_strategy)):
                found = [best(branch) for branch in looping_branches(model)]
                costs = [outlay(strategy).cost for strategy in found if strategy is not None]
                assert len(costs) == len(found)
                assert bound == max(cost for cost in costs if cost is not None), seed
    assert checked > 100


def test_they_are_for_all_differ_only() -> None:
    cost = measure(svt(), "increasing")
    assert (cost.approx, cost.relaxed, cost.approx_bound) == (None, None, None)
