"""Certified intervals: they contain the exact distance, they are narrow, and the checker accepts them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import fmpq, fmpz
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prover import zoo
from prover.chain.distance import distance
from prover.chain.ld.float_policy import Guide
from prover.chain.ld.greedy import greedy_enclosure
from prover.chain.ld.interval import (
    Enclosure,
    _strict_potentials,
    enclose,
    is_prefixed,
    lower_table,
    mass_table,
    upper_table,
)
from prover.chain.ld.optimality import Judge
from prover.chain.ld.policy_iteration import Draft, draft
from prover.chain.ld.potentials import dual_value
from prover.chain.ld.problem import Problem, explore
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling
from prover.chain.model import LabelledMarkovChain
from tests import oracle
from tests.certified import verified
from tests.chain.problems import fraction, full, prove_enclosure, solved, whole, width_of
from tests.outside_examples import OUTSIDE_EXAMPLES, THREE_RUNGS, OutsideExample
from tests.strategies import absorbed_chains, alphas, chains, outside_problems

F = Fraction
NARROW = F(1, 10**9)
some = settings(max_examples=settings().max_examples // 2, suppress_health_check=[HealthCheck.too_slow])
few = settings(some, max_examples=settings().max_examples // 4)


def contains(found: Enclosure, chain: LabelledMarkovChain, d: oracle.Table) -> bool:
    return all(
        found.lower.table.value(p) <= d[p[0]][p[1]] <= found.upper.table.value(p)
        for p in oracle.alike_pairs(chain)
    )


@some
@given(st.one_of(chains(), absorbed_chains(6)), alphas())
def test_intervals_contain_the_distance_and_are_narrow(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    found = enclose(draft(whole(chain, alpha)))
    assert contains(found, chain, full(chain, solved(chain, alpha).table))
    assert width_of(found) < NARROW
    prove_enclosure(chain, alpha, found)


@few
@given(outside_problems())
def test_intervals_around_the_oracle(problem: tuple[LabelledMarkovChain, Fraction]) -> None:
    chain, alpha = problem
    found = enclose(draft(whole(chain, alpha)))
    assert contains(found, chain, oracle.ld(chain, alpha))
    assert width_of(found) < NARROW
    prove_enclosure(chain, alpha, found)


@some
@given(st.one_of(chains(), absorbed_chains(6)), alphas())
def test_numbers_are_short(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    found = enclose(draft(whole(chain, alpha)))
    for table in (found.lower.table, found.upper.table):
        assert table.denominator == 2**50
        assert all(0 <= numerator <= table.denominator for numerator in table.numerators.values())


@some
@given(st.one_of(absorbed_chains(5), chains(max_states=6)), alphas())
def test_the_tables_are_what_they_are_called(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    """Γ(upper) ≤ upper; lower < Γ(lower) where it is positive, so that no ranks are needed."""
    found = enclose(draft(whole(chain, alpha)))
    upper, lower = full(chain, found.upper.table), full(chain, found.lower.table)
    above, below = oracle.gamma(chain, alpha, upper), oracle.gamma(chain, alpha, lower)
    for s, t in oracle.alike_pairs(chain):
        assert above[s][t] <= upper[s][t]
        assert lower[s][t] == 0 or lower[s][t] < below[s][t]
    assert found.upper.couplings.keys() >= {(s, t) for s, t in oracle.alike_pairs(chain) if upper[s][t] < 1}
    assert found.lower.potentials.keys() >= {(s, t) for s, t in oracle.alike_pairs(chain) if lower[s][t] > 0}


# Without outside states


@some
@given(st.one_of(outside_problems(), st.tuples(st.one_of(chains(), absorbed_chains(6)), alphas())))
def test_upper_bounds_without_outside_states(problem: tuple[LabelledMarkovChain, Fraction]) -> None:
    chain, alpha = problem
    found = enclose(draft(whole(chain, alpha, outside=False)))
    assert contains(found, chain, full(chain, solved(chain, alpha).table))
    prove_enclosure(chain, alpha, found)


@pytest.mark.parametrize("example", OUTSIDE_EXAMPLES, ids=lambda example: example.description)
def test_supports_alone(example: OutsideExample) -> None:
    chain = LabelledMarkovChain.of(example.states)
    pair = chain.index(example.s), chain.index(example.t)
    found = enclose(draft(explore(chain, example.alpha, [pair], outside=False)))
    assert found.lower.table.value(pair) <= example.value
    assert example.value_supports_only <= found.upper.table.value(pair)
    exact = enclose(draft(explore(chain, example.alpha, [pair])))
    low, high = exact.lower.table.value(pair), exact.upper.table.value(pair)
    assert low <= example.value <= high < low + NARROW
    verified(distance(chain, example.s, example.t, example.alpha, bounds="upper"))


def test_the_mass_of_labels_that_the_other_side_has_no_room_for() -> None:
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"A": "1/3", "B": "1/3", "z": "1/3"}),
            "t": ("a", {"z": "1/2", "C": "1/2"}),
            **{name: (name, {name: 1}) for name in "ABCz"},
        }
    )
    s, t = chain.index("s"), chain.index("t")
    table = mass_table(whole(chain, F(6, 5), outside=False))
    unit = F(1, 2**50)
    assert F(2, 3) - 2 * unit <= table.table.value((s, t)) < F(2, 3)
    assert F(3, 5) - 2 * unit <= table.table.value((t, s)) < F(3, 5)  # C, and what z has too much
    assert {step.state for step in table.potentials[s, t]} == {chain.index("A"), chain.index("B")}


# Floating point led astray


def proposing(honest: Draft, values: float) -> Draft:
    """A draft whose guide proposes the couplings that are best for a constant table, and its values."""
    judge = honest.judge(
        DistanceValues.of(dict.fromkeys(honest.guide.bases, fmpq(*values.as_integer_ratio())))
    )
    parts = honest.problem.parts
    bases = {p: judge.improve(parts[p], old) for p, old in honest.guide.bases.items()}
    return replace(honest, guide=Guide(bases, dict.fromkeys(bases, values), 1))


@few
@given(st.one_of(absorbed_chains(5), outside_problems().map(lambda p: p[0])), alphas(), st.floats(0, 1))
def test_bounds_are_sound_whatever_the_guide_says(
    chain: LabelledMarkovChain, alpha: Fraction, values: float
) -> None:
    found = enclose(proposing(draft(whole(chain, alpha)), values))
    assert contains(found, chain, full(chain, solved(chain, alpha).table))
    prove_enclosure(chain, alpha, found)


def test_what_is_not_confirmed_is_trivial(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = LabelledMarkovChain.of(THREE_RUNGS)
    sketch = draft(whole(chain, F(8, 5)))
    monkeypatch.setattr("prover.chain.ld.interval.is_prefixed", lambda *_: False)
    monkeypatch.setattr("prover.chain.ld.interval._strict_potentials", lambda *_: None)
    found = enclose(sketch)
    assert set(found.lower.table.numerators.values()) == {0}
    assert all(found.upper.table.value(p) == 1 for p in sketch.guide.bases)
    prove_enclosure(chain, F(8, 5), found)


def test_a_coupling_that_costs_a_bit_too_much() -> None:
    table = DistanceValues(fmpz(10), {(0, 1): fmpz(4), (2, 3): fmpz(5)})
    exact = Coupling({(2, 3): fmpq(1, 2)}, fmpq(3, 20))
    more = Coupling({(2, 3): fmpq(1, 2)}, fmpq(3, 20) + fmpq(1, 10**40))
    unknown = Coupling({(2, 4): fmpq(1, 4)}, fmpq(3, 20))  # counts as 1
    assert is_prefixed(table, (0, 1), exact)
    assert not is_prefixed(table, (0, 1), more)
    assert is_prefixed(table, (0, 1), unknown)
    assert not is_prefixed(table, (0, 1), replace(unknown, behind=fmpq(1, 5)))


@few
@given(absorbed_chains(5), alphas())
def test_exact_distances_are_not_strictly_post_fixed(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    # Their potentials gain just as much as the distance; without ranks that would prove nothing.
    solution = solved(chain, alpha)
    judge = Judge.of(solution.problem, solution.table)
    for pair, bases in solution.bases.items():
        assert (
            dual_value(judge.problem.parts[pair], judge.exact_potentials(solution.potentials[pair]))
            == (solution.table.numerators[pair])
        )
        assert _strict_potentials(judge, pair, bases) is None


# The two sides on their own


def long_problem() -> tuple[LabelledMarkovChain, Problem]:
    chain = zoo.build_chain("pin-checker", p="0." + "53" * 60)
    return chain, whole(chain, F(11, 10))


def test_long_numbers_are_enclosed_by_short_ones() -> None:
    chain, problem = long_problem()
    found = enclose(draft(problem))
    exact = solved(chain, F(11, 10)).table
    assert len(str(exact.denominator)) > 200
    assert contains(found, chain, full(chain, exact))
    assert width_of(found) < NARROW
    prove_enclosure(chain, F(11, 10), found)


def test_gains_of_potentials_exceed_the_value() -> None:
    _, problem = long_problem()
    found = lower_table(draft(problem))
    judge = Judge.of(problem, found.table)
    gains = {p: dual_value(problem.parts[p], judge.exact_potentials(f)) for p, f in found.potentials.items()}
    assert gains.keys() == problem.parts.keys()
    assert all(gain > found.table.numerators[p] for p, gain in gains.items())


def test_couplings_of_the_upper_side_are_the_proposed_ones() -> None:
    chain, problem = long_problem()
    sketch = draft(problem)
    found = upper_table(sketch, {})
    d = {p: float(fraction(fmpq(n, found.table.denominator))) for p, n in found.table.numerators.items()}
    assert all(sketch.guide.values[p] <= d[p] <= sketch.guide.values[p] + 1e-9 for p in d)
    assert found.opposite == {}
    assert len(chain) == 5


@pytest.mark.slow
@settings(max_examples=2 * settings().max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(st.one_of(chains(min_states=6, max_weight=10**9), absorbed_chains(8)), alphas())
def test_many_intervals(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    found = enclose(draft(whole(chain, alpha)))
    assert contains(found, chain, full(chain, solved(chain, alpha).table))
    assert width_of(found) < F(1, 10**6)
    prove_enclosure(chain, alpha, found)


@some
@given(st.one_of(outside_problems(), st.tuples(st.one_of(chains(), absorbed_chains(6)), alphas())))
def test_one_pass_without_linear_programs(problem: tuple[LabelledMarkovChain, Fraction]) -> None:
    chain, alpha = problem
    asked = whole(chain, alpha, outside=False)
    sketch = draft(asked)
    found = greedy_enclosure(asked, sketch.kernel.related)
    assert contains(found, chain, full(chain, solved(chain, alpha).table))
    prove_enclosure(chain, alpha, found)


def test_one_pass_is_enough_where_runs_end_and_mass_has_no_choice() -> None:
    chain = zoo.dining_cryptographers(n=5)
    asked = explore(chain, F(6, 5), chain.relation or (), outside=False)
    sketch = draft(asked)
    rough, narrow = greedy_enclosure(asked, sketch.kernel.related), enclose(sketch)
    pairs = asked.parts.keys()
    assert max(rough.upper.table.value(pair) - narrow.upper.table.value(pair) for pair in pairs) < NARROW
