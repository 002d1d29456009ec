"""Convex, non-increasing, piecewise linear functions of α ≥ 1, exactly."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

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
    """The pointwise maximum of at least one function: as they are convex, that of all their lines."""
    highest: dict[Fraction, Fraction] = {}
    for piece in {line for function in dict.fromkeys(functions) for line in function.pieces}:
        highest[piece.slope] = max(highest.get(piece.slope, piece.constant), piece.constant)
    found: list[Piece] = []
    for slope in sorted(highest, reverse=True):  # each line is above those before it from some α on
        line = Piece(ONE, highest[slope], slope)
        while found and line.value(found[-1].start) >= found[-1].value(found[-1].start):
            found.pop()
        if found:
            last = found[-1]
            line = replace(line, start=(last.constant - line.constant) / (last.slope - slope))
        found.append(line)
    return Piecewise(tuple(found))
