"""When named strategies are tight: all small segments, and what the published theorems say of them."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.program.branches import Branch
from prover.program.strategies.segments import segment_loss
from prover.program.strategies.strategy import named_strategies, optimum, outlay
from prover.program.strategies.tightness import NumbersAreOutput, sums_of, tight_strategies
from tests.profiles import thinned
from tests.program.segment_examples import assignment, comparing, leaf, segment
from tests.program.segment_theorems import (
    LeakingSegment,
    loss_of,
    loss_of_tests_below,
    loss_with_below_cycle,
)

F = Fraction
LEAVES = [(relation, rate, loops) for relation in ("<", ">=") for rate in (1, 2) for loops in (False, True)]
RATES = [Fraction(1, 2), Fraction(1), Fraction(2)]
NAMES = ("S^L", "S^G", "S^N", "S^J", "greedy")


def small_segments(most: int) -> Iterator[Branch]:
    """All segments of letters with a few rates and at most so many tests."""
    for count in range(most + 1):
        for rate, input in product(RATES, (True, False)):
            for leaves in product([*LEAVES, ("", 1, False)], repeat=count):
                yield segment(
                    assignment(rate, input=input),
                    *(leaf(relation, weight, loops=loops) for relation, weight, loops in leaves),
                )


def costs_of(branch: Branch) -> dict[str, Fraction | None]:
    return {strategy.name: outlay(strategy).cost for strategy in named_strategies(branch)}


def loss(branch: Branch) -> Fraction | None:
    best = optimum(branch)
    assert best is not None
    return best.cost


def test_the_conditions_are_right_for_all_small_segments() -> None:
    seen = set()
    for branch in small_segments(2):
        exact = loss(branch)
        assert exact == loss_of(sums_of(branch)) == segment_loss(branch)
        if exact is not None:
            costs = costs_of(branch)
            tight = tight_strategies(branch)
            assert tight == tuple(name for name in NAMES if costs[name] == exact)
            assert {"S^L", "S^G", "greedy"}.intersection(tight)
            seen.add(tight)
    assert len(seen) > 6


def leaning(branch: Branch, random: Random) -> Branch:
    """The segment with two rates at each step."""
    numbers = [F(1, 2), F(1), F(3, 2), F(3)]
    places = tuple(
        replace(place, edge=replace(place.edge, noise=(random.choice(numbers), random.choice(numbers))))
        for place in branch.steps
    )
    return replace(branch, steps=places)


def test_two_rates() -> None:
    random = Random(1)
    seen = set()
    for branch in random.sample(list(small_segments(2)), 150):
        leans = leaning(branch, random)
        exact = loss(leans)
        assert exact == segment_loss(leans)
        if exact is not None:
            costs = costs_of(leans)
            tight = tight_strategies(leans)
            assert tight == tuple(name for name in NAMES if costs[name] == exact)
            assert {"S^L", "S^G", "greedy"}.intersection(tight)
            seen.add(tight)
    assert len(seen) > 5


@pytest.mark.slow
def test_the_conditions_are_right_for_all_segments_of_four_tests() -> None:
    for branch in small_segments(4):
        exact = loss(branch)
        assert exact == loss_of(sums_of(branch))
        if exact is not None:
            costs = costs_of(branch)
            assert tight_strategies(branch) == tuple(name for name in NAMES if costs[name] == exact)


def test_s_l_is_tight_with_an_l_cycle() -> None:
    # Theorem 8: 2ε_0, and 2ε_i for every test >=.
    checked = 0
    for branch in small_segments(2):
        predicted = None if sums_of(branch).above is None else loss_with_below_cycle(branch)
        if predicted is not None:
            checked += 1
            first, *others = branch.edges
            expected = 2 * sum(edge.rate for edge in others if edge.relation == ">=")
            expected += (2 if first.input else 1) * first.rate
            assert predicted == expected == costs_of(branch)["S^L"] == loss(branch)
    assert checked > 100


def test_theorem_8_needs_a_cycle_and_no_other() -> None:
    assert loss_with_below_cycle(comparing(assignment(), [1], [1])) is None
    with pytest.raises(LeakingSegment):
        loss_with_below_cycle(segment(assignment(), leaf("<", loops=True), leaf(">=", loops=True)))


def test_s_j_or_s_l_is_tight_if_all_tests_are_below() -> None:
    # Theorem 9, and Hypothesis 7.1: where S^J costs more than S^L, S^L is tight.
    cheaper = {"S^J": 0, "S^L": 0}
    for seed in thinned(range(200)):
        random = Random(seed)
        rates = [Fraction(random.randint(1, 12), random.randint(1, 6)) for _ in range(random.randint(1, 6))]
        branch = comparing(assignment(rates[0]), rates[1:], [])
        predicted, exact, costs = loss_of_tests_below(branch), loss(branch), costs_of(branch)
        assert predicted == exact == min(2 * rates[0], 2 * sum(rates[1:])), seed
        s_j, s_l = costs["S^J"], costs["S^L"]
        assert s_j is not None
        assert s_l is not None
        better = "S^J" if s_j <= s_l else "S^L"
        cheaper[better] += 1
        assert costs[better] == exact, seed
        assert costs["greedy"] == s_j
    assert min(cheaper.values()) > 10


def test_the_formula_is_for_tests_below_only() -> None:
    assert loss_of_tests_below(comparing(assignment(), [1], [1])) is None
    assert loss_of_tests_below(segment(assignment(), leaf("<", loops=True))) is None


def test_with_both_guards_neither_s_j_nor_s_l_need_be_tight() -> None:
    # The smallest counterexample to the hypothesis for mixed segments: its doubt is justified.
    branch = comparing(assignment("1/2"), [1], [1])
    costs = costs_of(branch)
    assert [costs[name] for name in ("S^J", "S^L", "S^G", "S^N")] == [4, 3, 3, Fraction(5, 2)]
    assert loss(branch) == costs["greedy"] == 2
    assert costs["relaxed"] == Fraction(5, 2)
    assert tight_strategies(branch) == ("greedy",)


def test_no_smaller_counterexample_has_fewer_steps() -> None:
    for branch in small_segments(1):
        costs = costs_of(branch)
        s_j, s_l = costs["S^J"], costs["S^L"]
        if branch.edges[0].input and s_j is not None and s_l is not None and s_j > s_l:
            assert s_l == loss(branch)


def test_with_greedy_in_the_place_of_s_j_the_hypothesis_holds_for_mixed_segments() -> None:
    checked = 0
    for seed in thinned(range(200)):
        random = Random(seed)
        below, above = ([random.randint(1, 6) for _ in range(random.randint(0, 3))] for _ in range(2))
        branch = comparing(assignment(random.randint(1, 6), input=random.random() < 0.7), below, above)
        costs, exact = costs_of(branch), loss(branch)
        greedy, s_l = costs["greedy"], costs["S^L"]
        assert greedy is not None
        assert s_l is not None
        if greedy > s_l:
            checked += 1
            assert s_l == exact, seed
    assert checked > 10


def test_with_a_public_threshold_s_j_pays_twice_too_much() -> None:
    branch = comparing(assignment(1, input=False), ["3/4"], [])
    costs = costs_of(branch)
    assert [costs["S^J"], costs["S^L"]] == [Fraction(3, 2), 1]  # so S^L would have to be tight
    assert loss(branch) == loss_of_tests_below(branch) == costs["greedy"] == Fraction(3, 4)


def test_where_a_number_is_output_the_hypothesis_fails() -> None:
    branch = segment(assignment(2), leaf("<", 1), leaf("<", 1, output="insample"))
    costs = costs_of(branch)
    assert costs["S^J"] is None  # it may have to follow the threshold to −1, below the number that is output
    assert costs["S^L"] == 5
    assert loss(branch) == costs["S^N"] == 4
    for judged in (sums_of, tight_strategies, loss_of_tests_below, loss_with_below_cycle):
        with pytest.raises(NumbersAreOutput):
            judged(branch)


def test_an_optimal_strategy_looks_at_the_inputs() -> None:
    # A family with as many tests < as >=: no fixed shifts are optimal.
    for count in range(1, 5):
        branch = comparing(assignment(), [1] * count, [1] * count)
        assert loss(branch) == 2 * count
        assert costs_of(branch)["relaxed"] == 2 * count + 1
