"""Conversions of chains: the probabilities of words are those of the definitions, by brute force."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from prover.chain.conversion import (
    LetterStep,
    from_finite_words,
    from_transition_labels,
    reduce_total_variation,
)
from prover.chain.model import LabelledMarkovChain, Number
from tests.oracle import ld, lv_words
from tests.refusals import refuses
from tests.strategies import alphas, chains

F = Fraction
few = settings(max_examples=settings().max_examples // 4)
Transitions = dict[str, list[tuple[Fraction, str, str]]]
Row = dict[str, Fraction]
FiniteWords = tuple[dict[str, tuple[str, Row]], list[str]]


def word_probability(chain: LabelledMarkovChain, state: str, word: tuple[str, ...]) -> Fraction:
    """ν_state(C_word): the sum over the paths that read the word, one after the other."""
    paths = [(chain.index(state), F(1))]
    for place, letter in enumerate(word):
        paths = [(s, p) for s, p in paths if chain.labels[s] == letter]
        if place < len(word) - 1:
            paths = [(t, p * q) for s, p in paths for t, q in chain.rows[s].items()]
    return sum((p for _, p in paths), F(0))


def random_weights(count: int, random: Random) -> list[Fraction]:
    weights = [random.randint(1, 4) for _ in range(count)]
    return [F(weight, sum(weights)) for weight in weights]


# Letters on transitions ----------------------------------------------------------------------------------


@st.composite
def transition_labelled(draw: DrawFn) -> Transitions:
    """Up to four states and up to four transitions each, some of them of probability 0."""
    random = Random(draw(st.integers(0, 2**32)))
    states = [f"q{k}" for k in range(random.randint(1, 4))]
    transitions: Transitions = {}
    for state in states:
        choices = list(product("ab", states))
        chosen = random.sample(choices, min(len(choices), random.randint(1, 4)))
        weights = random_weights(len(chosen), random)
        transitions[state] = [(p, a, t) for p, (a, t) in zip(weights, chosen, strict=True)]
        transitions[state] += [(F(0), "c", random.choice(states))] * random.randint(0, 1)
    return transitions


def read_probability(transitions: Transitions, state: str, word: tuple[str, ...]) -> Fraction:
    """The probability that the transitions from the state on carry the letters of the word."""
    if not word:
        return F(1)
    after = (p * read_probability(transitions, t, word[1:]) for p, a, t in transitions[state] if a == word[0])
    return sum(after, F(0))


@given(transition_labelled())
def test_words_keep_their_probability_behind_the_start(transitions: Transitions) -> None:
    chain = from_transition_labels(transitions)
    for state, length in product(transitions, range(4)):
        words = list(product("abc", repeat=length))
        for word in words:
            expected = read_probability(transitions, state, word)
            assert word_probability(chain, f"({state},start)", ("start", *word)) == expected
        assert sum(read_probability(transitions, state, word) for word in words) == 1


@given(transition_labelled())
def test_there_is_a_copy_for_every_letter_that_enters_a_state(transitions: Transitions) -> None:
    chain = from_transition_labels(transitions)
    entered = {(t, a) for row in transitions.values() for p, a, t in row if p > 0}
    wanted = entered | {(state, "start") for state in transitions}
    assert dict(zip(chain.states, chain.labels, strict=True)) == {f"({q},{a})": a for q, a in wanted}


def test_a_coin_with_letters_on_its_transitions() -> None:
    transitions: dict[str, list[LetterStep]] = {
        "even": [("1/3", "heads", "odd"), (F(2, 3), "tails", "even")],
        "odd": [(1, "heads", "even"), (0, "tails", "odd")],
    }
    chain = from_transition_labels(transitions, [("even", "odd")], start="go")
    from_even = {"(odd,heads)": "1/3", "(even,tails)": "2/3"}
    assert chain == LabelledMarkovChain.of(
        {
            "(even,go)": ("go", from_even),
            "(even,heads)": ("heads", from_even),
            "(even,tails)": ("tails", from_even),
            "(odd,go)": ("go", {"(even,heads)": 1}),
            "(odd,heads)": ("heads", {"(even,heads)": 1}),
        },
        [("(even,go)", "(odd,go)")],
    )


@pytest.mark.parametrize(
    ("transitions", "error", "words"),
    [
        ({}, "no-states", "at least one state"),
        ({"q": [("1", "a")]}, "malformed-transition", 'transition 0 of state "q"'),
        ({"q": ["1aq"]}, "malformed-transition", "(probability, letter, successor)"),
        ({"q": [("1/2", "a", "q"), ("1/2", "a", "q")]}, "repeated-transition", 'with letter "a" twice'),
        ({"q": [("1", "a", "r")]}, "unknown-successor", '"r"'),
        ({"q": [("1", 7, "q")]}, "not-text", "int"),
        ({"q": [(0.5, "a", "q"), ("1/2", "b", "q")]}, "float-probability", "0.5"),
        ({"q": [("3/2", "a", "q"), ("-1/2", "b", "q")]}, "negative-probability", "-1/2"),
        ({"q": [("1/2", "a", "q")]}, "row-sum", "1/2"),
        ({"q": []}, "row-sum", '"(q,start)" sums to 0'),
        ({"q": [("1", "start", "q")]}, "label-not-fresh", '"start"'),
        ({"q": [("1", "start", "r")], "r": [("1", "a", "r")]}, "label-not-fresh", '"start"'),
    ],
)
def test_refused_transitions(transitions: Any, error: str, words: str) -> None:
    with refuses(error) as caught:
        from_transition_labels(transitions)
    assert words in str(caught.value)


def test_names_of_copies_that_collide_are_refused() -> None:
    transitions = {"q": [("1", "b,c", "q")], "q,b": [("1", "c", "q,b")]}
    with refuses("ambiguous-copy", match="both be called") as caught:
        from_transition_labels(transitions)
    assert all(
        f'state "{q}" after letter "{a}"' in str(caught.value) for q, a in (("q", "b,c"), ("q,b", "c"))
    )
    assert len(from_transition_labels({"q": [("1", "b,c", "q")], "q,b": [("1", "d", "q,b")]})) == 4


@pytest.mark.parametrize("pair", [("q", "x"), ("x", "q"), ("x,y", "q")])
def test_a_relation_between_unknown_states_is_refused(pair: tuple[str, str]) -> None:
    # "(x,y,start)" is the name of a state of the result, but "x,y" is none of the given chain.
    transitions = {"q": [("1", "y,go", "x'")], "x'": [("1", "a", "q")]}
    with refuses("relation-names-unknown-state"):
        from_transition_labels(transitions, [("q", "x'"), pair], start="go")


# Finite words --------------------------------------------------------------------------------------------


@st.composite
def finite_words(draw: DrawFn, *, forward: bool = False) -> FiniteWords:
    """Up to four states that go on, and one or two final ones that all of them reach.

    With ``forward`` no word is longer than the number of states that go on.
    """
    random = Random(draw(st.integers(0, 2**32)))
    inner = [f"s{k}" for k in range(random.randint(1, 4))]
    final = [f"f{k}" for k in range(random.randint(1, 2))]
    states: dict[str, tuple[str, Row]] = {}
    for k, name in enumerate(inner):
        onward = [*inner[k + 1 :], *final]
        others = onward if forward else [*inner, *final]
        chosen = {random.choice(onward), *random.sample(others, min(len(others), random.randint(0, 2)))}
        row = zip(sorted(chosen), random_weights(len(chosen), random), strict=True)
        states[name] = (random.choice("aab"), dict(row))
    return states, final


def finite_probability(
    states: Mapping[str, tuple[str, Row]], final: list[str], state: str, word: tuple[str, ...]
) -> Fraction:
    """The probability that a run from the state reads the word and is then in a final state."""
    if state in final:
        return F(not word)
    label, row = states[state]
    if not word or word[0] != label:
        return F(0)
    return sum((p * finite_probability(states, final, t, word[1:]) for t, p in row.items()), F(0))


@given(finite_words())
def test_finite_words_keep_their_probability(given_chain: FiniteWords) -> None:
    states, final = given_chain
    chain = from_finite_words(states, final)
    for state, length in product([*states, *final], range(4)):
        for word in product("ab", repeat=length):
            expected = finite_probability(states, final, state, word)
            assert word_probability(chain, state, (*word, "$")) == expected
            assert word_probability(chain, state, (*word, "$", "$")) == expected


@given(finite_words(forward=True), alphas())
def test_the_best_event_is_the_words_that_gain(given_chain: FiniteWords, alpha: Fraction) -> None:
    states, final = given_chain
    chain = from_finite_words(states, final)
    longest = len(states)
    words = [word for length in range(longest + 1) for word in product("ab", repeat=length)]
    for s, t in product(states, states):
        gains = (
            finite_probability(states, final, s, word) - alpha * finite_probability(states, final, t, word)
            for word in words
        )
        best = sum((gain for gain in gains if gain > 0), F(0))
        assert lv_words(chain, alpha, chain.index(s), chain.index(t), longest + 1) == best


def test_a_word_that_ends_at_once_or_goes_on() -> None:
    states: dict[str, tuple[str, dict[str, Number]]] = {
        "s": ("a", {"s": "1/2", "stop": "1/2"}),
        "t": ("a", {"stop": 1, "t": 0}),
    }
    chain = from_finite_words(states, ["stop"], [("s", "t")], end="end")
    assert chain == LabelledMarkovChain.of({**states, "stop": ("end", {"stop": 1})}, [("s", "t")])


@pytest.mark.parametrize(
    ("states", "final", "error", "words"),
    [
        ({}, [], "no-states", "at least one state"),
        ({"s": ("a", {"s": 1})}, [], "no-way-to-end", '"s" reaches no final state'),
        ({"s": ("a", {"s": 1, "f": 0})}, ["f"], "no-way-to-end", '"s" reaches no final state'),
        ({"s": ("a", {"f": "1/2", "t": "1/2"}), "t": ("b", {"t": 1})}, ["f"], "no-way-to-end", '"t"'),
        ({"s": ("a", {"f": 1}), "f": ("b", {"f": 1})}, ["f"], "final-state-continues", '"f" is final'),
        ({"s": ("$", {"f": 1})}, ["f"], "label-not-fresh", '"$"'),
        ({"s": ("a", {"f": 1})}, ["g"], "unknown-successor", '"f"'),
        ({"s": ("a", {"f": "1/2"})}, ["f"], "row-sum", "1/2"),
    ],
)
def test_refused_finite_words(states: Any, final: list[str], error: str, words: str) -> None:
    with refuses(error) as caught:
        from_finite_words(states, final)
    assert words in str(caught.value)


def test_every_state_ends_if_only_at_last() -> None:
    length = 3_000
    states = {f"s{k:04}": ("a", {f"s{k + 1:04}": 1}) for k in range(length)}
    assert len(from_finite_words(states, [f"s{length:04}"])) == length + 1


# Total variation -----------------------------------------------------------------------------------------


@st.composite
def acyclic(draw: DrawFn) -> LabelledMarkovChain:
    """Up to five states that go forward only, and two that stay: five letters decide every sequence."""
    random = Random(draw(st.integers(0, 2**32)))
    names = [f"n{k}" for k in range(random.randint(3, 5))]
    states: dict[str, tuple[str, Row]] = {name: (name, {name: F(1)}) for name in ("x", "y")}
    for k, name in enumerate(names):
        later = [*names[k + 1 :], "x", "y"]
        chosen = random.sample(later, random.randint(1, min(3, len(later))))
        states[name] = (
            random.choice("aab"),
            dict(zip(chosen, random_weights(len(chosen), random), strict=True)),
        )
    return LabelledMarkovChain.of(states, [(names[0], names[1])])


@given(acyclic(), alphas())
@few
def test_total_variation_is_the_skewed_distance_of_the_reduction(
    chain: LabelledMarkovChain, alpha: Fraction
) -> None:
    for first, second in product(chain.states, chain.states):
        s, t = chain.index(first), chain.index(second)
        expected = lv_words(chain, F(1), s, t, 6)
        assert lv_words(chain, F(1), s, t, 7) == expected
        reduced = reduce_total_variation(chain, first, second, alpha)
        source, target = reduced.chain.index(reduced.source), reduced.chain.index(reduced.target)
        assert lv_words(reduced.chain, alpha, source, target, 7) == expected
        assert lv_words(reduced.chain, alpha, source, target, 6) <= expected


@given(chains(max_states=5), alphas())
@few
def test_the_reduction_bounds_words_of_any_length(chain: LabelledMarkovChain, alpha: Fraction) -> None:
    first, second = chain.states[0], chain.states[-1]
    reduced = reduce_total_variation(chain, first, second, alpha)
    source, target = reduced.chain.index(reduced.source), reduced.chain.index(reduced.target)
    words = lv_words(chain, F(1), 0, len(chain) - 1, 4)
    assert lv_words(reduced.chain, alpha, source, target, 5) == words
    assert words <= ld(reduced.chain, alpha)[source][target]


def test_what_the_reduction_adds() -> None:
    chain = LabelledMarkovChain.of(
        {"q": ("B", {"s": "1/4", "q": "3/4"}), "s": ("C", {"s": 1}), "⊥": ("c", {"⊥": 1})}, [("q", "s")]
    )
    reduced = reduce_total_variation(chain, "q", "⊥", F(3, 2))
    assert (reduced.source, reduced.target) == ("s'", "s''")
    assert reduced.chain == LabelledMarkovChain.of(
        {
            "q": ("B", {"s": "1/4", "q": "3/4"}),
            "s": ("C", {"s": 1}),
            "⊥": ("c", {"⊥": 1}),
            "s'": ("B'", {"q": 1}),
            "s''": ("B'", {"⊥": "2/3", "⊥'": "1/3"}),
            "⊥'": ("C'", {"⊥'": 1}),
        },
        [("q", "s")],
    )


def test_at_one_nothing_is_lost() -> None:
    chain = LabelledMarkovChain.of({"q": ("a", {"q": 1}), "r": ("a", {"r": 1})})
    reduced = reduce_total_variation(chain, "q", "r", 1)
    assert (reduced.source, reduced.target) == ("s", "s'")
    assert reduced.chain.rows[reduced.chain.index("s'")] == {reduced.chain.index("r"): 1}


def test_refused_reductions() -> None:
    chain = LabelledMarkovChain.of({"q": ("a", {"q": 1})})
    with refuses("bad-alpha", match="at least 1, not 99/100"):
        reduce_total_variation(chain, "q", "q", F(99, 100))
    inexact: Any = 1.5
    with refuses("bad-alpha", match="not a float"):
        reduce_total_variation(chain, "q", "q", inexact)
    for pair in (("q", "r"), ("r", "q")):
        with refuses("unknown-state", match='"r"'):
            reduce_total_variation(chain, *pair, 2)
