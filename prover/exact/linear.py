"""Exact solution of sparse rational linear systems: floating point guides, integers decide.

A system M x = h is scaled row by row to integers. A sparse LU factorisation in floating point
then yields forty bits of the solution at a time, or fewer; the residual, kept in exact integers,
says what is still missing (iterative refinement). The factorisation also tells how large the
determinant is, hence how many bits determine the rational solution, which continued fractions
recover. Nothing found in this way is believed before M·N = D·h holds in integers. Where floating
point is no help (a nearly singular system, say), an exact p-adic solver takes over.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_mat, fmpz

from prover.errors import Fault
from prover.exact.fraction import convergent_within

_DENSE = 12  # up to this many unknowns the exact solver is as fast as anything else
_DENSE_COLUMNS = 600  # the same where several right-hand sides share the work
_CHUNKS = (40, 24)  # bits of the solution gained per round of refinement: whole bytes; what is tried in turn
_LONGEST_WORD = 2**60  # leaves room below 2^63
_FIRST_ATTEMPT = 128  # bits after which recovery is tried for the first time


class SingularSystem(Fault):
    """The matrix of a system that was expected to have exactly one solution is singular."""


class TooLong(Exception):
    """An exact number would have more bits than the caller allows."""


@dataclass(frozen=True, slots=True)
class _Scaled:
    """An integer system, Σ value·x_j = rhs[i] over the (j, value) of entries[i]; row i is about 2^size[i]
    large.
    """

    entries: tuple[tuple[tuple[int, int], ...], ...]
    rhs: tuple[int, ...]
    size: tuple[int, ...]


def solve(rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[fmpq], max_bits: int | None = None) -> list[fmpq]:
    """The x with Σ_j rows[i][j]·x_j = rhs[i] for every i, for a square non-singular system.

    ``rows`` holds n sparse rows over the columns 0 … n−1.
    Raises SingularSystem if there is none (where there are several, one of them may be returned), and TooLong
    as soon as it is clear that the common denominator has more than ``max_bits`` bits.
    """
    if len(rows) <= _DENSE:
        return _solve_dense(rows, rhs)
    solution = _refine(_scale(rows, rhs), max_bits)
    return _solve_dense(rows, rhs) if solution is None else solution


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


def _scale(rows: Sequence[Mapping[int, fmpq]], rhs: Sequence[fmpq]) -> _Scaled:
    entries, right, sizes = [], [], []
    for row, value in zip(rows, rhs, strict=True):
        scale = math.lcm(int(value.q), *(int(entry.q) for entry in row.values()))
        scaled = tuple((j, int(entry.p) * (scale // int(entry.q))) for j, entry in row.items())
        entries.append(scaled)
        right.append(int(value.p) * (scale // int(value.q)))
        sizes.append(max((v.bit_length() for _, v in scaled), default=0))
    return _Scaled(tuple(entries), tuple(right), tuple(sizes))


def _refine(system: _Scaled, max_bits: int | None) -> list[fmpq] | None:
    """The solution by iterative refinement, or None where floating point does not contract."""
    import numpy as np
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    size = len(system.rhs)
    triples = [
        (i, j, _ratio(v, bits))
        for i, (row, bits) in enumerate(zip(system.entries, system.size, strict=True))
        for j, v in row
    ]
    i, j, v = zip(*triples, strict=True)
    try:
        factors = splu(csc_matrix((v, (i, j)), shape=(size, size)))
    except RuntimeError:  # SuperLU's word for "exactly singular in floating point"
        return None
    # Row i was divided by 2^size[i]; the determinant of the integer matrix bounds the denominator.
    determinant_bits = float(np.log2(np.abs(factors.U.diagonal())).sum()) + sum(system.size)
    if not math.isfinite(determinant_bits):
        return None
    enough_bits = int(2.02 * max(0.0, determinant_bits)) + 64
    found = (_refine_rounds(system, factors, chunk, enough_bits, max_bits) for chunk in _CHUNKS)
    return next((solution for solution in found if solution is not None), None)


def _refine_rounds(
    system: _Scaled, factors: Any, chunk: int, enough_bits: int, max_bits: int | None
) -> list[fmpq] | None:
    """Rounds of refinement, by so many bits; recovery is tried at growing precision, as the answer may be
    short."""
    import numpy as np

    missing = (_Words if _fits_words(system) else _Residual)(system, chunk)
    digits = [0] * len(system.rhs)
    chunks: list[Any] = []
    bits, attempt = 0, _FIRST_ATTEMPT
    scale = 2.0**chunk
    limit = scale * 2**20
    while bits <= 2 * enough_bits:
        step = factors.solve(missing.guide())
        largest = float(np.abs(step).max(initial=0.0))
        if not largest * scale < limit:  # no contraction, or not a number
            return None
        chunks.append(np.rint(step * scale).astype(np.int64))
        missing.take(chunks[-1])
        bits += chunk
        if bits >= attempt:
            digits, chunks = _append(digits, chunks, chunk), []
            solution = _recover(system, digits, bits, error=int(2 * largest) + 2)
            if solution is not None:
                return solution
            if max_bits is not None and bits > 2 * max_bits + _FIRST_ATTEMPT:
                raise TooLong(f"the solution of a linear system has more than {max_bits} bits")
            attempt = enough_bits if attempt < enough_bits <= 3 * attempt else 2 * attempt
    return None


class _Residual:
    """What the digits found so far leave over of the right-hand side, in whole numbers."""

    def __init__(self, system: _Scaled, chunk: int) -> None:
        self._system, self._chunk = system, chunk
        self._left = list(system.rhs)

    def guide(self) -> Any:
        """The same as floats, row i divided by 2^size[i]."""
        import numpy as np

        return np.array([_ratio(r, s) for r, s in zip(self._left, self._system.size, strict=True)])

    def take(self, found: Any) -> None:
        """Account for the next digits."""
        digits = found.tolist()
        self._left = [
            (r << self._chunk) - sum(v * digits[j] for j, v in row)
            for r, row in zip(self._left, self._system.entries, strict=True)
        ]


class _Words:
    """The same in machine words. These wrap around, which does no harm where what is left over fits into one:
    it does while the guide is as good as it is meant to be, and what comes of it is tested exactly.
    """

    def __init__(self, system: _Scaled, chunk: int) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix

        self._shift = np.uint64(chunk)
        triples = [(i, j, v) for i, row in enumerate(system.entries) for j, v in row]
        i, j, v = zip(*triples, strict=True)
        words = np.array(v, dtype=np.int64).view(np.uint64)
        self._matrix = csr_matrix((words, (i, j)), shape=(len(system.rhs), len(system.rhs)))
        self._left = np.array(system.rhs, dtype=np.int64).view(np.uint64)
        self._scale = np.ldexp(1.0, -np.array(system.size))

    def guide(self) -> Any:
        """The same as floats, row i divided by 2^size[i]."""
        return self._left.view("int64") * self._scale

    def take(self, found: Any) -> None:
        """Account for the next digits."""
        used = self._matrix @ found.view("uint64")
        self._left = (self._left << self._shift) - used


def _fits_words(system: _Scaled) -> bool:
    """Whether what is left over fits into a machine word: at most about the sum of a row, or a right-hand
    side."""
    sums = (sum(abs(v) for _, v in row) for row in system.entries)
    return max(*map(abs, system.rhs), *sums) < _LONGEST_WORD


def _ratio(number: int, bits: int) -> float:
    """number / 2^bits as a float, however long both are; infinite beyond what floats can hold."""
    excess = max(0, abs(number).bit_length() - 64)
    try:
        return math.ldexp(float(number >> excess), excess - bits)
    except OverflowError:
        return math.inf


def _append(digits: Sequence[int], chunks: Sequence[Any], chunk: int) -> list[int]:
    """digits·2^(c·len(chunks)) + Σ_k chunks[k]·2^(c·(len(chunks)−1−k)) for chunks of c bits, whole bytes."""
    import numpy as np

    parts = np.array(chunks[::-1])  # the last ones first
    for lower, upper in pairwise(parts):
        upper += lower >> chunk
        lower &= 2**chunk - 1
    above = (parts[-1] >> chunk).tolist()
    parts[-1] &= 2**chunk - 1
    places = parts.T.astype("<u8", order="C").view(np.uint8).reshape(len(digits), len(chunks), 8)
    columns = places[:, :, : chunk // 8]
    shift = chunk * len(chunks)
    return [
        ((old + more) << shift) + int.from_bytes(column.tobytes(), "little")
        for old, more, column in zip(digits, above, columns, strict=True)
    ]


def _recover(system: _Scaled, digits: Sequence[int], bits: int, error: int) -> list[fmpq] | None:
    """Rationals within error/2^bits of digits/2^bits that solve the system exactly, if short ones do.

    All unknowns share (most of) one denominator, so it is found once and then only multiplied with.
    """
    power = 1 << bits
    longest = power >> (bits // 2 - 8)
    denominator = fmpz(1)
    numerators: list[fmpz] = []
    for digit in digits:
        product = denominator * digit
        nearest = (product + (power >> 1)) >> bits
        tolerance = int(denominator) * error
        if abs(int(product - (nearest << bits))) > tolerance:
            numerator, factor = convergent_within(int(product), power, tolerance)
            if int(denominator) * factor > longest:
                return None
            denominator *= factor
            numerators = [n * factor for n in numerators]
            nearest = fmpz(numerator)
        numerators.append(nearest)
    if not _holds(system, numerators, denominator):
        return None
    return [fmpq(n, denominator) for n in numerators]


def _holds(system: _Scaled, numerators: Sequence[fmpz], denominator: fmpz) -> bool:
    return all(
        sum((numerators[j] * v for j, v in row), start=fmpz(0)) == denominator * h
        for row, h in zip(system.entries, system.rhs, strict=True)
    )
