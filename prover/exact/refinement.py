"""Integer linear systems by iterative refinement: floating point guides, integers decide.

Floating point yields forty bits of the solution at a time, or fewer; the residual, kept in exact integers,
says what is still missing. Sparse factors of the matrix find these digits or, where factors would be large
and the diagonal outweighs the rest, repeated sweeps. Either tells about how large the determinant is, hence
how many bits determine the rational solution. Short vectors of a lattice have its common denominator. Nothing
found in this way is believed before M·N = D·h holds in integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import fmpz, fmpz_mat

from prover.exact.fraction import convergent_within

_CHUNKS = (40, 24)  # bits of the solution gained per round of refinement: whole bytes; what is tried in turn
_LONGEST_WORD = 2**60  # leaves room below 2^63
_FIRST_ATTEMPT = 128  # bits after which recovery is tried for the first time
_MORE = 1.2  # it is tried again when there are so many times as many
_TOGETHER = 256  # rounds whose digits are joined at once
_SAMPLED = 2  # unknowns that the common denominator is found from
_SPURIOUS = 8  # a common denominator is shorter by so many bits than what any numbers lead to
_FEW = 1_500  # unknowns up to which factors are small
_MOST_SWEEPS = 100  # that a round may take
_SPARSER = 3  # an entry within the envelope takes this part of the time of one of the matrix, in a sweep
_SMALL = 2.0**-40  # of a diagonal


class TooLong(Exception):
    """An exact number would have more bits than the caller allows."""


@dataclass(frozen=True, slots=True)
class IntegerSystem:
    """An integer system, Σ value·x_j = rhs[i] over the (j, value) of entries[i]; row i is about 2^size[i]
    large.
    """

    entries: tuple[tuple[tuple[int, int], ...], ...]
    rhs: tuple[int, ...]
    size: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Guide:
    """What solves the system in floating point, for a right-hand side whose row i was divided by 2^size[i];
    so many ``bits`` of the solution at a time. The determinant has about ``length`` bits.
    """

    solve: Callable[[Any], Any]
    bits: int
    length: float


def refined(system: IntegerSystem, max_bits: int | None = None) -> tuple[list[fmpz], fmpz] | None:
    """The numerators of the solution, and their denominator; or None where floating point is no help.

    Raises TooLong as soon as it is clear that the denominator has more than ``max_bits`` bits.
    """
    found = (_refine_rounds(system, guide, max_bits) for guide in _guides(system))
    return next((solution for solution in found if solution is not None), None)


def _guides(system: IntegerSystem) -> Iterator[_Guide]:
    """What may solve the system in floating point, in turn."""
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
    matrix = csc_matrix((v, (i, j)), shape=(size, size))
    # Row i was divided by 2^size[i].
    if size > _FEW:
        sweeping = _sweeping(matrix, sum(system.size))
        if sweeping is not None:
            yield sweeping
    try:
        factors = splu(matrix)
    except RuntimeError:  # SuperLU's word for "exactly singular in floating point"
        return
    length = float(np.log2(np.abs(factors.U.diagonal())).sum()) + sum(system.size)
    if math.isfinite(length):
        yield from (_Guide(factors.solve, bits, length) for bits in _CHUNKS)


def _sweeping(matrix: Any, scale: int) -> _Guide | None:
    """The sweeps x := h + W x, where I − W is the matrix, its rows divided by the diagonal; None where many
    would be needed, or factors have so few entries that they take less time.

    The determinant of I − W is at most 1 if W ≥ 0, and near 1 if W has few short cycles.
    """
    import numpy as np
    from scipy.sparse import csr_matrix, diags

    diagonal, bits = matrix.diagonal(), _CHUNKS[0]
    if not (np.isfinite(diagonal) & (np.abs(diagonal) > _SMALL)).all():
        return None
    rest = csr_matrix(diags(1.0 / diagonal) @ (diags(diagonal) - matrix))
    rest.eliminate_zeros()
    moved, sweeps = np.where(np.arange(len(diagonal)) % 2, 1.0, -1.0), 0
    while not np.abs(moved).max() < 2.0 ** (-bits - 2):
        if sweeps == _MOST_SWEEPS:
            return None
        moved, sweeps = rest @ moved, sweeps + 1
    if sweeps * matrix.nnz * _SPARSER > _envelope(matrix):
        return None

    def solve(right: Any) -> Any:
        constant = right / diagonal
        found = constant
        for _ in range(sweeps):
            found = rest @ found
            found += constant
        return found

    return _Guide(solve, bits, float(np.log2(np.abs(diagonal)).sum()) + scale)


def _envelope(matrix: Any) -> int:
    """How many entries lie between the first one of a row, or of its column, and the diagonal, when rows and
    columns are in an order that brings entries near to it: factors have no others.
    """
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    place = np.argsort(reverse_cuthill_mckee(csr_matrix(matrix)))
    entries = matrix.tocoo()
    rows, columns = place[entries.row], place[entries.col]
    first = np.arange(len(place))
    np.minimum.at(first, np.maximum(rows, columns), np.minimum(rows, columns))
    return int((np.arange(len(place)) - first).sum())


def _refine_rounds(
    system: IntegerSystem, guide: _Guide, max_bits: int | None
) -> tuple[list[fmpz], fmpz] | None:
    """Rounds of refinement; recovery is tried at growing precision, as the answer may be short."""
    import numpy as np

    missing = (_Words if _fits_words(system) else _Residual)(system, guide.bits)
    enough = int(1.01 * (1 + 1 / _SAMPLED) * max(0.0, guide.length)) + 64
    digits = _Digits(len(system.rhs), guide.bits)
    sample: list[int] = []
    attempt = _FIRST_ATTEMPT
    scale = 2.0**guide.bits
    limit = scale * 2**20
    while digits.bits <= 2 * enough:
        step = guide.solve(missing.guide())
        largest = float(np.abs(step).max(initial=0.0))
        if not largest * scale < limit:  # no contraction, or not a number
            return None
        found = np.rint(step * scale).astype(np.int64)
        digits.add(found)
        missing.take(found)
        if digits.bits >= attempt:
            sample = sample or digits.different()
            solution = _recover(system, digits, sample, error=int(2 * largest) + 2)
            if solution is not None:
                return solution
            if max_bits is not None and digits.bits > 2 * max_bits + _FIRST_ATTEMPT:
                raise TooLong(f"the solution of a linear system has more than {max_bits} bits")
            attempt = enough if attempt < enough <= attempt * _MORE else int(attempt * _MORE)
    return None


class _Digits:
    """The digits of all unknowns that have been found so far: these are integers over 2^``bits``."""

    def __init__(self, size: int, chunk: int) -> None:
        self.bits = 0
        self._chunk = chunk
        self._joined = [0] * size
        self._chunks: list[Any] = []

    def add(self, found: Any) -> None:
        """The next ones, in an array."""
        self._chunks.append(found)
        self.bits += self._chunk
        if len(self._chunks) == _TOGETHER:
            self.all()

    def all(self) -> list[int]:
        """Those of every unknown."""
        if self._chunks:
            self._joined = _append(self._joined, self._chunks, self._chunk)
            self._chunks = []
        return self._joined

    def of(self, unknowns: Sequence[int]) -> list[int]:
        """Those of a few unknowns."""
        joined = [self._joined[k] for k in unknowns]
        chunks = [chunk[unknowns] for chunk in self._chunks]
        return _append(joined, chunks, self._chunk) if chunks else joined

    def different(self) -> list[int]:
        """The first few unknowns with different digits."""
        first: dict[int, int] = {}
        for k, digit in enumerate(self.all()):
            first.setdefault(digit, k)
            if len(first) == _SAMPLED:
                break
        return list(first.values())


class _Residual:
    """What the digits found so far leave over of the right-hand side, in whole numbers."""

    def __init__(self, system: IntegerSystem, chunk: int) -> None:
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

    def __init__(self, system: IntegerSystem, chunk: int) -> None:
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


def _fits_words(system: IntegerSystem) -> bool:
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


def _recover(
    system: IntegerSystem, digits: _Digits, sample: Sequence[int], error: int
) -> tuple[list[fmpz], fmpz] | None:
    """Rationals within error/2^bits of the digits that solve the system exactly, if short ones do.

    All unknowns share (most of) one denominator, so it is found once and then only multiplied with.
    """
    bits, power = digits.bits, fmpz(1) << digits.bits
    longest = fmpz(1) << (bits * len(sample) // (len(sample) + 1) - _SPURIOUS)
    denominator = _common_denominator(digits.of(sample), bits, error)
    if not 0 < denominator <= longest:
        return None
    numerators: list[fmpz] = []
    for digit in digits.all():
        product = denominator * digit
        nearest = (product + (power >> 1)) >> bits
        tolerance = denominator * error
        if abs(product - (nearest << bits)) > tolerance:
            numerator, factor = convergent_within(int(product), int(power), int(tolerance))
            denominator *= factor
            if denominator > longest:
                return None
            numerators = [n * factor for n in numerators]
            nearest = fmpz(numerator)
        numerators.append(nearest)
    return (numerators, denominator) if _holds(system, numerators, denominator) else None


def _common_denominator(digits: Sequence[int], bits: int, error: int) -> fmpz:
    """What may be the common denominator of a few numbers within error/2^bits of digits/2^bits.

    If D is, then for some integers N_k the vector of D·error and all 2^bits·(D·x_k − N_k) is short in the
    lattice of the vectors of this form. For k numbers that share no denominator, the first entries of the
    shortest vectors have k parts in k + 1 of the bits.
    """
    size = len(digits)
    rows = [[error, *digits], *([0, *(int(c == r) << bits for c in range(size))] for r in range(size))]
    return abs(fmpz_mat(rows).lll()[0, 0]) // error


def _holds(system: IntegerSystem, numerators: Sequence[fmpz], denominator: fmpz) -> bool:
    return all(
        sum((numerators[j] * v for j, v in row), start=fmpz(0)) == denominator * h
        for row, h in zip(system.entries, system.rhs, strict=True)
    )
