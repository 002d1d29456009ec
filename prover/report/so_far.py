"""What is proved of a number so far, in a few words that fit beside a bar."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from prover.exact.rational import decimal_below, decimal_text, format_rational
from prover.exact.readable import brief, readable_interval, times, upper_text

_SHORT = 12
"""Characters of a fraction that is shown as it is."""


def so_far(
    name: str, lower: Fraction, upper: Fraction | None, *, most: int | None = 1, unit: str = ""
) -> str:
    """The interval of a number that is between 0 and ``most`` in any case, None being infinity.

    Empty where nothing else is known. Decimals are rounded outward.

        >>> so_far("delta", Fraction(1, 3), Fraction(1, 2))
        'delta: between 0.333333 and 0.5'
        >>> so_far("loss", Fraction(5, 4), None, most=None, unit="ε")
        'loss: at least (5/4)·ε'
    """
    if lower <= 0 and (upper is None or (most is not None and upper >= most)):
        return ""
    if upper is None:
        return f"{name}: at least {_times(_below(lower), unit)}"
    if lower == upper:
        return f"{name}: {_times(brief(lower), unit)}"
    low, high = readable_interval(lower, upper)
    return f"{name}: between {_times(low, unit)} and {_times(high, unit)}"


def points_so_far(name: str, ends: Sequence[tuple[Fraction, Fraction]]) -> str:
    """The intervals of a number in [0, 1] at several points; empty where nothing is known of any.

    >>> points_so_far("delta", [(Fraction(0), Fraction(1)), (Fraction(1, 4), Fraction(1, 2))])
    'delta at 2 points, in intervals up to 1 wide'
    """
    if all(lower <= 0 and upper >= 1 for lower, upper in ends):
        return ""
    widest = max(upper - lower for lower, upper in ends)
    wide = f", in intervals up to {upper_text(widest)} wide" if widest else ""
    return f"{name} at {len(ends)} point{'s' * (len(ends) != 1)}{wide}"


def _times(number: str, unit: str) -> str:
    return times(number, unit) if unit else number


def _below(q: Fraction) -> str:
    text = format_rational(q)
    return text if len(text) <= _SHORT else decimal_text(decimal_below(q, 6), 6)
