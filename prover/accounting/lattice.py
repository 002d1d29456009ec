"""Products of many ratios, each a product of powers of the same few integers.

Independent mechanisms multiply the likelihood ratios of their outputs. Written by their exponents over a
common basis of pairwise coprime integers, ratios multiply as monomials do, and the law of the ratio of a
composition is a product of polynomials, in which equal ratios merge by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb, gcd, lcm, prod
from operator import add, mul, sub

from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx

from prover.accounting.errors import TooManyAtoms
from prover.accounting.power import power
from prover.progress import Progress, silent

MOST_ATOMS = 200_000
MOST_PRODUCTS = 20_000_000
MOST_BITS = 2**28
"""Atoms of a composition, products of two masses for one step to it, and bits of all its masses together."""


def coprime_basis(numbers: Iterable[int]) -> tuple[int, ...]:
    """Pairwise coprime integers above 1, in order, of which all the given positive numbers are products.

    >>> coprime_basis([12, 18, 5])
    (2, 3, 5)
    """
    basis: list[int] = []
    waiting = sorted(set(numbers))
    while waiting:
        number = waiting.pop()
        for place, factor in enumerate(basis):
            _, number = valuation(number, factor)
            common = gcd(number, factor)
            if common > 1:
                del basis[place]
                waiting += [number // common, common, factor // common]
                break
        else:
            if number > 1:
                basis.append(number)
    return tuple(sorted(basis))


def valuation(number: int, factor: int) -> tuple[int, int]:
    """How often ``factor`` > 1 divides ``number`` ≥ 1, and what is left then.

    >>> valuation(24, 2)
    (3, 3)
    """
    powers = [factor]
    while number % powers[-1] == 0:
        powers.append(powers[-1] ** 2)
    exponent = 0
    for k, divisor in reversed([*enumerate(powers[:-1])]):
        while number % divisor == 0:
            number //= divisor
            exponent += 2**k
    return exponent, number


def exponents_of(ratio: Fraction, basis: Sequence[int]) -> tuple[int, ...]:
    """The exponents of a positive rational over a basis of its numerator and denominator."""
    top, bottom = ratio.as_integer_ratio()
    return tuple(
        0 if top % b and bottom % b else valuation(top, b)[0] - valuation(bottom, b)[0] for b in basis
    )


@dataclass(frozen=True, slots=True)
class Monomials:
    """The law of a ratio as a polynomial: the ratio of a monomial has its exponents plus ``lows``, and its
    mass is the coefficient over ``whole``.
    """

    polynomial: fmpz_mpoly
    lows: tuple[int, ...]
    whole: int

    def __mul__(self, other: Monomials) -> Monomials:
        """The law of the product of two independent ratios. Raises TooManyAtoms."""
        sizes = len(self.polynomial), len(other.polynomial)
        degrees = [one.polynomial.degrees() for one in (self, other)]
        box = prod(int(d) + int(e) + 1 for d, e in zip(*degrees, strict=True))
        if sizes[0] * sizes[1] > MOST_PRODUCTS and box > MOST_ATOMS:
            raise TooManyAtoms(f"{MOST_ATOMS:,} atoms")
        whole = self.whole * other.whole
        atoms = min(sizes[0] * sizes[1], box)
        if sum(sizes) * whole.bit_length() > MOST_BITS:
            raise TooManyAtoms(f"{MOST_BITS:,} bits")
        polynomial = self.polynomial * other.polynomial
        if atoms > MOST_ATOMS and len(polynomial) > MOST_ATOMS:
            raise TooManyAtoms(f"{MOST_ATOMS:,} atoms")
        lows = tuple(map(add, self.lows, other.lows))
        return Monomials(polynomial, lows, whole)

    def power(self, times: int) -> Monomials:
        """As many factors of few atoms, by the recurrence of the coefficients. Raises TooManyAtoms."""
        most = comb(times + len(self.polynomial) - 1, times)
        box = prod(times * int(d) + 1 for d in self.polynomial.degrees())
        bits = times * self.whole.bit_length()
        if min(most, box) > MOST_ATOMS or min(most, box) * bits > MOST_BITS:
            raise TooManyAtoms(f"{MOST_ATOMS:,} atoms, or {MOST_BITS:,} bits")
        lows = tuple(times * low for low in self.lows)
        return Monomials(self.polynomial**times, lows, self.whole**times)


def composed(
    parts: Sequence[tuple[Mapping[Fraction, Fraction], int]], progress: Progress = silent
) -> dict[Fraction, Fraction]:
    """The law of the product of independent ratios: each part is a law of one, and how often it is drawn.

    Laws map positive ratios to positive masses, of any sum. Raises TooManyAtoms.

    >>> half = Fraction(1, 2)
    >>> composed([({Fraction(2): half, half: half}, 2)]) == {4: half**2, 1: half, half**2: half**2}
    True
    """
    if not all(law for law, _ in parts):
        return {}
    basis, product = product_of(parts, progress)
    return {
        _ratio(basis, [int(e) + low for e, low in zip(row, product.lows, strict=True)]): Fraction(
            int(mass), product.whole
        )
        for row, mass in product.polynomial.to_dict().items()
    }


def product_of(
    parts: Sequence[tuple[Mapping[Fraction, Fraction], int]], progress: Progress = silent
) -> tuple[Sequence[int], Monomials]:
    """The same for laws that are not empty, as monomials over a basis. Raises TooManyAtoms."""
    atoms = 1 + sum(times * (len(law) - 1) for law, times in parts)  # at least: sums of as many numbers
    bits = (n * lcm(*(mass.denominator for mass in law.values())).bit_length() for law, n in parts)
    if atoms * sum(bits) > MOST_BITS:
        raise TooManyAtoms(f"{MOST_BITS:,} bits")
    basis = coprime_basis(n for law, _ in parts for r in law for n in r.as_integer_ratio()) or (2,)
    factors = monomials_of(parts, basis)
    powers = (
        factor.power(times) if len(law) <= times else power(factor, times, progress)
        for factor, (law, times) in zip(factors, parts, strict=True)
    )
    return basis, reduce(mul, powers)


def monomials_of(
    parts: Sequence[tuple[Mapping[Fraction, Fraction], int]], basis: Sequence[int]
) -> list[Monomials]:
    """The laws of the parts, which are not empty, over a basis of at least one number."""
    context = fmpz_mpoly_ctx.get([f"b{k}" for k in range(len(basis))], Ordering.lex)
    return [_monomials(law, basis, context) for law, _ in parts]


def _monomials(law: Mapping[Fraction, Fraction], basis: Sequence[int], context: fmpz_mpoly_ctx) -> Monomials:
    rows = {exponents_of(ratio, basis): mass for ratio, mass in law.items()}
    lows = tuple(min(column) for column in zip(*rows, strict=True))
    whole = lcm(*(mass.denominator for mass in rows.values()))
    terms = {tuple(map(sub, row, lows)): int(mass * whole) for row, mass in rows.items()}
    return Monomials(context.from_dict(terms), lows, whole)


def _ratio(basis: Sequence[int], exponents: Sequence[int]) -> Fraction:
    return Fraction(
        prod(b**e for b, e in zip(basis, exponents, strict=True) if e > 0),
        prod(b**-e for b, e in zip(basis, exponents, strict=True) if e < 0),
    )
