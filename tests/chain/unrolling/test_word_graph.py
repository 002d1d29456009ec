"""Graphs of the belief pairs that weigh most, and the bounds of δ that they give."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import pytest

from prover.chain.breakpoints import ending_bounds, endings
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.chain.unrolling import word_graph
from prover.chain.unrolling.word_graph import explored_within
from prover.zoo import dining_cryptographers, pin_checker, random_chain, randomised_response
from tests.certificate.accounts_samples import murky

F = Fraction
ALPHAS = [F(k, 8) for k in range(1, 40)]


def delta(ends: Iterable[tuple[Fraction, Fraction]], alpha: Fraction) -> Fraction:
    """At any α ≥ 0, what the second secret never leads to included."""
    return sum((max(F(0), x - alpha * y) for x, y in ends), F(0))


@pytest.mark.parametrize("opened", [1, 3, 12])
@pytest.mark.parametrize(
    "chain",
    [pin_checker(), murky(), dining_cryptographers(3), randomised_response(answers=2)],
    ids=["pin", "murky", "dining", "answers"],
)
def test_what_is_known_exactly_is_enclosed(
    chain: LabelledMarkovChain, opened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = Secrets.of(chain, None, None, "tv")
    for pair in secrets.directions[:4]:
        alike = secrets.merged.pair(pair)
        exact = list(endings(secrets.merged, alike))
        with monkeypatch.context() as patch:
            patch.setattr(word_graph, "MOST_NODES", 0)
            patch.setattr(word_graph, "MOST_CYCLIC_NODES", 0)
            patch.setattr(word_graph, "MOST_OPENED", opened)
            found = ending_bounds(secrets.merged, alike, F(0))
        for alpha in ALPHAS:
            truth = delta(exact, alpha)
            assert delta(found.lower, alpha) <= truth <= delta(found.upper, alpha)
            if alpha >= 1:
                low, high = found.delta(alpha)
                assert 0 <= low <= truth <= high <= 1
        assert sum(x for x, _ in found.lower) == sum(x for x, _ in found.upper) == 1
        assert all(sum(y for _, y in ends) <= 1 for ends in (found.lower, found.upper))


def test_as_much_is_looked_at_as_the_width_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_graph, "MOST_CYCLIC_NODES", 20)
    chain = random_chain(states=10, labels=3, degree=3, seed=1)
    same = [s for s in range(10) if chain.labels[s] == chain.labels[0]]
    secrets = Secrets.of(chain, chain.states[0], chain.states[same[1]], "tv")
    alike, before = secrets.merged.pair(secrets.pairs[0]), 0
    for width in (F(1, 10), F(1, 10**4), F(1, 10**8)):
        graph = explored_within(secrets.merged, alike, width)
        assert any(one.is_open for one in graph)
        assert len(graph) > before
        before = len(graph)
        found = ending_bounds(secrets.merged, alike, width)
        for alpha in ALPHAS:
            assert delta(found.upper, alpha) - delta(found.lower, alpha) <= width
