"""Systems as Python functions: initial states, and what follows a state."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar, overload

from prover.chain.errors import duplicate_state, not_text
from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import BeyondLimit, InvalidModel, abbreviated, must_be, quoted
from prover.exact.given import Given, given_rational
from prover.exact.rational import format_rational, total
from prover.formats.explicit.secrets import all_pairs
from prover.progress import Progress, silent

LIMIT = 1_000_000
"""The most states that are explored unless told otherwise."""

_REPORT_EVERY = 1_000

AnyState = TypeVar("AnyState", bound=Hashable)


Distribution = Mapping[AnyState, Given]
DistributionsByAction = Mapping[str, Mapping[AnyState, Given]]
"""The rows by the names of actions."""


@overload
def explore(
    initial: Iterable[AnyState],
    step: Callable[[AnyState], Distribution[AnyState]],
    label: Callable[[AnyState], str],
    *,
    relation: Iterable[tuple[AnyState, AnyState]] | None = None,
    name: Callable[[AnyState], str] = str,
    limit: int = LIMIT,
    progress: Progress = silent,
) -> LabelledMarkovChain: ...


@overload
def explore(
    initial: Iterable[AnyState],
    step: Callable[[AnyState], Distribution[AnyState] | DistributionsByAction[AnyState]],
    label: Callable[[AnyState], str],
    *,
    relation: Iterable[tuple[AnyState, AnyState]] | None = None,
    name: Callable[[AnyState], str] = str,
    limit: int = LIMIT,
    progress: Progress = silent,
) -> LabelledMarkovChain | LabelledMarkovDecisionProcess: ...


def explore(
    initial: Iterable[AnyState],
    step: Callable[[AnyState], Distribution[AnyState] | DistributionsByAction[AnyState]],
    label: Callable[[AnyState], str],
    *,
    relation: Iterable[tuple[AnyState, AnyState]] | None = None,
    name: Callable[[AnyState], str] = str,
    limit: int = LIMIT,
    progress: Progress = silent,
) -> LabelledMarkovChain | LabelledMarkovDecisionProcess:
    """The chain of the states that the initial ones reach, breadth first.

    States are hashable objects. ``step(state)`` gives the probabilities of the next states: integers,
    fractions or strings such as ``"1/3"``, no floats; they sum to 1. An observer sees ``label(state)``, a
    string. ``relation`` holds the related pairs of states, by default all pairs of initial states.
    ``name(state)`` names a state in the chain; different states need different names.

    If ``step`` gives probabilities by the names of actions, ``{"ask": {…}, "guess": {…}}``, the result is a
    decision process, in which an attacker chooses the actions. States of equal label must offer the same
    actions; a state that gives one row takes it for every action.

        >>> coin = explore(["fair", "biased"], {
        ...     "fair": {"heads": "1/2", "tails": "1/2"}, "biased": {"heads": "3/5", "tails": "2/5"},
        ...     "heads": {"heads": 1}, "tails": {"tails": 1}}.__getitem__,
        ...     lambda state: "start" if state in ("fair", "biased") else state)
        >>> coin
        <LabelledMarkovChain: 4 states, 2 related pairs>

        >>> explore(["s", "t"], {
        ...     "s": {"wait": {"s": 1}, "cash": {"won": "1/2", "lost": "1/2"}},
        ...     "t": {"wait": {"t": 1}, "cash": {"lost": 1}},
        ...     "won": {"won": 1}, "lost": {"lost": 1}}.__getitem__,
        ...     lambda state: "play" if state in ("s", "t") else state)
        <LabelledMarkovDecisionProcess: 4 states, 2 related pairs, actions "cash", "wait">

    Raises InvalidModel and BeyondLimit.
    """
    must_be(Iterable, initial=initial)
    must_be(Callable, step=step, label=label, name=name)
    starts = list(dict.fromkeys(initial))
    called: dict[AnyState, str] = {}
    owners: dict[str, AnyState] = {}
    states: dict[str, tuple[str, dict[str, dict[str, Fraction]]]] = {}
    chosen = False

    def call(state: AnyState) -> str:
        if state in called:
            return called[state]
        text = name(state)
        if not isinstance(text, str):
            raise not_text("the name of a state", text)
        if text in owners:
            raise duplicate_state(text)
        if len(called) >= limit:
            raise BeyondLimit(
                f"more than {limit:,} states are reached; is an unbounded variable part of the state? "
                "Else explore more with limit=",
                code="too-many-states",
            )
        owners[text] = state
        called[state] = text
        waiting.append(state)
        return text

    waiting: deque[AnyState] = deque()
    for start in starts:
        call(start)
    while waiting:
        state = waiting.popleft()
        rows: dict[str, dict[AnyState, Fraction]] = _rows(step(state), called[state])
        seen = label(state)
        if not isinstance(seen, str):
            raise not_text(f"the label of state {quoted(called[state])}", seen)
        named = {
            action: {call(successor): number for successor, number in row.items()}
            for action, row in rows.items()
        }
        states[called[state]] = seen, named
        chosen = chosen or ANONYMOUS not in named
        if len(states) % _REPORT_EVERY == 0:
            progress("exploring states", len(states), len(called))
    pairs = all_pairs(starts) if relation is None else list(relation)
    related = [(called.get(s, str(s)), called.get(t, str(t))) for s, t in pairs]
    if not chosen:
        return LabelledMarkovChain.of(
            {name: (seen, rows[ANONYMOUS]) for name, (seen, rows) in states.items()}, related
        )
    process = LabelledMarkovDecisionProcess.of(
        {name: (seen, rows.get(ANONYMOUS, rows)) for name, (seen, rows) in states.items()}, related
    )
    return process if process.leaves_a_choice else process.as_chain()


def _rows(given: object, state: str) -> dict[str, dict[AnyState, Fraction]]:
    """What follows a state: the row of every action, and of the action "" where nothing is chosen."""
    if not isinstance(given, Mapping) or not any(isinstance(row, Mapping) for row in given.values()):
        return {ANONYMOUS: _distribution(given, state)}
    if not all(isinstance(action, str) and action for action in given):
        raise InvalidModel(
            f"the actions of state {quoted(state)} must have strings as names", code="bad-step"
        )
    return {action: _distribution(row, state) for action, row in given.items()}


def _distribution(given: object, state: str) -> dict[AnyState, Fraction]:
    """The next states with probabilities above 0."""
    if not isinstance(given, Mapping):
        raise InvalidModel(
            f"after state {quoted(state)} comes {type(given).__name__}, not {{state: probability}}",
            code="bad-step",
        )
    row: dict[AnyState, Fraction] = {}
    for successor, number in given.items():
        what = f"the probability of {quoted(str(successor))} after state {quoted(state)}"
        probability = given_rational(number, what, "bad-step", at_least=0)
        if probability:
            row[successor] = probability
    mass = total(row.values())
    if mass != 1:
        found = abbreviated(format_rational(mass))
        raise InvalidModel(
            f"the probabilities after state {quoted(state)} sum to {found}, not 1", code="bad-step"
        )
    return row
