"""Models into files, and from one file format to another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from prover.certificate.schema import write_together
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess, must_be_whole
from prover.errors import BadOptions, Unwritable, in_file, must_be, quoted
from prover.formats.dipa_writer import write_dipa
from prover.formats.document import laid_out
from prover.formats.explicit.chain import ExplicitChain
from prover.formats.explicit.process import Explicit, ExplicitProcess
from prover.formats.explicit.umb import umb_bytes
from prover.formats.explicit.writing import combined_text, drn_text, explicit_of, prism_texts
from prover.formats.files import companions
from prover.formats.load import Model, kind_of, load_explicit, read_model, unknown_extension
from prover.formats.objects import to_dict
from prover.formats.reading import Constants, Names, Reading, SecretNames
from prover.formats.strict_json import check_values, decoded
from prover.program.gaps import completed
from prover.program.model import Program

_DECISIONS = "Markov decision process"

FileContents = Mapping[str, str | bytes]
"""The extensions of the files that hold a model, each with the text of the file; the model's own file
last.
"""


def only_chains(extension: str, found: str) -> Unwritable:
    """Something else is to be written in a format of Markov chains."""
    written = ".drn, .tra, .pexp or .json" if found == _DECISIONS else ".json or .dipa"
    return Unwritable(
        f"{extension} files hold Markov chains; write a {found} as {written}", code="only-chains"
    )


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    on_note: Callable[[str], None] | None = None,
    stuck: bool = False,
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
) -> None:
    """Read the model in the file ``source`` and write it to ``target``, whole or not at all.

    The extensions of the names, in either case, decide on the formats: ``.json``, ``.dipa`` for programs,
    ``.tra`` (with ``.lab`` and ``.sta``), ``.pexp``, ``.drn`` and ``.umb`` for chains. The other options say
    how ``source`` is read, as for ``load``. From one format of model checkers to another, without options,
    everything is kept; ``.json`` holds what is observed. With ``stuck`` a program gets transitions for what
    its guards leave uncovered (prover.program.gaps). Raises BadOptions, BadDocument, what ``load``
    raises about ``source``, and about ``target`` what ``save`` raises.

        >>> import prover
        >>> convert("examples/diners.drn", "diners.json", observe=["said"], secret=["payer"])
        >>> prover.load("diners.json")
        <LabelledMarkovChain: 69 states, 6 related pairs>

    Reference: docs/models.md.
    """
    must_be((str, os.PathLike), source=source, target=target)
    reading = Reading.of(
        observe, labels, secret, initial, secret_pairs, normalise, const, untimed, silent, refuse, related
    )
    write_together(converted(source, target, reading, on_note, stuck=stuck), "the model")


def converted(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    reading: Reading,
    on_note: Callable[[str], None] | None = None,
    *,
    stuck: bool = False,
) -> list[tuple[str, bytes]]:
    """The files that ``convert`` writes, and what they hold; it raises the same, but Unwritable."""
    with in_file(os.fspath(target)):
        _writer(target)
    is_explicit = Path(target).suffix.lower() in (".drn", ".pexp", ".tra", ".umb")
    has_view = replace(reading, normalise=False, const=None) != Reading()  # more than how to come to a chain
    whole = load_explicit(source, reading) if is_explicit and not has_view else None
    model = read_model(source, reading, on_note) if whole is None else whole
    if whole is not None and on_note is not None:
        for note in whole.notes:
            on_note(note)
    return _files(stuck_seen(model) if stuck else model, target)


def stuck_seen(model: Model | Explicit) -> Program:
    """The program with transitions where guards leave a gap. Raises BadOptions where it is none."""
    if not isinstance(model, Program):
        raise BadOptions("only threshold programs have guards that could leave a gap", code="nothing-stuck")
    return completed(model)


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all; reading it gives the same model again.

    The extension of the name decides on the format, as for ``convert``. Raises BadDocument, Unwritable, and
    BeyondLimit where a JSON document could not be read again.

        >>> import prover
        >>> from prover.zoo import svt
        >>> save(svt(), "svt.dipa")
        >>> prover.load("svt.dipa") == svt()
        True

    Reference: docs/models.md.
    """
    must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess, Program), model=model)
    must_be((str, os.PathLike), path=path)
    write_together(_files(model, path), "the model")


def files_of(target: str | os.PathLike[str]) -> list[str]:
    """The files that a model in the file ``target`` may consist of; raises BadDocument."""
    name = os.fspath(target)
    with in_file(name):
        _writer(name)
    return [name, *companions(name)]


def write_json(model: Model) -> str:
    """The JSON document of a model of any kind, for people: a line for each state and each related pair.

    The document is ASCII and always the same for the same model. Raises BeyondLimit where it could not be
    read again.
    """
    text = laid_out(to_dict(model), ("states", "relation"))
    check_values(decoded(text))
    return text


def _files(model: Model | Explicit, path: str | os.PathLike[str]) -> list[tuple[str, bytes]]:
    """The files of a model, its own file last, and what they hold."""
    name = os.fspath(path)
    must_be_whole(model)
    with in_file(name):
        texts = _writer(name)(model)
        if ".lab" in texts and ".sta" not in texts and (stale := Path(name).with_suffix(".sta")).exists():
            raise Unwritable(
                f"{quoted(str(stale))} exists and would be read with this model; remove it first",
                code="stale-companion",
            )
    files = []
    for extension, text in texts.items():
        place = name if len(texts) == 1 or extension == ".tra" else str(Path(name).with_suffix(extension))
        files.append((place, text.encode("utf-8") if isinstance(text, str) else text))
    return files


def _dipa(model: Model | Explicit) -> FileContents:
    if not isinstance(model, Program):
        raise Unwritable(
            ".dipa files hold threshold programs; write other models as .json", code="not-in-text-format"
        )
    return {".dipa": write_dipa(model)}


def _json(model: Model | Explicit) -> FileContents:
    if isinstance(model, ExplicitChain | ExplicitProcess):
        raise TypeError("a JSON document holds what is observed of a model")
    return {".json": write_json(model)}


def _tra(model: Explicit) -> FileContents:
    texts = prism_texts(model)
    states = {} if texts.states is None else {".sta": texts.states}
    return {**states, ".lab": texts.labels, ".tra": texts.transitions}


def _umb(model: Explicit) -> FileContents:
    if isinstance(model, ExplicitProcess):
        raise only_chains(".umb", _DECISIONS)
    return {".umb": umb_bytes(model)}


def _explicit(extension: str, write: Callable[[Explicit], FileContents]) -> Callable[[Any], FileContents]:
    def written(model: Model | Explicit) -> FileContents:
        if isinstance(model, Program):
            raise only_chains(extension, kind_of(model))
        if isinstance(model, LabelledMarkovChain):
            return write(explicit_of(model))
        return write(explicit_of(model) if isinstance(model, LabelledMarkovDecisionProcess) else model)

    return written


def _writer(path: str | os.PathLike[str]) -> Callable[[Any], FileContents]:
    writers: Mapping[str, Callable[[Any], FileContents]] = {
        ".dipa": _dipa,
        ".drn": _explicit(".drn", lambda model: {".drn": drn_text(model)}),
        ".json": _json,
        ".pexp": _explicit(".pexp", lambda model: {".pexp": combined_text(model)}),
        ".tra": _explicit(".tra", _tra),
        ".umb": _explicit(".umb", _umb),
    }
    extension = Path(path).suffix
    if extension.lower() not in writers:
        raise unknown_extension(extension, sorted(writers))
    return writers[extension.lower()]
