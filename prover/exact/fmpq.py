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
_TOGETHER = 64  # numbers of which one product says that they share nothing with another one
_PART = 4  # the part of a number that the primes may make up that it shares with some of them

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


def divisors_shared(numbers: Iterable[fmpz], whole: fmpz) -> dict[fmpz, fmpz]:
    """The greatest common divisor of each of the ``numbers`` ≥ 0 with one ``whole`` number > 0.

    It is fast where these are short, or nearly the whole: a product of many numbers, of which only the
    remainder is kept, shows that none of them shares a prime with the ``rest`` of the whole. What is left of
    it are the primes that some of them do share, the ``few``: a factor that shares none with the rest.
    """
    found: dict[fmpz, fmpz] = {}
    few, rest = fmpz(1), whole
    waiting = list(dict.fromkeys(numbers))
    for k in range(0, len(waiting), _TOGETHER):
        some = waiting[k : k + _TOGETHER]
        if whole.bit_length() <= _SHORT:
            found.update((n, n.gcd(whole)) for n in some)
            continue
        product = fmpz(1)
        for n in some:
            if n % rest != 0:
                product = product * n % rest
        few, rest = _with_primes_of(product.gcd(rest), few, rest)
        alone = product.gcd(rest) == 1
        for n in some:
            times, beyond = divmod(n, rest)
            if beyond == 0:
                found[n] = rest * times.gcd(few)
            elif alone:
                found[n] = n.gcd(few)
            else:
                found[n] = n.gcd(whole)
                few, rest = _with_primes_of(found[n].gcd(rest), few, rest)
    return found


def _with_primes_of(shared: fmpz, few: fmpz, rest: fmpz) -> tuple[fmpz, fmpz]:
    """The two factors of a number when the primes of a divisor of the second one belong to the first one, if
    that remains short.
    """
    if (shared.bit_length() + few.bit_length()) * _PART <= rest.bit_length():
        while shared != 1:
            few, rest = few * shared, rest // shared
            shared = shared.gcd(rest)
    return few, rest


def fraction_of(q: fmpq) -> Fraction:
    """A number of FLINT as a rational."""
    return in_lowest_terms(int(q.p), int(q.q))


def in_lowest_terms(numerator: int, denominator: int) -> Fraction:
    """The rational of two integers that share no divisor; the denominator is > 0."""
    return Fraction(cast(Rational, _LowestTerms(numerator, denominator)))


@Rational.register
@dataclass(frozen=True, slots=True)
class _LowestTerms:
    """A numerator and a denominator, which a Fraction takes over without a search for common divisors."""

    numerator: int
    denominator: int
