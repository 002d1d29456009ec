"""The primal simplex method for small packing programs, over floats (a guide) or rationals (the truth).

    maximise Σ_c value_c φ_c   over φ ≥ 0 with, for every row r,  Σ_c coefficient_rc φ_c ≤ bound_r,

where bounds are > 0 and column c has coefficient 1 in one row and a gain in another. The origin is feasible,
so there is no first phase. Programs of more than a few dozen columns in floating point go to HiGHS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from prover.exact.field import Field, Scalar
from prover.exact.simplex import STEEPEST, climb

Column = tuple[int, int, Scalar, Scalar]
"""Row of coefficient 1, row of coefficient gain, value, gain."""

LARGE = 60  # columns from which a floating-point program goes to HiGHS
_EVEN = 24  # columns of equal gain from which arrays of integers are faster than rationals


@dataclass(frozen=True, slots=True)
class Corner(Generic[Scalar]):
    """An extreme point of a program, as a *basis*: as many columns and slacks of rows as there are rows. All
    others are 0, which determines the point.

    ``amounts`` has the columns of the basis, ``slack_rows`` the rows whose slack belongs to it.
    """

    amounts: Mapping[int, Scalar]
    slack_rows: frozenset[int]


def solve_packing(
    bounds: Sequence[Scalar], columns: Sequence[Column[Scalar]], field: Field[Scalar]
) -> Corner[Scalar]:
    """An optimal vertex. Columns whose value is at most the field's tolerance gain nothing.

    Gains and bounds are positive, so the program is bounded and every entering column has a leaving row.
    """
    if len(columns) == 1:
        return _single_column(bounds, columns[0], field)
    if len(columns) >= LARGE and not field.exact:
        first, second, values, gains = zip(*columns, strict=True)
        found = solve_large(bounds, first, second, values, gains)
        if found is not None:
            return found
    if len(columns) >= _EVEN and _are_even(columns, field):
        return _even(bounds, columns)
    return _simplex(bounds, columns, field)


def _single_column(bounds: Sequence[Scalar], column: Column[Scalar], field: Field[Scalar]) -> Corner[Scalar]:
    first, second, value, gain = column
    rows = frozenset(range(len(bounds)))
    if value <= field.tolerance:
        return Corner({}, rows)
    if bounds[first] * gain <= bounds[second]:
        return Corner({0: bounds[first]}, rows - {first})
    return Corner({0: bounds[second] / gain}, rows - {second})


def _are_even(columns: Sequence[Column[Scalar]], field: Field[Scalar]) -> bool:
    """Whether it is a program over rationals, of columns with the same gain, from some rows to others."""
    gain = columns[0][3]
    return (
        field.exact
        and all(column[3] == gain for column in columns)
        and {column[0] for column in columns}.isdisjoint(column[1] for column in columns)
    )


def _even(bounds: Any, columns: Any) -> Corner[Any]:
    """What ``_simplex`` finds over rationals, by the same pivots."""
    from prover.exact.even_packing import climb_evenly

    first, second, values, _ = zip(*columns, strict=True)
    return _corner(*climb_evenly(bounds, first, second, values, columns[0][3]), len(columns))


def _simplex(
    bounds: Sequence[Scalar], columns: Sequence[Column[Scalar]], field: Field[Scalar]
) -> Corner[Scalar]:
    """Dense tableau; column c < len(columns) is a given one, len(columns) + r the slack of row r."""
    size, width = len(bounds), len(columns)
    zero, one = field.zero, field.one
    tableau = [[zero] * width + [one if r == k else zero for k in range(size)] for r in range(size)]
    for c, (first, second, _, gain) in enumerate(columns):
        tableau[first][c] = one
        tableau[second][c] = gain
    right = list(bounds)
    gradient = [value for _, _, value, _ in columns] + [zero] * size
    basis = [width + r for r in range(size)]
    climb(tableau, right, gradient, basis, field, STEEPEST)
    return _corner(basis, right, width)


def _corner(basis: Sequence[int], right: Sequence[Scalar], width: int) -> Corner[Scalar]:
    """The vertex of a basis, which has a column for every row; from ``width`` on they are slacks."""
    amounts = {c: amount for c, amount in zip(basis, right, strict=True) if c < width}
    return Corner(dict(sorted(amounts.items())), frozenset(c - width for c in basis if c >= width))


def large_solver() -> Any:
    """What solves large programs, one after the other; each as if it were the first."""
    import highspy

    solver: Any = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("presolve", "off")
    return solver


def solve_large(
    bounds: Any, first: Any, second: Any, values: Any, gains: Any, solver: Any = None
) -> Corner[Any] | None:
    """The vertex HiGHS ends with, or None if it does not end with one; all numbers are floats.

    The columns' rows, values and gains are sequences or arrays of equal length. Who has many programs brings
    the ``solver``, which takes long to set up.
    """
    import highspy
    import numpy as np

    size, width = len(bounds), len(first)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = width, size
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = np.array(values)
    lp.col_lower_, lp.col_upper_ = np.zeros(width), np.full(width, highspy.kHighsInf)
    lp.row_lower_, lp.row_upper_ = np.full(size, -highspy.kHighsInf), np.array(bounds)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.arange(0, 2 * width + 1, 2)
    lp.a_matrix_.index_ = np.stack([first, second], axis=1).ravel()
    lp.a_matrix_.value_ = np.stack([np.ones(width), gains], axis=1).ravel()
    solver = large_solver() if solver is None else solver
    solver.passModel(lp)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    basis = solver.getBasis()
    basic = highspy.HighsBasisStatus.kBasic
    solution = np.array(solver.getSolution().col_value)
    slack_rows = frozenset(r for r, status in enumerate(basis.row_status) if status == basic)
    columns = np.flatnonzero(solution)  # nearly all that are basic, and no others
    if len(columns) + len(slack_rows) != size:
        columns = np.array([c for c, status in enumerate(basis.col_status) if status == basic], dtype=int)
    amounts = dict(zip(columns.tolist(), solution[columns].tolist(), strict=True))
    return Corner(amounts, slack_rows) if len(amounts) + len(slack_rows) == size else None
