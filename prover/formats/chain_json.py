"""Labelled Markov chains as JSON.

    {"type": "labelled-markov-chain", "version": 1,
     "states": {"s0": {"label": "a", "next": {"s1": "1/3", "s2": "2/3"}}, ...},
     "relation": [["s0", "s1"], ...]}

``relation`` is optional and closed symmetrically. Probabilities are texts or JSON numbers, read literally.
"""

from __future__ import annotations

from typing import Any

from prover.certificate.schema import chain_model
from prover.chain.errors import MissingLabel, state_path
from prover.chain.model import LabelledMarkovChain, Number
from prover.errors import BadInput, in_file, quoted
from prover.formats.document import check_version, laid_out
from prover.formats.strict_json import (
    JsonValue,
    as_list,
    as_members,
    as_object,
    as_rational,
    as_text,
    read_json,
)

TYPE = "labelled-markov-chain"


class NotAChain(BadInput):
    """A document holds another type of model than a labelled Markov chain."""

    def __init__(self, found: str) -> None:
        message = f"type {quoted(found)} is not read; the type of a chain is {quoted(TYPE)}"
        super().__init__(message, path="$.type")


class NotAPair(BadInput):
    """An entry of the relation does not hold exactly two states."""

    def __init__(self, size: int, path: str) -> None:
        super().__init__(f"a pair of two states belongs here, not {size} of them", path=path)


def read_chain(data: str | bytes, file: str | None = None) -> LabelledMarkovChain:
    """The chain that a JSON document holds; ``file`` is named in errors.

    Raises what ``read_json`` and ``chain_from_json`` raise.
    """
    return chain_from_json(read_json(data, file), file)


def chain_from_json(value: JsonValue, file: str | None = None) -> LabelledMarkovChain:
    """The chain that a JSON value of the form above describes; ``file`` is named in errors.

    Raises WrongType, MissingKey, UnknownKey, NotAChain, UnsupportedVersion, NotAPair, and what
    ``LabelledMarkovChain.of`` raises.
    """
    with in_file(file):
        document = as_object(value, "$", ("type", "version", "states"), ("relation",))
        found = as_text(document["type"], "$.type")
        if found != TYPE:
            raise NotAChain(found)
        check_version(document["version"])
        states = as_members(document["states"], "$.states")
        pairs = as_list(document.get("relation", []), "$.relation")
        return LabelledMarkovChain.of(
            {name: _state(name, state) for name, state in states.items()},
            [_pair(pair, f"$.relation[{place}]") for place, pair in enumerate(pairs)],
        )


def chain_to_json(chain: LabelledMarkovChain) -> dict[str, Any]:
    """The JSON value of a chain: numbers in lowest terms, states and relation sorted, no empty relation."""
    return chain_model(chain.states, chain.labels, chain.rows, chain.relation)


def write_chain(chain: LabelledMarkovChain) -> str:
    """The JSON document of a chain, for people: a line for each state and for each pair of the relation.

    The document is ASCII and always the same for the same chain.
    """
    value = chain_to_json(chain)
    return laid_out(value, ("states", "relation"))


def _state(name: str, value: JsonValue) -> tuple[str, dict[str, Number]]:
    path = state_path(name)
    if "label" not in as_members(value, path):
        raise MissingLabel(name)
    state = as_object(value, path, ("label", "next"))
    row = as_members(state["next"], f"{path}.next")
    probabilities: dict[str, Number] = {
        successor: as_rational(given, state_path(name, successor)) for successor, given in row.items()
    }
    return as_text(state["label"], f"{path}.label"), probabilities


def _pair(value: JsonValue, path: str) -> tuple[str, str]:
    names = [as_text(name, f"{path}[{place}]") for place, name in enumerate(as_list(value, path))]
    if len(names) != 2:
        raise NotAPair(len(names), path)
    return names[0], names[1]
