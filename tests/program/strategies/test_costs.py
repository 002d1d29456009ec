"""What strategies cost for whole programs."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.program.branches import TooManyBranches, looping_branches
from prover.program.optimum.measure import measure
from prover.program.privacy import privacy
from prover.program.strategies import strategy as strategies
from prover.program.strategies.costs import strategy_costs, strategy_costs_within
from prover.program.strategies.possible import StoringCycle, possible_branches
from prover.program.strategies.sharing import shared_cost
from prover.program.strategies.strategy import TooManyShifts, named_strategies, outlay
from prover.zoo import chain_of_tests, counterexample, leaking_cycle, m_range, sharing_pair, svt
from tests.profiles import thinned
from tests.program import several_examples
from tests.program.automata import leaning, random_program
from tests.program.several_examples import random_tests
from tests.program.sharing_oracle import shared_cost_by_force, transitions_of
from tests.refusals import refuses


def test_they_are_those_of_the_costliest_branches() -> None:
    for seed in thinned(range(150)):
        model = random_program(seed)
        cost, found = measure(model), strategy_costs(model)
        assert found.shared == shared_cost(model)
        assert found.shared.separate == cost.upper, seed
        if cost.upper is not None:
            assert (found.costs["relaxed"], found.costs["approximate"]) == (cost.relaxed, cost.approx), seed
        for branch in looping_branches(model):
            for strategy in named_strategies(branch):
                own, costliest = outlay(strategy).cost, found.costs[strategy.name]
                assert costliest is None or (own is not None and own <= costliest), seed
        for costliest in found.costs.values():
            assert costliest is None or (cost.upper is not None and cost.upper <= costliest), seed


@pytest.mark.parametrize(
    ("seeds", "largest"), [(range(14), 4), pytest.param(range(14, 60), 5, marks=pytest.mark.slow)], ids=str
)
def test_two_rates(seeds: range, largest: int) -> None:
    """Programs of one variable, and of several; what strategies cost bounds what the best one costs."""
    compared = 0
    for seed in seeds:
        if seed % 2:
            model = leaning(random_program(seed, 4), seed, infinite=0)
        else:
            model = several_examples.leaning(random_tests(Random(seed)), Random(seed), infinite=0)
        answer = privacy(model)
        found = strategy_costs_within(model)
        if isinstance(found, str) or answer.runs.exact is None:
            continue
        assert found.shared.separate == answer.runs.exact, seed
        for name, cost in found.costs.items():
            assert cost is None or cost >= answer.runs.exact, (seed, name)
        if answer.approx is not None:
            assert (found.costs["relaxed"], found.costs["approximate"]) == (answer.relaxed, answer.approx)
        branches = possible_branches(model)
        if len(transitions_of(branches)) <= largest:
            assert found.shared.value == shared_cost_by_force(branches), seed
            compared += 1
    assert compared > 2


def test_noise_on_one_side_is_refused() -> None:
    state = svt().states["q1"]
    model = replace(
        svt(),
        states={**svt().states, "q1": replace(state, rate=None, rate_left="inf", rate_right=state.rates[1])},
    )
    for ask in (strategy_costs, shared_cost):
        with refuses("no-noise", match='the noise of state "q1" is missing on a side'):
            ask(model)


def test_fixed_shifts_are_shared_ones() -> None:
    # A test takes the cheapest shift for what is stored, which may be another on other branches.
    found = strategy_costs(sharing_pair(3))
    assert found.costs == {
        "S^L": 8,
        "S^G": 8,
        "S^N": 4,
        "S^J": 6,
        "greedy": 6,
        "relaxed": 2,
        "approximate": 4,
    }
    assert found.shared.value == 4
    assert strategy_costs(svt()).costs["S^L"] == Fraction(5, 4)


def test_no_strategy_pays_for_a_leaking_cycle() -> None:
    assert set(strategy_costs(leaking_cycle()).costs.values()) == {None}


def test_what_cannot_be_compared() -> None:
    with pytest.raises(TooManyBranches):
        strategy_costs(chain_of_tests(2_000))
    assert "more than 20000 steps" in str(strategy_costs_within(chain_of_tests(2_000)))
    stored = counterexample("overwriting")
    with pytest.raises(StoringCycle):
        strategy_costs(stored)
    assert "stores on a cycle" in str(strategy_costs_within(stored))


def test_too_many_shifts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategies, "MOST_VALUES", 3)
    with pytest.raises(TooManyShifts, match="more than 3 combinations"):
        strategy_costs(m_range(2))
    assert "more than 3 combinations" in str(strategy_costs_within(m_range(2)))
