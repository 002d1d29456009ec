"""Opening a model file, whatever its format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, in_file, quoted
from prover.formats.chain_json import TYPE as CHAIN
from prover.formats.chain_json import chain_as_read
from prover.formats.dipa import read_dipa
from prover.formats.explicit.chain import ExplicitChain
from prover.formats.explicit.drn import read_drn
from prover.formats.explicit.observation import observed
from prover.formats.explicit.prism import Companion, read_combined, read_prism
from prover.formats.files import content_of, standard_input
from prover.formats.program_json import TYPE as PROGRAM
from prover.formats.program_json import program_from_json
from prover.formats.reading import COLLAPSING, Reading, ReadingNote
from prover.formats.strict_json import JsonValue, MissingKey, as_members, as_text, decoded, read_json
from prover.program.model import Program

STANDARD_INPUT = "-"

Model = LabelledMarkovChain | Program


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


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model, and what its user has to be told about its reading."""

    model: Model
    notes: tuple[str, ...] = ()


Format = Callable[[bytes, str, Reading], Loaded]
"""Reads a model from the content and the name of a file."""


def load(
    source: str | os.PathLike[str], *, on_note: Callable[[str], None] | None = None, **options: Any
) -> Model:
    """The model in a file; the extension of its name, in either case, decides on the format.

    A ``.json`` document says itself what it holds, and ``.dipa`` files hold threshold programs; ``.tra``
    (with ``.lab`` and ``.sta`` beside it), ``.pexp`` and ``.drn`` files hold chains, of which ``options`` say
    what is observed and what is secret: ``observe``, ``labels``, ``secret``, ``initial``, ``secret_pairs``,
    ``normalise`` (prover.formats.reading.Reading, docs/models.md). Of every chain ``untimed`` and ``silent``
    leave what is seen by somebody who does not see every step (``prover.collapse``). ``-`` is standard input.
    What the user has to be told goes to ``on_note``, or is a ReadingNote among Python's warnings.

    Raises NoSuchFile, NotAFile, UnknownExtension, UnreadableFile, DocumentTooLarge, UnknownType, BadReading,
    and what ``prover.collapse`` and the reader of the format raise, every error with the name of the file.
    """
    reading = Reading.of(options)
    with in_file(_title(source)):
        content, extension = _content(source, _format)
        loaded = _format(extension)(content, _title(source), reading)
        model = _as_seen(loaded.model, reading)
    for note in loaded.notes:
        if on_note is None:
            warnings.warn(note, ReadingNote, stacklevel=2)
        else:
            on_note(note)
    return model


def _as_seen(model: Model, reading: Reading) -> Model:
    """The model without the steps that the observer does not see."""
    if not isinstance(model, LabelledMarkovChain) or not (reading.untimed or reading.silent):
        return model
    from prover.chain.collapsing.collapse import collapse

    return collapse(model, reading.silent or (), untimed=reading.untimed)


def load_chain(
    source: str | os.PathLike[str], *, on_note: Callable[[str], None] | None = None, **options: Any
) -> LabelledMarkovChain:
    """The labelled Markov chain in a file; raises WrongKind and what ``load`` raises."""
    model = load(source, on_note=on_note, **options)
    if not isinstance(model, LabelledMarkovChain):
        with in_file(_title(source)):
            raise WrongKind("labelled Markov chain", "threshold program")
    return model


def load_explicit(source: str | os.PathLike[str], **options: Any) -> ExplicitChain | None:
    """The chain in a file of a model checker, before it is decided what is observed.

    None, and nothing is opened, for other files and for standard input.
    Of the options only ``normalise`` has a meaning. Raises BadReading and what ``load`` raises.
    """
    reading = Reading.of(options)
    with in_file(_title(source)):
        read = EXPLICIT.get(Path(source).suffix.lower())
        if read is None:
            return None
        content, _ = _content(source, _format)
        return read(content, _title(source), reading.normalise)


def load_program(path: str | os.PathLike[str]) -> Program:
    """The threshold program in a file; raises WrongKind and what ``load`` raises."""
    model = load(path)
    if not isinstance(model, Program):
        with in_file(_title(path)):
            raise WrongKind("threshold program", "labelled Markov chain")
    return model


def _title(source: str | os.PathLike[str]) -> str:
    """What errors call a file."""
    name = os.fspath(source)
    return "standard input" if name == STANDARD_INPUT else name


def _content(source: str | os.PathLike[str], check: Callable[[str], object]) -> tuple[bytes, str]:
    """What is in a file, and its extension; ``check`` looks at the latter before the file is opened."""
    name = os.fspath(source)
    if name == STANDARD_INPUT:
        content = standard_input()
        return content, _guessed(content)
    extension = Path(name).suffix
    return content_of(name, lambda: check(extension)), extension


def _guessed(content: bytes) -> str:
    """The extension of a file without a name, by how it begins."""
    start = content[:1000].lstrip()
    begins = {b"{": ".json", b"@type": ".drn", b"//": ".drn", b"# Transitions": ".pexp"}
    return next((extension for begin, extension in begins.items() if start.startswith(begin)), ".dipa")


def model_of_document(value: JsonValue) -> Model:
    """The model that a JSON document holds; raises UnknownType and what the readers of the types raise."""
    return _of_document(value, None, Reading()).model


def _json(content: bytes, name: str, reading: Reading) -> Loaded:
    return _of_document(read_json(content), name, reading)


def _of_document(value: JsonValue, name: str | None, reading: Reading) -> Loaded:
    document = as_members(value, "$")
    if "type" not in document:
        raise MissingKey("type", "$")
    found = as_text(document["type"], "$.type")
    if found == CHAIN:
        return Loaded(*chain_as_read(document, name, reading))
    if found == PROGRAM:
        reading.only((), "a threshold program")
        return Loaded(program_from_json(document, name))
    raise UnknownType(found)


def _dipa(content: bytes, name: str, reading: Reading) -> Loaded:
    reading.only((), "a threshold program")
    return Loaded(read_dipa(content, name))


VIEW = ("observe", "labels", "secret", "initial", "secret_pairs", "normalise")
"""The options that formats of model checkers have a use for."""


def _explicit(read: Callable[[bytes, str, bool], ExplicitChain]) -> Format:
    """The format of an explicit chain, of which an observer sees a part."""

    def loaded(content: bytes, name: str, reading: Reading) -> Loaded:
        reading.only((*VIEW, *COLLAPSING), "a file of states and transitions")
        return Loaded(*observed(read(content, name, reading.normalise), reading))

    return loaded


def _prism(content: bytes, name: str, normalise: bool) -> ExplicitChain:
    companions = []
    for extension in (".lab", ".sta"):
        path = Path(name).with_suffix(extension)
        companion = None
        if path.exists():
            with in_file(str(path)):
                companion = Companion(str(path), decoded(content_of(str(path))))
        companions.append(companion)
    return read_prism(decoded(content), *companions, normalise=normalise)


def _drn(content: bytes, name: str, normalise: bool) -> ExplicitChain:
    del name
    return read_drn(decoded(content), normalise=normalise)


def _pexp(content: bytes, name: str, normalise: bool) -> ExplicitChain:
    del name
    return read_combined(decoded(content), normalise=normalise)


EXPLICIT: Mapping[str, Callable[[bytes, str, bool], ExplicitChain]] = {
    ".drn": _drn,
    ".pexp": _pexp,
    ".tra": _prism,
}
"""The formats of model checkers by their extensions."""


def _format(extension: str) -> Format:
    explicit = {suffix: _explicit(read) for suffix, read in EXPLICIT.items()}
    formats: Mapping[str, Format] = {".dipa": _dipa, ".json": _json, **explicit}
    if extension.lower() not in formats:
        raise UnknownExtension(extension, sorted(formats))
    return formats[extension.lower()]
