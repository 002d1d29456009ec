"""Chains as Python functions: initial states, and what follows a state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from prover.chain.errors import DuplicateState, NotText
from prover.chain.model import LabelledMarkovChain
from prover.errors import BadInput, abbreviated, must_be, quoted
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational
from prover.formats.explicit.secrets import all_pairs
from prover.progress import Progress, silent

LIMIT = 1_000_000
"""The most states that are explored unless told otherwise."""

_REPORT_EVERY = 1_000

State = TypeVar("State", bound=Hashable)


class BadStep(BadInput):
    """What is said to follow a state is no distribution: exact probabilities of states that sum to 1."""


class TooManyStates(BadInput):
    """More states are reached than were to be explored."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"more than {limit:,} states are reached; is a variable without bounds part of the state? "
            "Else explore more with limit="
        )


def explore(
    initial: Iterable[State],
    step: Callable[[State], Mapping[State, Given]],
    label: Callable[[State], str],
    *,
    relation: Iterable[tuple[State, State]] | None = None,
    name: Callable[[State], str] = str,
    limit: int = LIMIT,
    progress: Progress = silent,
) -> LabelledMarkovChain:
    """The chain of the states that the initial ones reach, breadth first.

    States are hashable objects. ``step(state)`` gives the probabilities of the next states: integers,
    fractions or texts such as ``"1/3"``, no floats; they sum to 1. ``label(state)`` is what an observer sees
    of a state, a text. ``relation`` holds the pairs of states to be told apart, all pairs of initial states
    if it is left out. ``name(state)`` is what the chain calls a state; different states need different names.

        >>> coin = explore(["fair", "biased"], {
        ...     "fair": {"heads": "1/2", "tails": "1/2"}, "biased": {"heads": "3/5", "tails": "2/5"},
        ...     "heads": {"heads": 1}, "tails": {"tails": 1}}.__getitem__,
        ...     lambda state: "start" if state in ("fair", "biased") else state)
        >>> coin
        <LabelledMarkovChain: 4 states, 2 related pairs>

    Raises BadStep, TooManyStates, NotText, DuplicateState, TooManyPairs, NoStates, and
    RelationNamesUnknownState.
    """
    must_be(Iterable, initial=initial)
    must_be(Callable, step=step, label=label, name=name)
    starts = list(dict.fromkeys(initial))
    called: dict[State, str] = {}
    owners: dict[str, State] = {}
    states: dict[str, tuple[str, dict[str, Fraction]]] = {}

    def call(state: State) -> str:
        if state in called:
            return called[state]
        text = name(state)
        if not isinstance(text, str):
            raise NotText("the name of a state", text)
        if text in owners:
            raise DuplicateState(text)
        if len(called) >= limit:
            raise TooManyStates(limit)
        owners[text] = state
        called[state] = text
        waiting.append(state)
        return text

    waiting: deque[State] = deque()
    for start in starts:
        call(start)
    while waiting:
        state = waiting.popleft()
        row: dict[State, Fraction] = _distribution(step(state), called[state])
        seen = label(state)
        if not isinstance(seen, str):
            raise NotText(f"the label of state {quoted(called[state])}", seen)
        states[called[state]] = seen, {call(successor): number for successor, number in row.items()}
        if len(states) % _REPORT_EVERY == 0:
            progress("exploring states", len(states), len(called))
    pairs = all_pairs(starts) if relation is None else list(relation)
    return LabelledMarkovChain.of(states, [(called.get(s, str(s)), called.get(t, str(t))) for s, t in pairs])


def _distribution(given: object, state: str) -> dict[State, Fraction]:
    """The next states with probabilities above 0."""
    if not isinstance(given, Mapping):
        raise BadStep(f"after state {quoted(state)} comes {type(given).__name__}, not {{state: probability}}")
    row: dict[State, Fraction] = {}
    for successor, number in given.items():
        what = f"the probability of {quoted(str(successor))} after state {quoted(state)}"
        probability = given_rational(number, what, BadStep, at_least=0)
        if probability:
            row[successor] = probability
    total = sum(row.values(), Fraction(0))
    if total != 1:
        found = abbreviated(format_rational(total))
        raise BadStep(f"the probabilities after state {quoted(state)} sum to {found}, not 1")
    return row
