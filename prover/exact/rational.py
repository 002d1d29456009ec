"""Rational numbers as text, and rounded to decimals.

Texts are never converted through floating point. CPython refuses to convert integers of more than 4,300
digits from and to text, for a reason (it takes quadratic time); python-flint's integers convert them quickly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from math import lcm

from prover.errors import BadValue, BeyondLimit, quoted

MAX_DIGITS = 10_000
"""The most decimal digits that the numerator or the denominator of a number in a model may have."""

MAX_EXPONENT = 10_000
"""The largest size of an exponent, as in 1e-5."""

# CPython's own conversion is safe below this size whatever the interpreter's limit is set to.
_SAFE_DIGITS = 640
_SAFE_BITS = 2_000

_ONE = Fraction(1)
_RATIONAL = re.compile(r"(-?)([0-9]+)(?:/([0-9]+)|(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?)")

_NO_WHOLE = re.compile(r"^(-?)(?=\.[0-9])")
_NO_DECIMALS = re.compile(r"(?<=[0-9])\.(?=[eE]|\Z)")

EXAMPLES = "2, 1/3, 0.25 or 1e-5"
"""What numbers look like, for messages."""


def parse_rational(text: str, max_digits: int = MAX_DIGITS) -> Fraction:
    """The number that ``text`` writes as an integer, a fraction or a decimal; decimals are read literally.

    They may have an exponent: 2.5E+3 is 2500, and 1e-5 is 1/100000. The numerator and the denominator may
    have ``max_digits`` digits each, leading zeros included; the digits before and after a decimal point count
    together, and those of a number with an exponent are counted when it is written without. Raises BadValue,
    BeyondLimit.

        >>> parse_rational("2.5E+3")
        Fraction(2500, 1)
    """
    match = _RATIONAL.fullmatch(text)
    if match is None:
        raise BadValue(f"malformed number {quoted(text)}; write it like {EXAMPLES}", code="malformed-number")
    sign, whole, denominator, decimals, power = match.groups(default="")
    digits = whole + decimals
    shift = _exponent_of(power, text) - len(decimals)  # the number is digits · 10^shift
    if max(len(digits), len(digits) + shift, 1 - shift, len(denominator)) > max_digits:
        raise BeyondLimit(
            f"number {quoted(text)} is too long; at most {max_digits:,} digits are read",
            code="number-too-long",
        )
    top = _integer(digits) * 10 ** max(shift, 0)
    bottom = _integer(denominator or "1") * 10 ** max(-shift, 0)
    if bottom == 0:
        raise BadValue(
            f"zero denominator in {quoted(text)}; a denominator is a positive integer",
            code="zero-denominator",
        )
    return Fraction(-top if sign else top, bottom)


def total(numbers: Iterable[Fraction]) -> Fraction:
    """The sum, over one common denominator.

    >>> total([Fraction(1, 2), Fraction(1, 3)])
    Fraction(5, 6)
    """
    above, common = 0, 1
    for number in numbers:
        top, bottom = number.as_integer_ratio()
        if common % bottom:
            before, common = common, lcm(common, bottom)
            above *= common // before
        above += top * (common // bottom)
    return _ONE if above == common else Fraction(above, common)


def completed_decimal(text: str) -> str:
    """A decimal that has digits on one side of the point only, as programs print them, with a whole text.

    >>> completed_decimal(".5e-3"), completed_decimal("2."), completed_decimal("1/3")
    ('0.5e-3', '2', '1/3')
    """
    return _NO_DECIMALS.sub("", _NO_WHOLE.sub(r"\g<1>0", text))


def format_rational(number: Fraction) -> str:
    """``"p/q"`` in lowest terms with q > 1, or ``"p"``; of any length."""
    if number.denominator == 1:
        return _decimal(number.numerator)
    return f"{_decimal(number.numerator)}/{_decimal(number.denominator)}"


def rational_or_null(q: Fraction | None) -> str | None:
    """The text of a rational, None where there is none."""
    return None if q is None else format_rational(q)


def texts_or_null(numbers: Iterable[Fraction | None]) -> Iterator[str | None]:
    """The texts of many rationals, None where there is none; a denominator of several becomes text once.

    >>> list(texts_or_null([Fraction(1, 3), None, Fraction(2, 3), Fraction(2)]))
    ['1/3', None, '2/3', '2']
    """
    known: dict[int, str] = {1: ""}
    for number in numbers:
        if number is None:
            yield None
            continue
        if number.denominator not in known:
            known[number.denominator] = f"/{_decimal(number.denominator)}"
        yield _decimal(number.numerator) + known[number.denominator]


def rational_or_inf(q: Fraction | None) -> str:
    """The text of a rational, or of infinity, for which None stands."""
    return "inf" if q is None else format_rational(q)


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
    top, bottom = number.numerator, number.denominator  # never reduced: they may have millions of digits
    scaled: tuple[int, int] = (top * 10**-exponent, bottom) if exponent < 0 else (top, bottom * 10**exponent)
    return f"{_expansion(*scaled, digits - 1)}e{exponent}"


def decimal_text(number: Fraction, digits: int) -> str:
    """The decimal expansion for people: cut after ``digits`` ≥ 0 decimals, and then ended by ``…``.

    An expansion that ends earlier is complete and has neither trailing zeros nor the ``…``.
    """
    return "-" * (number < 0) + _expansion(abs(number.numerator), number.denominator, digits)


def _expansion(top: int, bottom: int, digits: int) -> str:
    """The decimal expansion of top/bottom ≥ 0, cut after ``digits`` decimals."""
    whole, rest = divmod(top, bottom)
    decimals, rest = divmod(rest * 10**digits, bottom)
    text = _decimal(decimals).rjust(digits, "0") if digits else ""
    if rest == 0:
        text = text.rstrip("0")
    point, more = "." * bool(text), "…" * bool(rest)
    return _decimal(whole) + point + text + more


def _exponent_of(power: str, text: str) -> int:
    """The exponent that is written in a number; raises BeyondLimit, before it is computed with."""
    size = power.lstrip("+-").lstrip("0") or "0"
    if len(size) > len(str(MAX_EXPONENT)) or int(size) > MAX_EXPONENT:
        raise BeyondLimit(
            f"the exponent of {quoted(text)} is too large; it is at most {MAX_EXPONENT:,} in size",
            code="exponent-too-large",
        )
    return -int(size) if power.startswith("-") else int(size)


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


def largest_or_none(numbers: Sequence[Fraction | None]) -> Fraction | None:
    """The largest of one number or more, of which None is ∞.

    >>> largest_or_none([Fraction(1), Fraction(2)]), largest_or_none([Fraction(1), None])
    (Fraction(2, 1), None)
    """
    finite = [number for number in numbers if number is not None]
    return max(finite) if len(finite) == len(numbers) else None
