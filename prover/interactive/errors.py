"""What can be wrong with a labelled Markov decision process."""

from __future__ import annotations

from collections.abc import Sequence

from prover.chain.errors import state_path
from prover.errors import BadInput, quoted


class NoActions(BadInput):
    """A state offers no action."""

    def __init__(self, state: str) -> None:
        super().__init__(
            f"state {quoted(state)} offers no action; a state where there is nothing to choose has one row",
            path=state_path(state),
        )


class UnnamedAction(BadInput):
    """An action has no name, or one that is no text."""

    def __init__(self, state: str) -> None:
        super().__init__(
            f"an action of state {quoted(state)} has no name; names are texts that are not empty",
            path=f"{state_path(state)}.actions",
        )


class MenusDiffer(BadInput):
    """Two states of one label offer different actions: who sees the label does not know what there is."""

    def __init__(
        self, label: str, first: tuple[str, Sequence[str]], second: tuple[str, Sequence[str]]
    ) -> None:
        offers = (f"{quoted(state)} offers {_menu(actions)}" for state, actions in (first, second))
        super().__init__(
            f"states of label {quoted(label)} offer different actions: {' and '.join(offers)}. If the "
            "attacker sees what there is to choose, make that part of the label; if not, give the states "
            "that lack an action what happens when it is refused",
            path=state_path(second[0]),
        )


class NotOneAction(BadInput):
    """A chain is asked for, and there is something to choose."""

    def __init__(self, label: str, actions: Sequence[str]) -> None:
        super().__init__(f"states of label {quoted(label)} offer {_menu(actions)}; a chain has no choices")


class NotInteractive(BadInput):
    """A question or an option has no meaning, or no answer yet, where an attacker chooses."""


class SilentChoice(NotInteractive):
    """A label is to be silent whose states leave a choice."""

    def __init__(self, label: str, actions: Sequence[str]) -> None:
        super().__init__(
            f"label {quoted(label)} cannot be silent, as the attacker chooses there ({_menu(actions)}), and "
            "who chooses sees that he may"
        )


class RunsInterleave(NotInteractive):
    """Several runs are asked about as if one were over before the next one begins."""

    def __init__(self, times: int) -> None:
        super().__init__(
            "where an attacker chooses, he may go from run to run as he likes; ask about the model that "
            f"prover compose MODEL --times {times} prints",
            path="--times",
        )


class NoLaw(NotInteractive):
    """The law of what is seen is asked for, and it depends on what the attacker does."""

    def __init__(self) -> None:
        super().__init__(
            "an attacker chooses in this model, so what is seen of it has no law of its own; for a bound "
            'give its epsilon and delta (prover delta) as known = "approximate", for the truth compose it '
            "(prover compose)"
        )


def _menu(actions: Sequence[str]) -> str:
    return ", ".join(quoted(action) for action in actions) if tuple(actions) != ("",) else "no choice"
