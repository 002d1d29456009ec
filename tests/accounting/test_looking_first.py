"""What one pair of a relation proves of the largest answer, before all pairs are explored."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import prover
from prover import progress
from prover.accounting.enclosed_tradeoff import EnclosedTradeOff
from prover.accounting.mechanism import Mechanism
from prover.accounting.profile_certificates import profile_certificate
from prover.chain import privacy_profile, secrets
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling import beliefs
from prover.zoo import dining_cryptographers
from tests.certified import proved

F = Fraction
CHAIN = dining_cryptographers(n=4, p="2/5")
ENDLESS = LabelledMarkovChain.of(
    {
        "A": ("s", {"A": "1/2", "x": "1/2"}),
        "B": ("s", {"A": "1/4", "B": "1/4", "x": "1/4", "y": "1/4"}),
        "C": ("s", {"C": "1/5", "y": "4/5"}),
        "x": ("x", {"x": "1"}),
        "y": ("y", {"y": "1"}),
    },
    [("A", "B"), ("B", "C"), ("A", "C")],
)
CHAINS = pytest.mark.parametrize("chain", [CHAIN, ENDLESS], ids=["finite", "endless"])
SOON = pytest.mark.usefixtures("soon")


@pytest.fixture(params=["at once", "later"])
def soon(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """One pair is looked into before all others, or after the first piece of work."""
    if request.param == "at once":
        monkeypatch.setattr(secrets, "_LARGE", 1)
    else:
        monkeypatch.setattr(secrets, "MOST_SOON", 1)


def answers(ask: Callable[..., Any], hear: str, *given: Any, **options: Any) -> tuple[Any, Any]:
    """The first answer on the way, and the last."""
    heard: list[Any] = []
    last = ask(*given, **options, **{hear: heard.append})
    return heard[0], last


@SOON
@CHAINS
def test_delta(chain: LabelledMarkovChain) -> None:
    for more in ({"alpha": "1"}, {"epsilon": "1/10"}):
        first, last = answers(prover.delta, "on_interval", chain, **more)
        assert 0 < first.lower <= last.lower <= last.upper <= first.upper <= 1
        assert F(proved(first.lower_certificate)["claim"]["lower"]) == first.lower
        assert F(proved(first.certificate)["claim"]["upper"]) == first.upper
        assert first.attack is not None


def test_couplings_bound_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of ld from one pass, after some work."""
    monkeypatch.setattr(secrets, "MOST_SOON", 1)
    heard: list[prover.Delta] = []
    last = prover.delta(CHAIN, alpha="6/5", on_interval=heard.append)
    found = [one for one in heard if one.upper < 1]
    assert found
    assert last.upper <= found[0].upper
    assert found[0].origin.kind == "ld"
    document = proved(found[0].certificate)
    assert document["claim"]["upper"] == str(found[0].upper)
    assert document["evidence"]["distance"]["rows"]


@SOON
@CHAINS
def test_epsilon(chain: LabelledMarkovChain) -> None:
    heard: list[Any] = []
    last = prover.epsilon_for(chain, delta="1/1000", limit=1000, on_interval=heard.append)
    first = heard[0]
    assert first.alpha_upper is None
    assert 1 < first.alpha_lower <= last.alpha_lower
    assert first.lower_certificate is not None
    claim = proved(first.lower_certificate)["claim"]
    assert F(claim["lower"]) > F(1, 1000)
    assert F(claim["alpha"]) > 1
    assert all(one.alpha_lower >= first.alpha_lower for one in heard)


@SOON
@CHAINS
def test_curve(chain: LabelledMarkovChain) -> None:
    asked = {"alphas": ["1", "5/4"], "bounds": False, "provable": True}
    first, last = answers(privacy_profile.curve, "on_curve", chain, **asked)
    assert first.leaves_out_pairs
    assert not last.leaves_out_pairs
    for one, other in zip(first, last, strict=True):
        assert one.lower <= other.lower <= other.upper <= one.upper == 1
    assert first[0].lower > 0
    claim = proved(profile_certificate(chain, first))["claim"]
    assert F(claim["points"][0][1]) == first[0].lower


@SOON
@CHAINS
def test_divergences(chain: LabelledMarkovChain) -> None:
    first, last = answers(prover.renyi, "on_interval", chain, orders=[2])
    ((one,), (other,)) = first.orders, last.orders
    assert (
        one.moment_lower is None or other.moment_lower is None or 1 < one.moment_lower <= other.moment_lower
    )
    assert one.moment_upper is None
    assert proved(first.certificate)["claim"]["moments"][0][2] == "inf"


@SOON
@CHAINS
def test_runs(chain: LabelledMarkovChain) -> None:
    heard: list[Mechanism] = []
    part = Mechanism.of(chain, times=3, on_coarse=heard.append)
    first, last = (EnclosedTradeOff.of_account([one]) for one in (heard[0], part))
    for half in (F(1, 4), F(1, 2)):
        assert first.fewest.value(half) == 0
        assert last.fewest.value(half) <= first.most.value(half) < 1 - half
    proved(first.certificate)


@SOON
def test_one_pair_alone_is_not_looked_into_before() -> None:
    """Coarsely it is, in a large chain."""
    s, t = CHAIN.relation[0]
    named = secrets.Secrets.of(CHAIN, CHAIN.states[s], CHAIN.states[t], "tv")
    alone = LabelledMarkovChain(CHAIN.states, CHAIN.labels, CHAIN.rows, ((s, t), (t, s)))
    for asked in (named, secrets.Secrets.of(alone, None, None, "tv")):
        assert asked.look_first(progress.silent, lambda _: pytest.fail("looked into")) is progress.silent
    seen: list[secrets.Secrets] = []
    named.look_first(progress.silent, seen.append, coarsely=True)
    assert all(one.part is not None and one.few(1_000) < 100 for one in seen)
    assert len(seen) == (secrets._LARGE == 1)
    assert named.few(1_000) == 1_000


def test_a_large_chain_is_looked_at_coarsely(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pair alone, with few belief pairs, before the chain is divided."""
    monkeypatch.setattr(secrets, "_LARGE", 1)
    pair = "B", "C"
    first, last = answers(prover.delta, "on_interval", ENDLESS, *pair, "1")
    assert 0 < first.lower <= last.lower <= last.upper <= first.upper
    proved(first.certificate)
    least, _ = answers(prover.epsilon_for, "on_interval", ENDLESS, *pair, "1/1000")
    assert least.alpha_lower > 1
    asked = {"alphas": ["1", "5/4"], "bounds": False, "provable": True}
    rough, exact = answers(privacy_profile.curve, "on_curve", ENDLESS, *pair, **asked)
    for one, other in zip(rough, exact, strict=True):
        assert 0 < one.lower <= other.upper <= one.upper
        assert other.upper - other.lower < one.upper - one.lower
    proved(profile_certificate(ENDLESS, rough))
    divergences, _ = answers(prover.renyi, "on_interval", ENDLESS, *pair, [2])
    proved(divergences.certificate)
    heard: list[Mechanism] = []
    Mechanism.of(ENDLESS, *pair, times=3, on_coarse=heard.append)
    proved(EnclosedTradeOff.of_account(heard[:1]).certificate)


def test_pairs_that_are_not_looked_into() -> None:
    """Nothing is known of them but that their labels are equal."""
    merged = beliefs.MergedSystem.as_it_is(CHAIN, CHAIN.relation[:1])
    assert merged.classes_evidence() == {}
    assert merged.is_looked_into(CHAIN.relation[0])
    assert not merged.is_looked_into(CHAIN.relation[0][::-1])
    some = beliefs.MergedSystem.of(CHAIN).of_some(CHAIN.relation[:1])
    assert some.looked == frozenset([some.pair(CHAIN.relation[0])])


def test_the_secrets_that_are_looked_at_first_are_no_neighbours() -> None:
    """The first of ten diners and the one opposite, who differ more than neighbours do."""
    diners = dining_cryptographers(n=10)
    s, t = secrets.Secrets.of(diners, None, None, "tv").far_pair
    assert (diners.states[s], diners.states[t]) == ("start(0)", "start(5)")
    far, near = (
        prover.delta(diners, "start(0)", f"start({k})", alpha="1.0002", gap=F(1, 10**4)) for k in (5, 1)
    )
    assert far.lower > near.upper
