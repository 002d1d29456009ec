"""Labelled Markov chains as JSON.

    {"type": "labelled-markov-chain", "version": 1,
     "states": {"s0": {"label": "a", "next": {"s1": "1/3", "s2": "2/3"}}, ...},
     "relation": [["s0", "s1"], ...]}

``relation`` is optional and closed symmetrically. It may also be ``"same-label"``, all pairs of states with
the same label, or ``"initial"``, all pairs of the states that the optional member ``initial`` lists; with
``initial`` and without ``relation`` it is the latter. Probabilities are texts or JSON numbers, read
literally.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from prover.chain.errors import missing_label, state_path
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadDocument, BadOptions, InvalidModel, in_file, quoted
from prover.formats.document import document_of
from prover.formats.explicit.chain import checked_rows
from prover.formats.explicit.secrets import all_pairs, check_pair_count, pairs_in_file
from prover.formats.reading import COLLAPSING, Reading
from prover.formats.strict_json import (
    JsonObject,
    JsonValue,
    as_list,
    as_members,
    as_object,
    as_rational,
    as_text,
)

TYPE = "labelled-markov-chain"
SAME_LABEL, INITIAL = "same-label", "initial"
"""What a relation may be instead of a list of pairs."""

StateRow = tuple[str, dict[str, Fraction]]


def chain_as_read(
    value: JsonValue, file: str | None, reading: Reading
) -> tuple[LabelledMarkovChain, tuple[str, ...]]:
    """The chain with the relation that ``reading`` asks for, and what its user has to be told.

    ``file`` is named in errors. Raises BadDocument, BeyondLimit, BadOptions, and what
    ``LabelledMarkovChain.of`` and ``pairs_in_file`` raise.
    """
    with in_file(file):
        document = document_of(value, ("chain", TYPE), ("states",), ("initial", "relation"))
        wanted = ("initial", "secret_pairs", "normalise", *COLLAPSING)
        reading.only(wanted, "a JSON chain, whose labels are what the observer sees")
        members = as_members(document["states"], "$.states")
        states = {name: _state(name, state) for name, state in members.items()}
        notes: tuple[str, ...] = ()
        if reading.normalise:
            states, notes = _normalised(states)
        return LabelledMarkovChain.of(states, relation_of(document, states, reading)), notes


def _state(name: str, value: JsonValue) -> StateRow:
    path = state_path(name)
    if "label" not in as_members(value, path):
        raise missing_label(name)
    state = as_object(value, path, ("label", "next"))
    row = as_members(state["next"], f"{path}.next")
    probabilities = {
        successor: as_rational(given, state_path(name, successor)) for successor, given in row.items()
    }
    return as_text(state["label"], f"{path}.label"), probabilities


def _normalised(states: Mapping[str, StateRow]) -> tuple[dict[str, StateRow], tuple[str, ...]]:
    """The states with their rows divided by their sums, and the note that says so."""
    names = list(states)
    places = {name: place for place, name in enumerate(names)}
    unknown = [name for _, row in states.values() for name in row if name not in places]
    if unknown:
        return dict(states), ()  # to be refused, with its place
    given = [{places[name]: probability for name, probability in row.items()} for _, row in states.values()]
    rows, notes = checked_rows(given, normalise=True, names=names)
    divided = [{names[place]: probability for place, probability in row.items()} for row in rows]
    return {name: (states[name][0], row) for name, row in zip(names, divided, strict=True)}, notes


def relation_of(
    document: JsonObject, states: Mapping[str, StateRow], reading: Reading
) -> list[tuple[str, str]]:
    """The pairs that a document, and the reading of it, relate; raises what ``chain_as_read`` raises."""
    initial = []
    for place, value in enumerate(as_list(document.get("initial", []), "$.initial")):
        initial.append(as_text(value, f"$.initial[{place}]"))
        if initial[-1] not in states:
            raise InvalidModel(
                f"{quoted(initial[-1])} is not a state of the chain",
                path=(f"$.initial[{place}]"),
                code="unknown-initial-state",
            )
    if reading.secret_pairs is not None:
        return pairs_in_file(reading.secret_pairs, states)
    if reading.initial and len(initial) < 2:
        there = "one initial state" if initial else "no initial state"
        raise BadOptions(
            f'the document lists {there} ("initial"), but there must be at least two secrets',
            code="no-secrets",
        )
    given = INITIAL if reading.initial else document.get("relation", INITIAL if initial else [])
    if given == INITIAL:
        return all_pairs(sorted(set(initial)))
    if given == SAME_LABEL:
        alike: dict[str, list[str]] = {}
        for name, (label, _) in states.items():
            alike.setdefault(label, []).append(name)
        check_pair_count(sum(len(names) * (len(names) - 1) // 2 for names in alike.values()))
        return [pair for names in alike.values() for pair in all_pairs(names)]
    if isinstance(given, str):
        message = f"a list of pairs, {quoted(SAME_LABEL)} or {quoted(INITIAL)}"
        message = f"{quoted(given)} is no relation; it is {message}"
        raise BadDocument(message, path="$.relation", code="unknown-shorthand")
    pairs = as_list(given, "$.relation")
    return [_pair(pair, f"$.relation[{place}]") for place, pair in enumerate(pairs)]


def _pair(value: JsonValue, path: str) -> tuple[str, str]:
    names = [as_text(name, f"{path}[{place}]") for place, name in enumerate(as_list(value, path))]
    if len(names) != 2:
        raise BadDocument(f"a pair has two states, not {len(names)}", path=path, code="not-a-pair")
    return names[0], names[1]
