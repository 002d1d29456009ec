"""Which model this is: the canonical bytes of a model, and their SHA-256."""

from __future__ import annotations

import hashlib

from prover.certificate import schema
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.formats.chain_json import chain_to_json
from prover.formats.process_json import process_to_json
from prover.formats.program_json import program_to_json
from prover.program.model import Program


def model_bytes(model: LabelledMarkovChain | LabelledMarkovDecisionProcess | Program) -> bytes:
    """The canonical bytes of a model as certificates hold it: of a collapsed chain, the original one."""
    if isinstance(model, CollapsedChain):
        model = model.collapsing.original
    if isinstance(model, LabelledMarkovChain):
        return schema.model_bytes(chain_to_json(model))
    if isinstance(model, LabelledMarkovDecisionProcess):
        return schema.model_bytes(process_to_json(model))
    return schema.model_bytes(program_to_json(model))


def identity(model: LabelledMarkovChain | LabelledMarkovDecisionProcess | Program) -> str:
    """The SHA-256 of the canonical bytes, in hexadecimal digits; verified claims name it."""
    return hashlib.sha256(model_bytes(model)).hexdigest()
