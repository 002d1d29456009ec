"""Accounts of several mechanisms against product chains, and for the worst of related pairs."""

from __future__ import annotations

from fractions import Fraction

import pytest

import prover
from prover.accounting import certificates
from prover.accounting.account import DEFAULT_GAP, Mechanism, Questions, account
from prover.accounting.certificates import proofs_of, provable
from prover.accounting.distribution import LossDistribution
from prover.accounting.errors import BadMechanism, OnlyEnclosed, TooManyAtoms, TooManyChoices
from prover.certificate.schema import TooMuchWork
from prover.chain.arguments import Slope
from prover.chain.unrolling import word_graph
from prover.zoo import pin_checker, randomised_response
from tests.accounting.chains import asymmetric
from tests.certificate.accounts_samples import murky

F = Fraction


def slope(alpha: str) -> Slope:
    return Slope.of_alpha(F(alpha))


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("alpha", ["1", "11/10", "3/2", "9/4", "40"])
def test_the_worst_pair_and_direction_after_composition(times: int, alpha: str) -> None:
    chain = asymmetric()
    found = account([Mechanism.of(chain, times=times)], Questions())
    assert found.exact
    expected = prover.delta(prover.repeat(chain, times), alpha=alpha).value
    assert found.delta(slope(alpha)) == (expected, expected)


def test_pairs_of_different_mechanisms_are_combined() -> None:
    first, second = asymmetric(), randomised_response()
    found = account([Mechanism.of(first), Mechanism.of(second)], Questions())
    both = prover.product(first, second, related="both")
    for alpha in ("1", "5/4", "3"):
        expected = prover.delta(both, alpha=alpha).value
        assert found.delta(slope(alpha)) == (expected, expected)
    named = account([Mechanism.of(first, "s", "u"), Mechanism.of(second, "a", "b")], Questions())
    expected = prover.delta(both, "(s,a)", "(u,b)", alpha="5/4").value
    assert named.delta(slope("5/4")) == (expected, expected)


def test_exact_and_on_a_grid() -> None:
    parts = [
        Mechanism.of(pin_checker(), "0", "1", times=3),
        Mechanism.of_known("discrete-laplace", {"q": "3/4", "bound": 9}, times=5),
        Mechanism.of_known("approximate", {"alpha": "11/10", "delta": "1/1000"}, times=2),
    ]
    exact = account(parts, Questions())
    asked = Questions((slope("2"),), (F(1, 5),))
    close = account(parts, asked, gap="1e-4", exact=False)
    assert exact.exact
    assert not close.exact
    truth, (low, high) = exact.delta(slope("2"))[0], close.delta(slope("2"))
    assert low <= truth <= high <= low + F(1, 10**4)
    truth_alpha, least = exact.epsilon("1/5").alpha, close.epsilon("1/5")
    assert truth_alpha is not None
    assert least.alpha_lower is not None
    assert least.alpha_upper is not None
    assert least.alpha_lower <= truth_alpha <= least.alpha_upper <= least.alpha_lower * F(10001, 10000)
    assert exact.infinite == exact.delta(slope("1" + 90 * "0"))[0]
    assert exact.epsilon(exact.infinite / 2).impossible


def test_between_two_distributions_the_product_chain_is_enclosed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_graph, "MOST_NODES", 0)
    monkeypatch.setattr(word_graph, "MOST_OPENED", 1)
    chain = murky()
    part = Mechanism.of(chain, times=2)
    monkeypatch.undo()
    assert part.forward[0].upper is not None
    slopes = [slope(alpha) for alpha in ("1", "11/10", "3/2", "9/4")]
    found = account([part], Questions(tuple(slopes)), gap="1/1000")
    assert not found.exact
    for one in slopes:
        truth = prover.delta(prover.repeat(chain, 2), alpha=one.upper)
        low, high = found.delta(one)
        assert low <= truth.lower == truth.upper <= high
    assert found.delta(slopes[1])[0] < found.delta(slopes[1])[1]
    with pytest.raises(OnlyEnclosed, match="only between bounds"):
        account([part], Questions(), exact=True)


def test_where_exact_products_take_too_long_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=9)
    questions = Questions((), (F(1, 1000),))
    exact = account([coin], questions)
    assert provable(exact, questions) is exact
    monkeypatch.setattr(certificates, "exact_work", lambda *_: 10**15)
    found = provable(exact, questions)
    truth, least = exact.epsilon("1/1000").alpha, found.epsilon("1/1000")
    assert truth is not None
    assert least.alpha_lower is not None
    assert least.alpha_upper is not None
    assert least.alpha_lower <= truth <= least.alpha_upper <= least.alpha_lower * (1 + DEFAULT_GAP)
    proof, none = proofs_of(found, questions)
    assert proof is not None
    assert none is None
    assert prover.verify(proof).startswith("composition alpha=")
    with pytest.raises(TooMuchWork):
        provable(exact, Questions((slope("1" + 300 * "0"),)))
    monkeypatch.setattr(certificates, "account", lambda *_, **__: found)
    monkeypatch.setattr(Questions, "width", lambda *_: None)
    with pytest.raises(TooMuchWork):
        provable(exact, questions)


def test_what_is_refused() -> None:
    for name, parameters in (
        ("laplace", {"q": "1/2"}),
        ("discrete-laplace", {}),
        ("discrete-laplace", {"q": "1/2", "width": 3}),
        ("discrete-laplace", {"q": "1/2", "bound": "5/2"}),
        ("approximate", {"alpha": "1/2", "delta": 0}),
    ):
        with pytest.raises(BadMechanism):
            Mechanism.of_known(name, parameters)  # type: ignore[arg-type]
    with pytest.raises(BadMechanism):
        account([], Questions())
    with pytest.raises(TooManyChoices):
        account([Mechanism.of(asymmetric())] * 8, Questions())


def test_exact_is_refused_where_it_is_too_large() -> None:
    weights = [50 + (37 * k) % 50 for k in range(50)]
    p = {k: F(weight, sum(weights)) for k, weight in enumerate(weights)}
    q = {k: F(weight, sum(weights)) for k, weight in enumerate(reversed(weights))}
    part = Mechanism.of_laws(p, q, times=40)
    with pytest.raises(TooManyAtoms):
        account([part], Questions(), exact=True)
    found = account([part], Questions((slope("4"),)), gap="1e-3")
    low, high = found.delta(slope("4"))
    assert 0 < high - low <= F(1, 1000)
    assert LossDistribution.of_laws(p, q).delta(4) < low
