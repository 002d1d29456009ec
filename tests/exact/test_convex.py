"""Convex piecewise linear functions against the sums and maxima that they stand for."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from prover.exact.convex import Piece, Piecewise, maximum, positive_parts

Lines = list[tuple[Fraction, Fraction]]
F = Fraction


def masses() -> st.SearchStrategy[Fraction]:
    return st.fractions(0, 1, max_denominator=12)


def lines() -> st.SearchStrategy[Lines]:
    return st.lists(st.tuples(masses(), masses()), max_size=6)


def points() -> st.SearchStrategy[Fraction]:
    return st.fractions(1, 15, max_denominator=12)


def well_formed(function: Piecewise) -> bool:
    """Whether it is continuous, convex with a bend at every breakpoint, and not increasing."""
    starts = function.pieces[0].start == 1 and function.pieces[-1].slope >= 0
    return starts and all(
        before.start < after.start
        and before.slope > after.slope
        and before.value(after.start) == after.value(after.start)
        for before, after in pairwise(function.pieces)
    )


@given(lines(), points())
def test_positive_parts(given_lines: Lines, alpha: Fraction) -> None:
    function = positive_parts(given_lines)
    assert function.value(alpha) == sum(max(F(0), x - alpha * y) for x, y in given_lines)
    assert well_formed(function)


@given(st.lists(lines(), min_size=1, max_size=4), points())
def test_maximum(many: list[Lines], alpha: Fraction) -> None:
    functions = [positive_parts(each) for each in many]
    function = maximum(functions)
    assert function.value(alpha) == max(each.value(alpha) for each in functions)
    assert well_formed(function)


@given(lines(), lines(), masses())
def test_first_at_most(first: Lines, second: Lines, bound: Fraction) -> None:
    function = maximum([positive_parts(first), positive_parts(second)])
    found = function.first_at_most(bound)
    if found is None:
        assert function.pieces[-1].slope == 0
        assert function.pieces[-1].constant > bound
    else:
        assert function.value(found) == bound or (found == 1 and function.value(found) < bound)
        before = (found + 1) / 2
        assert found == 1 or function.value(before) > bound


def test_corners() -> None:
    function = positive_parts([(F(2, 3), F(1, 3)), (F(1, 3), F(0))])
    assert function.corners == ((F(1), F(2, 3)), (F(2), F(1, 3)))
    assert function.pieces == (Piece(F(1), F(1), F(1, 3)), Piece(F(2), F(1, 3), F(0)))


def test_nothing_at_all() -> None:
    assert positive_parts([]).corners == ((F(1), F(0)),)
    assert positive_parts([]).first_at_most(F(0)) == 1
