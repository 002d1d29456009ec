"""The lifting of one pair, exactly, against the oracle's linear program, for tables of every kind."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prover.chain.ld.optimality import Judge
from prover.chain.ld.potentials import Derivation, Potential, constant, derivation, evaluate
from prover.chain.ld.transport import (
    Basis,
    Coupling,
    Couplings,
    Part,
    coupling_of_amounts,
    flows,
    optimal_basis,
    parts,
    path_cost,
)
from prover.chain.model import LabelledMarkovChain, Pair
from prover.exact.field import RATIONALS
from tests import oracle
from tests.chain.problems import (
    CYCLE,
    NOTHING,
    amounts_of,
    balance,
    behind,
    engine_table,
    flint,
    fraction,
    pairing,
    tables,
    whole,
)
from tests.oracle_linear import solve_linear
from tests.strategies import absorbed_chains, alphas, chains

F = Fraction
ONE, ZERO = fmpq(1), fmpq(0)
few = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])


def cost_of(coupling: Coupling, d: oracle.Table) -> Fraction:
    moved = sum((fraction(w) * d[i][j] for (i, j), w in coupling.weights.items()), F(0))
    return moved + fraction(coupling.behind)


def exact_values(
    steps: Derivation, chain: LabelledMarkovChain, d: oracle.Table, alpha: Fraction
) -> dict[int, Fraction]:
    """The potentials of all states: those of the steps, and 0 elsewhere."""
    values = evaluate(steps, lambda i, j: flint(d[i][j]), flint(alpha), RATIONALS.number)
    return {k: fraction(values.get(k, ZERO)) for k in range(len(chain))}


@few
@given(st.data(), st.one_of(chains(max_states=6), absorbed_chains(5)), alphas())
def test_both_sides_attain_the_lifting(
    data: st.DataObject, chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    d = data.draw(tables(chain))
    problem = whole(chain, alpha)
    judge = Judge.of(problem, engine_table(chain, d))
    for pair, pieces in problem.parts.items():
        x, y = (chain.rows[state] for state in pair)
        value = oracle.lifting(d, x, y, alpha)
        bases = judge.improve(pieces, [NOTHING] * len(pieces))
        coupling = Couplings(problem.alpha).of(pieces, bases)
        assert coupling is not None
        assert cost_of(coupling, d) == value == fraction(judge.table.cost(coupling)) / fraction(judge.scale)
        left = behind(balance(chain, alpha, pair), coupling, alpha)
        assert sum((max(F(0), mass) for mass in left.values()), F(0)) == fraction(coupling.behind)
        steps = judge.potentials(pieces, bases)
        assert steps is not None
        check_potentials(chain, alpha, d, pair, steps, value)


def check_potentials(
    chain: LabelledMarkovChain,
    alpha: Fraction,
    d: oracle.Table,
    pair: Pair,
    steps: Derivation,
    value: Fraction,
) -> None:
    """The listed potentials gain the value, keep the arcs between them, and extend: they keep all ways."""
    f = exact_values(steps, chain, d, alpha)
    b = balance(chain, alpha, pair)
    assert sum(f[k] * b[k] for k in f) == value
    assert all(0 <= x <= 1 for x in f.values())
    fixed = {step.state for step in steps} | {k for k in b if b[k] < 0}
    assert len({step.state for step in steps}) == len(steps)
    ways = {(i, j): d[i][j] for i, j in oracle.alike_pairs(chain)}
    for arcs in range(1, len(chain) + 1):
        for i, j in ways:
            assert not {i, j} <= fixed or f[i] <= ways[i, j] + alpha**arcs * f[j]
        through = {(i, j): [k for k in range(len(chain)) if {(i, k), (k, j)} <= ways.keys()] for i, j in ways}
        ways = {
            (i, j): min([d[i][k] + alpha * ways[k, j] for k in through[i, j]], default=F(1)) for i, j in ways
        }


@few
@given(st.data(), absorbed_chains(5), alphas())
def test_potentials_are_given_exactly_for_optimal_bases(
    data: st.DataObject, chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    # Bases that are optimal for one table are judged by another one.
    right, other = data.draw(tables(chain)), data.draw(tables(chain))
    problem = whole(chain, alpha)
    proposer, judge = (Judge.of(problem, engine_table(chain, d)) for d in (other, right))
    for pair, pieces in problem.parts.items():
        bases = proposer.improve(pieces, [NOTHING] * len(pieces))
        coupling = Couplings(problem.alpha).of(pieces, bases)
        assert coupling is not None
        value = oracle.lifting(right, chain.rows[pair[0]], chain.rows[pair[1]], alpha)
        assert cost_of(coupling, right) >= value
        steps = judge.potentials(pieces, bases)
        if steps is not None:
            assert cost_of(coupling, right) == value
            check_potentials(chain, alpha, right, pair, steps, value)
        better = Couplings(problem.alpha).of(pieces, judge.improve(pieces, bases))
        assert better is not None
        assert cost_of(better, right) == value


@given(st.one_of(chains(), absorbed_chains(6)), alphas())
def test_parts_hold_the_balance_of_labels_with_a_source(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    for s, t in product(range(len(chain)), repeat=2):
        rows = [{k: flint(p) for k, p in chain.rows[state].items()} for state in (s, t)]
        pieces = parts(rows[0], rows[1], flint(alpha), chain.labels)
        b = balance(chain, alpha, (s, t))
        wanted = {chain.labels[k] for k, x in b.items() if x > 0}
        assert {k: x for k, x in b.items() if x != 0 and chain.labels[k] in wanted} == amounts_of(pieces)
        assert len(pieces) == len(wanted)
        for part in pieces:
            assert len({chain.labels[k] for k in (*part.sources, *part.sinks)}) == 1
            assert len(part.sources) > 0
            assert min((*part.supplies, *part.capacities)) > 0


# Paths


def test_cost_of_a_path() -> None:
    d = {(0, 1): fmpq(1, 2), (1, 2): fmpq(1, 3), (2, 3): fmpq(1, 5)}
    assert path_cost((0, 1), lambda i, j: d[i, j], fmpq(3)) == fmpq(1, 2)
    assert path_cost((0, 1, 2, 3), lambda i, j: d[i, j], fmpq(3)) == fmpq(1, 2) + 1 + fmpq(9, 5)


def test_a_detour_is_taken_where_it_is_cheaper() -> None:
    # 0 → 2 → 1 costs 1/10 + 2/10 and fills the sink twice as fast as 0 → 1, which costs 9/10.
    part = Part((0,), (fmpq(1),), (1,), (fmpq(10),))
    d = {(0, 1): fmpq(9, 10), (0, 2): fmpq(1, 10), (2, 1): fmpq(1, 10)}
    columns = [
        (path, 1 - path_cost(path, lambda i, j: d[i, j], fmpq(2)), fmpq(2) ** (len(path) - 1))
        for path in ((0, 1), (0, 2, 1))
    ]
    basis, amounts = optimal_basis(part, part.supplies, part.capacities, columns, RATIONALS)
    assert amounts == [((0, 2, 1), fmpq(1))]
    assert basis == Basis(((0, 2, 1),), frozenset(), frozenset({1}))
    coupling = coupling_of_amounts(part, amounts, fmpq(2))
    assert coupling == Coupling({(0, 2): fmpq(1), (2, 1): fmpq(2)}, ZERO)
    steps = derivation(part, basis, lambda i, j: d[i, j], fmpq(2))
    assert steps == (constant(1, ZERO), Potential(2, "to", 1), Potential(0, "to", 2))
    assert evaluate(steps, lambda i, j: d[i, j], fmpq(2), RATIONALS.number) == {
        1: 0,
        2: fmpq(1, 10),
        0: fmpq(3, 10),
    }


def test_without_columns_all_mass_stays_behind() -> None:
    part = Part((0, 2), (fmpq(1), fmpq(1, 2)), (1,), (fmpq(1),))
    basis, amounts = optimal_basis(part, part.supplies, part.capacities, [], RATIONALS)
    assert (basis, amounts) == (Basis((), frozenset({0, 2}), frozenset({1})), [])
    assert Couplings(fmpq(2)).of([part], [basis]) == Coupling({}, fmpq(3, 2))


# Flows and potentials of a basis


ALL_PATHS = ((0, 2), (0, 3), (1, 2), (1, 3))


def test_flows_from_the_ends_inwards() -> None:
    part = Part((0, 1), (fmpq(1, 2), fmpq(2, 3)), (2, 3), (fmpq(1), fmpq(4)))
    basis = pairing(part, ((0, 2), (1, 2), (1, 3)), 3)
    # 0 sends its 1/2 to 2, which then has room for 0 (α = 2); the rest of 1 goes to 3.
    assert flows(part, basis, fmpq(2)) == (((0, 2), fmpq(1, 2)), ((1, 3), fmpq(2, 3)))
    assert flows(part, basis, fmpq(3, 2)) == (
        ((0, 2), fmpq(1, 2)),
        ((1, 2), fmpq(1, 6)),
        ((1, 3), fmpq(1, 2)),
    )
    assert flows(part, basis, fmpq(3)) is None  # 2 would have to send something back


def test_flows_do_not_exceed_what_is_open() -> None:
    part = Part((0,), (fmpq(1),), (1,), (fmpq(1),))
    assert flows(part, pairing(part, ((0, 1),), 1), fmpq(2)) is None  # twice what the sink can take
    assert flows(part, pairing(part, ((0, 1),), 0), fmpq(2)) == (((0, 1), fmpq(1, 2)),)


def test_flows_around_a_cycle() -> None:
    # Paths of different gain: a cycle through all four rows has one solution.
    paths = ((0, 2), (0, 4, 3), (1, 2), (1, 3))
    alpha = F(6, 5)
    matrix = [
        [F(1), F(1), F(0), F(0)],
        [F(0), F(0), F(1), F(1)],
        [alpha, F(0), alpha, F(0)],
        [F(0), alpha**2, F(0), alpha],
    ]
    expected = solve_linear(matrix, [F(1, 2), F(2, 3), F(18, 25), F(18, 25)])
    part = Part(CYCLE.sources, CYCLE.supplies, CYCLE.sinks, (fmpq(18, 25), fmpq(18, 25)))
    found = flows(part, pairing(part, paths), flint(alpha))
    assert found is not None
    assert [fraction(amount) for _, amount in found] == expected
    assert flows(CYCLE, pairing(CYCLE, ALL_PATHS), flint(alpha)) is None  # singular: equal gains


@given(st.data(), alphas())
def test_flows_of_an_optimal_basis_are_its_amounts(data: st.DataObject, alpha: Fraction) -> None:
    sources, sinks = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3))
    amounts = st.integers(1, 6).map(lambda n: fmpq(n, 6))
    part = Part(
        tuple(range(sources)),
        tuple(data.draw(amounts) for _ in range(sources)),
        tuple(range(sources, sources + sinks)),
        tuple(data.draw(amounts) for _ in range(sinks)),
    )
    middle = sources + sinks
    columns = []
    for i, j in product(part.sources, part.sinks):
        for path in ((i, j), (i, middle, j), (i, middle, middle + 1, j)):
            saving = fmpq(data.draw(st.integers(1, 9)), 9)
            columns.append((path, saving, flint(alpha) ** (len(path) - 1)))
    basis, shipped = optimal_basis(part, part.supplies, part.capacities, columns, RATIONALS)
    assert flows(part, basis, flint(alpha)) == tuple((path, x) for path, x in shipped if x > 0)


def test_coupling_of_an_infeasible_basis_among_feasible_ones() -> None:
    part = Part((0,), (fmpq(1),), (1,), (fmpq(1),))
    fine, broken = pairing(part, ((0, 1),), 0), pairing(part, ((0, 1),), 1)
    assert Couplings(fmpq(2)).of([part, part], [fine, broken]) is None
