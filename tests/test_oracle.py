"""The oracle against known values, scipy, brute force, and the theorems it will be used for."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from prover.chain.model import LabelledMarkovChain
from tests import oracle, oracle_linear
from tests.outside_examples import DELETIONS, OUTSIDE_EXAMPLES, Deletion, OutsideExample
from tests.profiles import everything
from tests.strategies import absorbed_chains, alphas

pytestmark = pytest.mark.thorough

F = Fraction
few = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
small = st.integers(-4, 4).map(Fraction)
States = Mapping[str, tuple[str, Mapping[str, str]]]

PIN_CHECKER: States = {
    "0": ("a", {"end": "53/100", "2": "47/100"}),
    "1": ("a", {"end": "47/100", "3": "53/100"}),
    "2": ("b", {"end": "47/100", "0": "53/100"}),
    "3": ("b", {"end": "53/100", "1": "47/100"}),
    "end": ("end", {"end": "1"}),
}
TWO_COINS: States = {
    "s": ("a", {"u": "0.6", "v": "0.4"}),
    "t": ("a", {"u": "0.4", "v": "0.6"}),
    "u": ("u", {"u": "1"}),
    "v": ("v", {"v": "1"}),
}
TWO_SINKS_OF_ONE_LABEL: States = {
    "s": ("a", {"e": "3/5", "g": "2/5"}),
    "t": ("a", {"f": "1/2", "g": "1/2"}),
    "e": ("e", {"e": "1"}),
    "f": ("e", {"f": "1"}),
    "g": ("g", {"g": "1"}),
}
LATE_AND_EARLY_COIN: States = {
    "s": ("a", {"m": "1"}),
    "t": ("a", {"p": "1/2", "q": "1/2"}),
    "m": ("b", {"B": "1/2", "C": "1/2"}),
    "p": ("b", {"B": "1"}),
    "q": ("b", {"C": "1"}),
    "B": ("B", {"B": "1"}),
    "C": ("C", {"C": "1"}),
}


def build(states: States) -> LabelledMarkovChain:
    return LabelledMarkovChain.of(states)


def at(chain: LabelledMarkovChain, d: oracle.Table, s: str, t: str) -> Fraction:
    return d[chain.index(s)][chain.index(t)]


def below(left: oracle.Table, right: oracle.Table) -> bool:
    return all(p <= q for rows in zip(left, right, strict=True) for p, q in zip(*rows, strict=True))


def mass(d: oracle.Table) -> Fraction:
    return sum((entry for row in d for entry in row), F(0))


# Linear programs


@given(st.data(), st.integers(1, 4), st.integers(1, 5))
def test_simplex_agrees_with_highs(data: st.DataObject, columns: int, rows: int) -> None:
    linprog = pytest.importorskip("scipy.optimize").linprog
    c = data.draw(st.lists(small, min_size=columns, max_size=columns))
    row = st.lists(small.map(lambda n: n / 3), min_size=columns, max_size=columns)
    a = data.draw(st.lists(row, min_size=rows, max_size=rows))
    b = data.draw(st.lists(st.integers(0, 5).map(lambda n: F(n, 2)), min_size=rows, max_size=rows))
    found = linprog(
        [-float(x) for x in c],
        A_ub=[[float(x) for x in r] for r in a],
        b_ub=[float(x) for x in b],
        method="highs",
    )
    try:
        value, point = oracle.lp_max(c, a, b)
    except oracle_linear.Unbounded:
        assert found.status in (3, 4)
        return
    assert found.status == 0
    assert abs(float(value) + found.fun) < 1e-7
    assert len(point) == columns


def test_simplex_does_not_cycle() -> None:
    # Beale's example: the largest-coefficient rule goes round for ever.
    c = [F(3, 4), F(-150), F(1, 50), F(-6)]
    a = [[F(1, 4), F(-60), F(-1, 25), F(9)], [F(1, 2), F(-90), F(-1, 50), F(3)], [F(0), F(0), F(1), F(0)]]
    assert oracle.lp_max(c, a, [F(0), F(0), F(1)]) == (F(1, 20), [F(1, 25), F(0), F(1), F(0)])


def test_simplex_refuses_what_it_cannot_start_or_finish() -> None:
    with pytest.raises(oracle_linear.Unbounded):
        oracle.lp_max([F(1)], [[F(-1)]], [F(1)])
    with pytest.raises(oracle_linear.SlackStartInfeasible):
        oracle.lp_max([F(1)], [[F(1)]], [F(-1)])
    assert oracle.lp_max([F(-1), F(0)], [], []) == (F(0), [F(0), F(0)])


def test_linear_systems() -> None:
    assert oracle_linear.solve_linear([[F(0), F(2)], [F(1, 3), F(1)]], [F(1), F(1)]) == [F(3, 2), F(1, 2)]
    with pytest.raises(oracle_linear.OracleFault):
        oracle_linear.solve_linear([[F(1), F(2)], [F(2), F(4)]], [F(1), F(2)])


# The lifting


@given(alphas(), st.integers(0, 10), st.integers(0, 10), st.integers(0, 10))
def test_lifting_of_single_states(alpha: Fraction, distance: int, left: int, right: int) -> None:
    # f_0 x − α f_1 y with f_0 ≤ min(1, d + α f_1): the corners are f_1 = 0 and f_0 = 1.
    d01, x, y = F(distance, 10), F(left, 10), F(right, 10)
    d = [[F(0), d01], [F(1), F(0)]]
    assert oracle.lifting(d, {0: x}, {1: y}, alpha) == max(x * d01, x - y * (1 - d01))


@few
@given(absorbed_chains(), alphas(), st.data())
def test_lifting_attains_the_coupling_form(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    values = {pair: F(data.draw(st.integers(0, 6)), 6) for pair in oracle.alike_pairs(chain)}
    d, states = oracle.table(chain, values), range(len(chain))
    for s, t in oracle.alike_pairs(chain):
        x, y = chain.rows[s], chain.rows[t]
        lifted = oracle.lift(d, x, y, alpha, states)
        f, omega = lifted.potentials, lifted.coupling
        assert all(0 <= f[i] <= 1 and f[i] - alpha * f[j] <= d[i][j] for i in states for j in states)
        assert lifted.value == sum(f[i] * (x.get(i, F(0)) - alpha * y.get(i, F(0))) for i in states)
        cost = sum(weight * d[i][j] for (i, j), weight in omega.items())
        for k in states:
            out = sum(weight for (i, _), weight in omega.items() if i == k)
            into = sum(weight for (_, j), weight in omega.items() if j == k)
            cost += max(F(0), x.get(k, F(0)) - out - alpha * (y.get(k, F(0)) - into))
        assert lifted.value == cost == oracle.lifting(d, x, y, alpha)


# Known values


def test_two_coins() -> None:
    chain = build(TWO_COINS)
    assert at(chain, oracle.ld(chain, F(3, 2)), "s", "t") == 0
    assert at(chain, oracle.bd(chain, F(3, 2)), "s", "t") == 0
    assert at(chain, oracle.ld(chain, F(1)), "s", "t") == F(1, 5)
    pairs, ranks = oracle.skewed_kernel(chain, F(3, 2))
    assert (0, 1) in pairs
    assert (1, 0) in pairs
    assert (0, 0) in pairs
    assert ranks[0, 2] == 0
    assert oracle.skewed_kernel(chain, F(1))[1][0, 1] == 1


@pytest.mark.parametrize(
    ("alpha", "forward", "backward"),
    [
        (F(1), F(6, 53), F(6, 53)),
        (F(11, 10), F(412, 7791), F(6611, 77910)),
        (F(2809, 2209), F(94, 2597), F(200, 2597)),
    ],
)
def test_pin_checker_distances(alpha: Fraction, forward: Fraction, backward: Fraction) -> None:
    chain = build(PIN_CHECKER)
    d = oracle.ld(chain, alpha)
    assert (at(chain, d, "0", "1"), at(chain, d, "1", "0")) == (forward, backward)
    assert at(chain, oracle.bd(chain, alpha), "0", "1") == F(6, 53)


@pytest.mark.parametrize(
    ("alpha", "forward", "backward"),
    [
        (F(1), F(200, 2503), F(200, 2503)),
        (F(11, 10), F(130, 7509), F(3791, 75090)),
        (F(2809, 2209), F(0), F(0)),
    ],
)
def test_pin_checker_words(alpha: Fraction, forward: Fraction, backward: Fraction) -> None:
    chain = build(PIN_CHECKER)
    for (s, t), limit in {(0, 1): forward, (1, 0): backward}.items():
        sums = [oracle.lv_words(chain, alpha, s, t, length) for length in (1, 2, 5, 40)]
        assert sums == sorted(sums)
        assert 0 <= limit - sums[-1] < F(1, 10**10)


def test_words_are_exact_where_runs_end() -> None:
    chain, alpha = build(TWO_SINKS_OF_ONE_LABEL), F(11, 10)
    s, t = chain.index("s"), chain.index("t")
    assert [oracle.lv_words(chain, alpha, s, t, length) for length in (1, 2, 3)] == [0, F(1, 20), F(1, 20)]
    assert oracle.ld(chain, alpha)[s][t] == F(1, 10)
    assert oracle.bisimilarity(chain) == [[0, 1], [2], [3], [4]]


# Outside states


@pytest.mark.family
@pytest.mark.parametrize("example", OUTSIDE_EXAMPLES, ids=lambda example: example.description)
def test_outside_states_matter(example: OutsideExample) -> None:
    chain = build(example.states)
    assert at(chain, oracle.ld(chain, example.alpha), example.s, example.t) == example.value
    shortcut = oracle.ld_supports_only(chain, example.alpha)
    assert at(chain, shortcut, example.s, example.t) == example.value_supports_only > example.value
    if everything() or len(chain) <= 8:
        below_value = oracle.value_iteration(chain, example.alpha, 30)
        assert 0 <= example.value - at(chain, below_value, example.s, example.t) < F(1, 10**6)


@pytest.mark.family
@pytest.mark.parametrize("deletion", DELETIONS, ids=lambda d: f"{d.description}: {d.deleted}")
def test_deleting_outside_states_raises_ld(deletion: Deletion) -> None:
    (example,) = [known for known in OUTSIDE_EXAMPLES if known.description == deletion.description]
    kept = {name: state for name, state in example.states.items() if name not in deletion.deleted}
    chain = build(kept)
    assert at(chain, oracle.ld(chain, example.alpha), example.s, example.t) == deletion.value > example.value


# Theorems


@few
@given(absorbed_chains(5), alphas())
def test_ld_is_approached_from_below(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    d = oracle.ld(chain, alpha)
    assert oracle.is_fixed_point(chain, alpha, d, oracle.gamma)
    lower = oracle.table(chain, {})
    for rounds in (5, 20, 80, 320, 1280):
        previous, lower = lower, oracle.value_iteration(chain, alpha, rounds)
        assert below(previous, lower)
        assert below(lower, d)
        if mass(d) - mass(lower) < F(1, 1000):
            return
    pytest.fail("value iteration stays away from ld: a fixed point, but not the least one")


@few
@given(absorbed_chains(3), alphas())
def test_ld_is_the_compact_program(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    _, ranks = oracle.skewed_kernel(chain, alpha)
    ones = {pair: F(1) for pair in oracle.alike_pairs(chain) if pair in ranks}
    assert oracle.post_fixed_point(chain, alpha, ones, ones) == oracle.ld(chain, alpha)


@few
@given(absorbed_chains(3), alphas(), st.data())
def test_post_fixed_points_off_the_kernel_are_below_ld(
    chain: LabelledMarkovChain, alpha: Fraction, data: st.DataObject
) -> None:
    _, ranks = oracle.skewed_kernel(chain, alpha)
    off = [pair for pair in oracle.alike_pairs(chain) if pair in ranks]
    assume(off)
    caps = {pair: F(data.draw(st.integers(0, 8)), 8) for pair in off}
    weights = {pair: F(data.draw(st.integers(-3, 5))) for pair in off}
    d = oracle.post_fixed_point(chain, alpha, caps, weights)
    assert below(d, oracle.gamma(chain, alpha, d))
    assert below(d, oracle.ld(chain, alpha))


def test_post_fixed_points_on_the_kernel_need_not_be_below_ld() -> None:
    # Two absorbing states of one label: any value supports itself.
    chain = build(TWO_SINKS_OF_ONE_LABEL)
    pair = chain.index("e"), chain.index("f")
    d = oracle.post_fixed_point(chain, F(3, 2), {pair: F(1)}, {pair: F(1)})
    assert below(d, oracle.gamma(chain, F(3, 2), d))
    assert d[pair[0]][pair[1]] == 1
    assert oracle.ld(chain, F(3, 2))[pair[0]][pair[1]] == 0


@few
@given(absorbed_chains(4), alphas())
def test_kernel_is_where_ld_vanishes(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    pairs, ranks = oracle.skewed_kernel(chain, alpha)
    d = oracle.ld(chain, alpha)
    everything = set(product(range(len(chain)), repeat=2))
    assert pairs == {(s, t) for s, t in everything if d[s][t] == 0}
    assert pairs | set(ranks) == everything
    for members in oracle.bisimilarity(chain):
        assert pairs.issuperset(product(members, members))


@few
@given(absorbed_chains(4))
def test_bisimilarity_is_the_kernel_at_one(chain: LabelledMarkovChain) -> None:
    pairs, _ = oracle.skewed_kernel(chain, F(1))
    assert pairs == {pair for members in oracle.bisimilarity(chain) for pair in product(members, members)}


@few
@given(absorbed_chains(5), alphas())
def test_distance_one_does_not_depend_on_alpha(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    # Outside states do not matter here: for a cheapest path i → k → … → j, of cost c < 1 with (i,j) in
    # the set, the composed couplings lose nothing and make an ordinary coupling on such pairs, so (i,j)
    # would be bisimilar.
    d = oracle.ld(chain, alpha)
    states = range(len(chain))
    assert oracle.distance_one(chain) == {(s, t) for s in states for t in states if d[s][t] == 1}


def test_bisimilar_states_are_not_at_distance_one() -> None:
    # Two absorbing states of one label: disjoint supports, and their only cross pair is the pair itself.
    chain = build(TWO_SINKS_OF_ONE_LABEL)
    assert oracle.distance_one(chain).isdisjoint(oracle.alike_pairs(chain))


def test_distance_one_in_spite_of_equal_traces() -> None:
    states = {**LATE_AND_EARLY_COIN, "B": ("B", {"s": "1"}), "C": ("C", {"s": "1"}), "p": ("b", {"D": "1"})}
    states |= {"q": ("b", {"E": "1"}), "D": ("B", {"t": "1"}), "E": ("C", {"t": "1"})}
    chain = build(states)
    s, t = chain.index("s"), chain.index("t")
    assert (s, t) in oracle.distance_one(chain)
    assert oracle.ld(chain, F(2))[s][t] == 1
    assert oracle.lv_words(chain, F(1), s, t, 8) == 0


@few
@given(absorbed_chains(4), alphas())
def test_bd_bounds_and_brute_force(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    b, d = oracle.bd(chain, alpha), oracle.ld(chain, alpha)
    assert oracle.is_fixed_point(chain, alpha, b, oracle.gamma_symmetric)
    assert below(d, b)
    assert below(oracle.value_iteration(chain, alpha, 10, oracle.gamma_symmetric), b)
    if alpha == 1:
        assert b == d
    edges = [(s, t) for s, t in oracle.alike_pairs(chain) if s < t]
    assume(len(edges) <= 3)
    best = oracle.table(chain, {})
    for directions in product((False, True), repeat=len(edges)):
        flips = zip(edges, directions, strict=True)
        chosen = {pair: (t, s) if flip else (s, t) for (s, t), flip in flips for pair in ((s, t), (t, s))}
        fixed = oracle.least_fixed_point(oracle.Operator(chain, alpha, chosen))
        best = [[max(p, q) for p, q in zip(*rows, strict=True)] for rows in zip(best, fixed, strict=True)]
    assert best == b


@few
@given(absorbed_chains(4), alphas(), st.integers(0, 4))
def test_words_against_enumeration(chain: LabelledMarkovChain, alpha: Fraction, length: int) -> None:
    def emits(state: int, word: tuple[str, ...]) -> Fraction:
        if not word:
            return F(1)
        if chain.labels[state] != word[0]:
            return F(0)
        return sum((weight * emits(k, word[1:]) for k, weight in chain.rows[state].items()), F(0))

    words = list(product(sorted(set(chain.labels)), repeat=length))
    d = oracle.ld(chain, alpha)
    for s, t in product(range(len(chain)), repeat=2):
        total = sum((max(F(0), emits(s, word) - alpha * emits(t, word)) for word in words), F(0))
        assert oracle.lv_words(chain, alpha, s, t, length) == total <= d[s][t]
