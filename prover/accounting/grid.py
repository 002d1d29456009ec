"""Privacy loss distributions on a geometric grid of ratios: one dominates the truth, one is dominated by it.

The ratios of the grid are ρ^k, ρ = 1 + 1/m, k an integer. Masses are multiples of 10^−d, held as polynomials
with integer coefficients, so that a composition is a product of polynomials, rounded outward. Reference:
docs/accounting.md, *On a grid*. The checker repeats all of this, by the rules of docs/certificates.md, so the
order of the steps and every rounding are part of the format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, floor

from flint import fmpz_poly

from prover.accounting.distribution import LossDistribution
from prover.accounting.errors import BadGrid
from prover.accounting.inverse_powers import InversePowers
from prover.errors import must_be

GUARD_DIGITS = 20
"""Decimals of the powers of ρ beyond those of masses."""

MOST_STEPS, MOST_DIGITS = 1_000_000, 200


@dataclass(frozen=True)
class Grid:
    """The ratios (1 + 1/``steps``)^k; masses are multiples of 10^−``digits``, and after each product those at
    either end are put together as long as they are at most ``tail`` such units in all.
    """

    steps: int
    digits: int = 30
    tail: int = 10**12

    def __post_init__(self) -> None:
        must_be(int, steps=self.steps, digits=self.digits, tail=self.tail)
        if not 1 <= self.steps <= MOST_STEPS:
            raise BadGrid(f"a grid has from 1 to {MOST_STEPS:,} steps, not {self.steps:,}")
        if not 1 <= self.digits <= MOST_DIGITS:
            raise BadGrid(f"masses on a grid have from 1 to {MOST_DIGITS} digits, not {self.digits:,}")
        if not 0 <= self.tail <= self.unit:
            raise BadGrid("the tail of a grid is a number of units from 0 to 1 in all")

    @property
    def unit(self) -> int:
        """How many units are 1."""
        return int(10**self.digits)

    @cached_property
    def inverses(self) -> InversePowers:
        """The powers of 1/ρ."""
        return InversePowers(self.steps, 10 ** (self.digits + GUARD_DIGITS))


@dataclass(frozen=True)
class Above:
    """A distribution on the grid that dominates: coefficient i of ``p`` is the mass at ρ^(``low`` + i)."""

    grid: Grid
    low: int
    p: fmpz_poly
    infinite: int

    @staticmethod
    def of(loss: LossDistribution, grid: Grid) -> Above:
        """Every atom divided between two neighbours on the grid; one farther out than 10^±d is moved to ∞, or
        up to there. Raises BadGrid.
        """
        powers, unit = grid.inverses, grid.unit
        masses: dict[int, int] = defaultdict(int)
        infinite = ceil(loss.infinite * unit)
        for atom in loss.atoms:
            if atom.ratio > unit:
                infinite += ceil(atom.p * unit)
                continue
            s = min(1 / atom.ratio, Fraction(unit)) * powers.one
            k = powers.cell(floor(s))
            p = atom.p * unit
            high, low = powers.above(k - 1), powers.below(k - 1)
            upward = (high - s) / (high - powers.above(k))
            downward = (s - powers.below(k)) / (low - powers.below(k))
            masses[k] += ceil(p * upward)
            masses[k - 1] += ceil(min(p, p * downward))
        first = min(masses, default=0)
        return _trimmed_above(grid, first, _polynomial(masses, first), infinite)

    def __mul__(self, other: Above) -> Above:
        """The product, every mass rounded up."""
        unit = self.grid.unit
        infinite = _infinite(self, other)
        p = _divided_up(self.p * other.p, unit)
        return _trimmed_above(self.grid, self.low + other.low, p, -(-infinite // unit))

    @cached_property
    def lines(self) -> Lines:
        """What δ is at most, as a function of α ≥ 1."""
        first = max(1, self.low)  # the others gain nothing at α ≥ 1
        p = self.p.coeffs()[first - self.low :]
        powers = self.grid.inverses
        s = [powers.below(first + i) for i in range(len(p))]
        weighed = (int(x) * y for x, y in zip(p, s, strict=True))
        return Lines(self.grid, self.infinite, _tails(map(int, p)), _tails(weighed))


@dataclass(frozen=True)
class Below:
    """A distribution on cells of the grid that is dominated: the coefficients i of ``p`` and of ``q`` are the
    masses in cell ``low`` + i under either secret.
    """

    grid: Grid
    low: int
    p: fmpz_poly
    q: fmpz_poly
    infinite: int

    @staticmethod
    def of(loss: LossDistribution, grid: Grid) -> Below:
        """Every atom in the cell where ``Above`` has the lower of its neighbours. Raises BadGrid."""
        powers, unit = grid.inverses, grid.unit
        p: dict[int, int] = defaultdict(int)
        q: dict[int, int] = defaultdict(int)
        for atom in loss.atoms:
            s = min(max(1 / atom.ratio, Fraction(1, unit)), Fraction(unit)) * powers.one
            k = powers.cell(floor(s)) - 1
            p[k] += floor(atom.p * unit)
            q[k] += ceil(atom.q * unit)
        low = min(p, default=0)
        infinite = floor(loss.infinite * unit)
        return _trimmed_below(grid, low, _polynomial(p, low), _polynomial(q, low), infinite)

    def __mul__(self, other: Below) -> Below:
        """The product, masses under the first secret rounded down, and under the second one up."""
        unit = self.grid.unit
        p, q = (self.p * other.p) // unit, _divided_up(self.q * other.q, unit)
        return _trimmed_below(self.grid, self.low + other.low, p, q, _infinite(self, other) // unit)

    @cached_property
    def lines(self) -> Lines:
        """What δ is at least: each line is the event that the sum of the cells is so high."""
        one = self.grid.inverses.one
        p = [int(x) for x in self.p.coeffs()]
        q = [int(self.q[i]) * one for i in range(len(p))]
        return Lines(self.grid, self.infinite, _tails(p), _tails(q))


@dataclass(frozen=True, slots=True)
class Lines:
    """A function of α ≥ 1: a constant plus the largest of 0 and of lines a − αb.

    The constant and all a are in units of masses, the b in units of masses times those of powers of ρ. As
    lists they run from the line of the lowest cell to that of the highest one.
    """

    grid: Grid
    constant: int
    a: list[int]
    b: list[int]

    def value(self, alpha: Fraction) -> Fraction:
        """The function at α ≥ 1."""
        forward, back = self.grid.inverses.one * alpha.denominator, alpha.numerator
        most = max((a * forward - b * back for a, b in zip(self.a, self.b, strict=True)), default=0)
        return Fraction(self.constant * forward + max(0, most), self.grid.unit * forward)

    def first_at_most(self, bound: Fraction) -> Fraction | None:
        """The least α ≥ 1 where the function is at most ``bound``; None if there is none."""
        unit, one = self.grid.unit, self.grid.inverses.one
        top = bottom = 1
        room = self.constant * bound.denominator - bound.numerator * unit
        if room > 0:
            return None
        for a, b in zip(self.a, self.b, strict=True):
            above = a * bound.denominator + room  # the line is too high below α = above · one / (b · …)
            if above > 0 and b == 0:
                return None
            if above > 0 and above * one * bottom > top * b * bound.denominator:
                top, bottom = above * one, b * bound.denominator
        return Fraction(top, bottom)


def _infinite(first: Above | Below, second: Above | Below) -> int:
    """The mass at ∞ of a product, times the unit: where one of the two is there."""
    own, other = int(first.p(1)), int(second.p(1))
    return first.infinite * (other + second.infinite) + own * second.infinite


def _polynomial(masses: dict[int, int], low: int) -> fmpz_poly:
    """The masses from the exponent ``low`` on, as coefficients."""
    return fmpz_poly([masses.get(k, 0) for k in range(low, max(masses, default=low - 1) + 1)])


def _divided_up(p: fmpz_poly, unit: int) -> fmpz_poly:
    """Natural coefficients divided and rounded up.

    FLINT's quotient of a polynomial and a number is rounded down only where coefficients are not negative.
    """
    return (p + fmpz_poly([unit - 1] * (p.degree() + 1))) // unit


def _ends(p: fmpz_poly, tail: int) -> tuple[int, int, int, int]:
    """Which coefficients stay, from the first to before the last; and what the others sum up to, at either
    end: at most ``tail``. At least one stays if there is any.
    """
    first, last, low, high = 0, p.degree() + 1, 0, 0
    while first < last - 1 and low + int(p[first]) <= tail:
        low, first = low + int(p[first]), first + 1
    while first < last - 1 and high + int(p[last - 1]) <= tail:
        high, last = high + int(p[last - 1]), last - 1
    return first, last, low, high


def _trimmed_above(grid: Grid, low: int, p: fmpz_poly, infinite: int) -> Above:
    first, last, under, over = _ends(p, grid.tail)
    kept = p.truncate(last).right_shift(first)
    return Above(grid, low + first, kept + under, infinite + over)


def _trimmed_below(grid: Grid, low: int, p: fmpz_poly, q: fmpz_poly, infinite: int) -> Below:
    first, last, _, _ = _ends(p, grid.tail)
    return Below(
        grid, low + first, p.truncate(last).right_shift(first), q.truncate(last).right_shift(first), infinite
    )


def _tails(masses: Iterable[int]) -> list[int]:
    """Of every place the sum from there on."""
    return [*accumulate(reversed([*masses]))][::-1]
