"""The bytes of files that users name."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from prover.errors import BadDocument
from prover.formats.strict_json import MAX_BYTES, document_too_large


def no_such_file() -> BadDocument:
    """A model file does not exist."""
    return BadDocument("no such file", code="no-such-file")


def unreadable_file(reason: str) -> BadDocument:
    """The system refuses to read a file."""
    return BadDocument(f"cannot be read: {reason}", code="unreadable-file")


def content_of(name: str, check: Callable[[], object] = lambda: None) -> bytes:
    """What is in a regular file; ``check`` is called when it is there, before it is opened.

    Raises BadDocument, BeyondLimit, and what ``check`` raises.
    """
    if "\0" in name:
        raise unreadable_file("a path cannot contain a null character")
    try:
        # Look before opening: a pipe that nobody writes to would make us wait for ever.
        if not stat.S_ISREG(Path(name).stat().st_mode):
            raise BadDocument(
                "not a regular file; give the path of a model file, or - for standard input",
                code="not-a-file",
            )
        check()
        with Path(name).open("rb") as file:
            return _bounded(file.read(MAX_BYTES + 1))
    except FileNotFoundError:
        raise no_such_file() from None
    except OSError as error:
        raise unreadable_file(error.strerror or type(error).__name__) from None


def standard_input() -> bytes:
    """What comes in at standard input; raises BadDocument, BeyondLimit."""
    try:
        with open(0, "rb", closefd=False) as file:
            return _bounded(file.read(MAX_BYTES + 1))
    except OSError as error:
        raise unreadable_file(error.strerror or type(error).__name__) from None


def _bounded(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise document_too_large()
    return content


def companions(path: str) -> list[str]:
    """The other files that a model in the file ``path`` may consist of."""
    extensions = (".lab", ".sta") if Path(path).suffix.lower() == ".tra" else ()
    return [str(Path(path).with_suffix(extension)) for extension in extensions]
