"""Detours of a label, against all ways in rational numbers; and that potentials which keep them extend."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from prover.chain.ld.paths.detours import label_detours
from prover.chain.ld.paths.free_states import raise_free_states
from tests.chain.ld.paths.test_free_states import LONG, Distances, label_of
from tests.chain.problems import flint, fraction

F = Fraction
Found = dict[tuple[int, int], list[tuple[int, Fraction]]]


def by_the_definition(d: Distances, alpha: Fraction) -> Found:
    """(h, c_h(i,j)) where that is below 1 and below all of fewer arcs; all ways count, detours or not."""
    states = sorted({k for pair in d for k in pair})
    full = {pair: d.get(pair, F(1)) for pair in permutations(states, 2)}
    least, last = dict(full), dict(full)
    found: Found = {}
    for arcs in range(2, len(states) + 2):
        last = {
            (i, j): min(full[i, k] + alpha * last[k, j] for k in states if k not in (i, j)) for i, j in full
        }
        for pair, cost in last.items():
            if cost < least[pair] and cost < 1:
                least[pair] = cost
                found.setdefault(pair, []).append((arcs, cost))
    return found


def by_the_engine(d: Distances, alpha: Fraction) -> Found:
    label = label_of(d)
    whole = F(label.denominator)
    found = label_detours(label, flint(alpha))
    for ways in found.values():
        assert all(abs(way.near - float(fraction(way.cost) / whole)) < 1e-9 for way in ways)
    return {pair: [(way.arcs, fraction(way.cost) / whole) for way in ways] for pair, ways in found.items()}


def drawn(seed: int, alpha: Fraction, unit: Fraction, *, detours: bool = True) -> Distances:
    """Many small distances; without detours, as they are once every detour is an arc."""
    random = Random(seed)
    d = {p: unit * random.choice([0, 1, 1, 2, 3, 5, 8, 9]) for p in permutations(range(6), 2)}
    while not detours and (found := by_the_definition(d, alpha)):
        d |= {pair: ways[-1][1] for pair, ways in found.items()}
    return d


UNITS = [
    pytest.param(F(1, 10), id="many ties"),
    pytest.param(F(1, 10) + F(1, 10**14), id="ties that floating point takes for gaps"),
    pytest.param(F(LONG // 10, LONG), id="long numbers"),
]


@pytest.mark.parametrize("alpha", [F(1), F(6, 5), F(2), F(LONG + 1, LONG), F(2000)])
@pytest.mark.parametrize("unit", UNITS)
def test_detours_are_those_of_the_definition(alpha: Fraction, unit: Fraction) -> None:
    for seed in range(6):
        d = drawn(seed, alpha, unit)
        assert by_the_engine(d, alpha) == by_the_definition(d, alpha)


def test_a_detour_of_many_arcs() -> None:
    d = {(k, k + 1): F(1, 100) for k in range(6)} | {(0, 6): F(1, 2)}
    assert by_the_engine(d, F(6, 5)) == by_the_definition(d, F(6, 5))
    assert by_the_engine(d, F(6, 5))[0, 6] == [(6, sum(F(6, 5) ** m for m in range(6)) / 100)]


def test_one_state_and_none_between() -> None:
    assert by_the_engine({(0, 1): F(1, 3), (1, 0): F(0)}, F(2)) == {}


@pytest.mark.parametrize("alpha", [F(1), F(6, 5), F(2)])
def test_potentials_extend_just_where_they_keep_arcs_and_detours(alpha: Fraction) -> None:
    outcomes = []
    for seed in range(20):
        random, d = Random(seed), drawn(seed, alpha, F(1, 10), detours=seed % 2 > 0)
        fixed = {k: F(random.randrange(11), 10) for k in random.sample(range(6), 3)}
        label = label_of(d)
        scaled = {k: flint(f * label.denominator) for k, f in fixed.items()}
        detours = by_the_definition(d, alpha)
        ways = {pair: [(1, cost), *detours.get(pair, [])] for pair, cost in d.items()}
        kept = all(
            fixed[i] <= cost + alpha**arcs * fixed[j]
            for i, j in permutations(fixed, 2)
            for arcs, cost in ways[i, j]
        )
        assert kept == (not raise_free_states(scaled, label, flint(alpha)).violated)
        outcomes.append(kept)
    assert True in outcomes
    assert False in outcomes
