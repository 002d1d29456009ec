"""Accounts of several mechanisms against product chains, and for the worst of related pairs."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import pytest

import prover
from prover.accounting import certificates, lattice
from prover.accounting.account import Account, Questions, account
from prover.accounting.certificates import Certifiable, certifiable, proofs_of
from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.errors import TooManyAtoms
from prover.accounting.evidence import products
from prover.accounting.evidence.work import exact_work, least_exact_work
from prover.accounting.mechanism import DEFAULT_GAP, Mechanism
from prover.accounting.sums import EnclosedComposition, ExactComposition
from prover.certificate.check.accounts.sums import summed_delta
from prover.certificate.check.accounts.tally import Tally
from prover.certificate.check.budget import Budget
from prover.certificate.errors import TooMuchWork
from prover.certificate.schema import encode
from prover.chain.arguments import Slope
from prover.chain.unrolling import word_graph
from prover.zoo import pin_checker, randomised_response
from tests.accounting.chains import asymmetric
from tests.certificate.accounts_samples import murky
from tests.refusals import refuses

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
    with refuses("only-enclosed", match="only bounds of delta are known"):
        account([part], Questions(), exact=True)


def test_where_exact_products_take_too_long_to_check(monkeypatch: pytest.MonkeyPatch) -> None:
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=9)
    questions = Questions((), (F(1, 1000),))
    exact = account([coin], questions)
    assert certifiable([coin], questions) == Certifiable(exact)
    monkeypatch.setattr(products, "exact_work", lambda *_: 10**15)
    enclosed = certifiable([coin], questions)
    assert (enclosed.why, enclosed.enclosed) == (None, True)
    found = enclosed.account
    truth, least = exact.epsilon("1/1000").alpha, found.epsilon("1/1000")
    assert truth is not None
    assert least.alpha_lower is not None
    assert least.alpha_upper is not None
    assert least.alpha_lower <= truth <= least.alpha_upper <= least.alpha_lower * (1 + DEFAULT_GAP)
    proof, none = proofs_of(found, questions)
    assert proof is not None
    assert none is None
    assert prover.verify(proof).startswith("composition alpha=")
    refused = certifiable([coin], Questions((slope("1" + 300 * "0"),)))
    assert isinstance(refused.why, TooMuchWork)
    assert refused.account.exact
    known = {None: exact, False: found}
    monkeypatch.setattr(certificates, "account", lambda *_, exact, **__: known[exact])
    monkeypatch.setattr(Questions, "width", lambda *_: None)
    assert isinstance(certifiable([coin], questions).why, TooMuchWork)


def test_the_answers_of_ten_thousand_runs_are_exact_and_certified() -> None:
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=10_000)
    questions = Questions((), (F(1, 10**6),))
    found = certifiable([coin], questions)
    assert (found.why, found.enclosed, found.account.exact) == (None, False, True)
    proof, _ = proofs_of(found.account, questions)
    assert proof is not None
    assert prover.verify(proof).startswith("composition alpha=")


def test_runs_with_numbers_too_long_to_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums are rounded then, and the certificate is as before."""
    coin = Mechanism.of_known("randomised-response", {"q": "1/2", "values": 3}, times=300)
    part = [coin, Mechanism.of_known("approximate", {"alpha": "3", "delta": "1/10000"}, times=2)]
    questions = Questions((), (F(1, 1000),))
    truth = account(part, questions).epsilon("1/1000").alpha
    assert truth is not None
    monkeypatch.setattr(lattice, "MOST_BITS", 10_000)
    found = certifiable(part, questions)
    assert (found.why, found.enclosed, found.account.exact, found.account.grid) == (None, False, False, None)
    least = found.account.epsilon("1/1000")
    assert least.alpha_lower is not None
    assert least.alpha_upper is not None
    assert least.alpha_lower <= truth <= least.alpha_upper < least.alpha_lower * (1 + F(1, 10**40))
    proof, _ = proofs_of(found.account, questions)
    assert proof is not None
    assert prover.verify(proof).startswith("composition alpha=")


def test_what_no_certificate_can_say_is_known_from_coarse_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ε of 10,000 answers is some 3,000, and e^ε has more digits than masses on a grid."""
    for one in (ExactComposition, EnclosedComposition):
        monkeypatch.setattr(one, "of", refused_sums)
    coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=10_000)
    looked: list[int] = []

    def look(some: Account) -> None:
        looked.extend(
            one.grid.steps for one in some.compositions if isinstance(one, EnclosedLossDistribution)
        )

    found = certifiable([coin], Questions((), (F(1, 10**6),)), on_account=look)
    assert isinstance(found.why, TooMuchWork)
    assert {*looked} == {50}


def refused_sums(*_: object) -> None:
    raise TooManyAtoms("nothing")


def test_grids_are_no_finer_than_checkers_can_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (ExactComposition, EnclosedComposition):
        monkeypatch.setattr(one, "of", refused_sums)
    noise = Mechanism.of_known("discrete-laplace", {"q": "99/100"}, times=1000)
    questions = Questions((slope("2"),))
    wanted = account([noise], questions, gap="1e-9", exact=False)
    for module in (certificates, products):
        monkeypatch.setattr(module, "MOST_WORK", 2 * 10**7)
    found = certifiable([noise], questions, gap="1e-9")
    assert found.why is None
    steps = [one.compositions[0].grid.steps for one in (wanted, found.account)]  # type: ignore[union-attr]
    assert 50 < steps[1] < steps[0]
    assert 0 < questions.width(found.account) < F(1, 100)  # type: ignore[operator]


@pytest.mark.parametrize("times", [1, 2, 7, 64, 100])
def test_the_work_of_an_exact_product_is_bounded_before(times: int) -> None:
    mechanisms = [
        Mechanism.of_known("randomised-response", {"q": "1/3", "values": 3}, times=times),
        Mechanism.of_known("discrete-laplace", {"q": "1/2", "sensitivity": 3}, times=3),
        Mechanism.of_laws({"x": "1/3", "y": "2/3"}, {"x": "1/5", "y": "4/5"}, times=2),
    ]
    parts = [(one.forward[0].loss, one.times) for one in mechanisms]
    for count in (1, 2, 3):
        assert 0 < least_exact_work(parts[:count]) <= exact_work(parts[:count], (2, 3, 5), F(2), 1)
        composed = ExactComposition.of(parts[:count])
        for alpha in (F(1), F(2), F(9, 7)):
            near = composed.above(alpha * F(999, 1000)) - composed.above(alpha * F(1001, 1000))
            work, tally = (exact_work(parts[:count], (2, 3, 5), alpha, near), Tally(Budget(0), 10**10))
            laws = [([(atom.ratio, atom.p) for atom in loss.atoms], n) for loss, n in parts[:count]]
            value = summed_delta(laws, alpha.as_integer_ratio(), (2, 3, 5), tally)
            assert F(*value) == composed.delta(alpha)
            assert 10**10 - tally.units <= work
    coin = [(LossDistribution.randomised_response("1/2"), 10 * times)]
    assert least_exact_work(coin) <= exact_work(coin, (2,), F(2), 1) <= 40 * least_exact_work(coin)
    assert least_exact_work([*parts, (LossDistribution.of_laws({"x": 1}, {"y": 1}), 1)]) == 0


def test_what_is_refused() -> None:
    for name, parameters in (
        ("laplace", {"q": "1/2"}),
        ("discrete-laplace", {}),
        ("discrete-laplace", {"q": "1/2", "width": 3}),
        ("discrete-laplace", {"q": "1/2", "bound": "5/2"}),
        ("approximate", {"alpha": "1/2", "delta": 0}),
    ):
        with refuses("bad-mechanism"):
            Mechanism.of_known(name, parameters)  # type: ignore[arg-type]
    with refuses("bad-mechanism"):
        account([], Questions())
    with refuses("too-many-choices"):
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


def test_secrets_that_decide_nothing_stay_on_a_coarse_grid() -> None:
    weights = range(1, 13)
    p = {k: F(weight, 78) for k, weight in enumerate(weights)}
    q = {k: F(1 + weight**2 % 7, 39) for k, weight in enumerate(weights)}
    part, questions = Mechanism.of_laws(p, q, times=6), Questions((slope("20"),), (F(1, 100),))
    fast, whole = (
        account([part], questions, exact=False, gap="1/20000", everywhere=everywhere)
        for everywhere in (False, True)
    )
    grids = [one.grid for one in fast.compositions if isinstance(one, EnclosedLossDistribution)]
    assert len(set(grids)) == 2
    assert fast.grid == whole.grid
    assert fast.delta(slope("20")) == whole.delta(slope("20"))
    assert fast.epsilon("1/100") == whole.epsilon("1/100")
    wide, narrow = (one.delta(slope("3/2")) for one in (fast, whole))
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]
    first, second = (proofs_of(found, Questions((slope("20"),))) for found in (fast, whole))
    assert first == second


def test_certificates_are_made_once() -> None:
    noise = Mechanism.of_known("discrete-laplace", {"q": "3/4", "sensitivity": 2}, times=3)
    questions = Questions((slope("5/4"),))
    found = account([noise], questions, exact=False, gap="1/50")
    with patch("prover.accounting.certificates.encode", wraps=encode) as encoded:
        first = proofs_of(found, questions)
        assert proofs_of(found, questions) == first
    assert encoded.call_count == 1
