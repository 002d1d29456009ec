"""JSON documents of models, read as files are."""

from __future__ import annotations

from prover.chain.model import LabelledMarkovChain
from prover.formats.chain_json import chain_as_read
from prover.formats.program_json import program_from_json
from prover.formats.reading import Reading
from prover.formats.strict_json import read_json
from prover.program.model import Program


def read_chain(data: str | bytes, file: str | None = None) -> LabelledMarkovChain:
    """The chain that a JSON document holds; ``file`` is named in errors."""
    return chain_as_read(read_json(data, file), file, Reading())[0]


def read_program(data: str | bytes, file: str | None = None) -> Program:
    """The program that a JSON document holds; ``file`` is named in errors."""
    return program_from_json(read_json(data, file), file)
