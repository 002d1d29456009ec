"""Programs with rates that are real numbers: files that are read with rationals on both sides of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from prover.errors import BadOptions, BadValue, in_file, must_be
from prover.exact.rational import decimal_above, decimal_below, format_rational
from prover.exact.real_rate import RealRate
from prover.exact.real_text import names_real, rational_rate, real_rate
from prover.formats.dipa import read_dipa
from prover.formats.files import named_in_code
from prover.formats.load import STANDARD_INPUT
from prover.formats.program_json import program_from_json
from prover.formats.rates import RATES, from_code, from_file, with_numbers
from prover.formats.reading import Constants
from prover.formats.strict_json import JsonValue
from prover.program.model import Program
from prover.program.real import RealProgram, real_rates
from prover.program.remarks import remarks

_DIGITS = 12
"""Significant decimal digits of the rationals around a rate."""

Ends = tuple[Fraction, Fraction]


class _Around:
    """The rationals around the real rates of a file, in the order in which they are met."""

    def __init__(self) -> None:
        self.found: dict[RealRate, Ends] = {}

    def read(self, text: str, end: int) -> Fraction:
        """The rate that a text writes, or what is below (0) or above (1) a real one."""
        number = real_rate(text) if names_real(text) else None
        if number is None or number.rational is not None:
            return rational_rate(text)
        if number not in self.found:
            self.found[number] = _around(number)
        return self.found[number][end]

    @property
    def numbers(self) -> dict[Ends, RealRate]:
        """The rates by what is around them. Raises BadValue where two of them are too close."""
        numbers: dict[Ends, RealRate] = {}
        for number, ends in self.found.items():
            if ends in numbers:
                raise BadValue(
                    f"the rates {numbers[ends]} and {number} are equal to {_DIGITS} digits; write them alike "
                    "if they are equal",
                    code="rates-too-close",
                )
            numbers[ends] = number
        return numbers


def _around(number: RealRate) -> Ends:
    """Decimals below and above a number, of which the digits are those of the number but for the last one."""
    if not number.is_positive:
        raise BadValue(f"rate {number} is not positive; the noise has scale 1/rate", code="rate-not-positive")
    digits = _DIGITS
    while True:
        low, high = number.enclosed(4 * digits)
        below, above = decimal_below(low, digits), decimal_above(high, digits)
        if below * 10**digits >= 10 ** (_DIGITS - 1):
            return below, above
        digits += 1


def load_real(
    source: str | os.PathLike[str],
    *,
    on_note: Callable[[str], None] | None = None,
    const: Constants | None = None,
) -> RealProgram:
    """The program in a file, with rates that are real numbers.

    In .json and .dipa files and in code, such a rate is a text: "2*ln 3", "1/sqrt(2)", "e^(-1/2)". In code so
    may be a ``scale``, which is 1/rate. ``const`` gives values to parameters of code. Raises BadOptions,
    BadValue and what ``load`` raises.

        >>> load_real("examples/real/svt.dipa")
        <RealProgram: 2 states, 2 real rates>
    """
    must_be((str, os.PathLike), source=source)
    path = os.fspath(source)
    around = _Around()
    with in_file(None if path == STANDARD_INPUT else path):
        read = _reading(path, const)
        first, last = (read(partial(around.read, end=end)) for end in (0, 1))
        known = around.numbers
        if not known:
            raise BadOptions("no rate is a real number, so this is a program like others: use load")
        found = RealProgram(first, real_rates(first, last, known))
    if on_note is not None:
        for note in remarks(first):
            on_note(note)
    return found


ReadRate = Callable[[str], Fraction]


def _reading(path: str, const: Constants | None) -> Callable[[ReadRate], Program]:
    """What reads the program, with rates by what it is given for their texts."""
    if named_in_code(path):
        function, read_code = from_code(path, const)

        def of_code(rate: ReadRate) -> Program:
            function.reals = rate
            return read_code()

        return of_code
    content, document = from_file(path, const, "rates may be real numbers")
    if document is None:
        return lambda rate: read_dipa(content, None, rate)

    def of_json(rate: ReadRate) -> Program:
        def change(value: JsonValue) -> JsonValue:
            return format_rational(rate(value)) if isinstance(value, str) and names_real(value) else value

        return program_from_json(with_numbers(document, dict.fromkeys(RATES, change)))

    return of_json
