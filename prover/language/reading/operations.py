"""Operations on constants: what Python computes, exactly and within bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from prover.errors import BadInput, did_you_mean, quoted
from prover.exact.real import real_number, whole_part
from prover.language.values import (
    Difference,
    Enumeration,
    EnumMember,
    Query,
    Record,
    Sample,
    described,
    frozen,
    is_constant,
    items_of,
    number_in,
)

MOST_BITS = 100_000
MOST_ITEMS = 100_000
"""How large numbers, texts and tuples may become."""


class CannotCompute(Exception):
    """An operation on constants that has no result; the message says why."""


def apply(name: str, values: tuple[Any, ...]) -> Any:
    """The result of an operation on constants; raises CannotCompute."""
    for value in values:
        if not is_constant(value) and name not in _ANYTHING:
            raise CannotCompute(_useless(value))
    try:
        result = _OPERATIONS[name](*values)
    except (TypeError, ValueError, ZeroDivisionError, IndexError, OverflowError) as error:
        raise CannotCompute(_no_number(values) or str(error)) from None
    return _bounded(result)


def _no_number(values: tuple[Any, ...]) -> str | None:
    """What to say of a text among numbers that looks like one of them."""
    for value in values:
        number = number_in(value) if isinstance(value, str) else None
        if number is not None:
            return f"{quoted(value)} is a string, not a number: write {str(number).replace('/', ' / ')}"
    return None


def compare(relation: str, left: Any, right: Any) -> bool:
    """A comparison of constants, by Python's rules; raises CannotCompute."""
    _demand_kinds(left, (items_of(right) or ()) if relation in ("in", "not in") else (right,))
    try:
        return bool(_RELATIONS[relation](left, right))
    except TypeError as error:
        raise CannotCompute(_no_number((left, right)) or str(error)) from None


def _demand_kinds(left: Any, others: Iterable[Any]) -> None:
    """A fraction and a text of a number are not compared: they are never equal, though they look so."""
    for right in others:
        for number, text in ((left, right), (right, left)):
            if isinstance(number, Fraction) and isinstance(text, str) and number_in(text) is not None:
                problem = "is a string that is compared with a number; parameters of the type str are strings"
                raise CannotCompute(f"{quoted(text)} {problem}")


def truth(value: Any) -> bool:
    """Whether a constant counts as true; raises CannotCompute for what is drawn or private."""
    if not is_constant(value) and not isinstance(value, tuple):
        raise CannotCompute(f"{described(value)} is neither true nor false")
    return True if isinstance(value, EnumMember | Enumeration) else bool(value)


def _useless(value: Any) -> str:
    """Why what is private or drawn is no operand."""
    if isinstance(value, Query):
        return (
            "private queries can be added, subtracted, compared and seen, and nothing else; in place of"
            " noise of some rate on c times a query, draw noise of c times that rate on the query itself"
        )
    if isinstance(value, Sample | Difference):
        return "a drawn number can only be compared, seen, or shifted by a public number"
    return f"{described(value)} cannot be used here"


def _bounded(value: Any) -> Any:
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        size = max(Fraction(value).numerator.bit_length(), Fraction(value).denominator.bit_length())
        if size > MOST_BITS:
            raise CannotCompute(f"the number is too large, more than {MOST_BITS:,} bits")
    if isinstance(value, str | tuple) and len(value) > MOST_ITEMS:
        raise CannotCompute(f"this has more than {MOST_ITEMS:,} items")
    return value


def _arithmetic(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def computed(left: Any, right: Any) -> Any:
        for value, other in ((left, right), (right, left)):
            if isinstance(value, str | tuple) and isinstance(other, int) and other * len(value) > MOST_ITEMS:
                raise CannotCompute(f"this has more than {MOST_ITEMS:,} items")
            if isinstance(value, EnumMember):
                raise CannotCompute("members of enumerations are not numbers")
        return function(left, right)

    return computed


def _power(base: Any, exponent: Any) -> Any:
    number = Fraction(base)
    size = max(number.numerator.bit_length(), number.denominator.bit_length())
    if not isinstance(exponent, int):
        raise CannotCompute("the exponent must be a whole number")
    if abs(exponent) * size > MOST_BITS:
        raise CannotCompute(f"the number is too large, more than {MOST_BITS:,} bits")
    return base**exponent if exponent >= 0 else number**exponent


def _divided(left: Any, right: Any) -> Any:
    return Fraction(left) / Fraction(right) if not isinstance(left, str) else left / right


def _text(value: Any) -> str:
    if isinstance(value, Fraction) and value.denominator > 1:
        raise CannotCompute("a fraction cannot be turned into a string")
    if isinstance(value, EnumMember):
        return f"{value.enumeration}.{value.name}"
    if not isinstance(value, str | bool | int | Fraction):
        raise CannotCompute(f"{described(value)} cannot be turned into a string here")
    return str(value)


def _whole(value: Any) -> int:
    if isinstance(value, Fraction | str | int):
        return int(value)
    raise CannotCompute(f"{described(value)} is not a number")


def _fraction(*values: Any) -> Fraction:
    return Fraction(*values)


def _floor(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | Fraction | str):
        raise CannotCompute(f'{described(value)} is not a number; write one, such as "2^8*e^(-1/2)"')
    try:
        return whole_part(real_number(value) if isinstance(value, str) else Fraction(value))
    except BadInput as error:
        raise CannotCompute(error.message) from None


def _items(value: Any) -> Any:
    items = items_of(value)
    if items is None:
        raise CannotCompute(f"{described(value)} has no items")
    return items


def _item(value: Any, place: Any) -> Any:
    if not isinstance(place, int):
        raise CannotCompute(f"{described(place)} is not an index; indices are whole numbers")
    items = value if isinstance(value, tuple) else _items(value)
    return items[place]


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, EnumMember) and name in ("name", "value"):
        return getattr(value, name)
    if not isinstance(value, Record):
        raise CannotCompute(f"{described(value)} has no attribute {quoted(name)}")
    if name not in value.values:
        hint = did_you_mean(name, value.values)
        raise CannotCompute(f"there is no secret {quoted(name)}; {hint}there is {', '.join(value.values)}")
    return value.values[name]


def _count(value: Any) -> int:
    return len(_items(value))


def _tuple_of(value: Any = ()) -> tuple[Any, ...]:
    if isinstance(value, range) and len(value) > MOST_ITEMS:
        raise CannotCompute(f"this has more than {MOST_ITEMS:,} items")
    return tuple(_items(value))


_ANYTHING = frozenset({"bool", "enumerate", "item", "joined", "len", "not", "tuple", "tuple()", "zip"})
"""Operations that look at no numbers, or say themselves what is wrong with numbers drawn."""

_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "tuple": lambda *values: values,
    "item": _item,
    "joined": lambda *values: tuple(item for value in values for item in value),
    "*": _arithmetic(operator.mul),
    "+": _arithmetic(operator.add),
    "-": _arithmetic(operator.sub),
    "/": _divided,
    "//": _arithmetic(operator.floordiv),
    "%": _arithmetic(lambda left, right: left % right if not isinstance(left, str) else _no_text()),
    "**": _power,
    "negative": lambda value: -value,
    "positive": lambda value: +value,
    "not": lambda value: not truth(value),
    "join": lambda *values: "".join(map(_text, values)),
    "Fraction": _fraction,
    "abs": abs,
    "attribute": _attribute,
    "bool": lambda value=False: truth(value),
    "floor": _floor,
    "enumerate": lambda value, start=0: tuple(enumerate(_items(value), start)),
    "int": _whole,
    "len": _count,
    "max": lambda value: max(_items(value)),
    "min": lambda value: min(_items(value)),
    "name": lambda member: member.name,
    "range": range,
    "str": _text,
    "sum": lambda value, start=0: sum(_items(value), start),
    "tuple()": _tuple_of,
    "value": lambda member: member.value,
    "zip": lambda *values: tuple(zip(*map(_items, values), strict=False)),
}

BUILTINS = ("abs", "bool", "enumerate", "int", "len", "max", "min", "range", "str", "sum", "tuple", "zip")
"""Python's functions that the language has."""


def _no_text() -> Any:
    raise CannotCompute("strings are joined with f-strings")


def _same(left: Any, right: Any) -> bool:
    return frozen(left) == frozen(right)


_RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": _same,
    "is not": lambda left, right: not _same(left, right),
    "in": lambda left, right: left in _items(right),
    "not in": lambda left, right: left not in _items(right),
}
