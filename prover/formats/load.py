"""Opening a model file, whatever its format."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, in_file, quoted
from prover.formats.chain_json import TYPE as CHAIN
from prover.formats.chain_json import chain_from_json
from prover.formats.dipa import read_dipa
from prover.formats.program_json import TYPE as PROGRAM
from prover.formats.program_json import program_from_json
from prover.formats.strict_json import (
    MAX_BYTES,
    DocumentTooLarge,
    MissingKey,
    as_members,
    as_text,
    read_json,
)
from prover.program.model import Program

STANDARD_INPUT = "-"


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


class UnknownExtension(BadInput):
    """The extension of a file's name belongs to no format that is read."""

    def __init__(self, extension: str, known: list[str]) -> None:
        given = f"extension {quoted(extension)}" if extension else "a name without extension"
        super().__init__(f"{given} names no format; the formats are {', '.join(known)}")


class UnknownType(BadInput):
    """A JSON document holds a type of model that is not known."""

    def __init__(self, found: str) -> None:
        message = f"type {quoted(found)} is not read; the types are {quoted(CHAIN)} and {quoted(PROGRAM)}"
        super().__init__(message, path="$.type")


class WrongKind(BadInput):
    """A file holds a model of the other kind than is asked for."""

    def __init__(self, wanted: str, found: str) -> None:
        super().__init__(f"holds a {found}, and a {wanted} is asked for")


def load(path: str | os.PathLike[str]) -> LabelledMarkovChain | Program:
    """The model in a file; the extension of its name, in either case, decides on the format.

    A ``.json`` document says itself what it holds, and ``.dipa`` files hold threshold programs. ``-`` is
    standard input, where a JSON document begins with ``{``. Raises NoSuchFile, NotAFile, UnknownExtension,
    UnreadableFile, DocumentTooLarge, UnknownType, and what the reader of the format raises, every error with
    the file's name.
    """
    name = os.fspath(path)
    with in_file(_title(name)):
        content = _standard_input() if name == STANDARD_INPUT else _file(name)
        if len(content) > MAX_BYTES:
            raise DocumentTooLarge
        if name == STANDARD_INPUT:
            extension = ".json" if content.lstrip().startswith(b"{") else ".dipa"
        else:
            extension = Path(name).suffix
        return _reader(extension)(content, _title(name))


def load_chain(path: str | os.PathLike[str]) -> LabelledMarkovChain:
    """The labelled Markov chain in a file; raises WrongKind and what ``load`` raises."""
    model = load(path)
    if not isinstance(model, LabelledMarkovChain):
        with in_file(_title(os.fspath(path))):
            raise WrongKind("labelled Markov chain", "threshold program")
    return model


def load_program(path: str | os.PathLike[str]) -> Program:
    """The threshold program in a file; raises WrongKind and what ``load`` raises."""
    model = load(path)
    if not isinstance(model, Program):
        with in_file(_title(os.fspath(path))):
            raise WrongKind("threshold program", "labelled Markov chain")
    return model


def _title(name: str) -> str:
    """What errors call a file."""
    return "standard input" if name == STANDARD_INPUT else name


def _file(name: str) -> bytes:
    if "\0" in name:
        raise UnreadableFile("a path holds no null character")
    try:
        # Look before opening: a pipe that nobody writes to would make us wait for ever.
        if not stat.S_ISREG(Path(name).stat().st_mode):
            raise NotAFile
        _reader(Path(name).suffix)
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise NoSuchFile from None
    except OSError as error:
        raise UnreadableFile(error.strerror or type(error).__name__) from None


def _standard_input() -> bytes:
    try:
        with open(0, "rb", closefd=False) as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UnreadableFile(error.strerror or type(error).__name__) from None


def _read_json_model(content: bytes, name: str) -> LabelledMarkovChain | Program:
    document = as_members(read_json(content), "$")
    if "type" not in document:
        raise MissingKey("type", "$")
    found = as_text(document["type"], "$.type")
    if found == CHAIN:
        return chain_from_json(document, name)
    if found == PROGRAM:
        return program_from_json(document, name)
    raise UnknownType(found)


def _reader(extension: str) -> Callable[[bytes, str], LabelledMarkovChain | Program]:
    readers: Mapping[str, Callable[[bytes, str], LabelledMarkovChain | Program]] = {
        ".dipa": read_dipa,
        ".json": _read_json_model,
    }
    if extension.lower() not in readers:
        raise UnknownExtension(extension, sorted(readers))
    return readers[extension.lower()]
