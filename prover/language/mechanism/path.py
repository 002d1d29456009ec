"""How far a step of a mechanism has come on one way through the code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from prover.language.errors import SourcePlace
from prover.language.reading.machine import Bindings
from prover.language.values import Query
from prover.program.noise import DISCRETE_LAPLACE, NO_NOISE, Shape
from prover.program.outputs import INSAMPLE_PRIME, Output

Sign = Literal[-1, 0, 1]
Signs = frozenset[Sign]
"""Which signs the difference between the current sample and a stored number may have."""

Order = Mapping[tuple[str, str], Signs]
"""Which signs the difference between two stored numbers may have."""

ALL: Signs = frozenset({-1, 0, 1})
NEVER_EQUAL: Signs = frozenset({-1, 1})


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """The draw that a step begins with: the public part of its center, its noise, and the query in it.

    ``kind`` is the noise of the program; None for no noise, which goes with every kind. ``at`` is the
    instruction of the draw, where draws may be moved.
    """

    mean: Fraction
    noise: Shape
    kind: str | None
    query: Query | None
    place: SourcePlace
    at: int | None = None

    @property
    def signs(self) -> Signs:
        """How the sample may compare to another number: equal only where numbers have atoms."""
        return ALL if self.noise == NO_NOISE or self.kind == DISCRETE_LAPLACE else NEVER_EQUAL


PendingDraws = tuple[tuple[str, DrawnSample], ...]
"""Draws in the order of the code, with their stores."""


@dataclass(frozen=True, slots=True)
class PathEvent:
    """Something that is seen: a letter, or one of the numbers of the step.

    A number that is seen is ``sign`` times the number of the program, plus ``offset``, and plus numbers that
    were seen before where it is ``based``.
    """

    output: Output
    place: SourcePlace
    is_number: bool
    sign: int = 1
    offset: Fraction = Fraction(0)
    based: bool = False

    def moved(self, shift: Fraction) -> PathEvent:
        """The event where the sample of the program is this much more than the number drawn in the code."""
        if not self.is_number or self.output == INSAMPLE_PRIME:
            return self
        return replace(self, offset=self.offset - self.sign * shift)


@dataclass(slots=True)
class Trace:
    """One way of a step, so far.

    ``tests`` says of stores how the current sample compares to them. ``fixed`` is whether it is known which
    query the current sample is of, ``shift`` what it is more than the number that is drawn in the code: the
    difference of public offsets. ``unread`` is whether nothing was seen since a query was read. ``sites`` are
    the places where letters were put out. ``pending`` are the draws that the program has not made yet, by
    their stores, and ``order`` says of some pairs of stores how they compare.
    """

    at: int
    values: Bindings
    used: frozenset[int]
    unread: bool
    drawn: DrawnSample | None = None
    tests: dict[str, Signs] = field(default_factory=dict)
    events: list[PathEvent] = field(default_factory=list)
    fixed: bool = False
    shift: Fraction | None = None
    prime: DrawnSample | None = None
    places: dict[str, SourcePlace] = field(default_factory=dict)
    sites: set[int] = field(default_factory=set)
    length: int = 0
    pending: PendingDraws = ()
    order: Order = field(default_factory=dict)

    def fork(self) -> Trace:
        """A copy that goes its own way."""
        return replace(
            self,
            values=dict(self.values),
            tests=dict(self.tests),
            places=dict(self.places),
            events=list(self.events),
            sites=set(self.sites),
        )
