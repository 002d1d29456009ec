"""Labelled Markov chains with rational probabilities."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from prover.chain.errors import (
    duplicate_state,
    malformed_state,
    missing_label,
    not_text,
    quotient_not_lumpable,
    relation_names_unknown_state,
    state_path,
    unknown_state,
)
from prover.chain.rows import check_row, in_order, indexed_row
from prover.errors import InvalidModel, must_be, quoted
from prover.exact.given import Given
from prover.exact.meanings import Meanings
from prover.exact.rational import parse_rational
from prover.graphs import search
from prover.views import DrawnAnswer, SourceCode

Number = Given
Pair = tuple[int, int]

ANONYMOUS = ""
"""The name of the one action of states where nothing is chosen."""


@dataclass(frozen=True, slots=True, repr=False)
class LabelledMarkovChain(DrawnAnswer):
    """A finite Markov chain whose states carry labels, with a relation of states to be compared.

    ``states`` are the names, sorted by code point; the index of a state is its place there. ``labels[s]`` is
    the label of state s, and ``rows[s][t]`` = P(s→t) > 0 for the successors t of s, in increasing order; a
    row sums to exactly 1. Rows that are mapping proxies are kept, others are copied. ``relation`` is sorted,
    symmetric and without repetition. ``code`` is what the chain was made of, where it was written as code. If
    it is cut from a larger one, ``lost`` is the label of lost runs (docs/theory.md, *Lost runs*). Make chains
    with ``of``; the constructor raises InvalidModel.

        >>> chain = LabelledMarkovChain.of({
        ...     "fair": ("start", {"heads": "1/2", "tails": "1/2"}),
        ...     "biased": ("start", {"heads": "3/5", "tails": "2/5"}),
        ...     "heads": ("heads", {"heads": 1}), "tails": ("tails", {"tails": 1})}, [("fair", "biased")])
        >>> chain.states, chain.labels
        (('biased', 'fair', 'heads', 'tails'), ('start', 'start', 'heads', 'tails'))
        >>> str(chain.rows[chain.index("biased")][chain.index("heads")])
        '3/5'

    Reference: docs/theory.md, *Labelled Markov chains and δ*.
    """

    states: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[Mapping[int, Fraction], ...]
    relation: tuple[Pair, ...] = ()
    code: SourceCode | None = field(default=None, kw_only=True, compare=False)
    lost: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _check_names(self)
        for state, row in zip(self.states, self.rows, strict=True):
            check_row(self.states, state, row)
        _check_relation(self)
        rows = (row if type(row) is MappingProxyType else MappingProxyType(dict(row)) for row in self.rows)
        object.__setattr__(self, "rows", tuple(rows))

    @classmethod
    def of(
        cls,
        states: Mapping[str, tuple[str, Mapping[str, Number]]],
        relation: Iterable[tuple[str, str]] = (),
        *,
        code: SourceCode | None = None,
    ) -> LabelledMarkovChain:
        """The chain with the given states, each with its label and its row by the names of the successors.

        Probabilities are integers, fractions or texts of numbers; zeros are dropped. The relation is closed
        symmetrically. Raises, besides what the constructor raises, InvalidModel, and what ``parse_rational``
        raises.
        """
        for name in states:
            if not isinstance(name, str):
                raise not_text("the name of a state", name, "$.states")
        names = tuple(sorted(states))
        index_of = {name: index for index, name in enumerate(names)}
        labels, rows, known = [], [], Meanings(parse_rational)
        for name in names:
            label, row = label_and_rows(name, states[name])
            labels.append(label)
            rows.append(MappingProxyType(indexed_row(name, row, index_of, known)))
        return cls(names, tuple(labels), tuple(rows), indexed_relation(relation, index_of), code=code)

    @property
    def under(self) -> Mapping[str, LabelledMarkovChain]:
        """As a decision process in which nothing is chosen: the chain under the only action."""
        return {ANONYMOUS: self}

    @property
    def leaves_a_choice(self) -> bool:
        """False: a Markov chain has no choices."""
        return False

    def menu(self, state: int) -> tuple[str, ...]:
        """The actions of a state: the one that has no name."""
        del state
        return (ANONYMOUS,)

    def row(self, state: int, action: str = ANONYMOUS) -> Mapping[int, Fraction]:
        """Where a state leads, with which probabilities."""
        del action
        return self.rows[state]

    def __len__(self) -> int:
        return len(self.states)

    def __hash__(self) -> int:
        return hash((self.states, self.labels, tuple(tuple(row.items()) for row in self.rows), self.relation))

    def __repr__(self) -> str:
        return f"<LabelledMarkovChain: {len(self)} states, {len(self.relation)} related pairs>"

    def __reduce__(self) -> tuple[Any, ...]:
        # Mapping proxies keep the rows from being changed, but cannot be sent to another process.
        given = {one.name: getattr(self, one.name) for one in fields(self) if one.kw_only}
        return partial(type(self), **given), (
            self.states,
            self.labels,
            tuple(map(dict, self.rows)),
            self.relation,
        )

    def index(self, name: str) -> int:
        """The index of the state called ``name``; raises UnknownName."""
        if not isinstance(name, str):
            raise not_text("the name of a state", name)
        index = bisect_left(self.states, name)
        if index == len(self.states) or self.states[index] != name:
            raise unknown_state(name, self.states)
        return index


def reachable(chain: LabelledMarkovChain, sources: Iterable[int]) -> frozenset[int]:
    """The states that the sources reach, the sources included; raises UnknownName."""
    must_be(LabelledMarkovChain, chain=chain)
    must_be(Iterable, sources=sources)
    found = set(sources)
    for source in found:
        if not 0 <= source < len(chain):
            raise unknown_state(source, chain.states)
    return frozenset(search(found, chain.rows.__getitem__))


def restrict(chain: LabelledMarkovChain, sources: Iterable[int]) -> LabelledMarkovChain:
    """The chain of the states that the sources reach, with the pairs of the relation between these.

    δ between them is what it was; ld need not be, which depends on all states (docs/theory.md, *The lifting
    as a flow*).

    Raises UnknownName, and InvalidModel where there are no sources.

        >>> chain = LabelledMarkovChain.of({"a": ("x", {"a": 1}), "b": ("y", {"a": 1}), "c": ("z", {"b": 1})})
        >>> restrict(chain, [chain.index("b")]).states
        ('a', 'b')
    """
    kept = sorted(reachable(chain, sources))
    number = {state: index for index, state in enumerate(kept)}
    return replace(
        chain,
        states=tuple(chain.states[s] for s in kept),
        labels=tuple(chain.labels[s] for s in kept),
        rows=tuple({number[t]: p for t, p in chain.rows[s].items()} for s in kept),
        relation=tuple((number[s], number[t]) for s, t in chain.relation if s in number and t in number),
    )


def quotient(
    chain: LabelledMarkovChain, classes: Sequence[Sequence[int]], beside: LabelledMarkovChain | None = None
) -> LabelledMarkovChain:
    """The chain with one state for each class, named after the class's first member; relation mapped along.
    ``beside`` may be the quotient by these classes of a chain that has other rows, and all else in common.

    The classes partition the states and are a probabilistic bisimulation: two states of one class have equal
    labels and, into every class, equal mass. Related states of one class become a state related to itself.
    Raises UnknownName, InvalidModel.

        >>> chain = LabelledMarkovChain.of({"a": ("x", {"a": 1}), "b": ("x", {"a": 1}), "c": ("y", {"b": 1})})
        >>> merged = quotient(chain, [(0, 1), (2,)])
        >>> merged.states, merged.rows[1]
        (('a', 'c'), mappingproxy({0: Fraction(1, 1)}))

    Reference: docs/theory.md, *The quotient*.
    """
    must_be(LabelledMarkovChain, chain=chain)
    must_be(Sequence, classes=classes)
    _check_partition(chain, classes)
    classes = sorted(classes, key=lambda members: members[0])
    rows = chain.rows
    if len(classes) == len(chain) and beside is not None:
        return with_rows(beside, rows)
    class_of = {state: index for index, members in enumerate(classes) for state in members}
    if len(classes) < len(chain):
        masses = [in_order(_masses(chain, members[0], class_of)) for members in classes]
        for members, mass in zip(classes, masses, strict=True):
            for other in members[1:]:
                _check_lumpable(chain, classes, members[0], other, mass, _masses(chain, other, class_of))
        rows = tuple(map(MappingProxyType, masses))
    if beside is not None:
        return with_rows(beside, rows)
    others = {
        "states": tuple(chain.states[members[0]] for members in classes),
        "labels": tuple(chain.labels[members[0]] for members in classes),
        "relation": tuple(sorted({(class_of[s], class_of[t]) for s, t in chain.relation})),
        "code": None,
        "lost": None,
    }
    return with_rows(chain, rows, others)


def _check_partition(chain: LabelledMarkovChain, classes: Sequence[Sequence[int]]) -> None:
    if all(classes) and sorted([s for members in classes for s in members]) == [*range(len(chain))]:
        return
    found = set[int]()
    for index, members in enumerate(classes):
        if not members:
            raise InvalidModel(f"class {index} is empty; every class holds a state", code="not-a-partition")
        for state in members:
            if not 0 <= state < len(chain):
                raise unknown_state(state, chain.states)
            if state in found:
                raise InvalidModel(
                    f"state {quoted(chain.states[state])} is in two classes or in one twice",
                    code="not-a-partition",
                )
            found.add(state)
    for state, name in enumerate(chain.states):
        if state not in found:
            raise InvalidModel(
                f"state {quoted(name)} is in no class; every state is in one", code="not-a-partition"
            )


def _masses(chain: LabelledMarkovChain, state: int, class_of: Mapping[int, int]) -> dict[int, Fraction]:
    masses: dict[int, Fraction] = {}
    for successor, probability in chain.rows[state].items():
        place = class_of[successor]
        masses[place] = masses[place] + probability if place in masses else probability
    return masses


def _check_lumpable(
    chain: LabelledMarkovChain,
    classes: Sequence[Sequence[int]],
    first: int,
    second: int,
    mass: Mapping[int, Fraction],
    other: Mapping[int, Fraction],
) -> None:
    if chain.labels[first] != chain.labels[second]:
        difference = f"their labels are {quoted(chain.labels[first])} and {quoted(chain.labels[second])}"
        raise quotient_not_lumpable(chain.states[first], chain.states[second], difference)
    # Both sum to 1, so a class that only the second enters shows in one that the first enters.
    for place, probability in mass.items():
        if other.get(place) != probability:
            into = quoted(chain.states[classes[place][0]])
            difference = f"they go to the class of {into} with different probabilities"
            raise quotient_not_lumpable(chain.states[first], chain.states[second], difference)


def label_and_rows(name: str, given: object) -> tuple[str, Mapping[Any, Any]]:
    """The label of a state, and its row, or those of its actions. Raises InvalidModel."""
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[1], Mapping):
        raise malformed_state(name, given)
    label, row = given
    if label is None:
        raise missing_label(name)
    return label, row


def with_rows(
    chain: LabelledMarkovChain,
    rows: Iterable[Mapping[int, Fraction]],
    others: Mapping[str, object] = MappingProxyType({}),
) -> LabelledMarkovChain:
    """The chain with other rows, which are mapping proxies, and with ``others`` of its fields. Nothing is
    checked: ``check_row`` accepts the rows.
    """
    kept = {one.name: getattr(chain, one.name) for one in fields(LabelledMarkovChain)}
    return unchecked({**kept, **others, "rows": tuple(rows)})


def unchecked(parts: Mapping[str, object]) -> LabelledMarkovChain:
    """The chain with these fields, all others None, which are as the constructor would leave them."""
    found = object.__new__(LabelledMarkovChain)
    for one in fields(LabelledMarkovChain):
        object.__setattr__(found, one.name, parts.get(one.name))
    return found


def indexed_relation(relation: Iterable[tuple[str, str]], index_of: Mapping[str, int]) -> tuple[Pair, ...]:
    """Pairs of names as a relation of a chain: symmetric, and sorted. Raises InvalidModel."""
    closed = set()
    for index, pair in enumerate(relation):
        for state in pair:
            if state not in index_of:
                raise relation_names_unknown_state(state, index)
        s, t = (index_of[state] for state in pair)
        closed |= {(s, t), (t, s)}
    return tuple(sorted(closed))


def _check_names(chain: LabelledMarkovChain) -> None:
    if not chain.states:
        raise InvalidModel(
            "a chain has at least one state, this one has none", path="$.states", code="no-states"
        )
    for earlier, later in pairwise(chain.states):
        if earlier == later:
            raise duplicate_state(later)
        if earlier > later:
            raise InvalidModel(
                f"state {quoted(later)} follows {quoted(earlier)}; states are sorted by name",
                code="not-canonical",
            )
    if not len(chain.states) == len(chain.labels) == len(chain.rows):
        raise InvalidModel("every state has one label and one row", code="not-canonical")
    for state, label in zip(chain.states, chain.labels, strict=True):
        if not isinstance(label, str):
            raise not_text(f"the label of state {quoted(state)}", label, f"{state_path(state)}.label")


def _check_relation(chain: LabelledMarkovChain) -> None:
    pairs = set(chain.relation)
    for index, (s, t) in enumerate(chain.relation):
        for state in (s, t):
            if not 0 <= state < len(chain):
                raise relation_names_unknown_state(str(state), index)
        if (t, s) not in pairs:
            raise InvalidModel(
                f"the relation holds {(s, t)}, but not {(t, s)}; it is symmetric", code="not-canonical"
            )
    if any(earlier >= later for earlier, later in pairwise(chain.relation)):
        raise InvalidModel("the relation is not sorted or repeats a pair", code="not-canonical")
