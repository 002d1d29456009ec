"""What can be wrong with a labelled Markov chain or decision process, or with a question about one."""

from __future__ import annotations

from collections.abc import Sequence

from prover.errors import InvalidModel, UnknownName, quoted


def state_path(state: str, successor: str | None = None) -> str:
    """The JSON path of a state, or of the probability of one of its successors."""
    path = f"$.states[{quoted(state)}]"
    return path if successor is None else f"{path}.next[{quoted(successor)}]"


def not_text(what: str, value: object, path: str | None = None) -> InvalidModel:
    """The name or the label of a state is not a text."""
    return InvalidModel(f"{what} is {_given(value)}; names and labels are texts", path=path, code="not-text")


def malformed_state(state: str, value: object) -> InvalidModel:
    """A state is given as something else than its label and its row."""
    message = f"state {quoted(state)} is {_given(value)}; a state is given as (label, probabilities)"
    return InvalidModel(message, path=state_path(state), code="malformed-state")


def missing_label(state: str) -> InvalidModel:
    """A state has no label."""
    return InvalidModel(
        f"state {quoted(state)} has no label; every state has one",
        path=state_path(state),
        code="missing-label",
    )


def duplicate_state(state: str) -> InvalidModel:
    """Two states have the same name."""
    message = f"state {quoted(state)} is given twice; names of states are unique"
    return InvalidModel(message, path=state_path(state), code="duplicate-state")


def unknown_successor(state: str, successor: str) -> InvalidModel:
    """A row gives a probability to something that is not a state of the chain."""
    message = f"successor {quoted(successor)} of state {quoted(state)} is not a state of the chain"
    return InvalidModel(message, path=state_path(state, successor), code="unknown-successor")


def relation_names_unknown_state(state: str, place: int) -> InvalidModel:
    """A pair of the relation names something that is not a state of the chain."""
    message = f"the relation names {quoted(state)}, which is not a state of the chain"
    return InvalidModel(message, path=f"$.relation[{place}]", code="relation-names-unknown-state")


def unknown_state(state: str | int, states: tuple[str, ...]) -> UnknownName:
    """A state is named that the chain does not have."""
    some = ", ".join(quoted(s) for s in states[:5]) + (", …" if len(states) > 5 else "")
    named = quoted(state) if isinstance(state, str) else f"of index {state}"
    return UnknownName(f"no state {named}; the chain has {len(states)} states: {some}", code="unknown-state")


def quotient_not_lumpable(first: str, second: str, difference: str) -> InvalidModel:
    """Two states to be merged differ in label or in the mass of a class."""
    return InvalidModel(
        f"states {quoted(first)} and {quoted(second)} cannot be merged: {difference}",
        code="quotient-not-lumpable",
    )


def _given(value: object) -> str:
    return f"of type {type(value).__name__}"


def menus_differ(
    label: str, first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]
) -> InvalidModel:
    """Two states of one label offer different actions, which the label does not tell the attacker."""
    offers = (f"{quoted(state)} offers {menu_text(actions)}" for state, actions in (first, second))
    return InvalidModel(
        f"states of label {quoted(label)} offer different actions: {' and '.join(offers)}. If the "
        "attacker sees which actions are possible, make them part of the label; if not, give the states "
        "that lack an action a row for it; in files, --refuse adds these rows",
        path=state_path(second[0]),
        code="menus-differ",
    )


def menu_text(actions: Sequence[str]) -> str:
    """The actions of a menu, for messages."""
    return ", ".join(quoted(action) for action in actions) if tuple(actions) != ("",) else "no choice"
