"""Exact solution of rational linear systems: dense ones at once, sparse ones with floating point as a guide.

A system M x = h is scaled row by row to integers, which are solved by iterative refinement (refinement.py).
Where floating point is no help (a nearly singular system, say), an exact p-adic solver takes over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from flint import fmpq, fmpq_mat, fmpz

from prover.errors import Fault
from prover.exact.fmpq import over_one_denominator
from prover.exact.refinement import IntegerSystem, refined

_DENSE = 12  # up to this many unknowns the exact solver is as fast as anything else
_DENSE_COLUMNS = 600  # the same where several right-hand sides share the work


class SingularSystem(Fault):
    """The matrix of a system that was expected to have exactly one solution is singular."""


def solve(rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[fmpq], max_bits: int | None = None) -> list[fmpq]:
    """The x with Σ_j rows[i][j]·x_j = rhs[i] for every i, for a square non-singular system.

    ``rows`` holds n sparse rows over the columns 0 … n−1.
    Raises SingularSystem if there is none (where there are several, one of them may be returned), and TooLong
    as soon as it is clear that the common denominator has more than ``max_bits`` bits.
    """
    if len(rows) <= _DENSE:
        return _solve_dense(rows, rhs)
    solution = refined(_scale(rows, rhs), max_bits)
    if solution is None:
        return _solve_dense(rows, rhs)
    numerators, denominator = solution
    return [fmpq(n, denominator) for n in numerators]


def solve_over_one_denominator(
    rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[fmpq], max_bits: int | None = None
) -> tuple[list[fmpz], fmpz]:
    """The same x as numerators over one denominator, which need not be the least."""
    solution = refined(_scale(rows, rhs), max_bits) if len(rows) > _DENSE else None
    return over_one_denominator(_solve_dense(rows, rhs)) if solution is None else solution


def solve_columns(
    rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[Mapping[int, fmpq]], columns: int
) -> list[list[fmpq]]:
    """The X with Σ_j rows[i][j]·X[j][k] = rhs[i][k] for every i and every k below ``columns``.

    Both sides are sparse; the matrix is square and non-singular. Raises SingularSystem as ``solve`` does.
    """
    size = len(rows)
    if size <= _DENSE_COLUMNS:
        right = fmpq_mat(size, columns)
        for i, values in enumerate(rhs):
            for k, value in values.items():
                right[i, k] = value
        solution = _dense_solution(rows, right)
        return [[solution[i, k] for k in range(columns)] for i in range(size)]
    zero = fmpq(0)
    found = [solve(rows, [values.get(k, zero) for values in rhs]) for k in range(columns)]
    return [[column[i] for column in found] for i in range(size)]


def _solve_dense(rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[fmpq]) -> list[fmpq]:
    size = len(rows)
    solution = _dense_solution(rows, fmpq_mat(size, 1, list(rhs)))
    return [solution[i, 0] for i in range(size)]


def _dense_solution(rows: Sequence[Mapping[int, fmpq]], right: fmpq_mat) -> fmpq_mat:
    size = len(rows)
    matrix = fmpq_mat(size, size)
    for i, row in enumerate(rows):
        for j, entry in row.items():
            matrix[i, j] = entry
    try:
        return matrix.solve(right)
    except ZeroDivisionError as error:
        raise SingularSystem(f"a system of {size} equations is singular") from error


def _scale(rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[fmpq]) -> IntegerSystem:
    entries, right, sizes = [], [], []
    for row, value in zip(rows, rhs, strict=True):
        scale = math.lcm(int(value.q), *(int(entry.q) for entry in row.values()))
        scaled = tuple((j, int(entry.p) * (scale // int(entry.q))) for j, entry in row.items())
        entries.append(scaled)
        right.append(int(value.p) * (scale // int(value.q)))
        sizes.append(max((v.bit_length() for _, v in scaled), default=0))
    return IntegerSystem(tuple(entries), tuple(right), tuple(sizes))
