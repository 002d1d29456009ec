"""The two kinds of failure: the user's input is at fault, or this program is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LONGEST_SHOWN = 60
"""Texts with more characters than this are abbreviated in messages."""


class BadInput(ValueError):
    """Something that the user gave is not acceptable (exit status 2).

    ``file`` is the name of the file at fault, ``line`` and ``column`` (from 1) or ``path`` the place in it;
    each is ``None`` where it is not known. ``path`` is a JSON path such as ``$.states["s0"].next["s1"]``. The
    message holds the offending text and says what would be right; ``str`` puts the place before it.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        path: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        parts = []
        if self.file is not None:
            parts.append(shown(self.file) or '""')
        if self.line is not None:
            column = "" if self.column is None else f", column {self.column}"
            parts.append(f"line {self.line}{column}")
        if self.path is not None:
            parts.append(self.path)
        return ": ".join([*parts, self.message])

    def __reduce__(self) -> tuple[Callable[..., BadInput], tuple[object, ...]]:
        # Errors travel between processes; a subclass cannot be called with ``args``, which is its message.
        return _restored, (type(self), self.args, self.__dict__)


class Fault(RuntimeError):
    """This program has a fault: something it relies on did not hold (exit status 70)."""


def _restored(kind: type[BadInput], arguments: tuple[object, ...], state: dict[str, Any]) -> BadInput:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


@contextmanager
def in_file(file: str | None) -> Iterator[None]:
    """Names ``file`` in every BadInput that passes and does not name a file yet."""
    try:
        yield
    except BadInput as error:
        if error.file is None:
            error.file = file
        raise


def abbreviated(text: str) -> str:
    """``text``, its middle left out where it is longer than ``LONGEST_SHOWN`` characters."""
    if len(text) <= LONGEST_SHOWN:
        return text
    kept = LONGEST_SHOWN // 3
    return f"{text[:kept]}…{text[-kept:]} ({len(text)} characters)"


def shown(text: str) -> str:
    """``text`` with every character escaped that does not print: no name can forge or break a line."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def short_name(text: str) -> str:
    """``text``, abbreviated and escaped, as answers name states and labels."""
    return shown(abbreviated(text))


def quoted(text: str) -> str:
    """``text``, abbreviated and between quotation marks, as messages quote what they were given."""
    return '"' + shown(abbreviated(text).replace("\\", "\\\\").replace('"', '\\"')) + '"'
