"""Whoever changes what a valid certificate says is found out."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from prover.certificate.check import Rejected, check
from tests.certificate.forms import Mutation, some
from tests.certificate.judges import ALL_SAMPLES, judged
from tests.certificate.made import certificates
from tests.certificate.made_programs import program_certificates
from tests.certificate.mutations import mutations
from tests.certificate.samples import encode
from tests.certificate.truth import is_true
from tests.certificate.unrolled import events_below, unrolled, unrolled_certificates
from tests.certificate.variables_samples import made_of_several
from tests.profiles import everything

pytestmark = pytest.mark.thorough

LONG_SAMPLES = (
    "hidden xor",
    "merged",
    "range, one differs",
    "range, monotonic",
    "range, increasing",
    "least and largest",
    "two parts",
    "a silent pair, monotonic",
    "a silent pair, one differs",
    "a union",
    "one-sided",
    "one-sided, bounded",
    "vanishing of two",
    "a quotient",
    "words of an endless xor",
    "words of several variables, monotonic",
    "words with two blocks in turns",
    "noise-own",
    "a hidden maximum",
    "a hidden minimum, one differs",
    "a hidden largest, monotonic",
    "a hidden block of two kinds",
    "the least and the largest, known",
    "a ladder",
    "a ladder on a grid",
    "last steps, monotonic",
)
"""By brute force their truth takes seconds, or there are many mutations."""
NUMBERS = {name: number for number, name in enumerate(ALL_SAMPLES)}


def verified(data: bytes) -> bool:
    try:
        check(data)
    except Rejected:
        return False
    return True


def confirm(mutation: Mutation, original: bytes) -> None:
    """Rejected where it must be; else the checker and the judge agree, and accept what is true only."""
    if mutation.must_reject:
        assert not verified(mutation.data), mutation.description
    elif mutation.data != original:
        certificate = json.loads(mutation.data)
        verdict = verified(mutation.data)
        assert verdict == judged(certificate), mutation.description
        assert not verdict or is_true(certificate), mutation.description


@pytest.mark.parametrize("name", [name for name in ALL_SAMPLES if name not in LONG_SAMPLES])
def test_every_mutation_of_the_samples(name: str) -> None:
    check_every_mutation(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_SAMPLES)
def test_every_mutation_of_long_samples(name: str) -> None:
    check_every_mutation(name)


@pytest.mark.parametrize("name", LONG_SAMPLES)
def test_some_mutations_of_long_samples(name: str) -> None:
    original = encode(ALL_SAMPLES[name])
    few = mutations(original, per_place=4 if {"words", "quotient"} & {*name.split()} else 10)
    for mutation in some(few, NUMBERS[name]):
        confirm(mutation, original)


def check_every_mutation(name: str) -> None:
    original = encode(ALL_SAMPLES[name])
    assert verified(original)
    counts = Counter[bool]()
    for mutation in some(mutations(original), NUMBERS[name]):
        confirm(mutation, original)
        counts[mutation.must_reject] += 1
    assert counts[True] > (250 if everything() else 20)
    assert counts[False] > (12 if everything() else 1)


@given(certificates() | program_certificates() | unrolled_certificates())
@settings(max_examples=settings().max_examples // 8)
def test_some_mutations_of_random_certificates(made: Any) -> None:
    original = encode(made)
    for mutation in some(mutations(original, per_place=8), len(original)):
        confirm(mutation, original)


@pytest.mark.parametrize("seed", range(10))
def test_some_mutations_of_certificates_of_several_variables(seed: int) -> None:
    """Their truth is not asked again: of large random programs that takes long."""
    original = encode(made_of_several(seed))
    assert verified(original)
    for mutation in some(mutations(original, per_place=4, seed=seed), seed):
        accepted = verified(mutation.data)
        if mutation.must_reject:
            assert not accepted, mutation.description
        elif mutation.data != original:
            assert accepted == judged(json.loads(mutation.data)), mutation.description


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_mutations_of_mutations_of_unrollings(seed: int) -> None:
    """What is still accepted after one change is changed once more."""
    original = encode(unrolled(seed))
    for first in mutations(original, per_place=4, seed=seed):
        if not first.must_reject and verified(first.data):
            for second in mutations(first.data, per_place=1, seed=seed):
                confirm(second, first.data)


@pytest.mark.parametrize(
    "seed", [seed if seed != 6 else pytest.param(6, marks=pytest.mark.slow) for seed in range(9)]
)
def test_mutations_of_events_below_distances(seed: int) -> None:
    original = encode(events_below(seed))
    for mutation in some(mutations(original, per_place=4, seed=seed), seed):
        confirm(mutation, original)
