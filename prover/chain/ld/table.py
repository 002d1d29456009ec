"""An exact table of distances over one common denominator."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from flint import fmpq, fmpz

from prover.chain.ld.transport import Coupling
from prover.chain.model import Pair
from prover.exact.fmpq import (
    Ratio,
    common_denominator,
    divisors_shared,
    in_lowest_terms,
    over_one_denominator,
)

_FEW = 16  # distances that are put in lowest terms one by one, before all others are together


@dataclass(frozen=True, slots=True)
class DistanceValues:
    """Distances numerators[p] / denominator of pairs p, with 0 ≤ numerator ≤ denominator.

    Long rationals of one system share their denominator, so integers over a common one are shorter and
    never need a greatest common divisor.
    """

    denominator: fmpz
    numerators: Mapping[Pair, fmpz]
    _fractions: dict[fmpz, Fraction] = field(default_factory=dict, repr=False, compare=False)
    _divisors: dict[fmpz, fmpz] = field(default_factory=dict, repr=False, compare=False)
    _denominators: dict[fmpz, int] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, values: Mapping[Pair, fmpq]) -> DistanceValues:
        """The table of the given rationals, over their least common denominator."""
        numerators, denominator = over_one_denominator(list(values.values()))
        return cls(denominator, dict(zip(values, numerators, strict=True)))

    @classmethod
    def of_ratios(cls, ratios: Mapping[Pair, Ratio]) -> DistanceValues:
        """The same of ratios."""
        common = common_denominator(ratios.values())
        numerators = {p: n if d == common else n * (common // d) for p, (n, d) in ratios.items()}
        shared = common
        for numerator in numerators.values():
            if shared == 1:
                return cls(common, numerators)
            shared = shared.gcd(numerator)
        return cls(common // shared, {p: n // shared for p, n in numerators.items()})

    def scaled(self, i: int, j: int) -> fmpq:
        """d(i,j) times the denominator, for a pair of the table."""
        return fmpq(self.numerators[i, j])

    def cost(self, coupling: Coupling) -> fmpq:
        """Σ w·d + behind, times the denominator; arcs that the table does not have count as 1."""
        total = coupling.behind * self.denominator
        for arc, weight in coupling.weights.items():
            total += weight * self.numerators.get(arc, self.denominator)
        return total

    def positive_classes(self, pairs: Iterable[Pair]) -> list[list[Pair]]:
        """Those of the pairs that are at a positive distance, put together where it is equal."""
        classes: dict[fmpz, list[Pair]] = {}
        for pair in pairs:
            if self.numerators[pair] > 0:
                classes.setdefault(self.numerators[pair], []).append(pair)
        return list(classes.values())

    def value(self, pair: Pair) -> Fraction:
        """d(pair) for a pair of the table."""
        numerator = self.numerators[pair]
        if numerator not in self._fractions:  # many distances are equal
            self._fractions[numerator] = self._in_lowest_terms(numerator)
        return self._fractions[numerator]

    def _in_lowest_terms(self, numerator: fmpz) -> Fraction:
        """A distance; many have the same denominator."""
        if len(self._fractions) == _FEW:
            self._divisors.update(divisors_shared(self.numerators.values(), self.denominator))
        shared = self._divisors.get(numerator) or numerator.gcd(self.denominator)
        if shared not in self._denominators:
            self._denominators[shared] = int(self.denominator // shared)
        return in_lowest_terms(int(numerator // shared), self._denominators[shared])

    def floats(self) -> dict[Pair, float]:
        """All distances, rounded to nearest; infinite where they are 1, as such arcs bind no potential."""
        denominator = int(self.denominator)
        return {
            p: int(n) / denominator if n < self.denominator else float("inf")
            for p, n in self.numerators.items()
        }


@dataclass(frozen=True, slots=True)
class Guideposts:
    """Floating-point distances by rows, with every row and column of a label in increasing order."""

    rows: Mapping[int, Mapping[int, float]]
    sorted_rows: Mapping[int, tuple[tuple[float, int], ...]]
    sorted_columns: Mapping[int, tuple[tuple[float, int], ...]]

    @classmethod
    def of(cls, values: Iterable[tuple[Pair, float]]) -> Guideposts:
        """The guideposts of the given distances."""
        rows: dict[int, dict[int, float]] = {}
        columns: dict[int, dict[int, float]] = {}
        for (i, j), value in values:
            rows.setdefault(i, {})[j] = value
            columns.setdefault(j, {})[i] = value
        return cls(rows, _sorted(rows), _sorted(columns))


def _sorted(lines: Mapping[int, Mapping[int, float]]) -> dict[int, tuple[tuple[float, int], ...]]:
    return {i: tuple(sorted((value, j) for j, value in line.items())) for i, line in lines.items()}


def least_free(line: Iterable[tuple[float, int]], taken: Container[int]) -> float | None:
    """The first value of a sorted line whose state is not taken; None if there is none."""
    for value, state in line:
        if state not in taken:
            return value
    return None
