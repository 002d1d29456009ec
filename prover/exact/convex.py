"""Convex, non-increasing, piecewise linear functions of α ≥ 1, exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True, slots=True)
class Piece:
    """The line constant − slope·α, from ``start`` to where the next piece starts; slope ≥ 0."""

    start: Fraction
    constant: Fraction
    slope: Fraction

    def value(self, alpha: Fraction) -> Fraction:
        """The line at α."""
        return self.constant - self.slope * alpha


@dataclass(frozen=True, slots=True)
class Piecewise:
    """A convex, non-increasing function on α ≥ 1; the first piece starts at 1, the last one has no end.

    Slopes decrease from piece to piece, strictly, so the starts are the breakpoints. Make them with
    ``positive_parts`` and ``maximum``.
    """

    pieces: tuple[Piece, ...]

    def piece(self, alpha: Fraction) -> Piece:
        """The piece that α ≥ 1 is on."""
        return self.pieces[bisect_right(self.pieces, alpha, key=lambda piece: piece.start) - 1]

    def value(self, alpha: Fraction) -> Fraction:
        """The function at α ≥ 1."""
        return self.piece(alpha).value(alpha)

    @property
    def corners(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The start of every piece, with the value there."""
        return tuple((piece.start, piece.value(piece.start)) for piece in self.pieces)

    def first_at_most(self, bound: Fraction) -> Fraction | None:
        """The least α ≥ 1 with a value of at most ``bound``; None if there is none."""
        ends = (*(piece.start for piece in self.pieces[1:]), None)
        for piece, end in zip(self.pieces, ends, strict=True):
            if piece.value(piece.start) <= bound:
                return piece.start
            if piece.slope > 0:
                meeting = (piece.constant - bound) / piece.slope
                if end is None or meeting < end:
                    return meeting
        return None


def positive_parts(lines: Iterable[tuple[Fraction, Fraction]]) -> Piecewise:
    """α ↦ Σ max(0, x − α y) over the given (x, y), x and y ≥ 0."""
    constant = ZERO
    falling: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for x, y in lines:
        if y == 0:
            constant += x
        elif x > y:
            before = falling.get(x / y, (ZERO, ZERO))
            falling[x / y] = before[0] + x, before[1] + y
    # From the right: each line ends where x = α y, and counts from there to the left.
    slope, pieces = ZERO, []
    for end in sorted(falling, reverse=True):
        pieces.append(Piece(end, constant, slope))
        constant, slope = constant + falling[end][0], slope + falling[end][1]
    return Piecewise((Piece(ONE, constant, slope), *reversed(pieces)))


def maximum(functions: Iterable[Piecewise]) -> Piecewise:
    """The pointwise maximum of at least one function."""
    return reduce(_larger, functions)


def _larger(first: Piecewise, second: Piecewise) -> Piecewise:
    starts = sorted({piece.start for piece in (*first.pieces, *second.pieces)})
    lines: list[Piece] = []
    for start, end in zip(starts, (*starts[1:], None), strict=True):
        f, g = (replace(function.piece(start), start=start) for function in (first, second))
        if (g.value(start), -g.slope) > (f.value(start), -f.slope):
            f, g = g, f  # f is the larger one at the start and just after it
        lines.append(f)
        if g.slope < f.slope:
            meeting = (f.constant - g.constant) / (f.slope - g.slope)
            if meeting > start and (end is None or meeting < end):
                lines.append(Piece(meeting, g.constant, g.slope))
    joined = lines[:1]
    for line in lines[1:]:
        if (line.constant, line.slope) != (joined[-1].constant, joined[-1].slope):
            joined.append(line)
    return Piecewise(tuple(joined))
