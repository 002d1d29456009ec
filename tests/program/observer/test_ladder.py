"""Ladders: exact values, random unions of cones, and random programs against exact sums."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log
from random import Random

import numpy as np
import pytest

from prover.certificate.check import check
from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.model import Edge
from prover.program.noise import Noise
from prover.program.observer.bounds import above
from prover.program.observer.ladder import Cone, Ladder, RungSearch, excludes, ladder
from prover.program.observer.words import by_word, runs_of
from prover.program.optimum.budget import Budget, Steps
from prover.program.privacy import privacy
from tests.profiles import thinned
from tests.program.observer.test_sums import check_within
from tests.program.observer_examples import between_extremes, hidden_failures, random_indistinct
from tests.program_examples import TRUE, program, state, step


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "monotonic"])
def test_failures_that_look_alike(adjacency: str) -> None:
    answer = privacy(hidden_failures(), adjacency)
    assert (answer.epsilon, answer.runs.upper) == (Fraction(1, 4), Fraction(1, 2))
    assert answer.observer is not None
    assert answer.observer.above is not None
    assert answer.observer.above.has_ladders
    assert answer.certificate is not None
    assert "loss=observer" in check(answer.certificate.data)


@pytest.mark.family
@pytest.mark.parametrize("k", [2, 3])
def test_a_number_between_hidden_extremes(k: int) -> None:
    found = between_extremes(k)
    runs = runs_of(found, 1_000)
    assert runs is not None
    losses = {
        word[-1][0]: made.upper
        for word, own in by_word(runs).items()
        if (made := ladder(found, Adjacency.ALL_DIFFER, own, Steps())) is not None
    }
    assert losses["between"] == 1


def edges_of(rates: list[int]) -> list[Edge]:
    """Steps that read an input with noise of these rates."""
    names = [*(f"q{k}" for k in range(len(rates))), "end"]
    cases = [step(TRUE, names[k + 1], assign=not k) for k in range(len(rates))]
    states = {names[k]: state(cases[k], rate=rate) for k, rate in enumerate(rates)}
    return list(program(states).edges)


@pytest.mark.family
@pytest.mark.parametrize("seed", range(40))
def test_random_unions_of_cones(seed: int) -> None:
    """No difference of integral inputs loses more than its rungs cost; ties go by number."""
    random = Random(seed)
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    cones: list[Cone] = []
    while len(cones) < random.randint(1, 3):
        cone = tuple(sorted(random.sample(pairs, random.choice((1, 1, 2)))))
        if not excludes(3, cone, ()):
            cones.append(cone)
    rates = [random.choice((1, 1, 2)) for _ in range(3)]
    axis = np.arange(-14, 15)
    grid = np.meshgrid(axis, axis, axis, indexing="ij")
    union = np.zeros(grid[0].shape, dtype=bool)
    for cone in cones:
        met = [grid[a] <= grid[b] if a < b else grid[a] < grid[b] for a, b in cone]
        union |= np.logical_and.reduce(met)

    def probability(inputs: tuple[int, ...]) -> float:
        weights = [
            (1 - exp(-rate)) / (1 + exp(-rate)) * np.exp(-rate * np.abs(axis - own))
            for rate, own in zip(rates, inputs, strict=True)
        ]
        return float(np.einsum("ijk,i,j,k->", union, *weights))

    search = RungSearch(edges_of(rates), cones, Steps())
    starts = [tuple(random.randint(-4, 4) for _ in range(3)) for _ in range(4)]
    for delta in product((-1, 0, 1), repeat=3):
        found = search.rungs(delta)
        assert found is not None
        for inputs in starts:
            moved = tuple(b + d for b, d in zip(inputs, delta, strict=True))
            assert log(probability(inputs) / probability(moved)) <= found[1] + Fraction(1, 1000)


def test_overlap_is_not_free() -> None:
    """Each cone alone costs 1, and at ε = 1 both together lose ln(2e − 1) = 1.4899 (theory_observer.md)."""
    search = RungSearch(edges_of([9, 9, 1, 1]), [((0, 2), (1, 3)), ((0, 3), (1, 2))], Steps())
    one = RungSearch(edges_of([9, 9, 1, 1]), [((0, 2), (1, 3))], Steps())
    alone, both = one.rungs((1, 0, 0, 0)), search.rungs((1, 0, 0, 0))
    assert alone is not None
    assert both is not None
    assert [alone[1], both[1]] == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(12), 12))
def test_random_programs(seed: int) -> None:
    """Programs with discrete noise of which some word moves on a ladder."""
    random = Random(f"ladder {seed}")
    while True:
        made = replace(random_indistinct(random), noise=Noise("discrete-laplace"))
        adjacency = random.choice(ADJACENCIES)
        runs = privacy(made, adjacency).runs.upper
        found = above(made, Adjacency(adjacency), runs, [], Budget(), set())
        if found is not None and any(isinstance(group, Ladder) for group in found.groups):
            break
    assert check_within(made, adjacency, random, 2)
    proof = privacy(made, adjacency).certificate
    assert proof is not None
    check(proof.data)
