"""Many small packing programs at once, in floating point: the steps of ``packing`` on arrays.

Every program takes the pivots that ``solve_packing`` would take alone, by the same operations on the same
numbers in the same order, so that it ends at the same vertex with the same amounts to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from prover.exact.field import FLOATS
from prover.exact.simplex import MOST_PIVOTS, STEEPEST, UnboundedProgram

_SIZES = (2, 4, 9, 20)  # programs of up to so many columns share arrays; they are padded to the widest


@dataclass(frozen=True, slots=True)
class Packings:
    """Programs whose rows have these ``bounds``, padded with infinite ones: an array of as many rows.

    The columns of all programs stand one after the other: ``program`` says to which each belongs, ascending,
    ``first`` and ``second`` are its rows with coefficient 1 and with its gain.
    """

    bounds: Any
    program: Any
    first: Any
    second: Any
    values: Any
    gains: Any


@dataclass(frozen=True, slots=True)
class Corners:
    """The extreme points of many programs: the amount of every column, whether it belongs to the basis of its
    program, and whether the slack of every row does.
    """

    amounts: Any
    basic: Any
    slack: Any


def solve_packings(programs: Packings) -> Corners:
    """An optimal vertex of each program. Columns whose value is at most the tolerance of floats gain nothing.

    Raises UnboundedProgram, which no program does with positive bounds and gains.
    """
    width = len(programs.program)
    found = Corners(np.zeros(width), np.zeros(width, dtype=bool), np.ones(programs.bounds.shape, dtype=bool))
    counts = np.bincount(programs.program, minlength=len(programs.bounds))
    starts = np.cumsum(counts) - counts
    _fill_single(programs, found, starts[counts == 1])
    below = 1
    for size in (*_SIZES, int(counts.max(initial=0))):
        chosen = np.flatnonzero((counts > below) & (counts <= size))
        if chosen.size:
            _fill(programs, found, chosen, starts[chosen], counts[chosen])
        below = max(below, size)
    return found


def _fill_single(programs: Packings, found: Corners, columns: Any) -> None:
    """The programs that consist of one of these columns each: it is taken as far as it fits."""
    columns = columns[programs.values[columns] > FLOATS.tolerance]
    program, first, second = (line[columns] for line in (programs.program, programs.first, programs.second))
    here, there = programs.bounds[program, first], programs.bounds[program, second]
    whole = here * programs.gains[columns] <= there
    found.amounts[columns] = np.where(whole, here, there / programs.gains[columns])
    found.basic[columns] = True
    found.slack[program, np.where(whole, first, second)] = False


def _fill(programs: Packings, found: Corners, chosen: Any, starts: Any, counts: Any) -> None:
    """The programs ``chosen``, whose columns begin at ``starts``."""
    width, size, many = int(counts.max()), programs.bounds.shape[1], len(chosen)
    there = np.arange(width) < counts[:, None]
    columns = (starts[:, None] + np.arange(width))[there]
    lines, places = np.nonzero(there)
    tableau = np.zeros((many, size, width + size))
    tableau[lines, programs.first[columns], places] = 1.0
    tableau[lines, programs.second[columns], places] = programs.gains[columns]
    tableau[:, np.arange(size), width + np.arange(size)] = 1.0
    gradient = np.zeros((many, width + size))
    gradient[lines, places] = programs.values[columns]
    right = programs.bounds[chosen]
    basis = np.broadcast_to(width + np.arange(size), (many, size)).copy()
    _climb(tableau, right, gradient, basis)
    lines, rows = np.nonzero(basis < width)
    columns = starts[lines] + basis[lines, rows]
    found.basic[columns] = True
    found.amounts[columns] = right[lines, rows]
    slack = np.zeros((many, size), dtype=bool)
    lines, rows = np.nonzero(basis >= width)
    slack[lines, basis[lines, rows] - width] = True
    found.slack[chosen] = slack


def _climb(tableau: Any, right: Any, gradient: Any, basis: Any) -> None:
    """Pivot all tableaus to optimality, as ``climb`` pivots one; the right sides and bases are left in place.

    Raises UnboundedProgram.
    """
    live, ends, bases = np.arange(len(right)), right, basis
    right, basis = right.copy(), basis.copy()
    for pivots in range(MOST_PIVOTS):
        going = (gradient > FLOATS.tolerance).any(axis=1)
        if not going.all():
            ends[live[~going]], bases[live[~going]] = right[~going], basis[~going]
            live, tableau, right = live[going], tableau[going], right[going]
            gradient, basis = gradient[going], basis[going]
        if not live.size:
            return
        entering = (gradient if pivots < STEEPEST else gradient > FLOATS.tolerance).argmax(axis=1)
        every = np.arange(len(live))
        factors = tableau[every, :, entering]
        limits = np.full(right.shape, np.inf)
        noise = np.maximum(0.0, FLOATS.noise * factors.max(axis=1))
        np.divide(right, factors, out=limits, where=factors > noise[:, None])
        least = limits.min(axis=1)
        if np.isinf(least).any():
            raise UnboundedProgram("a linear program has no optimum")
        tied = np.where(limits == least[:, None], basis, tableau.shape[2])
        leaving = tied.argmin(axis=1)
        pivot = factors[every, leaving]
        row = tableau[every, leaving] / pivot[:, None]
        amount = right[every, leaving] / pivot
        factors[every, leaving] = 0.0
        tableau -= factors[:, :, None] * row[:, None, :]
        right -= factors * amount[:, None]
        gradient -= gradient[every, entering][:, None] * row
        tableau[every, leaving], right[every, leaving], basis[every, leaving] = row, amount, entering
    ends[live], bases[live] = right, basis
