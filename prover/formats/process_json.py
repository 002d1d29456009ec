"""Labelled Markov decision processes as JSON: chains whose states have rows for several actions.

    {"type": "labelled-markov-decision-process", "version": 1,
     "states": {"s": {"label": "a", "actions": {"wait": {"s": "1"}, "cash": {"win": "1/2", "lose": "1/2"}}},
                "win": {"label": "win", "next": {"win": "1"}}, ...},
     "relation": [["s", "t"], ...]}

A state has ``actions`` or ``next``. ``next`` is where every action leads that other states of the label
offer; where none does there is one action, without a name. All else is as in the JSON of chains.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial

from prover.chain.errors import missing_label, state_path
from prover.chain.model import ANONYMOUS, indexed_relation
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BadInput, in_file, quoted
from prover.exact.meanings import Meanings
from prover.formats.chain_json import relation_of, row_by_places
from prover.formats.document import document_of
from prover.formats.reading import COLLAPSING, Reading
from prover.formats.refusal import NamedState, refusing
from prover.formats.strict_json import (
    JsonObject,
    JsonValue,
    as_members,
    as_object,
    as_rational,
    as_text,
    missing_key,
    unknown_key,
)

TYPE = "labelled-markov-decision-process"

ExactRow = dict[str, Fraction]

_CHOOSES, _MOVES = {"label", "actions"}, {"label", "next"}


def has_actions(document: JsonObject) -> bool:
    """Whether a state of the document has rows for several actions."""
    states = document.get("states")
    members = states.values() if isinstance(states, dict) else ()
    return any(isinstance(state, dict) and "actions" in state for state in members)


def process_as_read(
    value: JsonValue, file: str | None, reading: Reading
) -> tuple[LabelledMarkovDecisionProcess, tuple[str, ...]]:
    """The process with the relation that ``reading`` asks for, and what its user has to be told.

    Raises BadOptions, BadDocument, and what ``LabelledMarkovDecisionProcess.of`` raises.
    """
    with in_file(file):
        document = document_of(value, None, ("states",), ("initial", "relation"))
        reading.only(("initial", "secret_pairs", "refuse", *COLLAPSING), "a JSON process")
        members = as_members(document["states"], "$.states")
        if not reading.refuse:
            process = _quickly(document, members, reading)
            if process is not None:
                return process, ()
        known = Meanings(partial(as_rational, path="$"))
        states: dict[str, NamedState] = {name: _state(name, state, known) for name, state in members.items()}
        labels: dict[str, tuple[str, ExactRow]] = {name: (label, {}) for name, (label, _) in states.items()}
        relation = relation_of(document, labels, reading)
        notes: tuple[str, ...] = ()
        if reading.refuse:
            states, notes = refusing(states)
        return LabelledMarkovDecisionProcess.of(states, relation), notes


def _quickly(
    document: JsonObject, members: JsonObject, reading: Reading
) -> LabelledMarkovDecisionProcess | None:
    """The process, by the places of its states; None where there is a mistake in a state, which has to be
    named. Raises BadDocument, and what ``LabelledMarkovDecisionProcess.by_places`` raises.
    """
    names = tuple(sorted(members))
    places = {name: place for place, name in enumerate(names)}
    known = Meanings(partial(as_rational, path="$"))
    states: dict[str, tuple[str, dict[str, dict[int, Fraction]]]] = {}
    for name, value in members.items():
        if type(value) is not dict or type(label := value.get("label")) is not str:
            return None
        if value.keys() == _CHOOSES and type(value["actions"]) is dict and "" not in value["actions"]:
            written = value["actions"]
        elif value.keys() == _MOVES:
            written = {ANONYMOUS: value["next"]}
        else:
            return None
        rows = {
            action: row
            for action, given in written.items()
            if (row := row_by_places(given, places, known))  # an empty one is a mistake, too
        }
        if not rows or len(rows) < len(written):
            return None
        states[name] = label, rows
    relation = indexed_relation(relation_of(document, states, reading), places)
    labels = tuple(states[name][0] for name in names)
    return LabelledMarkovDecisionProcess.by_places(
        names, labels, [states[name][1] for name in names], relation
    )


def _state(
    name: str, value: JsonValue, known: Meanings[Fraction]
) -> tuple[str, Mapping[str, ExactRow] | ExactRow]:
    path = state_path(name)
    members = as_members(value, path)
    if "label" not in members:
        raise missing_label(name)
    if "next" in members and "actions" in members:
        raise unknown_key("next", ("label", "actions"), path)
    if "next" not in members and "actions" not in members:
        raise missing_key("next", path)
    state = as_object(value, path, ("label",), ("next", "actions"))
    label = as_text(state["label"], f"{path}.label")
    if "next" in state:
        return label, _row(state["next"], path, ("next", ""), known)
    rows = as_members(state["actions"], f"{path}.actions")
    return label, {action: _row(row, path, ("actions", action), known) for action, row in rows.items()}


def _row(value: JsonValue, state: str, place: tuple[str, str], known: Meanings[Fraction]) -> ExactRow:
    """A row of a state, which is the only one or that of an action. ``place`` is where it stands there."""
    try:
        return {successor: known[given] for successor, given in as_members(value, "$").items()}
    except (BadInput, TypeError):  # a mistake, or something that no table has as a key
        member, action = place
        path = f"{state}.{member}" + (f"[{quoted(action)}]" if member == "actions" else "")
        return {
            successor: as_rational(given, f"{path}[{quoted(successor)}]")
            for successor, given in as_members(value, path).items()
        }
