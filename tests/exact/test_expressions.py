"""Numbers with names: what is read, and affine functions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.errors import BadValue, BeyondLimit
from prover.exact.expressions import Affine, affine
from tests.refusals import refuses

Q = Fraction


@pytest.mark.parametrize(
    ("text", "constant", "slope"),
    [
        ("t", 0, 1),
        ("-t", 0, -1),
        ("3/4", Q(3, 4), 0),
        (" (1 - t)/6 ", Q(1, 6), Q(-1, 6)),
        ("2*t + t/2 - 0.25", Q(-1, 4), Q(5, 2)),
        ("(1 - t)*2 - (t - 1)*3", 5, -5),
        ("t*(1/2 + 1/2)", 0, 1),
        ("(t - t)*t", 0, 0),
        ("1e-2*t", 0, Q(1, 100)),
    ],
)
def test_affine(text: str, constant: Fraction, slope: Fraction) -> None:
    found = affine(text, "t")
    assert found == Affine(Q(constant), Q(slope))
    for value in (Q(0), Q(2, 3)):
        assert found.at(value) == constant + slope * value


@pytest.mark.parametrize(
    "text",
    [
        "t*t",
        "1/t",
        "t**2",
        "s + t",
        "t +",
        "f(t)",
        "",
        "t if t else 1",
        "1 < t",
        "t//2",
        "1/(t - t)",
        "1" * 201,
    ],
)
def test_what_is_not_affine(text: str) -> None:
    with refuses("not-affine", match="such as"):
        affine(text, "t")


def test_numbers_that_are_too_long() -> None:
    with pytest.raises((BadValue, BeyondLimit)):
        affine("1e99999 + t", "t")


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (Affine(Q(5), Q(-4)), "5 - 4*t"),
        (Affine(Q(0), Q(1)), "t"),
        (Affine(Q(0), Q(-1)), "-t"),
        (Affine(Q(0), Q(-3, 2)), "-(3/2)*t"),
        (Affine(Q(1, 2), Q(1)), "1/2 + t"),
        (Affine(Q(-1, 2), Q(1, 3)), "-1/2 + (1/3)*t"),
        (Affine(Q(0), Q(0)), "0"),
    ],
)
def test_texts_are_read_again(function: Affine, text: str) -> None:
    assert function.text("t") == text
    assert affine(text, "t") == function


def test_through() -> None:
    assert Affine.through(Q(1), Q(3), Q(2), Q(5)) == Affine(Q(1), Q(2))
