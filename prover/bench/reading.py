"""TOML documents as values with exact numbers, and the readers of their parts, every error with its place."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prover.bench.errors import NotAValue, NotToml, OutOfRange
from prover.errors import BadInput
from prover.formats.strict_json import (
    JsonObject,
    JsonValue,
    Number,
    WrongType,
    as_list,
    as_members,
    as_rational,
    as_text,
)

_PLACE = re.compile(r"(.*) \(at line ([0-9]+), column ([0-9]+)\)", re.DOTALL)
_WHOLE = re.compile(r"[0-9]{1,9}")


@contextmanager
def at(path: str) -> Iterator[None]:
    """Gives every BadInput that passes, and names neither a file nor a place, this place in the suite."""
    try:
        yield
    except BadInput as error:
        if error.file is None and error.path is None:
            error.path = path
        raise


def read_toml(text: str) -> JsonObject:
    """The document that a text writes; numbers are kept as texts. Raises NotToml, NotAValue."""
    try:
        document: Any = tomllib.loads(text, parse_float=Number)
    except tomllib.TOMLDecodeError as error:
        match = _PLACE.fullmatch(str(error))
        if match is None:
            raise NotToml(f"malformed TOML: {error}") from None
        raise NotToml(f"malformed TOML: {match[1]}", line=int(match[2]), column=int(match[3])) from None
    except RecursionError:
        raise NotToml("malformed TOML: nested too deeply") from None
    return as_members(_value(document, "$"), "$")


def _value(found: Any, path: str) -> JsonValue:
    if isinstance(found, dict):
        return {key: _value(value, f"{path}.{key}") for key, value in found.items()}
    if isinstance(found, list):
        return [_value(value, f"{path}[{place}]") for place, value in enumerate(found)]
    if isinstance(found, int) and not isinstance(found, bool):
        return Number(found)
    if isinstance(found, str | bool):
        return found
    raise NotAValue(path)


def scalar(value: JsonValue, path: str) -> str:
    """A text, or the text of a number; raises WrongType."""
    if not isinstance(value, str):
        raise WrongType("a text or a number", value, path)
    return str(value)


def scalars(value: JsonValue, path: str) -> dict[str, str]:
    """A table of texts and numbers."""
    return {key: scalar(item, f"{path}.{key}") for key, item in as_members(value, path).items()}


def texts(value: JsonValue, path: str) -> list[str]:
    """An array of texts."""
    return [as_text(item, f"{path}[{place}]") for place, item in enumerate(as_list(value, path))]


def whole(value: JsonValue, path: str, what: str, least: int = 1) -> int:
    """A whole number of at most nine digits; raises WrongType, OutOfRange."""
    if not isinstance(value, Number):
        raise WrongType("a number", value, path)
    if _WHOLE.fullmatch(value) is None or int(value) < least:
        raise OutOfRange(what, value, f"a whole number of at least {least} and at most nine digits", path)
    return int(value)


def duration(value: JsonValue, path: str) -> float:
    """A number of seconds; raises WrongType, OutOfRange and what ``parse_rational`` raises."""
    seconds = as_rational(value, path)
    if not 0 < seconds <= 10**9:
        raise OutOfRange("a time limit", str(value), "more than 0 seconds and at most 1000000000", path)
    return float(seconds)
