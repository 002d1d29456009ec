"""The attacks with the largest advantage: two answers about δ, at the right α, and both ends proved."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import prover
from prover.program.model import Program
from prover.program.profiles import search
from prover.program.profiles.delta import ProgramDelta
from prover.zoo import build_program
from tests.program.profiles.test_delta import alarm, is_proved
from tests.refusals import refuses

Answers = tuple[ProgramDelta, ...]


@pytest.fixture(scope="module")
def bad() -> Answers:
    """Of a mechanism that is not private: its limit has no noise, and queries have rate 1/4."""
    return prover.advantages(alarm(noisy=False))


def test_a_program_that_is_not_private(bad: Answers) -> None:
    assert [one.factor for one in bad] == ["1", "e^1"]
    assert {one.at_epsilon for one in bad} == {Fraction(1)}
    for answer in bad:
        is_proved(answer)


def test_the_event_is_common(bad: Answers) -> None:
    """At α = 1 the largest advantage on streams is 0.161244, by a recursion on floats."""
    first = bad[0]
    assert first.attack is not None
    assert 0.16124 < first.lower < 0.161244 < first.upper < 0.16125
    assert first.attack.probabilities[0] > Fraction(1, 10)


@pytest.mark.slow
def test_a_private_program_is_asked_about_half_of_its_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "LONG", (24,))
    seen: list[Answers] = []
    answer = prover.privacy(build_program("svt"), adjacency="increasing")
    found = prover.advantages(build_program("svt"), answer, epsilon="4", on_found=seen.append)
    assert answer.epsilon == Fraction(3, 4)
    assert [one.factor for one in found] == ["1", "e^(3/2)"]
    assert {one.adjacency for one in found} == {"increasing"}
    assert seen == [found[:1]]
    assert 0 < found[1].lower < found[0].lower


def test_what_loses_nothing_is_asked_about_once() -> None:
    states = {name: replace(state, input=False) for name, state in alarm().states.items()}
    (only,) = prover.advantages(Program("draw", states))
    assert (only.factor, only.lower, only.attack) == ("1", Fraction(0), None)


def test_programs_without_tables_have_lower_ends() -> None:
    even, odd = prover.advantages(build_program("lyu-3"))
    assert even.upper == odd.upper == 1
    assert 0 < odd.lower < even.lower
    assert "stores or outputs a sample that it also compares, in a loop" in (even.obstacle or "")


def test_what_is_refused() -> None:
    with refuses("bad-number"):
        prover.advantages(build_program("svt"), epsilon=0)
