"""Bounds of large chains that come first: couplings of few pairs, and one event."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

from prover.chain import ahead, dispatch
from prover.chain.answer import Distance, DistanceTable
from prover.chain.distance import distance, distances
from prover.chain.ld.nearby import Nearby
from prover.chain.model import LabelledMarkovChain
from prover.zoo import announced_diners, crowds, dining_cryptographers, herman_ring, random_chain
from tests import oracle
from tests.certified import verified
from tests.strategies import chains

F = Fraction
ALPHA = F(6, 5)
kinds = pytest.mark.parametrize("kind", ["ld", "bd"])


@pytest.fixture(autouse=True)
def every_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 0)


class Enough(Exception):
    """What was waited for has come."""


def until_useful(ask: Any, *arguments: Any, **options: Any) -> list[Any]:
    """The intervals until one says something that labels do not say."""
    seen: list[Any] = []

    def take(answer: Any) -> None:
        seen.append(answer)
        if answer.engine not in ("trivial", "labels"):
            raise Enough

    with pytest.raises(Enough):
        ask(*arguments, alpha=ALPHA, on_interval=take, **options)
    return seen


@kinds
@pytest.mark.parametrize("bounds", ["both", "upper"])
def test_couplings_of_few_pairs_come_first(kind: str, bounds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before all pairs that matter are collected."""
    monkeypatch.setattr(dispatch, "_explored", None)
    *_, found = until_useful(distance, dining_cryptographers(n=6), kind=kind, bounds=bounds)
    assert found.upper < 1
    assert verified(found).lower == 0


@kinds
def test_one_way_from_every_pair_is_enough_to_be_below_one(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A way of six steps is taken with probability 51^6/100^6 at most, and all else counts as 1."""
    monkeypatch.setattr(ahead, "_STAGES", ((0, 1),))
    *_, found = until_useful(distance, dining_cryptographers(n=6), kind=kind)
    assert 1 - F(51, 100) ** 6 <= found.upper < 1
    verified(found)
    monkeypatch.setattr(ahead, "_MOST_FOLLOWED", 100)
    seen: list[Distance] = []
    monkeypatch.setattr(dispatch, "_look_ahead", lambda *_: (_ for _ in ()).throw(Enough))
    with pytest.raises(Enough):
        distance(dining_cryptographers(n=6), alpha=ALPHA, kind=kind, on_interval=seen.append)
    assert [answer.upper for answer in seen] == [1]


@kinds
def test_where_no_upper_bound_is_below_one_an_event_says_so(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = announced_diners(n=3)
    for bounds in ("both", "upper"):
        *_, found = until_useful(distance, chain, kind=kind, bounds=bounds)
        assert found.engine == "unrolling"
        assert verified(found).value == 1
    monkeypatch.setattr(dispatch, "_explored", None)
    answer = distance(chain, alpha=ALPHA, kind=kind, bounds="upper", on_interval=lambda _: None)
    assert verified(answer).value == 1


@kinds
def test_of_many_pairs_one_has_an_event_first(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "_look_ahead", None)
    monkeypatch.setattr(ahead, "MANY_QUERIES", 2)
    monkeypatch.setattr(ahead, "_STAGES", ((0, 1),))
    monkeypatch.setattr(ahead, "_MOST_FOLLOWED", 0)
    *_, found = until_useful(distance, crowds(members=3), kind=kind)
    assert found.from_delta
    assert 0 < verified(found).lower <= F(91, 216)


@kinds
def test_events_are_for_lower_ends(kind: str) -> None:
    """Where only upper bounds are asked for, and one is below 1, none is looked for."""
    for bounds in ("both", "upper"):
        seen: list[Distance] = []
        distance(crowds(members=3), alpha=ALPHA, kind=kind, bounds=bounds, on_interval=seen.append)
        assert any(answer.from_delta for answer in seen) == (bounds == "both")
        assert all(narrow.width <= wide.width for wide, narrow in pairwise(seen))


@kinds
def test_more_work_never_loosens_a_bound(kind: str) -> None:
    chain, both = random_chain(states=9), kind == "bd"
    exact = (oracle.bd if both else oracle.ld)(chain, ALPHA)
    pairs = oracle.alike_pairs(chain)[:3]
    near = Nearby(chain, ALPHA, [*pairs, (0, 0)], both_ways=both)
    before = [F(1)] * len(pairs)
    for goes_on in iter(lambda: near.look(3), False):
        assert goes_on
        table = near.bounds().table
        values = [table.value(pair) if pair in table.numerators else F(1) for pair in pairs]
        assert all(new <= old for new, old in zip(values, before, strict=True))
        assert all(value >= exact[s][t] for value, (s, t) in zip(values, pairs, strict=True))
        before = values
    assert max(before) < 1
    assert not near.open_queries()


@kinds
def test_of_symmetric_pairs_the_row_that_says_most_is_kept(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later evidence has symmetries; what was known above is no worse, and is kept with one row an orbit."""
    monkeypatch.setattr(dispatch, "MANY_PAIRS", 0)
    monkeypatch.setattr(ahead, "_STAGES", ((0, 3_000),))
    seen: list[Distance] = []
    answer = distance(herman_ring(processes=5), alpha=ALPHA, kind=kind, on_interval=seen.append)
    assert answer.value is not None
    assert any("symmetries" in json.loads(one.certificate.data)["evidence"] for one in seen)
    for one in seen:
        assert verified(one).lower <= answer.value <= one.upper
    rounding = F(1, 2**30)
    assert all(narrow.upper <= wide.upper + rounding for wide, narrow in pairwise(seen))


@kinds
def test_tables_of_all_pairs(kind: str) -> None:
    seen: list[DistanceTable] = []
    exact = distances(random_chain(states=12), ALPHA, kind=kind, on_interval=seen.append)
    assert seen[-1].engine == "lp"
    for table in seen:
        verified(table)
        assert all(table.lower[pair] <= exact.lower[pair] <= table.upper[pair] for pair in exact.lower)


def test_mass_goes_to_pairs_that_have_most_in_common_first() -> None:
    """By hand: x, y share their successor, and x, z do not; s → x may be paired with y or z."""
    chain = LabelledMarkovChain.of(
        {
            "s": ("a", {"x": 1}),
            "t": ("a", {"y": F(1, 2), "z": F(1, 2)}),
            "x": ("b", {"u": 1}),
            "y": ("b", {"u": F(1, 2), "v": F(1, 2)}),
            "z": ("b", {"v": 1}),
            "u": ("c", {"u": 1}),
            "v": ("d", {"v": 1}),
        }
    )
    near = Nearby(chain, F(1), [(0, 1)], both_ways=False)
    while near.look(1):
        pass
    found = near.bounds()
    places = {name: place for place, name in enumerate(chain.states)}
    asked, next_one = (0, 1), (places["x"], places["y"])
    values = {pair: found.table.value(pair) for pair in found.couplings}
    assert values == {asked: F(3, 4), next_one: F(1, 2)}


@pytest.mark.thorough
@given(chains())
@settings(max_examples=settings().max_examples // 10)
def test_random_chains(chain: LabelledMarkovChain) -> None:
    for kind, known in (("ld", oracle.ld(chain, ALPHA)), ("bd", oracle.bd(chain, ALPHA))):
        near = Nearby(chain, ALPHA, oracle.alike_pairs(chain), both_ways=kind == "bd")
        while near.look(2):
            table = near.bounds().table
            for s, t in table.numerators:
                assert table.value((s, t)) >= known[s][t]
