"""JSON without its traps: no repeated keys, no floats, bounded size and nesting, every error with its place.

``read_json`` reads a document; the ``as_…`` functions take it apart, with a JSON path for their errors. A
JSON number is kept as its text, a ``Digits``, so that 0.1 can be read as 1/10.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction

from prover.errors import BadDocument, BadInput, BeyondLimit, in_file, quoted
from prover.exact.rational import parse_rational

MAX_BYTES = 64 * 2**20
"""The largest document that is read."""

MAX_VALUES = 4_000_000
"""The most commas between values in a document: a small document of many values would fill the memory."""

MAX_WRITTEN_OUT = 64 * 2**20
"""The most digits that the exponents of a document may stand for, all in all."""

MAX_DEPTH = 64
"""The deepest nesting of objects and arrays that is read."""


class Digits(str):
    """The text of a JSON number, which was not between quotation marks."""

    __slots__ = ()


JsonValue = dict[str, "JsonValue"] | list["JsonValue"] | Digits | str | bool | None
JsonObject = dict[str, JsonValue]

# An opening quotation mark takes the whole string with it, so that no bracket inside a string is counted.
_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_BRACKET_OR_STRING = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)

# An exponent of three digits and more; an exponent of two makes a number hardly longer than its text.
_EXPONENT = re.compile(r"[0-9][eE][+-]?0*+([0-9]{3,5}+)(?![0-9])")

_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b'[]{}"')

_NAMES = {dict: "an object", list: "an array", Digits: "a number", str: "a string", bool: "true or false"}


def document_too_large(limit: int = MAX_BYTES) -> BeyondLimit:
    """A document has more bytes than are read."""
    return BeyondLimit(
        f"the document is too large; at most {limit:,} bytes are read", code="document-too-large"
    )


def exponents_too_large(line: int | None = None) -> BeyondLimit:
    """The exponents of a document stand for more digits than fit into memory with ease."""
    message = f"the numbers are too long; exponents may stand for {MAX_WRITTEN_OUT:,} digits in a file"
    return BeyondLimit(message, line=line, code="exponents-too-large")


def wrong_type(expected: str, value: JsonValue, path: str) -> BadDocument:
    """A value is of another JSON type than belongs in its place."""
    found = "null" if value is None else _NAMES[type(value)]
    if isinstance(value, str):
        found += f", {quoted(value)}"
    return BadDocument(f"{expected} is expected, not {found}", path=path, code="wrong-type")


def missing_key(key: str, path: str) -> BadDocument:
    """An object lacks a key that it must have."""
    return BadDocument(f"key {quoted(key)} is missing", path=path, code="missing-key")


def unknown_key(key: str, known: tuple[str, ...], path: str) -> BadDocument:
    """An object has a key that means nothing there."""
    return BadDocument(
        f"unknown key {quoted(key)}; the keys here are {', '.join(known)}", path=path, code="unknown-key"
    )


def read_json(data: str | bytes, file: str | None = None) -> JsonValue:
    """The value that a JSON document holds; ``file`` is named in errors.

    Raises BeyondLimit, BadDocument.
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
            if len(found) == len(pairs):
                return found
            key = quoted(_first_repeated(pairs))
            message = f"key {key} is given twice; the keys of an object are unique"
            return flaw(BadDocument(message, code="duplicate-key"))

        try:
            value: JsonValue = json.loads(
                text,
                object_pairs_hook=members,
                parse_int=Digits,
                parse_float=Digits,
                parse_constant=lambda constant: flaw(
                    BadDocument(
                        f"{constant} is not a number of JSON; write a finite number", code="not-finite"
                    )
                ),
            )
        except json.JSONDecodeError as error:
            problem = (error.msg[:1].lower() + error.msg[1:]).removesuffix(" at").removesuffix(" starting")
            raise BadDocument(
                f"malformed JSON: {problem}, found {_found(text, error.pos)}",
                line=error.lineno,
                column=error.colno,
                code="json-syntax",
            ) from None
        if flaws:
            _report_flaw(value, "$", 0)
        return value


def decoded(data: str | bytes) -> str:
    """The text of a document; raises BeyondLimit, BadDocument."""
    if len(data) > MAX_BYTES:
        raise document_too_large()
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            before, byte = error.object[: error.start], error.object[error.start]
            raise BadDocument(
                f"byte 0x{byte:02x} at offset {error.start} is not UTF-8; save the file as UTF-8 text",
                line=before.count(b"\n") + 1,
                column=len(before[before.rfind(b"\n") + 1 :].decode()) + 1,
                code="not-utf8",
            ) from None
    if data.startswith("\ufeff"):
        raise BadDocument(
            "the document begins with a byte order mark; save it as UTF-8 without one",
            line=1,
            column=1,
            code="byte-order-mark",
        )
    return data


def check_values(text: str) -> None:
    """Refuse a document of too many values; commas in texts stand between none. Raises BeyondLimit."""
    commas = text.count(",")
    if commas > MAX_VALUES:  # seldom; then it is worth a look at each text
        commas -= sum(found[0].count(",") for found in re.finditer(_STRING, text, re.DOTALL))
    if commas > MAX_VALUES:
        raise BeyondLimit(
            f"the document holds too many values; at most {MAX_VALUES:,} are read", code="too-many-values"
        )


def check_exponents(text: str) -> None:
    """Refuse a text whose short numbers would be long ones in memory; raises BeyondLimit.

    What looks like an exponent is counted, also within names. Those that are too large by themselves are
    refused when they are read.
    """
    written_out = sum(int(found[1]) for found in _EXPONENT.finditer(text))
    if written_out > MAX_WRITTEN_OUT:
        raise exponents_too_large()


def as_object(
    value: JsonValue, path: str, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> JsonObject:
    """``value`` as an object with these keys and no others; raises BadDocument."""
    found = as_members(value, path)
    for key in found:
        if key not in required and key not in optional:
            raise unknown_key(key, required + optional, path)
    for key in required:
        if key not in found:
            raise missing_key(key, path)
    return found


def as_members(value: JsonValue, path: str) -> JsonObject:
    """``value`` as an object whose keys are names that the user chose; raises BadDocument."""
    if not isinstance(value, dict):
        raise wrong_type("an object", value, path)
    return value


def as_list(value: JsonValue, path: str) -> list[JsonValue]:
    """``value`` as an array; raises BadDocument."""
    if not isinstance(value, list):
        raise wrong_type("an array", value, path)
    return value


def as_text(value: JsonValue, path: str) -> str:
    """``value`` as a text between quotation marks; raises BadDocument."""
    if not isinstance(value, str) or isinstance(value, Digits):
        raise wrong_type("a string", value, path)
    return value


def as_truth(value: JsonValue, path: str) -> bool:
    """``value`` as true or false; raises BadDocument."""
    if not isinstance(value, bool):
        raise wrong_type("true or false", value, path)
    return value


def as_rational(value: JsonValue, path: str) -> Fraction:
    """``value`` as the number it writes, with or without quotation marks.

    Raises BadDocument and what ``parse_rational`` raises.
    """
    if not isinstance(value, str):
        raise wrong_type("a number", value, path)
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
    """Refuse a document with too many levels; raises BeyondLimit."""
    if _is_shallow(text):
        return
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(text):
        token = match[0]
        if token in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                line_start = text.rfind("\n", 0, match.start()) + 1
                raise BeyondLimit(
                    f"objects and arrays are nested too deeply; at most {MAX_DEPTH} levels are read",
                    line=(text.count("\n", 0, line_start) + 1),
                    column=(match.start() - line_start + 1),
                    code="nested-too-deeply",
                )
        elif token in ("}", "]"):
            depth -= 1


def _is_shallow(text: str) -> bool:
    """Whether brackets alone show that the levels are not too many, none of them standing in a text.

    What is left of such a document are its brackets, of which the innermost pairs go in every round.
    """
    if "\\" in text:
        return False
    brackets = text.encode("ascii", "replace").translate(None, _NO_BRACKETS).replace(b'""', b"")
    for _ in range(MAX_DEPTH):
        before, brackets = len(brackets), brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(brackets) in (0, before):
            break
    return not brackets


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
        for index, item in enumerate(value):
            _report_flaw(item, f"{path}[{index}]", level + 1)
