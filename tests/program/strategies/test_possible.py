"""Strategies of programs of several variables: against definitions, linear programs, and the exact ε."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.program.branches import Branch, looping_branches
from prover.program.model import Program
from prover.program.optimum.budget import Budget, Steps
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME
from prover.program.privacy import privacy
from prover.program.strategies.costs import strategy_costs
from prover.program.strategies.possible import StoringCycle, possible_branches
from prover.program.strategies.sharing import cost_of_branches
from prover.program.strategies.strategy import (
    NAMES,
    CouplingStrategy,
    named_strategies,
    outlay,
    relaxed_strategy,
    uncoupled_strategy,
)
from prover.zoo import counterexample, k_min_max, m_range, num_range
from tests.profiles import thinned
from tests.program.automata import price
from tests.program.automata import random_program as random_of_one
from tests.program.branches import is_straight, shifts_of, straight_line
from tests.program.several_examples import demands, forked_program, random_tests
from tests.program.several_examples import price as least_price
from tests.program.sharing_oracle import shared_cost_by_force, transitions_of
from tests.program.strategies.test_strategy import corners

F = Fraction
MODELS = [forked_program(Random(seed)) for seed in thinned(range(25), 3)] + [
    random_tests(Random(seed)) for seed in thinned(range(25), 3)
]


def branches_of(model: Program) -> tuple[Branch, ...]:
    """The branches of a program; none where something is stored on a cycle."""
    try:
        return possible_branches(model)
    except StoringCycle:
        return ()


def cost_by_definition(strategy: CouplingStrategy, differences: tuple[int, ...]) -> Fraction | None:
    """What the shifts of a strategy cost; they respect all tests, and are 0 where insample is output."""
    shifts = shifts_of(strategy, differences)
    if shifts is None:
        return None
    edges = strategy.branch.edges
    assert all(shifts[a] <= shifts[b] for a, b in demands(edges))
    assert not any(shift for edge, shift in zip(edges, shifts, strict=True) if edge.output == INSAMPLE)
    return sum((price(*step) for step in zip(edges, differences, shifts, strict=True)), F(0))


def test_one_variable_is_as_before() -> None:
    for seed in range(60):
        model = random_of_one(seed)
        assert possible_branches(model) == looping_branches(model)


def test_impossible_branches_are_left_out() -> None:
    model = k_min_max(3)  # after the first input the least and the largest are the same
    between = next(e.number for e in model.edges if e.source == "q2" and len(e.guard) == 2)
    assert all(between not in [edge.number for edge in branch.edges] for branch in possible_branches(model))
    assert any(between in [edge.number for edge in branch.edges] for branch in looping_branches(model))


def test_storing_on_a_cycle_is_refused() -> None:
    with pytest.raises(StoringCycle, match="transition 7 stores on a cycle"):
        possible_branches(counterexample("overwriting"))


@pytest.mark.slow
def test_costs_of_straight_branches_are_those_of_their_definition() -> None:
    finite: Counter[str] = Counter()
    for seed, model in enumerate(MODELS):
        for branch in branches_of(model)[:3]:
            if not is_straight(branch) or len(branch.edges) > 8:
                continue
            best = max(least_price(branch.edges, deltas) for deltas in corners(branch))
            for strategy in named_strategies(branch):
                costs = [cost_by_definition(strategy, deltas) for deltas in corners(branch)]
                known = [cost for cost in costs if cost is not None]
                cost = max(known) if len(known) == len(costs) else None
                found = outlay(strategy)
                assert found.cost == cost, (seed, strategy.name)
                if cost is not None:
                    assert found.differences is not None
                    assert cost_by_definition(strategy, found.differences) == cost
                    assert best <= cost + F(1, 10**6), (seed, strategy.name)
                    finite[strategy.name] += 1
    assert all(finite[name] > 1 for name in NAMES), finite


@pytest.mark.slow
def test_cycles_cost_nothing_or_everything() -> None:
    """Branches with their cycles taken once, and three times: the costs are equal, or grow."""
    seen: Counter[bool] = Counter()
    for seed, model in enumerate(MODELS):
        for branch in branches_of(model)[:2]:
            if is_straight(branch) or branch.is_hopeless:
                continue

            def taken(turns: int, branch: Branch = branch) -> Branch:
                repeated = [edge for p in branch.steps for edge in [p.edge] * (turns if p.repeats else 1)]
                return straight_line(repeated)

            for strategy in named_strategies(branch)[:-2]:
                copies = [
                    next(s for s in named_strategies(taken(n)) if s.name == strategy.name) for n in (1, 3)
                ]
                if strategy.name == "S^J":  # it has shifts of its own for tests, also for those on cycles
                    continue
                once, thrice = (outlay(copy).cost for copy in copies)
                cost = outlay(strategy).cost
                if cost is None:
                    assert once is None or thrice is None or once < thrice, (seed, strategy.name)
                else:
                    assert once == thrice == cost, (seed, strategy.name)
                seen[cost is None] += 1
    assert min(seen.values()) > 5


@pytest.mark.thorough
def test_no_strategy_costs_less_than_the_loss() -> None:
    tight: Counter[str] = Counter()
    for seed, model in enumerate(MODELS):
        if not branches_of(model):
            continue
        answer = privacy(model, budget=Budget(values=300, steps=Steps(2_000_000)))
        found = strategy_costs(model)
        assert found.segments is None
        if answer.runs.bounded is False:
            assert set(found.costs.values()) == {None}, seed
            assert found.shared.is_infinite, seed
        elif answer.runs.exact is not None:
            for name, cost in found.costs.items():
                assert cost is None or answer.runs.exact <= cost, (seed, name)
                tight[name] += cost == answer.runs.exact
            relaxed, approximate = found.costs["relaxed"], found.costs["approximate"]
            assert relaxed is not None
            assert approximate is not None
            assert relaxed <= approximate, seed
            assert found.shared.separate == answer.runs.exact, seed
            assert found.shared.lower is None or found.shared.lower >= answer.runs.exact, seed
    assert tight["relaxed"] > 3


@pytest.mark.slow
def test_shared_costs_are_those_of_brute_force() -> None:
    checked = costlier = infinite = 0
    pairs = [
        (own[0], other) for own in map(branches_of, MODELS) if own for other in {own[1 % len(own)], own[-1]}
    ]
    for pair in pairs:
        if len(transitions_of(pair)) > 8:
            continue
        found = cost_of_branches(pair)
        expected = shared_cost_by_force(pair)
        assert (found.is_infinite, found.value) == (expected is None, expected), pair
        checked += 1
        infinite += expected is None
        alone = [cost_of_branches([branch]).value for branch in pair]
        costlier += expected is not None and expected > max(cost for cost in alone if cost is not None)
    assert checked > 2
    assert checked > infinite
    assert costlier > 0


@pytest.mark.thorough
def test_no_fixed_shifts_between_integers_are_better() -> None:
    """Of a step tested from both sides, low ≤ high, the worst difference costs 1 + max(low, −high)."""
    halves = [F(k, 2) for k in range(-2, 3)]
    checked = 0
    for seed, model in enumerate(MODELS):
        for branch in branches_of(model)[:2]:
            storing = [k for k, edge in enumerate(branch.edges) if edge.assigns]
            if not is_straight(branch) or len(storing) > 4:
                continue
            costs = [
                cost
                for shifts in product(halves, repeat=len(storing))
                if (cost := relaxed_cost(branch, dict(zip(storing, shifts, strict=True)))) is not None
            ]
            relaxed = relaxed_strategy(branch)
            assert relaxed is not None
            assert outlay(relaxed).cost == min(costs), seed
            checked += any(len(edge.guard) > 1 for edge in branch.edges)
    assert checked > 2


def relaxed_cost(branch: Branch, fixed: Mapping[int, Fraction]) -> Fraction | None:
    """What a branch costs if some steps have these shifts, and the others their best; None: not allowed."""
    stored: dict[str, Fraction] = {}
    total = F(0)
    for k, edge in enumerate(branch.edges):
        low = max([stored[name] for relation, name in edge.guard if relation == ">="], default=F(-1))
        high = min([stored[name] for relation, name in edge.guard if relation == "<"], default=F(1))
        worst = F(0)
        for delta in (-1, 1) if edge.input else (0,):
            shift = fixed.get(k, F(0) if edge.output == INSAMPLE else min(max(F(delta), low), high))
            if not low <= shift <= high or (edge.output == INSAMPLE and shift):
                return None
            prime = abs(delta) * (edge.rate_prime or 0) * (edge.output == INSAMPLE_PRIME)
            worst = max(worst, abs(delta - shift) * edge.rate + prime)
        total += worst
        stored.update(dict.fromkeys(edge.assign, fixed.get(k, F(0))))
    return total


def test_a_range_has_no_safe_shift() -> None:
    branch = next(b for b in possible_branches(num_range()) if any(len(e.guard) > 1 for e in b.edges))
    assert uncoupled_strategy(branch) is None
    assert strategy_costs(num_range()).costs["S^J"] is None


def test_published_ranges() -> None:
    for m in (1, 2):
        found = strategy_costs(m_range(m))
        assert found.costs["relaxed"] == found.shared.value == F(1), m
    found = strategy_costs(num_range())
    assert (found.costs["relaxed"], found.costs["approximate"]) == (F(5, 4), F(3, 2))
