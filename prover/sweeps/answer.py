"""What a sweep has found, and what follows of where the number comes to be at most a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

from prover.sweeps.ranges import Ranges
from prover.views import Lined

ParameterValues = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class SweepPoint:
    """The number at one place: ``lower`` ≤ number ≤ ``upper``, which is None where there is no bound.

    ``at`` are the values of the parameters. ``met``: the interval is as narrow as was asked, or a number.
    ``holds`` says whether the number is at most the bound of the sweep; None if that is open, or not asked.
    ``model`` is the SHA-256 of the model, ``certificates`` those of the certificates that were written, by
    their keys. ``kept``: the point was in the file of results, and nothing was computed.

        >>> import prover
        >>> from prover.zoo import dining_cryptographers
        >>> point, = prover.sweep(dining_cryptographers, {"n": [4]}, alpha="1.0002").points
        >>> point.at, str(point.value)
        ((Fraction(4, 1),), '62497499/125000000000')
    """

    at: ParameterValues
    lower: Fraction
    upper: Fraction | None
    met: bool
    holds: bool | None
    model: str
    certificates: Mapping[str, str | None] = field(default_factory=dict)
    kept: bool = field(default=False, repr=False, compare=False)

    @property
    def value(self) -> Fraction | None:
        """The number, if it is known exactly."""
        return self.upper if self.lower == self.upper else None


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Lined):
    """δ, or the least ε, at some places of ``over``: the values of one or two parameters, by their names.

    ``points`` are in the order of the places. ``question`` is what was asked of every model. With
    ``at_most``, the search was for two neighbouring values of the parameter between which the number comes to
    be at most that, or with ``every`` for the least value at which it is.

        >>> import prover
        >>> from prover.zoo import dining_cryptographers
        >>> found = prover.sweep(dining_cryptographers, {"n": range(2, 5)}, alpha="1.0002")
        >>> [str(point.value) for point in found.points]
        ['7501/25000000', '17501/50000000', '62497499/125000000000']
    """

    over: Ranges
    question: Mapping[str, str | None]
    points: tuple[SweepPoint, ...]
    at_most: Fraction | None = None
    every: bool = False

    @property
    def number(self) -> str:
        """The number that was asked for: "delta" or "epsilon"."""
        return "delta" if self.question["delta"] is None else "epsilon"

    @property
    def places(self) -> int:
        """How many places the ranges have."""
        return prod(map(len, self.over.values()))

    @property
    def crossing(self) -> tuple[Fraction, Fraction] | None:
        """Two neighbouring values of the parameter: the number is at most the bound at the first of them,
        and above it at the second. The first such pair of the range; None if none was found.
        """
        known = self._known
        for one, other in pairwise(self._values):
            if {known.get(one), known.get(other)} == {True, False}:
                return (one, other) if known[one] else (other, one)
        return None

    @property
    def least(self) -> Fraction | None:
        """The least value of the range at which the number is at most the bound: at all smaller ones it is
        proved to be above. None if that is not known.
        """
        first = next((value for value in self._values if self._known.get(value) is not False), None)
        return first if first is not None and self._known.get(first) else None

    @property
    def never(self) -> bool:
        """Whether the number is proved to be above the bound at all values of the range."""
        return self.at_most is not None and all(self._known.get(value) is False for value in self._values)

    @property
    def answered(self) -> bool:
        """Whether what was asked is known."""
        if self.at_most is None:
            return len(self.points) == self.places and all(point.met for point in self.points)
        return self.never or self.least is not None or (not self.every and self.crossing is not None)

    @property
    def headline(self) -> str:
        """The sweep in a line."""
        return f"{self.number} at {len(self.points):,} of {self.places:,} places of {' and '.join(self.over)}"

    def __str__(self) -> str:
        from prover.sweeps.table import text

        return text(self)

    def show(self) -> Any:
        """The picture: a line over one parameter, a map over two; ``write`` makes an .svg file of it."""
        from prover.sweeps.table import drawing

        return drawing(self)

    @property
    def _values(self) -> ParameterValues:
        return next(iter(self.over.values()))

    @property
    def _known(self) -> Mapping[Fraction, bool | None]:
        return {point.at[0]: point.holds for point in self.points}
