"""Models from one file format to another."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from prover.certificate.schema import write_whole
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, in_file
from prover.formats.chain_json import write_chain
from prover.formats.dipa import write_dipa
from prover.formats.load import UnknownExtension, load
from prover.formats.program_json import write_program
from prover.program.model import Program

Model = LabelledMarkovChain | Program


class NotInTextFormat(BadInput):
    """A chain is to be written in the text format, which is for programs."""

    def __init__(self) -> None:
        super().__init__(".dipa files hold threshold programs; write a labelled Markov chain as .json")


def convert(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Read the model in the file ``source`` and write it to ``target``, whole or not at all.

    The extensions of the names, in either case, decide on the formats: ``.json``, and ``.dipa`` for programs.
    A ``.json`` model becomes its canonical form. Raises UnknownExtension, what ``load`` raises about
    ``source``, and about ``target`` NotInTextFormat, what ``write_dipa`` raises, and Unwritable.
    """
    name = os.fspath(target)
    with in_file(name):
        writer = _writer(Path(name).suffix)
    model = load(source)
    with in_file(name):
        write_whole(name, writer(model).encode("ascii"), "the model")


def write_json(model: Model) -> str:
    """The JSON document of a model of either kind, for people."""
    return write_chain(model) if isinstance(model, LabelledMarkovChain) else write_program(model)


def _write_text_format(model: Model) -> str:
    if isinstance(model, LabelledMarkovChain):
        raise NotInTextFormat
    return write_dipa(model)


def _writer(extension: str) -> Callable[[Model], str]:
    writers: Mapping[str, Callable[[Model], str]] = {".dipa": _write_text_format, ".json": write_json}
    if extension.lower() not in writers:
        raise UnknownExtension(extension, sorted(writers))
    return writers[extension.lower()]
