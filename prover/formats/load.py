"""Opening a model file, whatever its format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.errors import BadDocument, BadInput, BadOptions, NotSupported, in_file, must_be, quoted, shown
from prover.formats.chain_json import TYPE as CHAIN
from prover.formats.chain_json import chain_as_read
from prover.formats.files import (
    content_of,
    empty_file,
    named_in_code,
    standard_input,
    suffix,
)
from prover.formats.process_json import TYPE as PROCESS
from prover.formats.process_json import has_actions, process_as_read
from prover.formats.reading import Constants, Names, Reading, ReadingNote, SecretNames
from prover.formats.strict_json import JsonValue, as_members, as_text, missing_key, read_json
from prover.garbage import without_collection
from prover.program.model import Program

if TYPE_CHECKING:
    from prover.formats.explicit.process import Explicit

STANDARD_INPUT = "-"

_AS_SEEN = (
    "the answer and its certificate are about the process without the steps that the observer does not see; "
    "prover convert with the same options writes this process, if the relation has the secrets"
)
_PROCESS = "labelled Markov decision process (its states offer actions)"

NEEDS_EPSILON = "needs-epsilon"
"""The code of the error that code depends on ε otherwise than by rates."""
Model = System | Program
AnyModel = TypeVar("AnyModel")


def unknown_extension(extension: str, known: list[str]) -> BadDocument:
    """The extension of a file's name belongs to no format that is read."""
    given = f"extension {quoted(extension)}" if extension else "a name without extension"
    return BadDocument(
        f"{given} is not a known format; the formats are {', '.join(known)}", code="unknown-extension"
    )


def wrong_kind(wanted: str, found: str) -> NotSupported:
    """A file holds a model of the other kind than is asked for."""
    answers = {
        wanted: "; prover delta answers about it",
        found: "; prover privacy and prover delta --at-epsilon answer about it, and prover account where its "
        "file says at_epsilon",
    }.get("threshold program", "")
    return NotSupported(f"holds a {found}, but a {wanted} is expected{answers}", code="wrong-kind")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model, and what its user has to be told about its reading."""

    model: Model
    notes: tuple[str, ...] = ()


Format = Callable[[bytes, str, Reading], Loaded]
"""Reads a model from the content and the name of a file."""


def load(
    source: str | os.PathLike[str] | object,
    *,
    on_note: Callable[[str], None] | None = None,
    observe: Names | None = None,
    labels: Names | None = None,
    secret: SecretNames | None = None,
    initial: bool = False,
    secret_pairs: str | os.PathLike[str] | None = None,
    normalise: bool = False,
    const: Constants | None = None,
    untimed: bool = False,
    silent: Names | None = None,
    refuse: bool = False,
    related: str | None = None,
) -> Model:
    """The model in a file. The extension of the file name, in either case, chooses the format.

    A ``.json`` document names its type of model. ``.dipa`` files hold threshold programs. ``.tra`` (with
    ``.lab`` and ``.sta`` beside it), ``.pexp`` and ``.drn`` files hold Markov chains or decision processes.
    ``.prism``, ``.pm``, ``.nm`` and ``.jani`` files hold programs, from which Storm builds one of these. All
    but ``.umb`` may end in ``.gz`` besides. ``-`` is standard input. ``FILE.py:NAME`` is a mechanism or a
    protocol in a file of Python code, which is read and not executed: ``const`` gives values to its
    parameters, ``secret`` names the secret ones, and ``related`` says which secrets are neighbours: "differ
    in one", "differ by 1 in one", or the name of a function of the file. A model of stormpy or stormvogel can
    stand in place of a path.

    The options (prover.formats.reading.Reading, docs/models.md) choose what the observer sees (``observe``,
    ``labels``) and the secrets (``secret``, ``initial``, ``secret_pairs``, ``related``); ``normalise``
    divides rows by their sums, and ``const`` gives values to the constants of programs. With ``refuse``,
    states refuse the actions that only other states of their label offer. ``untimed`` and ``silent`` are for
    an observer who does not see every step (``prover.collapse``). Notes about the reading go to ``on_note``,
    or are warnings of the class ReadingNote.

    Raises BadDocument, BeyondLimit, BadOptions, and the errors of ``prover.collapse`` and of the format's
    reader. Every error names the file.

        >>> load("examples/coin.json")
        <LabelledMarkovChain: 4 states, 2 related pairs>
        >>> load("examples/diners.drn", observe=["said"], secret=["payer"])
        <LabelledMarkovChain: 69 states, 6 related pairs>
    """
    reading = Reading.of(
        observe, labels, secret, initial, secret_pairs, normalise, const, untimed, silent, refuse, related
    )
    return read_model(source, reading, on_note)


def read_model(
    source: str | os.PathLike[str] | object,
    reading: Reading,
    on_note: Callable[[str], None] | None,
    lost: Fraction | None = None,
) -> Model:
    """The model in a file; what the user has to be told goes to ``on_note``, or is a warning.

    A protocol with too many states may be cut, so that runs are ``lost`` with at most this probability; and
    so are chains with probabilities that are not rational.
    """
    with in_file(_title(source)):
        if isinstance(source, str | os.PathLike) and named_in_code(os.fspath(source)):
            from prover.formats.code import model_of_code

            loaded = Loaded(*model_of_code(os.fspath(source), reading, lost))
        elif isinstance(source, str | os.PathLike):
            content, extension = _content(source, _format)
            if not content.strip():
                raise empty_file()
            with without_collection():
                loaded = _format(extension)(content, str(_title(source)), replace(reading, lost=lost))
        else:
            from prover.formats.explicit.built import explicit_model
            from prover.formats.explicit.files import VIEW
            from prover.formats.explicit.observation import observed

            reading.only(VIEW, "a model of a library")
            reading.no_values("a model of a library")
            with without_collection():
                loaded = Loaded(*observed(explicit_model(source, normalise=reading.normalise), reading))
        model = as_seen(loaded.model, reading)
    notes = loaded.notes
    if model is not loaded.model and isinstance(model, LabelledMarkovDecisionProcess):
        notes = (*notes, _AS_SEEN)
    for note in notes:
        if on_note is None:
            warnings.warn(note, ReadingNote, stacklevel=3)
        else:
            on_note(note)
    return model


def read_at(
    read: Callable[[str | None], AnyModel], const: str | None, at_epsilon: object
) -> tuple[AnyModel, str | None]:
    """A model that ``read`` makes with constants, and these. If it needs an ε, that is one of them.

    ``at_epsilon`` is this ε, or None. Raises what ``read`` raises.
    """
    try:
        return read(const), const
    except BadInput as error:
        if at_epsilon is None or error.code != NEEDS_EPSILON:
            raise
    const = ",".join(filter(None, (const, f"epsilon={at_epsilon}")))
    return read(const), const


def as_seen(model: Model, reading: Reading) -> Model:
    """The model without the steps that the observer does not see; raises BadOptions, and what
    ``prover.collapse`` raises.
    """
    if not (reading.untimed or reading.silent):
        return model
    if not isinstance(model, System):
        raise BadOptions("untimed and silent have no meaning for a threshold program; leave them out")
    from prover.chain.collapsing.collapse import collapse

    return collapse(model, reading.silent or (), untimed=reading.untimed)


def load_chain(
    source: str | os.PathLike[str] | object,
    *,
    on_note: Callable[[str], None] | None = None,
    observe: Names | None = None,
    labels: Names | None = None,
    secret: SecretNames | None = None,
    initial: bool = False,
    secret_pairs: str | os.PathLike[str] | None = None,
    normalise: bool = False,
    const: Constants | None = None,
    untimed: bool = False,
    silent: Names | None = None,
    refuse: bool = False,
    related: str | None = None,
) -> LabelledMarkovChain:
    """The labelled Markov chain in a file; raises NotSupported and what ``load`` raises.

    >>> load_chain("examples/coin.json").states
    ('biased', 'fair', 'heads', 'tails')
    """
    reading = Reading.of(
        observe, labels, secret, initial, secret_pairs, normalise, const, untimed, silent, refuse, related
    )
    model = read_model(source, reading, on_note)
    if not isinstance(model, LabelledMarkovChain):
        with in_file(_title(source)):
            raise wrong_kind("labelled Markov chain", kind_of(model))
    return model


def load_system(
    source: str | os.PathLike[str] | object,
    reading: Reading,
    on_note: Callable[[str], None] | None = None,
) -> System:
    """The chain or the decision process in a file; raises NotSupported and what ``load`` raises."""
    model = read_model(source, reading, on_note)
    if not isinstance(model, System):
        raise not_a_system(source, model)
    return model


def not_a_system(source: object, model: Model) -> NotSupported:
    """A file holds something else than a chain or a decision process."""
    error = wrong_kind("labelled Markov chain or decision process", kind_of(model))
    error.file = error.file or _title(source)
    return error


def kind_of(model: Model) -> str:
    """What errors call a model."""
    if isinstance(model, LabelledMarkovDecisionProcess):
        return _PROCESS
    return "labelled Markov chain" if isinstance(model, LabelledMarkovChain) else "threshold program"


def load_explicit(source: str | os.PathLike[str], reading: Reading) -> Explicit | None:
    """The chain in a file of a model checker, before it is decided what is observed.

    None, and nothing is opened, for other files and for standard input.

    Of the options only ``normalise`` and ``const`` have a meaning. Raises BadOptions and what ``load``
    raises.
    """
    from prover.formats.explicit.files import READERS, read_explicit

    with in_file(_title(source)):
        if suffix(os.fspath(source)).lower() not in READERS:
            return None
        content, _ = _content(source, _format)
        return read_explicit(content, os.fspath(source), reading)


def load_program(
    path: str | os.PathLike[str],
    *,
    on_note: Callable[[str], None] | None = None,
    observe: Names | None = None,
    labels: Names | None = None,
    secret: SecretNames | None = None,
    initial: bool = False,
    secret_pairs: str | os.PathLike[str] | None = None,
    normalise: bool = False,
    const: Constants | None = None,
    untimed: bool = False,
    silent: Names | None = None,
    refuse: bool = False,
    related: str | None = None,
) -> Program:
    """The threshold program in a file; raises NotSupported and what ``load`` raises.

    >>> load_program("examples/svt.dipa")
    <Program: 2 states, 3 transitions>
    """
    must_be((str, os.PathLike), path=path)
    reading = Reading.of(
        observe, labels, secret, initial, secret_pairs, normalise, const, untimed, silent, refuse, related
    )
    model = read_model(path, reading, on_note)
    if isinstance(model, System):
        with in_file(_title(path)):
            raise wrong_kind("threshold program", kind_of(model))
    return model


def _title(source: object) -> str | None:
    """What errors call a file; None for what is no file."""
    if not isinstance(source, str | os.PathLike):
        return None
    name = str(os.fspath(source))
    return "standard input" if name == STANDARD_INPUT else name


def _content(source: str | os.PathLike[str], check: Callable[[str], object]) -> tuple[bytes, str]:
    """What is in a file, and its extension; ``check`` looks at the latter before the file is opened."""
    name = os.fspath(source)
    if name == STANDARD_INPUT:
        content = standard_input()
        return content, guessed(content)
    extension = suffix(name)
    return content_of(name, lambda: check(extension)), extension


def guessed(content: bytes) -> str:
    """The extension of a file without a name, by how it begins."""
    start = content[:1000].lstrip()
    begins = {b"{": ".json", b"@type": ".drn", b"//": ".drn", b"# Transitions": ".pexp"}
    return next((extension for begin, extension in begins.items() if start.startswith(begin)), ".dipa")


def model_of_document(value: JsonValue) -> Model:
    """The model that a JSON document holds; raises BadDocument and what the readers of the types raise."""
    return _of_document(value, None, Reading()).model


def _json(content: bytes, name: str, reading: Reading) -> Loaded:
    return _of_document(read_json(content), name, reading)


def _of_document(value: JsonValue, name: str | None, reading: Reading) -> Loaded:
    document = as_members(value, "$")
    if "type" not in document:
        raise missing_key("type", "$")
    found = as_text(document["type"], "$.type")
    if found == PROCESS or (found == CHAIN and has_actions(document)):
        process, notes = process_as_read(document, name, reading)
        return Loaded(process if process.leaves_a_choice else process.as_chain(), notes)
    if found == CHAIN:
        return Loaded(*chain_as_read(document, name, reading))
    from prover.formats.program_json import TYPE as PROGRAM
    from prover.formats.program_json import program_from_json

    if found == PROGRAM:
        reading.only((), "a threshold program")
        return _program(program_from_json(document, name), name)
    known = f"{quoted(CHAIN)}, {quoted(PROCESS)} and {quoted(PROGRAM)}"
    message = f"type {quoted(found)} is not supported; the types are {known}"
    raise BadDocument(message, path="$.type", code="unknown-type")


def _dipa(content: bytes, name: str, reading: Reading) -> Loaded:
    from prover.formats.dipa import read_dipa

    reading.only((), "a threshold program")
    return _program(read_dipa(content, name), name)


def _program(program: Program, name: str | None) -> Loaded:
    """A program with remarks about it, which begin with the name of its file."""
    from prover.program.remarks import remarks

    before = "" if name is None else f"{shown(name)}: "
    return Loaded(program, tuple(before + remark for remark in remarks(program)))


def _explicit(extension: str) -> Format:
    """The format of an explicit chain, of which an observer sees a part."""
    from prover.formats.explicit.files import read_explicit
    from prover.formats.explicit.observation import observed

    def loaded(content: bytes, name: str, reading: Reading) -> Loaded:
        path = name if suffix(name).lower() == extension else f"{name}{extension}"
        return Loaded(*observed(read_explicit(content, path, reading), reading))

    return loaded


def _format(extension: str) -> Format:
    """The format of files with this extension; the readers of model checkers are loaded for their own."""
    formats: Mapping[str, Format] = {".dipa": _dipa, ".json": _json}
    if extension.lower() in formats:
        return formats[extension.lower()]
    from prover.formats.explicit.files import READERS

    if extension.lower() not in READERS:
        raise unknown_extension(extension, sorted([*formats, *READERS, ".py"]))
    return _explicit(extension.lower())
