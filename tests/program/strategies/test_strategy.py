"""Named strategies: against all differences of all branches, the optimum, and linear programs."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.program.branches import Branch, looping_branches
from prover.program.optimum.measure import measure
from prover.program.strategies.strategy import (
    CouplingStrategy,
    above_strategy,
    approximate_strategy,
    below_strategy,
    cost_for,
    greedy_strategy,
    named_strategies,
    neutral_strategy,
    optimum,
    outlay,
    relaxed_strategy,
    uncoupled_strategy,
)
from prover.zoo import chain_of_tests, leaking_cycle, lyu_1, partition, svt
from tests.oracle_linear import lp_max
from tests.profiles import thinned
from tests.program.automata import allowed, mirrored, price, random_program
from tests.program.automata import optimum as least_cost
from tests.program.branches import shifts_of
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step
from tests.program_oracle import is_on_cycle, straight_line

LINES = range(120)


def line(seed: int, longest: int = 6) -> Branch:
    random = Random(seed)
    (branch,) = looping_branches(straight_line(random, random.randint(1, longest)))
    return branch


def corners(branch: Branch) -> Iterator[tuple[int, ...]]:
    """All differences of the inputs of a straight line that matter."""
    return product(*((-1, 1) if edge.input else (0,) for edge in branch.edges))


def cost_by_definition(strategy: CouplingStrategy, differences: tuple[int, ...]) -> Fraction | None:
    """What the shifts of a strategy cost; they respect the guards."""
    shifts = shifts_of(strategy, differences)
    if shifts is None:
        return None
    stored, cost = 0, Fraction(0)
    for edge, delta, shift in zip(strategy.branch.edges, differences, shifts, strict=True):
        assert allowed(edge, shift, stored)
        cost += price(edge, delta, shift)
        stored = shift if edge.assigns else stored
    return cost


def test_costs_are_the_largest_of_all_differences() -> None:
    infinite = 0
    for seed in LINES:
        branch = line(seed)
        for strategy in named_strategies(branch):
            found = outlay(strategy)
            costs = [cost_by_definition(strategy, deltas) for deltas in corners(branch)]
            if found.cost is None:
                infinite += 1
                assert None in costs, seed
            else:
                assert found.cost == max(cost for cost in costs if cost is not None), seed
                assert None not in costs
                assert found.differences is not None
                assert cost_by_definition(strategy, found.differences) == found.cost, seed
    assert infinite > 30


@pytest.mark.slow
def test_shifts_are_those_of_the_definitions() -> None:
    for seed in LINES:
        branch = line(seed)
        for deltas in corners(branch):
            for strategy, shift in (
                (below_strategy(branch), 1),
                (above_strategy(branch), -1),
                (neutral_strategy(branch), 0),
            ):
                shifts = shifts_of(strategy, deltas)
                if shifts is not None:
                    assert {s for s, e in zip(shifts, branch.edges, strict=True) if e.assigns} == {shift}
            fixed = approximate_strategy(branch)
            assert fixed is not None
            assert shifts_of(fixed, deltas) == fixed.fixed
        for strategy in named_strategies(branch):
            for deltas in corners(branch):
                shifts = shifts_of(strategy, deltas)
                for k, edge in enumerate(branch.edges):
                    if strategy.name == "S^J" and shifts is not None and edge.output != "insample":
                        assert shifts[k] == {"": deltas[k], "<": -1, ">=": 1}[edge.relation]
                    if shifts is not None and strategy.fixed[k] is None:
                        stored = next((shifts[j] for j in range(k - 1, -1, -1) if branch.edges[j].assigns), 0)
                        others = [price(edge, deltas[k], s) for s in (-1, 0, 1) if allowed(edge, s, stored)]
                        assert price(edge, deltas[k], shifts[k]) == min(others), seed


def test_no_strategy_is_better_than_the_optimum() -> None:
    strict = dict.fromkeys(("S^L", "S^G", "S^N", "S^J", "greedy", "relaxed", "approximate"), 0)
    tight = dict.fromkeys(strict, 0)
    for seed in LINES:
        branch = line(seed)
        best = optimum(branch)
        assert best is not None
        assert best.cost is not None
        assert best.differences is not None
        runs = [list(zip(branch.edges, deltas, strict=True)) for deltas in corners(branch)]
        assert best.cost == max(map(least_cost, runs)), seed
        assert best.cost == least_cost(list(zip(branch.edges, best.differences, strict=True))), seed
        costs = {strategy.name: outlay(strategy).cost for strategy in named_strategies(branch)}
        for name, cost in costs.items():
            assert cost is None or best.cost <= cost, (seed, name)
            strict[name] += cost is not None and best.cost < cost
            tight[name] += cost == best.cost
        relaxed, approximate = costs["relaxed"], costs["approximate"]
        assert relaxed is not None
        assert approximate is not None
        inputs = [edge for edge in branch.edges if edge.input]
        assert relaxed <= approximate <= best.cost + sum(edge.rate for edge in inputs), seed
        assert relaxed <= best.cost + sum(edge.rate for edge in inputs if edge.assigns), seed
        assert costs["greedy"] is None or costs["S^J"] is None or costs["greedy"] <= costs["S^J"], seed
        fixed = [cost for name in ("S^L", "S^G", "S^N") if (cost := costs[name]) is not None]
        assert all(relaxed <= cost for cost in fixed), seed
    assert min(strict.values()) > 20
    assert min(tight.values()) > 2


def test_best_shifts_for_given_differences() -> None:
    for seed in LINES:
        branch = line(seed)
        deltas = tuple(Random(seed).choice((-1, 0, 1)) if edge.input else 0 for edge in branch.edges)
        found = cost_for(branch, deltas)
        assert found is not None
        cost, shifts = found
        assert cost == least_cost(list(zip(branch.edges, deltas, strict=True))), seed
        stored = 0
        for edge, shift in zip(branch.edges, shifts, strict=True):
            assert allowed(edge, shift, stored)
            stored = shift if edge.assigns else stored


def test_the_optimum_of_a_program_is_that_of_its_worst_branch() -> None:
    private = 0
    for seed in thinned(range(300)):
        model = random_program(seed)
        cost = measure(model)
        bests = [optimum(branch) for branch in looping_branches(model)]
        costs = [best.cost for best in bests if best is not None]
        assert len(costs) == len(bests)
        assert (None in costs) is cost.is_infinite, seed
        if not cost.is_infinite:
            private += 1
            assert cost.upper == max(c for c in costs if c is not None), seed
        for branch, best in zip(looping_branches(model), bests, strict=True):
            for strategy in named_strategies(branch):
                found = outlay(strategy)
                if found.cost is not None and best is not None:
                    assert best.cost is not None
                    assert best.cost <= found.cost, seed
                    assert found.differences is not None
                    assert shifts_of(strategy, found.differences) is not None
    assert private > 30


def test_bounds_of_a_branch_with_cycles() -> None:
    checked = 0
    for seed in thinned(range(300)):
        model = random_program(seed)
        for branch in looping_branches(model):
            best, fixed = optimum(branch), approximate_strategy(branch)
            if best is None or best.cost is None:
                assert fixed is None, seed
                continue
            assert fixed is not None
            relaxed = relaxed_strategy(branch)
            assert relaxed is not None
            cost, costlier = outlay(relaxed).cost, outlay(fixed).cost
            assert cost is not None
            assert costlier is not None
            charged = [p.edge for p in branch.steps if p.edge.input and not p.repeats]
            assert best.cost <= cost <= costlier <= best.cost + sum(edge.rate for edge in charged), seed
            assert cost <= best.cost + sum(edge.rate for edge in charged if edge.assigns), seed
            checked += any(is_on_cycle(model, edge) for edge in branch.edges)
    assert checked > 20


def test_fixed_shifts_solve_a_linear_program() -> None:
    # With real shifts: γ = p − n, |γ| = p + n at the optimum, as only the sum is minimised.
    for seed in range(60):
        branch = line(seed)
        fixed = approximate_strategy(branch)
        assert fixed is not None
        size = len(branch.edges)
        rows: list[list[Fraction]] = []
        stored = 0
        for k, edge in enumerate(branch.edges):
            if edge.relation:
                low, high = (k, stored) if edge.relation == "<" else (stored, k)
                row = [Fraction(0)] * (2 * size)
                row[low] += 1
                row[size + low] -= 1
                row[high] -= 1
                row[size + high] += 1
                rows.append(row)
            if edge.output == "insample":
                for sign in (1, -1):
                    row = [Fraction(0)] * (2 * size)
                    row[k], row[size + k] = Fraction(sign), Fraction(-sign)
                    rows.append(row)
            stored = k if edge.assigns else stored
        value, _ = lp_max([-edge.rate for edge in branch.edges] * 2, rows, [Fraction(0)] * len(rows))
        constant = sum((price(edge, int(edge.input), 0) for edge in branch.edges), Fraction(0))
        assert outlay(fixed).cost == constant - value, seed


def test_the_mirror_image_swaps_s_l_and_s_g() -> None:
    for seed in thinned(range(100)):
        model = random_program(seed)
        for branch, image in zip(looping_branches(model), looping_branches(mirrored(model)), strict=True):
            assert outlay(below_strategy(branch)).cost == outlay(above_strategy(image)).cost
            for make in (neutral_strategy, uncoupled_strategy, greedy_strategy):
                own, other = make(branch), make(image)
                assert own is not None
                assert other is not None
                assert outlay(own).cost == outlay(other).cost


def costs_of(branch: Branch) -> dict[str, Fraction | None]:
    return {strategy.name: outlay(strategy).cost for strategy in named_strategies(branch)}


def test_the_sparse_vector_technique_is_proved_by_s_l() -> None:
    (branch,) = looping_branches(svt())
    costs = costs_of(branch)
    assert costs == {
        "S^L": Fraction(5, 4),
        "S^G": None,
        "S^N": None,
        "S^J": None,
        "greedy": None,
        "relaxed": Fraction(5, 4),
        "approximate": Fraction(5, 4),
    }
    assert costs_of(looping_branches(lyu_1(7))[0])["S^L"] == 1


def test_a_chain_of_tests() -> None:
    costs = costs_of(looping_branches(chain_of_tests(5))[0])  # below five times
    assert costs["S^L"] == costs["relaxed"] == Fraction(1, 2)
    assert costs["S^J"] == costs["greedy"] == Fraction(5, 2)
    assert costs["S^N"] == Fraction(3, 2)
    assert costs["S^G"] == 3


def test_all_are_infinite_where_a_cycle_leaks() -> None:
    for branch in looping_branches(leaking_cycle()):
        assert {s.name for s in named_strategies(branch)} == {"S^L", "S^G", "S^N", "S^J", "greedy"}
        assert set(costs_of(branch).values()) == {None}
        assert cost_for(branch, [0] * len(branch.steps)) is None
        assert optimum(branch) is not None


def test_the_last_turn_of_a_cycle_wants_its_own_shift() -> None:
    # A strategy that is the same for all turns follows the inputs, and the test pays 2·100 for that.
    model = program(
        {
            "q0": state(step(TRUE, "q1", "start", assign=True)),
            "q1": state(step(TRUE, "q1", "again", assign=True), step(TRUE, "q2", "on")),
            "q2": state(step(BELOW, "q3"), rate=100),
        }
    )
    assert measure(model).upper == 2
    costs = [costs_of(branch)["S^L"] for branch in looping_branches(model)]
    assert costs == [4, 2]  # the first takes the cycle, but S^L charges the start as well


def test_the_first_guard_does_not_count() -> None:
    model = program(
        {
            "q0": state(step(TRUE, "q1", assign=True)),
            "q1": state(step(BELOW, "q2", assign=True), rate=3),
            "q2": state(step(ABOVE, "q3"), rate=5),
        }
    )
    (branch,) = looping_branches(model)
    rest = Branch(branch.steps[1:])
    assert costs_of(rest) == {
        "S^L": 16,
        "S^G": 6,
        "S^N": 8,
        "S^J": 10,
        "greedy": 10,
        "relaxed": 6,
        "approximate": 8,
    }
    best = optimum(rest)
    assert best is not None
    assert best.cost == 6
    found = cost_for(rest, (1, -1))
    assert found is not None
    assert found[0] == 6


def test_the_optimum_may_need_too_much() -> None:
    (branch,) = looping_branches(partition("3,1,1,2,2,1"))
    best = optimum(branch)
    assert best is not None
    assert best.cost == sum(edge.rate for edge in branch.edges)
    assert optimum(branch, most=2) is None


@pytest.mark.slow
def test_many_long_lines() -> None:
    for seed in range(10_000, 10_600):
        branch = line(seed, longest=9)
        best = optimum(branch)
        assert best is not None
        costs = [cost for cost in costs_of(branch).values() if cost is not None]
        assert best.cost is not None
        assert best.cost <= min(costs), seed
        assert best.cost == max(
            least_cost(list(zip(branch.edges, deltas, strict=True))) for deltas in corners(branch)
        ), seed
