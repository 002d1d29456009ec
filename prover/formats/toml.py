"""TOML documents as values with exact numbers, and the readers of their parts, every error with its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prover.errors import BadDocument, BadInput, BadValue, quoted
from prover.formats.files import content_of
from prover.formats.strict_json import (
    Digits,
    JsonObject,
    JsonValue,
    as_list,
    as_members,
    as_text,
    decoded,
    wrong_type,
)

_PLACE = re.compile(r"(.*) \(at line ([0-9]+), column ([0-9]+)\)", re.DOTALL)
_WHOLE = re.compile(r"[0-9]{1,9}")


def out_of_range(what: str, found: str, wanted: str, path: str) -> BadValue:
    """A number is not in its range."""
    return BadValue(f"{what} is {quoted(found)}; it must be {wanted}", path=path, code="out-of-range")


@contextmanager
def at(path: str) -> Iterator[None]:
    """Gives every BadInput that passes, and names neither a file nor a place, this place in the document."""
    try:
        yield
    except BadInput as error:
        if error.file is None and error.path is None:
            error.path = path
        raise


def toml_in(name: str) -> JsonObject:
    """The document in a file. Raises BadDocument."""
    return read_toml(decoded(content_of(name)))


def read_toml(text: str) -> JsonObject:
    """The document that a text writes; numbers are kept as texts. Raises BadDocument."""
    try:
        document: Any = tomllib.loads(text, parse_float=Digits)
    except tomllib.TOMLDecodeError as error:
        match = _PLACE.fullmatch(str(error))
        if match is None:
            raise BadDocument(f"malformed TOML: {error}", code="not-toml") from None
        raise BadDocument(
            f"malformed TOML: {match[1]}", line=int(match[2]), column=int(match[3]), code="not-toml"
        ) from None
    except ValueError:
        message = "a whole number has more than 4,300 digits; write it between quotation marks"
        raise BadDocument(f"malformed TOML: {message}", code="not-toml") from None
    except RecursionError:
        raise BadDocument("malformed TOML: nested too deeply", code="not-toml") from None
    return as_members(_value(document, "$"), "$")


def _value(found: Any, path: str) -> JsonValue:
    if isinstance(found, dict):
        return {key: _value(value, f"{path}.{key}") for key, value in found.items()}
    if isinstance(found, list):
        return [_value(value, f"{path}[{index}]") for index, value in enumerate(found)]
    if isinstance(found, int) and not isinstance(found, bool):
        return Digits(found)
    if isinstance(found, str | bool):
        return found
    raise BadDocument(
        "a string, a number, an array or a table is expected, not a date or a time",
        path=path,
        code="not-a-value",
    )


def scalar(value: JsonValue, path: str) -> str:
    """A text, or the text of a number; raises BadDocument."""
    if not isinstance(value, str):
        raise wrong_type("a string or a number", value, path)
    return str(value)


def scalars(value: JsonValue, path: str) -> dict[str, str]:
    """A table of texts and numbers."""
    return {key: scalar(item, f"{path}.{key}") for key, item in as_members(value, path).items()}


def texts(value: JsonValue, path: str) -> list[str]:
    """An array of texts."""
    return [as_text(item, f"{path}[{index}]") for index, item in enumerate(as_list(value, path))]


def whole(value: JsonValue, path: str, what: str, least: int = 1) -> int:
    """A whole number of at most nine digits; raises BadDocument, BadValue."""
    if not isinstance(value, Digits):
        raise wrong_type("a number", value, path)
    if _WHOLE.fullmatch(value) is None or int(value) < least:
        raise out_of_range(what, value, f"a whole number of at least {least} and at most nine digits", path)
    return int(value)


def reading_option(value: JsonValue, path: str) -> Any:
    """The value of an option about the reading of a model."""
    if isinstance(value, bool):
        return value
    return texts(value, path) if isinstance(value, list) else scalar(value, path)
