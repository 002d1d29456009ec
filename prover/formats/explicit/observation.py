"""What an observer sees of a chain, and which of its states are to be told apart."""

from __future__ import annotations

import json
from collections.abc import Sequence

from prover.chain.model import LabelledMarkovChain
from prover.errors import quoted
from prover.formats.explicit.chain import DEADLOCK, INITIAL, ExplicitChain, NotInModel, state_names
from prover.formats.explicit.secrets import related_states
from prover.formats.reading import Reading

Observation = tuple[tuple[str, str | None], ...]
"""What is seen in a state: variables with their values, then atomic propositions with None."""


def observed(chain: ExplicitChain, reading: Reading) -> tuple[LabelledMarkovChain, tuple[str, ...]]:
    """The labelled Markov chain that an observer sees, and what its user has to be told.

    The label of a state is made of the variables and atomic propositions that ``reading`` names; without any,
    of all atomic propositions but ``init`` and ``deadlock``. Two states have the same label exactly if these
    agree. Raises NotInModel, NamesNotUnique, and what ``related_states`` raises.
    """
    names = state_names(chain)
    observations = _observations(chain, reading)
    labels = _labels(observations)
    relation = related_states(chain, reading, names)
    notes = [*chain.notes]
    if len(set(labels)) == 1:
        notes.append(
            "all states have the same label, so nothing can be told apart; observe variables or labels"
            + _on_offer(chain)
        )
    notes += _given_away(relation, observations, names)
    order = sorted(range(len(chain)), key=names.__getitem__)
    places = [0] * len(order)
    for place, state in enumerate(order):
        places[state] = place
    pairs = {(places[s], places[t]) for s, t in relation}
    model = LabelledMarkovChain(
        tuple(names[s] for s in order),
        tuple(labels[s] for s in order),
        tuple(dict(sorted((places[t], p) for t, p in chain.rows[s].items())) for s in order),
        tuple(sorted(pairs | {(t, s) for s, t in pairs})),
    )
    return model, tuple(notes)


def _on_offer(chain: ExplicitChain) -> str:
    """What there is to be observed, for people."""
    propositions = sorted({name for holding in chain.propositions for name in holding})
    parts = [
        f" {what}: {', '.join(names[:10])}" + (", …" if len(names) > 10 else "")
        for what, names in (("variables", chain.variables), ("labels", propositions))
        if names
    ]
    return f" ({';'.join(parts).strip()})" if parts else ""


def _observations(chain: ExplicitChain, reading: Reading) -> list[Observation]:
    known = sorted({name for holding in chain.propositions for name in holding})
    for name in reading.observe or ():
        if name not in chain.variables:
            raise NotInModel("variable", name, chain.variables)
    for name in reading.labels or ():
        if name not in known and name not in (INITIAL, DEADLOCK):
            raise NotInModel("label", name, known)
    columns = [(name, chain.variables.index(name)) for name in reading.observe or ()]
    if reading.labels is not None:
        seen = set(reading.labels)
    else:
        seen = set() if reading.observe is not None else set(known) - {INITIAL, DEADLOCK}
    found = []
    for state, holding in enumerate(chain.propositions):
        values = [(name, chain.values[state][column]) for name, column in columns]
        found.append((*values, *((name, None) for name in holding if name in seen)))
    return found


def _labels(observations: Sequence[Observation]) -> list[str]:
    """The texts of the observations: different ones for different observations, as plain as that allows."""
    texts = {observation: _plain(observation) for observation in observations}
    if len(set(texts.values())) < len(texts):
        texts = {observation: _unmistakable(observation) for observation in observations}
    return [texts[observation] for observation in observations]


def _plain(observation: Observation) -> str:
    return ",".join(name if value is None else f"{name}={value}" for name, value in observation)


def _unmistakable(observation: Observation) -> str:
    """Names and values between quotation marks, so that no comma in one is taken for one between two."""
    parts = ((json.dumps(name), value) for name, value in observation)
    return ",".join(name if value is None else f"{name}={json.dumps(value)}" for name, value in parts)


def _given_away(
    relation: Sequence[tuple[int, int]], observations: Sequence[Observation], names: Sequence[str]
) -> list[str]:
    """The note that related states are told apart at once, before anything happens."""
    apart = [(s, t) for s, t in relation if observations[s] != observations[t]]
    if not apart:
        return []
    s, t = apart[0]
    different = sorted({name for name, _ in set(observations[s]) ^ set(observations[t])})
    count = "one pair" if len(apart) == 1 else f"{len(apart):,} pairs"
    return [
        f"{count} of related states can be told apart at once by what is observed, such as "
        f"{quoted(names[s])} and {quoted(names[t])} by {', '.join(different)}"
    ]
