"""Bounds of distances without a table of all pairs: what events gain, and the couplings that a pair uses."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings

import prover
from prover.chain import dispatch
from prover.chain.answer import Distance
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.lower_ends import MOST_NODES, LowerEnds, lower_ends
from prover.chain.unrolling.refinement import FEW_NODES
from prover.zoo import crowds, dining_cryptographers, pin_checker, random_chain, randomised_response
from tests import oracle
from tests.certified import verified
from tests.strategies import chains

ALPHA = Fraction(6, 5)


@pytest.fixture
def every_table_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 0)
    monkeypatch.setattr(dispatch, "MOST_NODES", 300)


@pytest.mark.family
@pytest.mark.parametrize("options", [{}, {"kind": "lgd"}, {"kind": "bd"}, {"merge": True}], ids=str)
def test_where_both_ends_meet_the_distance_is_exact(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = crowds(members=3)
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 10**9)
    table = prover.distance(chain, alpha=ALPHA, **options)
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 0)
    ahead = prover.distance(chain, alpha=ALPHA, **options)
    assert (ahead.value, ahead.from_delta, table.from_delta) == (table.value, True, False)
    assert ahead.value == prover.delta(chain, alpha=ALPHA).value
    evidence = json.loads(ahead.certificate.data)["evidence"]
    assert "unrolling" in evidence["lower"]
    assert evidence["upper"]["rows"]
    assert f"value={ahead.value}" in prover.verify(ahead.certificate)


@pytest.mark.parametrize("kind", ["ld", "bd"])
@pytest.mark.parametrize(("states", "pair"), [(300, ("s000", "s009")), (1_000, ("s000", "s005"))])
def test_the_third_interval_of_a_large_chain_is_at_most_half_as_wide(
    states: int, pair: tuple[str, str], kind: str
) -> None:
    """Rounds are counted, not seconds: 0 and 1, what one step says, and what the first events gain."""

    class Enough(Exception):
        pass

    seen: list[Distance] = []

    def take(answer: Distance) -> None:
        seen.append(answer)
        if len(seen) == 3:
            raise Enough

    with pytest.raises(Enough):
        prover.distance(random_chain(states=states), *pair, ALPHA, kind=kind, on_interval=take)
    assert [answer.engine for answer in seen[:2]] == ["trivial", "labels"]
    assert all(narrow.lower >= wide.lower for wide, narrow in pairwise(seen))
    assert all(narrow.upper <= wide.upper for wide, narrow in pairwise(seen))
    assert verified(seen[-1]).width < Fraction(1, 2)


@pytest.mark.parametrize("kind", ["ld", "bd"])
def test_couplings_of_many_pairs_come_before_most_events(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An upper end is there before events are looked for in earnest; the answer is the same either way."""
    monkeypatch.setattr(dispatch, "LARGE_TABLE", 0)
    chain = dining_cryptographers(n=4)
    other = prover.distance(chain, alpha=ALPHA, kind=kind)
    seen: list[Distance] = []
    looks: list[tuple[int, int]] = []  # how many nodes each look may have, and how many intervals are there

    def look(*arguments: Any, nodes: int, **options: Any) -> LowerEnds:
        looks.append((nodes, len(seen)))
        return lower_ends(*arguments, nodes=nodes, **options)

    monkeypatch.setattr(dispatch, "MANY_QUERIES", 2)
    monkeypatch.setattr(dispatch, "lower_ends", look)
    found = prover.distance(chain, alpha=ALPHA, kind=kind, on_interval=seen.append)
    assert [nodes for nodes, _ in looks] == [FEW_NODES, MOST_NODES]
    assert seen[looks[1][1] - 1].upper < 1
    assert found.certificate.data == other.certificate.data
    assert verified(seen[looks[1][1] - 1]).upper >= found.upper


@pytest.mark.usefixtures("every_table_is_large")
def test_bounds_are_left_before_the_table_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(Exception):
        pass

    def give_up(*_: object, **__: object) -> None:
        raise Enough

    chain, left = random_chain(states=30), list[Distance]()
    names = (name for name, label in zip(chain.states, chain.labels, strict=True) if label == chain.labels[0])
    monkeypatch.setattr(dispatch, "solve_exactly", give_up)
    with pytest.raises(Enough):
        prover.distance(chain, next(names), next(names), ALPHA, on_interval=left.append)
    trivial, *others = left
    assert trivial.width == 1
    assert not trivial.from_delta
    first = next(answer for answer in others if answer.from_delta)
    assert first.upper < 1
    last = [answer for answer in others if answer.from_delta][-1]
    assert first.lower <= last.lower < last.upper < 1
    for answer in left:
        assert f"lower={answer.lower}"[:20] in prover.verify(answer.certificate)


@pytest.mark.thorough
@pytest.mark.usefixtures("every_table_is_large")
@given(chains())
@settings(max_examples=settings().max_examples // 10)
def test_random_chains(chain: LabelledMarkovChain) -> None:
    for kind, known in (("ld", oracle.ld(chain, ALPHA)), ("bd", oracle.bd(chain, ALPHA))):
        for s, t in oracle.alike_pairs(chain)[:3]:
            left = list[Distance]()
            names = chain.states[s], chain.states[t]
            answer = prover.distance(chain, *names, alpha=ALPHA, kind=kind, on_interval=left.append)
            assert verified(answer).value == known[s][t]
            for interval in left:
                assert verified(interval).lower <= known[s][t] <= interval.upper


@pytest.mark.usefixtures("every_table_is_large")
def test_pairs_that_labels_settle() -> None:
    chain = pin_checker()
    assert verified(prover.distance(chain, "0", "0", ALPHA)).value == 0
    assert verified(prover.distance(chain, "0", "end", ALPHA)).value == 1


@pytest.mark.usefixtures("every_table_is_large")
def test_epsilon_has_both_ends_at_one_alpha() -> None:
    answer = verified(prover.distance(randomised_response(answers=2), epsilon="1/5"))
    claim = json.loads(answer.certificate.data)["claim"]
    assert claim["epsilon"] == {"alpha": "at-most", "value": "1/5"}
    assert Fraction(claim["alpha"]) == answer.alpha
    assert answer.value is not None


@pytest.mark.usefixtures("every_table_is_large")
def test_time_that_nobody_sees() -> None:
    chain = prover.collapse(pin_checker())
    answer = verified(prover.distance(chain, "0", "1", ALPHA))
    assert answer.value is not None
