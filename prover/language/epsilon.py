"""Noise and coins that depend on ε otherwise than by rates: texts that name epsilon, read at one ε.

Threshold programs have rates that are multiples of ε, and chains have numbers. At a given ε everything that
such a text says is a number: noise of scale ε has the rate 1/ε, which is 1/ε² times ε.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from prover.errors import BadInput, BadValue, quoted
from prover.exact.rational import parse_rational
from prover.language.errors import NeedsEpsilon, WrongCode
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Fail

EPSILON = "epsilon"
"""The name of ε, in texts and among the constants that are given."""

_LONGEST = 200
_NAMED = re.compile(rf"\b{EPSILON}\b")
_OPERATORS: Mapping[type[ast.operator], Any] = MappingProxyType(
    {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
)
_PROBLEM = "this depends on epsilon, but not by a rate, so it is answered at one epsilon only"
_GIVE_IT = (
    "give it: --at-epsilon 1/10 in prover privacy, delta, epsilon and curve, --const epsilon=1/10 elsewhere, "
    'epsilon="1/10" in Python'
)
RENAME = "a parameter is called epsilon, too; rename it"


@dataclass(slots=True)
class GivenEpsilon:
    """The ε at which texts are read that name it, if it is given, and whether there was one."""

    value: Fraction | None = None
    instead: str = _GIVE_IT
    used: bool = False


def names_epsilon(given: Any) -> bool:
    """Whether a value is a text that names epsilon.

    >>> names_epsilon("(1 - epsilon)/2"), names_epsilon("1/2")
    (True, False)
    """
    return isinstance(given, str) and _NAMED.search(given) is not None


def amount(given: Any, epsilon: Fraction, how: str = "") -> Any:
    """What a text says that names epsilon; other values as they are. Raises BadValue, BeyondLimit.

    Such a text is the number itself. A "rate" is returned as a multiple of ε, a "scale" as one of 1/ε.

        >>> amount("epsilon", Fraction(1, 10), "scale"), amount("(1 - epsilon)/2", Fraction(1, 10))
        (Fraction(1, 100), Fraction(9, 20))
    """
    if not names_epsilon(given):
        return given
    text = given.strip()
    try:
        if len(text) > _LONGEST:
            raise ValueError
        number = _value(ast.parse(text, mode="eval").body, text, epsilon)
    except (SyntaxError, ValueError):
        raise BadValue(
            f"{quoted(given)} is no number; write epsilon and numbers with +, -, *, / and parentheses, such "
            'as "(1 - epsilon)/2"'
        ) from None
    except ZeroDivisionError:
        raise BadValue(f"{quoted(given)} divides by 0 at this epsilon") from None
    return number / epsilon if how == "rate" else number * epsilon if how == "scale" else number


def _value(node: ast.expr, text: str, epsilon: Fraction) -> Fraction:
    match node:
        case ast.Name(id=name) if name == EPSILON:
            return epsilon
        case ast.Constant(value=int() | float()):
            return parse_rational(ast.get_source_segment(text, node) or "")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, text, epsilon)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            function = _OPERATORS[type(op)]
            return Fraction(function(_value(left, text, epsilon), _value(right, text, epsilon)))
    raise ValueError


def numbers(code: Code, step: Instruction, given: tuple[Any, ...], fail: Fail) -> tuple[Any, ...]:
    """The arguments of an instruction, with numbers for texts that name epsilon where it draws.

    Raises NeedsEpsilon where no ε is given, and WrongCode.
    """
    first = int(step.operation in ("draw", "choose"))  # the center, or the values
    if step.operation not in ("draw", "flip", "choose", "count"):
        return given
    every = [part for one in given[first:] for part in (one if isinstance(one, tuple) else (one,))]
    if not any(map(names_epsilon, every)):
        return given
    known: GivenEpsilon = code.settings[EPSILON]
    if known.value is None:
        raise fail(NeedsEpsilon, step.place, _PROBLEM, known.instead)
    known.used, at = True, known.value
    how = step.data[1] if step.operation == "draw" else ""

    def read(one: Any) -> Any:
        return tuple(map(read, one)) if isinstance(one, tuple) else amount(one, at, how)

    try:
        return (*given[:first], *map(read, given[first:]))
    except BadInput as error:
        raise fail(WrongCode, step.place, error.message, "") from None
