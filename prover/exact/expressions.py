"""Numbers that are written with names, such as ``(1 - t)/6``: values, and affine functions of one name."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeVar

from prover.errors import BadInput, BadValue, quoted
from prover.exact.rational import EXAMPLES, format_rational, parse_rational

_LONGEST = 200
_PARAMETER = re.compile(r"\b(?!(?:epsilon|inf)\b)[^\W\d]\w*")
OPERATORS: Mapping[type[ast.operator], Any] = MappingProxyType(
    {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
)
"""What +, -, *, / stand for."""

T = TypeVar("T")


def evaluated(text: str, names: Mapping[str, T], number: Callable[[Fraction], T]) -> T:
    """What numbers and names with +, -, *, / and parentheses make; ``number`` is what a number stands for.

    Raises ValueError for other texts, ZeroDivisionError, and what ``parse_rational`` raises.

        >>> evaluated("(1 - t)/6", {"t": Fraction(1, 2)}, Fraction)
        Fraction(1, 12)
    """
    text = text.strip()
    if len(text) > _LONGEST:
        raise ValueError
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        raise ValueError from None

    def value(node: ast.expr) -> T:
        match node:
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Constant(value=int() | float()):
                return number(parse_rational(ast.get_source_segment(text, node) or ""))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                negative: T = operator.sub(number(Fraction(0)), value(operand))
                return negative
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                made: T = OPERATORS[type(op)](value(left), value(right))
                return made
        raise ValueError

    return value(tree)


@dataclass(frozen=True, slots=True)
class Affine:
    """The function ``constant`` + ``slope``·t of a parameter t."""

    constant: Fraction
    slope: Fraction = Fraction(0)

    @classmethod
    def through(cls, low: Fraction, first: Fraction, high: Fraction, last: Fraction) -> Affine:
        """The function with two values at two different places."""
        slope = (last - first) / (high - low)
        return cls(first - slope * low, slope)

    def __add__(self, other: Affine) -> Affine:
        return Affine(self.constant + other.constant, self.slope + other.slope)

    def __sub__(self, other: Affine) -> Affine:
        return Affine(self.constant - other.constant, self.slope - other.slope)

    def __mul__(self, other: Affine) -> Affine:
        if self.slope and other.slope:
            raise ValueError
        slope = self.slope * other.constant + self.constant * other.slope
        return Affine(self.constant * other.constant, slope)

    def __truediv__(self, other: Affine) -> Affine:
        if other.slope:
            raise ValueError
        return Affine(self.constant / other.constant, self.slope / other.constant)

    def at(self, value: Fraction) -> Fraction:
        """The value at a value of the parameter."""
        return self.constant + self.slope * value

    def text(self, parameter: str, times: str = "*") -> str:
        """The function as it is written, such as ``5 - 4*t``.

        >>> Affine(Fraction(5), Fraction(-4)).text("t"), Affine(Fraction(0), Fraction(1, 2)).text("t")
        ('5 - 4*t', '(1/2)*t')
        """
        size, number = abs(self.slope), format_rational(abs(self.slope))
        if not size:
            return format_rational(self.constant)
        factor = "" if size == 1 else f"{number}{times}" if size.denominator == 1 else f"({number}){times}"
        if not self.constant:
            return f"{'-' if self.slope < 0 else ''}{factor}{parameter}"
        sign = "-" if self.slope < 0 else "+"
        return f"{format_rational(self.constant)} {sign} {factor}{parameter}"


def affine(text: str, parameter: str, what: str = "rate") -> Affine:
    """The affine function of a parameter that a text writes. Raises BadValue, BeyondLimit; ``what`` it is.

    >>> affine("(1 - t)/6", "t")
    Affine(constant=Fraction(1, 6), slope=Fraction(-1, 6))
    """
    try:
        return evaluated(text, {parameter: Affine(Fraction(0), Fraction(1))}, Affine)
    except BadValue:
        raise
    except (ValueError, ZeroDivisionError):
        raise BadValue(
            f"{quoted(text)} is no {what} that is affine in {parameter}; write numbers and {parameter} with "
            f'+, -, *, / and parentheses, such as "(1 - {parameter})/6"',
            code="not-affine",
        ) from None


def names_parameter(text: str, parameter: str) -> bool:
    """Whether a parameter is among the words of a text."""
    return parameter in re.findall(r"\w+", text)


def positive_at(text: str, parameter: str, value: Fraction, what: str = "rate") -> Fraction:
    """What an affine function, a rate or a sensitivity, is at a value of its parameter.

    Raises BadValue, where it is not positive, too, and BeyondLimit.

        >>> positive_at("(1 - t)/6", "t", Fraction(1, 2))
        Fraction(1, 12)
    """
    number = affine(text, parameter, what).at(value)
    if number <= 0:
        raise BadValue(
            f"{what} {quoted(text)} is {format_rational(number)} at {parameter} = {format_rational(value)}, "
            "which is not positive",
            code=f"{what}-not-positive",
        )
    return number


def named_parameter(text: str) -> str | None:
    """The name in a text that is affine in a parameter; None for other texts.

    >>> named_parameter("(1 - t)/6"), named_parameter("1/6"), named_parameter("t*t")
    ('t', None, None)
    """
    named = _PARAMETER.search(text)
    if named is None:
        return None
    try:
        affine(text, named[0])
    except BadInput:
        return None
    return named[0]


def refuse_parameter(text: str, what: str = "rate") -> None:
    """Raise BadValue if a text is a rate that is affine in a parameter: it says how to leave that open."""
    name = named_parameter(text)
    if name is not None:
        raise BadValue(
            f"this {what} names {name}, which is no number; write numbers, such as {EXAMPLES}; or leave it "
            f"open: prover privacy --open {name}=1/10:9/10",
            code="open-parameter",
        )
