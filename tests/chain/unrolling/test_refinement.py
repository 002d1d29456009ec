"""Intervals for lv: compared with brute force over words, exact where words end, sound with every budget."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings

from prover import zoo
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.intervals import Goal, Intervals
from prover.chain.unrolling.refinement import Refinement, UnrollingLimits, enclose
from prover.exact.fmpq import fraction_of
from tests.certificate.unrolling_samples import EARLY_STATES
from tests.oracle import alike_pairs, ld, lv_words
from tests.profiles import thinned
from tests.strategies import absorbed_chains, acyclic_chain, alphas, chains, planted

few = settings(max_examples=settings().max_examples // 4)
fewer = settings(max_examples=settings().max_examples // 7)
MILLIONTH = Fraction(1, 10**6)
ROUNDING = Fraction(1, 2**40)


def intervals(
    chain: LabelledMarkovChain, alpha: Fraction, gap: Fraction = MILLIONTH, nodes: int = 300
) -> Intervals:
    pairs = [(s, t) for s in range(len(chain)) for t in range(len(chain))]
    conditions = Refinement(UnrollingLimits(nodes=nodes))
    return enclose(MergedSystem.of(chain), pairs, alpha, Goal(gap, each=True), conditions)


@pytest.mark.parametrize("seed", range(12))
def test_chains_whose_runs_end_are_solved_exactly(seed: int) -> None:
    random = Random(seed)
    chain = acyclic_chain(random)
    alpha = random.choice([Fraction(1), Fraction(11, 10), Fraction(3, 2)])
    found = intervals(chain, alpha, nodes=10_000)
    for s, t in alike_pairs(chain):
        assert found.lower[s, t] == found.upper[s, t] == lv_words(chain, alpha, s, t, len(chain) + 1)


@few
@given(chain=chains(max_states=5), alpha=alphas())
def test_words_do_not_exceed_the_upper_end_nor_ld_fall_below_the_lower_one(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    found = intervals(chain, alpha, nodes=60)
    above = ld(chain, alpha)
    for s, t in alike_pairs(chain):
        assert 0 <= found.lower[s, t] <= found.upper[s, t] <= 1
        assert lv_words(chain, alpha, s, t, 5) <= found.upper[s, t]
        assert found.lower[s, t] <= above[s][t]


@fewer
@given(chain=absorbed_chains(), alpha=alphas())
def test_more_nodes_never_widen_an_interval(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    several = [intervals(chain, alpha, Fraction(0), nodes) for nodes in (1, 30, 600, 1200)]
    for before, after in pairwise(several):
        for pair in alike_pairs(chain):
            assert before.lower[pair] <= after.lower[pair] + ROUNDING
            assert after.upper[pair] <= before.upper[pair] + ROUNDING


@fewer
@given(chain=absorbed_chains(), alpha=alphas())
def test_intervals_of_chains_that_are_absorbed_close(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    wide = Fraction(1, 100)
    found = intervals(chain, alpha, wide, nodes=3_000)
    assert found.met
    assert all(found.upper[pair] - found.lower[pair] <= wide for pair in alike_pairs(chain))


@pytest.mark.parametrize(
    ("alpha", "forward", "backward"),
    [("1", "200/2503", "200/2503"), ("11/10", "130/7509", "3791/75090"), ("2809/2209", "0", "0")],
)
def test_the_pin_checker_is_solved_exactly_though_it_may_run_for_ever(
    alpha: str, forward: str, backward: str
) -> None:
    found = intervals(zoo.build_chain("pin-checker"), Fraction(alpha))
    assert (found.lower[0, 1], found.upper[0, 1]) == (Fraction(forward), Fraction(forward))
    assert (found.lower[1, 0], found.upper[1, 0]) == (Fraction(backward), Fraction(backward))


def test_states_that_are_bisimilar_or_labelled_differently_need_no_unrolling() -> None:
    chain = LabelledMarkovChain.of(
        {"a": ("l", {"a": 1}), "b": ("l", {"b": 1}), "c": ("m", {"c": "1/2", "a": "1/2"})}
    )
    found = intervals(chain, Fraction(2))
    assert found.nodes == []
    assert [found.upper[0, 1], found.lower[0, 2], found.lower[2, 1]] == [0, 1, 1]


def test_circles_that_nothing_leaves_are_balanced() -> None:
    # From s, a or b is drawn after l, from t before it: nothing is bisimilar, ld is 1, and δ is 0.
    chain = LabelledMarkovChain.of(EARLY_STATES)
    for alpha in (Fraction(1), Fraction(6, 5)):
        found = intervals(chain, alpha)
        r, s, t = (chain.index(name) for name in "rst")
        assert ld(chain, alpha)[s][t] == 1
        assert found.lower[s, t] == found.upper[s, t] == 0
        assert found.lower[r, t] == found.upper[r, t] == Fraction(1, 5)
        assert found.lower[t, r] == found.upper[t, r] == max(0, 1 - alpha * Fraction(4, 5))


@pytest.mark.thorough
def test_balanced_nodes_of_all_proportions() -> None:
    proportions = set[Fraction]()
    for seed in thinned(range(12), 2):
        random = Random(seed)
        chain = acyclic_chain(random)
        longer = planted(chain, random)
        found = intervals(longer, Fraction(1))
        for s, t in alike_pairs(chain):
            pair = longer.index(chain.states[s]), longer.index(chain.states[t])
            assert (
                found.lower[pair] == found.upper[pair] == lv_words(chain, Fraction(1), s, t, len(chain) + 1)
            )
        circles = [node for node in found.nodes if node.circle]
        proportions |= {fraction_of(node.belief.ratio) for node in circles}
    assert len(proportions) > 5
    assert min(proportions) < 1 < max(proportions)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_intervals_of_random_chains_with_every_budget(seed: int) -> None:
    random = Random(seed)
    parameters = {"states": random.randint(3, 9), "labels": 2, "degree": random.randint(1, 3), "seed": seed}
    chain = zoo.build_chain("random-chain", **{key: str(value) for key, value in parameters.items()})
    alpha = random.choice([Fraction(1), Fraction(21, 20), Fraction(6, 5), Fraction(3)])
    several = [intervals(chain, alpha, Fraction(0), nodes) for nodes in (1, 40, 300, 2_000)]
    for pair in alike_pairs(chain):
        words = [lv_words(chain, alpha, *pair, length) for length in range(7)]
        for before, after in pairwise(several):
            assert before.lower[pair] <= after.lower[pair] + ROUNDING
            assert after.upper[pair] <= before.upper[pair] + ROUNDING
        assert max(words) <= several[-1].upper[pair]
