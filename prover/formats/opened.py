"""Programs in which a parameter of rates is left open: files that are read at both ends of its interval."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from prover.errors import BadDocument, BadInput, BadOptions, in_file, must_be, quoted
from prover.exact.expressions import affine
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational, parse_rational
from prover.exact.real_text import names_real, rational_rate
from prover.formats.dipa import read_dipa
from prover.formats.files import content_of, empty_file, named_in_code, standard_input, suffix
from prover.formats.load import STANDARD_INPUT, guessed, kind_of, wrong_kind
from prover.formats.program_json import TYPE as PROGRAM
from prover.formats.program_json import program_from_json
from prover.formats.reading import Constants, Reading
from prover.formats.strict_json import JsonValue, as_members, as_object, as_rational, as_text, read_json
from prover.program.errors import program_path
from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.remarks import remarks

RATES = ("rate", "rate_left", "rate_right", "rate_prime")
"""The members of states that may name the parameter."""

_OPEN = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^:]+):([^:]+)")

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
    """The program in a file, with the parameter ``open`` in its rates left open between two values.

    Rates that name the parameter are texts such as "(1 - t)/6", affine in it, in JSON and ``.dipa`` files and
    in code; they are positive in the whole interval. A JSON file may say the interval itself, as
    ``"open": {"name": "t", "from": "1/10", "to": "9/10"}``, and then writes open rates as such texts or as
    lists of the rates at both ends. ``const`` gives values to parameters of code. Raises BadOptions and what
    ``load`` raises.

        >>> load_open("examples/open/split.json", "t=1/10:9/10")
        <OpenProgram: 2 states, t from 1/10 to 9/10>
    """
    must_be((str, os.PathLike), source=source)
    path = os.fspath(source)
    opening = None if open is None else opening_of(open)
    with in_file(None if path == STANDARD_INPUT else path):
        if named_in_code(path):
            found = _of_code(path, opening, const)
        else:
            if const is not None:
                raise BadOptions("const gives values to parameters of Python code; leave it out")
            content = standard_input() if path == STANDARD_INPUT else content_of(path)
            if not content.strip():
                raise empty_file()
            found = _of_file(content, path, opening)
        if found.first == found.last:
            raise BadOptions(f"no rate names the open parameter {quoted(found.parameter)}")
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
    from prover.formats.code import function_of
    from prover.language.files import model_in

    if opening is None:
        raise _no_opening()
    function = function_of(path)
    text = Reading.of(const=const).const
    programs = []
    for value in (opening.low, opening.high):
        function.opened = (opening.name, value)
        programs.append(model_in(function, text, None))
    first, last = programs
    if not isinstance(first, Program) or not isinstance(last, Program):
        raise wrong_kind("threshold program", kind_of(first))
    return OpenProgram(opening.name, opening.low, opening.high, first, last)


def _of_file(content: bytes, path: str, opening: Opening | None) -> OpenProgram:
    extension = suffix(path).lower() if path != STANDARD_INPUT else guessed(content)
    if extension == ".dipa":
        if opening is None:
            raise _no_opening()
        readers = (partial(_rate_at, name=opening.name, value=end) for end in (opening.low, opening.high))
        ends = (read_dipa(content, None, reader) for reader in readers)
        return OpenProgram(opening.name, opening.low, opening.high, *ends)
    if extension != ".json":
        raise BadDocument(
            "a parameter may be left open in programs in .json and .dipa files, and in Python code",
            code="unknown-extension",
        )
    document = as_members(read_json(content), "$")
    if document.get("type") != PROGRAM:
        raise wrong_kind("threshold program", "model of another type")
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


def _rate_at(text: str, name: str, value: Fraction) -> Fraction:
    """A rate at a value of the parameter, which it may name."""
    if name in re.findall(r"\w+", text):
        return affine(text, name).at(value)
    return rational_rate(text) if names_real(text) else parse_rational(text)


def _no_opening() -> BadOptions:
    return BadOptions('say which parameter is open, and between which values, as in "t=1/10:9/10"')


def _at_end(document: Mapping[str, JsonValue], opening: Opening, end: int) -> JsonValue:
    """The document with the rates of an end of the interval."""
    states = {
        name: _state_at(as_members(state, program_path(name)), program_path(name), opening, end)
        for name, state in as_members(document.get("states", {}), "$.states").items()
    }
    return {**{key: value for key, value in document.items() if key != "open"}, "states": states}


def _state_at(state: Mapping[str, JsonValue], path: str, opening: Opening, end: int) -> JsonValue:
    found = dict(state)
    for key in RATES:
        value = state.get(key)
        if isinstance(value, list) and len(value) == 2:
            found[key] = value[end]
        elif isinstance(value, str) and opening.name in re.findall(r"\w+", value):
            try:
                number = _rate_at(value, opening.name, (opening.low, opening.high)[end])
            except BadInput as error:
                error.path = f"{path}.{key}"
                raise
            found[key] = format_rational(number)
    return found
