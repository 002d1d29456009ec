"""Smaller programs that show the same: what is alike, and that words are as likely."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import log
from random import Random

import pytest

from prover.program.model import Program, Transition
from prover.program.observer.quotient import quotient
from prover.program.observer.words import by_word, runs_of
from prover.program.privacy import privacy
from tests.certificate.verdicts import claimed
from tests.profiles import thinned
from tests.program.observer_examples import all_the_same, dressed_up, leaning, random_endless
from tests.program.observer_sums import BASE, probability
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

REACH = 60
START = state(step(TRUE, "q1", assign=True), input=False)


def test_one_test_dressed_up() -> None:
    """Single runs are kept apart by y, and lose more."""
    found = quotient(dressed_up())
    assert found is not None
    assert (len(found.program.states), len(found.program.edges)) == (3, 4)
    assert found.states["q2"] == "q1"
    answer = privacy(dressed_up())
    assert answer.epsilon == 3
    assert answer.runs.upper is None or answer.runs.upper > 3
    assert answer.observer is not None
    assert answer.observer.merged is not None
    proof = answer.certificate
    assert proof is not None
    assert claimed(proof.data) == "epsilon adjacency=all-differ loss=observer value=3"


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "monotonic"])
def test_one_letter_for_ever(adjacency: str) -> None:
    answer = privacy(all_the_same(), adjacency)
    assert answer.epsilon == 0
    assert answer.runs.bounded is (adjacency == "one-differ")


@pytest.mark.parametrize(
    "second",
    [
        state(step(BELOW, "q1", "a"), step(ABOVE, "end", "b"), rate=2),
        state(step(BELOW, "q1", "a"), step(ABOVE, "end", "b"), input=False),
        state(step(BELOW, "q1", "a"), step(ABOVE, "q2", "b")),
        state(step(BELOW, "q1", "a"), step(ABOVE, "end", "c")),
        state(step(BELOW, "q1", "a", assign=True), step(ABOVE, "end", "b")),
        state(step(BELOW, "q1", "a"), step(TRUE, "end", "b")),
        state(step(ABOVE, "q1", "a"), step(BELOW, "end", "b")),
        state(step(BELOW, "q1", "a"), step(BELOW, "q2", "a"), step(ABOVE, "end", "b")),
    ],
)
def test_states_that_differ(second: object) -> None:
    """In noise, inputs, ends, letters, what is stored, or tests."""
    first = state(step(BELOW, "q2", "a"), step(ABOVE, "end", "b"))
    assert quotient(program({"q0": START, "q1": first, "q2": second})) is None  # type: ignore[dict-item]


@pytest.mark.parametrize("output", ["insample", "insampleprime"])
def test_numbers_are_not_quiet(output: str) -> None:
    """Two states that show numbers are one only if their noise is the same."""
    for rate, alike in ((1, True), (2, False)):
        first = state(step(TRUE, "q2", output), rate_prime=1)
        second = state(step(TRUE, "q1", output), rate=rate, rate_prime=rate)
        found = quotient(program({"q0": START, "q1": first, "q2": second}))
        assert (found is not None) is alike


def test_two_numbers_at_once_are_left_alone() -> None:
    numbers = [Transition(TRUE, (), both, "q1") for both in (("insample", "insampleprime"),)]
    own = program({"q0": START, "q1": state(*numbers, rate_prime=1), "q2": state(*numbers, rate_prime=1)})
    assert quotient(own) is None


def test_what_is_taken_twice_is_no_single_transition() -> None:
    """Both are taken by every sample; together they are as likely as two."""
    twice = step(TRUE, "q2", "a"), step(TRUE, "q3", "a")
    last = state(step(TRUE, "end", "b"))
    assert quotient(program({"q0": START, "q1": state(*twice), "q2": last, "q3": last})) is None


def words_are_as_likely(own: Program, random: Random, longest: int) -> bool:
    """Up to what samples beyond the reach make out; only ratios can be compared."""
    found = quotient(own)
    runs = runs_of(own, 200, longest)
    if found is None or runs is None:
        return False
    for word in list(by_word(runs))[:12]:
        inputs = [[random.randint(-3, 3) for _ in word] for _ in range(2)]
        one, other = ([probability(each, word, b, REACH) for b in inputs] for each in (own, found.program))
        assert all(a > 0 and b > 0 for a, b in zip(one, other, strict=True))
        assert abs(log(Fraction(one[0] * other[1], one[1] * other[0]), BASE)) < 1 / 10**6
    return True


def test_random_programs() -> None:
    compared = [
        words_are_as_likely(random_endless(Random(seed), ("x",)), Random(seed), 4) for seed in range(20)
    ]
    assert sum(compared) > 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(400), 400))
def test_more_random_programs(seed: int) -> None:
    words_are_as_likely(random_endless(Random(seed), ("x",)), Random(seed), 6)


def test_quotients_are_their_own() -> None:
    for seed, names in product(range(60), (("x",), ("x", "y"))):
        own = random_endless(Random(seed), names)
        own = leaning(Random(seed), own) if seed % 3 == 0 else own
        found = quotient(own)
        assert found is None or quotient(found.program) is None
