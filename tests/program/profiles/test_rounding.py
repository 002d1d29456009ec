"""Values that are rounded up: convex, as floats no less than they were, not raised when rounded again."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from prover.program.profiles.rounding import KNOT, VALUE, as_floats, convex_above

KNOTS = st.lists(st.integers(0, 50 * KNOT), min_size=2, max_size=30, unique=True).map(sorted)


@given(KNOTS, st.floats(0, 1), st.floats(1e-6, 3))
def test_rounded_values(knots: list[int], height: float, rate: float) -> None:
    values = [height / (1 + rate * knot / KNOT) for knot in knots]
    written = convex_above(knots, values)
    assert all(value <= own / VALUE for value, own in zip(values, written, strict=True))
    falls = [
        Fraction(one - two, right - left)
        for one, two, left, right in zip(written, written[1:], knots, knots[1:], strict=False)
    ]
    assert falls == sorted(falls, reverse=True)
    assert convex_above(knots, as_floats(written, VALUE)) == written
