"""Runs: Python's own and those of the code that is read, and how often they show what they should."""

import random
from collections import Counter
from fractions import Fraction
from itertools import repeat
from math import log, sqrt

import pytest

from prover.errors import BadInput, BadValue
from prover.language import discrete_laplace, exponential, geometric, laplace, see
from prover.language.files import constants_of, function_in
from prover.language.functions import DecoratedMechanism
from prover.language.simulation import Shown, Simulated
from prover.language.written import Mechanism
from prover.program.attack.probability import path_probability
from prover.program.model import out_edges
from tests.language.test_examples import FOLDER, MECHANISMS, module
from tests.refusals import refuses

RUNS = 4_000


def bound(count: int) -> float:
    """How far a frequency is from its probability at most, but for once in 10^6 times (Hoeffding)."""
    return sqrt(log(2 * 10**6) / (2 * count))


@pytest.mark.parametrize(("file", "name", "const", "same"), MECHANISMS)
def test_python_and_the_reader_run_alike(file: str, name: str, const: str, same: object) -> None:
    del same
    constants = constants_of(const)
    decorated: DecoratedMechanism = getattr(module(file), name)
    read = function_in((FOLDER / f"{file}.py").read_bytes(), name, None)
    assert isinstance(read, Mechanism)
    simulated = read.simulator(constants)
    for seed in range(20):
        queries = [Fraction(random.Random(seed).randint(-3, 3)) for _ in range(12)]
        run = Simulated(random.Random(seed), 0.5)
        assert decorated.run(queries, "1/2", seed=seed, **constants) == simulated(queries, run)


def test_runs_are_as_frequent_as_the_program_says() -> None:
    decorated: DecoratedMechanism = module("sparse_vector").lyu_2
    program, queries = decorated(c=2), [0, 3, -1, 4, 2]
    counts = Counter(tuple(decorated.run(queries, 1, seed=seed, c=2)) for seed in range(RUNS))
    leaving = out_edges(program)
    waiting: list[tuple[str, list[Fraction], tuple[str, ...], list[int]]] = [(program.initial, [], (), [])]
    numbers = {edge.number: edge for edge in program.edges}
    total = 0.0
    while waiting:
        state, inputs, word, path = waiting.pop()
        takes = state in program.states and program.states[state].input
        read = len(word)
        if state not in program.states or (takes and read == len(queries)):
            chance = float(path_probability(program, [numbers[k] for k in path], inputs).at(Fraction(1)))
            total += chance
            assert abs(counts[word] / RUNS - chance) < bound(RUNS), word
            continue
        given = Fraction(queries[read]) if takes else Fraction(0)
        for edge in leaving[state]:
            more = word if edge.output.startswith("unseen") else (*word, edge.output)
            waiting.append((edge.target, [*inputs, given], more, [*path, edge.number]))
    assert abs(total - 1) < 1e-9


@pytest.mark.parametrize("truth", [True, False])
def test_words_are_as_frequent_as_the_chain_says(truth: bool) -> None:
    checker = module("protocols").pin_checker
    counts = Counter(tuple(checker.run(right=truth, seed=seed)) for seed in range(RUNS))
    right = 0.53
    accepted_first = right if truth else 1 - right
    second = (1 - accepted_first) * (1 - right if truth else right)
    assert abs(counts["a",] / RUNS - accepted_first) < bound(RUNS)
    assert abs(counts["a", "b"] / RUNS - second) < bound(RUNS)


@pytest.mark.parametrize(
    ("noise", "tail", "least"),
    [
        ("laplace", lambda r: 0.5 * 2.718281828459045**-r, None),
        ("exponential", lambda r: 2.718281828459045**-r, 0),
        ("geometric", lambda r: 2.718281828459045**-r, 0),
        ("discrete_laplace", lambda r: (q := 2.718281828459045**-r) / (1 + q), None),
    ],
)
def test_noise_has_the_distribution_of_its_name(noise: str, tail: object, least: int | None) -> None:
    run = Simulated(random.Random(1), 1.0)
    drawn = [run.draw(noise, 5, "1/2", None) - 5 for _ in range(RUNS)]
    assert callable(tail)
    assert abs(sum(number >= 1 for number in drawn) / RUNS - tail(0.5)) < bound(RUNS)
    if least is not None:
        assert min(drawn) >= least
    if noise in ("geometric", "discrete_laplace"):
        assert all(number == int(number) for number in drawn)


@pytest.mark.parametrize("epsilon", [0.1, 10.0])
def test_gaussian_noise_has_its_standard_deviation_at_every_epsilon(epsilon: float) -> None:
    run = Simulated(random.Random(1), epsilon)
    drawn = [run.draw("gaussian", 5, sigma="5/2") - 5 for _ in range(RUNS)]
    for number, chance in ((-2.5, 0.841345), (0, 0.5), (2.5, 0.158655), (5, 0.022750)):
        assert abs(sum(one >= number for one in drawn) / RUNS - chance) < bound(RUNS)


def test_choices_have_their_weights() -> None:
    run = Simulated(random.Random(1), 1.0)
    chosen = Counter(run.choose("abc", ("1/2", 0, "1/4")) for _ in range(RUNS))
    assert abs(chosen["a"] / RUNS - 2 / 3) < bound(RUNS)
    assert chosen["b"] == 0


def test_a_seed_gives_the_same_run_again() -> None:
    decorated = module("sparse_vector").above_threshold
    assert decorated.run(repeat(-9), seed=3) == decorated.run(repeat(-9), seed=3)
    words: list[Shown] = decorated.run([100, 1], seed=3)
    assert words == ["above"]


def test_a_run_ends_with_the_queries() -> None:
    assert module("sparse_vector").lyu_6.run([-100] * 5, seed=1) == ["below"] * 5


@pytest.mark.parametrize("word", [laplace, discrete_laplace, exponential, geometric])
def test_words_mean_nothing_outside_runs(word: object) -> None:
    assert callable(word)
    with refuses("outside-a-run", match=r"call \.run"):
        word(0, rate=1)
    with refuses("outside-a-run"):
        see("a")


def test_what_is_no_epsilon_is_refused() -> None:
    with pytest.raises(BadInput, match="more than 0"):
        module("sparse_vector").lyu_6.run([1], epsilon="0")
    with pytest.raises(BadValue):
        module("sparse_vector").lyu_2(c=0.5)
