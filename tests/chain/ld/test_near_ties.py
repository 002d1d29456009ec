"""Numbers that floating point cannot tell apart, very long and very large ones, and degenerate models."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from random import Random

import pytest

from prover.chain.distance import distance, distances
from prover.chain.kinds import KINDS
from prover.chain.ld.policy_iteration import draft, solve_exactly
from prover.chain.model import LabelledMarkovChain, Number
from tests import oracle
from tests.certified import verified
from tests.chain.problems import full, solved, whole
from tests.outside_examples import THREE_RUNGS
from tests.profiles import thinned

pytestmark = pytest.mark.thorough

F = Fraction
States = dict[str, tuple[str, dict[str, Number]]]
GAPS = [F(1, 10**digits) for digits in (2, 12, 15, 30)]
ALPHAS = [F(1), F(6, 5), F(3)]


def sinks(names: str) -> States:
    return {name: (name, {name: 1}) for name in names}


def agrees(chain: LabelledMarkovChain, alpha: Fraction) -> int:
    """The engine gives the oracle's distances, guided and not; how many exact rounds the guided one took."""
    guided, alone = solved(chain, alpha), solved(chain, alpha, guided=False)
    assert full(chain, guided.table) == full(chain, alone.table) == oracle.ld(chain, alpha)
    return guided.effort.exact_rounds


# Ties


def one_source_three_sinks(gap: Fraction, order: tuple[int, ...]) -> LabelledMarkovChain:
    """Mass of i goes to the nearest of three states, whose distances from i differ by the gap."""
    near: States = {
        f"j{place}": ("m", {"A": F(1, 4) + gap * rank, "B": F(3, 4) - gap * rank})
        for place, rank in enumerate(order)
    }
    first: States = {
        "i": ("m", {"A": F(3, 4), "B": F(1, 4)}),
        "s": ("a", {"i": F(2, 5), "z": F(3, 5)}),
        "t": ("a", {"z": F(1, 4), **dict.fromkeys(near, F(1, 4))}),
    }
    return LabelledMarkovChain.of({**first, **near, **sinks("ABz")})


@pytest.mark.family
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("gap", GAPS)
def test_the_nearest_of_three(gap: Fraction, alpha: Fraction) -> None:
    for order in list(permutations(range(3)))[:: 3 if alpha == F(6, 5) else 4]:
        agrees(one_source_three_sinks(gap, order), alpha)


def test_exact_arithmetic_repairs_what_the_guide_cannot_see() -> None:
    rounds = [
        agrees(one_source_three_sinks(F(1, 10**30), order), F(6, 5)) for order in ((0, 1, 2), (2, 1, 0))
    ]
    assert max(rounds) > 1
    assert agrees(one_source_three_sinks(F(1, 100), (0, 1, 2)), F(6, 5)) == 1


def assignment(size: int, gap: Fraction, seed: int) -> LabelledMarkovChain:
    """i0, i1, … are matched with j0, j1, …; all costs lie within a few gaps of each other."""
    random = Random(seed)
    states: States = {}
    for side, height in (("i", F(3, 4)), ("j", F(1, 4))):
        for k in range(size):
            up = height + gap * random.randint(0, 9)
            states[f"{side}{k}"] = ("m", {"A": up, "B": F(1, 5) * (1 - up), "C": F(4, 5) * (1 - up)})
    for name, side in (("s", "i"), ("t", "j")):
        weights = [random.randint(1, 3) for _ in range(size)]
        entered: dict[str, Number] = {f"{side}{k}": F(w, 4 * sum(weights)) for k, w in enumerate(weights)}
        states[name] = ("a", {"z": F(3, 4), **entered})
    return LabelledMarkovChain.of({**states, **sinks("ABCz")})


@pytest.mark.family
@pytest.mark.parametrize("alpha", [F(1), F(6, 5)])
@pytest.mark.parametrize("digits", [12, 15, 30])
def test_assignments_of_nearly_equal_cost(digits: int, alpha: Fraction) -> None:
    for seed in thinned(range(6), 3):
        chain = assignment(4, F(1, 10**digits), seed)
        found = verified(distances(chain, alpha))
        assert found.lower == solved_alone(chain, alpha)


def solved_alone(chain: LabelledMarkovChain, alpha: Fraction) -> dict[tuple[str, str], Fraction]:
    d = full(chain, solved(chain, alpha, guided=False).table)
    return {(s, t): d[m][n] for (m, s), (n, t) in product(enumerate(chain.states), enumerate(chain.states))}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_assignments_against_the_oracle(seed: int) -> None:
    for gap, alpha in product(GAPS, ALPHAS):
        agrees(assignment(3, gap, seed), alpha)


@pytest.mark.family
@pytest.mark.parametrize("gap", GAPS)
@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_a_detour_that_is_as_good_as_the_direct_arc_up_to_the_gap(sign: int, gap: Fraction) -> None:
    # At α = 3/2 the outside state k brings ld(s,t) to 0; what it is worth changes with its probability.
    states = {**THREE_RUNGS, "k": ("b", {"A": str(F(3, 10) + sign * gap), "B": str(F(7, 10) - sign * gap)})}
    chain = LabelledMarkovChain.of(states)
    agrees(chain, F(3, 2))
    value = verified(distance(chain, "s", "t", "3/2")).value
    assert value is not None
    assert (value == 0) == (sign == 0)
    if sign:
        assert 0 < value < 3 * gap


@pytest.mark.parametrize("digits", [12, 40, 400, 4000])
def test_alpha_just_below_the_kernel(digits: int) -> None:
    # 3/5 − α 2/5 of the mass stays behind.
    chain = LabelledMarkovChain.of(
        {"s": ("a", {"u": "3/5", "v": "2/5"}), "t": ("a", {"u": "2/5", "v": "3/5"}), **sinks("uv")}
    )
    gap = F(1, 10**digits)
    assert verified(distance(chain, "s", "t", F(3, 2) - gap)).value == gap * F(2, 5)
    assert verified(distance(chain, "s", "t", F(3, 2))).value == 0
    assert verified(distance(chain, "s", "t", F(3, 2) + gap)).value == 0
    assert verified(distance(chain, "s", "t", F(3, 2) - gap, kind="kernel")).value == 1


@pytest.mark.family
@pytest.mark.parametrize("digits", [6, 12, 18, 40, 300])
def test_chains_that_hardly_ever_end(digits: int) -> None:
    # With the leak the linear systems are nearly singular; the distances do not depend on it much.
    leak = F(1, 10**digits)
    states: States = {
        "s": ("a", {"t": 1 - leak, "A": leak}),
        "t": ("a", {"u": 1 - leak, "B": leak}),
        "u": ("a", {"s": F(1, 2) - leak, "t": F(1, 2), "A": leak / 3, "B": leak - leak / 3}),
    }
    chain = LabelledMarkovChain.of({**states, **sinks("AB")})
    for alpha in (F(1), F(21, 20), F(3, 2)):
        agrees(chain, alpha)


# Long and large numbers


def long_rows(digits: int, seed: int) -> LabelledMarkovChain:
    random = Random(seed)

    def row(successors: list[str]) -> dict[str, Number]:
        weights = {name: random.randint(1, 10**digits) for name in successors}
        return {name: F(weight, sum(weights.values())) for name, weight in weights.items()}

    names = ["m0", "m1", "m2"]
    states: States = {name: ("m", row([*random.sample(names, 2), "A"])) for name in names}
    return LabelledMarkovChain.of({**states, "s": ("a", row(names)), "t": ("a", row(names)), **sinks("A")})


@pytest.mark.family
@pytest.mark.parametrize("alpha", [F(1), F(6, 5), F(10**40 + 1, 10**40), F(10**1000 + 7, 10**1000)])
def test_denominators_of_a_thousand_digits(alpha: Fraction) -> None:
    chain = long_rows(1100, seed=1)
    found = verified(distances(chain, alpha))
    assert found.exact
    assert any(value.denominator > 10**1100 for value in found.lower.values())
    if alpha == F(6, 5):
        agrees(chain, alpha)


def test_the_longest_numbers_that_models_may_have() -> None:
    tiny = F(1, 10**9999)
    states: States = {"s": ("a", {"A": tiny, "z": 1 - tiny}), "t": ("a", {"z": 1})}
    chain = LabelledMarkovChain.of({**states, **sinks("Az")})
    assert verified(distance(chain, "s", "t", 3)).value == tiny
    assert verified(distance(chain, "t", "s", 1)).value == tiny
    assert verified(distance(chain, "t", "s", 1 + 2 * tiny)).value == 0


@pytest.mark.family
@pytest.mark.parametrize("alpha", [1 + F(1, 10**40), F(10**6), F(10**12), F(10**100), F(10**300)])
def test_alphas_near_one_and_far_from_it(alpha: Fraction) -> None:
    agrees(LabelledMarkovChain.of(THREE_RUNGS), alpha)
    agrees(one_source_three_sinks(F(1, 10**30), (1, 2, 0)), alpha)


def steep_rungs(alpha: Fraction) -> LabelledMarkovChain:
    """From rung to rung the probability of A falls by α: neighbours are related, others are far apart."""
    steps: States = {
        f"r{k}": ("m", {"A": 1 / alpha**k - 1 / (2 * alpha**4), "z": 1 - 1 / alpha**k + 1 / (2 * alpha**4)})
        for k in range(4)
    }
    ends: States = {
        "s": ("a", {"r0": 1 / alpha**4, "z": 1 - 1 / alpha**4}),
        "t": ("a", {"r2": 1 / alpha**2, "z": 1 - 1 / alpha**2}),
    }
    return LabelledMarkovChain.of({**steps, **ends, **sinks("Az")})


@pytest.mark.family
@pytest.mark.parametrize("alpha", [F(11, 10), F(10), F(10**6), F(10**30)])
def test_detours_at_steep_alphas(alpha: Fraction) -> None:
    agrees(steep_rungs(alpha), alpha)
    agrees(steep_rungs(alpha), alpha * F(10**12 - 1, 10**12))


# Degenerate models


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", ["1", "3/2"])
@pytest.mark.parametrize(
    ("labels", "value"),
    [("a", 0), ("aaa", 0), ("abc", 1)],
)
def test_absorbing_states_alone(kind: str, alpha: str, labels: str, value: int) -> None:
    chain = LabelledMarkovChain.of(
        {f"s{k}": (label, {f"s{k}": 1}) for k, label in enumerate(labels)}, [("s0", f"s{len(labels) - 1}")]
    )
    given = None if kind == "bisimilarity" else alpha
    found = verified(distances(chain, given, kind=kind))
    assert all(distance == (value if s != t else 0) for (s, t), distance in found.lower.items())
    assert verified(distance(chain, alpha=given, kind=kind)).value == value
    assert found.exact


@pytest.mark.parametrize("kind", KINDS)
def test_one_label_for_all_states_makes_them_all_bisimilar(kind: str) -> None:
    chain = LabelledMarkovChain.of(
        {f"s{k}": ("a", {f"s{(k + j) % 5}": F(1, 3) for j in (1, 2, 4)}) for k in range(5)}
    )
    found = verified(distances(chain, None if kind == "bisimilarity" else "1", kind=kind))
    assert set(found.lower.values()) == {0}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "bisimilarity"])
def test_rows_without_a_common_label(kind: str) -> None:
    chain = LabelledMarkovChain.of({"s": ("a", {"A": 1}), "t": ("a", {"B": 1}), **sinks("AB")})
    found = verified(distances(chain, "1000", kind=kind))
    assert found.lower["s", "t"] == found.lower["t", "s"] == 1


def test_equal_rows_under_equal_labels() -> None:
    row: dict[str, Number] = {"A": "1/3", "s": "1/3", "t": "1/3"}
    chain = LabelledMarkovChain.of({"s": ("a", row), "t": ("a", row), **sinks("A")})
    solution = solve_exactly(draft(whole(chain, F(5, 4))))
    assert set(solution.table.numerators.values()) == {0}
    assert solution.bases == {}
    assert verified(distance(chain, "s", "t", "5/4")).value == 0
