"""The bytes of files that users name."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from pathlib import Path

from prover.errors import BadDocument
from prover.formats.strict_json import MAX_BYTES, document_too_large

_NAMED = re.compile(r"(?s)(?P<file>.+\.py)(?::(?P<name>\w*))?", re.IGNORECASE)
GZ = ".gz"
"""What the name of a file ends in that is compressed with gzip."""


def no_such_file() -> BadDocument:
    """A model file does not exist."""
    return BadDocument("no such file", code="no-such-file")


def unreadable_file(reason: str) -> BadDocument:
    """The system refuses to read a file."""
    return BadDocument(f"cannot be read: {reason}", code="unreadable-file")


def empty_file() -> BadDocument:
    """There is nothing in a file."""
    return BadDocument("is empty, but a model is expected", code="empty-file")


def content_of(name: str, check: Callable[[], object] = lambda: None) -> bytes:
    """What is in a regular file, decompressed where its name ends in .gz.

    ``check`` is called when the file is there, before it is opened.

    Raises BadDocument, BeyondLimit, and what ``check`` raises.
    """
    if "\0" in name:
        raise unreadable_file("a path cannot contain a null character")
    try:
        # Look before opening: a pipe that nobody writes to would make us wait for ever.
        if not stat.S_ISREG(Path(name).stat().st_mode):
            raise BadDocument(
                "not a regular file; give the path of one, or - for a model at standard input",
                code="not-a-file",
            )
        check()
        with Path(name).open("rb") as file:
            content = _bounded(file.read(MAX_BYTES + 1))
    except FileNotFoundError:
        raise no_such_file() from None
    except OSError as error:
        raise unreadable_file(error.strerror or type(error).__name__) from None
    return _decompressed(content) if is_compressed(name) else content


def is_compressed(name: str) -> bool:
    """Whether the name of a file ends in .gz."""
    return name.lower().endswith(GZ)


def suffix(name: str) -> str:
    """The extension that says the format of a file: the one before .gz, where the name ends in that."""
    return Path(name[: -len(GZ)] if is_compressed(name) else name).suffix


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


def _decompressed(content: bytes) -> bytes:
    """What is compressed, of which no more is written out than is read of a file."""
    import gzip
    import zlib
    from io import BytesIO

    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as file:
            return _bounded(file.read(MAX_BYTES + 1))
    except (OSError, EOFError, zlib.error):
        raise unreadable_file("it is not compressed with gzip, or it is damaged") from None


def companions(path: str) -> list[str]:
    """The other files that a model in the file ``path`` may consist of; each may also end in .gz."""
    extensions = (".lab", ".sta") if suffix(path).lower() == ".tra" else ()
    plain = path[: -len(GZ)] if is_compressed(path) else path
    return [str(Path(plain).with_suffix(extension)) for extension in extensions]


def named_in_code(path: str) -> tuple[str, str | None] | None:
    """The file and the name in FILE.py:NAME; the name is None where there is none; None for other paths.

    >>> named_in_code("mechanisms/svt.py:above_threshold"), named_in_code("svt.dipa")
    (('mechanisms/svt.py', 'above_threshold'), None)
    """
    found = _NAMED.fullmatch(path)
    return None if found is None else (found["file"], found["name"] or None)
