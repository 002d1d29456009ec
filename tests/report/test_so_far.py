"""What is said of a number while it is still narrowed: true, short, and nothing where nothing is known."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.report.so_far import so_far

Q = Fraction


@pytest.mark.parametrize(
    ("lower", "upper", "most", "said"),
    [
        ("0", "1", 1, ""),
        ("0", None, None, ""),
        ("0", "1/2", 1, "x: between 0 and 0.5"),
        ("1/3", "2/3", 1, "x: between 0.333333 and 0.666667"),
        ("1/2", "1/2", 1, "x: 1/2"),
        ("1/3", "1", 1, "x: between 0.333333 and 1"),
        ("0", "1", None, "x: between 0 and 1"),
        ("5/4", None, None, "x: at least 5/4"),
        ("3453877639491/250000000000", None, None, "x: at least 13.81551"),
    ],
)
def test_what_is_said(lower: str, upper: str | None, most: int | None, said: str) -> None:
    assert so_far("x", Q(lower), None if upper is None else Q(upper), most=most) == said


def test_decimals_enclose_the_interval() -> None:
    lower, upper = Q(1, 3), Q(1, 3) + Q(1, 10**12)
    _, _, low, _, high = so_far("x", lower, upper).split()
    assert Q(low) <= lower < upper <= Q(high)
    assert Q(high) - Q(low) < 2 * (upper - lower)
