"""The observer's loss of random programs, measured under discrete noise: within its bounds, and near them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.adjacency import ADJACENCIES
from prover.program.model import Program
from prover.program.observer.words import Word, by_word, runs_of
from prover.program.privacy import privacy
from prover.zoo import hidden_xor, noisy_max
from tests.profiles import thinned
from tests.program.observer_examples import (
    leaning,
    random_endless,
    random_indistinct,
    silent_pair,
    tied,
)
from tests.program.observer_oracle import differences
from tests.program.observer_sums import BASE, probability

REACH = 100


def loss(program: Program, word: Word, inputs: list[int], moved: list[int]) -> float:
    """The loss as a multiple of ε; samples beyond the reach make a difference of less than 2^{−16}."""
    before, after = (probability(program, word, b, REACH) for b in (inputs, moved))
    return log(Fraction(before, after), BASE) if before else float("-inf")


def check_within(
    program: Program,
    adjacency: str,
    random: Random,
    pairs: int,
    longest: int | None = None,
    bound: Fraction | None = None,
) -> bool:
    """No neighbouring inputs lose more than the bound from above, or a given one; whether there is one.

    Words of so many steps at most are looked at; ``longest`` is for programs with loops.
    """
    upper = privacy(program, adjacency).upper if bound is None else bound
    if upper is None:
        return False
    runs = runs_of(program, 1_000, longest)
    assert runs is not None
    for word in by_word(runs):
        deltas = list(differences(len(word), adjacency))
        for _ in range(pairs):
            inputs = [random.randint(-4, 4) for _ in word]
            moved = [b + d for b, d in zip(inputs, random.choice(deltas), strict=True)]
            assert loss(program, word, inputs, moved) <= upper + Fraction(1, 10**6)
    return True


def check_attained(program: Program, adjacency: str, turns: int, gap: Fraction) -> None:
    """On the way from T·b to T·(b + Δ) some step loses nearly the bound from below."""
    observer = privacy(program, adjacency).observer
    assert observer is not None
    assert observer.lower is not None
    if observer.below is None:
        assert observer.lower == 0
        return
    rise, word = observer.below.rise, observer.below.costs.word
    first = [turns * b for b in rise.inputs]
    last = [turns * (b + d) for b, d in zip(rise.inputs, rise.delta, strict=True)]
    if probability(program, word, first, REACH):  # noise on one side may need other inputs to begin with
        assert loss(program, word, first, last) / turns >= observer.lower - gap


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed: int) -> None:
    random = Random(seed)
    program = random_indistinct(random)
    adjacency = random.choice(ADJACENCIES)
    assert check_within(program, adjacency, random, 2)
    check_attained(program, adjacency, 10, Fraction(2, 5))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("change", [leaning, tied])
def test_random_noise(change: Callable[[Random, Program], Program], seed: int) -> None:
    """Two rates, none on a side, and ties."""
    random = Random(seed)
    program = change(random, random_indistinct(random, 3))
    adjacency = random.choice(ADJACENCIES)
    if check_within(program, adjacency, random, 2):
        check_attained(program, adjacency, 10, Fraction(1, 2))
        proof = privacy(program, adjacency).certificate
        assert proof is not None
        check(proof.data)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(16))
def test_random_programs_with_loops(seed: int) -> None:
    """Bounds that runs give, or smaller programs where runs may have none."""
    random = Random(seed)
    program = random_endless(random, ("x",))
    adjacency = random.choice(ADJACENCIES)
    if check_within(program, adjacency, random, 2, 4):
        check_attained(program, adjacency, 10, Fraction(1, 2))


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(16, 300), 400))
def test_more_random_programs_with_loops(seed: int) -> None:
    test_random_programs_with_loops(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(12, 100), 400))
@pytest.mark.parametrize("change", [leaning, tied])
def test_more_random_noise(change: Callable[[Random, Program], Program], seed: int) -> None:
    test_random_noise(change, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(12, 200), 400))
def test_more_random_programs(seed: int) -> None:
    test_random_programs(seed)


@pytest.mark.family
@pytest.mark.parametrize(
    "program",
    [
        noisy_max(3),
        noisy_max(4),
        noisy_max(3, noise="exponential"),
        noisy_max(3, noise="exponential-down"),
        hidden_xor(),
        silent_pair(),
    ],
    ids=str,
)
@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ"])
def test_known_programs(program: Program, adjacency: str) -> None:
    check_attained(program, adjacency, 10, Fraction(2, 5))
    assert check_within(program, adjacency, Random(1), 1)
