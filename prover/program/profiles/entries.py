"""What a table is made of: nodes, and the cells and anchors of steps that draw.

Reference: docs/theory_profiles.md, *Steps that draw*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.program.profiles.shifts import ShiftRange, Shifts

_STILL = (Fraction(0), Fraction(0))


@dataclass(frozen=True, slots=True)
class CurveNode:
    """A state, intervals of shifts of the variables that are tested later, whether no input has differed so
    far, and how many inputs are left to read, if that is bounded."""

    state: str
    shifts: Shifts
    open: bool = False
    left: int | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """How far inputs may differ at a step, whether none has differed so far after it, and how many inputs are
    left then."""

    differences: ShiftRange
    open: bool
    left: int | None


@dataclass(frozen=True, slots=True)
class Move:
    """The shift of a sample or, if ``offset``, how far it is from the difference."""

    offset: bool
    amount: Fraction

    def kept(self, cell: ShiftRange) -> ShiftRange:
        """Between which numbers the sample moves, for differences of a cell."""
        low, high = cell if self.offset else _STILL
        return low + self.amount, high + self.amount

    def shifts(self, cell: ShiftRange) -> tuple[Fraction, ...]:
        """The least and the greatest shift of its noise, once if they are the same."""
        low, high = _STILL if self.offset else cell
        return tuple(sorted({self.amount - high, self.amount - low}))


@dataclass(frozen=True, slots=True)
class Anchor:
    """At a knot the move of a sample that is stored; or, at a step that tests it as well, that of samples
    below what is stored, and of the others."""

    knot: int
    moves: Sequence[Move]


@dataclass(frozen=True, slots=True)
class CurveCell:
    """Differences up to ``until``, from where the cell before ends, and the anchors that bound their loss."""

    until: Fraction
    anchors: Sequence[Anchor]
