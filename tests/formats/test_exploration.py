"""Chains as Python functions."""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

import pytest

from prover.certificate.verification import verify
from prover.chain.model import LabelledMarkovChain
from prover.formats.exploration import explore
from prover.questions import delta
from prover.zoo import randomised_response
from tests.refusals import refuses


def walk(state: tuple[int, int]) -> Mapping[tuple[int, int], Fraction | int]:
    """A counter that a secret tilts."""
    secret, place = state
    if place in (0, 4):
        return {state: 1}
    return {
        (secret, place - 1): Fraction(1, 2 + secret),
        (secret, place + 1): Fraction(1 + secret, 2 + secret),
    }


def test_a_walk() -> None:
    chain = explore([(0, 2), (1, 2)], walk, lambda state: str(state[1]))
    assert len(chain) == 10
    assert [(chain.states[s], chain.states[t]) for s, t in chain.relation] == [
        ("(0, 2)", "(1, 2)"),
        ("(1, 2)", "(0, 2)"),
    ]
    row = chain.rows[chain.index("(1, 2)")]
    assert row == {chain.index("(1, 1)"): Fraction(1, 3), chain.index("(1, 3)"): Fraction(2, 3)}
    assert chain.labels[chain.index("(1, 3)")] == "3"


def test_the_zoo_once_more() -> None:
    zoo = randomised_response()
    rows = {
        name: {zoo.states[t]: p for t, p in row.items()}
        for name, row in zip(zoo.states, zoo.rows, strict=True)
    }
    labels = dict(zip(zoo.states, zoo.labels, strict=True))
    related = [(zoo.states[s], zoo.states[t]) for s, t in zoo.relation]
    again = explore(zoo.states, rows.__getitem__, labels.__getitem__, relation=related)
    assert again == zoo
    found = delta(again, None, None, "6/5")
    assert verify(found.certificate)
    assert found.value == delta(zoo, None, None, "6/5").value


def test_names_texts_and_zeros() -> None:
    numbers: dict[int, dict[int, str | int]] = {0: {0: "0.5", 1: "1/2", 2: 0}, 1: {1: 1}}
    chain = explore(
        [1, 0, 1], numbers.__getitem__, lambda _: "", name=lambda state: f"s{state}", relation=[(0, 1)]
    )
    assert chain == LabelledMarkovChain.of(
        {"s0": ("", {"s0": "1/2", "s1": "1/2"}), "s1": ("", {"s1": 1})}, [("s0", "s1")]
    )


@pytest.mark.parametrize(
    ("row", "error", "match"),
    [
        ({0: 0.5, 1: 0.5}, "bad-step", 'after state "0" must be a rational number, not a float'),
        ({0: "1/3"}, "bad-step", 'the probabilities after state "0" sum to 1/3, not 1'),
        ({}, "bad-step", "sum to 0"),
        ({0: 2, 1: -1}, "bad-step", "at least 0"),
        ({0: True}, "bad-step", "not bool"),
        ([(0, 1)], "bad-step", "comes list"),
        (None, "bad-step", "comes NoneType"),
        ({0: "x"}, "malformed-number", "malformed number"),
        ({"0": 1}, "duplicate-state", "given twice"),
    ],
)
def test_steps_that_are_refused(row: Any, error: str, match: str) -> None:
    with refuses(error, match=match):
        explore([0], lambda _: row, lambda _: "a")


def test_other_refusals() -> None:
    def stay(state: Hashable) -> dict[Any, int]:
        return {state: 1}

    with refuses("no-states"):
        explore([], stay, str)
    with refuses("not-text", match="the label of state"):
        explore([0], stay, lambda _: 1)  # type: ignore[arg-type, return-value]
    with refuses("not-text", match="the name of a state"):
        explore([0], stay, str, name=lambda _: 1)  # type: ignore[arg-type, return-value]


def test_the_limit_and_the_progress() -> None:
    said: list[tuple[str, int, int | None]] = []

    def count(state: int) -> dict[int, int]:
        return {state + 1: 1}

    with refuses("too-many-states", match="more than 2,500 states are reached"):
        explore([0], count, lambda _: "a", limit=2_500, progress=lambda *about: said.append(about))
    assert [done for _, done, _ in said] == [1_000, 2_000]
    assert len(explore([0], lambda k: {min(k + 1, 2_499): 1}, lambda _: "a", limit=2_500)) == 2_500
