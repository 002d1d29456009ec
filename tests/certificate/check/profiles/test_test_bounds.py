"""A test is compared with the bound of its node at all knots, although few of them are looked at."""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from random import Random

import pytest

from prover.certificate.check.profiles.functions import KNOT, VALUE, Function, bounds_test, is_at_least
from prover.certificate.check.profiles.regions import WHOLE, Vertices
from tests.profiles import everything, thinned

ROUNDED = 2 * WHOLE + 2
"""Profiles that are mixed are rounded up by less than 2, and the two sides of a test by less than 1 each."""


def hull(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The corners of the largest convex function that is not above these points."""
    corners: list[tuple[int, int]] = []
    for x, y in points:
        while len(corners) > 1 and (corners[-1][1] - corners[-2][1]) * (x - corners[-2][0]) >= (
            y - corners[-2][1]
        ) * (corners[-1][0] - corners[-2][0]):
            corners.pop()
        corners.append((x, y))
    return corners


def convex(knots: list[int], values: list[int]) -> Function:
    """A profile that is at least these falling numbers at no knot less than the largest convex function below
    them: integers, convex and falling."""
    corners = hull(list(zip(knots, values, strict=True)))
    found = []
    for knot in knots:
        own = next(pair for pair in pairwise(corners) if pair[0][0] <= knot <= pair[1][0])
        (a, v), (b, w) = own
        found.append((v * (b - a) + (w - v) * (knot - a), b - a))
    return Function(knots, [ceil(top / bottom) if bottom > 1 else top for top, bottom in found])


def drawn(random: Random, size: int) -> tuple[Function, Function, Vertices, list[int]]:
    """Two profiles, a polygon, and what the test is worth at the knots."""
    knots = [0, *sorted(random.sample(range(1, 20 * size), size - 1))]
    both = []
    for _ in range(2):
        slopes = sorted((random.randrange(0, 40) for _ in knots[1:]), reverse=True)
        values = [random.randrange(3)]
        for (a, b), slope in zip(reversed([*pairwise(knots)]), reversed(slopes), strict=True):
            values.append(values[-1] + slope * (b - a))
        both.append(Function(knots, values[::-1]))
    below, above = both
    vertices = [(random.randrange(WHOLE + 1), random.randrange(WHOLE + 1)) for _ in range(3)]
    vertices += random.sample([(0, 0), (WHOLE, WHOLE), (0, WHOLE // 3), (WHOLE // 5, 0)], 2)
    worth = [
        max(below.perspective(WHOLE - p, x * (WHOLE - q)) + above.perspective(p, x * q) for p, q in vertices)
        for x in knots
    ]
    return below, above, vertices, worth


@pytest.mark.parametrize("seed", thinned(range(400), 40))
def test_all_knots_are_compared(seed: int) -> None:
    random = Random(seed)
    verdicts = set[bool]()
    for size in (2, 3, 5, 40):
        below, above, vertices, worth = drawn(random, size)
        knots = list(below.knots)
        least = [-(-value // WHOLE) for value in worth]
        for shift in (0, 1, 2, -1, size):
            bound = convex(knots, [max(0, value + shift) for value in least])
            holds = all(own <= value * WHOLE for own, value in zip(worth, bound.values, strict=True))
            assert bounds_test(bound, below, above, vertices) is holds
            verdicts.add(holds)
            for k in random.sample(range(size), min(size, 5)):
                lowered = [*bound.values[:k], bound.values[k] - 1, *bound.values[k + 1 :]]
                other = Function(knots, lowered)
                if is_convex(other):
                    holds = all(own <= value * WHOLE for own, value in zip(worth, lowered, strict=True))
                    assert bounds_test(other, below, above, vertices) is holds
    assert verdicts == {True, False} or not everything()


def is_convex(function: Function) -> bool:
    sides = [
        (v - w, b - a)
        for (a, b), (v, w) in zip(pairwise(function.knots), pairwise(function.values), strict=True)
    ]
    return all(f * d >= g * c for (f, c), (g, d) in pairwise(sides)) and sides[-1][0] >= 0


@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("excess", [0, 1])
def test_numbers_that_are_rounded_up_between_knots(place: int, excess: int) -> None:
    """They are not convex, and come as far above a chord as rounding may take them."""
    knots = [0, 1, 2, 3, 4, 5]
    values = [WHOLE * VALUE] * 6
    chord = WHOLE * VALUE - ROUNDED + 1
    worth = [chord] * 6
    worth[place] = WHOLE * VALUE + excess
    assert is_at_least(knots, values, worth.__getitem__) is (excess == 0)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("excess", [0, 1])
def test_one_end_of_a_chord_may_touch_the_bound(backward: bool, excess: int) -> None:
    """Then numbers between them may be above it, as they are rounded up."""
    top, rounded = WHOLE * VALUE, ROUNDED
    worth = [top, top + excess, top - rounded // 2, top - rounded, top - rounded, top - rounded]
    worth = worth[::-1] if backward else worth
    assert is_at_least([0, 1, 2, 3, 4, 5], [top] * 6, worth.__getitem__) is (excess == 0)


@pytest.mark.parametrize("values", [[(8 - k) ** 2 for k in range(9)], [8 - k for k in range(9)]])
def test_knots_far_below_the_bound_are_not_looked_at(values: list[int]) -> None:
    seen = list[int]()

    def tight(k: int) -> int:
        seen.append(k)
        return WHOLE * VALUE * values[k]

    knots, bound = [KNOT * k for k in range(9)], [WHOLE * VALUE * value for value in values]
    assert is_at_least(knots, bound, tight)
    assert sorted(seen) == list(range(9))
    far = [value + 3 * WHOLE for value in bound]
    assert is_at_least(knots, far, {0: 0, 4: 0, 8: 0}.__getitem__)
