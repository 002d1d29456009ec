"""The primal simplex method on a dense tableau, and small linear programs solved exactly with it.

    maximise c·x   over x ≥ 0 with A x ≤ b, b ≥ 0

The origin is feasible, so there is no first phase. What ``maximise`` returns is confirmed by its dual.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.errors import Fault
from prover.exact.field import RATIONALS, Field, Scalar
from prover.exact.fmpq import fmpq_of, fraction_of

STEEPEST = 30  # pivots by largest coefficient before Bland's rule, which cannot cycle, takes over
MOST_PIVOTS = 100_000  # never reached over rationals at this size; floating point may lose its way


class UnboundedProgram(Fault):
    """A linear program has no optimum where one was expected."""


@dataclass(frozen=True, slots=True)
class SimplexOptimum:
    """The optimal value, a point x ≥ 0 that attains it, and prices y ≥ 0 of the rows with yA ≥ c, yb = cx."""

    value: Fraction
    point: tuple[Fraction, ...]
    prices: tuple[Fraction, ...]


def climb(
    tableau: list[list[Scalar]],
    right: list[Scalar],
    gradient: list[Scalar],
    basis: list[int],
    field: Field[Scalar],
    steepest: int = STEEPEST,
) -> None:
    """Pivot a tableau to optimality, in place.

    Row r says that the columns add up to right[r] ≥ 0; basis[r] is its basic column. The gradient has a
    number for every column; those at most the field's tolerance count as 0. Raises Unbounded.
    """
    for pivots in range(MOST_PIVOTS):
        candidates = [c for c, g in enumerate(gradient) if g > field.tolerance]
        if not candidates:
            break
        entering = max(candidates, key=gradient.__getitem__) if pivots < steepest else candidates[0]
        column = {r: row[entering] for r, row in enumerate(tableau) if row[entering] > 0}
        if not column:
            raise UnboundedProgram("a linear program has no optimum")
        least = field.noise * max(column.values())
        rows = [r for r, v in column.items() if v > least]
        leaving = min(rows, key=lambda r: (right[r] / column[r], basis[r]))
        pivot = tableau[leaving][entering]
        tableau[leaving] = [v / pivot for v in tableau[leaving]]
        right[leaving] = right[leaving] / pivot
        support = [(c, u) for c, u in enumerate(tableau[leaving]) if u != 0]
        for r in range(len(right)):
            factor = tableau[r][entering]
            if r != leaving and factor != 0:
                _subtract(tableau[r], factor, support)
                right[r] = right[r] - factor * right[leaving]
        _subtract(gradient, gradient[entering], support)
        basis[leaving] = entering


def _subtract(row: list[Scalar], factor: Scalar, support: Sequence[tuple[int, Scalar]]) -> None:
    """row −= factor · (the row with these entries that are not 0)."""
    for c, u in support:
        row[c] = row[c] - factor * u


def maximise(
    objective: Sequence[Fraction], rows: Sequence[Mapping[int, Fraction]], bounds: Sequence[Fraction]
) -> SimplexOptimum:
    """The maximum of Σ objective[c]·x_c over x ≥ 0 with Σ_c rows[r][c]·x_c ≤ bounds[r] for every r.

    Bounds are at least 0. Raises Unbounded.
    """
    width, size = len(objective), len(rows)
    values, limits = [fmpq_of(value) for value in objective], [fmpq_of(bound) for bound in bounds]
    entries = [[(c, fmpq_of(entry)) for c, entry in row.items()] for row in rows]
    tableau = [[fmpq(0)] * width + [fmpq(int(r == k)) for k in range(size)] for r in range(size)]
    for r, row in enumerate(entries):
        for c, entry in row:
            tableau[r][c] = entry
    right, gradient = list(limits), values + [fmpq(0)] * size
    basis = [width + r for r in range(size)]
    climb(tableau, right, gradient, basis, RATIONALS)
    point = [fmpq(0)] * (width + size)
    for c, amount in zip(basis, right, strict=True):
        point[c] = amount
    point, prices = point[:width], [-slope for slope in gradient[width:]]
    worth = _confirmed(point, prices, values, entries, limits)
    return SimplexOptimum(fraction_of(worth), tuple(map(fraction_of, point)), tuple(map(fraction_of, prices)))


def minimise(
    objective: Sequence[Fraction], rows: Sequence[Mapping[int, Fraction]], bounds: Sequence[Fraction]
) -> SimplexOptimum:
    """The minimum of Σ objective[c]·x_c over x ≥ 0 with Σ_c rows[r][c]·x_c ≥ bounds[r] for every r.

    The objective is nowhere negative, so that the dual program, which is solved, has a feasible origin.
    Raises Unbounded if no x satisfies the rows.
    """
    columns: list[dict[int, Fraction]] = [{} for _ in objective]
    for r, row in enumerate(rows):
        for c, entry in row.items():
            columns[c][r] = entry
    dual = maximise(bounds, columns, objective)
    return SimplexOptimum(dual.value, dual.prices, dual.point)


def _confirmed(
    point: Sequence[fmpq],
    prices: Sequence[fmpq],
    objective: Sequence[fmpq],
    rows: Sequence[Sequence[tuple[int, fmpq]]],
    bounds: Sequence[fmpq],
) -> fmpq:
    """What point and prices are worth. Raises Fault unless both are feasible, and worth the same: optimal."""
    surplus = [-value for value in objective]
    slack = list(bounds)
    for r, row in enumerate(rows):
        for c, entry in row:
            slack[r] -= entry * point[c]
            surplus[c] += entry * prices[r]
    worth = sum((y * b for y, b in zip(prices, bounds, strict=True)), fmpq(0))
    same = worth == sum((c * x for c, x in zip(objective, point, strict=True)), fmpq(0))
    if not same or min((*point, *prices, *slack, *surplus), default=fmpq(0)) < 0:
        raise Fault("the simplex method stopped where duality does not confirm an optimum")
    return worth
