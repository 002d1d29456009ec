"""Rational numbers as people read them: in full where they are short, else decimals on the safe side."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import abbreviated
from prover.exact.rational import (
    decimal_above,
    decimal_below,
    decimal_text,
    format_rational,
    round_outward,
)

_SHORT = 20
"""Characters of a fraction that stands in a sentence or in a table."""

_LONG = 40
"""Characters of a fraction that stands alone."""


def readable(q: Fraction) -> str:
    """A rational in full where that is short, with its decimal expansion, else that alone.

    >>> readable(Fraction(2, 3))
    '2/3 (0.666666…)'
    """
    text = format_rational(q)
    if len(text) <= _LONG:
        return text if q.denominator == 1 else f"{text} ({decimal_text(q, 6)})"
    return f"{decimal_text(q, 20)} (exact rational of {len(text)} characters)"


def readable_alpha(alpha: Fraction) -> str:
    """α in full where that is short, else cut decimals."""
    text = format_rational(alpha)
    return text if len(text) <= _LONG else abbreviated(decimal_text(alpha, 20))


def readable_interval(lower: Fraction, upper: Fraction) -> tuple[str, str]:
    """Decimals that enclose the interval from ``lower`` to ``upper`` ≥ ``lower`` and are little wider."""
    digits = 6
    while lower < upper and (upper - lower) * 10**digits < 10:
        digits += 1
    low, high = round_outward(lower, upper, digits)
    return decimal_text(low, digits), decimal_text(high, digits)


def between(bounds: tuple[Fraction, Fraction]) -> str:
    """A number, or an interval of which both ends are proved.

    >>> between((Fraction(1, 3), Fraction(1, 2)))
    'between 0.333333 and 0.5'
    """
    if bounds[0] == bounds[1]:
        return readable(bounds[0])
    lower, upper = readable_interval(*bounds)
    return f"between {lower} and {upper}"


def lower_text(q: Fraction) -> str:
    """``q`` in full where that is short, else decimals that are at most ``q``; ``q`` is in [0, 1]."""
    return _text(q) or decimal_text(decimal_below(q, digits := _digits(q)), digits)


def upper_text(q: Fraction) -> str:
    """``q`` in full where that is short, else decimals that are at least ``q``; ``q`` is in [0, 1]."""
    return _text(q) or decimal_text(decimal_above(q, digits := _digits(q)), digits)


def brief(q: Fraction) -> str:
    """``q`` in full where that is short, else cut decimals: for cells, where nothing is promised."""
    return _text(q) or readable(q).partition(" ")[0]


def factor_text(alpha: Fraction | None, epsilon: Fraction | None) -> str:
    """α for people: a rational, or e to the power of one."""
    if alpha is not None:
        return readable_alpha(alpha)
    exponent = abbreviated(format_rational(epsilon or Fraction(0)))
    return f"e^({exponent})" if "/" in exponent else f"e^{exponent}"


def multiple(factor: Fraction | None, unit: str = "ε") -> str:
    """A multiple of ε, or of another unit; None stands for infinity.

    >>> multiple(Fraction(5, 4)), multiple(Fraction(2)), multiple(Fraction(1)), multiple(Fraction(0))
    ('(5/4)·ε', '2·ε', 'ε', '0')
    """
    if factor is None or not factor:
        return "∞" if factor is None else "0"
    return times(format_rational(factor), unit)


def times(number: str, unit: str) -> str:
    """The same of a number that is written already."""
    if number in ("0", "1"):
        return unit if number == "1" else number
    return "·".join(f"({part})" if "/" in part else part for part in (number, unit))


def _text(q: Fraction) -> str | None:
    text = format_rational(q)
    return text if len(text) <= _SHORT else None


def _digits(q: Fraction) -> int:
    """Decimals that show two digits of ``q``, and at least 6."""
    digits = 6
    while q * 10**digits < 100 and digits < 30:
        digits += 1
    return digits
