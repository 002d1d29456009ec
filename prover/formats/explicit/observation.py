"""What an observer sees of a model, and which of its states are to be told apart."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from prover.chain.model import LabelledMarkovChain, unchecked
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.chain.rows import placed
from prover.errors import quoted
from prover.formats.explicit.chain import (
    DEADLOCK,
    INITIAL,
    ExplicitChain,
    ExplicitStates,
    not_in_model,
    state_names,
)
from prover.formats.explicit.process import NAMELESS, Explicit, ExplicitProcess, named_choices, offers
from prover.formats.explicit.secrets import related_states
from prover.formats.reading import Reading
from prover.formats.refusal import NamedState, refusing

Observation = tuple[tuple[str, str | None], ...]
"""What is seen in a state: variables with their values, then atomic propositions with None."""


@dataclass(frozen=True, slots=True)
class View:
    """What is seen of states: their names, labels, the related ones, and what their user has to be told."""

    names: tuple[str, ...]
    labels: tuple[str, ...]
    related: tuple[tuple[int, int], ...]
    notes: tuple[str, ...]


def observed(
    explicit: Explicit, reading: Reading
) -> tuple[LabelledMarkovChain | LabelledMarkovDecisionProcess, tuple[str, ...]]:
    """The labelled Markov chain or decision process that an observer sees, and what its user has to be told.

    The label of a state is made of the variables and atomic propositions that ``reading`` names; without any,
    of all atomic propositions but ``init`` and ``deadlock``. Two states have the same label exactly if these
    agree. A process in which no label leaves a choice is a chain. Raises UnknownName, InvalidModel, and what
    ``related_states`` and, of processes, ``offers`` raise.
    """
    view = _view(explicit, reading)
    if isinstance(explicit, ExplicitChain):
        return _chain(explicit, view), view.notes
    process, notes = _process(explicit, view, refuse=reading.refuse)
    return process if process.leaves_a_choice else process.as_chain(), (*view.notes, *notes)


def _view(states: ExplicitStates, reading: Reading) -> View:
    names = state_names(states)
    observations = _observations(states, reading)
    labels = _labels(observations)
    relation = related_states(states, reading, names)
    notes = [*states.notes]
    if len(set(labels)) == 1:
        notes.append(
            "all states have the same label, so an observer learns nothing; choose variables or labels that "
            "the observer sees" + _on_offer(states)
        )
    notes += _given_away(relation, observations, names)
    return View(names, tuple(labels), tuple(relation), tuple(notes))


def _chain(chain: ExplicitChain, view: View) -> LabelledMarkovChain:
    order, index_of = _sorted(view.names)
    parts = {
        "states": tuple(view.names[s] for s in order),
        "labels": tuple(view.labels[s] for s in order),
        "rows": tuple(MappingProxyType(_moved(chain.rows[s], index_of)) for s in order),
        "relation": _relation(view, index_of),
    }
    return unchecked(parts)  # ``checked_rows`` has added up the rows, and ``state_names`` has seen the names


def _process(
    process: ExplicitProcess, view: View, *, refuse: bool
) -> tuple[LabelledMarkovDecisionProcess, tuple[str, ...]]:
    """The process, and the notes about the names of its actions and about what is refused."""
    names = view.names
    choices, notes = named_choices(process)
    rows_by_state = offers(choices, view.labels, names, refuse=refuse)
    if not refuse:
        order, index_of = _sorted(names)
        rows = [{name: _moved(row, index_of) for name, row in rows_by_state[s].items()} for s in order]
        labels = tuple(view.labels[s] for s in order)
        related = _relation(view, index_of)
        return LabelledMarkovDecisionProcess.by_places(
            tuple(names[s] for s in order), labels, rows, related
        ), notes
    states: dict[str, NamedState] = {}
    for name, label, rows_of_state in zip(names, view.labels, rows_by_state, strict=True):
        named = {action: {names[t]: p for t, p in row.items()} for action, row in rows_of_state.items()}
        states[name] = label, named.get(NAMELESS, named)
    states, refused = refusing(states)
    related_names = [(names[s], names[t]) for s, t in view.related]
    return LabelledMarkovDecisionProcess.of(states, related_names), (*notes, *refused)


def _sorted(names: Sequence[str]) -> tuple[list[int], list[int]]:
    """The states in the order of their names, and the place of each state there."""
    order = sorted(range(len(names)), key=names.__getitem__)
    index_of = [0] * len(order)
    for index, state in enumerate(order):
        index_of[state] = index
    return order, index_of


def _moved(row: Mapping[int, Fraction], index_of: Sequence[int]) -> dict[int, Fraction]:
    return placed(row, row.values(), index_of.__getitem__)


def _relation(view: View, index_of: Sequence[int]) -> tuple[tuple[int, int], ...]:
    pairs = {(index_of[s], index_of[t]) for s, t in view.related}
    return tuple(sorted(pairs | {(t, s) for s, t in pairs}))


def _on_offer(states: ExplicitStates) -> str:
    """What there is to be observed, for people."""
    propositions = sorted({name for holding in states.propositions for name in holding})
    parts = [
        f" {what}: {', '.join(names[:10])}" + (", …" if len(names) > 10 else "")
        for what, names in (("variables", states.variables), ("labels", propositions))
        if names
    ]
    return f" ({';'.join(parts).strip()})" if parts else ""


def _observations(states: ExplicitStates, reading: Reading) -> list[Observation]:
    known = sorted({name for holding in states.propositions for name in holding})
    for name in reading.observe or ():
        if name not in states.variables:
            raise not_in_model("variable", name, states.variables)
    for name in reading.labels or ():
        if name not in known and name not in (INITIAL, DEADLOCK):
            raise not_in_model("label", name, known)
    columns = [(name, states.variables.index(name)) for name in reading.observe or ()]
    if reading.labels is not None:
        seen = set(reading.labels)
    else:
        seen = set() if reading.observe is not None else set(known) - {INITIAL, DEADLOCK}
    found = []
    for state, holding in enumerate(states.propositions):
        values = [(name, states.values[state][column]) for name, column in columns]
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
        f"the observer distinguishes {count} of related states at once, such as {quoted(names[s])} and "
        f"{quoted(names[t])} by {', '.join(different)}"
    ]
