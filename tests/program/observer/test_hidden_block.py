"""Hidden blocks of extremes: exact values of published programs, and random ones against exact sums."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.model import Program, State, Test, Transition
from prover.program.observer.hidden_block import hidden_block
from prover.program.privacy import privacy
from tests.profiles import thinned
from tests.program.observer.test_sums import check_within
from tests.program.observer_examples import hidden_largest, hidden_min_max
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


@pytest.mark.parametrize("k", [2, 3, 4, 10, 30])
def test_hidden_k_min_max_loses_a_half_and_one_over_k(k: int) -> None:
    answer = privacy(hidden_min_max(k))
    assert answer.epsilon == Fraction(1, 2) + Fraction(1, k)
    assert answer.certificate is not None
    assert "loss=observer" in check(answer.certificate.data)


@pytest.mark.parametrize("adjacency", ["monotonic", "increasing"])
@pytest.mark.parametrize("k", [3, 10])
def test_and_half_of_that_in_one_direction(k: int, adjacency: str) -> None:
    assert privacy(hidden_min_max(k), adjacency).epsilon == Fraction(1, 4) + Fraction(1, 2 * k)


def test_and_a_quarter_where_one_input_differs() -> None:
    assert privacy(hidden_min_max(3), "one-differ").epsilon == Fraction(1, 4)


@pytest.mark.parametrize(("rate", "query"), [(Fraction(1, 3), Fraction(2)), (Fraction(1), Fraction(1, 2))])
def test_four_rates_of_a_value_and_two_of_a_query(rate: Fraction, query: Fraction) -> None:
    assert privacy(hidden_min_max(4, rate, query)).epsilon == 4 * rate + 2 * query


def test_there_is_a_program_for_each_choice_of_noise() -> None:
    block = hidden_block(hidden_min_max(3, public=1))
    assert block is not None
    assert (block.states, block.least, block.largest) == (("q1", "q2", "q3"), ("min",), ("max",))
    assert len(block.programs) == 3
    largest = hidden_block(hidden_largest(3))
    assert largest is not None
    assert (largest.least, largest.largest, len(largest.programs)) == ((), ("x",), 1)


def test_what_is_no_block() -> None:
    shown = state(step(ABOVE, "q2", "new", assign=True), step(BELOW, "q2", "old"))
    last = state(step(ABOVE, "end", "a"), step(BELOW, "end", "b"))
    first = state(step(TRUE, "q1", assign=True))
    assert hidden_block(program({"q0": first, "q1": shown, "q2": last})) is None
    unkept = state(step(ABOVE, "q2"), step(BELOW, "q2", assign=True))  # the least, but of that the largest
    again = state(step(ABOVE, "q3", assign=True), step(BELOW, "q3"))
    mixed = hidden_block(program({"q0": first, "q1": unkept, "q2": again, "q3": last}))
    assert mixed is not None
    assert mixed.states == ("q0", "q1")
    back = state(step(ABOVE, "q0", "a"), step(BELOW, "end", "b"))
    hidden = state(step(ABOVE, "q2", assign=True), step(BELOW, "q2"))
    assert hidden_block(program({"q0": first, "q1": hidden, "q2": back})) is None


def random_block(random: Random) -> Program:
    """Two or three hidden reads, with rates of their own, some of them public; then one or two queries."""
    rates = [Fraction(random.choice([1, 2, 4]), 2) for _ in range(5)]
    k = random.choice([2, 3])
    both = random.random() < 0.7
    names = ("max", "min") if both else ("max",)
    zero = Fraction(0)
    cases: list[tuple[tuple[Test, ...], tuple[str, ...]]] = [((("<", "min"),), ("min",))] if both else []
    cases += [((((">=", "max"),)), ("max",)), (((">=", "min"), ("<", "max"))[1 - both :], ())]
    reads: list[list[Transition]] = [[Transition((), names, "r", "q2")]]
    reads += [
        [Transition(guard, assign, "r", f"q{place + 1}") for guard, assign in cases]
        for place in range(2, k + 1)
    ]
    states = {
        f"q{n}": State(random.random() < 0.8, rates[n - 1], zero, None, None, tuple(read))
        for n, read in enumerate(reads, 1)
    }
    for place in range(k + 1, k + 2 + (random.random() < 0.3)):
        to = f"q{place + 1}" if place == k + 1 else "end"
        name = random.choice(names)
        asked = (Transition(((">=", name),), (), "a", to), Transition((("<", name),), (), "b", to))
        states[f"q{place}"] = State(True, rates[place - 1], zero, None, None, asked)
    return Program("q1", states, frozenset({f"q{len(states) + 1}"}))


@pytest.mark.parametrize("seed", thinned(range(60), 15))
def test_no_inputs_lose_more_than_the_bound(seed: int) -> None:
    random = Random(seed)
    assert check_within(
        random_block(random), random.choice(["all-differ", "increasing", "one-differ"]), random, 6
    )
