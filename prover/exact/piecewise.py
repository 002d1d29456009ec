"""Piecewise exponential polynomials of one variable: products, powers and integrals, all exact.

Between neighbours of a few points p_1 < … < p_m a function is Σ a · u^k · e^(c·u), with k ≥ 0 and c rational.
The points are rationals times ε, and so the coefficients a are exponential sums in ε; for a concrete ε they
can be balls instead. Both are *numbers* here: the algebra is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Generic, Protocol, Self, TypeVar

from flint import arb, fmpq

from prover.exact.ball import ball_of
from prover.exact.exponential_sum import ExponentialSum
from prover.exact.fmpq import fmpq_of

MOST_OPERATIONS = 1_000_000
"""The most operations on terms that a calculation may take."""


class TooManyTerms(ArithmeticError):
    """The functions of a calculation have more terms than can be worked with."""


class Allowance:
    """How many operations on terms a calculation may still take."""

    def __init__(self, most: int | None = None) -> None:
        self._most = self._left = MOST_OPERATIONS if most is None else most

    def take(self, operations: int) -> None:
        """Raises TooManyTerms if there are not that many left."""
        self._left -= operations
        if self._left < 0:
            raise TooManyTerms(f"more than {self._most:,} operations on terms")


class Ring(Protocol):
    """What coefficients can do."""

    def __add__(self, other: Self, /) -> Self: ...

    def __mul__(self, other: Self | fmpq, /) -> Self: ...


R = TypeVar("R", bound=Ring)
R_co = TypeVar("R_co", bound=Ring, covariant=True)


class TermNumbers(Protocol[R_co]):
    """How coefficients are made: rationals, e^(exponent·ε/denominator), and (position·ε)^power."""

    def rational(self, number: fmpq) -> R_co: ...

    def exponential(self, exponent: int) -> R_co: ...

    def power(self, position: Fraction, power: int) -> R_co: ...


@dataclass(frozen=True, slots=True)
class Formal:
    """Coefficients for all ε at once: exponential sums."""

    denominator: int

    def rational(self, number: fmpq) -> ExponentialSum:
        return ExponentialSum(self.denominator, {(0, 0): number} if number != 0 else {})

    def exponential(self, exponent: int) -> ExponentialSum:
        return ExponentialSum(self.denominator, {(0, exponent): fmpq(1)})

    def power(self, position: Fraction, power: int) -> ExponentialSum:
        value = position**power
        numbers = {(power, 0): fmpq_of(value)} if value else {}
        return ExponentialSum(self.denominator, numbers)


@dataclass(frozen=True, slots=True)
class Concrete:
    """Coefficients for one ε: balls, at the precision that is set."""

    denominator: int
    epsilon: Fraction
    known: dict[int, arb] = field(default_factory=dict, repr=False, compare=False)
    powers: dict[tuple[Fraction, int], arb] = field(default_factory=dict, repr=False, compare=False)

    def rational(self, number: fmpq) -> arb:
        return arb(number)

    def exponential(self, exponent: int) -> arb:
        found = self.known.get(exponent)
        if found is None:
            found = self.known[exponent] = ball_of(self.epsilon * Fraction(exponent, self.denominator)).exp()
        return found

    def power(self, position: Fraction, power: int) -> arb:
        found = self.powers.get((position, power))
        if found is None:
            found = self.powers[position, power] = ball_of(self.epsilon * position) ** power
        return found


Terms = dict[tuple[int, int], R]
"""(k, c) ↦ a stands for Σ a · u^k · e^(c/rates · u); no terms are the function 0."""
Pieces = list[Terms[R]]
"""The terms left of all points, between each two neighbours, and right of all."""


@dataclass(frozen=True, slots=True)
class TermScale:
    """The points in increasing order, as multiples of 1/``grid`` and of ε, and what rates are multiples of.

    All rates are multiples of 1/``rates``; so exponents c·p·ε are multiples of ε/``denominator``.
    """

    points: tuple[int, ...]
    grid: int
    rates: int

    @staticmethod
    def of(positions: Sequence[Fraction], rates: Sequence[Fraction]) -> TermScale:
        """The scale of these points and rates."""
        grid = lcm(*(p.denominator for p in positions))
        points = sorted({int(p * grid) for p in positions})
        return TermScale(tuple(points), grid, lcm(*(rate.denominator for rate in rates)))

    @property
    def denominator(self) -> int:
        return self.grid * self.rates

    def place(self, position: Fraction) -> int:
        """The number of the piece on the left of a point."""
        return self.points.index(int(position * self.grid))


@dataclass(frozen=True, slots=True)
class Calculus(Generic[R]):
    """Piecewise functions of u = ε·x over the points of a scale, which are multiples of ε."""

    scale: TermScale
    numbers: TermNumbers[R]
    allowance: Allowance = field(default_factory=Allowance, repr=False, compare=False)
    shares: dict[tuple[int, tuple[int, int]], R | None] = field(
        default_factory=dict, repr=False, compare=False
    )
    """Integrals of single terms with coefficient 1 over single pieces, which many totals need."""

    def one(self) -> Pieces[R]:
        """The function 1."""
        return [{(0, 0): self.numbers.rational(fmpq(1))} for _ in range(len(self.scale.points) + 1)]

    def laplace(self, center: Fraction, left: Fraction | None, right: Fraction | None) -> Pieces[R]:
        """The density, in multiples of total 1, of e^(−rate·|u − center·ε|) with a rate on each side.

        The center is one of the points. A rate that is None is infinite, and the density 0 on that side; one
        of the two is finite.
        """
        place = self.scale.place(center)
        mean = sum(1 / rate for rate in (left, right) if rate is not None)
        height = fmpq_of(1 / Fraction(mean))
        point = self.scale.points[place]

        def side(rate: Fraction | None, sign: int) -> Terms[R]:
            if rate is None:
                return {}
            slope = sign * int(rate * self.scale.rates)
            return {(0, slope): self.numbers.exponential(-slope * point) * height}

        sides = side(left, 1), side(right, -1)
        return [dict(sides[piece > place]) for piece in range(len(self.scale.points) + 1)]

    def within(self, function: Pieces[R], low: Fraction | None, high: Fraction | None) -> Pieces[R]:
        """The function between two of the points, 0 elsewhere; a side without a point is not cut."""
        first = 0 if low is None else self.scale.place(low) + 1
        last = len(function) if high is None else self.scale.place(high) + 1
        return [terms if first <= piece < last else {} for piece, terms in enumerate(function)]

    def product(self, first: Pieces[R], second: Pieces[R]) -> Pieces[R]:
        """The product of two functions. Raises TooManyTerms."""
        self.allowance.take(sum(len(one) * len(other) for one, other in zip(first, second, strict=True)))
        return [_product(one, other) for one, other in zip(first, second, strict=True)]

    def sum(self, first: Pieces[R], second: Pieces[R]) -> Pieces[R]:
        """The sum of two functions. Raises TooManyTerms."""
        self.allowance.take(sum(map(len, second)))
        answer = [dict(terms) for terms in first]
        for terms, more in zip(answer, second, strict=True):
            for key, coefficient in more.items():
                _put(terms, key, coefficient)
        return answer

    def scaled(self, function: Pieces[R], factor: fmpq) -> Pieces[R]:
        """A multiple of a function."""
        return [{key: coefficient * factor for key, coefficient in terms.items()} for terms in function]

    def to_power(self, function: Pieces[R], exponent: int) -> Pieces[R]:
        """A power of a function, exponent ≥ 1. Raises TooManyTerms."""
        if exponent == 1:
            return function
        half = self.to_power(function, exponent // 2)
        square = self.product(half, half)
        return self.product(square, function) if exponent % 2 else square

    def below(self, function: Pieces[R]) -> Pieces[R]:
        """u ↦ ∫ of the function from −∞ to u. On the left of all points it must fall off towards −∞."""
        answer: Pieces[R] = []
        carried: R | None = None
        for piece, terms in enumerate(function):
            primitive = self._primitive(terms, fmpq(1))
            if piece:
                _add(primitive, carried, self._value(primitive, piece - 1), fmpq(-1))
            answer.append(primitive)
            if piece < len(self.scale.points):
                carried = self._value(primitive, piece)
        return answer

    def above(self, function: Pieces[R]) -> Pieces[R]:
        """u ↦ ∫ of the function from u to ∞. On the right of all points it must fall off towards ∞."""
        answer: Pieces[R] = []
        carried: R | None = None
        for piece in range(len(function) - 1, -1, -1):
            primitive = self._primitive(function[piece], fmpq(-1))
            if piece < len(self.scale.points):
                _add(primitive, carried, self._value(primitive, piece), fmpq(-1))
            answer.append(primitive)
            if piece:
                carried = self._value(primitive, piece - 1)
        return answer[::-1]

    def total(self, function: Pieces[R]) -> Pieces[R]:
        """The constant ∫ of the function from −∞ to ∞; it must fall off towards both."""
        value: R | None = None
        for piece, terms in enumerate(function):
            self.allowance.take(len(terms))
            for key, coefficient in terms.items():
                share = self._share(piece, key)
                if share is not None:
                    value = coefficient * share if value is None else value + coefficient * share
        return [{} if value is None else {(0, 0): value} for _ in function]

    def at(self, function: Pieces[R], position: Fraction) -> Pieces[R]:
        """The constant value at one of the points, from the left."""
        place = self.scale.place(position)
        value = self._value(function[place], place)
        return [{} if value is None else {(0, 0): value} for _ in function]

    def constant(self, function: Pieces[R]) -> R:
        """The number that a constant function is everywhere."""
        value = function[0].get((0, 0))
        return self.numbers.rational(fmpq(0)) if value is None else value

    def _share(self, piece: int, key: tuple[int, int]) -> R | None:
        """∫ of u^k·e^(cu) over a piece; None is 0."""
        if (piece, key) not in self.shares:
            primitive = self._primitive({key: self.numbers.rational(fmpq(1))}, fmpq(1))
            high = None if piece == len(self.scale.points) else self._value(primitive, piece)
            low = self._value(primitive, piece - 1) if piece else None
            below = None if low is None else low * fmpq(-1)
            self.shares[piece, key] = high if below is None else below if high is None else high + below
        return self.shares[piece, key]

    def _primitive(self, terms: Terms[R], factor: fmpq) -> Terms[R]:
        """A primitive times the factor.

        That of P(u)·e^(cu), where c ≠ 0 and P is a polynomial, is Q(u)·e^(cu) with Q' + c·Q = P, so the
        coefficients q_k = (p_k − (k+1)·q_(k+1)) / c follow one from the other, the highest first.
        """
        self.allowance.take(4 * len(terms))  # for the values at both ends, too
        found: Terms[R] = {}
        highest: dict[int, int] = {}
        for power, slope in terms:
            highest[slope] = max(power, highest.get(slope, 0))
        for slope, degree in highest.items():
            unit = fmpq(self.scale.rates, slope) if slope else fmpq(0)
            last: R | None = None
            for power in range(degree, -1, -1):
                coefficient = terms.get((power, slope))
                if not slope:
                    if coefficient is not None:
                        found[power + 1, 0] = coefficient * (factor / (power + 1))
                    continue
                if last is not None:
                    last = last * (-unit * (power + 1))
                if coefficient is not None:
                    own = coefficient * (unit * factor)
                    last = own if last is None else own + last
                if last is not None:
                    found[power, slope] = last
        return found

    def _value(self, terms: Terms[R], place: int) -> R | None:
        """The value of terms at a point; None is 0."""
        point = self.scale.points[place]
        value: R | None = None
        for (power, slope), coefficient in terms.items():
            part = coefficient
            if slope and point:
                part = part * self.numbers.exponential(slope * point)
            if power:
                if not point:
                    continue
                part = part * self.numbers.power(Fraction(point, self.scale.grid), power)
            value = part if value is None else value + part
        return value


def _put(terms: Terms[R], key: tuple[int, int], coefficient: R) -> None:
    before = terms.get(key)
    terms[key] = coefficient if before is None else before + coefficient


def _add(terms: Terms[R], constant: R | None, other: R | None, factor: fmpq) -> None:
    """Add constant + factor·other to the terms."""
    if constant is not None:
        _put(terms, (0, 0), constant)
    if other is not None:
        _put(terms, (0, 0), other * factor)


def _product(one: Terms[R], other: Terms[R]) -> Terms[R]:
    found: Terms[R] = {}
    for (power, slope), first in one.items():
        for (more, further), second in other.items():
            key, part = (power + more, slope + further), first * second
            found[key] = found[key] + part if key in found else part
    return found
