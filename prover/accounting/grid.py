"""Privacy loss distributions on a geometric grid of ratios: one dominates the truth, one is dominated by it.

The ratios of the grid are ρ^k, ρ = 1 + 1/m, k an integer. Masses are multiples of 10^−d, held as polynomials
with integer coefficients, so that a composition is a product of polynomials, rounded outward. Reference:
docs/accounting.md, *On a grid*. The checker repeats all of this, by the rules of docs/certificates.md, so the
order of the steps and every rounding are part of the format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, floor
from typing import Protocol, Self, TypeVar

from flint import fmpz_poly

from prover.accounting.distribution import LossDistribution
from prover.accounting.errors import BadGrid
from prover.accounting.inverse_powers import InversePowers
from prover.exact.given import given_integer

GUARD_DIGITS = 20
"""Decimals of the powers of ρ beyond those of masses."""

MOST_STEPS, MOST_DIGITS, MOST_HALVINGS = 1_000_000, 200, 20


@dataclass(frozen=True)
class Grid:
    """The ratios (1 + 1/``steps``)^k; masses are multiples of 10^−``digits``, and after each product those at
    either end are put together as long as they are at most ``tail`` such units in all.

    Powers are computed by squaring; after square number j it is put on a grid with half as many ratios, and
    that ``halvings[j]`` times, 0 times beyond the end. The ratios then are ρ^(2^c k), c how often in all.

        >>> from prover.accounting.distribution import LossDistribution
        >>> from prover.accounting.enclosed import EnclosedLossDistribution
        >>> coin = LossDistribution.randomised_response("1/2")
        >>> low, high = EnclosedLossDistribution.of(coin, Grid(1000)).delta("3/2")
        >>> low <= coin.delta("3/2") <= high
        True

    Reference: docs/accounting.md, *On a grid*.
    """

    steps: int
    digits: int = 30
    tail: int = 10**12
    halvings: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name in ("steps", "digits", "tail"):
            object.__setattr__(self, name, given_integer(getattr(self, name), name))
        if not 1 <= self.steps <= MOST_STEPS:
            raise BadGrid(f"a grid has from 1 to {MOST_STEPS:,} steps, not {self.steps:,}")
        if not 1 <= self.digits <= MOST_DIGITS:
            raise BadGrid(f"masses on a grid have from 1 to {MOST_DIGITS} digits, not {self.digits:,}")
        if not 0 <= self.tail <= self.unit:
            raise BadGrid("the tail of a grid is a number of units from 0 to 1 in all")
        if len(self.halvings) > MOST_HALVINGS or not all(0 <= n <= MOST_HALVINGS for n in self.halvings):
            raise BadGrid(f"a grid is halved from 0 to {MOST_HALVINGS} times, after as many squares at most")

    @property
    def unit(self) -> int:
        """How many units are 1."""
        return int(10**self.digits)

    @cached_property
    def to_round_up(self) -> list[fmpz_poly]:
        """A polynomial with many coefficients that are one less than the unit; the last one is kept."""
        return [fmpz_poly()]

    @cached_property
    def inverses(self) -> InversePowers:
        """The powers of 1/ρ."""
        return InversePowers(self.steps, 10 ** (self.digits + GUARD_DIGITS))


def _inverse(ratio: Fraction, grid: Grid) -> tuple[int, int]:
    """1 over a ratio, brought between 10^−d and 10^d, in units of powers of ρ: numerator and denominator."""
    a, b, unit = ratio.numerator, ratio.denominator, grid.unit
    if b > a * unit:
        a, b = 1, unit
    elif b * unit < a:
        a, b = unit, 1
    return b * grid.inverses.one, a


@dataclass(frozen=True)
class SideAbove:
    """A distribution on the grid, halved ``scale`` times, that dominates: coefficient i of ``p`` is the mass
    at its ratio number ``low`` + i, where number 0 is 1.
    """

    grid: Grid
    low: int
    p: fmpz_poly
    infinite: int
    scale: int = 0

    @staticmethod
    def of(loss: LossDistribution, grid: Grid) -> SideAbove:
        """Every atom divided between two neighbours on the grid; one farther out than 10^±d is moved to ∞, or
        up to there. Raises BadValue.
        """
        powers, unit = grid.inverses, grid.unit
        masses: dict[int, int] = defaultdict(int)
        infinite = ceil(loss.infinite * unit)
        for atom in loss.atoms:
            whole, parts = atom.p.numerator * unit, atom.p.denominator
            if atom.ratio > unit:
                infinite += -(-whole // parts)
                continue
            top, bottom = _inverse(atom.ratio, grid)
            k = powers.cell(top // bottom)
            high, low = powers.above(k - 1), powers.below(k - 1)
            upward = whole * (high * bottom - top), parts * bottom * (high - powers.above(k))
            downward = whole * (top - powers.below(k) * bottom), parts * bottom * (low - powers.below(k))
            masses[k] -= -upward[0] // upward[1]
            masses[k - 1] += min(-(-whole // parts), -(-downward[0] // downward[1]))
        first = min(masses, default=0)
        return _trimmed_above(SideAbove(grid, first, _polynomial(masses, first), infinite))

    @cached_property
    def mass(self) -> int:
        """What the masses sum up to."""
        return int(self.p(1))

    def __mul__(self, other: SideAbove) -> SideAbove:
        """The product, every mass rounded up."""
        first, second = on_one_scale(self, other)
        unit = first.grid.unit
        infinite = -(-_infinite(first, second) // unit)
        p = _rounded_up(first.p * second.p, first.grid)
        return _trimmed_above(SideAbove(first.grid, first.low + second.low, p, infinite, first.scale))

    def coarser(self) -> SideAbove:
        """The grid halved once more: masses at odd places are divided between their neighbours."""
        one = self.grid.inverses.one
        below, above = self.grid.inverses.step(self.scale)
        even, odd = _halves(self.p, self.low)
        lower = _divided_up(odd * above, one + above)
        upper = _divided_up(odd * one, one + below)
        p = even + lower + upper.left_shift(1)
        return SideAbove(self.grid, self.low // 2, p, self.infinite, self.scale + 1)

    @cached_property
    def lines(self) -> Lines:
        """What δ is at most, as a function of α ≥ 1."""
        first = max(1, self.low)  # the others gain nothing at α ≥ 1
        p = self.p.coeffs()[first - self.low :]
        powers = self.grid.inverses
        s = powers.falling(self.scale, first + len(p))[first : first + len(p)]
        weighed = (int(x) * y for x, y in zip(p, s, strict=True))
        return Lines(self.grid, self.infinite, _tails(map(int, p)), _tails(weighed))


@dataclass(frozen=True)
class SideBelow:
    """A distribution on cells of the grid, halved ``scale`` times, that is dominated: the coefficients i of
    ``p`` and of ``q`` are the masses in cell ``low`` + i under either secret.
    """

    grid: Grid
    low: int
    p: fmpz_poly
    q: fmpz_poly
    infinite: int
    scale: int = 0

    @staticmethod
    def of(loss: LossDistribution, grid: Grid) -> SideBelow:
        """Every atom in the cell where ``SideAbove`` has the lower of its neighbours. Raises BadValue."""
        powers, unit = grid.inverses, grid.unit
        p: dict[int, int] = defaultdict(int)
        q: dict[int, int] = defaultdict(int)
        for atom in loss.atoms:
            top, bottom = _inverse(atom.ratio, grid)
            k = powers.cell(top // bottom) - 1
            p[k] += floor(atom.p * unit)
            q[k] += ceil(atom.q * unit)
        low = min(p, default=0)
        infinite = floor(loss.infinite * unit)
        return _trimmed_below(SideBelow(grid, low, _polynomial(p, low), _polynomial(q, low), infinite))

    @cached_property
    def mass(self) -> int:
        """What the masses under the first secret sum up to."""
        return int(self.p(1))

    def __mul__(self, other: SideBelow) -> SideBelow:
        """The product, masses under the first secret rounded down, and under the second one up."""
        first, second = on_one_scale(self, other)
        unit = first.grid.unit
        p, q = (first.p * second.p) // unit, _rounded_up(first.q * second.q, first.grid)
        infinite = _infinite(first, second) // unit
        return _trimmed_below(SideBelow(first.grid, first.low + second.low, p, q, infinite, first.scale))

    def coarser(self) -> SideBelow:
        """The grid halved once more: two cells are one."""
        p, q = (sum(_halves(side, self.low), fmpz_poly()) for side in (self.p, self.q))
        return SideBelow(self.grid, self.low // 2, p, q, self.infinite, self.scale + 1)

    @cached_property
    def lines(self) -> Lines:
        """What δ is at least: each line is the event that the sum of the cells is so high."""
        one = self.grid.inverses.one
        p = [int(x) for x in self.p.coeffs()]
        q = [int(x) * one for x in self.q.coeffs()]
        q += [0] * (len(p) - len(q))
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


class Scaled(Protocol):
    """What may be brought to a grid with half as many ratios."""

    @property
    def grid(self) -> Grid: ...
    @property
    def scale(self) -> int: ...
    def coarser(self) -> Self: ...


AnyScaled = TypeVar("AnyScaled", bound=Scaled)


def on_one_scale(first: AnyScaled, second: AnyScaled) -> tuple[AnyScaled, AnyScaled]:
    """The finer one on the grid of the other one."""
    while first.scale < second.scale:
        first = first.coarser()
    while second.scale < first.scale:
        second = second.coarser()
    return first, second


def after_square(square: AnyScaled, number: int) -> AnyScaled:
    """Square number so many on the grid that is meant for it."""
    halvings = square.grid.halvings
    for _ in range(halvings[number] if number < len(halvings) else 0):
        square = square.coarser()
    return square


def _halves(p: fmpz_poly, low: int) -> tuple[fmpz_poly, fmpz_poly]:
    """The coefficients at even and at odd places, where the first one has the place ``low``."""
    coefficients = ([0] if low % 2 else []) + p.coeffs()
    return fmpz_poly(coefficients[::2]), fmpz_poly(coefficients[1::2])


def _infinite(first: SideAbove | SideBelow, second: SideAbove | SideBelow) -> int:
    """The mass at ∞ of a product, times the unit: where one of the two is there."""
    own, other = first.mass, second.mass
    return first.infinite * (other + second.infinite) + own * second.infinite


def _polynomial(masses: dict[int, int], low: int) -> fmpz_poly:
    """The masses from the exponent ``low`` on, as coefficients."""
    return fmpz_poly([masses.get(k, 0) for k in range(low, max(masses, default=low - 1) + 1)])


def _divided_up(p: fmpz_poly, unit: int) -> fmpz_poly:
    """Natural coefficients divided and rounded up.

    FLINT's quotient of a polynomial and a number is rounded down only where coefficients are not negative.
    """
    return (p + _ones(p.degree() + 1) * (unit - 1)) // unit


def _rounded_up(p: fmpz_poly, grid: Grid) -> fmpz_poly:
    """The same by the unit of the grid: what is added beyond the last coefficient is rounded down to 0."""
    count, known = p.degree() + 1, grid.to_round_up
    if not count <= known[0].degree() + 1 <= 2 * count:
        known[0] = _ones(count + count // 4) * (grid.unit - 1)
    return (p + known[0]) // grid.unit


def _ones(count: int) -> fmpz_poly:
    """So many coefficients 1: of a power of two the square is shifted and added."""
    ones, known = fmpz_poly([1]), 1
    while known < count:
        ones, known = ones + ones.left_shift(known), 2 * known
    return ones.truncate(count)


def _ends(p: fmpz_poly, tail: int) -> tuple[int, int, int, int]:
    """Which coefficients stay, from the first to before the last; and what the others sum up to, at either
    end: at most ``tail``. At least one stays if there is any.
    """
    first, last, low, high = 0, p.degree() + 1, 0, 0
    while first < last - 1 and (more := low + int(p[first])) <= tail:
        low, first = more, first + 1
    while first < last - 1 and (more := high + int(p[last - 1])) <= tail:
        high, last = more, last - 1
    return first, last, low, high


def _trimmed_above(side: SideAbove) -> SideAbove:
    first, last, under, over = _ends(side.p, side.grid.tail)
    kept = side.p.truncate(last).right_shift(first)
    return replace(side, low=side.low + first, p=kept + under, infinite=side.infinite + over)


def _trimmed_below(side: SideBelow) -> SideBelow:
    first, last, _, _ = _ends(side.p, side.grid.tail)
    p, q = (z.truncate(last).right_shift(first) for z in (side.p, side.q))
    return replace(side, low=side.low + first, p=p, q=q)


def _tails(masses: Iterable[int]) -> list[int]:
    """Of every place the sum from there on."""
    return [*accumulate(reversed([*masses]))][::-1]
