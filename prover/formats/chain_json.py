"""Labelled Markov chains as JSON.

    {"type": "labelled-markov-chain", "version": 1,
     "states": {"s0": {"label": "a", "next": {"s1": "1/3", "s2": "2/3"}}, ...},
     "relation": [["s0", "s1"], ...]}

``relation`` is optional and closed symmetrically. It may also be ``"same-label"``, all pairs of states with
the same label, or ``"initial"``, all pairs of the states that the optional member ``initial`` lists; with
``initial`` and without ``relation`` it is the latter. Probabilities are texts or JSON numbers, read
literally; texts with e, such as "e^(-1/2)", are real numbers, and the chain is then cut from the real one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, cast

from flint import fmpq

from prover.chain.errors import missing_label, state_path, unknown_successor
from prover.chain.model import LabelledMarkovChain, indexed_relation
from prover.chain.real import USUALLY_LOST, RealChain, rounded
from prover.chain.rows import AnyNumber, in_order, placed
from prover.errors import BadDocument, BadInput, BadOptions, InvalidModel, in_file, quoted
from prover.exact.fmpq import fmpq_of
from prover.exact.meanings import Meanings
from prover.exact.real import Exact, Real, is_real, real_number
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

RationalRow = Mapping[int, Fraction]

_KEYS = {"label", "next"}


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
        names = tuple(sorted(members))
        places = {name: place for place, name in enumerate(names)}
        known = Meanings(_probability)
        states = {name: _state(name, state, places, known) for name, state in members.items()}
        labels, rows = zip(*(states[name] for name in names), strict=True) if states else ((), ())
        if any(Real in map(type, row.values()) for row in rows):
            reading.only(("initial", "secret_pairs"), "a chain with real probabilities")
            related = indexed_relation(relation_of(document, states, reading), places)
            real = RealChain(names, labels, tuple(map(_real, rows)), related)
            return rounded(real, reading.lost or USUALLY_LOST), ()
        notes: tuple[str, ...] = ()
        if reading.normalise:
            rows, notes = checked_rows(cast("Sequence[RationalRow]", rows), normalise=True, names=names)
        related = indexed_relation(relation_of(document, states, reading), places)
        rows = tuple(map(MappingProxyType, rows))
        return LabelledMarkovChain(names, labels, rows, related), notes


def _real(row: Mapping[int, Exact]) -> dict[int, Real | fmpq]:
    """A row of a chain with real probabilities, which has numbers of FLINT besides these."""
    return {t: p if isinstance(p, Real) else fmpq_of(p) for t, p in row.items()}


def _state(
    name: str, value: JsonValue, places: Mapping[str, int], known: Meanings[Exact]
) -> tuple[str, dict[int, Exact]]:
    """The label of a state, and its row by the places of the successors."""
    if type(value) is dict and value.keys() == _KEYS and type(value["label"]) is str:
        row = row_by_places(value["next"], places, known)
        if row is not None:
            return value["label"], row
    path = state_path(name)
    if "label" not in as_members(value, path):
        raise missing_label(name)
    state = as_object(value, path, ("label", "next"))
    numbers = {
        _place(successor, name, places): _probability(given, state_path(name, successor))
        for successor, given in as_members(state["next"], f"{path}.next").items()
    }
    return as_text(state["label"], f"{path}.label"), in_order({t: p for t, p in numbers.items() if p})


def row_by_places(
    written: JsonValue, places: Mapping[str, int], known: Meanings[AnyNumber]
) -> dict[int, AnyNumber] | None:
    """A row by the places of the successors, in order and without zeros; None where there is a mistake in it,
    or a number that no table has as a key.
    """
    if type(written) is not dict:
        return None
    try:
        return placed(written, map(known.__getitem__, written.values()), places.__getitem__)
    except (BadInput, LookupError, TypeError):
        return None


def _place(successor: str, state: str, places: Mapping[str, int]) -> int:
    if successor not in places:
        raise unknown_successor(state, successor)
    return places[successor]


def _probability(value: JsonValue, path: str = "$") -> Exact:
    """A number, or a text that names e; or a quotient of sums of its powers, as certificates have them."""
    if isinstance(value, dict):
        parts = as_object(value, path, ("above", "below"))
        above, below = _sum(parts["above"], path), _sum(parts["below"], path)
        value = f"({above})/({below})"
    if not isinstance(value, str) or not is_real(value):
        return as_rational(value, path)
    try:
        return real_number(value)
    except BadInput as error:
        error.path = path
        raise


def _sum(value: JsonValue, path: str) -> str:
    parts = [[as_text(number, path) for number in as_list(entry, path)] for entry in as_list(value, path)]
    if not parts or any(len(part) != 2 for part in parts):
        raise BadDocument("a sum is a list of pairs, an exponent and a number", path=path, code="not-a-sum")
    return " + ".join(f"({number})*e^({exponent})" for exponent, number in parts)


def relation_of(
    document: JsonObject, states: Mapping[str, tuple[str, Any]], reading: Reading
) -> list[tuple[str, str]]:
    """The pairs that a document, and the reading of it, relate; raises what ``chain_as_read`` raises."""
    initial = []
    for index, value in enumerate(as_list(document.get("initial", []), "$.initial")):
        initial.append(as_text(value, f"$.initial[{index}]"))
        if initial[-1] not in states:
            raise InvalidModel(
                f"{quoted(initial[-1])} is not a state of the chain",
                path=(f"$.initial[{index}]"),
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
    return [_pair(pair, f"$.relation[{index}]") for index, pair in enumerate(pairs)]


def _pair(value: JsonValue, path: str) -> tuple[str, str]:
    names = [as_text(name, f"{path}[{index}]") for index, name in enumerate(as_list(value, path))]
    if len(names) != 2:
        raise BadDocument(f"a pair has two states, not {len(names)}", path=path, code="not-a-pair")
    return names[0], names[1]
