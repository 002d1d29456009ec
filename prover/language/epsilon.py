"""Noise and coins that depend on ε otherwise than by rates: texts that name epsilon, read at one ε.

Threshold programs have rates that are multiples of ε, and chains have numbers. At a given ε everything that
such a text says is a number: noise of scale ε has the rate 1/ε, which is 1/ε² times ε.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from prover.errors import BadInput, BadValue, quoted
from prover.exact.expressions import names_parameter, positive_at, refuse_parameter
from prover.exact.real import Real, real_number
from prover.exact.real_text import NEEDS_REAL_RATES, names_real, rational_rate
from prover.language.errors import NeedsEpsilon, NeedsRealRates, WrongCode
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Fail

EPSILON = "epsilon"
"""The name of ε, in texts and among the constants that are given."""

_NAMED = re.compile(rf"\b{EPSILON}\b")
_PROBLEM = "this depends on epsilon, but not by a rate, so it is answered at one epsilon only"
_GIVE_IT = (
    "give it: --at-epsilon 1/10 in prover privacy, delta, epsilon and curve, --const epsilon=1/10 elsewhere, "
    'epsilon="1/10" in Python'
)
OPEN = "open"
"""The setting that says which name in rates is an open parameter, and its value."""
REALS = "reals"
"""The setting that says what stands for rates that are real numbers."""

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
    try:
        number = real_number(given, {EPSILON: epsilon})
    except BadValue as error:
        raise BadValue(f"{error.message}, at this epsilon") from None
    if how in ("rate", "scale", "sigma") and isinstance(number, Real):
        raise BadValue(
            f"{quoted(given)} is not rational at this epsilon; noise of mechanisms needs a rational"
        )
    return number / epsilon if how == "rate" else number * epsilon if how == "scale" else number


def numbers(code: Code, step: Instruction, given: tuple[Any, ...], fail: Fail) -> tuple[Any, ...]:
    """The arguments of an instruction, with numbers for texts that name epsilon where it draws.

    Raises NeedsEpsilon where no ε is given, and WrongCode.
    """
    first = int(step.operation in ("draw", "choose"))  # the center, or the values
    if step.operation == "draw":
        given = (*given[:first], *(_opened(code, step, one, fail) for one in given[first:]))
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


def _opened(code: Code, step: Instruction, given: Any, fail: Fail) -> Any:
    """The rate at the value of the open parameter, where a text names that; other values as they are.

    Raises WrongCode, also where a rate names a parameter and none is left open.
    """
    if REALS in code.settings and isinstance(given, str) and step.data[1] in ("rate", "scale"):
        return _real(code, step, given, fail)
    if OPEN not in code.settings:
        return _demand_number(step, given, fail)
    name, value = code.settings[OPEN]
    if not isinstance(given, str) or not names_parameter(given, name):
        return _demand_number(step, given, fail) if isinstance(given, str) and names_real(given) else given
    if step.data[1] != "rate":
        problem = f"{name} is left open, and may stand in rates only"
        raise fail(WrongCode, step.place, problem, 'write rate="…" in place of scale or sigma')
    try:
        return positive_at(given, name, value)
    except BadInput as error:
        raise fail(WrongCode, step.place, error.message, "") from None


def _real(code: Code, step: Instruction, given: str, fail: Fail) -> Any:
    """What stands for a real rate, or for its inverse as a scale; other values as they are."""
    if names_epsilon(given) or not names_real(given):
        return _demand_number(step, given, fail)
    read: Callable[[str], Fraction] = code.settings[REALS]
    try:
        return read(given) if step.data[1] == "rate" else 1 / read(f"1/({given})")
    except BadInput as error:
        raise fail(WrongCode, step.place, error.message, "") from None


def _demand_number(step: Instruction, given: Any, fail: Fail) -> Any:
    """A rational rate or scale for a text that writes one with real numbers; other values as they are.

    Raises NeedsRealRates, and WrongCode where a rate names a parameter.
    """
    if not isinstance(given, str) or names_epsilon(given) or step.data[1] not in ("rate", "scale"):
        return given
    try:
        if names_real(given):
            return rational_rate(given)
        if step.data[1] == "rate":
            refuse_parameter(given)
    except BadInput as error:
        kind = NeedsRealRates if error.code == NEEDS_REAL_RATES else WrongCode
        raise fail(kind, step.place, error.message, "") from None
    return given
