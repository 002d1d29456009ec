"""The exact engine against the oracle, guided by floating point and without it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from prover import zoo
from prover.chain.distance import distance, distances
from prover.chain.ld.float_policy import Guide
from prover.chain.ld.policy_evaluation import UselessPolicy, evaluate_policy
from prover.chain.ld.policy_iteration import Draft, draft, rank_evidence, solve_exactly
from prover.chain.ld.problem import explore
from prover.chain.ld.skew_bisimulation import removal_rounds
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling
from prover.chain.model import LabelledMarkovChain
from prover.exact.linear import SingularSystem
from prover.exact.refinement import TooLong
from tests import oracle
from tests.certified import verified
from tests.chain.problems import below, flint, fraction, full, solved, whole
from tests.outside_examples import (
    ALL_REACHABLE,
    DELETIONS,
    OUTSIDE_EXAMPLES,
    THREE_RUNGS,
    Deletion,
    OutsideExample,
)
from tests.strategies import absorbed_chains, alphas, chains, outside_problems

F = Fraction
some = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
few = settings(some, max_examples=settings().max_examples // 4)


def agrees(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    """Both ways to solve the chain give the oracle's distances, with valid evidence."""
    d = oracle.ld(chain, alpha)
    for guided in (True, False):
        assert full(chain, solved(chain, alpha, guided=guided).table) == d


@some
@given(chains(), alphas())
def test_chains_of_three_to_seven_states(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    agrees(chain, alpha)


@some
@given(absorbed_chains(5), alphas())
def test_chains_with_sinks(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    agrees(chain, alpha)


@few
@given(outside_problems())
def test_chains_where_outside_states_matter(problem: tuple[LabelledMarkovChain, Fraction]) -> None:
    agrees(*problem)


@pytest.mark.slow
@settings(max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_many_chains(data: st.DataObject) -> None:
    wide = st.tuples(st.one_of(chains(max_weight=10**6), chains(min_states=6), absorbed_chains(6)), alphas())
    agrees(*data.draw(st.one_of(wide, outside_problems())))


# Outside states


@pytest.mark.parametrize("example", OUTSIDE_EXAMPLES, ids=lambda example: example.description)
def test_outside_states(example: OutsideExample) -> None:
    chain = LabelledMarkovChain.of(example.states)
    s, t = chain.index(example.s), chain.index(example.t)
    for guided in (True, False):
        assert solved(chain, example.alpha, guided=guided).table.value((s, t)) == example.value
        problem = explore(chain, example.alpha, [(s, t)], outside=False)
        supports = solve_exactly(draft(problem), guided=guided)
        assert supports.potentials == {}
        value = supports.table.value((s, t))
        if example.states is ALL_REACHABLE:  # where supports allow detours, and direct arcs alone cost more
            assert example.value_supports_only < value < 1
        else:
            assert value == example.value_supports_only
    assert verified(distance(chain, example.s, example.t, example.alpha)).value == example.value


@pytest.mark.parametrize("deletion", DELETIONS, ids=lambda d: f"{d.description}: {d.deleted}")
def test_without_outside_states(deletion: Deletion) -> None:
    (example,) = [known for known in OUTSIDE_EXAMPLES if known.description == deletion.description]
    kept = {name: state for name, state in example.states.items() if name not in deletion.deleted}
    chain = LabelledMarkovChain.of(kept)
    assert verified(distance(chain, example.s, example.t, example.alpha)).value == deletion.value


@few
@given(outside_problems())
def test_supports_alone_bound_from_above(given_: tuple[LabelledMarkovChain, Fraction]) -> None:
    chain, alpha = given_
    d = full(chain, solve_exactly(draft(whole(chain, alpha, outside=False))).table)
    assert below(oracle.ld(chain, alpha), d)
    assert below(oracle.gamma(chain, alpha, d), d)
    s, t = chain.index("s"), chain.index("t")
    alone = solve_exactly(draft(explore(chain, alpha, [(s, t)], outside=False)))
    assert alone.table.value((s, t)) >= d[s][t]


@some
@given(st.one_of(chains(), absorbed_chains(6)), alphas(), st.data())
def test_one_query_needs_no_more_than_its_own_problem(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    alike = oracle.alike_pairs(chain)
    assume(alike)
    pair = data.draw(st.sampled_from(alike))
    everything, alone = solved(chain, alpha), solve_exactly(draft(explore(chain, alpha, [pair])))
    assert alone.table.numerators.keys() <= everything.table.numerators.keys()
    for other in alone.table.numerators:
        assert alone.table.value(other) == everything.table.value(other)
    verified(distance(chain, chain.states[pair[0]], chain.states[pair[1]], alpha))


# What the solution consists of


@some
@given(st.one_of(chains(), absorbed_chains(5)), alphas())
def test_couplings_attain_the_distances(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    solution = solved(chain, alpha)
    for pair in solution.problem.parts:
        coupling = solution.couplings[pair]
        cost = fraction(coupling.behind) + sum(
            fraction(weight) * solution.table.value(arc) for arc, weight in coupling.weights.items()
        )
        assert cost == solution.table.value(pair)
    positive = {pair for pair in solution.problem.parts if solution.table.value(pair) > 0}
    assert solution.potentials.keys() == solution.bases.keys() == positive
    assert rank_evidence(solution.problem, solution.table).keys() == positive


@some
@given(absorbed_chains(5), alphas())
def test_ranks_within_classes_of_equal_distance(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    solution = solved(chain, alpha)
    found = rank_evidence(solution.problem, solution.table)
    for pair, evidence in found.items():
        value = solution.table.value(pair)
        peers = [p for p in found if solution.table.value(p) == value and found[p].rank >= evidence.rank]
        g = {k: fraction(x) for k, x in evidence.potentials.items()}
        assert all(g.get(i, F(0)) <= alpha * g.get(j, F(0)) for i, j in peers)
        x, y = (chain.rows[state] for state in pair)
        assert sum(g[k] * (x.get(k, F(0)) - alpha * y.get(k, F(0))) for k in g) > 0
        assert evidence.rank >= 1


@few
@given(absorbed_chains(3), alphas(), st.data())
def test_post_fixed_points_off_the_kernel_are_below_the_solution(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    # Theorem A, with the engine in place of the oracle's least fixed point.
    solution = solved(chain, alpha)
    off = sorted(solution.bases)
    assume(off)
    caps = {pair: F(data.draw(st.integers(0, 8)), 8) for pair in off}
    weights = {pair: F(data.draw(st.integers(-3, 5))) for pair in off}
    d = oracle.post_fixed_point(chain, alpha, caps, weights)
    assert below(d, oracle.gamma(chain, alpha, d))
    assert below(d, full(chain, solution.table))


# Floating point led astray


def misled(chain: LabelledMarkovChain, alpha: Fraction, values: float) -> Draft:
    """A draft whose guide is useless: of every pair the couplings that are best for some constant table."""
    honest = draft(whole(chain, alpha))
    judge = honest.judge(
        DistanceValues.of(dict.fromkeys(honest.guide.bases, fmpq(*values.as_integer_ratio())))
    )
    parts = honest.problem.parts
    bases = {p: judge.improve(parts[p], old) for p, old in honest.guide.bases.items()}
    return replace(honest, guide=Guide(bases, dict.fromkeys(bases, values), 1))


@few
@given(st.one_of(absorbed_chains(5), chains()), alphas(), st.sampled_from([0.0, 0.5, 1.0]))
def test_a_useless_guide_costs_time_only(chain: LabelledMarkovChain, alpha: Fraction, values: float) -> None:
    assert solve_exactly(misled(chain, alpha, values)).table == solved(chain, alpha).table


def test_a_guide_whose_pairs_pass_their_mass_around_for_ever() -> None:
    # At d = 0 all couplings are equally good; s and t then depend on each other alone: a singular system.
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"t": "1/2", "u": "1/2"}),
            "t": ("a", {"s": "1/2", "v": "1/2"}),
            "u": ("a", {"u": "1/2", "A": "1/2"}),
            "v": ("a", {"v": "1/2", "A": "1/4", "B": "1/4"}),
            "A": ("A", {"A": 1}),
            "B": ("B", {"B": 1}),
        }
    )
    solution = solve_exactly(misled(chain, F(1), 0.0))
    assert full(chain, solution.table) == oracle.ld(chain, F(1))


def test_infeasible_proposals_are_replaced() -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    honest = draft(whole(chain, F(8, 5)))
    other = draft(whole(chain, F(3, 2)))
    taken = {p: other.guide.bases.get(p, bases) for p, bases in honest.guide.bases.items()}
    sketch = replace(honest, guide=Guide(taken, honest.guide.values, 1))
    assert solve_exactly(sketch).table == solved(chain, F(8, 5)).table


# Policies


def coupling(weights: dict[tuple[int, int], str], behind: str) -> Coupling:
    return Coupling({arc: flint(F(w)) for arc, w in weights.items()}, flint(F(behind)))


def test_policies_are_evaluated_component_by_component() -> None:
    problem = whole(LabelledMarkovChain.of(THREE_RUNGS), F(8, 5))
    couplings = {
        (2, 3): coupling({(3, 2): "1/2"}, "1/4"),
        (3, 2): coupling({(2, 3): "1/2"}, "1/8"),
        (2, 4): coupling({(2, 3): "1", (4, 2): "1"}, "0"),  # (4, 2) has none: it counts as 0
    }
    values, largest = evaluate_policy(problem, couplings)
    assert values == DistanceValues.of({(2, 3): fmpq(5, 12), (3, 2): fmpq(1, 3), (2, 4): fmpq(5, 12)})
    assert largest == 2


@pytest.mark.parametrize(
    ("couplings", "error"),
    [
        ({(2, 3): coupling({(2, 3): "1"}, "1/2")}, SingularSystem),
        ({(2, 3): coupling({(3, 2): "1"}, "0"), (3, 2): coupling({(2, 3): "1"}, "1/2")}, SingularSystem),
        ({(2, 3): coupling({}, "0")}, UselessPolicy),
        ({(2, 3): coupling({}, "3/2")}, UselessPolicy),
        ({(2, 3): coupling({(2, 3): "2"}, "1/2")}, UselessPolicy),
    ],
)
def test_policies_without_distances(
    couplings: dict[tuple[int, int], Coupling], error: type[Exception]
) -> None:
    problem = whole(LabelledMarkovChain.of(THREE_RUNGS), F(8, 5))
    with pytest.raises(error):
        evaluate_policy(problem, couplings)


def test_a_limit_on_the_length() -> None:
    sketch = draft(whole(leaking(8, 1, seed=2), F(6, 5)))
    assert solve_exactly(sketch, max_bits=10**6).table == solve_exactly(sketch).table
    with pytest.raises(TooLong):
        solve_exactly(sketch, max_bits=3)


# Larger chains: the certificate is the authority


def leaking(states: int, labels: int, seed: int) -> LabelledMarkovChain:
    """A random chain of the zoo; every state leads to one of two sinks besides, which makes states differ."""
    chain = zoo.random_chain(states=states, labels=labels, seed=seed)
    everything: dict[str, tuple[str, dict[str, Fraction]]] = {sink: (sink, {sink: F(1)}) for sink in "xy"}
    for k, (name, label, row) in enumerate(zip(chain.states, chain.labels, chain.rows, strict=True)):
        kept = {chain.states[t]: p * F(4, 5) for t, p in row.items()}
        everything[name] = (label, kept | {"xy"[k % 2]: F(1, 5)})
    return LabelledMarkovChain.of(everything)


@pytest.mark.family
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(("labels", "alpha"), [(1, "6/5"), (2, "1"), (3, "3/2")])
def test_larger_chains(labels: int, alpha: str, seed: int) -> None:
    found = verified(distances(leaking(14, labels, seed), alpha))
    assert found.exact
    assert sum(0 < value < 1 for value in found.lower.values()) > 40


def test_the_kernel_of_a_draft_is_exact() -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    problem = whole(chain, F(3, 2))
    sketch = draft(problem)
    assert sketch.kernel.related.keys() == removal_rounds(problem.parts, problem.alpha).related.keys()
    assert sketch.guide.bases.keys().isdisjoint(sketch.kernel.related)
