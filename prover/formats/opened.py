"""Programs in which a parameter is left open: files that are read at both ends of its interval."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from prover.errors import BadInput, BadOptions, BadValue, in_file, must_be, quoted
from prover.exact.expressions import named_parameter, names_parameter, positive_at
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational, parse_rational
from prover.exact.real_text import names_real, rational_rate
from prover.formats.dipa import read_dipa
from prover.formats.files import content_of, named_in_code, suffix
from prover.formats.load import STANDARD_INPUT
from prover.formats.program_json import program_from_json
from prover.formats.rates import RATES, from_code, from_file, with_numbers
from prover.formats.reading import Constants
from prover.formats.strict_json import JsonValue, as_members, as_object, as_rational, as_text, read_json
from prover.program.noise import INFINITE
from prover.program.opened import OpenProgram
from prover.program.remarks import remarks

_OPEN = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^:]+):([^:]+)")

_OPEN_NUMBERS = ("rate", "sensitivity")
"""What may depend on an open parameter, as messages name it."""

Open = str | Mapping[str, tuple[Given, Given]]
"""A parameter and the ends of its interval, as ``"t=1/10:9/10"`` or as ``{"t": ("1/10", "9/10")}``."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A parameter that is left open between two values."""

    name: str
    low: Fraction
    high: Fraction


def opening_of(given: object) -> Opening:
    """The parameter that is left open, and its interval. Raises BadOptions and BadValue.

    >>> opening_of("t=1/10:9/10")
    Opening(name='t', low=Fraction(1, 10), high=Fraction(9, 10))
    """
    ends: object = None
    name: object = None
    if isinstance(given, str) and (match := _OPEN.fullmatch(given)):
        name, ends = match[1], (match[2].strip(), match[3].strip())
    elif isinstance(given, Mapping) and len(given) == 1:
        ((name, ends),) = given.items()
    if name == "epsilon":
        raise BadOptions("rates are multiples of epsilon already; give the open parameter another name")
    if not isinstance(name, str) or not name.isidentifier() or not isinstance(ends, tuple | list):
        raise _bad_opening(given)
    if len(ends) != 2:
        raise _bad_opening(given)
    low, high = (given_rational(end, f"an end of {name}") for end in ends)
    if not low < high:
        raise BadOptions(
            f"{name} is open from {format_rational(low)} to {format_rational(high)}; the first end has to be "
            "the smaller one"
        )
    return Opening(name, low, high)


def _bad_opening(given: object) -> BadOptions:
    shown = quoted(given) if isinstance(given, str) else f"this {type(given).__name__}"
    return BadOptions(
        f'one parameter is left open between two values, as in "t=1/10:9/10", or {{"t": ("1/10", "9/10")}} '
        f"in Python; {shown} is not that"
    )


def load_open(
    source: str | os.PathLike[str],
    open: Open | None = None,
    *,
    on_note: Callable[[str], None] | None = None,
    const: Constants | None = None,
) -> OpenProgram:
    """The program in a file, with a parameter of rates or sensitivities left ``open`` between two values.

    Such rates or sensitivities are texts such as "(1 - t)/6", affine in the parameter, in JSON and ``.dipa``
    files and in code; they are positive in the whole interval. A JSON file may say the interval itself, as
    ``"open": {"name": "t", "from": "1/10", "to": "9/10"}``, and then writes what is open as such texts or as
    lists of the numbers at both ends. ``const`` gives values to parameters of code. Raises BadOptions and
    what ``load`` raises.

        >>> load_open("examples/open/split.json", "t=1/10:9/10")
        <OpenProgram: 2 states, t from 1/10 to 9/10>
    """
    must_be((str, os.PathLike), source=source)
    path = os.fspath(source)
    opening = None if open is None else opening_of(open)
    with in_file(None if path == STANDARD_INPUT else path):
        found = (_of_code if named_in_code(path) else _of_file)(path, opening, const)
        if found.first == found.last:
            raise BadOptions(f"no rate and no sensitivity names the open parameter {quoted(found.parameter)}")
    if on_note is not None:
        for note in remarks(found.first):
            on_note(note)
    return found


def says_open(path: str) -> bool:
    """Whether a JSON file says itself that a parameter is open; False for others, and where it is no JSON."""
    if named_in_code(path) or suffix(path).lower() != ".json":
        return False
    try:
        content = content_of(path)
        return b'"open"' in content and "open" in as_members(read_json(content), "$")
    except BadInput:
        return False


def _of_code(path: str, opening: Opening | None, const: Constants | None) -> OpenProgram:
    """The program of a mechanism in code, which is read at both ends."""
    if opening is None:
        raise _no_opening()
    function, read = from_code(path, const)
    ends = []
    for value in (opening.low, opening.high):
        function.opened = (opening.name, value)
        ends.append(read())
    return OpenProgram(opening.name, opening.low, opening.high, *ends)


def _of_file(path: str, opening: Opening | None, const: Constants | None) -> OpenProgram:
    content, document = from_file(path, const, "a parameter may be left open")
    if document is None:
        if opening is None:
            raise _no_opening()
        ends = (
            read_dipa(
                content,
                None,
                *(partial(_number_at, opening=opening, end=end, what=what) for what in _OPEN_NUMBERS),
            )
            for end in (0, 1)
        )
        return OpenProgram(opening.name, opening.low, opening.high, *ends)
    own = document.get("open")
    if own is not None:
        if opening is not None:
            raise BadOptions("the file says which parameter is open, and where; leave out open")
        members = as_object(own, "$.open", ("from", "name", "to"), ())
        low, high = (as_rational(members[end], f"$.open.{end}") for end in ("from", "to"))
        opening = Opening(as_text(members["name"], "$.open.name"), low, high)
    if opening is None:
        raise _no_opening()
    first, last = (program_from_json(_at_end(document, opening, end)) for end in (0, 1))
    return OpenProgram(opening.name, opening.low, opening.high, first, last)


def _number_at(text: str, opening: Opening, end: int, what: str) -> Fraction:
    """A rate or a sensitivity at an end of the interval of the parameter, which it may name."""
    if names_parameter(text, opening.name):
        return positive_at(text, opening.name, (opening.low, opening.high)[end], what)
    if (other := named_parameter(text)) is not None:
        raise BadValue(
            f"this {what} names {other}, which is no number; one parameter can be left open, and that is "
            f"{opening.name}",
            code="second-parameter",
        )
    return rational_rate(text) if what == "rate" and names_real(text) else parse_rational(text)


def _no_opening() -> BadOptions:
    return BadOptions('say which parameter is open, and between which values, as in "t=1/10:9/10"')


def _at_end(document: Mapping[str, JsonValue], opening: Opening, end: int) -> JsonValue:
    """The document with the rates and sensitivities of an end of the interval."""

    def change(value: JsonValue, what: str) -> JsonValue:
        if isinstance(value, list) and len(value) == 2:
            return value[end]
        if isinstance(value, str) and re.search(r"[^\W\d]", value) and value != INFINITE:
            return format_rational(_number_at(value, opening, end, what))
        return value

    rate, sensitivity = (partial(change, what=what) for what in _OPEN_NUMBERS)
    changes = {**dict.fromkeys(RATES, rate), "sensitivity": sensitivity}
    return with_numbers({key: value for key, value in document.items() if key != "open"}, changes)
