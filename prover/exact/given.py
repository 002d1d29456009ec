"""Numbers that callers give: rationals are accepted, floats refused, ranges checked."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational

from prover.errors import BadValue, WrongArgument, abbreviated
from prover.exact.rational import format_rational, parse_rational

Given = Fraction | int | str | Decimal
"""What stands for a rational: the number itself, or its text; integers of numpy do as well."""
LARGEST_EPSILON = 1000
"""That questions are about."""


def exact_rational(given: object) -> Fraction | None:
    """The number that is meant, if it is one that is exact: None of floats, and of what is no finite number.

    Besides integers, fractions and texts these are decimals, and the integers of numpy. Raises what
    ``parse_rational`` raises for texts.

        >>> exact_rational(Decimal("0.10")), exact_rational(0.1)
        (Fraction(1, 10), None)
    """
    if type(given) is Fraction:
        return given
    if isinstance(given, bool):
        return None
    if isinstance(given, str):
        return parse_rational(given)
    if isinstance(given, Decimal):
        return parse_rational(str(given)) if given.is_finite() else None
    if isinstance(given, Rational):
        return Fraction(int(given.numerator), int(given.denominator))
    return None


def how_to_write(given: object) -> str:
    """What to write in place of a number that is not exact: what its digits say.

    >>> how_to_write(0.1)
    'write it as text: "0.1" is exactly 1/10'
    """
    text = repr(float(given)) if isinstance(given, float) else ""
    if isinstance(given, float) and isfinite(given):
        return f'write it as text: "{text}" is exactly {abbreviated(format_rational(parse_rational(text)))}'
    return 'write it as text, such as "1/10" or "0.1"'


def given_rational(
    given: object,
    what: str,
    code: str | None = None,
    *,
    at_least: int | None = None,
    more_than: int | None = None,
    at_most: int | None = None,
) -> Fraction:
    """The rational number that was given for what ``what`` names.

    Texts are read as ``parse_rational`` reads them. Raises BadValue, with ``code``, if it is no
    rational (a float, above all) or out of the range; and what ``parse_rational`` raises for texts.

        >>> given_rational("0.1", "epsilon", more_than=0)
        Fraction(1, 10)
    """
    number = exact_rational(given)
    if number is None:
        kind = "a float" if isinstance(given, float) else type(given).__name__
        raise BadValue(f"{what} must be a rational number, not {kind}; {how_to_write(given)}", code=code)
    wanted = []
    if at_least is not None and number < at_least:
        wanted.append(f"at least {at_least}")
    if more_than is not None and number <= more_than:
        wanted.append(f"more than {more_than}")
    if at_most is not None and number > at_most:
        wanted.append(f"at most {at_most}")
    if wanted:
        raise BadValue(
            f"{what} must be {' and '.join(wanted)}, not {abbreviated(format_rational(number))}", code=code
        )
    return number


def given_integer(given: object, name: str) -> int:
    """The integer that was given for the argument of this name, an integer of Python or of numpy.

        >>> given_integer(3, "times")
        3

    Raises WrongArgument.
    """
    if isinstance(given, bool) or not isinstance(given, Integral):
        raise WrongArgument(name, "an integer", given)
    return int(given)
