"""Rational numbers of the standard library as numbers of FLINT, and back."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq


def fmpq_of(q: Fraction | int) -> fmpq:
    """A rational as a number of FLINT."""
    return fmpq(q.numerator, q.denominator)


def fraction_of(q: fmpq) -> Fraction:
    """A number of FLINT as a rational."""
    return Fraction(int(q.p), int(q.q))
