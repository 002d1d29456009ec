"""How much work it is to repeat a composition, as the checker counts it (docs/certificates.md, 3.8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from prover.accounting.account import PairLoss
from prover.accounting.distribution import LossDistribution
from prover.accounting.grid import MOST_HALVINGS, Grid, SideAbove, SideBelow, after_square, on_one_scale
from prover.accounting.lattice import Monomials, monomials_of, unit_of
from prover.accounting.power import power
from prover.errors import Fault

MOST_WORK = 10**10
"""Units that checkers spend on any file (docs/certificates.md, 6)."""

_UNITS_PER_DIGIT, _UNITS_PER_CELL = 12, 400


def operation(bits: int, other: int) -> int:
    """The units of an operation, as the checker counts them."""
    return 32 + (bits // 64 + 1) * (other // 64 + 1)


def exact_work(parts: Sequence[tuple[LossDistribution, int]], basis: Sequence[int], alpha: Fraction) -> int:
    """The units of an exact product, and of δ at α; a lower bound of them where that is too much already."""
    units = sum(_exponents_work(atom.ratio, basis) for loss, _ in parts for atom in loss.atoms)
    if not all(loss.atoms for loss, _ in parts):
        return units
    laws = [({atom.ratio: atom.p for atom in loss.atoms}, times) for loss, times in parts]
    least = least_exact_work(parts)
    if least > MOST_WORK:
        return least
    factors = monomials_of(laws, basis or (2,))
    bits = 0
    for (law, times), factor in zip(laws, factors, strict=True):
        whole = factor.whole.bit_length()
        units += sum(8 * operation(whole, mass.denominator.bit_length()) for mass in law.values())
        degrees = factor.polynomial.degrees()
        reach = [(low, low + int(degree)) for low, degree in zip(factor.lows, degrees, strict=True)]
        bits += times * sum(
            max(abs(low), abs(high)) * b.bit_length() for b, (low, high) in zip(basis, reach, strict=False)
        )
    product = unit_of(factors[0])
    for (_, times), factor in zip(laws, factors, strict=True):
        square, rest = factor, times
        while rest:
            if rest % 2:
                units += _product_work(product, square)
                product = product * square
            rest //= 2
            if rest:
                units += _product_work(square, square)
                square = square * square
    atoms, whole = len(product.polynomial), product.whole.bit_length()
    return units + 8 * atoms * max(1, len(basis)) * operation(
        whole + 8 * bits, 8 * bits + alpha.numerator.bit_length()
    )


def least_exact_work(parts: Iterable[tuple[LossDistribution, int]]) -> int:
    """At least so many units are spent on an exact product; known without computing it.

    Laws of a and b ratios have a product of at least a + b - 1, as sums of exponents have.
    """
    units, product = 0, (1, 1)

    def multiplied(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int]:
        nonlocal units
        (a, long), (b, other) = first, second
        units += a * b * operation(long, other)
        return a + b - 1, long + other - 1

    for loss, times in parts:
        if not loss.atoms:
            return 0
        square = len(loss.atoms), lcm(*(atom.p.denominator for atom in loss.atoms)).bit_length()
        rest = times
        while rest:
            if rest % 2:
                product = multiplied(product, square)
            rest //= 2
            if rest:
                square = multiplied(square, square)
    return units


def _exponents_work(ratio: Fraction, basis: Sequence[int]) -> int:
    """The units of writing a ratio by exponents, which is done of all laws, also where one has no masses."""
    size = sum(n.bit_length() for n in ratio.as_integer_ratio())
    return sum((size // (b.bit_length() - 1) + 2) * operation(size, b.bit_length()) for b in basis)


def _product_work(first: Monomials, second: Monomials) -> int:
    bits = operation(first.whole.bit_length(), second.whole.bit_length())
    return len(first.polynomial) * len(second.polynomial) * bits


@dataclass(frozen=True, slots=True)
class _Counted:
    """A side of a product on a grid, which counts the units of products in ``tally``."""

    side: SideAbove | SideBelow
    tally: list[int]

    @property
    def grid(self) -> Grid:
        """The grid of the side."""
        return self.side.grid

    @property
    def scale(self) -> int:
        """How often that is halved."""
        return self.side.scale

    def coarser(self) -> _Counted:
        """The side on the grid halved once more."""
        self.tally.append((self.side.p.degree() + 2) * _UNITS_PER_CELL)
        return _Counted(self.side.coarser(), self.tally)

    def __mul__(self, other: _Counted) -> _Counted:
        one, another = (counted.side for counted in on_one_scale(self, other))
        pairs = [(one.p, another.p)]
        product: SideAbove | SideBelow
        if isinstance(one, SideBelow) and isinstance(another, SideBelow):
            pairs.append((one.q, another.q))
            product = one * another
        elif isinstance(one, SideAbove) and isinstance(another, SideAbove):
            product = one * another
        else:
            raise Fault("sides of different kinds are multiplied")
        for first, second in pairs:
            digits = len(str(int(first(1)) * int(second(1))))
            cells = one.p.degree() + another.p.degree() + 2
            self.tally.append(cells * digits * _UNITS_PER_DIGIT)
        return _Counted(product, self.tally)


def grid_work(parts: Sequence[tuple[PairLoss, int]], grid: Grid) -> int:
    """The units of a product on a grid, both sides, and of δ at one α."""
    tally: list[int] = []
    one = grid.inverses.one.bit_length()
    for of in (SideAbove.of, SideBelow.of):
        product: _Counted | None = None
        for choice, times in parts:
            loss = choice.most if of is SideAbove.of else choice.loss
            base = of(loss, grid)
            for atom in loss.atoms:
                numbers = (*atom.ratio.as_integer_ratio(), *atom.p.as_integer_ratio())
                bits = max(n.bit_length() for n in numbers) + 2 * one
                tally.append(64 * operation(bits, bits))
            tally.append((base.p.degree() + 3) * _UNITS_PER_CELL)
            factor = power(_Counted(base, tally), times, after_square=after_square)
            product = factor if product is None else product * factor
        if product is None:
            raise Fault("a composition of nothing")
        tally.append((product.side.p.degree() + 1) * _UNITS_PER_CELL)
        if isinstance(product.side, SideAbove):
            reached = product.side.low + product.side.p.degree() + 1
            tally.append(2 * max(0, reached) * _UNITS_PER_CELL)
    return sum(tally) + (grid.inverses.computed + MOST_HALVINGS + 1) * _UNITS_PER_CELL
