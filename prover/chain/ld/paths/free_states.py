"""Free states: the potentials that the states of a part force on the other states of their label.

A label's distances are arrays: floats sort out the arcs that force nothing by a wide margin, and integers
over one common denominator decide the rest, many at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq

from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Path
from prover.exact.field import approximately

CLEAR = 1e-9  # rounding errors are a thousand times smaller …
_STEEPEST_ALPHA = 1000  # … as long as α does not magnify them
_SHORT = 2**62  # integers below this fit into those of arrays


def clear_margin(alpha: fmpq) -> float:
    """The difference from which floating point decides which of two potentials is larger; maybe infinite.

    Distances, potentials and α are rounded once, each by a factor of 1 ± 2^-53, and so are the up to four
    results that a comparison is made of. The largest of all these numbers is α, or 1: so their errors add up
    to less than 20 · 1000 · 2^-53, or 3e-12.
    """
    return float("inf") if alpha > _STEEPEST_ALPHA else CLEAR


@dataclass(frozen=True, slots=True)
class LabelDistances:
    """The distances between the states of one label, in arrays whose rows and columns are in their order.

    ``near`` has them as floats; infinite where they are 1, on the diagonal, and where the table has none: no
    such arc binds a potential in [0, 1]. ``numerators`` has the finite ones exactly, over ``denominator``.
    """

    states: tuple[int, ...]
    place: Mapping[int, int]
    near: Any
    numerators: Any
    denominator: int

    @classmethod
    def of(
        cls, states: tuple[int, ...], table: DistanceValues, rows: Mapping[int, Mapping[int, float]]
    ) -> LabelDistances:
        """The arrays of these states; ``rows`` are the table's floats."""
        place = {k: a for a, k in enumerate(states)}
        size, denominator = len(states), int(table.denominator)
        near = np.full((size, size), np.inf)
        numerators = np.zeros((size, size), dtype=integers(denominator))
        for a, i in enumerate(states):
            for j, distance in rows.get(i, {}).items():
                near[a, place[j]] = distance
                numerators[a, place[j]] = int(table.numerators[i, j])
        return cls(states, place, near, numerators, denominator)


def integers(largest: int) -> Any:
    """The kind of arrays that hold integers up to this one."""
    return np.int64 if largest < _SHORT else object


@dataclass(frozen=True, slots=True)
class Closure:
    """The free states whose potential must be raised above 0, each with the state that demands it.

    If that would raise a fixed state too, ``violated`` is the path that does so: it leads from a fixed state
    to a fixed state and costs less than their potentials allow. Else it is empty.
    """

    raised: Mapping[int, int]
    violated: Path = ()


def raise_free_states(fixed: Mapping[int, fmpq], label: LabelDistances, alpha: fmpq) -> Closure:
    """The least potentials of the free states that the fixed ones force, f_k = max_i (f_i − d(i,k)) / α.

    Taken to a fixed point, as free states force each other. The potentials of the fixed states are in [0, 1],
    times the label's denominator.
    """
    return _Rise(fixed, label, alpha).closure()


class _Rise:
    """The potentials of a label while they rise: as floats, and as integers over denominator · ``unit``."""

    def __init__(self, fixed: Mapping[int, fmpq], label: LabelDistances, alpha: fmpq) -> None:
        self.label = label
        self.p, self.q = int(alpha.p), int(alpha.q)
        self.slope, self.clear = approximately(alpha), clear_margin(alpha)
        self.unit = lcm(*(int(value.q) for value in fixed.values()))
        whole = {label.place[k]: int(value.p) * (self.unit // int(value.q)) for k, value in fixed.items()}
        places = list(whole)
        size = len(label.states)
        self.largest = max(label.denominator * self.unit, *(abs(n) for n in whole.values()), 0)
        self.exact = np.zeros(size, dtype=self._kind())
        self.exact[places] = list(whole.values())
        self.floats = np.zeros(size)
        self._round_off(places)
        self.is_fixed = np.zeros(size, dtype=bool)
        self.is_fixed[places] = True
        self.came_from = np.full(size, -1)

    def _kind(self) -> Any:
        """Of integers that hold every product of a comparison: none exceeds p times the largest potential."""
        return integers(self.p * self.largest)

    def closure(self) -> Closure:
        """The fixed point, or the first violated path.

        In each round the states that were raised in the last one make their demands, in their order; what one
        raises, the next one finds raised.
        """
        frontier = np.flatnonzero(self.exact > 0)
        while frontier.size:
            changed = np.zeros(len(self.exact), dtype=bool)
            # Demands grow in this round only where a state of the frontier is raised in it.
            tempting = self._gaps(frontier).max(axis=1) > -self.clear
            for a, tempts in zip(frontier.tolist(), tempting.tolist(), strict=True):
                if not tempts and not changed[a]:
                    continue
                raised, demands = self._demands(a)
                violated = raised[self.is_fixed[raised]]
                if violated.size:
                    _, nearest = min((self.label.near[a, b], b) for b in violated.tolist())
                    return Closure({}, self._path(a, nearest))
                if raised.size:
                    self._raise(raised, demands)
                    self.came_from[raised] = a
                    changed[raised] = True
            frontier = np.flatnonzero(changed)
        states = self.label.states
        raised = np.flatnonzero(self.came_from >= 0).tolist()
        return Closure({states[b]: states[self.came_from[b]] for b in raised})

    def _gaps(self, rows: Any) -> Any:
        """By how much f_i − d(i,k) exceeds α f_k, in floating point, for every i of the rows and every k."""
        return self.floats[rows][:, None] - self.label.near[rows] - self.slope * self.floats

    def _demands(self, a: int) -> tuple[Any, Any]:
        """Where a state demands more, and q (f_i − d(i,k)) there: p times the potential demanded."""
        gaps = self.floats[a] - self.label.near[a] - self.slope * self.floats
        close = np.flatnonzero(gaps > -self.clear)
        if not close.size:
            return close, close
        numerators = self.label.numerators[a, close]
        if self.exact.dtype != numerators.dtype:
            numerators = numerators.astype(object)
        demands = (self.exact[a] - numerators * self.unit) * self.q
        more = demands > self.exact[close] * self.p
        return close[more], demands[more]

    def _raise(self, raised: Any, demands: Any) -> None:
        if (demands % self.p != 0).any():
            self.unit, self.largest = self.unit * self.p, self.largest * self.p
            demands = demands.astype(self._kind()) * self.p
            self.exact = self.exact.astype(self._kind()) * self.p
        self.exact[raised] = demands // self.p
        self._round_off(raised)

    def _round_off(self, places: Any) -> None:
        whole = self.unit * self.label.denominator
        if self.exact.dtype == object:
            self.floats[places] = [n / whole for n in self.exact[places]]
        else:
            self.floats[places] = self.exact[places] / whole

    def _path(self, a: int, b: int) -> Path:
        """From a fixed state to the state of place ``a``, by way of those that raised it, and on to ``b``."""
        path = [b, a]
        while not self.is_fixed[path[-1]]:
            path.append(int(self.came_from[path[-1]]))
        return tuple(self.label.states[c] for c in reversed(path))
