"""Exact products of laws of ratios, written by exponents over numbers that the evidence names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, prod

from ..budget import operation
from ..reading import BadEvidence, Ratio, demand
from .endings import Law
from .tally import Tally

Row = tuple[int, ...]  # exponents

EXPONENT_BITS = 64  # of memory that an exponent counts
TERM_BITS = 2048  # and a term of a product, beside its mass


def exact_delta(parts: Sequence[tuple[Law, int]], alpha: Ratio, basis: Sequence[int], tally: Tally) -> Ratio:
    """δ(α) = 1 − Σ p + Σ p max(0, 1 − α/r) of the product. Unlike exponents need not mean unlike ratios: then
    terms that could have been one are two, and their sum is the same."""
    packed = packed_rows(parts, basis, tally)
    if packed is None:
        return 1, 1
    keys, low, high, steps, widths = packed
    product, whole = {0: 1}, 1
    for (law, n), part in zip(parts, keys, strict=True):
        common = 1
        for _, p in law:
            common = lcm(common, p.denominator)
            tally.spend(8, common.bit_length(), p.denominator.bit_length())
        base: dict[int, int] = {}
        for key, (_, p) in zip(part, law, strict=True):
            base[key] = base.get(key, 0) + p.numerator * (common // p.denominator)
        square, size, rest = base, common, n
        while rest:
            if rest % 2:
                product, whole = times_of(product, whole, square, size, tally), whole * size
            rest //= 2
            if rest:
                square, size = times_of(square, size, square, size, tally), size * size
    (a, q), places = alpha, list(zip(basis, steps, widths, high, low, strict=False))
    spread = sum((h - e) * b.bit_length() for b, _, _, h, e in places)
    number = 8 * len(product) * max(1, len(basis))
    # As b^h has more than h (|b| − 1) bits, powers are not computed which are longer than what is left.
    least = spread + sum(abs(h) * (b.bit_length() - 1) for b, _, _, h, _ in places)
    tally.allow(number * operation(whole.bit_length() + least, least + a.bit_length()))
    top = prod(b**h for b, _, _, h, _ in places if h > 0)  # α/r = α s / M, M = Π b^high, s = Π b^(high − e)
    bottom = prod(b**-h for b, _, _, h, _ in places if h < 0)
    bits = top.bit_length() + bottom.bit_length() + spread
    tally.spend(number, whole.bit_length() + bits, bits + a.bit_length())
    gain = mass_seen = 0
    for key, mass in product.items():
        s = prod(b ** (h - e - key // step % width) for b, step, width, h, e in places)
        mass_seen += mass
        gain += mass * max(0, top * q - a * s * bottom)
    return (whole - mass_seen) * top * q + gain, whole * top * q


def packed_rows(
    parts: Sequence[tuple[Law, int]], basis: Sequence[int], tally: Tally
) -> tuple[Sequence[Sequence[int]], Row, Row, Sequence[int], Sequence[int]] | None:
    """The exponents of each part as numbers that add up as they do; the least and the largest exponents of
    the product; and what tells them apart. None if a part has no mass."""
    count = sum(len(law) for law, _ in parts) * len(basis)
    tally.budget.fit(count, EXPONENT_BITS)
    rows = [[exponents(ratio, basis, tally) for ratio, _ in law] for law, _ in parts]
    if not all(rows):
        return None
    lows = [[min(column) for column in zip(*part, strict=True)] for part in rows]
    highs = [[max(column) for column in zip(*part, strict=True)] for part in rows]
    times = [n for _, n in parts]
    low = [sum(n * part[i] for n, part in zip(times, lows, strict=True)) for i in range(len(basis))]
    high = [sum(n * part[i] for n, part in zip(times, highs, strict=True)) for i in range(len(basis))]
    reach = [top - least + 1 for top, least in zip(high, low, strict=True)]
    tally.budget.fit(count + len(basis), sum(n.bit_length() + 16 for n in reach))
    # A row e is the number Σ (e_i − low_i) steps_i: sums stay in their places, and numbers have the order of
    # rows read backward, also of one factor more. Places are wider than need be, by as much as no file knows,
    # so that none can choose rows whose numbers have one hash.
    widths = [2 * n + hash(f"{i}") % 2**16 for i, n in enumerate(reach)]
    steps = [1]
    for width in widths:
        steps.append(steps[-1] * width)
    keys = [
        [sum((e - b) * step for e, b, step in zip(row, own, steps, strict=False)) for row in part]
        for part, own in zip(rows, lows, strict=True)
    ]
    return keys, tuple(low), tuple(high), steps, widths


def times_of(
    first: Mapping[int, int], size: int, second: Mapping[int, int], other: int, tally: Tally
) -> dict[int, int]:
    tally.spend(len(first) * len(second), size.bit_length(), other.bit_length())
    product: dict[int, int] = {}
    bits = TERM_BITS + size.bit_length() + other.bit_length()
    for key, mass in first.items():
        for more, factor in second.items():
            product[key + more] = product.get(key + more, 0) + mass * factor
        tally.budget.fit(len(product), bits)
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
    demand(top == bottom == 1, BadEvidence, "a ratio is not a product of powers of the basis")
    return tuple(row)
