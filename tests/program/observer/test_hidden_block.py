"""Hidden blocks of extremes: exact values of published programs, and random ones against exact sums."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.model import Program, State, Test, Transition
from prover.program.observer.hidden_block import HiddenBlock, hidden_block
from prover.program.privacy import privacy
from prover.zoo import noisy_max
from tests.profiles import thinned
from tests.program.observer.test_sums import check_within
from tests.program.observer_examples import hidden_largest, hidden_min_max
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step


@pytest.mark.family
@pytest.mark.parametrize("k", [2, 3, 4, 10, 30])
def test_hidden_k_min_max_loses_a_half_and_one_over_k(k: int) -> None:
    answer = privacy(hidden_min_max(k))
    assert answer.epsilon == Fraction(1, 2) + Fraction(1, k)
    assert answer.certificate is not None
    assert "loss=observer" in check(answer.certificate.data)


@pytest.mark.family
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
    assert (block.rows, block.least, block.largest) == ((("q1",), ("q2",), ("q3",)), ("min",), ("max",))
    assert len(block.programs) == 3
    largest = hidden_block(hidden_largest(3))
    assert largest is not None
    assert (largest.least, largest.largest, len(largest.rows)) == ((), ("x",), 4)
    # The last value has a rate of its own, and shows whether it is the largest.
    assert len(largest.programs) == 2


def test_what_is_no_block() -> None:
    shown = state(step(ABOVE, "q2", "new", assign=True), step(BELOW, "q2", "old"))
    last = state(step(ABOVE, "end", "a"), step(BELOW, "end", "b"))
    first = state(step(TRUE, "q1", assign=True))
    seen = hidden_block(program({"q0": first, "q1": shown, "q2": last}))
    assert seen is not None
    assert seen.rows == (("q0",), ("q1",))
    unkept = state(step(ABOVE, "q2"), step(BELOW, "q2", assign=True))  # the least, but of that the largest
    again = state(step(ABOVE, "q3", assign=True), step(BELOW, "q3"))
    mixed = hidden_block(program({"q0": first, "q1": unkept, "q2": again, "q3": last}))
    assert mixed is not None
    assert mixed.rows == (("q0",), ("q1",))
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


@pytest.mark.parametrize("seed", thinned(range(60), 45))
def test_no_inputs_lose_more_than_the_bound(seed: int) -> None:
    random = Random(seed)
    assert check_within(
        random_block(random), random.choice(["all-differ", "increasing", "one-differ"]), random, 6
    )


@pytest.mark.family
@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ", "monotonic"])
def test_noisy_max_of_many(adjacency: str) -> None:
    """2^17 runs, which nothing lists."""
    answer = privacy(noisy_max(18, rate=Fraction(1, 3)), adjacency)
    assert answer.epsilon == (Fraction(2, 3) if adjacency == "all-differ" else Fraction(1, 3))
    if adjacency == "all-differ":
        assert answer.ended_by == ()
        assert answer.observer is not None
        assert isinstance(answer.observer.merged, HiddenBlock)
        assert len(answer.observer.merged.programs) == 1
    assert answer.certificate is not None
    assert "loss=observer" in check(answer.certificate.data)


def test_noisy_max_of_many_with_noise_on_one_side() -> None:
    """Whoever wins moves up by 2, which costs 2·(1/2); it was an interval from 15 on."""
    answer = privacy(noisy_max(15, noise="exponential"))
    assert answer.epsilon == 1
    assert answer.certificate is not None
    assert "value=1" in check(answer.certificate.data)


def random_winner(random: Random) -> Program:
    """Some values, of which it is seen which is the largest; maybe a query then, that depends on it."""
    rates = [Fraction(random.choice([1, 2, 4]), 2) for _ in range(5)]
    k, letters = random.choice([2, 3]), [random.choice("vw") for _ in range(3)]
    ends = [random.choice(["end", "q8", "q9"]) for _ in range(3)]
    zero, private = Fraction(0), [random.random() < 0.8 for _ in range(4)]
    states = {"q0": State(private[0], rates[0], zero, None, None, (Transition((), ("x",), "r", "q1_0"),))}
    for place in range(1, k):
        for best in range(place):
            cases = []
            for sign, stored, now in (("<", (), best), (">=", ("x",), place)):
                to, letter = (f"q{place + 1}_{now}", "r") if place < k - 1 else (ends[now], letters[now])
                cases.append(Transition(((sign, "x"),), stored, letter, to))
            state_of = State(private[place], rates[place], zero, None, None, tuple(cases))
            states[f"q{place}_{best}"] = state_of
    for name, rate in (("q8", rates[3]), ("q9", rates[4])):
        asked = (
            Transition((("<", "x"),), (), "below", "end"),
            Transition(((">=", "x"),), (), "above", "end"),
        )
        states[name] = State(True, rate, zero, None, None, asked)
    return Program("q0", states)


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(60), 45))
def test_no_inputs_lose_more_than_the_bound_of_winners(seed: int) -> None:
    random = Random(seed)
    made, adjacency = random_winner(random), random.choice(["all-differ", "increasing", "one-differ"])
    block = hidden_block(made, few=0)
    assert block is not None
    upper = max(privacy(own, adjacency).runs.upper or Fraction(0) for own in block.programs)
    lower = privacy(made, adjacency).lower
    assert lower is not None
    assert lower <= upper
    assert check_within(made, adjacency, random, 6, bound=upper)
