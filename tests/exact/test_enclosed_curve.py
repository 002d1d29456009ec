"""What bounds of a convex function imply, against a known function and against all pairs of bounds."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from prover.exact.convex import positive_parts
from prover.exact.enclosed_curve import EnclosedCurve

F = Fraction
Lines = list[tuple[Fraction, Fraction]]
MASS = st.fractions(0, F(1, 4), max_denominator=12)
ALPHA = st.fractions(1, 6, max_denominator=6)


@given(st.lists(st.tuples(MASS, MASS), max_size=4), st.lists(st.tuples(ALPHA, MASS), max_size=6), ALPHA)
def test_bounds_are_sound_and_use_all_pairs(
    masses: Lines, measured: list[tuple[Fraction, Fraction]], alpha: Fraction
) -> None:
    function, known = positive_parts(masses), EnclosedCurve()
    points = [(at, min(F(1), function.value(at) + slack)) for at, slack in measured]
    for at, bound in points:
        known.add_upper(at, bound)
        known.lower(at)
        known.add_line(*line(masses, at))
    assert known.lower(alpha) <= function.value(alpha) <= known.upper(alpha)
    assert all(known.lower(at) == function.value(at) for at, _ in points)
    implied = [bound for at, bound in points if at <= alpha]
    implied += [
        high + (low - high) * (alpha - left) / (right - left)
        for left, high in points
        for right, low in points
        if left < alpha < right
    ]
    assert known.upper(alpha) == min([F(1), *implied])


def line(masses: Lines, alpha: Fraction) -> tuple[Fraction, Fraction]:
    """The line of the best event at an α."""
    event = [(x, y) for x, y in masses if x > alpha * y]
    return sum((x for x, _ in event), F(0)), sum((y for _, y in event), F(0))


def test_nothing_is_known_at_first() -> None:
    known = EnclosedCurve()
    assert (known.lower(F(2)), known.upper(F(2))) == (F(0), F(1))
    known.add_upper(F(3), F(1, 2))
    assert known.upper(F(2)) == 1
    assert known.upper(F(4)) == F(1, 2)
    known.add_lower(F(3), F(1, 4))
    assert [known.lower(F(k)) for k in (2, 3, 4)] == [F(1, 4), F(1, 4), 0]
