"""Random functions: what is found by reading them is what Python does, on every way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import pytest

from prover.chain.model import LabelledMarkovChain
from prover.language.errors import NotYetInTheModel
from prover.language.files import function_in
from prover.language.mechanism.letters import UNSEEN
from prover.language.mechanism.states import LIMIT, settled
from prover.language.written import Mechanism, Protocol
from prover.program.conditions import conditions
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian
from prover.program.origin import WrittenProgram
from tests.language.scripted import QUERIES, Script, Stream, Writer, runs
from tests.profiles import everything, thinned

SIGNS_OF = {"<": (-1,), "<=": (-1, 0), "=": (0,), ">=": (0, 1), ">": (1,)}


def function_of(text: str) -> Callable[..., None]:
    """The function as Python knows it, without its decorator."""
    names: dict[str, Any] = {}
    exec(text.replace("@prover.mechanism", "").replace("@prover.protocol", ""), names)  # noqa: S102
    found: Callable[..., None] = names["f"]
    return found


def mechanisms(seeds: Sequence[int], noise: str) -> Iterator[tuple[str, WrittenProgram]]:
    """Functions of which the model can say all that they do, draw by draw; test_moved_draws.py has others."""
    for seed in seeds:
        text = Writer(seed, mechanism=True, noise=noise).text()
        function = function_in(text.encode(), "f", f"{seed}.py")
        assert isinstance(function, Mechanism)
        try:
            settled(function.code(), function.values({}), function.fail, LIMIT)
            program = function.program({})
        except NotYetInTheModel:
            continue
        if not program.hides_steps:
            yield text, program


def draws(program: Program, state: str) -> bool:
    """Whether a state draws; others, of rate or sigma 1, put out a letter or are for the form's sake."""
    return program.states[state].rate not in (Fraction(1), Gaussian(Fraction(1)))


def followed(program: Program, script: Script) -> tuple[int, ...]:
    """The path that goes as Python went: one transition at each state has tests with these outcomes."""
    leaving = out_edges(program)
    state, held, path, drawn = program.initial, dict[str, int](), list[int](), 0
    events = list(script.events)
    while state in program.states and (events or not draws(program, state)):
        if draws(program, state):
            event = events.pop(0)
            drawn += 1
            rate = program.states[state].rate
            amount = rate.sigma if isinstance(rate, Gaussian) else rate
            assert (event[1] == "gaussian") is isinstance(rate, Gaussian)
            assert event[2:] == (amount, program.states[state].input)
        (edge,) = [edge for edge in leaving[state] if agrees(edge, script, held, drawn)]
        letters: list[str] = []
        while not edge.output.startswith(UNSEEN) and "_".join(letters) != edge.output:
            kind, text = events.pop(0)
            assert kind == "see"
            letters.append(text)
        held |= dict.fromkeys(edge.assign, drawn)
        path.append(edge.number)
        state = edge.target
    assert events == []
    assert script.ended is (state in program.states)
    return tuple(path)


def agrees(edge: Edge, script: Script, held: dict[str, int], drawn: int) -> bool:
    """Whether Python has made the tests of a transition, all with these outcomes."""
    signs = [(relation, script.known.get((drawn, held[name]))) for relation, name in edge.written]
    return all(sign in SIGNS_OF[relation] for relation, sign in signs)


def paths(program: Program) -> set[tuple[int, ...]]:
    """All paths until the queries end."""
    leaving = out_edges(program)
    found = set()
    waiting: list[tuple[str, int, tuple[int, ...]]] = [(program.initial, 0, ())]
    while waiting:
        state, read, path = waiting.pop()
        if state not in program.states or (program.states[state].input and read == QUERIES):
            found.add(path)
            continue
        read += program.states[state].input
        waiting += [(edge.target, read, (*path, edge.number)) for edge in leaving[state]]
    return found


@pytest.mark.family
@pytest.mark.parametrize(
    ("noise", "start"),
    [
        *(("laplace", start) for start in thinned(range(0, 200, 50))),
        *(("discrete_laplace", start) for start in thinned(range(0, 200, 50))),
        ("gaussian", 0),
    ],
)
def test_mechanisms_do_what_python_does(noise: str, start: int) -> None:
    found = 0
    for text, program in mechanisms(range(start, start + 50), noise):
        function = function_of(text)

        def call(script: Script, function: Callable[..., None] = function) -> None:
            function(Stream(script, QUERIES))

        taken = {followed(program, script) for script in runs(call)}
        assert taken == paths(program), text
        found += 1
    assert found >= 20


def words(chain: LabelledMarkovChain, start: str) -> dict[tuple[str, ...], Fraction]:
    """What is seen of runs that end, with probabilities."""
    found: dict[tuple[str, ...], Fraction] = {}
    waiting: list[tuple[int, tuple[str, ...], Fraction]] = [(chain.index(start), (), Fraction(1))]
    while waiting:
        state, word, mass = waiting.pop()
        if chain.labels[state] == "end":
            found[word] = found.get(word, Fraction(0)) + mass
            continue
        for target, p in chain.rows[state].items():
            label = chain.labels[target]
            waiting.append((target, word if label == "end" else (*word, label), mass * p))
    return found


@pytest.mark.parametrize("start", thinned(range(0, 200, 50)))
def test_protocols_say_what_python_says_as_often(start: int) -> None:
    for seed in range(start, start + 50):
        text = Writer(seed, mechanism=False).text()
        function = function_in(text.encode(), "f", f"{seed}.py")
        assert isinstance(function, Protocol)
        chain = function.chain({})
        python = function_of(text)
        for secret in (True, False):
            expected: dict[tuple[str, ...], Fraction] = {}
            for script in runs(lambda _, secret=secret, python=python: python(secret)):  # type: ignore[misc]
                word = tuple(text for _, text in script.events)
                expected[word] = expected.get(word, Fraction(0)) + script.mass
            assert words(chain, f"secret={secret}") == expected, text


@pytest.mark.parametrize("noise", ["laplace", "discrete_laplace"])
def test_where_an_answer_is_exact_what_is_seen_tells_the_run(noise: str) -> None:
    several = 0
    for text, program in mechanisms(thinned(range(200, 500), 3), noise):
        if not conditions(program).output_distinction:
            continue
        ended: dict[tuple[object, ...], tuple[int, ...]] = {}
        open_words: set[tuple[object, ...]] = set()
        for path in paths(program):
            word = tuple(event for number in path for event in program.origin.edges[number].events)
            if program.edges[path[-1]].target in program.states:
                open_words.add(word)
            else:
                assert ended.setdefault(word, path) == path, text
        assert not open_words & ended.keys(), text
        several += len(ended) > 1
    assert several >= (20 if everything() else 4)
