"""Which functions of a node dominate what steps make of those after it: certificates name them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from prover.errors import Fault
from prover.program.optimum.functions import DENSE, ZERO, Function, Transfer, dominates, respects
from prover.program.optimum.plans import before
from prover.program.optimum.transfer import SHIFTS
from prover.program.order_graph import Order

_ENTRIES = 4_000_000
"""Comparisons that are in memory at a time."""


class Listed:
    """The functions of a node, then 0. ``order`` is what is known there; values of ``cap`` are infinite."""

    def __init__(self, functions: Sequence[Function], order: Order, cap: int) -> None:
        self.functions, self.order, self.cap = (*functions, ZERO), order, cap
        self.names = tuple(sorted({name for function in functions for name in function.names}))
        self._kind = np.int64 if cap < 2**61 else object
        self._numbers = {function: number for number, function in enumerate(functions)}
        self._tables: dict[tuple[str, ...], Any] = {}

    def table(self, names: tuple[str, ...]) -> Any:
        """The values at all shifts of names that include those of the functions, a row for each function."""
        if names not in self._tables:
            vectors = list(product(SHIFTS, repeat=len(names)))
            places = {}
            rows = []
            for function in self.functions:
                if function.names not in places:
                    chosen = [names.index(name) for name in function.names]
                    places[function.names] = [tuple(vector[k] for k in chosen) for vector in vectors]
                known = dict(function.points)
                rows.append([known.get(key, self.cap) for key in places[function.names]])
            self._tables[names] = np.array(rows, dtype=self._kind)
        return self._tables[names]

    def dominators(self, step: Transfer, later: Listed, *, ends: bool = True) -> list[int]:
        """For each later function the number of one that dominates what the step makes of it; −1 for 0.

        The function 0 counts as a later one if a run ``ends`` with the step. Raises Fault if there is none.
        """
        many = len(later.functions) - (not ends)
        tested = step.below | step.above
        names = tuple(sorted({*self.names, *tested, *(set(later.names) - step.stored)}))
        if max(len(names), len(later.names)) > DENSE:
            return [
                self._dominator(before({}, step, f, self.order, self.cap)) for f in later.functions[:many]
            ]
        vectors = [
            (place, vector)
            for place, vector in enumerate(product(SHIFTS, repeat=len(names)))
            if respects(self.order, names, vector)
        ]
        own, after = self.table(names)[:-1], later.table(later.names)[:many]
        made = [_value(step, names, vector, later, after) for _, vector in vectors]
        nothing = np.all([value == 0 for value in made], axis=0)
        bounds = [(own[:, place], v) for (place, _), v in zip(vectors, made, strict=True)]
        finite = [(bound, value) for bound, value in bounds if (bound < self.cap).any()]
        found: list[int] = []
        part = max(1, _ENTRIES // max(1, len(own)))
        for start in range(0, len(after), part):
            enough = np.ones((len(after[start : start + part]), len(own)), dtype=bool)
            for bound, value in finite:
                enough &= bound >= value[start : start + part, None]
            free = nothing[start : start + part]
            if not (free | enough.any(axis=1)).all():
                raise Fault("a table that is not closed")
            first = enough.argmax(axis=1) if len(own) else free
            found += np.where(free, -1, first).tolist()
        return found

    def _dominator(self, function: Function) -> int:
        if function == ZERO:
            return -1
        if function in self._numbers:
            return self._numbers[function]
        for number, other in enumerate(self.functions[:-1]):
            if dominates(other, function, self.order):
                return number
        raise Fault("a table that is not closed")


def _value(step: Transfer, names: Sequence[str], vector: Sequence[int], later: Listed, after: Any) -> Any:
    """What the step makes of all later functions at shifts of the names before it."""
    shifts = dict(zip(names, vector, strict=True))
    low = max((shifts[name] for name in step.below), default=-1)
    high = min((shifts[name] for name in step.above), default=1)
    best = np.full(len(after), later.cap, dtype=after.dtype)
    for own in range(low, high + 1):
        cost = step.costs[own + 1]
        if cost is not None:
            place = 0
            for name in later.names:
                place = 3 * place + 1 + (own if name in step.stored else shifts[name])
            best = np.minimum(best, after[:, place] + cost)
    return best
