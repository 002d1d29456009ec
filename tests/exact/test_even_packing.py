"""Programs with one gain, over arrays of integers, end where they end over rationals."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from flint import fmpq

from prover.exact import even_packing, packing
from prover.exact.field import RATIONALS
from prover.exact.packing import Column, Corner, solve_packing

GAINS = [fmpq(6, 5), fmpq(1, 3), fmpq(1), fmpq(10**9 + 7, 10**9)]


def program(random: Random, number: fmpq) -> tuple[list[fmpq], list[Column[fmpq]]]:
    """Up to seven sources and sinks; with few numbers, half of the time, so that there are many ties."""
    sources, sinks, gain = random.randint(2, 7), random.randint(2, 7), random.choice(GAINS)
    most = random.choice([3, 1_000])
    bounds = [random.randint(1, most) * number for _ in range(sources + sinks)]
    columns = [
        (i, j, fmpq(random.randint(-1, most), 7), gain)
        for i in range(sources)
        for j in range(sources, sources + sinks)
        if random.random() < 0.9
    ]
    return bounds, columns or [(0, sources, fmpq(1), gain)]


def both_ways(
    bounds: list[fmpq], columns: list[Column[fmpq]], monkeypatch: pytest.MonkeyPatch
) -> list[Corner[fmpq]]:
    found = []
    for least in (2, 10_000):
        monkeypatch.setattr(packing, "_EVEN", least)
        found.append(solve_packing(bounds, columns, RATIONALS))
    return found


@pytest.mark.parametrize("steepest", [30, 2])
@pytest.mark.parametrize("number", [fmpq(1, 4), fmpq(1, 10**30)])
def test_they_end_at_the_same_vertex(number: fmpq, steepest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "STEEPEST", steepest)
    monkeypatch.setattr(even_packing, "STEEPEST", steepest)
    random = Random(3)
    for _ in range(60):
        evenly, usually = both_ways(*program(random, number), monkeypatch)
        assert evenly == usually


def test_numbers_beyond_machine_words(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(4)
    for _ in range(20):
        bounds, columns = program(random, fmpq(2**70 + 1, 2**70 - 1))
        bounds[0] /= 3**50
        long = [
            (i, j, value * (1 + fmpq(1, 2**80 + c)), gain) for c, (i, j, value, gain) in enumerate(columns)
        ]
        evenly, usually = both_ways(bounds, long, monkeypatch)
        assert evenly == usually


def test_others_are_left_to_rationals(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(packing, "_EVEN", 2)
    monkeypatch.setattr(even_packing, "climb_evenly", never)
    bounds = [fmpq(1)] * 3
    for columns in (
        [(0, 2, fmpq(1), fmpq(6, 5)), (1, 2, fmpq(1), fmpq(36, 25))],
        [(0, 1, fmpq(1), fmpq(6, 5)), (1, 2, fmpq(1), fmpq(6, 5))],
    ):
        assert solve_packing(bounds, columns, RATIONALS).amounts
    with pytest.raises(AssertionError):
        solve_packing(bounds, [(0, 2, fmpq(1), fmpq(2)), (1, 2, fmpq(1), fmpq(2))], RATIONALS)


def test_words_hold_every_number_on_the_way() -> None:
    random = Random(5)
    for _ in range(30):
        bounds, columns = program(random, fmpq(2**50, 3))
        first, second, values, gains = zip(*columns, strict=True)
        basis, amounts = even_packing.climb_evenly(bounds, first, second, values, gains[0])
        assert min(amounts) >= 0
        used = np.zeros(len(bounds), dtype=object)
        for column, amount in zip(basis, amounts, strict=True):
            if column < len(values):
                used[first[column]] += amount
                used[second[column]] += amount * gains[0]
            else:
                used[column - len(values)] += amount
        assert list(used) == bounds
