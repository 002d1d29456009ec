"""Exact products of laws of ratios, written by exponents over numbers that the evidence names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, prod

from ..reading import BadEvidence, Ratio, demand
from .endings import Law
from .tally import Tally

Row = tuple[int, ...]  # exponents


def exact_delta(
    parts: Sequence[tuple[Law, int]], alpha: Ratio, basis: Sequence[int], tally: Tally
) -> Fraction:
    """δ(α) = 1 − Σ p + Σ p max(0, 1 − α/r) of the product. Unlike exponents need not mean unlike ratios: then
    terms that could have been one are two, and their sum is the same."""
    rows = [[exponents(ratio, basis, tally) for ratio in law] for law, _ in parts]
    if not all(rows):
        return Fraction(1)
    lows = [[min(column) for column in zip(*part, strict=True)] for part in rows]
    highs = [[max(column) for column in zip(*part, strict=True)] for part in rows]
    times = [n for _, n in parts]
    low = [sum(n * part[i] for n, part in zip(times, lows, strict=True)) for i in range(len(basis))]
    high = [sum(n * part[i] for n, part in zip(times, highs, strict=True)) for i in range(len(basis))]
    steps = [1]  # a row e is the number Σ (e_i − low_i) steps_i: sums stay in their places
    for top, bottom in zip(high, low, strict=True):
        steps.append(steps[-1] * (top - bottom + 1))
    product, whole = {0: 1}, 1
    for (law, n), part, own in zip(parts, rows, lows, strict=True):
        common = 1
        for p in law.values():
            common = lcm(common, p.denominator)
            tally.spend(8, common.bit_length(), p.denominator.bit_length())
        numerators = [p.numerator * (common // p.denominator) for p in law.values()]
        keys = [sum((e - b) * step for e, b, step in zip(row, own, steps, strict=False)) for row in part]
        base: dict[int, int] = {}
        for key, mass in zip(keys, numerators, strict=True):
            base[key] = base.get(key, 0) + mass
        square, size, rest = base, common, n
        while rest:
            if rest % 2:
                product, whole = times_of(product, whole, square, size, tally), whole * size
            rest //= 2
            if rest:
                square, size = times_of(square, size, square, size, tally), size * size
    (a, q), places = alpha, list(zip(basis, steps, high, low, strict=False))
    top = prod(b**h for b, _, h, _ in places if h > 0)  # α/r = α s / M, M = Π b^high, s = Π b^(high − e)
    bottom = prod(b**-h for b, _, h, _ in places if h < 0)
    bits = top.bit_length() + bottom.bit_length() + sum((h - e) * b.bit_length() for b, _, h, e in places)
    tally.spend(8 * len(product) * max(1, len(basis)), whole.bit_length() + bits, bits + a.bit_length())
    gain = mass_seen = 0
    for key, mass in product.items():
        s = prod(b ** (h - e - key // step % (h - e + 1)) for b, step, h, e in places)
        mass_seen += mass
        gain += mass * max(0, top * q - a * s * bottom)
    return Fraction(whole - mass_seen, whole) + Fraction(gain, whole * top * q)


def times_of(
    first: Mapping[int, int], size: int, second: Mapping[int, int], other: int, tally: Tally
) -> dict[int, int]:
    tally.spend(len(first) * len(second), size.bit_length(), other.bit_length())
    product: dict[int, int] = {}
    for key, mass in first.items():
        for more, factor in second.items():
            product[key + more] = product.get(key + more, 0) + mass * factor
    return product


def exponents(ratio: Fraction, basis: Sequence[int], tally: Tally) -> Row:
    """The ratio as a product of powers of the numbers."""
    top, bottom = ratio.as_integer_ratio()
    row = []
    for b in basis:
        exponent, long = 0, top.bit_length() + bottom.bit_length()
        tally.spend(long // (b.bit_length() - 1) + 2, long, b.bit_length())
        while top % b == 0:
            top, exponent = top // b, exponent + 1
        while bottom % b == 0:
            bottom, exponent = bottom // b, exponent - 1
        row.append(exponent)
    demand(top == bottom == 1, BadEvidence, "a ratio is no product of powers of the basis")
    return tuple(row)
