"""Which model this is: the canonical bytes of a model, and their SHA-256."""

from __future__ import annotations

import hashlib

from prover.certificate import schema
from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.real import RoundedChain
from prover.formats.load import Model
from prover.formats.objects import to_dict


def model_bytes(model: Model) -> bytes:
    """The canonical bytes of a model as certificates hold it: of a collapsed or rounded chain, its source."""
    if isinstance(model, CollapsedChain):
        model = model.collapsing.original
    if isinstance(model, RoundedChain):
        return schema.model_bytes(model.rounding.original.model())
    return schema.model_bytes(to_dict(model))


def identity(model: Model) -> str:
    """The SHA-256 of the canonical bytes, in hexadecimal digits; verified claims name it."""
    return hashlib.sha256(model_bytes(model)).hexdigest()
