"""The guide finds the same couplings and values, to the last bit, for parts in arrays and one by one."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import prover
from prover.chain.ld import batches, float_policy
from prover.chain.ld.batches import ragged
from prover.chain.ld.float_policy import Guide, guide
from prover.chain.ld.problem import Problem, explore
from prover.chain.model import LabelledMarkovChain, Pair
from prover.zoo import dining_cryptographers, herman_ring, random_chain

ALPHA = Fraction(6, 5)


def both_ways(
    problem: Problem,
    monkeypatch: pytest.MonkeyPatch,
    slack: float = 0.0,
    start: Mapping[Pair, float] | None = None,
) -> tuple[Guide, Guide]:
    """What the guide finds with all small parts in arrays, and with none."""
    fixed = dict.fromkeys(list(problem.parts)[::7], 0.25)
    found = []
    for few in (-1, 10**9):
        monkeypatch.setattr(float_policy, "_FEW", few)
        found.append(guide(problem, fixed, slack=slack, start=start))
    return found[0], found[1]


def all_pairs(chain: LabelledMarkovChain, alpha: Fraction = ALPHA) -> Problem:
    """The problem of all pairs."""
    return explore(chain, alpha, permutations(range(len(chain)), 2))


@pytest.mark.parametrize(
    "chain",
    [
        random_chain(states=16, seed=1),
        random_chain(states=10, labels=1, degree=2, seed=2),  # with detours
        random_chain(states=12, labels=1, degree=9, seed=3),  # with wide parts
        herman_ring(3, "1/3"),
        dining_cryptographers(3, "1/3"),
    ],
)
@pytest.mark.parametrize("alpha", [Fraction(1), ALPHA, Fraction(3)])
@pytest.mark.parametrize("slack", [0.0, 1e-3])
def test_they_agree(
    chain: LabelledMarkovChain, alpha: Fraction, slack: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, alone = both_ways(all_pairs(chain, alpha), monkeypatch, slack)
    assert together == alone


def test_programs_with_many_detours_are_left_to_the_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = all_pairs(random_chain(states=10, labels=1, degree=3, seed=4))
    skipped = []
    solve = batches.Batch.solve

    def counting(batch: batches.Batch, near: Any) -> batches.Shipments:
        found = solve(batch, near)
        skipped.append(len(found.skipped))
        return found

    monkeypatch.setattr(batches, "LARGE", 4)
    monkeypatch.setattr(batches.Batch, "solve", counting)
    together, alone = both_ways(problem, monkeypatch)
    assert max(skipped) > 10
    assert together == alone


def test_a_start_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = all_pairs(random_chain(states=16, seed=5))
    _, alone = both_ways(problem, monkeypatch)
    again, _ = both_ways(problem, monkeypatch, start=alone.values)
    assert again.rounds < alone.rounds


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "ld"},
        {"kind": "lgd"},
        {"kind": "bd"},
        {"kind": "ld", "bounds": "upper"},
        {"kind": "ld", "max_bits": 20},
        {"kind": "bd", "jobs": 2},
    ],
)
@pytest.mark.parametrize(
    "chain", [random_chain(states=14, seed=6), random_chain(states=10, labels=1, degree=3, seed=4)]
)
def test_certificates_keep_their_bytes(
    chain: LabelledMarkovChain, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for few in (-1, 10**9):
        monkeypatch.setattr(float_policy, "_FEW", few)
        found.append(prover.distances(chain, "6/5", **options).certificate)
    assert found[0] == found[1]
    prover.verify(found[0])


def test_ragged_lines() -> None:
    assert ragged(np.array([5, 2, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
