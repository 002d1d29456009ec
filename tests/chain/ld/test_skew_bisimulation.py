"""Skewed bisimilarity against the oracle, and the evidence for them word by word."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prover import zoo
from prover.chain.bisimulation import bisimilarity, numbers_of
from prover.chain.distance import distances
from prover.chain.ld.problem import Problem
from prover.chain.ld.skew_bisimulation import (
    Allowed,
    Blocked,
    Kernel,
    free_coupling,
    removal_rounds,
    separating_potentials,
)
from prover.chain.ld.transport import Basis, Coupling, Part
from prover.chain.model import LabelledMarkovChain, Pair
from tests import oracle
from tests.certified import verified
from tests.chain.problems import balance, behind, flint, fraction, whole
from tests.outside_examples import OUTSIDE_EXAMPLES, SINKS, THREE_RUNGS, OutsideExample
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
few = settings(max_examples=settings().max_examples // 3, suppress_health_check=[HealthCheck.too_slow])
any_chains = st.one_of(chains(max_states=6), absorbed_chains(5))


def kernel_of(chain: LabelledMarkovChain, alpha: Fraction) -> tuple[Problem, Kernel]:
    problem = whole(chain, alpha)
    return problem, removal_rounds(problem.parts, problem.alpha)


def separates(
    chain: LabelledMarkovChain,
    alpha: Fraction,
    kernel: Kernel,
    pair: Pair,
) -> bool:
    """g ≥ 0, g_i ≤ α g_j on all pairs that were left, and Σ g_k b_k > 0."""
    rank = kernel.ranks[pair]
    found = separating_potentials(kernel.blocked[pair], kernel.allowed_in_round(rank), flint(alpha))
    g = {k: fraction(found.get(k, fmpq(0))) for k in range(len(chain))}
    left = [p for p in oracle.alike_pairs(chain) if kernel.ranks.get(p, rank) >= rank]
    b = balance(chain, alpha, pair)
    return (
        all(x >= 0 for x in g.values())
        and all(g[i] <= alpha * g[j] for i, j in left)
        and sum(g[k] * b[k] for k in g) > 0
    )


def supports(chain: LabelledMarkovChain, alpha: Fraction, kernel: Kernel, pair: Pair) -> bool:
    """The pair's coupling stays on related pairs and leaves nothing behind."""
    coupling = kernel.related[pair]
    left = behind(balance(chain, alpha, pair), coupling, alpha)
    return (
        coupling.behind == 0
        and all(arc in kernel.related and weight > 0 for arc, weight in coupling.weights.items())
        and all(mass <= 0 for mass in left.values())
    )


# Skewed bisimilarity


@few
@given(any_chains, alphas())
def test_ranks_are_the_oracles(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    _, kernel = kernel_of(chain, alpha)
    pairs, ranks = oracle.skewed_kernel(chain, alpha)
    assert kernel.ranks == {pair: rank for pair, rank in ranks.items() if rank > 0}
    assert kernel.related.keys() == {(s, t) for s, t in pairs if s != t}
    assert kernel.blocked.keys() == kernel.ranks.keys()


@given(any_chains, alphas())
def test_couplings_and_separations(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    _, kernel = kernel_of(chain, alpha)
    assert all(supports(chain, alpha, kernel, pair) for pair in kernel.related)
    assert all(separates(chain, alpha, kernel, pair) for pair in kernel.ranks)
    verified(distances(chain, alpha, kind="kernel"))


@given(st.one_of(chains(), absorbed_chains(7)))
def test_the_kernel_at_one_is_bisimilarity(chain: LabelledMarkovChain) -> None:
    _, kernel = kernel_of(chain, F(1))
    class_of = numbers_of(bisimilarity(chain).classes)
    assert kernel.related.keys() == {
        (s, t) for s, t in oracle.alike_pairs(chain) if class_of[s] == class_of[t]
    }


@given(any_chains, alphas(), alphas())
def test_more_states_are_related_at_larger_alphas(
    chain: LabelledMarkovChain, first: Fraction, second: Fraction
) -> None:
    # Not so for ld; but potentials for the larger α are potentials that separate at the smaller one.
    smaller, larger = sorted([first, second])
    _, few_related = kernel_of(chain, smaller)
    _, many_related = kernel_of(chain, larger)
    assert few_related.related.keys() <= many_related.related.keys()


@pytest.mark.parametrize("example", OUTSIDE_EXAMPLES, ids=lambda example: example.description)
def test_outside_states_carry_mass_into_the_kernel(example: OutsideExample) -> None:
    chain = LabelledMarkovChain.of(example.states)
    table = verified(distances(chain, example.alpha, kind="kernel"))
    assert table.lower[example.s, example.t] == (example.value > 0)


def test_the_outside_state_is_in_the_coupling() -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    _, kernel = kernel_of(chain, F(3, 2))
    i, k, j, s, t = (chain.index(name) for name in "ikjst")
    assert (i, j) in kernel.ranks
    assert {(i, k), (k, j), (s, t)} <= kernel.related.keys()
    assert kernel.related[s, t].weights.keys() == {(i, k), (k, j)}


# One pair


def outcome(part: Part, arcs: Iterable[Pair], alpha: fmpq) -> Coupling | Blocked:
    return free_coupling([part], Allowed(arcs), alpha)


def test_mass_gains_alpha_with_every_arc() -> None:
    # One unit; the sink takes 9. Along 0 → 1 it fills 2, along 0 → 2 → 1 it fills 4.
    part = Part((0,), (fmpq(1),), (1,), (fmpq(4),))
    direct, detour = (
        outcome(part, [(0, 1), (0, 2), (2, 1)], fmpq(2)),
        outcome(part, [(0, 2), (2, 1)], fmpq(2)),
    )
    assert isinstance(direct, Coupling)
    assert direct.weights == {(0, 1): 1}
    assert isinstance(detour, Coupling)
    assert detour.weights == {(0, 2): 1, (2, 1): 2}
    assert isinstance(outcome(part, [(0, 2), (2, 1)], fmpq(21, 10)), Blocked)
    assert isinstance(outcome(part, [(0, 1)], fmpq(4)), Coupling)
    assert isinstance(outcome(part, [(0, 1)], fmpq(401, 100)), Blocked)
    assert isinstance(outcome(part, [(1, 0)], fmpq(1)), Blocked)


def test_a_part_without_sinks_is_blocked() -> None:
    found = outcome(Part((0,), (fmpq(1),), (), ()), [], fmpq(1))
    assert isinstance(found, Blocked)
    assert separating_potentials(found, Allowed([]), fmpq(1)) == {0: 1}


def test_nothing_to_move_is_free() -> None:
    assert free_coupling([], Allowed([]), fmpq(2)) == Coupling({}, fmpq(0))


def test_separating_potentials_follow_the_allowed_arcs() -> None:
    # From 0 mass can go on to 2 and then to 3, but not to the sink 1.
    part = Part((0,), (fmpq(1),), (1,), (fmpq(5),))
    allowed = Allowed([(0, 2), (2, 3)])
    found = outcome(part, [(0, 2), (2, 3)], fmpq(2))
    assert isinstance(found, Blocked)
    g = separating_potentials(found, allowed, fmpq(2))
    assert g == {0: fmpq(1), 2: fmpq(1, 2), 3: fmpq(1, 4)}


def test_separating_potentials_are_the_largest_that_are_forced() -> None:
    # 1 is open; both paths are tight, so that 2 has 1/4 and 0 has 1/2. State 4 is entered from 0 and from 1.
    part = Part((0, 1), (fmpq(1), fmpq(1)), (2,), (fmpq(2),))
    basis = Basis(((0, 2), (1, 3, 2)), frozenset({1}), frozenset())
    allowed = Allowed([(0, 2), (1, 3), (3, 2), (0, 4), (1, 4)])
    g = separating_potentials(Blocked(part, basis), allowed, fmpq(2))
    assert g == {0: fmpq(1, 2), 1: fmpq(1), 2: fmpq(1, 4), 3: fmpq(1, 2), 4: fmpq(1, 2)}


def test_ranks_count_rounds() -> None:
    # s_k and t_k differ k steps before the end, so the pair is removed in round k + 1.
    depth = 6
    states = {"A": SINKS["A"], "B": SINKS["B"]}
    ladder = {
        f"{side}{k}": ("r", {f"{side}{k - 1}": 1} if k else {end: 1})
        for side, end in (("s", "A"), ("t", "B"))
        for k in range(depth)
    }
    labels = {name: (f"r{name[1:]}", row) for name, (_, row) in ladder.items()}
    chain = LabelledMarkovChain.of({**states, **labels})
    _, kernel = kernel_of(chain, F(3, 2))
    found = {
        chain.states[s]: rank for (s, t), rank in kernel.ranks.items() if chain.states[s] < chain.states[t]
    }
    assert found == {f"s{k}": k + 1 for k in range(depth)}
    verified(distances(chain, F(3, 2), kind="kernel"))


def test_a_smaller_set_of_pairs() -> None:
    """Only the given pairs may carry mass."""
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    problem = whole(chain, F(3, 2))
    s, t, i, k = (chain.index(name) for name in "stik")
    alone = removal_rounds({(s, t): problem.parts[s, t]}, problem.alpha)
    assert (alone.related, alone.ranks) == ({}, {(s, t): 1})
    without = {pair: parts for pair, parts in problem.parts.items() if pair != (i, k)}
    assert (s, t) in removal_rounds(without, problem.alpha).ranks


def test_unordered_pairs_stand_for_both_directions() -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    problem = whole(chain, F(3, 2))
    s, t, i, k, j = (chain.index(name) for name in "stikj")
    turned = {(s, t): problem.parts[s, t], (k, i): problem.parts[i, k], (j, k): problem.parts[k, j]}
    assert removal_rounds(turned, problem.alpha).ranks == {(s, t): 1}
    found = removal_rounds(turned, problem.alpha, lambda pair: (pair, (pair[1], pair[0])))
    assert found.ranks == {}
    assert found.related[s, t].weights.keys() == {(i, k), (k, j)}


@given(absorbed_chains(4), alphas())
def test_separations_of_a_class_of_equal_distance(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    # As rank evidence uses them: rounds among part of the pairs of equal label, the ones of odd index.
    problem = whole(chain, alpha)
    some = {pair: parts for n, (pair, parts) in enumerate(problem.parts.items()) if n % 2}
    kernel = removal_rounds(some, problem.alpha)
    assert kernel.related.keys() | kernel.ranks.keys() == some.keys()
    for pair, rank in kernel.ranks.items():
        g = separating_potentials(kernel.blocked[pair], kernel.allowed_in_round(rank), problem.alpha)
        left = [p for p in some if kernel.ranks.get(p, rank) >= rank]
        assert all(g.get(i, fmpq(0)) <= problem.alpha * g.get(j, fmpq(0)) for i, j in left)
        b = balance(chain, alpha, pair)
        assert sum(fraction(x) * b[k] for k, x in g.items()) > 0
    assert all(supports(chain, alpha, kernel, pair) for pair in kernel.related)


@pytest.mark.parametrize(
    ("model", "alpha", "related"),
    [("fig1", "3/2", True), ("fig1", "7/5", False), ("pin-checker", "2809/2209", False)],
)
def test_models_of_the_papers(model: str, alpha: str, related: bool) -> None:
    chain = zoo.build_chain(model)
    table = verified(distances(chain, alpha, kind="kernel"))
    (s, t), *_ = chain.relation
    assert table.lower[chain.states[s], chain.states[t]] == (not related)
