"""A chain as an observer sees it who sees only changes of the label, or does not see some labels.

Reference: docs/theory.md, *Unseen steps*.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq

from prover.chain.collapsing.collapsed import CollapsedChain, Collapsing
from prover.chain.collapsing.elimination import FlintRow, entered, next_seen
from prover.chain.model import LabelledMarkovChain
from prover.exact.fmpq import fmpq_rows, fraction_of
from prover.progress import Progress

_ZERO, _ONE = fmpq(0), fmpq(1)


def collapse_for(
    names: Iterable[str],
    chain: LabelledMarkovChain,
    hidden: Collection[str],
    *,
    untimed: bool,
    progress: Progress,
) -> CollapsedChain:
    """What ``collapse`` makes of a chain, where the states of these names are initial, too."""
    draft = _begun(chain, hidden, {chain.index(name) for name in names})
    labels, rows = draft.labels, draft.rows
    erased: Mapping[int, FlintRow] = {}
    merged: Mapping[int, FlintRow] = {}

    def is_visible(_: int, t: int) -> bool:
        return labels[t] not in hidden

    def is_change(s: int, t: int) -> bool:
        return labels[s] != labels[t]

    kept = entered(rows, is_visible, draft.starts)
    if hidden:
        exits = next_seen(rows, is_visible, draft.starts, progress)
        erased = _used(rows, is_visible, exits)
        rows = {s: exits[s] for s in kept}
    if untimed:
        kept = entered(rows, is_change, draft.starts)
        exits = next_seen(rows, is_change, draft.starts, progress)
        merged = _used(rows, is_change, exits)
        rows = exits
    found = _Finished(draft, set(chain.states))
    for s in kept:
        found.add(s, rows[s], untimed=untimed)
    collapsing = Collapsing(
        chain, tuple(sorted(hidden)), untimed, found.entered, draft.start, found.silence, erased, merged
    )
    return found.chain(collapsing)


@dataclass(frozen=True, slots=True)
class _Draft:
    """The chain with states in front of the initial ones, if one of these is silent.

    States below ``len(chain)`` are its own; ``before`` says of the others which state they are in front of.
    """

    chain: LabelledMarkovChain
    labels: Sequence[str]
    rows: Mapping[int, FlintRow]
    starts: Sequence[int]
    before: Mapping[int, int]
    start: str | None


def _begun(chain: LabelledMarkovChain, hidden: Collection[str], named: Collection[int]) -> _Draft:
    rows: dict[int, FlintRow] = dict(enumerate(fmpq_rows(chain.rows)))
    related = {s for pair in chain.relation for s in pair}
    initial = sorted(related.union(named)) if related else list(range(len(chain)))
    if all(chain.labels[s] not in hidden for s in initial):
        return _Draft(chain, chain.labels, rows, initial, {}, None)
    start = fresh("start", set(chain.labels))
    before = dict(enumerate(initial, start=len(chain)))
    rows |= {place: {s: _ONE} for place, s in before.items()}
    return _Draft(chain, [*chain.labels, *[start] * len(before)], rows, sorted(before), before, start)


def _used(
    rows: Mapping[int, FlintRow], is_seen: Callable[[int, int], bool], exits: Mapping[int, FlintRow]
) -> dict[int, FlintRow]:
    """The exits of the states that unseen transitions enter, of those that can leave."""
    used = {t for s in exits for t in rows[s] if not is_seen(s, t)}
    return {t: exits[t] for t in sorted(used) if exits[t]}


class _Finished:
    """The new chain as it is put together: names, labels and rows by names."""

    def __init__(self, draft: _Draft, taken: set[str]) -> None:
        self.entered: dict[str, int] = {}
        self.silence: str | None = None
        self._draft = draft
        self._taken = taken
        self._names: dict[int, str] = {}
        self._for_ever: dict[str, str] = {}
        self._states: dict[str, tuple[str, dict[str, fmpq]]] = {}

    def add(self, state: int, row: FlintRow, *, untimed: bool) -> None:
        """A state with its row; what this lacks of 1 goes to a state for ever."""
        name, label = self._name(state), self._draft.labels[state]
        following = {self._name(t): p for t, p in row.items()}
        lacking = _ONE - sum(row.values(), _ZERO)
        if lacking != 0 and untimed:
            following[name if lacking == 1 else self._lasting(label, f"{label} for ever")] = lacking
        elif lacking != 0:
            self.silence = self.silence or fresh("silence", {*self._draft.labels})
            following[self._lasting(self.silence, self.silence)] = lacking
        self._states[name] = label, following

    def chain(self, collapsing: Collapsing) -> CollapsedChain:
        """All states in the order of their names, with the relation of the original."""
        names = sorted(self._states)
        place = {name: k for k, name in enumerate(names)}
        labels, rows = [], []
        for name in names:
            label, following = self._states[name]
            labels.append(label)
            rows.append({place[t]: fraction_of(following[t]) for t in sorted(following)})
        old = self._draft.chain.states
        relation = sorted((place[old[s]], place[old[t]]) for s, t in self._draft.chain.relation)
        return CollapsedChain(
            tuple(names), tuple(labels), tuple(rows), tuple(relation), collapsing=collapsing
        )

    def _name(self, state: int) -> str:
        """Initial states have the names of the original; so have others, where to begin there is the same."""
        if state in self._names:
            return self._names[state]
        draft = self._draft
        if state in draft.before:
            name = draft.chain.states[draft.before[state]]
        else:
            name = draft.chain.states[state]
            if draft.start is not None:
                name = self._new(f"{name} seen")
            self.entered[name] = state
        self._names[state] = name
        return name

    def _lasting(self, label: str, name: str) -> str:
        """The absorbing state of a label."""
        if label not in self._for_ever:
            self._for_ever[label] = self._new(name)
            self._states[self._for_ever[label]] = label, {self._for_ever[label]: _ONE}
        return self._for_ever[label]

    def _new(self, name: str) -> str:
        name = fresh(name, self._taken)
        self._taken.add(name)
        return name


def fresh(text: str, taken: Collection[str]) -> str:
    """The text, with as many primes as it takes to be none of those taken."""
    while text in taken:
        text += "'"
    return text
