"""Numbers that callers give."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.exact.given import given_rational
from tests.refusals import refuses


@pytest.mark.parametrize("given", [Fraction(1, 2), "1/2", "0.5"])
def test_rationals_are_accepted(given: object) -> None:
    assert given_rational(given, "it", "wrong-it", at_least=0, at_most=1) == Fraction(1, 2)


@pytest.mark.parametrize("given", [0.5, True, None, [1], 1j])
def test_what_is_no_rational_is_refused(given: object) -> None:
    with refuses("wrong-it", match="it must be a rational number, not"):
        given_rational(given, "it", "wrong-it")


@pytest.mark.parametrize(
    ("limits", "given", "message"),
    [
        ({"at_least": 1}, "1/2", "it must be at least 1, not 1/2"),
        ({"more_than": 0}, 0, "it must be more than 0, not 0"),
        ({"at_most": 1}, "1.5", "it must be at most 1, not 3/2"),
        ({"at_least": 0, "at_most": 1}, "1.5", "it must be at most 1, not 3/2"),
        ({"at_least": 0, "at_most": 1}, "-1/2", "it must be at least 0, not -1/2"),
    ],
)
def test_ranges(limits: dict[str, int], given: object, message: str) -> None:
    with refuses("wrong-it") as caught:
        given_rational(given, "it", "wrong-it", **limits)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("limits", "given"),
    [
        ({"at_least": 1}, 1),
        ({"more_than": 0}, "1/100000"),
        ({"at_most": 1}, 1),
        ({"at_least": 0, "at_most": 1}, 0),
    ],
)
def test_the_ends_of_ranges(limits: dict[str, int], given: object) -> None:
    assert given_rational(given, "it", "wrong-it", **limits) == Fraction(str(given))
