"""Rational numbers of the standard library as numbers of FLINT, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import cast

from flint import fmpq


def fmpq_of(q: Fraction | int) -> fmpq:
    """A rational as a number of FLINT."""
    return fmpq(q.numerator, q.denominator)


def fmpq_rows(rows: Iterable[Mapping[int, Fraction]]) -> list[dict[int, fmpq]]:
    """The rows of a matrix with numbers of FLINT."""
    return [{t: fmpq_of(p) for t, p in row.items()} for row in rows]


def fraction_of(q: fmpq) -> Fraction:
    """A number of FLINT as a rational."""
    return Fraction(cast(Rational, _LowestTerms(int(q.p), int(q.q))))


@Rational.register
@dataclass(frozen=True, slots=True)
class _LowestTerms:
    """A numerator and a denominator, which a Fraction takes over without a search for common divisors."""

    numerator: int
    denominator: int
