"""Distances are the same whether symmetries are used or not, and so is what certificates prove."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings

import prover
from prover.certificate.expansion import written_out
from prover.certificate.schema import Certificate, encode
from prover.chain import dispatch
from prover.chain.answer import DistanceTable
from prover.chain.model import LabelledMarkovChain
from prover.chain.symmetry import generators
from prover.zoo import dining_cryptographers
from tests.certificate.judge import accepts
from tests.chain.symmetry.rings import ring, rings

KINDS = ("ld", "bd", "kernel")


def table(chain: LabelledMarkovChain, kind: str, least: int, max_bits: int | None = None) -> DistanceTable:
    """All distances; symmetries are looked for from so many pairs on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "MANY_PAIRS", least)
        return prover.distances(chain, alpha="6/5", kind=kind, max_bits=max_bits)


def confirm(certificate: Certificate, line: str) -> None:
    """The checker and the judge accept it, and also the certificate in which every pair has a row."""
    whole = json.loads(certificate.data)
    assert whole["evidence"]["symmetries"]
    assert prover.verify(certificate) == line
    assert accepts(whole)
    plain = encode(whole["claim"], whole["model"], written_out(whole["evidence"]))
    assert b"symmetries" not in plain.data
    assert prover.verify(plain) == line


@pytest.mark.thorough
@given(rings())
@settings(max_examples=max(1, settings().max_examples // 20))
def test_the_same_distances(made: tuple[LabelledMarkovChain, tuple[int, ...]]) -> None:
    chain, turned = made
    for kind in KINDS:
        whole, spread = table(chain, kind, 10**9), table(chain, kind, 0)
        assert (spread.lower, spread.upper) == (whole.lower, whole.upper)
        confirm(spread.certificate, prover.verify(whole.certificate))
        for s, name in enumerate(chain.states):
            for t, other in enumerate(chain.states):
                images = chain.states[turned[s]], chain.states[turned[t]]
                assert spread.upper[name, other] == spread.upper[images]


@pytest.mark.parametrize("kind", ["ld", "bd"])
def test_intervals(kind: str) -> None:
    chain, _ = ring(7)
    exact, enclosed = table(chain, kind, 10**9), table(chain, kind, 0, max_bits=1)
    assert not enclosed.exact
    for pair, value in exact.lower.items():
        assert enclosed.lower[pair] <= value <= enclosed.upper[pair] <= value + Fraction(1, 10**9)
    confirm(enclosed.certificate, prover.verify(enclosed.certificate))


def test_a_single_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, turned = ring(7)
    monkeypatch.setattr(dispatch, "MANY_PAIRS", 0)
    whole = prover.distances(chain, alpha="6/5")
    for s, t in ((0, 1), (1, 2), (turned[1], turned[2])):
        for bounds in ("both", "upper"):
            answer = prover.distance(chain, chain.states[s], chain.states[t], alpha="6/5", bounds=bounds)
            assert answer.lower <= whole.lower[answer.source, answer.target] <= answer.upper
            assert prover.verify(answer.certificate)


@pytest.mark.family
@pytest.mark.parametrize(("kind", "wanted"), [("ld", 200), ("bd", 200), ("ld", 10**9)])
def test_symmetries_are_looked_for_where_many_pairs_are_needed(
    kind: str, wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def count(chain: LabelledMarkovChain) -> tuple[tuple[int, ...], ...]:
        searches.append(len(chain))
        return generators(chain)

    monkeypatch.setattr(dispatch, "generators", count)
    monkeypatch.setattr(dispatch, "MANY_PAIRS", wanted)
    chain = dining_cryptographers(4)
    pair = ("start(0)", "start(1)")
    bound = prover.distance(chain, *pair, alpha="6/5", kind=kind, bounds="upper")
    assert bound.effort["pairs"] < 200
    assert searches == []
    exact = prover.distance(chain, *pair, alpha="6/5", kind=kind)
    assert exact.lower <= bound.upper
    assert len(searches) == (wanted == 200)


def test_small_chains_are_left_alone() -> None:
    chain, _ = ring(7)
    assert b"symmetries" not in prover.distances(chain, alpha="6/5").certificate.data
