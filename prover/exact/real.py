"""Real numbers that e, rationals and the four operations make: exactly, and between rationals.

Since e^(1/n) is transcendental, such a number is a rational function of it, and two of them are equal only if
they are the same function. So equality is decided, and a number that is no rational is not near to one: its
enclosures get as narrow as one likes around a place that is no rational.

Reference: docs/theory.md, *Real probabilities*.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from types import MappingProxyType
from typing import Any

from flint import fmpq

from prover.errors import BadValue, quoted
from prover.exact.ball import bounds, refined
from prover.exact.exponential_sum import ExponentialSum
from prover.exact.expressions import OPERATORS
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.given import given_rational
from prover.exact.rational import MAX_DIGITS, format_rational, parse_rational

_ONE = ExponentialSum.rational(1)
_E = "e"
_MOST_TERMS = 200
_MOST_POWER = 1_000
_LONGEST = 20_000
_MOST_BITS = 3 * MAX_DIGITS
_AT_ONE = Fraction(1)
_NO_NAMES: Mapping[str, Fraction] = MappingProxyType({})
_WORD = re.compile(r"\be\b")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Real:
    """``above`` / ``below``, two sums of rational · e^rational at ε = 1. Made by ``real_number``.

    Rationals have other types: the operations with these, and with one another, return a number of FLINT
    where the result is rational.
    """

    above: ExponentialSum
    below: ExponentialSum = _ONE

    def __add__(self, other: Any) -> Any:
        one = _real(other)
        if self.below == one.below:
            return _ratio(self.above + one.above, self.below)
        return _ratio(self.above * one.below + one.above * self.below, self.below * one.below)

    def __neg__(self) -> Any:
        return _ratio(self.above * fmpq(-1), self.below)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        one = _real(other)
        return _ratio(self.above * one.above, self.below * one.below)

    def __truediv__(self, other: Any) -> Any:
        one = _real(other)
        return _ratio(self.above * one.below, self.below * one.above)

    def __rtruediv__(self, other: Any) -> Any:
        return _real(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Real) and self.above * other.below == other.above * self.below

    def __hash__(self) -> int:
        return 0  # equal numbers may be written differently

    def __lt__(self, other: Any) -> bool:
        return self.floor_of(other) < 0

    def __gt__(self, other: Any) -> bool:
        return not self < other

    __le__, __ge__ = __lt__, __gt__

    def __float__(self) -> float:
        low, _ = self.enclosed(64)
        return float(low)

    def __str__(self) -> str:
        top, bottom = (re.sub("·ε", "", str(one)).replace("·", "*") for one in (self.above, self.below))
        return top if self.below == _ONE else f"({top})/({bottom})"

    def __repr__(self) -> str:
        return f"<Real: {self}>"

    def floor_of(self, other: Any) -> int:
        """The largest whole number that this number minus a rational is not below."""
        apart = self - other

        def attempt() -> int | None:
            ball = apart.above.at(_AT_ONE) / apart.below.at(_AT_ONE)
            if not ball.is_finite():
                return None
            low, high = map(floor, bounds(ball))
            return low if low == high else None

        return refined(attempt)[0]

    def parts(self) -> tuple[ExponentialSum, ExponentialSum]:
        """``above`` and ``below``, or both with other signs: the second is above 0."""

        def attempt() -> bool | None:
            low, high = bounds(self.below.at(_AT_ONE))
            return low > 0 if low > 0 or high < 0 else None

        sign = fmpq(1 if refined(attempt)[0] else -1)
        return self.above * sign, self.below * sign

    def enclosed(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rationals around the number, at most 2^−bits apart."""

        def attempt() -> tuple[Fraction, Fraction] | None:
            ball = self.above.at(_AT_ONE) / self.below.at(_AT_ONE)
            if not ball.is_finite():
                return None
            low, high = bounds(ball)
            return (low, high) if (high - low) * 2**bits <= 1 else None

        return refined(attempt, bits + 64)[0]


Exact = Fraction | Real
"""A number that is given: rational, or not."""


def _real(number: Any) -> Real:
    if isinstance(number, Real):
        return number
    found = number if isinstance(number, fmpq) else fmpq_of(Fraction(number))
    return Real(_ONE * found)


def _ratio(above: ExponentialSum, below: ExponentialSum) -> Real | fmpq:
    """A quotient, the term of ``below`` with the largest exponent made 1; raises ZeroDivisionError."""
    if not below:
        raise ZeroDivisionError
    if not above:
        return fmpq(0)
    if max(len(above.numbers), len(below.numbers)) > _MOST_TERMS:
        raise BadValue(f"a number is a sum of more than {_MOST_TERMS} powers of e; write a simpler one")
    if max(c.height_bits() for one in (above, below) for c in one.numbers.values()) > _MOST_BITS:
        raise BadValue(f"a number has a factor of more than {MAX_DIGITS:,} digits; write a shorter one")
    coefficient, _, exponent = below.terms[0]
    unit = _power(-exponent) * fmpq_of(1 / coefficient)
    above, below = above * unit, below * unit
    first, _, shift = above.terms[0]
    if shift == 0 and above == below * fmpq_of(first):
        return fmpq_of(first)
    return Real(above, below)


def _power(exponent: Fraction) -> ExponentialSum:
    return ExponentialSum(exponent.denominator, {(0, exponent.numerator): fmpq(1)})


def is_real(text: str) -> bool:
    """Whether a text names e, so that it may be the text of a number that is no rational."""
    return _WORD.search(text) is not None


def real_number(text: str, names: Mapping[str, Fraction] = _NO_NAMES) -> Exact:
    """The number that a text writes with numbers, e^(…) of a rational, names, +, -, *, /, ^ and parentheses.

        >>> real_number("1 - e^(-1/2)"), real_number("(e - e^2)/(1 - e)/e")
        (<Real: 1 - 1*e^(-1/2)>, Fraction(1, 1))
        >>> real_number("x/(1 + x)", {"x": Fraction(1, 2)})
        Fraction(1, 3)

    Raises BadValue, BeyondLimit.
    """
    written = text.strip()
    try:
        if len(written) > _LONGEST:
            raise ValueError
        spelt = written.replace("^", "**")
        found = _value(ast.parse(spelt, mode="eval").body, spelt, names)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        known = "".join(f"{name}, " for name in names)
        raise BadValue(
            f"{quoted(text)} is no number; write {known}numbers and e^(rational) with +, -, *, / and "
            'parentheses, such as "1/(1 + e^(-1/2))"'
        ) from None
    except ZeroDivisionError:
        raise BadValue(f"{quoted(text)} divides by 0") from None
    return fraction_of(found) if isinstance(found, fmpq) else found


def _value(node: ast.expr, text: str, names: Mapping[str, Fraction]) -> Real | fmpq:
    match node:
        case ast.Name(id=name) if name in names:
            return fmpq_of(names[name])
        case ast.Name(id=name) if name == _E:
            return Real(_power(Fraction(1)))
        case ast.Constant(value=int() | float()):
            return fmpq_of(parse_rational(ast.get_source_segment(text, node) or ""))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text, names)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            return _raised(_value(left, text, names), _value(right, text, names))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            made: Real | fmpq = OPERATORS[type(op)](_value(left, text, names), _value(right, text, names))
            return made
    raise ValueError


def _raised(base: Real | fmpq, exponent: Real | fmpq) -> Real | fmpq:
    """A power: of e with a rational exponent, of other numbers with a whole one."""
    if isinstance(exponent, Real):
        raise ValueError
    power = fraction_of(exponent)
    if abs(power) > _MOST_POWER:
        raise BadValue(f"an exponent is {format_rational(power)}; at most {_MOST_POWER} is read")
    if isinstance(base, Real) and base == Real(_power(Fraction(1))):
        return Real(_power(power)) if power else fmpq(1)
    if power.denominator != 1:
        raise ValueError
    if isinstance(base, fmpq):
        if base.height_bits() * abs(int(power)) > _MOST_BITS:
            raise BadValue(f"a power has more than {MAX_DIGITS:,} digits")
        return base ** int(power)
    found: Real | fmpq = fmpq(1)
    for _ in range(abs(int(power))):
        found = found * base
    return found if power >= 0 else 1 / found


def given_number(
    given: object,
    what: str,
    *,
    at_least: int | None = None,
    more_than: int | None = None,
    at_most: int | None = None,
) -> Exact:
    """The number that was given for what ``what`` names: a rational, or the text of a real number.

    Raises BadValue, BeyondLimit.
    """
    number = given
    if isinstance(given, str) and is_real(given):
        number = real_number(given)
    if not isinstance(number, Real):
        return given_rational(number, what, at_least=at_least, more_than=more_than, at_most=at_most)
    least = at_least if at_least is not None else more_than
    if (least is not None and number < least) or (at_most is not None and number > at_most):
        side = f"at least {least}" if least is not None and number < least else f"at most {at_most}"
        raise BadValue(f"{what} must be {side}, not {number}")
    return number


def whole_part(number: Exact) -> int:
    """The largest whole number that is not above a number.

    >>> whole_part(real_number("100*e^(-1/2)"))
    60
    """
    return number.floor_of(0) if isinstance(number, Real) else floor(number)
