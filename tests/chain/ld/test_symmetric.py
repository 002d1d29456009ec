"""bd: values, every orientation, near ties of the two directions, intervals, certificates, fixed points."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations, product
from math import lcm
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prover import zoo
from prover.certificate.check import Rejected, RuleBroken, check
from prover.chain.distance import distance, distances
from prover.chain.ld.certificates import certify, exact_evidence
from prover.chain.ld.policy_iteration import draft
from prover.chain.ld.problem import Problem, explore
from prover.chain.ld.symmetric import SymmetricSolution, draft_symmetric, orient, solve_symmetrically
from prover.chain.model import LabelledMarkovChain, Number
from prover.exact.rational import format_rational
from tests import oracle
from tests.certificate.forms import some
from tests.certificate.judge import accepts
from tests.certificate.mutations import mutations
from tests.certified import proved, verified
from tests.chain.problems import below, full
from tests.outside_examples import ALL_REACHABLE, THREE_RUNGS
from tests.profiles import thinned
from tests.strategies import absorbed_chains, alphas, chains, outside_problems

pytestmark = pytest.mark.thorough

F = Fraction
NARROW = F(1, 10**9)
States = dict[str, tuple[str, dict[str, Number]]]
few = settings(max_examples=settings().max_examples // 4, suppress_health_check=[HealthCheck.too_slow])
PIN = zoo.build_chain("pin-checker")
DINERS = zoo.build_chain("dining-cryptographers")

# One of the chains of examples/two_fixed_points.py: the directions B→A, B→C, C→D of its pairs support each
# other, so that the orientation with these has distance 0 on pairs that are at distance 7267/240944.
SUPPORTING: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "A": ("a", {"D": "127/148", "end": "21/148"}),
    "B": ("a", {"A": "9/37", "D": "21/37", "end": "7/37"}),
    "C": ("a", {"A": "445/1036", "C": "3/7", "end": "21/148"}),
    "D": ("a", {"A": "529/592", "end": "63/592"}),
    "end": ("end", {"end": "1"}),
}


def both_ways(chain: LabelledMarkovChain, alpha: Fraction) -> Problem:
    """The problem of all pairs with both directions."""
    everything = product(range(len(chain)), range(len(chain)))
    return explore(chain, alpha, everything, both_ways=True)


def solved(
    chain: LabelledMarkovChain, alpha: Fraction, forward: bool | Random | None = None
) -> SymmetricSolution:
    """bd of all pairs, whose evidence the checker accepts.

    Strategy improvement starts from the orientation that floating point finds best, or from all pairs forward
    or backward, or from a random one.
    """
    directed = both_ways(chain, alpha)
    start = draft_symmetric(directed)
    if forward is not None:
        keys = [pair for pair in directed.parts if pair[0] < pair[1]]
        choice = {p: forward.random() < 0.5 if isinstance(forward, Random) else forward for p in keys}
        oriented = orient(directed, choice)
        start = oriented, draft(oriented.problem)
    found = solve_symmetrically(directed, start)
    claim = {"alpha": format_rational(alpha), "kind": "bd", "scope": "all-pairs", "width": "0"}
    proved(certify(chain, claim, exact_evidence(chain, found.solution, found.opposite, found.oriented)))
    return found


def bd(chain: LabelledMarkovChain, alpha: Fraction, forward: bool | Random | None = None) -> oracle.Table:
    """bd of all pairs in the form of the oracle."""
    return full(chain, solved(chain, alpha, forward).solution.table)


def transposed(d: oracle.Table) -> oracle.Table:
    return [list(column) for column in zip(*d, strict=True)]


# Values --------------------------------------------------------------------------------------------------


@few
@given(chains(max_states=5), alphas())
def test_the_oracle_agrees(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    assert bd(chain, alpha) == oracle.bd(chain, alpha)


@few
@given(outside_problems())
def test_the_oracle_agrees_where_states_outside_matter(problem: tuple[LabelledMarkovChain, Fraction]) -> None:
    assert bd(*problem) == oracle.bd(*problem)


@pytest.mark.parametrize("alpha", ["1", "101/100", "11/10", "2809/2209", "3/2", "4"])
def test_pin_checker(alpha: str) -> None:
    assert verified(distance(PIN, "0", "1", alpha, kind="bd")).value == F(6, 53)
    assert verified(distance(PIN, "1", "0", alpha, kind="bd")).value == F(6, 53)


def test_dining_cryptographers() -> None:
    answer = verified(distance(DINERS, alpha="10002/10000", kind="bd"))
    assert answer.value == F(1, 2500)
    assert answer.over_relation


@few
@given(st.one_of(chains(), absorbed_chains(6)), alphas())
def test_symmetric_and_a_bound_on_both_directions(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    d = verified(distances(chain, alpha, kind="ld"))
    symmetric = verified(distances(chain, alpha, kind="bd"))
    for s, t in product(chain.states, repeat=2):
        assert symmetric.lower[s, t] == symmetric.lower[t, s]
        assert d.lower[s, t] <= symmetric.lower[s, t]
        assert (symmetric.lower[s, t] == d.lower[s, t] == d.lower[t, s]) or alpha > 1


@few
@given(chains(max_states=6), alphas())
def test_a_fixed_point_above_value_iteration(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    d = bd(chain, alpha)
    assert oracle.gamma_symmetric(chain, alpha, d) == d
    for rounds in (1, 3):
        assert below(oracle.value_iteration(chain, alpha, rounds, oracle.gamma_symmetric), d)


@pytest.mark.family
@pytest.mark.parametrize(
    ("chain", "alpha", "rounds"),
    [
        (PIN, F(11, 10), 20),
        (LabelledMarkovChain.of(THREE_RUNGS), F(8, 5), 4),
        (LabelledMarkovChain.of(ALL_REACHABLE), F(2), 40),
        (zoo.build_chain("random-chain", states="5", labels="2"), F(6, 5), 40),
    ],
)
def test_value_iteration_comes_near(chain: LabelledMarkovChain, alpha: Fraction, rounds: int) -> None:
    d = bd(chain, alpha)
    found = oracle.value_iteration(chain, alpha, rounds, oracle.gamma_symmetric)
    assert below(found, d)
    assert max(d[s][t] - found[s][t] for s, t in oracle.alike_pairs(chain)) < F(1, 10**6)
    assert any(value not in (0, 1) for row in d for value in row)


# Orientations --------------------------------------------------------------------------------------------


@few
@given(st.one_of(chains(), absorbed_chains(5)), alphas(), st.integers(0, 2**32))
def test_every_orientation_leads_to_it(chain: LabelledMarkovChain, alpha: Fraction, seed: int) -> None:
    expected = bd(chain, alpha)
    for start in (True, False, Random(seed)):
        assert bd(chain, alpha, start) == expected


@few
@given(chains(max_states=5), st.integers(0, 2**32))
def test_every_orientation_is_below(chain: LabelledMarkovChain, seed: int) -> None:
    directed, random = both_ways(chain, F(6, 5)), Random(seed)
    oriented = orient(directed, {pair: random.random() < 0.5 for pair in directed.parts if pair[0] < pair[1]})
    chosen = {p: oriented.direction((min(p), max(p))) for p in oracle.alike_pairs(chain)}
    once = oracle.least_fixed_point(oracle.Operator(chain, F(6, 5), chosen))
    assert below(once, bd(chain, F(6, 5)))


@pytest.mark.family
@pytest.mark.parametrize("names", list(permutations("ABCD"))[::8])
def test_orientations_of_distance_zero_on_pairs_of_equal_label_at_a_distance(names: tuple[str, ...]) -> None:
    called = dict(zip("ABCD", names, strict=True)) | {"end": "end"}
    chain = LabelledMarkovChain.of(
        {called[s]: (label, {called[t]: p for t, p in row.items()}) for s, (label, row) in SUPPORTING.items()}
    )
    pairs = [[chain.index(called[s]) for s in pair] for pair in ("BA", "BC", "CD")]
    directed = both_ways(chain, F(4, 3))
    oriented = orient(directed, {p: list(p) in pairs for p in directed.parts if p[0] < p[1]})
    sketch = draft(oriented.problem)
    assert all((min(pair), max(pair)) in sketch.kernel.related for pair in pairs)
    found = solve_symmetrically(directed, (oriented, sketch))
    assert found.rounds > 1
    assert {found.solution.table.value((s, t)) for s, t in pairs} == {F(7267, 240944)}
    assert full(chain, found.solution.table) == bd(chain, F(4, 3)) == oracle.bd(chain, F(4, 3))


def test_more_than_the_distance_of_either_direction() -> None:
    chain = LabelledMarkovChain.of(SUPPORTING)
    d, symmetric = oracle.ld(chain, F(4, 3)), bd(chain, F(4, 3))
    assert all(symmetric[s][t] > max(d[s][t], d[t][s]) for s, t in oracle.alike_pairs(chain))


# Near ties -----------------------------------------------------------------------------------------------


SINKS: States = {name: (name, {name: 1}) for name in "uv"}


def rounds_of(chain: LabelledMarkovChain, alpha: Fraction) -> int:
    """How many orientations exact arithmetic went through; bd is the oracle's."""
    found = solved(chain, alpha)
    assert full(chain, found.solution.table) == oracle.bd(chain, alpha)
    return found.rounds


@pytest.mark.parametrize(
    ("gap", "rounds"), [("1/100", 1), ("1e-12", 2), ("1e-30", 2), ("-1e-12", 1), ("0", 1)]
)
def test_directions_that_nearly_tie(gap: str, rounds: int) -> None:
    # At α = 3/2, t → s gains 1/2 − gap, and s → t gains 1/2 − 3/2 gap.
    states: States = {
        "s": ("a", {"u": F(4, 5), "v": F(1, 5)}),
        "t": ("a", {"u": F(1, 5) + F(gap), "v": F(4, 5) - F(gap)}),
    }
    chain = LabelledMarkovChain.of({**states, **SINKS})
    assert rounds_of(chain, F(3, 2)) == rounds
    assert bd(chain, F(3, 2))[0][1] == F(1, 2) - min(F(gap), F(3, 2) * F(gap))


@pytest.mark.parametrize(("gap", "rounds"), [("1/100", 1), ("1e-12", 2), ("1e-30", 2)])
def test_a_direction_that_nearly_belongs_to_the_kernel(gap: str, rounds: int) -> None:
    # s → t gains nothing, t → s gains 5/4 gap; p and q are told apart only by going to s and t.
    states: States = {
        "p": ("b", {"s": 1}),
        "q": ("b", {"t": 1}),
        "s": ("a", {"u": F(3, 5) + F(3, 2) * F(gap), "v": F(2, 5) - F(3, 2) * F(gap)}),
        "t": ("a", {"u": F(2, 5) + F(gap), "v": F(3, 5) - F(gap)}),
    }
    chain = LabelledMarkovChain.of({**states, **SINKS})
    assert rounds_of(chain, F(3, 2)) == rounds
    assert bd(chain, F(3, 2))[0][1] == F(5, 4) * F(gap)


def nearly_supporting(s: str, t: str, u: str, gap: Fraction) -> LabelledMarkovChain:
    """The chain SUPPORTING with the probability ``gap`` moved from s→t to s→u."""
    rows = {name: {target: F(p) for target, p in row.items()} for name, (_, row) in SUPPORTING.items()}
    rows[s][t] -= gap
    rows[s][u] = rows[s].get(u, F(0)) + gap
    return LabelledMarkovChain.of({name: (SUPPORTING[name][0], row) for name, row in rows.items()})


@pytest.mark.family
@pytest.mark.parametrize(
    ("s", "t", "u", "limit"),
    [
        ("A", "end", "D", "0.0457"),
        ("A", "D", "A", "0.0302"),
        ("B", "D", "C", "0.0317"),
        ("B", "A", "B", "0.0332"),
        ("C", "end", "D", "0.0457"),
    ],
)
@pytest.mark.parametrize("gap", thinned(["1e-12", "1e-6", "1e-30"]))
def test_a_distance_that_jumps(s: str, t: str, u: str, limit: str, gap: str) -> None:
    # Without the gap it is 7267/240944 = 0.0302: bd is not continuous in the probabilities.
    chain = nearly_supporting(s, t, u, F(gap))
    assert rounds_of(chain, F(4, 3)) == (2 if F(gap) < F(1, 10**9) and limit != "0.0302" else 1)
    assert abs(bd(chain, F(4, 3))[0][1] - F(limit)) < F(1, 10**4)


@pytest.mark.family
@pytest.mark.parametrize("seed", range(12))
def test_chains_of_near_ties(seed: int) -> None:
    random = Random(seed)
    names = [*"pqrst", "u", "v"]
    states: States = {}
    for name in names[:5]:
        chosen = random.sample(names, 3)
        first, second = (
            random.choice([F(1, 4), F(1, 3)]) + random.randint(0, 9) * F(1, 10**13) for _ in "ab"
        )
        states[name] = ("a", dict(zip(chosen, (first, second, 1 - first - second), strict=True)))
    chain = LabelledMarkovChain.of({**states, **SINKS})
    rounds_of(chain, random.choice([F(1), F(6, 5), F(2)]))


# Intervals -----------------------------------------------------------------------------------------------


@few
@given(st.one_of(chains(), absorbed_chains(5)), alphas())
def test_intervals(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    exact = verified(distances(chain, alpha, kind="bd"))
    assert exact.exact
    short = verified(distances(chain, alpha, kind="bd", max_bits=1))
    upper = verified(distances(chain, alpha, kind="bd", bounds="upper"))
    for p, value in exact.lower.items():
        assert short.lower[p] <= value <= short.upper[p] < short.lower[p] + NARROW
        assert upper.lower[p] <= value <= upper.upper[p]
    names = max(exact.lower, key=lambda p: (0 < exact.lower[p] < 1, p))
    alone = verified(distance(chain, *names, alpha=alpha, kind="bd", bounds="upper"))
    assert alone.lower <= exact.lower[names] <= alone.upper


@pytest.mark.parametrize("gap", ["0", "1e-6", "1e-10", "1e-30"])
def test_intervals_where_the_distance_jumps(gap: str) -> None:
    chain = nearly_supporting("A", "end", "D", F(gap))
    exact = verified(distance(chain, "A", "B", "4/3", kind="bd"))
    for answer in (
        verified(distance(chain, "A", "B", "4/3", kind="bd", max_bits=1)),
        verified(distance(chain, "A", "B", "4/3", kind="bd", bounds="upper")),
    ):
        assert answer.lower <= exact.lower <= answer.upper


# Certificates --------------------------------------------------------------------------------------------


def is_verified(data: bytes) -> bool:
    try:
        check(data)
    except Rejected:
        return False
    return True


@pytest.mark.parametrize(
    ("chain", "alpha", "options"),
    [
        (PIN, "11/10", {}),
        (LabelledMarkovChain.of(THREE_RUNGS), "8/5", {"max_bits": 1}),
        (LabelledMarkovChain.of(SUPPORTING), "4/3", {}),
        (LabelledMarkovChain.of(SUPPORTING), "4/3", {"bounds": "upper"}),
    ],
)
def test_mutated_certificates(chain: LabelledMarkovChain, alpha: str, options: Mapping[str, Any]) -> None:
    data = distances(chain, alpha, kind="bd", **options).certificate.data
    assert is_verified(data)
    rejected = 0
    for mutation in some(mutations(data, per_place=6), len(data)):
        accepted = is_verified(mutation.data)
        rejected += not accepted
        if mutation.must_reject:
            assert not accepted, mutation.description
        elif mutation.data != data:
            assert accepted == accepts(json.loads(mutation.data)), mutation.description
    assert rejected > 15


def second_fixed_point(chain: LabelledMarkovChain, raised: Fraction) -> oracle.Table:
    """The fixed point of the chain SUPPORTING at α = 4/3 with a given value on the supporting pairs."""
    far = F(445, 4144) + F(3, 7) * raised
    values = {"AB": raised, "BC": raised, "CD": raised, "AC": far, "AD": F(1, 4)}
    values["BD"] = F(85, 148) * far + F(81, 592) / 4 + F(255, 592) * raised + F(7, 148)
    named = {(chain.index(pair[0]), chain.index(pair[1])): value for pair, value in values.items()}
    return oracle.table(chain, named | {(t, s): value for (s, t), value in named.items()})


@pytest.mark.parametrize("raised", ["7267/240944", "1/30", "1/25", "1/23", "4005/87616"])
def test_fixed_points_above_the_least_one(raised: str) -> None:
    chain = LabelledMarkovChain.of(SUPPORTING)
    d = second_fixed_point(chain, F(raised))
    assert oracle.gamma_symmetric(chain, F(4, 3), d) == d
    assert (d == bd(chain, F(4, 3))) is (raised == "7267/240944")
    assert {d[s][t] == 0 for s, t in oracle.alike_pairs(chain)} == {False}


@pytest.mark.parametrize("little", ["1/1000000", "-1/1000000"])
@pytest.mark.parametrize("end", ["7267/240944", "4005/87616"])
def test_the_ends_of_the_interval_of_fixed_points(end: str, little: str) -> None:
    chain = LabelledMarkovChain.of(SUPPORTING)
    d = second_fixed_point(chain, F(end) + F(little))
    inside = (F(little) > 0) is (end == "7267/240944")
    assert (oracle.gamma_symmetric(chain, F(4, 3), d) == d) is inside


def test_only_the_least_fixed_point_has_a_lower_certificate() -> None:
    chain, alpha = LabelledMarkovChain.of(SUPPORTING), F(4, 3)
    d, operator = second_fixed_point(chain, F(1, 23)), oracle.Operator(chain, alpha)
    denominator = lcm(*(value.denominator for row in d for value in row))
    upper, lower = [], []
    for s, t in oracle.alike_pairs(chain):
        if s > t:
            continue
        row = {"pair": [s, t], "value": str(d[s][t] * denominator)}
        lifted = {"forward": operator.lift(d, (s, t)), "backward": operator.lift(d, (t, s))}
        couplings = {
            name: [[i, j, format_rational(w)] for (i, j), w in sorted(found.coupling.items())]
            for name, found in lifted.items()
        }
        upper.append(row | couplings)
        name = max(lifted, key=lambda name: lifted[name].value)
        potentials = [[k, format_rational(f)] for k, f in sorted(lifted[name].potentials.items())]
        lower.append(row | {"direction": name, "potentials": potentials})
    table = {"denominator": str(denominator)}
    claim = {"alpha": "4/3", "from": "A", "kind": "bd", "scope": "pair", "to": "B", "upper": "1/23"}
    above = {"upper": table | {"rows": upper}}
    proved(certify(chain, claim | {"lower": "0"}, above))
    below_it = {"lower": table | {"rows": lower}}
    with pytest.raises(RuleBroken, match="rank"):
        check(certify(chain, claim | {"lower": "1/23"}, above | below_it).data)
