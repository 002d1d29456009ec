"""How much work it is to repeat a composition, as the checker counts it (docs/certificates.md, 3.8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm, prod
from operator import add, mul

from prover.accounting.adaptive import AdaptiveComposition
from prover.accounting.distribution import LossDistribution
from prover.accounting.lattice import exponents_of
from prover.accounting.units import MOST_WORK, bits_of, operation
from prover.errors import Fault

_LEADING, _TERM_BITS, _MOST_MEMORY = 63, 2048, 2**30


def exact_work(
    parts: Sequence[tuple[LossDistribution, int]], basis: Sequence[int], alpha: Fraction, near: int
) -> int:
    """At least the units of an exact product and of δ at α, where ``near`` ratios are too near to α for their
    leading bits; more than checkers spend where they have no memory for it.
    """
    units = sum(_exponents_work(atom.ratio, basis) for loss, _ in parts for atom in loss.atoms)
    if not all(loss.atoms for loss, _ in parts):
        return units
    rows = [[exponents_of(atom.ratio, basis or (2,)) for atom in loss.atoms] for loss, _ in parts]
    spans = [[max(column) - min(column) for column in zip(*own, strict=True)] for own in rows]
    runs = [times for _, times in parts]
    whole = [sum(map(mul, runs, column)) for column in zip(*spans, strict=True)]
    reach = sum((width + 1).bit_length() + 16 for width in whole)
    product: _Size | None = None
    for (loss, times), own in zip(parts, spans, strict=True):
        sides = [[atom.p for atom in loss.atoms], [atom.q for atom in loss.atoms]]
        longs = []
        for side in sides:
            denominators = [mass.denominator for mass in side]
            longs.append(lcm(*denominators).bit_length())
            units += 8 * len(side) * operation(longs[-1], max(map(int.bit_length, denominators)))
            units += 16 * operation(times * longs[-1], times * longs[-1])
        count = len(loss.atoms)
        if count <= times:
            longest = times.bit_length() + reach + max(longs)
            tried = min(comb(times + count, times + 1), _box(own, times + 1))
            units += tried * 4 * count * sum(operation(times * long, longest) for long in longs)
            size = _Size(min(comb(times + count - 1, times), _box(own, times)), [times * n for n in longs])
            units += size.too_much if count > 2 else 0
        else:
            square, rest = _Size(count, longs), times
            found: _Size | None = None
            while rest:
                if rest % 2:
                    more, found = (0, square) if found is None else found.times(square, _box(own, times))
                    units += more
                rest //= 2
                if rest:
                    more, square = square.times(square, _box(own, times))
                    units += more
            if found is None:
                raise Fault("a power of no factors")
            size = found
        more, product = (0, size) if product is None else product.times(size, _box(whole, 1))
        units += more
    if product is None:
        raise Fault("a composition of nothing")
    bits = sum(product.longs) + max(n.bit_length() for n in alpha.as_integer_ratio())
    return units + (8 + 4 * near) * operation(bits, bits) + product.count * 4 * operation(bits, _LEADING)


def _box(spans: Sequence[int], times: int) -> int:
    """How many vectors of exponents so many factors have at most."""
    return prod(times * span + 1 for span in spans)


@dataclass(frozen=True, slots=True)
class _Size:
    """So many masses, over denominators of so many bits."""

    count: int
    longs: Sequence[int]

    def times(self, other: _Size, most: int) -> tuple[int, _Size]:
        """The units of a product, and its size if it has at most so many masses."""
        units = self.count * other.count * sum(map(operation, self.longs, other.longs))
        size = _Size(min(self.count * other.count, most), [*map(add, self.longs, other.longs)])
        return units + size.too_much + self.too_much + other.too_much, size

    @property
    def too_much(self) -> int:
        """More units than checkers have, if they have no memory for it."""
        return MOST_WORK + 1 if self.count * 2 * (_TERM_BITS + sum(self.longs)) > _MOST_MEMORY else 0


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

    listed = list(parts)
    for loss, times in listed:
        if not loss.atoms:
            return 0
        count = len(loss.atoms)
        square = count, lcm(*(atom.p.denominator for atom in loss.atoms)).bit_length()
        if count <= times:
            power = times * (count - 1) + 1, times * (square[1] - 1) + 1
            units += power[0] * 4 * count * operation(power[1], 0)
            product = multiplied(product, power) if len(listed) > 1 else power
            continue
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


def adaptive_work(found: AdaptiveComposition, alpha: Fraction) -> int:
    """The units of the values of all runs at α; more than checkers spend where they have no memory for it."""
    long, units, number, longs = bits_of(alpha), 0, 1, []
    for run in found.runs:
        longest = max((max(int(n).bit_length() for n in (r.p, r.q)) for r in run.part.ratios), default=0)
        long += longest
        longs.append(long)
        masses = sum(len(atoms) for _, atoms in run.part.laws)
        number += len(run.before) * (masses + 1)
        units += 4 * len(run.before) * (masses + 1) * operation(long, longest)
        if number * (_TERM_BITS + 2 * long) > _MOST_MEMORY:
            return MOST_WORK + 1
    whole = other = 1
    for run, bits in zip(reversed(found.runs), reversed(longs), strict=True):
        whole, other = whole * run.part.whole, other * run.part.other
        size = whole.bit_length() + other.bit_length() + bits
        own = max(run.part.whole.bit_length(), run.part.other.bit_length())
        masses, laws = sum(len(atoms) for _, atoms in run.part.laws), len(run.part.laws)
        units += 4 * len(run.before) * ((masses + laws) * operation(size, own) + laws * operation(size, size))
        if 2 * len(run.before) * len(run.part.ratios) * (_TERM_BITS + size) > _MOST_MEMORY:
            return MOST_WORK + 1
    return units
