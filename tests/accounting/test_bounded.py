"""Compositions between two exact ones: of what an exact ε alone bounds, and of few sums of losses."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import prover
from prover.accounting.account import Questions, account
from prover.accounting.bounded import BoundedComposition, bounded_compositions
from prover.accounting.certificates import certifiable, proofs_of
from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
from prover.accounting.errors import TooManyAtoms
from prover.accounting.mechanism import Mechanism
from prover.accounting.programs import ProgramLosses
from prover.certificate.check.verdict import check
from prover.chain.arguments import Slope
from prover.zoo import randomised_response, svt

F = Fraction
DELTA = F(1, 10**6)
COIN, OTHER = map(prover.LossDistribution.randomised_response, ("1/2", "1/3"))
NOTHING = prover.LossDistribution.of_laws({0: 1}, {0: 1})


def without_tables(at_epsilon: str = "1/10", times: int = 10) -> ProgramLosses:
    """A sparse vector of which only the exact ε is known, with two inputs."""
    found = ProgramLosses.of(svt(), at_epsilon=at_epsilon, times=times, steps=2)
    alone = replace(found, tables={}).by_pure
    assert alone is not None
    return alone


def test_both_ends_are_those_of_exact_compositions() -> None:
    found = BoundedComposition.of([((COIN, OTHER), 3), ((NOTHING, COIN), 1)])
    for alpha in ("1", "3/2", "4", "30"):
        ends = COIN.repeat(3).delta(alpha), OTHER.repeat(3).compose(COIN).delta(alpha)
        assert found.delta(alpha) == ends
    least = found.epsilon("1/10")
    assert least.alpha_lower == COIN.repeat(3).epsilon("1/10").alpha
    assert least.alpha_upper == OTHER.repeat(3).compose(COIN).epsilon("1/10").alpha
    assert found.infinite == 0


def test_what_is_too_long_is_for_grids_unless_losses_are_large() -> None:
    many = [((COIN, OTHER), 100_000)]
    with pytest.raises(TooManyAtoms):
        BoundedComposition.of(many)
    few = prover.LossDistribution.discrete_laplace("1/2", sensitivity=9)
    assert bounded_compositions([[((few, OTHER), 30)]]) is None
    assert bounded_compositions([many]) is None
    large = prover.LossDistribution.randomised_response(F(1, 2**20))
    (found,) = bounded_compositions([[((few, large), 30)]]) or ()
    assert found.delta("2")[0] == 0 < found.delta("2")[1]


def test_an_exact_epsilon_alone_is_composed_exactly() -> None:
    losses = without_tables()
    assert losses.most is not None
    part = Mechanism.of_program(losses, times=10)
    found = certifiable([part], Questions((), (DELTA,))).account
    assert not found.exact
    assert found.grid is None
    response = prover.LossDistribution.randomised_response(1 / losses.most).repeat(10)
    least = found.epsilon(DELTA)
    assert least.alpha_upper == response.epsilon(DELTA).alpha
    assert least.lower is not None
    assert least.upper is not None
    assert 0 < least.lower < least.upper < F(5, 4)
    upper, lower = proofs_of(found, Questions((), (DELTA,)))
    assert upper is not None
    assert lower is not None
    assert "lower=0 upper=1/1000000 part=0" in check(upper.data)
    assert " upper=1 part=0" in check(lower.data)
    for proof, key in ((upper, "pure"), (lower, "inputs")):
        evidence = json.loads(proof.data)["evidence"]
        assert evidence.keys() == {"basis", "parts", "sums"}
        assert evidence["parts"][0].keys() == {key}
    on_grid = account([Mechanism.of_program(replace(losses, uses_pure=False), times=10)], Questions())
    slope = Slope.of_alpha(F(11, 10))
    assert on_grid.delta(slope)[0] <= found.delta(slope)[0]


def test_errors_of_an_exact_epsilon_alone() -> None:
    losses = without_tables()
    assert losses.most is not None
    found = EnclosedTradeOff.of_account([Mechanism.of_program(losses, times=10)])
    response = prover.LossDistribution.randomised_response(1 / losses.most).repeat(10).tradeoff()
    assert response.is_at_least(found.fewest)
    assert found.most.is_at_least(found.fewest)
    for x in ("1/100", "1/10", "1/2"):
        assert 0 <= response.value(x) - found.fewest.value(x) < F(1, 10**12)
    assert found.gaussian[1] is not None
    assert found.lower_certificate is not None
    assert "upper-vertices=2 mu=0," in check(found.certificate.data)
    assert "lower-vertices=2 " in check(found.lower_certificate.data)


def test_with_a_chain() -> None:
    parts = [Mechanism.of_program(without_tables(), times=3), Mechanism.of(randomised_response(), times=2)]
    found = certifiable(parts, Questions((Slope.of_alpha(F(6, 5)),))).account
    assert all(isinstance(one, BoundedComposition) for one in found.compositions)
    upper, lower = proofs_of(found, Questions((Slope.of_alpha(F(6, 5)),)))
    assert upper is not None
    assert lower is not None
    low, high = found.delta(Slope.of_alpha(F(6, 5)))
    assert 0 < low < high < 1
    check(upper.data)
    check(lower.data)
