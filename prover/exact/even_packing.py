"""Packing programs in which all columns have the same gain, in whole numbers: transport without detours.

With the rows of the gain divided by it, the matrix is that of a graph with two sides, and every tableau
consists of −1, 0 and 1: the pivots are those that ``packing`` takes over rationals, on arrays of integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq

from prover.exact.fmpq import over_one_denominator
from prover.exact.simplex import STEEPEST

_LONGEST_WORD = 2**62


def climb_evenly(
    bounds: Sequence[fmpq], first: Sequence[int], second: Sequence[int], values: Sequence[fmpq], gain: fmpq
) -> tuple[list[int], list[fmpq]]:
    """The basic column of every row at the end, and its amount: column c < len(values) is a given one,
    len(values) + r the slack of row r.

    Column c has coefficient 1 in row first[c], and ``gain`` > 0 in row second[c]. No row has both kinds of
    coefficients. Bounds are positive.
    """
    size, width = len(bounds), len(values)
    gained = np.zeros(size, dtype=bool)
    gained[list(second)] = True
    amounts, unit = over_one_denominator(
        [bound / gain if there else bound for bound, there in zip(bounds, gained.tolist(), strict=True)]
    )
    gradients, _ = over_one_denominator(values)
    right = _integers(amounts, sum(map(int, amounts)))
    tableau = np.zeros((size, width + size), dtype=np.int8)
    columns = np.arange(width)
    tableau[list(first), columns] = 1
    tableau[list(second), columns] = 1
    tableau[np.arange(size), width + np.arange(size)] = 1
    # A unit of the slack of a divided row gains the more the smaller the unit was before.
    longest = max(int(gain.p), int(gain.q)) * (size + 2) * max((abs(int(g)) for g in gradients), default=1)
    gradient = _integers([*gradients, *[0] * size], longest)
    worth = _integers([int(gain.p)] * width + [int(gain.q if there else gain.p) for there in gained], longest)
    basis = width + np.arange(size)
    pivots = 0
    while True:
        growing = gradient > 0
        if not growing.any():
            break
        entering = int((gradient * worth).argmax() if pivots < STEEPEST else growing.argmax())
        pivots += 1
        factors = tableau[:, entering].copy()
        limiting = np.flatnonzero(factors > 0)
        least = right[limiting]
        tied = limiting[least == least.min()]
        leaving = int(tied[basis[tied].argmin()])
        factors[leaving] = 0
        row, amount = tableau[leaving].copy(), right[leaving]
        touched = np.flatnonzero(factors)
        tableau[touched] -= factors[touched, None] * row
        right[touched] -= factors[touched].astype(right.dtype) * amount
        gradient -= row.astype(gradient.dtype) * gradient[entering]
        basis[leaving] = entering
    found = []
    for column, amount in zip(basis.tolist(), right.tolist(), strict=True):
        share = fmpq(int(amount), int(unit))
        found.append(share * gain if column >= width and gained[column - width] else share)
    return basis.tolist(), found


def _integers(numbers: Sequence[Any], largest: int) -> Any:
    """An array of the numbers, of machine words where all numbers up to the largest one fit."""
    return np.array([int(n) for n in numbers], dtype=np.int64 if largest < _LONGEST_WORD else object)
