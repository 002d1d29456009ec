"""α and ε as they are given: rationals, logarithms of rationals, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.arguments import Slope, given_epsilon, given_slope, rational_alpha
from prover.exact.exponential import enclosed_logarithm
from tests.refusals import refuses

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
        (None, None, "bad-alpha", "this needs alpha"),
        (1, 1, "alpha-or-epsilon", "give either alpha"),
        ("1/2", None, "bad-alpha", "at least 1"),
        (1.5, None, "bad-alpha", "not a float"),
        (None, 0.5, "bad-epsilon", "not a float"),
        (None, True, "bad-epsilon", "not bool"),
        (None, "-1/2", "bad-epsilon", "at least 0"),
        (None, 1001, "bad-epsilon", "at most 1000"),
        (None, "ln 1/2", "bad-epsilon", "at least 1"),
        (None, "ln", "malformed-number", '"ln"'),
        (None, "ln2", "malformed-number", '"ln2"'),
        (None, "ln(2", "malformed-number", "ln"),
        (None, "ln x", "malformed-number", '"x"'),
        (None, "log 2", "malformed-number", '"log 2"'),
        (None, "ln 2 ", "malformed-number", "ln 2 "),
    ],
)
def test_refused(alpha: object, epsilon: object, error: str, message: str) -> None:
    with refuses(error, match=message.replace("(", r"\(")):
        given_slope("this", alpha, epsilon)  # type: ignore[arg-type]


def test_where_alpha_has_to_be_rational() -> None:
    with refuses("bad-epsilon", match="give epsilon as a logarithm"):
        rational_alpha("this", None, "1/2")
    with refuses("alpha-or-epsilon"):
        rational_alpha("this", 2, "ln 2")
