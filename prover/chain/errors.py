"""What can be wrong with a labelled Markov chain."""

from __future__ import annotations

from fractions import Fraction

from prover.errors import BadInput, abbreviated, quoted
from prover.exact.given import how_to_write
from prover.exact.rational import format_rational


def state_path(state: str, successor: str | None = None) -> str:
    """The JSON path of a state, or of the probability of one of its successors."""
    path = f"$.states[{quoted(state)}]"
    return path if successor is None else f"{path}.next[{quoted(successor)}]"


class NoStates(BadInput):
    """A chain has no state."""

    def __init__(self) -> None:
        super().__init__("a chain has at least one state, this one has none", path="$.states")


class NotText(BadInput):
    """The name or the label of a state is not a text."""

    def __init__(self, what: str, value: object, path: str | None = None) -> None:
        super().__init__(f"{what} is {_given(value)}; names and labels are texts", path=path)


class MalformedState(BadInput):
    """A state is given as something else than its label and its row."""

    def __init__(self, state: str, value: object) -> None:
        message = f"state {quoted(state)} is {_given(value)}; a state is given as (label, probabilities)"
        super().__init__(message, path=state_path(state))


class MissingLabel(BadInput):
    """A state has no label."""

    def __init__(self, state: str) -> None:
        super().__init__(f"state {quoted(state)} has no label; every state has one", path=state_path(state))


class DuplicateState(BadInput):
    """Two states have the same name."""

    def __init__(self, state: str) -> None:
        message = f"state {quoted(state)} is given twice; names of states are unique"
        super().__init__(message, path=state_path(state))


class UnknownSuccessor(BadInput):
    """A row gives a probability to something that is not a state of the chain."""

    def __init__(self, state: str, successor: str) -> None:
        message = f"successor {quoted(successor)} of state {quoted(state)} is not a state of the chain"
        super().__init__(message, path=state_path(state, successor))


class FloatProbability(BadInput):
    """A probability is a floating-point number."""

    def __init__(self, state: str, successor: str, value: float) -> None:
        message = f"probability {float(value)!r} is a float and so inexact; {how_to_write(value)}"
        super().__init__(message, path=state_path(state, successor))


class NotANumber(BadInput):
    """A probability is neither an integer, nor a fraction, nor the text of a number."""

    def __init__(self, state: str, successor: str, value: object) -> None:
        message = f'probability is {_given(value)}; write a number such as "1/10"'
        super().__init__(message, path=state_path(state, successor))


class NegativeProbability(BadInput):
    """A probability is below 0."""

    def __init__(self, state: str, successor: str, value: Fraction) -> None:
        message = f"probability {_short(value)} is negative; probabilities lie between 0 and 1"
        super().__init__(message, path=state_path(state, successor))


class RowSum(BadInput):
    """The probabilities of a row do not sum to exactly 1."""

    def __init__(self, state: str, total: Fraction) -> None:
        message = f"row of state {quoted(state)} sums to {_short(total)}, not 1"
        super().__init__(message, path=f"{state_path(state)}.next")


class RelationNamesUnknownState(BadInput):
    """A pair of the relation names something that is not a state of the chain."""

    def __init__(self, state: str, place: int) -> None:
        message = f"the relation names {quoted(state)}, which is not a state of the chain"
        super().__init__(message, path=f"$.relation[{place}]")


class UnknownState(BadInput):
    """A state is asked for that the chain does not have."""

    def __init__(self, state: str | int, states: tuple[str, ...]) -> None:
        some = ", ".join(quoted(s) for s in states[:5]) + (", …" if len(states) > 5 else "")
        asked = quoted(state) if isinstance(state, str) else f"of index {state}"
        super().__init__(f"no state {asked}; the chain has {len(states)} states: {some}")


class NotCanonical(BadInput):
    """Fields put together by hand break the order, the length or the form that the model promises."""


class NotAPartition(BadInput):
    """Classes to merge leave out a state, or hold one twice, or are empty."""


class QuotientNotLumpable(BadInput):
    """Two states to be merged differ in label or in the mass of a class."""

    def __init__(self, first: str, second: str, difference: str) -> None:
        super().__init__(f"states {quoted(first)} and {quoted(second)} cannot be merged: {difference}")


def _given(value: object) -> str:
    return f"of type {type(value).__name__}"


def _short(number: Fraction) -> str:
    return abbreviated(format_rational(number))
