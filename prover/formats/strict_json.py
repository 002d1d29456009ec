"""JSON without its traps: no repeated keys, no floats, bounded size and nesting, every error with its place.

``read_json`` reads a document; the ``as_…`` functions take it apart, with a JSON path for their errors. A
JSON number is kept as its text, a ``Number``, so that 0.1 can be read as 1/10.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction

from prover.errors import BadInput, in_file, quoted
from prover.exact.rational import parse_rational

MAX_BYTES = 64 * 2**20
"""The largest document that is read."""

MAX_VALUES = 4_000_000
"""The most commas between values in a document: a small document of many values would fill the memory."""

MAX_WRITTEN_OUT = 64 * 2**20
"""The most digits that the exponents of a document may stand for, all in all."""

MAX_DEPTH = 64
"""The deepest nesting of objects and arrays that is read."""


class Number(str):
    """The text of a JSON number, which was not between quotation marks."""

    __slots__ = ()


JsonValue = dict[str, "JsonValue"] | list["JsonValue"] | Number | str | bool | None
JsonObject = dict[str, JsonValue]

# An opening quotation mark takes the whole string with it, so that no bracket inside a string is counted.
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_BRACKET_OR_STRING = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)

# An exponent of three digits and more; an exponent of two makes a number hardly longer than its text.
_EXPONENT = re.compile(r"[0-9][eE][+-]?0*+([0-9]{3,5}+)(?![0-9])")

_NAMES = {dict: "an object", list: "an array", Number: "a number", str: "a text", bool: "true or false"}


class DocumentTooLarge(BadInput):
    """A document has more bytes than are read."""

    def __init__(self, limit: int = MAX_BYTES) -> None:
        super().__init__(f"the document is too large; at most {limit:,} bytes are read")


class TooManyValues(BadInput):
    """A document has more values than fit into memory with ease."""

    def __init__(self) -> None:
        super().__init__(f"the document holds too many values; at most {MAX_VALUES:,} are read")


class ExponentsTooLarge(BadInput):
    """The exponents of a document stand for more digits than fit into memory with ease."""

    def __init__(self, line: int | None = None) -> None:
        message = f"the numbers are too long; exponents may stand for {MAX_WRITTEN_OUT:,} digits in a file"
        super().__init__(message, line=line)


class NotUtf8(BadInput):
    """A document is not UTF-8 text."""

    def __init__(self, data: bytes, place: int) -> None:
        line_start = data.rfind(b"\n", 0, place) + 1
        super().__init__(
            f"byte 0x{data[place]:02x} at offset {place} is not UTF-8; save the file as UTF-8 text",
            line=data.count(b"\n", 0, place) + 1,
            column=len(data[line_start:place].decode()) + 1,
        )


class ByteOrderMark(BadInput):
    """A document begins with a byte order mark."""

    def __init__(self) -> None:
        message = "the document begins with a byte order mark; save it as UTF-8 without one"
        super().__init__(message, line=1, column=1)


class JsonSyntax(BadInput):
    """A document is not JSON."""

    def __init__(self, problem: str, found: str, line: int, column: int) -> None:
        super().__init__(f"malformed JSON: {problem}, found {found}", line=line, column=column)


class NestedTooDeeply(BadInput):
    """Objects and arrays are nested more deeply than is read."""

    def __init__(self, line: int, column: int) -> None:
        message = f"objects and arrays are nested too deeply; at most {MAX_DEPTH} levels are read"
        super().__init__(message, line=line, column=column)


class DuplicateKey(BadInput):
    """An object has the same key twice."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key {quoted(key)} is given twice; the keys of an object are unique")


class NotFinite(BadInput):
    """A document holds NaN, Infinity or -Infinity, which are not JSON."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text} is not a number of JSON; write a finite number")


class WrongType(BadInput):
    """A value is of another JSON type than belongs in its place."""

    def __init__(self, expected: str, value: JsonValue, path: str) -> None:
        found = "null" if value is None else _NAMES[type(value)]
        if isinstance(value, str):
            found += f", {quoted(value)}"
        super().__init__(f"{expected} belongs here, not {found}", path=path)


class MissingKey(BadInput):
    """An object lacks a key that it must have."""

    def __init__(self, key: str, path: str) -> None:
        super().__init__(f"key {quoted(key)} is missing", path=path)


class UnknownKey(BadInput):
    """An object has a key that means nothing there."""

    def __init__(self, key: str, known: tuple[str, ...], path: str) -> None:
        super().__init__(f"unknown key {quoted(key)}; the keys here are {', '.join(known)}", path=path)


def read_json(data: str | bytes, file: str | None = None) -> JsonValue:
    """The value that a JSON document holds; ``file`` is named in errors.

    Raises DocumentTooLarge, TooManyValues, ExponentsTooLarge, NotUtf8, ByteOrderMark, NestedTooDeeply,
    JsonSyntax, DuplicateKey, NotFinite.
    """
    with in_file(file):
        text = decoded(data)
        check_values(text)
        check_exponents(text)
        _check_depth(text)
        flaws: list[BadInput] = []

        def flaw(error: BadInput) -> BadInput:
            flaws.append(error)
            return error

        def members(pairs: list[tuple[str, object]]) -> object:
            found = dict(pairs)
            return found if len(found) == len(pairs) else flaw(DuplicateKey(_first_repeated(pairs)))

        try:
            value: JsonValue = json.loads(
                text,
                object_pairs_hook=members,
                parse_int=Number,
                parse_float=Number,
                parse_constant=lambda constant: flaw(NotFinite(constant)),
            )
        except json.JSONDecodeError as error:
            problem = (error.msg[:1].lower() + error.msg[1:]).removesuffix(" at").removesuffix(" starting")
            raise JsonSyntax(problem, _found(text, error.pos), error.lineno, error.colno) from None
        if flaws:
            _report_flaw(value, "$", 0)
        return value


def decoded(data: str | bytes) -> str:
    """The text of a document; raises DocumentTooLarge, NotUtf8, ByteOrderMark."""
    if len(data) > MAX_BYTES:
        raise DocumentTooLarge
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NotUtf8(error.object, error.start) from None
    if data.startswith("\ufeff"):
        raise ByteOrderMark
    return data


def check_values(text: str) -> None:
    """Refuse a document of too many values; commas in texts stand between none. Raises TooManyValues."""
    commas = text.count(",")
    if commas > MAX_VALUES:  # seldom; then it is worth a look at each text
        commas -= sum(found[0].count(",") for found in re.finditer(_STRING, text, re.DOTALL))
    if commas > MAX_VALUES:
        raise TooManyValues


def check_exponents(text: str) -> None:
    """Refuse a text whose short numbers would be long ones in memory; raises ExponentsTooLarge.

    What looks like an exponent is counted, also within names. Those that are too large by themselves are
    refused when they are read.
    """
    written_out = sum(int(found[1]) for found in _EXPONENT.finditer(text))
    if written_out > MAX_WRITTEN_OUT:
        raise ExponentsTooLarge


def as_object(
    value: JsonValue, path: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> JsonObject:
    """``value`` as an object with these keys and no others; raises WrongType, UnknownKey, MissingKey."""
    found = as_members(value, path)
    for key in found:
        if key not in required and key not in optional:
            raise UnknownKey(key, required + optional, path)
    for key in required:
        if key not in found:
            raise MissingKey(key, path)
    return found


def as_members(value: JsonValue, path: str) -> JsonObject:
    """``value`` as an object whose keys are names that the user chose; raises WrongType."""
    if not isinstance(value, dict):
        raise WrongType("an object", value, path)
    return value


def as_list(value: JsonValue, path: str) -> list[JsonValue]:
    """``value`` as an array; raises WrongType."""
    if not isinstance(value, list):
        raise WrongType("an array", value, path)
    return value


def as_text(value: JsonValue, path: str) -> str:
    """``value`` as a text between quotation marks; raises WrongType."""
    if not isinstance(value, str) or isinstance(value, Number):
        raise WrongType("a text", value, path)
    return value


def as_truth(value: JsonValue, path: str) -> bool:
    """``value`` as true or false; raises WrongType."""
    if not isinstance(value, bool):
        raise WrongType("true or false", value, path)
    return value


def as_rational(value: JsonValue, path: str) -> Fraction:
    """``value`` as the number it writes, with or without quotation marks.

    Raises WrongType and what ``parse_rational`` raises.
    """
    if not isinstance(value, str):
        raise WrongType("a number", value, path)
    try:
        return parse_rational(value)
    except BadInput as error:
        error.path = path
        raise


def _found(text: str, place: int) -> str:
    if place >= len(text):
        return "the end of the document"
    rest = text[place : place + 20].partition("\n")[0]
    return quoted(rest) if rest else "the end of the line"


def _check_depth(text: str) -> None:
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(text):
        token = match[0]
        if token in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                line_start = text.rfind("\n", 0, match.start()) + 1
                raise NestedTooDeeply(text.count("\n", 0, line_start) + 1, match.start() - line_start + 1)
        elif token in ("}", "]"):
            depth -= 1


def _first_repeated(pairs: list[tuple[str, object]]) -> str:
    seen = set()
    for key, _ in pairs:
        if key in seen:
            return key
        seen.add(key)
    return ""


def _report_flaw(value: object, path: str, level: int) -> None:
    """Raise the first error that stands in the place of a value."""
    if isinstance(value, BadInput):
        value.path = path
        raise value
    if isinstance(value, dict):
        for key, member in value.items():
            # In the formats of this project, keys at odd levels are names that the user chose.
            plain = level % 2 == 0 and key.isidentifier()
            _report_flaw(member, f"{path}.{key}" if plain else f"{path}[{quoted(key)}]", level + 1)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _report_flaw(item, f"{path}[{place}]", level + 1)
