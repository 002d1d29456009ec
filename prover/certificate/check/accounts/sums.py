"""δ of exact products of laws by sums of masses under both secrets (*Sums*)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from math import comb, lcm

from ..budget import bits_of
from ..reading import Ratio
from .endings import Law
from .products import TERM_BITS, packed_rows
from .tally import Tally

LEADING = 63  # bits by which products are compared first
NEAR = 58  # beyond so many bits of difference they decide for certain
SPLIT = 16  # terms of a sum that are added one by one

Masses = tuple[int, int]  # under the first and under the second secret, over two denominators
Term = tuple[int, Masses]  # by an exponent
Two = tuple[Mapping[int, Masses], int, Masses, int]  # two masses, how often, over what; and bits of factors


def summed_delta(parts: Sequence[tuple[Law, int]], alpha: Ratio, basis: Sequence[int], tally: Tally) -> Ratio:
    """1 − Σ p + Σ max(0, p − αq) over the vectors of exponents of the product."""
    found = product_of(parts, basis, tally)
    if found is None:
        return 1, 1
    terms, (whole, other), total, two = found
    a, b = alpha
    x, y = other * b, whole * a  # p/whole > α q/other  where  p x > q y
    bits = whole.bit_length() + other.bit_length() + bits_of(alpha)
    tally.spend(8, bits, bits)
    gain = loss = 0
    if two is not None:
        terms = ()  # which have not been computed yet
        gain, loss = sums_of_two(two, (x, y), bits, tally)
    for _, (p, q) in terms:
        tally.spend(4, bits, LEADING)
        if is_larger(p, x, q, y, bits, tally):
            gain, loss = gain + p, loss + q
    return (whole - total + gain) * x - loss * y, whole * x


def summed_law(parts: Sequence[tuple[Law, int]], basis: Sequence[int], tally: Tally) -> Law:
    """The law of the product; ratios of different vectors may be equal."""
    found = product_of(parts, basis, tally)
    if found is None:
        return []
    terms, (whole, other), *_ = found
    bits = whole.bit_length() + other.bit_length() + 1
    law = []
    for _, (p, q) in terms:
        tally.spend(16, bits, bits)
        law.append((Fraction(p * other, q * whole), Fraction(p, whole)))
        tally.budget.fit(len(law), TERM_BITS + 3 * bits)
    return law


def product_of(
    parts: Sequence[tuple[Law, int]], basis: Sequence[int], tally: Tally
) -> tuple[Iterable[Term], Masses, int, Two | None] | None:
    """The masses of the product, their denominators, and the sum of those under the first secret; None if a
    part has no mass."""
    packed = packed_rows(parts, basis, tally)
    if packed is None:
        return None
    rows, low, high, *_ = packed
    base, size = dict[int, Masses](), (1, 1)
    reach = sum((top - least + 1).bit_length() + 16 for top, least in zip(high, low, strict=True))
    sizes, total, product = (1, 1), 1, None
    for (law, n), keys in zip(parts, rows, strict=True):
        base, size = over_common(law, keys, tally)
        terms = power_of(base, n, size, n.bit_length() + reach, tally)
        powers = size[0] ** n, size[1] ** n
        total *= sum(p for p, _ in base.values()) ** n
        if product is not None:
            first = kept(product, sizes, tally)
            terms = times_of(first, sizes, kept(terms, powers, tally), powers, tally)
        product, sizes = terms, (sizes[0] * powers[0], sizes[1] * powers[1])
    two = (base, n, size, n.bit_length() + reach) if len(parts) == 1 and len(base) == 2 <= n else None
    return product or (), sizes, total, two


def over_common(law: Law, keys: Sequence[int], tally: Tally) -> tuple[dict[int, Masses], Masses]:
    """The masses by exponents, over the least common denominators of either secret."""
    sides = [[mass for _, mass in law], [mass / ratio for ratio, mass in law]]
    common = [1, 1]
    for k, side in enumerate(sides):
        for mass in side:
            common[k] = lcm(common[k], mass.denominator)
            tally.spend(8, common[k].bit_length(), mass.denominator.bit_length())
    base: dict[int, Masses] = {}
    for key, *both in zip(keys, *sides, strict=True):
        before = base.get(key, (0, 0))
        p, q = (n + x.numerator * (d // x.denominator) for n, x, d in zip(before, both, common, strict=True))
        base[key] = p, q
    return base, (common[0], common[1])


def power_of(base: Mapping[int, Masses], n: int, size: Masses, factor: int, tally: Tally) -> Iterable[Term]:
    """By a recurrence if there are no more masses than factors; otherwise by squaring."""
    long = [n * w.bit_length() for w in size]
    tally.budget.fit(16, sum(long))
    for bits in long:
        tally.spend(16, bits, bits)
    if len(base) <= n:
        return recurrence(base, n, long, factor, tally)
    result: tuple[Mapping[int, Masses], Masses] | None = None
    square = base
    while n:
        if n % 2:
            result = (square, size) if result is None else multiplied(*result, square, size, tally)
        n //= 2
        if n:
            square, size = multiplied(square, size, square, size, tally)
    return () if result is None else result[0].items()


def recurrence(
    base: Mapping[int, Masses], n: int, long: Sequence[int], factor: int, tally: Tally
) -> Iterator[Term]:
    """The coefficients of f^n from those of f = Σ f_e z^e, the least exponent 0: from f (f^n)' = n f' f^n it
    follows that k f_0 c_k = Σ_{e > 0} ((n + 1) e − k) f_e c_{k − e}."""
    (low, first), *others = sorted(base.items())
    rest = [(key - low, masses) for key, masses in others]
    reach = rest[-1][0] if rest else 0
    longest = factor + bits_of(m for masses in base.values() for m in masses)
    recent = {0: (first[0] ** n, first[1] ** n)}
    waiting, seen = [0], {0}
    while waiting:
        k = heappop(waiting)
        for bits in long:
            tally.spend(4 * len(base), bits, longest)
        if k:
            p = q = 0
            for e, (f, g) in rest:
                if k - e in recent:
                    c, d = recent[k - e]
                    p, q = p + ((n + 1) * e - k) * f * c, q + ((n + 1) * e - k) * g * d
            if not p:
                continue
            recent[k] = p // (k * first[0]), q // (k * first[1])
        yield k + n * low, recent[k]
        for e, _ in rest:
            if k + e not in seen:
                seen.add(k + e)
                heappush(waiting, k + e)
        while (oldest := next(iter(recent))) + reach < k:
            del recent[oldest]
        tally.budget.fit(len(recent) + 1, TERM_BITS + sum(long))
        tally.budget.fit(len(seen), TERM_BITS)


def sums_of_two(two: Two, scales: Masses, bits: int, tally: Tally) -> Masses:
    """Σ p and Σ q over the vectors with p x > q y, for a power of two masses: these are C(n,j) f^(n−j) h^j,
    and p/q falls with j. It is charged like the recurrence, which computes all of them."""
    base, n, size, factor = two
    first, second = base.values()
    if first[0] * second[1] < second[0] * first[1]:
        first, second = second, first
    longest = factor + bits_of(first + second)
    long = [n * w.bit_length() for w in size]
    for own in long:
        tally.spend(8 * (n + 2), own, longest)
    tally.spend(4 * (n + 1), bits, LEADING)
    tally.budget.fit(3, TERM_BITS + sum(long))
    tally.budget.fit(n + 2, TERM_BITS)

    def sides(j: int) -> Masses:
        p, q = (a ** (n - j) * b**j * scale for a, b, scale in zip(first, second, scales, strict=True))
        return p, q

    def is_above(j: int) -> bool:
        p, q = sides(j)
        return p > q

    count = bisect_left(range(n + 1), True, key=lambda j: not is_above(j))
    for j, step in ((count, 1), (count - 1, -1)):
        while 0 <= j <= n:
            p, q = sides(j)
            if abs(p - q) << NEAR > q:
                break
            ways = comb(n, j)
            p, q = (ways * a ** (n - j) * b**j for a, b in zip(first, second, strict=True))
            is_larger(p, scales[0], q, scales[1], bits, tally)
            j += step
    gain, loss = (head(n, count, a, b) for a, b in zip(first, second, strict=True))
    return gain, loss


def head(n: int, count: int, f: int, h: int) -> int:
    """Σ C(n,j) f^(n−j) h^j over j < count."""
    if count == 0:
        return 0
    _, bottom, rest = split(1, count, n, f, h)
    power: int = f**n
    return power * (bottom + rest) // bottom


def split(start: int, end: int, n: int, f: int, h: int) -> tuple[int, int, int]:
    """With a_j = (n + 1 − j) h and b_j = j f, from the start to before the end: Π a, Π b, and the sum over j
    of the product of the a up to j and of the b after it."""
    if end - start > SPLIT:
        middle = (start + end) // 2
        (top, bottom, rest), (a, b, more) = split(start, middle, n, f, h), split(middle, end, n, f, h)
        return top * a, bottom * b, rest * b + top * more
    top, bottom, rest = 1, 1, 0
    for j in range(start, end):
        top, bottom = top * (n + 1 - j) * h, bottom * j * f
        rest = rest * j * f + top
    return top, bottom, rest


def kept(terms: Iterable[Term], size: Masses, tally: Tally) -> dict[int, Masses]:
    """All of them in memory."""
    bits = TERM_BITS + size[0].bit_length() + size[1].bit_length()
    found: dict[int, Masses] = {}
    for key, masses in terms:
        found[key] = masses
        tally.budget.fit(len(found), bits)
    return found


def times_of(
    first: Mapping[int, Masses], size: Masses, second: Mapping[int, Masses], other: Masses, tally: Tally
) -> Iterable[Term]:
    return multiplied(first, size, second, other, tally)[0].items()


def multiplied(
    first: Mapping[int, Masses], size: Masses, second: Mapping[int, Masses], other: Masses, tally: Tally
) -> tuple[dict[int, Masses], Masses]:
    """The product, and its denominators."""
    for w, v in zip(size, other, strict=True):
        tally.spend(len(first) * len(second), w.bit_length(), v.bit_length())
    bits = TERM_BITS + bits_of(size) + bits_of(other)
    found: dict[int, Masses] = {}
    for key, (p, q) in first.items():
        for more, (r, s) in second.items():
            c, d = found.get(key + more, (0, 0))
            found[key + more] = c + p * r, d + q * s
        tally.budget.fit(len(found), 2 * bits)
    return found, (size[0] * other[0], size[1] * other[1])


def is_larger(p: int, x: int, q: int, y: int, bits: int, tally: Tally) -> bool:
    """p x > q y: by the leading bits if these decide."""
    (p0, p1, i), (x0, x1, j), (q0, q1, k), (y0, y1, m) = map(leading, (p, x, q, y))
    left, right = i + j, k + m
    least = min(left, right)
    if p0 * x0 << left - least > q1 * y1 << right - least:
        return True
    if p1 * x1 << left - least <= q0 * y0 << right - least:
        return False
    tally.spend(4, bits, bits)
    return p * x > q * y


def leading(number: int) -> tuple[int, int, int]:
    """The first bits of a natural number, rounded down and up, and how many others there are."""
    rest = max(0, number.bit_length() - LEADING)
    return number >> rest, -(-number >> rest), rest
