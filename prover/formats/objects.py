"""Models as Python's own objects, and as graphs of networkx."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from prover.chain.canonical import chain_model, process_model
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadDocument, must_be
from prover.exact.rational import format_rational
from prover.formats.load import Model, model_of_document
from prover.formats.strict_json import MAX_DEPTH, Digits, JsonValue
from prover.program.canonical import program_model
from prover.program.model import Program

if TYPE_CHECKING:
    import networkx as nx


def to_dict(model: Model) -> dict[str, Any]:
    """The JSON document of a model as Python objects; numbers are texts such as ``"1/3"``, in lowest terms.

    States, actions and the relation are sorted, transitions of programs in their order.

    >>> from prover.zoo import randomised_response
    >>> to_dict(randomised_response())["states"]["a"]
    {'label': 'sk', 'next': {'said-a': '2/3', 'said-b': '1/3'}}
    """
    must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess, Program), model=model)
    if isinstance(model, Program):
        return program_model(model)
    if isinstance(model, LabelledMarkovChain):
        return chain_model(model)
    return process_model(model)


def from_dict(document: dict[str, Any]) -> Model:
    """The model that a JSON document describes; numbers are texts, integers or fractions, never floats.

        >>> from_dict({"type": "labelled-markov-chain", "version": 1,
        ...            "states": {"s": {"label": "a", "next": {"s": 1}}}})
        <LabelledMarkovChain: 1 states, 0 related pairs>

    Raises BadDocument, and what reading the document from a file raises.
    """
    return model_of_document(_exact(document, "$", 0))


def to_networkx(chain: LabelledMarkovChain) -> nx.DiGraph[str]:
    """The graph of a chain: nodes with a ``label``, edges with a ``probability``, a Fraction.

    The graph's attribute ``relation`` is the list of related pairs.

        >>> from prover.zoo import randomised_response
        >>> to_networkx(randomised_response()).edges["a", "said-b"]
        {'probability': Fraction(1, 3)}
    """
    must_be(LabelledMarkovChain, chain=chain)
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph(
        relation=[(chain.states[s], chain.states[t]) for s, t in chain.relation]
    )
    graph.add_nodes_from((s, {"label": label}) for s, label in zip(chain.states, chain.labels, strict=True))
    for name, row in zip(chain.states, chain.rows, strict=True):
        graph.add_edges_from((name, chain.states[t], {"probability": p}) for t, p in row.items())
    return graph


def _exact(value: object, path: str, depth: int) -> JsonValue:
    """The value as ``read_json`` would have read it."""
    if depth > MAX_DEPTH:
        raise BadDocument(
            f"nested too deeply; at most {MAX_DEPTH} levels are read", path=path, code="not-a-document"
        )
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | Fraction):
        return Digits(format_rational(Fraction(value)))
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise BadDocument("a key is not a string", path=path, code="not-a-document")
        return {key: _exact(member, f"{path}.{key}", depth + 1) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_exact(item, f"{path}[{index}]", depth + 1) for index, item in enumerate(value)]
    raise BadDocument(
        f'{type(value).__name__} is not exact; write a number as text, such as "1/10"',
        path=path,
        code="not-a-document",
    )
