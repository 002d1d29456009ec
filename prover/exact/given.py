"""Numbers that callers give: rationals are accepted, floats refused, ranges checked."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadInput, abbreviated
from prover.exact.rational import format_rational, parse_rational

Given = Fraction | int | str
"""What stands for a rational: the number itself, or its text."""


def given_rational(
    given: object,
    what: str,
    error: type[BadInput],
    *,
    at_least: int | None = None,
    more_than: int | None = None,
    at_most: int | None = None,
) -> Fraction:
    """The rational number that was given for what ``what`` names.

    Texts are read as ``parse_rational`` reads them. Raises ``error``, with one argument, its message, if it
    is no rational (a float, above all) or out of the range; and what ``parse_rational`` raises for texts.

        >>> given_rational("0.1", "epsilon", BadInput, more_than=0)
        Fraction(1, 10)
    """
    if isinstance(given, bool) or not isinstance(given, int | Fraction | str):
        kind = "a float" if isinstance(given, float) else type(given).__name__
        raise error(f'{what} is a rational number, not {kind}; write it as text, such as "1/10" or "0.1"')
    number = parse_rational(given) if isinstance(given, str) else Fraction(given)
    wanted = []
    if at_least is not None and number < at_least:
        wanted.append(f"at least {at_least}")
    if more_than is not None and number <= more_than:
        wanted.append(f"more than {more_than}")
    if at_most is not None and number > at_most:
        wanted.append(f"at most {at_most}")
    if wanted:
        raise error(f"{what} is {' and '.join(wanted)}, not {abbreviated(format_rational(number))}")
    return number
