"""Reading the texts of rates that are real numbers, such as ``2*ln 3`` (docs/real_rates.md)."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from prover.errors import BadValue, quoted
from prover.exact.expressions import OPERATORS, refuse_parameter
from prover.exact.rational import parse_rational
from prover.exact.real_rate import (
    MOST_DIGITS,
    MOST_EXPONENT,
    RatePart,
    RealRate,
    logarithm,
    multiplied,
    part_of,
    rational_number,
)

_LONGEST = 200
_NAMES = re.compile(r"\b(?:e|ln|sqrt)\b")
_BARE = re.compile(r"\b(ln|sqrt)\s+([0-9]+(?:\.[0-9]+)?)")
_FORM = 'write numbers, ln 3, sqrt(2) and e^(-1/2) with +, -, *, / and parentheses, such as "2*ln 3"'

NEEDS_REAL_RATES = "needs-real-rates"
"""The code of the error that a rate is a real number where a rational is needed."""


def names_real(text: str) -> bool:
    """Whether a text names e, ln or sqrt, so that it may write a real number.

    >>> names_real("2*ln 3"), names_real("1e-5")
    (True, False)
    """
    return _NAMES.search(text) is not None


def real_rate(text: str) -> RealRate:
    """The number that a text writes with numbers, ln, sqrt, e^(…), +, -, *, / and parentheses.

        >>> real_rate("ln 9/sqrt(2)"), real_rate("e*e^(-1/2)"), real_rate("1/ln(1/3)")
        (<RealRate: ln(3)*sqrt(2)>, <RealRate: e^(1/2)>, <RealRate: -1/(ln(3))>)

    Raises BadValue, BeyondLimit.
    """
    try:
        if len(text) > _LONGEST:
            raise ValueError
        spelt = _BARE.sub(r"\1(\2)", text.strip()).replace("^", "**")
        return _value(ast.parse(spelt, mode="eval").body, spelt)
    except BadValue:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadValue(f"{quoted(text)} is no rate; {_FORM}", code="not-a-real") from None
    except ZeroDivisionError:
        raise BadValue(f"{quoted(text)} divides by 0") from None


def _value(node: ast.expr, text: str) -> RealRate:
    match node:
        case ast.Name(id="e"):
            return part_of("exp", Fraction(1))
        case ast.Constant(value=int() | float()):
            return rational_number(parse_rational(ast.get_source_segment(text, node) or ""))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text)
        case ast.Call(func=ast.Name(id="ln" | "sqrt" as name), args=[argument], keywords=[]):
            return _of_rational(name, _rational(argument, text), text)
        case ast.BinOp(left=ast.Name(id="e"), op=ast.Pow(), right=right):
            exponent = _rational(right, text)
            if abs(exponent) > MOST_EXPONENT:
                raise BadValue(f"an exponent of {quoted(text)} is beyond {MOST_EXPONENT}")
            return part_of("exp", exponent) if exponent else rational_number(Fraction(1))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            made: RealRate = OPERATORS[type(op)](_value(left, text), _value(right, text))
            return made
    raise ValueError


def _rational(node: ast.expr, text: str) -> Fraction:
    found = _value(node, text).rational
    if found is None:
        raise ValueError
    return found


def _of_rational(name: str, q: Fraction, text: str) -> RealRate:
    if q <= 0:
        raise BadValue(f"{quoted(text)} has {name} of a number that is not above 0")
    if max(q.numerator, q.denominator) >= 10**MOST_DIGITS:
        raise BadValue(f"{quoted(text)} has {name} of a number of more than {MOST_DIGITS} digits")
    if name == "ln":
        return logarithm(q)
    product, factor = multiplied((RatePart("sqrt", Fraction(q.numerator * q.denominator)),))
    return RealRate.of({product: factor / q.denominator})


def rational_rate(text: str) -> Fraction:
    """The rational that the text of a rate writes, perhaps with real numbers.

        >>> rational_rate("sqrt(4)/3")
        Fraction(2, 3)

    Raises BadValue, which says what to do where the rate is no rational or names a parameter, BeyondLimit.
    """
    if not names_real(text):
        refuse_parameter(text)
        return parse_rational(text)
    number = real_rate(text)
    if number.rational is None:
        raise BadValue(
            f"the rate {number} is no rational number; prover privacy without --open, and prover check, "
            "answer about such rates, and everything else needs rational ones",
            code=NEEDS_REAL_RATES,
        )
    return number.rational
