"""Symmetries are found, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given, settings

from prover.chain.model import LabelledMarkovChain
from prover.chain.symmetry import Orbits, generators
from prover.zoo import crowds, dining_cryptographers, random_chain, randomised_response
from tests.chain.symmetry.rings import rings


def is_symmetry(chain: LabelledMarkovChain, images: Sequence[int]) -> bool:
    states = range(len(chain))
    return all(
        chain.rows[s].get(t, 0) == chain.rows[images[s]].get(images[t], 0)
        and (chain.labels[s] == chain.labels[t]) == (chain.labels[images[s]] == chain.labels[images[t]])
        for s, t in product(states, repeat=2)
    )


def regular(seed: int) -> LabelledMarkovChain:
    """A chain of five states whose transitions some permutation keeps, and its labels more often than not."""
    random = Random(seed)
    images = random.sample(range(5), 5)
    arcs = {(s, random.randrange(5)) for s in range(5)}
    while not (turned := {(images[s], images[t]) for s, t in arcs}) <= arcs:
        arcs |= turned
    labels = [random.choice("ab") for _ in range(5)]
    for s in range(5):
        labels[images[s]] = labels[s]
    rows = {}
    for s in range(5):
        targets = [t for t in range(5) if (s, t) in arcs]
        rows[f"{s}"] = (labels[s], {f"{t}": f"1/{len(targets)}" for t in targets})
    return LabelledMarkovChain.of(rows)


@pytest.mark.parametrize("seed", range(60))
def test_the_orbits_are_those_of_all_symmetries(seed: int) -> None:
    chain = regular(seed)
    every = [images for images in permutations(range(5)) if is_symmetry(chain, images)]
    found = Orbits(generators(chain))
    assert all(is_symmetry(chain, images) for images in found.symmetries)
    for s, t in product(range(5), repeat=2):
        assert set(found.orbit((s, t))) == {(images[s], images[t]) for images in every}
        assert found.representative((s, t)) == min((images[s], images[t]) for images in every)


def test_most_of_these_chains_have_symmetries() -> None:
    assert 30 < sum(bool(generators(regular(seed))) for seed in range(60)) < 60


@given(rings())
@settings(max_examples=settings().max_examples // 4)
def test_rotations_are_found(made: tuple[LabelledMarkovChain, tuple[int, ...]]) -> None:
    chain, turned = made
    assert is_symmetry(chain, turned)
    found = Orbits(generators(chain))
    assert found.symmetries
    assert all(is_symmetry(chain, images) for images in found.symmetries)
    for s, t in product(range(len(chain)), repeat=2):
        assert found.representative((s, t)) == found.representative((turned[s], turned[t]))


def test_members_of_a_crowd_are_exchanged() -> None:
    chain = crowds(members=4, rounds=2)
    found = generators(chain)
    assert len(found) == 3  # they generate all permutations of four members
    assert all(is_symmetry(chain, images) for images in found)


@pytest.mark.parametrize("chain", [random_chain(states=30), dining_cryptographers(n=4)])
def test_chains_without_symmetries(chain: LabelledMarkovChain) -> None:
    assert generators(chain) == ()


def test_no_work_is_begun_that_is_too_much() -> None:
    assert generators(randomised_response(), most_work=10) == ()
    some = generators(crowds(members=6, rounds=2), most_work=30_000)
    assert len(some) < len(generators(crowds(members=6, rounds=2)))


def test_the_same_chain_has_the_same_generators() -> None:
    chain = crowds(members=5, rounds=2)
    assert generators(chain) == generators(crowds(members=5, rounds=2))
