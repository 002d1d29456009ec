"""Concurrent composition: an attacker interacts with several systems, and chooses which of them goes on.

Reference: docs/theory_interactive.md, *Several systems at once*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import overload

from prover.chain.model import LabelledMarkovChain
from prover.chain.product import (
    MOST_STATES,
    MOST_TRANSITIONS,
    check_different,
    check_size,
    count_of_runs,
    name_of,
    pairs_of_secrets,
    repeated_secrets,
)
from prover.chain.product import product as product_of_chains
from prover.chain.product import repeat as repeat_chain
from prover.errors import must_be
from prover.graphs import strong_components
from prover.interactive.asking import System
from prover.interactive.model import ANONYMOUS, LabelledMarkovDecisionProcess

Places = tuple[int, ...]
"""A state of every component."""

Rows = dict[str, dict[Places, Fraction]]


@overload
def product(
    left: LabelledMarkovChain, right: LabelledMarkovChain, *, related: str = "some"
) -> LabelledMarkovChain: ...


@overload
def product(left: System, right: System, *, related: str = "some") -> System: ...


def product(left: System, right: System, *, related: str = "some") -> System:
    """Two independent systems that are both observed.

    Two chains move together (prover.chain.product). Where there is something to choose in one of them, the
    attacker also chooses which one makes its next step, in between as he likes: the action ``"1: look"`` is
    ``look`` in the first one, ``"2"`` is a step of the second one in which nothing is chosen. What a
    component does by itself before there is something to choose, or before it ends, it does at once. The
    secrets and ``related`` are as for chains.

        >>> from prover.zoo.interactive import doors, wait
        >>> both = product(doors(), wait())
        >>> both.menu(both.index("(sL,s)"))
        ('1: look', '1: open L', '1: open R', '2: cash', '2: wait')

    Raises UnknownName, BeyondLimit, InvalidModel.
    """
    must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess), left=left, right=right)
    if isinstance(left, LabelledMarkovChain) and isinstance(right, LabelledMarkovChain):
        return product_of_chains(left, right, related=related)
    parts = (_Component.of(left), _Component.of(right))
    return _composed(parts, *pairs_of_secrets(parts[0].outline, parts[1].outline, related))


@overload
def repeat(chain: LabelledMarkovChain, count: int) -> LabelledMarkovChain: ...


@overload
def repeat(chain: LabelledMarkovDecisionProcess, count: int) -> LabelledMarkovDecisionProcess: ...


def repeat(chain: System, count: int) -> System:
    """``count`` independent runs of one system, all from the same secret, and all observed.

    Runs of a process go on as the attacker chooses, as in ``product``. Raises BadValue, BeyondLimit,
    InvalidModel.

        >>> from prover.zoo.interactive import wait
        >>> twice = repeat(wait(), 2)
        >>> [twice.states[s] for s in twice.relation[0]]
        ['(s,s)', '(t,t)']
    """
    must_be((LabelledMarkovChain, LabelledMarkovDecisionProcess), chain=chain)
    if isinstance(chain, LabelledMarkovChain):
        return repeat_chain(chain, count)
    count = count_of_runs(count)
    if count == 1:
        return chain
    return _composed((_Component.of(chain),) * count, *repeated_secrets(chain.outline, count))


@dataclass(frozen=True, slots=True)
class _Component:
    """A system of several. States of the labels in ``ended`` stay where they are, whatever is done; those of
    the labels in ``moving`` go on by themselves, and come to a choice or to an end surely.
    """

    outline: LabelledMarkovChain
    menus: Mapping[str, tuple[str, ...]]
    under: Mapping[str, LabelledMarkovChain]
    ended: frozenset[str]
    moving: frozenset[str]

    @staticmethod
    def of(system: System) -> _Component:
        if isinstance(system, LabelledMarkovChain):
            menus: Mapping[str, tuple[str, ...]] = dict.fromkeys(system.labels, (ANONYMOUS,))
            under: Mapping[str, LabelledMarkovChain] = {ANONYMOUS: system}
            outline = system
        else:
            menus, under, outline = system.menus, system.under, system.outline
        ended = set(outline.labels)
        for s, label in enumerate(outline.labels):
            if any(under[action].rows[s].keys() != {s} for action in menus[label]):
                ended.discard(label)
        moving = {label for label in menus if label not in ended and len(menus[label]) == 1}
        return _Component(
            outline, menus, under, frozenset(ended), _surely_over(outline, menus, under, moving)
        )

    def menu(self, state: int) -> tuple[str, ...]:
        return self.menus[self.outline.labels[state]]

    def row(self, state: int, action: str) -> Mapping[int, Fraction]:
        return self.under[action].rows[state]


def _surely_over(
    outline: LabelledMarkovChain,
    menus: Mapping[str, tuple[str, ...]],
    under: Mapping[str, LabelledMarkovChain],
    moving: set[str],
) -> frozenset[str]:
    """The labels among those that leave no choice of whose states none lies on a cycle of such states."""

    def following(state: int) -> Iterator[int]:
        label = outline.labels[state]
        if label in moving:
            yield from under[menus[label][0]].rows[state]

    parts = strong_components(range(len(outline)), following)
    round_and_round = {
        outline.labels[s] for part in parts for s in part if len(part) > 1 or s in set(following(s))
    }
    return frozenset(moving - round_and_round)


def _composed(
    parts: Sequence[_Component],
    secrets: Collection[Places],
    related: Collection[tuple[Places, Places]],
) -> LabelledMarkovDecisionProcess:
    """The process of the components, from the given tuples of states on."""
    rows: dict[Places, Rows] = {}
    waiting = list(secrets)
    found, transitions = set(waiting), 0
    while waiting:
        state = waiting.pop()
        rows[state] = dict(_choices(parts, state))
        transitions += sum(map(len, rows[state].values()))
        check_size("transitions", transitions, MOST_TRANSITIONS)
        new = {after for row in rows[state].values() for after in row} - found
        found |= new
        check_size("states", len(found), MOST_STATES)
        waiting.extend(sorted(new))
    names = {
        state: name_of([part.outline.states[s] for part, s in zip(parts, state, strict=True)])
        for state in rows
    }
    shown = {
        state: tuple(part.outline.labels[s] for part, s in zip(parts, state, strict=True)) for state in rows
    }
    labels = {seen: name_of(seen) for seen in shown.values()}
    check_different("states", names.values())
    check_different("labels", labels.values())
    states = {}
    for state, choices in rows.items():
        named = {action: {names[t]: p for t, p in row.items()} for action, row in choices.items()}
        states[names[state]] = labels[shown[state]], named.get(ANONYMOUS, named)
    return LabelledMarkovDecisionProcess.of(states, [(names[s], names[t]) for s, t in related])


def _choices(parts: Sequence[_Component], state: Places) -> Iterator[tuple[str, dict[Places, Fraction]]]:
    """What can be done: every row with its name, without name where there is only one thing to be done."""
    labels = [part.outline.labels[s] for part, s in zip(parts, state, strict=True)]
    going = [k for k, part in enumerate(parts) if labels[k] not in part.ended]
    by_itself = [k for k in going if labels[k] in parts[k].moving]
    if not going:
        yield ANONYMOUS, {state: Fraction(1)}
        return
    for k in by_itself[:1] or going:
        for action in parts[k].menu(state[k]):
            row = parts[k].row(state[k], action)
            after = {(*state[:k], t, *state[k + 1 :]): p for t, p in row.items()}
            named = f"{k + 1}: {action}" if action else str(k + 1)
            yield ANONYMOUS if by_itself else named, after
