"""Hidden extremes: the bound, against probabilities of what is seen, and noisy max with a gap."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log
from random import Random

import pytest

from prover.program.adjacency import ADJACENCIES, Adjacency
from prover.program.attack.probability import path_probability
from prover.program.model import Program, Transition
from prover.program.noise import DISCRETE_LAPLACE, Noise
from prover.program.observer.extremes import extremes
from prover.program.observer.words import by_word, runs_of
from prover.program.optimum.budget import Budget
from prover.program.privacy import privacy
from prover.zoo import build_program, noisy_max, svt
from tests.certificate.judges import judged
from tests.certified import proved
from tests.profiles import thinned
from tests.program.observer_examples import hidden_extreme
from tests.program.observer_oracle import differences
from tests.program.observer_sums import BASE, probability
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

F = Fraction
REACH = 40


@pytest.mark.parametrize("n", [2, 4, 8])
def test_noisy_max_with_a_gap_loses_what_it_loses_without(n: int) -> None:
    """Twice the rate, half of that if all values move one way, and once the rate if one differs."""
    model = noisy_max(n, gap="yes")
    for adjacency, value in (("all-differ", 1), ("monotonic", F(1, 2)), ("one-differ", F(1, 2))):
        answer = privacy(model, adjacency)
        assert answer.epsilon == value
        assert answer.certificate is not None
        document = proved(answer.certificate)
        assert n > 4 or judged(document)


def test_on_a_grid_it_is_the_same() -> None:
    model = replace(noisy_max(4, gap="yes"), noise=Noise(DISCRETE_LAPLACE, F(1, 2), F(1, 2)))
    for adjacency, value in (("all-differ", F(1, 2)), ("monotonic", F(1, 4))):
        answer = privacy(model, adjacency)
        assert answer.epsilon == value
        assert answer.certificate is not None
        assert judged(proved(answer.certificate))


def test_single_runs_lose_more() -> None:
    answer = privacy(noisy_max(4, gap="yes"))
    assert answer.runs.exact == 2
    assert answer.observer is not None
    assert answer.observer.extremes is not None
    assert answer.observer.extremes.pairs == ((1, 2), (3, 4))


def test_exponential_noise_is_an_interval() -> None:
    """The loss is twice the rate (docs/theory_observer.md), but no table of this kind says so."""
    answer = privacy(noisy_max(4, gap="yes", noise="exponential"))
    assert (answer.lower, answer.upper) == (F(1), F(3))


def gap_between(model: Program, inputs: list[Fraction], low: Fraction, high: Fraction) -> float:
    """The probability that the last candidate wins by so much, exactly: that of winning with lower means."""
    last = f"q{len(inputs)}"
    chances = []
    for least in (low, high):
        own = model.states[last]
        cases = tuple(replace(case, output=f"o{k}") for k, case in enumerate(own.transitions))
        moved = replace(model, states={**model.states, last: replace(own, mean=-least, transitions=cases)})
        chances.append(
            sum(
                float(path_probability(moved, run.edges, inputs).at(F(1)))
                for runs in by_word(runs_of(moved, 100) or []).values()
                for run in runs
                if run.edges[-1].relation == ">=" and len(run.edges) == len(inputs)
            )
        )
    return chances[0] - chances[1]


@pytest.mark.parametrize("n", [3, 4])
def test_gaps_lose_no_more(n: int) -> None:
    """Exact probabilities of gaps in windows, at ε = 1."""
    random = Random(n)
    model = noisy_max(n, gap="yes", rate=1)
    most = 0.0
    for case in range(5):
        inputs = [F(random.randint(-6, 6), 2) for _ in range(n)]
        if case == 0:
            inputs = [F(8)] * (n - 1) + [F(-8)]
        moved = [x + random.choice([-1, 0, 1]) for x in inputs[:-1]] + [inputs[-1] + random.choice([-1, 1])]
        if case == 0:
            moved = [x + 1 for x in inputs[:-1]] + [inputs[-1] - 1]
        low = F(random.randint(0, 6), 2)
        one, other = (gap_between(model, given, low, low + F(1, 2)) for given in (inputs, moved))
        most = max(most, abs(log(one / other)))
    assert 1.9 < most < 2 + 1e-6


@pytest.mark.family
@pytest.mark.parametrize("adjacency", thinned(ADJACENCIES, 3))
@pytest.mark.parametrize(
    "seeds", [range(1), pytest.param(range(1, 60), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_what_is_seen_loses_no_more(adjacency: str, seeds: range) -> None:
    for seed in seeds:
        random = Random(seed)
        model = hidden_extreme(seed)
        found = extremes(replace(model, noise=Noise(DISCRETE_LAPLACE)), Adjacency(adjacency), Budget(), set())
        assert found is not None
        runs = runs_of(model, 1_000)
        assert runs is not None
        for word in by_word(runs):
            deltas = list(differences(len(word), adjacency))
            for _ in range(3):
                inputs = [random.randint(-4, 4) for _ in word]
                kept = random.choice([0, 1]) if adjacency == "all-differ" else 1  # not only the extreme ones
                differ = [d * random.choice([kept, 1]) for d in random.choice(deltas)]
                moved = [b + d for b, d in zip(inputs, differ, strict=True)]
                one, other = (probability(model, word, given, REACH) for given in (inputs, moved))
                assert not one or log(F(one, other), BASE) <= found.upper + F(1, 10**6), seed
        answer = privacy(model, adjacency)
        assert answer.certificate is not None
        assert judged(proved(answer.certificate)), seed


def test_a_largest_value_without_end() -> None:
    """Runs of a loop that stores what it compares have no bound; who sees no turn of it learns little."""
    loop = (step(ABOVE, "q1", assign=True), step(BELOW, "q1"), step(TRUE, "q2", "now"))
    last = (step(ABOVE, "end", "above"), step(BELOW, "end", "below"))
    model = program({"q0": state(step(TRUE, "q1", assign=True)), "q1": state(*loop), "q2": state(*last)})
    answer = privacy(model)
    assert answer.runs.bounded is False
    assert answer.private is True
    assert answer.epsilon == 2
    assert answer.certificate is not None
    assert judged(proved(answer.certificate))


@pytest.mark.parametrize(
    "model",
    [
        svt(),
        build_program("num-range"),
        build_program("hidden-xor"),
        replace(noisy_max(4, gap="yes"), noise=Noise(DISCRETE_LAPLACE, sensitivity=F(2))),
    ],
)
def test_where_there_are_none(model: Program) -> None:
    assert extremes(model, Adjacency.ALL_DIFFER, Budget(), set()) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda t: replace(t, output="other"),
        lambda t: replace(t, output="insample"),
        lambda t: replace(t, target="end"),
        lambda t: replace(t, assign=()),
    ],
)
def test_what_shows_is_not_hidden(change: object) -> None:
    model = noisy_max(3, gap="yes")
    below, above = model.states["q2"].transitions
    assert callable(change)
    changed: Transition = change(above)
    states = {**model.states, "q2": replace(model.states["q2"], transitions=(below, changed))}
    assert extremes(replace(model, states=states), Adjacency.ALL_DIFFER, Budget(), set()) is None
