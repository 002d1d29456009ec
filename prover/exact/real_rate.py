"""Real numbers that rates are written with: ln and sqrt of positive rationals, powers of e, and the four
operations.

A number is a sum of rationals times products of such parts. Two that are the same sum are equal. Whether
others are equal is never asked, and the sign of a number is decided by enclosures, or the number is refused.

Reference: docs/real_rates.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb, fmpz

from prover.errors import BadValue, quoted
from prover.exact.ball import ball_of, bounds, refined
from prover.exact.rational import format_rational

_ONE = Fraction(1)
_MOST_TERMS = 20
MOST_DIGITS = 50
MOST_EXPONENT = 100
_MOST_BITS = 2_048
_FAR = 1_000
"""Bits to which divisors are known to differ from 0."""
_MOST_DEPTH = 4
_LARGEST_SQUARE = 1_000


@dataclass(frozen=True, slots=True)
class RatePart:
    """e, ln or sqrt ("exp", "ln", "sqrt") of a rational, or the "inverse" of a sum."""

    kind: str
    of: Fraction | RealRate

    @property
    def written(self) -> Any:
        """The part as certificates hold it."""
        return [self.kind, self.of.written if isinstance(self.of, RealRate) else format_rational(self.of)]

    @property
    def ball(self) -> arb:
        """An enclosure, at the precision that is set."""
        if isinstance(self.of, RealRate):
            return 1 / self.of.ball
        inner = ball_of(self.of)
        return inner.exp() if self.kind == "exp" else inner.log() if self.kind == "ln" else inner.sqrt()

    def text(self, name: Mapping[str, str]) -> str:
        """The part as it may be read, or for people."""
        if isinstance(self.of, RealRate):
            return f"1/({self.of._text(name)})"
        number = format_rational(self.of)
        if self.kind == "exp":
            return (
                "e"
                if self.of == 1
                else f"e^{number}"
                if self.of > 1 and "/" not in number
                else f"e^({number})"
            )
        return f"{name[self.kind]}({number})" if "/" in number or not name[" "] else f"{self.kind} {number}"


Product = tuple[RatePart, ...]
_PLAIN = {"ln": "ln", "sqrt": "sqrt", "*": "*", " ": ""}
_FOR_PEOPLE = {"ln": "ln", "sqrt": "sqrt", "*": "·", " ": " "}


def _key(product: Product) -> str:
    """The order of products, which is that of their texts in certificates."""
    return str([part.written for part in product]).replace("'", '"').replace(", ", ",")


@dataclass(frozen=True, slots=True, repr=False)
class RealRate:
    """A sum of rationals times products of parts, without a 0, in the order of the products.

    >>> from prover.exact.real_text import real_rate
    >>> rate = real_rate("1 - ln 2/2")
    >>> rate
    <RealRate: 1 - (1/2)*ln(2)>
    >>> low, high = rate.enclosed(10)
    >>> low < rate.enclosed(20)[0] < high
    True
    """

    terms: tuple[tuple[Product, Fraction], ...]

    @staticmethod
    def of(terms: Mapping[Product, Fraction]) -> RealRate:
        """The sum of these products, times numbers."""
        if len(terms) > _MOST_TERMS:
            raise BadValue(f"a rate is a sum of more than {_MOST_TERMS} terms; write a simpler one")
        return RealRate(
            tuple(sorted(((p, c) for p, c in terms.items() if c), key=lambda term: _key(term[0])))
        )

    @property
    def rational(self) -> Fraction | None:
        """The number as a rational, where it is written as one; else None."""
        if not self.terms:
            return Fraction(0)
        return self.terms[0][1] if len(self.terms) == 1 and not self.terms[0][0] else None

    @property
    def constant(self) -> Fraction:
        """The term without parts."""
        return dict(self.terms).get((), Fraction(0))

    @property
    def factor(self) -> Fraction:
        """The number is constant + factor·of; this is the first coefficient of the other terms."""
        return next((c for product, c in self.terms if product), Fraction(0))

    @property
    def base(self) -> RealRate:
        """The number is constant + factor·base; the same for numbers that are so made of the same number."""
        return RealRate(tuple((product, c / self.factor) for product, c in self.terms if product))

    @property
    def written(self) -> list[Any]:
        """The number as certificates hold it."""
        return [[format_rational(c), [part.written for part in product]] for product, c in self.terms]

    @property
    def ball(self) -> arb:
        """An enclosure, at the precision that is set."""
        total = arb(0)
        for product, c in self.terms:
            ball = ball_of(c)
            for part in product:
                ball *= part.ball
            total += ball
        return total

    def enclosed(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rationals around the number, at most 2^−bits apart."""

        def attempt() -> tuple[Fraction, Fraction] | None:
            ball = self.ball
            if not ball.is_finite():
                return None
            low, high = bounds(ball)
            return (low, high) if (high - low) * 2**bits <= 1 else None

        return refined(attempt, bits + 64)[0]

    @property
    def depth(self) -> int:
        """How deep numbers are nested in the denominators of this one: at least 1."""
        inside = (part.of for product, _ in self.terms for part in product)
        return 1 + max((of.depth for of in inside if isinstance(of, RealRate)), default=0)

    @property
    def is_positive(self) -> bool:
        """Whether the number is above 0; raises BadValue where 2,048 bits do not tell."""
        bits = 64
        while bits <= _MOST_BITS:
            low, high = self.enclosed(bits)
            if low > 0 or high < 0:
                return low > 0
            bits *= 2
        raise BadValue(
            f"{quoted(str(self))} is less than 2^-2000 from 0, so its sign is not known; write another number"
        )

    def __add__(self, other: RealRate) -> RealRate:
        found = dict(self.terms)
        for product, c in other.terms:
            found[product] = found.get(product, Fraction(0)) + c
        return RealRate.of(found)

    def __mul__(self, other: RealRate) -> RealRate:
        found: dict[Product, Fraction] = {}
        for product, c in self.terms:
            for second, d in other.terms:
                parts, factor = multiplied((*product, *second))
                found[parts] = found.get(parts, Fraction(0)) + c * d * factor
        return RealRate.of(found)

    def __neg__(self) -> RealRate:
        return self * rational_number(Fraction(-1))

    def __sub__(self, other: RealRate) -> RealRate:
        return self + -other

    def __truediv__(self, other: RealRate) -> RealRate:
        return self * other.inverse()

    def inverse(self) -> RealRate:
        """One divided by the number; raises ZeroDivisionError."""
        if not self.terms:
            raise ZeroDivisionError
        if self.depth > _MOST_DEPTH:
            raise BadValue("a rate divides by sums that are nested too deeply; write a simpler one")
        if len(self.terms) > 1:
            low, high = self.enclosed(_FAR)
            if low <= 0 <= high:
                raise BadValue(f"{quoted(str(self))} is a divisor, and may be 0; write another number")
            first = self.terms[0][1]
            inner = RealRate(tuple((product, c / first) for product, c in self.terms))
            return RealRate.of({(RatePart("inverse", inner),): 1 / first})
        (product, c), found = self.terms[0], rational_number(_ONE)
        for part in product:
            found *= _inverse(part)
        return found * rational_number(1 / c)

    def __str__(self) -> str:
        return self._text(_PLAIN)

    def __repr__(self) -> str:
        return f"<RealRate: {self}>"

    @property
    def shown(self) -> str:
        """The number for people, such as 2·ln 3."""
        return self._text(_FOR_PEOPLE)

    @property
    def times(self) -> str:
        """The same in front of a unit, such as 2·ln 3·; nothing for 1."""
        if self.rational == 1:
            return ""
        return f"({self.shown})·" if len(self.terms) > 1 else f"{self.shown}·"

    def _text(self, name: Mapping[str, str]) -> str:
        text = ""
        for product, c in sorted(self.terms, key=lambda term: bool(term[0])):
            size, factors = abs(c), [part.text(name) for part in product]
            if size != 1 or not product:
                number = format_rational(size)
                factors = [f"({number})" if "/" in number and product else number, *factors]
            sign = (" - " if c < 0 else " + ") if text else ("-" if c < 0 else "")
            text += sign + name["*"].join(factors)
        return text or "0"


def rational_number(c: Fraction) -> RealRate:
    """A rational as such a number."""
    return RealRate.of({(): c})


def part_of(kind: str, of: Fraction) -> RealRate:
    """A power of e, a logarithm or a root as such a number."""
    return RealRate.of({(RatePart(kind, of),): _ONE})


def multiplied(parts: Product) -> tuple[Product, Fraction]:
    """A product with at most one power of e and at most one root, and a rational."""
    exponent = sum((p.of for p in parts if p.kind == "exp" and isinstance(p.of, Fraction)), Fraction(0))
    root = _ONE
    for part in parts:
        root *= part.of if part.kind == "sqrt" and isinstance(part.of, Fraction) else 1
    found = [part for part in parts if part.kind in ("ln", "inverse")]
    if abs(exponent) > MOST_EXPONENT:
        raise BadValue(f"a power of e in a rate has an exponent beyond {MOST_EXPONENT}")
    if len(parts) > _MOST_TERMS:
        raise BadValue(f"a rate is a product of more than {_MOST_TERMS} numbers; write a simpler one")
    if exponent:
        found.append(RatePart("exp", exponent))
    square, rest = _without_squares(int(root))
    if rest >= 10**MOST_DIGITS:
        raise BadValue(f"a rate has a root of a number of more than {MOST_DIGITS} digits")
    if rest != 1:
        found.append(RatePart("sqrt", Fraction(rest)))
    return tuple(sorted(found, key=lambda part: _key((part,)))), Fraction(square)


def _inverse(part: RatePart) -> RealRate:
    if isinstance(part.of, RealRate):
        return part.of
    if part.kind == "exp":
        return part_of("exp", -part.of)
    if part.kind == "sqrt":
        return part_of("sqrt", part.of) * rational_number(1 / part.of)
    return RealRate.of({(RatePart("inverse", part_of(part.kind, part.of)),): _ONE})


def _without_squares(n: int) -> tuple[int, int]:
    """k and m with k²·m = n; m has no square of a small number as a factor, and is no square but 1."""
    k, root = 1, isqrt(n)
    if root * root == n:
        return root, 1
    for d in range(2, _LARGEST_SQUARE):
        while n % (d * d) == 0:
            n, k = n // (d * d), k * d
    root = isqrt(n)
    return (k * root, 1) if root * root == n else (k, n)


def logarithm(q: Fraction) -> RealRate:
    """ln q as a whole multiple of the logarithm of a number above 1, which is no power."""
    if q == 1:
        return rational_number(Fraction(0))
    sign, base = (1, q) if q > 1 else (-1, 1 / q)
    for k in range(base.numerator.bit_length(), 1, -1):
        above, below = _whole_root(base.numerator, k), _whole_root(base.denominator, k)
        if above is not None and below is not None:
            return part_of("ln", Fraction(above, below)) * rational_number(Fraction(sign * k))
    return part_of("ln", base) * rational_number(Fraction(sign))


def _whole_root(n: int, k: int) -> int | None:
    root = int(fmpz(n).root(k))
    return root if root**k == n else None
