"""Labelled Markov decision processes: systems in which an attacker chooses what to do next.

A state of label l offers the actions of l. The attacker remembers all labels and actions so far, and chooses
one of them. States of equal label offer the same actions: a menu of its own would show the state.
Reference: docs/theory_interactive.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from prover.chain.errors import malformed_state, menu_text, menus_differ, state_path
from prover.chain.model import (
    ANONYMOUS,
    LabelledMarkovChain,
    Number,
    Pair,
    label_and_rows,
    quotient,
    with_rows,
)
from prover.chain.rows import check_row, indexed_row
from prover.errors import BadInput, InvalidModel, NotSupported, UnknownName, abbreviated, must_be, quoted
from prover.exact.meanings import Meanings
from prover.exact.rational import parse_rational
from prover.views import DrawnAnswer, SourceCode

_ONE = Fraction(1)
Choices = Mapping[str, Mapping[str, Number]]
"""The rows of a state by the names of its actions."""


@dataclass(frozen=True, slots=False, repr=False)
class LabelledMarkovDecisionProcess(DrawnAnswer):
    """A finite labelled Markov decision process, with a relation of states to be compared.

    ``menus[label]`` are the actions that states of this label offer, sorted, ("",) where nothing is chosen.
    ``under[action]`` is the chain of an attacker who always takes this action, with the states, the labels
    and the relation of the process; states that do not offer it stay where they are.

    Make processes with ``of``, which checks what it is given.
    """

    menus: Mapping[str, tuple[str, ...]]
    under: Mapping[str, LabelledMarkovChain]
    code: SourceCode | None = field(default=None, kw_only=True, compare=False)

    def __post_init__(self) -> None:
        for name in ("menus", "under"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    @classmethod
    def of(
        cls,
        states: Mapping[str, tuple[str, Choices | Mapping[str, Number]]],
        relation: Iterable[tuple[str, str]] = (),
        *,
        code: SourceCode | None = None,
    ) -> LabelledMarkovDecisionProcess:
        """The process with the given states: each with its label, and with its row for every action.

        A state may have one row instead: it is that of every action that other states of its label offer, or,
        where none does, of the only one, which has no name then.

            >>> doors = LabelledMarkovDecisionProcess.of({
            ...     "s": ("closed", {"left": {"gold": "3/4", "goat": "1/4"}, "right": {"goat": 1}}),
            ...     "t": ("closed", {"left": {"gold": "1/4", "goat": "3/4"}, "right": {"goat": 1}}),
            ...     "gold": ("gold", {"gold": 1}), "goat": ("goat", {"goat": 1})}, [("s", "t")])
            >>> doors
            <LabelledMarkovDecisionProcess: 4 states, 2 related pairs, actions "left", "right">

        Raises InvalidModel, and what ``LabelledMarkovChain.of`` raises.
        """
        must_be(Mapping, states=states)
        pairs = list(relation)
        given = {name: _label_and_choices(name, state) for name, state in states.items()}
        names = tuple(sorted(given))
        labels = tuple(given[name][0] for name in names)
        menus = _menus(names, labels, [given[name][1] for name in names])
        skeleton = LabelledMarkovChain.of(
            {name: (label, {name: _ONE}) for name, (label, _) in given.items()}, pairs
        )
        places = {name: place for place, name in enumerate(names)}
        known = Meanings(parse_rational)
        rows = (_indexed_rows(name, given[name][1], places, known) for name in names)
        return cls._of_rows(skeleton, menus, rows, code)

    @classmethod
    def by_places(
        cls,
        names: tuple[str, ...],
        labels: tuple[str, ...],
        rows: Sequence[Mapping[str, dict[int, Fraction]]],
        relation: tuple[Pair, ...],
    ) -> LabelledMarkovDecisionProcess:
        """The process whose states have these names, which are sorted, and labels, and these rows by actions:
        by ANONYMOUS alone where a state has one row. Rows lead to places of names, in their order. Raises
        what ``of`` raises.
        """
        menus = _menus(names, labels, rows)
        stays = tuple(MappingProxyType({place: _ONE}) for place in range(len(names)))
        return cls._of_rows(LabelledMarkovChain(names, labels, stays, relation), menus, rows, None)

    @classmethod
    def _of_rows(
        cls,
        skeleton: LabelledMarkovChain,
        menus: Mapping[str, tuple[str, ...]],
        rows: Iterable[Mapping[str, dict[int, Fraction]]],
        code: SourceCode | None,
    ) -> LabelledMarkovDecisionProcess:
        actions = sorted({action for menu in menus.values() for action in menu}) or [ANONYMOUS]
        under = {action: [*skeleton.rows] for action in actions}
        accepted = set[tuple[int, ...]]()  # which numbers a row had that was checked; ``under`` keeps them
        for place, (name, label, own) in enumerate(zip(skeleton.states, skeleton.labels, rows, strict=True)):
            for action, row in own.items():
                numbers = tuple(map(id, row.values()))
                if numbers not in accepted:
                    try:
                        check_row(skeleton.states, name, row)
                    except BadInput as error:
                        _at_action(error, name, action)
                        raise
                    accepted.add(numbers)
                kept = MappingProxyType(row)
                for each in menus[label] if action == ANONYMOUS else (action,):
                    under[each][place] = kept
        return cls(menus, {action: with_rows(skeleton, found) for action, found in under.items()}, code=code)

    @cached_property
    def skeleton(self) -> LabelledMarkovChain:
        """States, labels and relation, as one of the chains has them."""
        return next(iter(self.under.values()))

    @property
    def states(self) -> tuple[str, ...]:
        """The names, sorted by code point; the index of a state is its place."""
        return self.skeleton.states

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of every state."""
        return self.skeleton.labels

    @property
    def relation(self) -> tuple[Pair, ...]:
        """The related pairs: sorted, symmetric, without repetition."""
        return self.skeleton.relation

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of all actions, sorted, that of the anonymous one left out."""
        return tuple(action for action in self.under if action != ANONYMOUS)

    def index(self, name: str) -> int:
        """The index of the state called ``name``; raises UnknownName."""
        return self.skeleton.index(name)

    def menu(self, state: int) -> tuple[str, ...]:
        """The actions that a state offers."""
        return self.menus[self.labels[state]]

    def row(self, state: int, action: str) -> Mapping[int, Fraction]:
        """Where an action leads from a state that offers it, and with which probabilities."""
        return self.under[action].rows[state]

    def as_chain(self) -> LabelledMarkovChain:
        """The chain that a process is in which no label leaves a choice; raises InvalidModel.

        >>> process = LabelledMarkovDecisionProcess.of({"s": ("a", {"go": {"s": 1}})})
        >>> process.as_chain()
        <LabelledMarkovChain: 1 states, 0 related pairs>
        """
        for label, menu in self.menus.items():
            if len(menu) > 1:
                raise InvalidModel(
                    f"states of label {quoted(label)} offer {menu_text(menu)}; a chain has no choices",
                    code="not-one-action",
                )
        rows = tuple(self.row(s, self.menu(s)[0]) for s in range(len(self)))
        return LabelledMarkovChain(self.states, self.labels, rows, self.relation, code=self.code)

    @property
    def leaves_a_choice(self) -> bool:
        """Whether some label offers two actions or more."""
        return any(len(menu) > 1 for menu in self.menus.values())

    def __len__(self) -> int:
        return len(self.states)

    def __hash__(self) -> int:
        return hash((tuple(self.menus.items()), tuple(self.under.items())))

    def __repr__(self) -> str:
        named = ", ".join(quoted(action) for action in self.actions) or "none"
        size = f"{len(self)} states, {len(self.relation)} related pairs"
        return f"<LabelledMarkovDecisionProcess: {size}, actions {named}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies cannot be sent to another process.
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.kw_only}
        return partial(type(self), **given), (dict(self.menus), dict(self.under))


System = LabelledMarkovChain | LabelledMarkovDecisionProcess
"""The subject of questions: a Markov chain, which has no choices, or a decision process."""


def named_actions(process: LabelledMarkovDecisionProcess, named: Iterable[str]) -> frozenset[str]:
    """The actions of these names; a name that ends in * stands for all that begin so.

    Raises UnknownName, WrongArgument.
    """
    must_be(Iterable, against=named)
    found = set[str]()
    for name in [named] if isinstance(named, str) else named:
        must_be(str, against=name)
        same = {name} & set(process.actions)
        if not same and name.endswith("*"):
            same = {action for action in process.actions if action.startswith(name[:-1])}
        if not same:
            listed = abbreviated(", ".join(map(quoted, process.actions)))
            raise UnknownName(f"no action is called {quoted(name)}, only {listed}", code="unknown-action")
        found |= same
    return frozenset(found)


def nature_of(system: System, named: Iterable[str]) -> frozenset[str]:
    """The actions of these names, where nature is to choose against the attacker.

    Raises NotSupported where nothing is chosen, or one label offers actions of nature and of the attacker;
    and what ``named_actions`` raises.
    """
    if isinstance(system, LabelledMarkovChain):
        raise NotSupported("the system leaves no choice of actions, to nature either", code="not-interactive")
    found = named_actions(system, named)
    for label, menu in system.menus.items():
        theirs = [action for action in menu if action not in found]
        if theirs and len(theirs) < len(menu):
            one = next(action for action in menu if action in found)
            raise NotSupported(
                f"states of label {quoted(label)} leave {quoted(one)} to nature and {quoted(theirs[0])} to "
                "the attacker; nature and the attacker need states of different labels to move",
                code="both-choose",
            )
    return found


SYSTEMS = (LabelledMarkovChain, LabelledMarkovDecisionProcess)


def different_numbers(system: System) -> dict[int, Fraction]:
    """The probabilities by what ``id`` says of them: a number that many transitions share is there once."""
    return {id(p): p for chain in system.under.values() for row in chain.rows for p in row.values()}


def without_idle_choice(system: System) -> System:
    """The system, as the chain that it is where no label leaves a choice."""
    if isinstance(system, LabelledMarkovChain) or system.leaves_a_choice:
        return system
    return system.as_chain()


def quotient_of(system: System, classes: Sequence[Sequence[int]]) -> System:
    """The system with the members of each class merged; raises what ``quotient`` raises."""
    if isinstance(system, LabelledMarkovChain):
        return quotient(system, classes)
    under: dict[str, LabelledMarkovChain] = {}
    for action, chain in system.under.items():
        under[action] = quotient(chain, classes, next(iter(under.values()), None))
    return LabelledMarkovDecisionProcess(system.menus, under)


def _label_and_choices(name: str, given: object) -> tuple[str, Mapping[str, Mapping[str, Number]]]:
    """The label of a state, and its rows by actions, or by ANONYMOUS the only row."""
    label, rows = label_and_rows(name, given)
    by_action = [type(row) is dict or isinstance(row, Mapping) for row in rows.values()]
    if not any(by_action):
        if not rows:
            raise InvalidModel(
                f"state {quoted(name)} offers no action; "
                "a state where there is nothing to choose has one row",
                path=state_path(name),
                code="no-actions",
            )
        return label, {ANONYMOUS: rows}
    if not all(by_action):
        raise malformed_state(name, given)
    if any(not isinstance(action, str) or not action for action in rows):
        raise InvalidModel(
            f"an action of state {quoted(name)} has no name; names are texts that are not empty",
            path=f"{state_path(name)}.actions",
            code="unnamed-action",
        )
    return label, dict(rows)


def _menus(
    names: Sequence[str], labels: Sequence[str], rows: Sequence[Mapping[str, object]]
) -> dict[str, tuple[str, ...]]:
    menus: dict[str, tuple[str, ...]] = {}
    first: dict[str, str] = {}
    for name, label, own in zip(names, labels, rows, strict=True):
        if ANONYMOUS in own:
            continue
        offered = tuple(sorted(own))
        if label not in menus:
            menus[label], first[label] = offered, name
        elif menus[label] != offered:
            raise menus_differ(label, (first[label], menus[label]), (name, offered))
    for label in labels:
        menus.setdefault(label, (ANONYMOUS,))
    return dict(sorted(menus.items()))


def _indexed_rows(
    name: str,
    rows: Mapping[str, Mapping[str, Number]],
    places: Mapping[str, int],
    known: Meanings[Fraction],
) -> dict[str, dict[int, Fraction]]:
    indexed = {}
    for action, row in rows.items():
        try:
            indexed[action] = indexed_row(name, row, places, known)
        except BadInput as error:
            _at_action(error, name, action)
            raise
    return indexed


def _at_action(error: BadInput, name: str, action: str) -> None:
    """Let an error of a row name the place where that is written."""
    before = f"{state_path(name)}.next"
    if action != ANONYMOUS and error.path is not None and error.path.startswith(before):
        error.path = f"{state_path(name)}.actions[{quoted(action)}]{error.path[len(before) :]}"


def must_be_whole(system: object) -> None:
    """Raises NotSupported for a chain that is cut from a larger one."""
    if isinstance(system, LabelledMarkovChain) and system.lost is not None:
        raise NotSupported(
            "the chain is cut from another one, with lost runs; only prover.delta, prover.epsilon_for and "
            "prover.curve answer about that",
            code="cut-chain",
        )
