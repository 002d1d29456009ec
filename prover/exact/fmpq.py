"""Rational numbers of the standard library as numbers of FLINT, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import cast

from flint import fmpq, fmpz


def fmpq_of(q: Fraction | int) -> fmpq:
    """A rational as a number of FLINT."""
    return fmpq(q.numerator, q.denominator)


def fmpq_rows(rows: Iterable[Mapping[int, Fraction]]) -> list[dict[int, fmpq]]:
    """The rows of a matrix with numbers of FLINT."""
    return [{t: fmpq_of(p) for t, p in row.items()} for row in rows]


_SHORT = 4_096  # bits of numbers whose common divisors are found at once

Ratio = tuple[fmpz, fmpz]
"""A numerator and a denominator > 0, not always in lowest terms: a search for common divisors of long ones
takes long.
"""


def common_denominator(ratios: Iterable[Ratio]) -> fmpz:
    """The least common multiple of the denominators."""
    common = fmpz(1)
    for _, denominator in ratios:
        if common != denominator and common % denominator != 0:
            common = common.lcm(denominator)
    return common


def over_one_denominator(numbers: Sequence[fmpq]) -> tuple[list[fmpz], fmpz]:
    """The numerators of some rationals over their least common denominator."""
    denominator = common_denominator((number.p, number.q) for number in numbers)
    return [number.p * (denominator // number.q) for number in numbers], denominator


def weighted_sum(first: fmpq, terms: Sequence[tuple[fmpq, Ratio]]) -> Ratio:
    """first + Σ weight·ratio, for short weights and ratios of much the same denominators.

    What the weights add to a long denominator is cancelled, and a short one is put in lowest terms.
    """
    common = common_denominator(ratio for _, ratio in terms)
    unit = first.q
    for weight, _ in terms:
        if unit % weight.q != 0:
            unit = unit.lcm(weight.q)
    above = first.p * (unit // first.q) * common
    for weight, (n, d) in terms:
        times = weight.p * (unit // weight.q)
        above += n * (times if d == common else times * (common // d))
    if common.bit_length() <= _SHORT:
        total = fmpq(above, common * unit)
        return total.p, total.q
    shared = unit.gcd(above)
    return above // shared, common * (unit // shared)


def fraction_of(q: fmpq) -> Fraction:
    """A number of FLINT as a rational."""
    return Fraction(cast(Rational, _LowestTerms(int(q.p), int(q.q))))


@Rational.register
@dataclass(frozen=True, slots=True)
class _LowestTerms:
    """A numerator and a denominator, which a Fraction takes over without a search for common divisors."""

    numerator: int
    denominator: int
