"""Rational numbers as text, and rounded to multiples of a power of two.

Texts are never converted through floating point. CPython refuses to convert integers of more than 4,300
digits from and to text, for a reason (it takes quadratic time); python-flint's integers convert them quickly.
"""

from __future__ import annotations

import re
from fractions import Fraction

from prover.errors import BadInput, quoted

MAX_DIGITS = 10_000
"""The most decimal digits that the numerator or the denominator of a number in a model may have."""

# CPython's own conversion is safe below this size whatever the interpreter's limit is set to.
_SAFE_DIGITS = 640
_SAFE_BITS = 2_000

_RATIONAL = re.compile(r"(-?)([0-9]+)(?:/([0-9]+)|\.([0-9]+))?")


class MalformedNumber(BadInput):
    """A text does not have the form -?[0-9]+(/[0-9]+|.[0-9]+)?, in ASCII digits and without white space."""

    def __init__(self, text: str) -> None:
        super().__init__(f"malformed number {quoted(text)}; write it like 2, 1/3 or 0.25")


class NumberTooLong(BadInput):
    """The numerator or the denominator of a number has more digits than the limit."""

    def __init__(self, text: str, max_digits: int) -> None:
        super().__init__(f"number {quoted(text)} is too long; at most {max_digits:,} digits are read")


class ZeroDenominator(BadInput):
    """The denominator of a number is zero."""

    def __init__(self, text: str) -> None:
        super().__init__(f"zero denominator in {quoted(text)}; a denominator is a positive integer")


def parse_rational(text: str, max_digits: int = MAX_DIGITS) -> Fraction:
    """The number that ``text`` writes as an integer, a fraction or a decimal; decimals are read literally.

    The numerator and the denominator may have ``max_digits`` digits each, leading zeros included; the digits
    before and after a decimal point count together. Raises MalformedNumber, NumberTooLong, ZeroDenominator.
    """
    match = _RATIONAL.fullmatch(text)
    if match is None:
        raise MalformedNumber(text)
    sign, whole, denominator, decimals = match.groups()
    digits = whole + (decimals or "")
    if max(len(digits), len(denominator or "")) > max_digits:
        raise NumberTooLong(text, max_digits)
    top = _integer(digits)
    bottom = 10 ** len(decimals) if decimals else _integer(denominator or "1")
    if bottom == 0:
        raise ZeroDenominator(text)
    return Fraction(-top if sign else top, bottom)


def format_rational(number: Fraction) -> str:
    """``"p/q"`` in lowest terms with q > 1, or ``"p"``; of any length."""
    if number.denominator == 1:
        return _decimal(number.numerator)
    return f"{_decimal(number.numerator)}/{_decimal(number.denominator)}"


def rational_or_null(q: Fraction | None) -> str | None:
    """The text of a rational, None where there is none."""
    return None if q is None else format_rational(q)


def rational_or_inf(q: Fraction | None) -> str:
    """The text of a rational, or of infinity, for which None stands."""
    return "inf" if q is None else format_rational(q)


def round_down(number: Fraction, bits: int) -> Fraction:
    """The greatest multiple of 2^-bits that is at most ``number``; bits ≥ 0."""
    scale = 1 << bits
    return Fraction((number.numerator * scale) // number.denominator, scale)


def round_up(number: Fraction, bits: int) -> Fraction:
    """The least multiple of 2^-bits that is at least ``number``; bits ≥ 0."""
    return -round_down(-number, bits)


def round_outward(low: Fraction, high: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """The greatest decimal with ``digits`` ≥ 0 decimals that is at most ``low``, the least that is at least
    ``high``.
    """
    return decimal_below(low, digits), decimal_above(high, digits)


def decimal_below(number: Fraction, digits: int) -> Fraction:
    """The greatest decimal with ``digits`` ≥ 0 decimals that is at most ``number``."""
    scale = 10**digits
    return Fraction(number.numerator * scale // number.denominator, scale)


def decimal_above(number: Fraction, digits: int) -> Fraction:
    """The least decimal with ``digits`` ≥ 0 decimals that is at least ``number``."""
    return -decimal_below(-number, digits)


def scientific_text(number: Fraction, digits: int) -> str:
    """A number > 0 for people: cut after ``digits`` ≥ 1 significant digits, and then ended by ``…``.

    From 1/1000 up to 10^digits it is written as a decimal, else like 1.25…e-30.
    """
    exponent = _exponent(number)
    if -3 <= exponent < digits:
        return decimal_text(number, digits - 1 - exponent)
    return f"{decimal_text(number / Fraction(10) ** exponent, digits - 1)}e{exponent}"


def decimal_text(number: Fraction, digits: int) -> str:
    """The decimal expansion for people: cut after ``digits`` ≥ 0 decimals, and then ended by ``…``.

    An expansion that ends earlier is complete and has neither trailing zeros nor the ``…``.
    """
    whole, rest = divmod(abs(number.numerator), number.denominator)
    decimals, rest = divmod(rest * 10**digits, number.denominator)
    text = _decimal(decimals).rjust(digits, "0") if digits else ""
    if rest == 0:
        text = text.rstrip("0")
    sign, point, more = "-" * (number < 0), "." * bool(text), "…" * bool(rest)
    return sign + _decimal(whole) + point + text + more


def _exponent(number: Fraction) -> int:
    """The integer e with 10^e ≤ number < 10^(e+1)."""
    exponent = (number.numerator.bit_length() - number.denominator.bit_length()) * 30103 // 100000 - 1
    power = Fraction(10) ** exponent
    while 10 * power <= number:
        exponent, power = exponent + 1, 10 * power
    return exponent


def _integer(digits: str) -> int:
    if len(digits) <= _SAFE_DIGITS:
        return int(digits)
    from flint import fmpz

    return int(fmpz(digits))


def _decimal(number: int) -> str:
    if number.bit_length() <= _SAFE_BITS:
        return str(number)
    from flint import fmpz

    return str(fmpz(number))
