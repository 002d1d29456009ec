"""Pareto fronts: the values that no others dominate, and how to make do with fewer of them.

Values dominate others if they are at least as large at all shifts. Three of them are the usual case, which
has ways of its own.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import ge, gt, itemgetter, sub

from prover.program.optimum.transfer import Values

_THREE = 3
_FEW = 6  # up to this many values, comparing each with each is fastest
_SHARE = 3  # one in so many values is kept as it is


def dominates(first: Values, second: Values) -> bool:
    """Whether ``first`` is at least as large as ``second`` everywhere."""
    if len(first) != _THREE:
        return all(map(ge, first, second))
    return first[0] >= second[0] and first[1] >= second[1] and first[2] >= second[2]


class _Staircase:
    """The largest of some pairs of numbers: those that no other pair reaches in both.

    ``seconds`` rise and ``thirds`` fall; behind the pairs there is one of ∞ and −1. So the largest third
    number next to a second one that is not below s is ``thirds[bisect_left(seconds, s)]``, −1 if there is
    none. This is asked so often that it is asked without a call.
    """

    def __init__(self) -> None:
        self.seconds: list[float] = [math.inf]
        self.thirds = [-1]

    def entered(self, values: Iterable[Values]) -> list[Values]:
        """Enter the second and third numbers of values, unless another pair reaches them in both; the values
        of which that was done.
        """
        seconds, thirds = self.seconds, self.thirds
        done: list[Values] = []
        for own in values:
            _, second, third = own
            first = bisect_left(seconds, second)
            if thirds[first] >= third:
                continue
            done.append(own)
            last = first + (seconds[first] == second)
            while first and thirds[first - 1] <= third:
                first -= 1
            if first == last:
                seconds.insert(first, second)
                thirds.insert(first, third)
            else:  # the pair takes the place of one, and others go
                seconds[first], thirds[first] = second, third
                if first + 1 < last:
                    del seconds[first + 1 : last], thirds[first + 1 : last]
        return done


def maximal(values: Iterable[Values]) -> list[Values]:
    """The values that no others dominate, in falling lexicographic order, without repetition.

    In this order values are dominated iff the second and third numbers of some kept before are as large: time
    n log n, but for the moves inside a list. What is in this order already, in parts, is sorted sooner.
    """
    ordered = sorted(values, reverse=True)
    if len(ordered) < 2:
        return ordered
    if len(ordered) <= _FEW or len(ordered[0]) != _THREE:
        kept: list[Values] = []
        for candidate in ordered:
            if not any(dominates(other, candidate) for other in kept):
                kept.append(candidate)
        return kept
    return _Staircase().entered(ordered)


def split(front: Sequence[Values], others: Sequence[Values], goal: int) -> tuple[list[Values], list[Values]]:
    """The values that exceed a goal together with some of the others, and the rest.

    Values exceed the goal together if their sums do at all shifts. Both arguments are in falling
    lexicographic order, the goal is below the cap.
    """
    high: list[Values] = []
    rest: list[Values] = []
    if front and len(front[0]) != _THREE:
        for values in front:
            exceeds = any(all(a + b > goal for a, b in zip(values, own, strict=True)) for own in others)
            (high if exceeds else rest).append(values)
        return high, rest
    stairs = _Staircase()
    seconds, thirds = stairs.seconds, stairs.thirds
    known, waiting = 0, others[0][0] if others else -math.inf
    for values in reversed(front):  # so that more and more of the others are large enough at shift −1
        if waiting + values[0] > goal:
            start, least = known, goal - values[0]
            while known < len(others) and others[known][0] > least:
                known += 1
            stairs.entered(others[start:known])
            waiting = others[known][0] if known < len(others) else -math.inf
        third = thirds[bisect_left(seconds, goal - values[1] + 1)]
        (high if third >= 0 and third + values[2] > goal else rest).append(values)
    return high, rest


def bundled(values: list[Values], others: Sequence[Values], goal: int) -> list[Values]:
    """Few values that dominate those given. Neither exceed the goal together with some of the others, which
    are in falling lexicographic order.
    """
    bundles: list[Values] = []
    _bundle(values, others, goal, bundles)
    return bundles


def _bundle(values: list[Values], others: Sequence[Values], goal: int, bundles: list[Values]) -> None:
    """Add the values that ``bundled`` has in place of those given."""
    if len(values) < 2:
        bundles += values
        return
    shifts = list(zip(*values, strict=True))
    largest = tuple(map(max, shifts))
    # With those that do not exceed the goal together with the largest, none of the values will.
    if len(largest) == _THREE:
        x, y, z = largest
        b, c = goal - y, goal - z
        end = bisect_left(others, x - goal, key=_falling)
        others = [other for other in others[:end] if other[1] > b and other[2] > c]
    else:
        missing = [goal - number for number in largest]
        others = [other for other in others if all(map(gt, other, missing))]
    if not others:
        bundles.append(largest)
        return
    spreads = list(map(sub, largest, map(min, shifts)))
    shift = spreads.index(max(spreads))
    values = sorted(values, key=itemgetter(shift))
    middle = len(values) // 2
    _bundle(values[:middle], others, goal, bundles)
    _bundle(values[middle:], others, goal, bundles)


def _falling(values: Values) -> int:
    return -values[0]


def _join(first: Values, second: Values) -> Values:
    return tuple(map(max, first, second))


def fewer(
    front: list[Values], most: int, cap: int, *, above: bool, worth: Sequence[int] | None = None
) -> list[Values]:
    """At most ``most`` values in place of a front.

    The members are put into the boxes of a grid, as fine as possible. With ``above`` a box becomes the least
    values that dominate all in it, which is sound for upper bounds; otherwise one of them, sound for lower
    bounds. Either way no number changes by more than a box is wide.

    If ``worth`` says what the members are worth, then those worth most stay as they are: with ``above`` a
    third of as many as there may be, unless boxes of others dominate them, and else all.
    """
    if worth is not None:
        best = sorted(range(len(front)), key=lambda index: (-worth[index], index))
        count = most // _SHARE if above else most
        chosen = [front[index] for index in sorted(best[:count])]
        others = [front[index] for index in sorted(best[count:])]
        if not (above and others):
            return chosen
        return maximal([*chosen, *fewer(others, most - count, cap, above=True)])
    finest = 0
    coarsest = max(map(max, front)).bit_length()
    while finest < coarsest:
        middle = (finest + coarsest) // 2
        if len(set(_box_of_each(front, middle, cap))) <= most:
            coarsest = middle
        else:
            finest = middle + 1
    boxes = list(_boxes(front, finest, cap).values())
    if len(boxes) > most:  # infinite numbers have boxes of their own, with three shifts up to eight
        boxes = [front]
    if above:
        return maximal(reduce(_join, box) for box in boxes)
    return [max(box, key=lambda values: (min(values), sum(values), values)) for box in boxes]


def _boxes(front: list[Values], bits: int, cap: int) -> dict[Values, list[Values]]:
    boxes: dict[Values, list[Values]] = {}
    for box, values in zip(_box_of_each(front, bits, cap), front, strict=True):
        boxes.setdefault(box, []).append(values)
    return boxes


def _box_of_each(front: list[Values], bits: int, cap: int) -> list[Values]:
    """The place in a grid of boxes that are 2^bits wide; an infinite number is at −1."""
    if len(front[0]) != _THREE:
        return [tuple(-1 if number == cap else number >> bits for number in own) for own in front]
    return [
        (-1 if a == cap else a >> bits, -1 if b == cap else b >> bits, -1 if c == cap else c >> bits)
        for a, b, c in front
    ]
