"""Programs that are not private because all runs with some words lose more and more."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from math import log
from random import Random

import pytest

from prover.certificate.check import check
from prover.errors import NotSupported
from prover.formats.convert import write_json
from prover.program.adjacency import ADJACENCIES, POLYTOPES, Adjacency
from prover.program.answer import Privacy
from prover.program.model import Program
from prover.program.observer.families import (
    COSTLY,
    FREE,
    GROWING,
    DistanceAutomaton,
    leaking_words,
    runs_with,
    stabilised,
)
from prover.program.observer.growth import WordFamily, family_of, least_mean
from prover.program.observer.places import PlaceMoves
from prover.program.observer.words import symbol
from prover.program.optimum.budget import Budget
from prover.program.optimum.transfer import scale_of
from prover.program.order_graph import order_graph
from prover.program.privacy import privacy
from tests.certificate.verdicts import claimed
from tests.profiles import thinned
from tests.program.observer_examples import (
    becoming_impossible,
    endless_xor,
    hidden_turn,
    leaning,
    random_endless,
    showing,
    tied,
    two_thresholds,
)
from tests.program.observer_oracle import finite_cost, possible_runs, seen
from tests.program.observer_sums import BASE, probability
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

REACH = 100


def growing(answer: Privacy) -> WordFamily:
    """The words of an answer, which is proved."""
    proof = answer.certificate
    assert proof is not None
    assert claimed(proof.data) == f"not-private adjacency={answer.adjacency} loss=observer"
    assert (answer.private, answer.lower, answer.upper, answer.epsilon) == (False, None, None, None)
    assert answer.observer is not None
    assert answer.observer.words is not None
    return answer.observer.words


def turned(found: WordFamily, turns: int) -> tuple[list[tuple[str | None, int]], list[int]]:
    """The word with so many turns, and its differences."""
    steps = [step for block in found.blocks for step in block.steps * (turns if block.repeat else 1)]
    return [symbol(step.edge) for step in steps], [step.delta for step in steps]


def costs(found: WordFamily, own: Program, turns: Sequence[int], longest: int = 7) -> list[Fraction | None]:
    """What all runs of the words cost at least, by going through them; None is infinite.

    Words that are too long are left out.
    """
    model = json.loads(write_json(own))
    least: list[Fraction | None] = []
    for number in turns:
        word, delta = turned(found, number)
        if len(word) <= longest:
            runs = [run for run in possible_runs(model, len(word)) if [seen(s) for s in run] == word]
            least.append(finite_cost(model, runs, delta))
    return least


def grown(least: Sequence[Fraction | None], found: WordFamily) -> None:
    """Every turn costs as much more as is claimed, but for the first ones."""
    assert found.growth is not None
    assert found.growth > 0
    finite = [own for own in least if own is not None]
    assert least[: len(finite)] == finite
    assert all(b - a >= found.growth for a, b in pairwise(finite[1:]))


class TestKnownPrograms:
    @pytest.mark.parametrize(
        ("own", "growth"), [(endless_xor(), 1), (hidden_turn(), 2), (two_thresholds(), 2)]
    )
    def test_all_runs_lose_more_with_every_turn(self, own: Program, growth: int) -> None:
        found = growing(privacy(own))
        assert found.growth == growth
        before, after = costs(found, own, range(1, 5), 8)[-2:]
        assert before is not None
        assert after == before + growth

    @pytest.mark.parametrize("adjacency", ["increasing", "decreasing", "monotonic"])
    def test_other_adjacencies(self, adjacency: str) -> None:
        found = growing(privacy(endless_xor(), adjacency))
        _, delta = turned(found, 1)
        assert len(set(delta) - {0}) == 1

    def test_one_input_that_differs_cannot_lose_more_and_more(self) -> None:
        answer = privacy(endless_xor(), "one-differ")
        assert [answer.lower, answer.upper] == [1, 2]

    def test_runs_that_become_impossible(self) -> None:
        found = growing(privacy(becoming_impossible(), "one-differ"))
        assert found.growth is None
        assert (
            "some outputs are possible on one input and impossible on a neighbouring"
            in privacy(becoming_impossible()).headline
        )

    def test_a_shift_of_a_threshold_without_noise_costs_in_every_turn(self) -> None:
        """One input differs, once, and after that the words of a leaking pair cost more and more."""
        states = dict(hidden_turn().states)
        states["q0"] = replace(states["q0"], rate=None, rate_left="inf", rate_right="inf")
        found = growing(privacy(Program("q0", states), "one-differ"))
        _, delta = turned(found, 3)
        assert sum(map(abs, delta)) == 1
        assert found.growth == 1

    def test_the_runs_that_lose_are_not_the_words(self) -> None:
        """The run of a leaking cycle looks like one that loses nothing; numbers that are shown lose."""
        cycle = step(BELOW, "q0", "a"), step(ABOVE, "q1", "a"), step(TRUE, "q2", "b")
        own = program(
            {
                "q0": state(step(TRUE, "q1", "a", assign=True)),
                "q1": state(*cycle),
                "q2": state(step(TRUE, "q2", "insample")),
            }
        )
        answer = privacy(own)
        assert leaking_words(own, Adjacency.ALL_DIFFER, (), Budget(), set()) is not None
        found = growing(answer)
        assert ("insample" in {s.edge.output for b in found.blocks for s in b.steps}) is True

    def test_nothing_is_claimed_where_every_turn_looks_the_same(self) -> None:
        """All that is seen is that it goes on."""
        own = program(
            {
                "q0": state(step(TRUE, "q1", "a", assign=True)),
                "q1": state(step(BELOW, "q0", "a"), step(ABOVE, "q1", "a")),
            }
        )
        assert privacy(own).runs.bounded is False
        assert leaking_words(own, Adjacency.ALL_DIFFER, (), Budget(), set()) is None


def test_stabilised_matrices() -> None:
    """A way leads round the costly place, or stays there in every turn."""
    assert stabilised((((0, COSTLY), (1, COSTLY)), ((1, COSTLY),))) == (
        ((0, GROWING), (1, GROWING)),
        ((1, GROWING),),
    )
    assert stabilised((((0, FREE), (1, COSTLY)), ((1, COSTLY),))) == (
        ((0, FREE), (1, COSTLY)),
        ((1, GROWING),),
    )


@pytest.mark.parametrize("seed", range(40))
def test_what_grows_has_potentials(seed: int) -> None:
    """Nothing is missed by potentials that is found by levels."""
    random = Random(seed)
    own = random_endless(random, random.choice((("x",), ("x", "y"))))
    adjacency = random.choice(POLYTOPES)
    moves = PlaceMoves(order_graph(own), scale_of(own.edges, adjacency))
    automaton = DistanceAutomaton.of(moves, Adjacency(adjacency), Budget().places)
    assert automaton is not None
    for parts in islice(automaton.growing(100, Budget().rows, set()), 3):
        found = [family_of(moves, run, Budget(), set()) for run in islice(runs_with(moves.graph, parts), 3)]
        assert found
        assert None not in found


def test_least_mean_cycles() -> None:
    a, b, c = places = [(k, tuple[int, ...]()) for k in range(3)]
    turns = {a: {b: 1}, b: {c: 1, a: 2}, c: {a: 2, c: 7}}
    assert least_mean(places, turns) == Fraction(4, 3)
    assert least_mean([c], {c: {a: 1}}) is None


def as_it_is(_: Random, own: Program) -> Program:
    return own


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("change", [as_it_is, leaning, showing])
def test_random_programs(change: Callable[[Random, Program], Program], seed: int) -> None:
    check_random(change, seed, 5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(30, 400), 400))
@pytest.mark.parametrize("change", [as_it_is, leaning, showing, tied])
def test_more_random_programs(change: Callable[[Random, Program], Program], seed: int) -> None:
    check_random(change, seed, 7)


def check_random(change: Callable[[Random, Program], Program], seed: int, longest: int) -> None:
    """The answer is proved, and what is claimed of words is true of all of their runs."""
    random = Random(seed)
    several = change != tied and random.random() < 0.5
    own = change(random, random_endless(random, ("x", "y") if several else ("x",)))
    try:
        answer = privacy(own, random.choice(ADJACENCIES))
    except NotSupported as error:
        if error.code not in ("endless-chain", "unplaced"):
            raise
        return
    if answer.certificate is not None:
        check(answer.certificate.data)
    if answer.observer is None or answer.observer.words is None:
        return
    found = growing(answer)
    if found.growth is None:
        assert costs(found, own, [1], longest=100) == [None]
    else:
        grown(costs(found, own, range(1, 6), longest), found)


def measured(found: WordFamily, own: Program, turns: int, steps: int) -> float | None:
    """What the word loses between inputs steps·Δ and twice that, for each of the steps, as a multiple of ε.

    None if it is impossible where numbers that are output are held at 0.
    """
    word, delta = turned(found, turns)
    before, after = (probability(own, tuple(word), [t * d for d in delta], REACH) for t in (steps, 2 * steps))
    return log(Fraction(before, after), BASE) / steps if before else None


@pytest.mark.family
@pytest.mark.parametrize("own", [endless_xor(), hidden_turn()], ids=str)
def test_the_words_lose_as_much_in_sums(own: Program) -> None:
    """Under discrete noise, between inputs that are far from each other: nearly what they cost."""
    found = growing(privacy(own))
    assert found.growth is not None
    _, second, third = [measured(found, own, turns, 6) for turns in (1, 2, 3)]
    assert second is not None
    assert third is not None
    assert third - second >= found.growth * Fraction(9, 10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", thinned(range(400), 400))
def test_random_words_lose_as_much_in_sums(seed: int) -> None:
    """Far from 0 each step loses no less than the words cost, but for what a polynomial may hide."""
    random = Random(seed)
    own = random_endless(random, ("x",))
    answer = privacy(own, random.choice(ADJACENCIES))
    if answer.observer is None or answer.observer.words is None:
        return
    found = growing(answer)
    for turns, least in zip((1, 2, 3), costs(found, own, (1, 2, 3), 6), strict=False):
        loss = measured(found, own, turns, 6)
        assert least is not None
        assert loss is None or loss >= least - Fraction(1, 2)
