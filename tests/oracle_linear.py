"""An exact simplex and an exact elimination, which `tests/oracle.py` stands on.

Both confirm their answers in `Fraction` before they return them: a linear program by its dual, a linear
system by substitution.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

ZERO = Fraction(0)


class Unbounded(ArithmeticError):
    """The objective of a linear program grows without bound."""


class SlackStartInfeasible(ValueError):
    """A right-hand side is negative, so x = 0 is not feasible and the simplex has no start."""


class OracleFault(AssertionError):
    """The oracle could not confirm its own answer."""


class Optimum(NamedTuple):
    """Optimal value, a point x and multipliers y: cx = by, Ax ≤ b, yA ≥ c, x ≥ 0, y ≥ 0."""

    value: Fraction
    point: list[Fraction]
    multipliers: list[Fraction]


def lp_max(
    c: Sequence[Fraction], a: Sequence[Sequence[Fraction]], b: Sequence[Fraction]
) -> tuple[Fraction, list[Fraction]]:
    """The maximum of c·x over x ≥ 0 with a x ≤ b, and an x that attains it. Needs b ≥ 0."""
    optimum = solve_program(c, a, b)
    return optimum.value, optimum.point


def solve_program(c: Sequence[Fraction], a: Sequence[Sequence[Fraction]], b: Sequence[Fraction]) -> Optimum:
    """Simplex from the slack basis with Bland's rule, on integers over one common denominator.

    The true tableau is `t / scale`; a pivot divides exactly because entries are minors of the start.
    """
    if any(bound < 0 for bound in b):
        raise SlackStartInfeasible(str(min(b)))
    rows, columns = len(b), len(c)
    in_a = lcm(*(entry.denominator for row in a for entry in row))
    in_b = lcm(*(entry.denominator for entry in b))
    in_c = lcm(*(entry.denominator for entry in c))
    t = [[int(entry * in_a) for entry in row] + [int(bound * in_b)] for row, bound in zip(a, b, strict=True)]
    t.append([int(-entry * in_c) for entry in c] + [0])
    scale = 1
    across, down = list(range(columns)), list(range(columns, columns + rows))
    while entering := [k for k in range(columns) if t[rows][k] < 0]:
        q = min(entering, key=lambda k: across[k])
        leaving = [k for k in range(rows) if t[k][q] > 0]
        if not leaving:
            raise Unbounded("no row bounds an improving direction")
        r = min(leaving, key=lambda k: (Fraction(t[k][columns], t[k][q]), down[k]))
        pivot, pivot_row = t[r][q], t[r]
        for k in range(rows + 1):
            if k != r:
                factor = t[k][q]
                t[k] = [(x * pivot - factor * y) // scale for x, y in zip(t[k], pivot_row, strict=True)]
                t[k][q] = -factor
        pivot_row[q], scale = scale, pivot
        across[q], down[r] = down[r], across[q]
    point, multipliers = [ZERO] * columns, [ZERO] * rows
    for k, variable in enumerate(down):
        if variable < columns:
            point[variable] = Fraction(t[k][columns] * in_a, scale * in_b)
    for k, variable in enumerate(across):
        if variable >= columns:
            multipliers[variable - columns] = Fraction(t[rows][k] * in_a, scale * in_c)
    optimum = Optimum(Fraction(t[rows][columns] * in_a, scale * in_b * in_c), point, multipliers)
    _confirm_optimum(optimum, c, a, b)
    return optimum


def _confirm_optimum(
    optimum: Optimum, c: Sequence[Fraction], a: Sequence[Sequence[Fraction]], b: Sequence[Fraction]
) -> None:
    """Weak duality: a feasible point and feasible multipliers of equal value are both optimal."""
    value, x, y = optimum
    slack, surplus = list(b), [-entry for entry in c]
    for i, row in enumerate(a):
        for j, entry in enumerate(row):
            if entry:
                slack[i] -= entry * x[j]
                surplus[j] += entry * y[i]
    signs = all(entry >= 0 for entries in (x, y, slack, surplus) for entry in entries)
    if not signs or not value == _dot(c, x) == _dot(b, y):
        raise OracleFault("the simplex stopped at a point that duality does not confirm")


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((p * q for p, q in zip(left, right, strict=True) if p and q), ZERO)


def solve_linear(matrix: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction]:
    """The solution x of matrix · x = right, a regular system, by fraction-free elimination."""
    size, work = len(right), []
    for row, bound in zip(matrix, right, strict=True):
        scale = lcm(bound.denominator, *(entry.denominator for entry in row))
        work.append([int(entry * scale) for entry in row] + [int(bound * scale)])
    previous = 1
    for k in range(size):
        best = next((i for i in range(k, size) if work[i][k]), None)
        if best is None:
            raise OracleFault("the coupling's linear system is singular")
        work[k], work[best] = work[best], work[k]
        top, pivot = work[k], work[k][k]
        for i in range(k + 1, size):
            factor = work[i][k]
            work[i] = [(x * pivot - factor * y) // previous for x, y in zip(work[i], top, strict=True)]
        previous = pivot
    solution = [ZERO] * size
    for k in reversed(range(size)):
        known = sum((work[k][j] * solution[j] for j in range(k + 1, size) if work[k][j]), ZERO)
        solution[k] = (work[k][size] - known) / work[k][k]
    if any(_dot(row, solution) != bound for row, bound in zip(matrix, right, strict=True)):
        raise OracleFault("elimination does not solve its system")
    return solution
