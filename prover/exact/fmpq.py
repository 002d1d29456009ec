"""Rational numbers of the standard library as numbers of FLINT, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from flint import fmpq


def fmpq_of(q: Fraction | int) -> fmpq:
    """A rational as a number of FLINT."""
    return fmpq(q.numerator, q.denominator)


def fmpq_rows(rows: Iterable[Mapping[int, Fraction]]) -> list[dict[int, fmpq]]:
    """The rows of a matrix with numbers of FLINT."""
    return [{t: fmpq_of(p) for t, p in row.items()} for row in rows]


def fraction_of(q: fmpq) -> Fraction:
    """A number of FLINT as a rational."""
    return Fraction(int(q.p), int(q.q))
