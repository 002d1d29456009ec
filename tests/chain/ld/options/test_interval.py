"""Intervals for distances of processes: they contain the distances, only narrow, and have certificates."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest

from prover.chain import dispatch
from prover.chain.answer import Distance, DistanceTable
from prover.chain.distance import distance, distances
from prover.chain.ld.options import interval
from prover.chain.process import LabelledMarkovDecisionProcess
from tests.certified import verified
from tests.interactive_oracle import random_processes

F = Fraction
UNIT = F(1, 2**50)
NARROW = F(1, 2**20)
ALPHAS = (F(1), F(6, 5), F(2))


def two_coins() -> LabelledMarkovDecisionProcess:
    """Tossing the second coin gains 3/4 − α/4 from t to s, and at α = 6/5 the first 1/2 − 6/5 · 1/4."""
    return LabelledMarkovDecisionProcess.of(
        {
            "s": (
                "bet",
                {"first": {"heads": "1/2", "tails": "1/2"}, "second": {"heads": "1/4", "tails": "3/4"}},
            ),
            "t": (
                "bet",
                {"first": {"heads": "1/4", "tails": "3/4"}, "second": {"heads": "3/4", "tails": "1/4"}},
            ),
            "heads": ("heads", {"heads": 1}),
            "tails": ("tails", {"tails": 1}),
        },
        [("s", "t")],
    )


@pytest.mark.parametrize(("kind", "gain"), [("ld", F(9, 20)), ("bd", F(9, 20))])
def test_one_step_by_hand(kind: str, gain: Fraction) -> None:
    """Tails gain 3/4 − 6/5 · 1/4 = 9/20 by the second coin from s to t, more than heads by the first."""
    seen: list[Distance] = []
    assert distance(two_coins(), "s", "t", "6/5", kind=kind, on_interval=seen.append).value == gain
    trivial, found = seen
    assert (trivial.engine, trivial.lower, trivial.upper) == ("trivial", F(0), F(1))
    assert found.engine == "labels"
    assert gain - 2 * UNIT <= found.lower < gain <= found.upper < gain + UNIT
    verified(found)


def test_where_one_action_leaves_everything_behind_one_step_says_nothing() -> None:
    process = LabelledMarkovDecisionProcess.of(
        {
            "s": ("a", {"stay": {"s": 1}, "go": {"x": 1}}),
            "t": ("a", {"stay": {"s": 1}, "go": {"y": 1}}),
            "x": ("b", {"s": 1}),
            "y": ("b", {"t": 1}),
        }
    )
    seen: list[Distance] = []
    assert distance(process, "s", "t", 2, on_interval=seen.append).value == 0
    assert [answer.engine for answer in seen] == ["trivial"]


@pytest.mark.parametrize("kind", ["ld", "bd"])
@pytest.mark.parametrize("count", [4, pytest.param(200, marks=pytest.mark.slow)])
def test_contains_the_distances(count: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all pairs, and of each pair from one interval to the next; the last one is nearly exact."""
    monkeypatch.setattr(dispatch, "_LONG_WORK_OF_PROCESSES", 0)
    engines = set[str]()
    for process, alpha in product(random_processes(count, seed=19, ends=False), ALPHAS):
        seen: list[DistanceTable] = []
        exact = distances(process, alpha, kind=kind, on_interval=seen.append)
        for table in seen:
            verified(table)
            assert all(table.lower[p] <= value <= table.upper[p] for p, value in exact.lower.items())
        assert all(seen[-1].upper[p] - seen[-1].lower[p] < NARROW for p in exact.lower)
        engines |= {table.engine for table in seen}
        of_pair: list[Distance] = []
        source, target = process.states[:2]
        distance(process, source, target, alpha, kind=kind, on_interval=of_pair.append)
        assert all(b.lower >= a.lower and b.upper <= a.upper for a, b in pairwise(of_pair))
    assert engines == {"trivial", "labels", "strategies"}


def test_an_upper_end_that_is_not_confirmed_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "_LONG_WORK_OF_PROCESSES", 0)
    monkeypatch.setattr(interval, "ATTEMPTS", 0)
    process = next(iter(random_processes(1, seed=19, ends=False)))
    seen: list[DistanceTable] = []
    exact = distances(process, 2, on_interval=seen.append)
    last = seen[-1]
    verified(last)
    assert last.engine == "strategies"
    assert all(last.lower[p] <= value <= last.upper[p] for p, value in exact.lower.items())
