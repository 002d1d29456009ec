"""Convex functions of α between 0 and 1, linear between knots: what they are worth, rounded up."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import add

from ..budget import Budget
from ..reading import BadEvidence, Json, Malformed, demand, each
from .regions import WHOLE, Vertices

VALUE = 10**16  # values are multiples of 1/VALUE
KNOT = 10**12  # and knots of 1/KNOT
MOST_KNOTS = 10_000

_ROUNDED = 2 * WHOLE + 2  # functions are rounded up by less than 2, and what is made of two by 1 each

OPERATION = 8, 192, 64  # what a value of a function between knots costs


@dataclass(frozen=True, slots=True)
class Function:
    """A function that falls; at the knots it has these values, between them it is linear, then constant."""

    knots: Sequence[int]
    values: Sequence[int]

    def perspective(self, p: int, x: int) -> int:
        """p·VALUE times the value at x/(p·KNOT), rounded up; 0 where p is 0."""
        if p == 0:
            return 0
        k = bisect_right(self.knots, x // p) - 1
        if k + 1 == len(self.knots):
            return p * self.values[k]
        fall, width = self.values[k] - self.values[k + 1], self.knots[k + 1] - self.knots[k]
        return p * self.values[k] - (x - self.knots[k] * p) * fall // width

    def mixed(self, vertices: Vertices) -> Function:
        """What ⟨p, p′; D⟩ is at most at the knots, for atoms that are the sides of a polygon."""
        bends, sums = self.bends(), [0] * len(self.knots)
        for p, q in pairwise(vertices):
            sums = list(map(add, sums, self.along(q[0] - p[0], q[1] - p[1], bends)))
        return Function(self.knots, [-(-total // WHOLE) for total in sums])

    def bends(self) -> Sequence[int]:
        """The first knot, those where the function is not linear, and the last one, by their numbers."""
        found, knots, values = [0], self.knots, self.values
        for k in range(1, len(knots) - 1):
            fall, width = values[found[-1]] - values[k], knots[k] - knots[found[-1]]
            if fall * (knots[k + 1] - knots[k]) != (values[k] - values[k + 1]) * width:
                found.append(k)
        return [*found, len(knots) - 1]

    def along(self, p: int, q: int, bends: Sequence[int]) -> list[int]:
        """``perspective(p, knot * q)`` at all knots, from one bend to the next."""
        knots, found = self.knots, list[int]()
        if p == 0:
            return [0] * len(knots)
        for first, after in pairwise(bends):
            start, base = knots[first] * p, p * self.values[first]
            fall, width = self.values[first] - self.values[after], knots[after] - knots[first]
            end = bisect_left(knots, -(-knots[after] * p // q), len(found)) if q else len(knots)
            found += [base - (knot * q - start) * fall // width for knot in knots[len(found) : end]]
        return found + [p * self.values[-1]] * (len(knots) - len(found))


def evaluate(budget: Budget, times: int) -> None:
    """Spend what so many values of functions cost."""
    count, *sizes = OPERATION
    budget.spend(count * times, *sizes)


def largest(functions: Sequence[Function]) -> Function:
    columns = zip(*(f.values for f in functions), strict=True)
    return Function(functions[0].knots, [max(values) for values in columns])


def through(knots: Sequence[int], points: Sequence[tuple[int, int]]) -> Function:
    """The chords through points, rounded up at the knots; constant beyond the last."""
    values, after = list[int](), 0
    for knot in knots:
        while after < len(points) and points[after][0] < knot:
            after += 1
        if after == len(points):
            values.append(points[-1][1])
        elif points[after][0] == knot:
            values.append(points[after][1])
        else:
            (a, v), (b, w) = points[after - 1], points[after]
            values.append(v - (v - w) * (knot - a) // (b - a))
    return Function(knots, values)


def trivial(knots: Sequence[int]) -> Function:
    """max(0, 1 − α), rounded up: what is lost where a run ends."""
    return Function(knots, [max(0, -((knot - KNOT) * VALUE // KNOT)) for knot in knots])


def read_knots(value: Json) -> Sequence[int]:
    knots = each(value, int)
    demand(2 <= len(knots) <= MOST_KNOTS, Malformed, "not from 2 to 10,000 knots")
    demand(knots[0] == 0 and all(x < y for x, y in pairwise(knots)), BadEvidence, "knots that do not rise")
    return knots


def read_function(value: Json, knots: Sequence[int]) -> Function:
    """A profile: convex, falling, at least max(0, 1 − α)."""
    values = each(value, int)
    demand(len(values) == len(knots), Malformed, "not as many values as knots")
    function = Function(knots, values)
    above = all(x >= y for x, y in zip(values, trivial(knots).values, strict=True))
    demand(above, BadEvidence, "a value below 1 − α")
    falls = [(a - b, w - v) for (v, w), (a, b) in zip(pairwise(knots), pairwise(values), strict=True)]
    convex = all(f * w >= g * v for (f, v), (g, w) in pairwise(falls))
    demand(falls[-1][0] >= 0 and convex, BadEvidence, "values that are not convex, or rise")
    return function


def bounds_test(function: Function, below: Function, above: Function, vertices: Vertices) -> bool:
    """Whether a profile is at least what a test is worth at all knots, over the vertices of its polygon."""
    knots, values = function.knots, [WHOLE * value for value in function.values]

    def is_bounded(p: int, q: int) -> bool:
        def worth(k: int) -> int:
            x = knots[k]
            return below.perspective(WHOLE - p, x * (WHOLE - q)) + above.perspective(p, x * q)

        return is_at_least(knots, values, worth)

    return all(is_bounded(p, q) for p, q in set(vertices))


def is_at_least(knots: Sequence[int], values: Sequence[int], worth: Callable[[int], int]) -> bool:
    """Whether values of a convex function at knots are at least these numbers, one for each knot, which are
    convex, too, but for being rounded up by less than _ROUNDED.

    So between two knots they are less than _ROUNDED above a chord. The function is not below the line through
    its values at the first two of these knots, nor that through the last two. Where the chord and _ROUNDED
    are nowhere above one of these lines, no other number is looked at.
    """
    waiting = [(0, worth(0), len(knots) - 1, worth(len(knots) - 1))]
    while waiting:
        i, first, j, last = waiting.pop()
        if first > values[i] or last > values[j]:
            return False
        if j - i < 2:
            continue
        wide, room = knots[j] - knots[i], values[i] - _ROUNDED
        fall, width = values[i] - values[i + 1], knots[i + 1] - knots[i]
        if first <= room and fall * wide <= (room - last) * width:
            continue
        room, fall, width = values[j] - _ROUNDED, values[j - 1] - values[j], knots[j] - knots[j - 1]
        if last <= room and fall * wide >= (first - room) * width:
            continue
        k = (i + j) // 2
        middle = worth(k)
        waiting += [(i, first, k, middle), (k, middle, j, last)]
    return True
