"""The canonical form of chains and processes, as certificates and JSON files hold them: numbers in lowest
terms, states sorted, no empty relation (docs/certificates.md, Section 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from prover.certificate.schema import Json
from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess, System, different_numbers
from prover.exact.rational import format_rational


def chain_model(chain: LabelledMarkovChain, *, related: bool = True) -> Json:
    """The JSON form of a labelled Markov chain; ``related`` says whether it has the relation."""
    states = zip(chain.states, chain.labels, chain.rows, strict=True)
    texts = _texts(chain)
    return {
        "type": "labelled-markov-chain",
        "version": 1,
        "states": {name: {"label": label, "next": _row(chain, row, texts)} for name, label, row in states},
        **(_relation(chain) if related else {}),
    }


def process_model(process: LabelledMarkovDecisionProcess) -> Json:
    """The JSON form of a labelled Markov decision process; where there is nothing to choose a state has one
    row, as in a chain.
    """
    states: dict[str, Json] = {}
    texts = _texts(process)
    for s, (name, label) in enumerate(zip(process.states, process.labels, strict=True)):
        rows = {action: _row(process, process.row(s, action), texts) for action in process.menu(s)}
        moves = {"next": rows[ANONYMOUS]} if ANONYMOUS in rows else {"actions": rows}
        states[name] = {"label": label, **moves}
    model = {"type": "labelled-markov-decision-process", "version": 1, "states": states}
    return model | _relation(process)


def _relation(system: System) -> Json:
    pairs = [[system.states[s], system.states[t]] for s, t in system.relation]
    return {"relation": pairs} if pairs else {}


def _texts(system: System) -> dict[int, str]:
    return {key: format_rational(p) for key, p in different_numbers(system).items()}


def _row(system: System, row: Mapping[int, Fraction], texts: Mapping[int, str]) -> dict[str, str]:
    names = system.states
    return {names[t]: texts[id(p)] for t, p in row.items()}
