"""α and ε as they are given: rationals, logarithms of rationals, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.arguments import (
    AlphaOrEpsilon,
    BadAlpha,
    BadEpsilon,
    Slope,
    given_epsilon,
    given_slope,
    rational_alpha,
)
from prover.errors import BadInput
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import MalformedNumber

F = Fraction


@pytest.mark.parametrize("text", ["ln 2", "ln(2)", "ln (2)", "ln 4/2", "ln(2.0)", "ln  2"])
def test_logarithms_are_exact(text: str) -> None:
    assert given_epsilon(text) == Slope.of_alpha(F(2))
    assert rational_alpha("this", None, text) == 2


def test_zero_is_exact() -> None:
    assert given_slope("this", None, 0) == given_slope("this", None, "ln 1") == Slope.of_alpha(F(1))


@given(epsilon=st.fractions(min_value=F(1, 10**6), max_value=20, max_denominator=10**6))
def test_a_rational_epsilon_is_enclosed(epsilon: Fraction) -> None:
    slope = given_slope("this", None, epsilon, bits=60)
    assert slope.epsilon == epsilon
    assert slope.alpha is None
    assert 1 <= slope.upper < slope.lower <= slope.upper * (1 + F(1, 2**59))
    assert enclosed_logarithm(slope.upper, 30)[0] <= epsilon <= enclosed_logarithm(slope.lower, 30)[1]


@pytest.mark.parametrize(
    ("alpha", "epsilon", "error", "message"),
    [
        (None, None, BadAlpha, "this needs alpha"),
        (1, 1, AlphaOrEpsilon, "one of the two"),
        ("1/2", None, BadAlpha, "at least 1"),
        (1.5, None, BadAlpha, "not a float"),
        (None, 0.5, BadEpsilon, "not a float"),
        (None, True, BadEpsilon, "not bool"),
        (None, "-1/2", BadEpsilon, "at least 0"),
        (None, 1001, BadEpsilon, "at most 1000"),
        (None, "ln 1/2", BadEpsilon, "at least 1"),
        (None, "ln", MalformedNumber, '"ln"'),
        (None, "ln2", MalformedNumber, '"ln2"'),
        (None, "ln(2", MalformedNumber, "ln"),
        (None, "ln x", MalformedNumber, '"x"'),
        (None, "log 2", MalformedNumber, '"log 2"'),
        (None, "ln 2 ", MalformedNumber, "ln 2 "),
    ],
)
def test_refused(alpha: object, epsilon: object, error: type[BadInput], message: str) -> None:
    with pytest.raises(error, match=message.replace("(", r"\(")):
        given_slope("this", alpha, epsilon)  # type: ignore[arg-type]


def test_where_alpha_has_to_be_rational() -> None:
    with pytest.raises(BadEpsilon, match="give epsilon as a logarithm"):
        rational_alpha("this", None, "1/2")
    with pytest.raises(AlphaOrEpsilon):
        rational_alpha("this", 2, "ln 2")
