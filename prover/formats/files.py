"""The bytes of files that users name."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from prover.errors import BadInput
from prover.formats.strict_json import MAX_BYTES, DocumentTooLarge


class NoSuchFile(BadInput):
    """A model file does not exist."""

    def __init__(self) -> None:
        super().__init__("no such file")


class NotAFile(BadInput):
    """A path names a directory, a device or something else that is not a regular file."""

    def __init__(self) -> None:
        super().__init__("not a regular file; give the path of a model file, or - for standard input")


class UnreadableFile(BadInput):
    """The system refuses to read a file."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"cannot be read: {reason}")


def content_of(name: str, check: Callable[[], object] = lambda: None) -> bytes:
    """What is in a regular file; ``check`` is called when it is there, before it is opened.

    Raises NoSuchFile, NotAFile, UnreadableFile, DocumentTooLarge, and what ``check`` raises.
    """
    if "\0" in name:
        raise UnreadableFile("a path holds no null character")
    try:
        # Look before opening: a pipe that nobody writes to would make us wait for ever.
        if not stat.S_ISREG(Path(name).stat().st_mode):
            raise NotAFile
        check()
        with Path(name).open("rb") as file:
            return _bounded(file.read(MAX_BYTES + 1))
    except FileNotFoundError:
        raise NoSuchFile from None
    except OSError as error:
        raise UnreadableFile(error.strerror or type(error).__name__) from None


def standard_input() -> bytes:
    """What comes in at standard input; raises UnreadableFile, DocumentTooLarge."""
    try:
        with open(0, "rb", closefd=False) as file:
            return _bounded(file.read(MAX_BYTES + 1))
    except OSError as error:
        raise UnreadableFile(error.strerror or type(error).__name__) from None


def _bounded(content: bytes) -> bytes:
    if len(content) > MAX_BYTES:
        raise DocumentTooLarge
    return content


def companions(path: str) -> list[str]:
    """The other files that a model in the file ``path`` may consist of."""
    extensions = (".lab", ".sta") if Path(path).suffix.lower() == ".tra" else ()
    return [str(Path(path).with_suffix(extension)) for extension in extensions]
