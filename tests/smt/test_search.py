"""Binary search with recovery: numbers are found exactly, and intervals are sound without all answers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import Fault
from prover.smt.search import Bracket, search

F = Fraction
VALUES = st.one_of(
    st.fractions(0, 1),
    st.fractions(0, 1, max_denominator=30),
    st.integers(1, 10**9).map(lambda n: F(1, n)),
)


@given(VALUES)
def test_every_number_is_found(value: Fraction) -> None:
    seen: list[Bracket] = []
    found = search(lambda theta: value > theta, lambda theta: value >= theta, seen.append, value.denominator)
    assert (found.lower, found.upper, found.settled) == (value, value, True)
    assert found.questions <= 4 * value.denominator.bit_length() + 12
    before = Bracket(Fraction(0), Fraction(1), 0)
    for bracket in seen:
        assert before.lower <= bracket.lower <= value <= bracket.upper <= before.upper
        before = bracket


@given(VALUES, st.integers(0, 30))
def test_missing_answers_leave_a_sound_interval(value: Fraction, patience: int) -> None:
    asked = 0

    def tired(answer: bool) -> bool | None:
        nonlocal asked
        asked += 1
        return answer if asked <= patience else None

    found = search(
        lambda theta: tired(value > theta), lambda theta: tired(value >= theta), lambda _: None, 10**9
    )
    assert found.lower <= value <= found.upper
    assert found.settled is (asked <= patience)


@given(VALUES)
def test_what_is_asked_is_between_0_and_1(value: Fraction) -> None:
    def asked(theta: Fraction) -> Fraction:
        assert 0 <= theta <= 1
        return theta

    search(lambda theta: value > asked(theta), lambda theta: value >= asked(theta), lambda _: None, 10**400)


def test_a_number_that_no_fraction_is_cannot_be_searched_for_ever() -> None:
    with pytest.raises(Fault, match="denominator at most 1000"):
        search(lambda theta: 2 * theta * theta < 1, lambda theta: 2 * theta * theta < 1, lambda _: None, 1000)
