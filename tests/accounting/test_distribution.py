"""Privacy loss distributions against product chains, sums over outcomes, and binomial formulas."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product as tuples
from math import comb, prod
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import prover
from prover.accounting import lattice
from prover.accounting.distribution import LossDistribution, composition
from prover.accounting.errors import TooManyAtoms
from prover.chain.breakpoints import breakpoints
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.word_graph import TooManyWords
from prover.errors import BeyondLimit
from prover.zoo import (
    crowds,
    dining_cryptographers,
    fig1,
    hidden_loops,
    pin_checker,
    randomised_response,
)
from tests.profiles import examples
from tests.refusals import refuses
from tests.strategies import ending_chains

F = Fraction
Law = dict[int, Fraction]


def law(random: Random, outcomes: int, largest: int = 4) -> Law:
    weights = [random.randint(0, largest) for _ in range(outcomes)]
    weights[random.randrange(outcomes)] += 1
    return {k: F(weight, sum(weights)) for k, weight in enumerate(weights)}


def best_event(p: Law, q: Law, times: int, alpha: Fraction) -> Fraction:
    """Σ over all outcomes of so many runs of max(0, P − α Q)."""
    gains = (prod(p[k] for k in seen) - alpha * prod(q[k] for k in seen) for seen in tuples(p, repeat=times))
    return sum((max(F(0), gain) for gain in gains), F(0))


@examples(60)
@given(st.integers(0, 2**32), st.integers(1, 3), st.fractions(0, 10, max_denominator=12))
def test_repeated_runs_against_all_outcomes(seed: int, times: int, alpha: Fraction) -> None:
    random = Random(seed)
    p, q = (law(random, 4) for _ in range(2))
    loss = LossDistribution.of_laws(p, q).repeat(times)
    assert loss.delta(alpha) == best_event(p, q, times, alpha)
    assert loss.reverse.delta(alpha) == best_event(q, p, times, alpha)
    assert all(atom.p == atom.ratio * atom.q > 0 for atom in loss.atoms)
    assert sum(atom.p for atom in loss.atoms) + loss.infinite == 1
    assert sum(atom.q for atom in loss.atoms) + loss.zero == 1


@given(st.integers(0, 2**32), st.fractions(min_value=F(1, 9), max_value=9, max_denominator=12))
def test_both_directions_tell_the_same(seed: int, alpha: Fraction) -> None:
    random = Random(seed)
    loss = LossDistribution.of_laws(law(random, 5), law(random, 5))
    assert loss.delta(1 / alpha) == 1 - 1 / alpha + loss.reverse.delta(alpha) / alpha
    assert loss.reverse.reverse == loss


@given(st.integers(0, 2**32))
def test_composition_is_commutative_and_associative(seed: int) -> None:
    random = Random(seed)
    a, b, c = (LossDistribution.of_laws(law(random, 3), law(random, 3)) for _ in range(3))
    assert a.compose(b).compose(c) == c.compose(b.compose(a)) == composition([(b, 1), (a, 1), (c, 1)])
    assert a.repeat(5) == a.compose(a).compose(a).compose(a.compose(a))


CHAINS = {
    "crowds": crowds(),
    "fig1": fig1(),
    "pin-checker": pin_checker(),
    "dining-cryptographers": dining_cryptographers(2),
    "randomised-response": randomised_response(),
    "randomised-response, three values": randomised_response(beta=3),
    "randomised-response, two answers": randomised_response(answers=2),
}


@pytest.mark.parametrize(
    ("name", "times"), [(name, n) for name in CHAINS for n in range(1, 2 if name == "crowds" else 5)]
)
def test_against_the_product_chain(name: str, times: int) -> None:
    chain = CHAINS[name]
    try:
        together = prover.repeat(chain, times)
    except BeyondLimit as error:
        pytest.skip(str(error))
    for s, t in sorted(chain.relation)[:2]:
        first, second = chain.states[s], chain.states[t]
        names = [x if times == 1 else f"({','.join([x] * times)})" for x in (first, second)]
        exact = breakpoints(together, *names, kind="lv").delta
        assert LossDistribution.of(chain, first, second).repeat(times).profile() == exact


@examples(25)
@given(ending_chains(layers=2), st.integers(1, 3))
def test_random_chains_against_their_products(chain: LabelledMarkovChain, times: int) -> None:
    together = prover.repeat(chain, times)
    names = ["s", "t"] if times == 1 else [f"({','.join(x * times)})" for x in "st"]
    exact = breakpoints(together, *names, kind="lv").delta
    assert LossDistribution.of(chain, "s", "t").repeat(times).profile() == exact


def test_a_thousand_randomised_responses_against_the_binomial_formula() -> None:
    alpha, n = F(36, 25), 1000
    loss = LossDistribution.of(randomised_response(), "a", "b").repeat(n)
    gains = (F(comb(n, k), 3**n) * (2 ** (n - k) - alpha * 2**k) for k in range(n + 1))
    assert len(loss.atoms) == n + 1
    assert loss.delta(alpha) == sum((max(F(0), gain) for gain in gains), F(0))
    found = loss.epsilon("1e-6")
    assert found.alpha is not None
    assert loss.delta(found.alpha) == F(1, 10**6)
    assert found.upper == F("326.637446376565")


def test_known_mechanisms_are_what_they_say() -> None:
    q = F(2, 3)
    noise = {x: q ** abs(x) * (1 - q) / (1 + q) for x in range(-60, 64)}  # all but some 1e-10 of it
    loss = LossDistribution.discrete_laplace(q, sensitivity=3)
    for alpha in (F(1), F(9, 8), F(2), F(27, 8), F(4)):
        gain = sum(max(F(0), noise[x] - alpha * noise[x - 3]) for x in range(-57, 64))
        assert 0 <= loss.delta(alpha) - gain < F(1, 10**9)
    cut = LossDistribution.discrete_laplace(q, sensitivity=3, bound=5)
    weights = {x: q ** abs(x) for x in range(-5, 6)}
    p = {x: weight / sum(weights.values()) for x, weight in weights.items()}
    shifted = {x + 3: weight for x, weight in p.items()}
    assert cut == LossDistribution.of_laws(p, shifted)
    assert cut.infinite == p[-5] + p[-4] + p[-3]
    third, fourth = LossDistribution.approximate("3/2", "1/7"), LossDistribution.randomised_response("1/5", 6)
    for known in (loss, cut, third, fourth):
        assert known.reverse == known
    assert LossDistribution.randomised_response("1/2") == LossDistribution.of(randomised_response(), "a", "b")


def test_the_dominating_pair_of_approximate_privacy() -> None:
    loss = LossDistribution.approximate("2", "1/10")
    assert loss.delta(2) == F(1, 10)
    assert loss.delta(5) == F(1, 10)
    assert loss.delta(1) == F(1, 10) + F(9, 10) / 3
    assert LossDistribution.approximate(1, 0).delta(1) == 0
    assert LossDistribution.approximate(7, 1).atoms == ()
    assert LossDistribution.approximate(7, 1).repeat(3).delta(10**9) == 1


def test_secrets_of_different_labels_and_equal_secrets() -> None:
    chain = LabelledMarkovChain.of({"s": ("a", {"s": F(1)}), "t": ("b", {"t": F(1)})}, [])
    apart = LossDistribution.of(chain, "s", "t")
    assert not apart.atoms
    assert apart.infinite == apart.zero == 1
    same = LossDistribution.of(chain, "s", "s")
    assert [(str(atom.ratio), str(atom.p)) for atom in same.atoms] == [("1", "1")]
    assert same.repeat(1000).delta(1) == 0
    assert str(same.epsilon(0)) == "the least epsilon with delta <= 0 is 0"
    assert apart.epsilon("1/2").impossible


def test_chains_with_endless_belief_pairs_are_refused() -> None:
    chain = hidden_loops()
    s, t = chain.relation[0]
    with pytest.raises(TooManyWords):
        LossDistribution.of(chain, chain.states[s], chain.states[t])


def test_what_is_refused() -> None:
    loss = LossDistribution.randomised_response("1/2")
    for times in (0, -1, 10**9):
        with refuses("bad-times"):
            loss.repeat(times)
    with refuses("bad-question"):
        loss.delta("-1")
    with refuses("bad-question"):
        loss.delta(0.5)  # type: ignore[arg-type]
    with refuses("bad-distribution"):
        LossDistribution.of_laws({1: "1/2"}, {1: "1"})
    with refuses("bad-distribution"):
        LossDistribution.of_laws({1: "3/2", 2: "-1/2"}, {1: "1"})
    wrong: Callable[[], object]
    for wrong in (
        lambda: LossDistribution.randomised_response("0"),
        lambda: LossDistribution.randomised_response("3/2"),
        lambda: LossDistribution.randomised_response("1/2", 1),
        lambda: LossDistribution.discrete_laplace(1),
        lambda: LossDistribution.discrete_laplace("1/2", 0),
        lambda: LossDistribution.discrete_laplace("1/2", 1, 10**9),
        lambda: LossDistribution.approximate("1/2", 0),
        lambda: LossDistribution.approximate(2, "11/10"),
    ):
        with refuses("bad-mechanism"):
            wrong()


def test_too_many_atoms_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "MOST_ATOMS", 100)
    monkeypatch.setattr(lattice, "MOST_PRODUCTS", 10_000)
    loss = LossDistribution.of_laws(law(Random(1), 12, 97), law(Random(2), 12, 97))
    with pytest.raises(TooManyAtoms):
        loss.repeat(4)
