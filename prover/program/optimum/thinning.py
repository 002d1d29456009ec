"""Fewer functions where there are too many: coarser ones that dominate them, or those that lose most.

A table that is made with coarser functions still proves a bound from above, and one that leaves functions out
still knows only what runs can lose. A strategy that keeps the shift of a stored value whatever comes later
corresponds to a function with one point: functions of many variables are dominated by such a one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from prover.program.optimum.functions import DENSE, INFINITE, Function, ShiftVector, respects, simplified
from prover.program.optimum.transfer import SHIFTS
from prover.program.order_graph import Order


def coarser(functions: Sequence[Function], most: int, order: Order) -> list[Function]:
    """At most so many functions that dominate the given ones; neighbours in their order are joined."""
    size = -(-len(functions) // most)
    ranked = sorted(functions)
    groups = [ranked[place : place + size] for place in range(0, len(ranked), size)]
    return [joined(group, order) for group in groups]


def costliest(functions: Sequence[Function], most: int) -> list[Function]:
    """The functions whose least values are the largest, infinite ones first."""

    def value(function: Function) -> tuple[bool, int, int]:
        return function.least is None, function.least or 0, sum(cost for _, cost in function.points)

    return sorted(functions, key=lambda f: (value(f), f), reverse=True)[:most]


def joined(functions: Sequence[Function], order: Order) -> Function:
    """A function that dominates all the given ones: their maximum where few variables count.

    Otherwise the maximum at one vector, and infinite elsewhere.
    """
    names = tuple(sorted({name for function in functions for name in function.names}))
    if len(functions) == 1 or not all(function.points for function in functions):
        return functions[0] if len(functions) == 1 else INFINITE
    lookups = [_Lookup(function, names) for function in functions]
    if len(names) <= DENSE:
        vectors = [v for v in product(SHIFTS, repeat=len(names)) if respects(order, names, v)]
    else:
        vectors = [_finite(lookups, names, order)]
    points = {vector: cost for vector in vectors if (cost := _largest(lookups, vector)) is not None}
    return simplified(names, points, order)


class _Lookup:
    """The values of a function at vectors of more names than its own."""

    def __init__(self, function: Function, names: Sequence[str]) -> None:
        self._known: Mapping[ShiftVector, int] = dict(function.points)
        self._place = [names.index(name) for name in function.names]

    def at(self, vector: Sequence[int]) -> int | None:
        return self._known.get(tuple(vector[k] for k in self._place))


def _largest(lookups: Sequence[_Lookup], vector: Sequence[int]) -> int | None:
    """The largest value at a vector, None if one is infinite."""
    values = [cost for lookup in lookups if (cost := lookup.at(vector)) is not None]
    return max(values) if len(values) == len(lookups) else None


def _finite(lookups: Sequence[_Lookup], names: Sequence[str], order: Order) -> ShiftVector:
    """A vector at which few functions are infinite, found shift by shift from 0 on.

    Whichever functions it is found for, most shifts stay 0; so what is joined can be joined again.
    """

    def infinite(vector: Sequence[int]) -> int:
        return sum(lookup.at(vector) is None for lookup in lookups)

    best = [0] * len(names)
    least = infinite(best)
    for place in range(len(names)) if least else ():
        for shift in (-1, 1):
            tried = [*best[:place], shift, *best[place + 1 :]]
            if respects(order, names, tuple(tried)) and infinite(tried) < least:
                best, least = tried, infinite(tried)
    return tuple(best)
