"""What can be wrong with a labelled Markov decision process."""

from __future__ import annotations

from collections.abc import Sequence

from prover.chain.errors import state_path
from prover.errors import InvalidModel, NotSupported, quoted


def menus_differ(
    label: str, first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]
) -> InvalidModel:
    """Two states of one label offer different actions: who sees the label does not know what there is."""
    offers = (f"{quoted(state)} offers {_menu(actions)}" for state, actions in (first, second))
    return InvalidModel(
        f"states of label {quoted(label)} offer different actions: {' and '.join(offers)}. If the "
        "attacker sees what there is to choose, make that part of the label; if not, give the states "
        "that lack an action what happens when it is refused",
        path=state_path(second[0]),
        code="menus-differ",
    )


def not_one_action(label: str, actions: Sequence[str]) -> InvalidModel:
    """A chain is asked for, and there is something to choose."""
    return InvalidModel(
        f"states of label {quoted(label)} offer {_menu(actions)}; a chain has no choices",
        code="not-one-action",
    )


def silent_choice(label: str, actions: Sequence[str]) -> NotSupported:
    """A label is to be silent whose states leave a choice."""
    return NotSupported(
        f"label {quoted(label)} cannot be silent, as the attacker chooses there ({_menu(actions)}), and "
        "who chooses sees that he may",
        code="silent-choice",
    )


def _menu(actions: Sequence[str]) -> str:
    return ", ".join(quoted(action) for action in actions) if tuple(actions) != ("",) else "no choice"
