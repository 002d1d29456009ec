"""All runs of a protocol from a draw to what is seen next, at once: numbers that coins add up are counted.

A *counter* is a whole number to which the innermost loop around a draw only adds. At such a draw its values
are not enumerated: a node is a place in the code with the values of all other variables that are used later,
and the probabilities of the counters' values are one polynomial, in which the exponents are these values. A
transition multiplies it by a polynomial; nodes that are equal add theirs up. Where the code does more with a
counter than adding to it, its values become states again.

Reference: docs/theory.md, *Sums of coins*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import heappop, heappush
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from prover.graphs import search, strong_components
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Bindings
from prover.language.values import frozen

Exponents = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """The value of a counter, which is not known, plus ``offset``; ``base`` is the counter's name."""

    base: str
    offset: int


@dataclass(frozen=True, slots=True)
class Mass:
    """Probabilities of the values of some counters: exponents of ``terms`` plus ``least`` are the values."""

    least: Exponents
    terms: fmpq_mpoly


@dataclass(frozen=True, slots=True)
class DrawPlace:
    """Where a run is at a draw, or where it does more with a counter than adding (``uses``)."""

    at: int
    values: Bindings
    uses: bool = False
    seen: int | None = None
    """The state that was entered, where something is seen instead."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A transition: for each counter of the target that of the source, or None; and what is added."""

    target: int
    origins: tuple[int | None, ...]
    added: Mass


def advanced(step: Instruction, values: Bindings) -> bool | None:
    """Do an instruction on counters: True where it only adds, False where it needs their values.

    None, and nothing is done, where no argument is a counter.
    """
    given = [values.get(name) for name in step.args]
    counts = [one for one in given if isinstance(one, Count)]
    if not counts:
        return None
    if step.operation == "copy":
        values[step.dst or ""] = counts[0]
        return True
    if step.operation != "add" or len(counts) == 2 or (step.data == "-" and given[0] is not counts[0]):
        return False
    other = given[1] if given[0] is counts[0] else given[0]
    if not isinstance(other, int):
        return False
    by = -int(other) if step.data == "-" else int(other)
    values[step.dst or ""] = Count(counts[0].base, counts[0].offset + by)
    return True


def counters(code: Code) -> list[frozenset[str]]:
    """For each instruction the variables that the innermost loop around it changes, and only adds to."""
    steps = code.instructions
    ends: dict[int, int] = {}
    for at, step in enumerate(steps):
        if step.operation == "jump" and step.target <= at:
            ends[step.target] = at
    found: list[frozenset[str]] = [frozenset()] * len(steps)
    for head, end in sorted(ends.items(), key=lambda loop: loop[0] - loop[1]):  # the longest first
        body = steps[head : end + 1]
        adding = [step for step in body if step.operation in ("copy", "add")]
        needed = {name for step in body if step.operation not in ("copy", "add") for name in step.args}
        size = -1
        while size < len(needed):
            size = len(needed)
            needed.update(name for step in adding if step.dst in needed for name in step.args)
        written = {name for step in body for name in step.writes}
        found[head : end + 1] = [frozenset(written - needed)] * len(body)
    return found


@dataclass(slots=True)
class DrawRegions:
    """The nodes that the draws of a protocol lead to, and the runs through them.

    ``follow`` gives for a node what may come next, with probabilities; ``enter`` the number of the state of a
    place whose values are all known.
    """

    code: Code
    follow: Callable[[int, Bindings], list[tuple[DrawPlace, fmpq]]]
    enter: Callable[[DrawPlace], int]
    full: Callable[[int], None]
    adds: list[frozenset[str]] = field(init=False)
    numbers: dict[object, int] = field(default_factory=dict)
    nodes: list[DrawPlace] = field(default_factory=list)
    edges: dict[int, list[_Edge]] = field(default_factory=dict)
    ranks: dict[int, int] = field(default_factory=dict)
    circling: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.adds = counters(self.code)

    def row(self, at: int, values: Bindings) -> dict[int, fmpq]:
        """The states in which the runs from a draw next need one, with probabilities."""
        start, _, least = self._node(DrawPlace(at, values))
        self._rank(start)
        row: dict[int, fmpq] = {}

        def put(place: DrawPlace, chance: fmpq) -> None:
            target = self.enter(place)
            row[target] = row.get(target, fmpq(0)) + chance

        if start in self.circling:
            for place, chance in self.follow(at, values):
                put(place, chance)
            return row
        masses = {start: Mass(least, _context(len(least)).constant(1))}
        waiting = [(-self.ranks[start], start)]
        while waiting:
            node = heappop(waiting)[1]
            mass, place = masses.pop(node), self.nodes[node]
            if node in self.circling or node not in self.edges:
                for known, chance in _spread(mass):
                    put(_known(place, known), chance)
                continue
            for edge in self.edges[node]:
                more = _moved(mass, edge)
                if edge.target in masses:
                    more = _sum(masses[edge.target], more)
                else:
                    heappush(waiting, (-self.ranks[edge.target], edge.target))
                masses[edge.target] = more
        return row

    def _rank(self, start: int) -> None:
        """Find all nodes behind one, and number them so that transitions lead to lower numbers or circle."""
        if start in self.ranks:
            return

        def after(node: int) -> list[int]:
            return [target for target in self._after(node) if target not in self.ranks]

        reached = search([start], after)
        for members in strong_components(reached, after):
            if len(members) > 1 or members[0] in after(members[0]):
                self.circling.update(members)
            for node in members:
                self.ranks[node] = len(self.ranks)

    def _after(self, node: int) -> list[int]:
        """The nodes that follow a node; none where something is seen or a counter is used."""
        place = self.nodes[node]
        if node not in self.edges and not place.uses and place.seen is None:
            self.edges[node] = self._expanded(node)
        return [edge.target for edge in self.edges.get(node, ())]

    def _expanded(self, node: int) -> list[_Edge]:
        found: dict[tuple[int, tuple[int | None, ...]], dict[Exponents, fmpq]] = {}
        own = _bases(self.nodes[node])
        for place, chance in self.follow(self.nodes[node].at, self.nodes[node].values):
            target, bases, shift = self._node(place)
            origins = tuple(None if base is None else own.index(base) for base in bases)
            terms = found.setdefault((target, origins), {})
            terms[shift] = terms.get(shift, fmpq(0)) + chance
        return [_Edge(target, origins, _mass(terms)) for (target, origins), terms in found.items()]

    def _node(self, place: DrawPlace) -> tuple[int, list[str | None], Exponents]:
        """The number of the node of a place; which counter each of its counters was, and what is added."""
        firsts: dict[str, tuple[str, int]] = {}
        values: Bindings = {}
        bases: list[str | None] = []
        shift: list[int] = []
        live = sorted(self.code.live[place.at] & place.values.keys()) if place.seen is None else ()
        counted = frozenset() if place.uses else self.adds[place.at]
        for name in live:
            value = place.values[name]
            if isinstance(value, Count):
                if value.base not in firsts:
                    firsts[value.base] = (name, value.offset)
                    bases.append(value.base)
                    shift.append(value.offset)
                first, offset = firsts[value.base]
                values[name] = Count(first, value.offset - offset)
            elif type(value) is int and name in counted:
                bases.append(None)
                shift.append(value)
                values[name] = Count(name, 0)
            else:
                values[name] = value
        key = (place.at, place.uses, place.seen, tuple((one, frozen(value)) for one, value in values.items()))
        if key not in self.numbers:
            self.full(len(self.nodes))
            self.numbers[key] = len(self.nodes)
            self.nodes.append(DrawPlace(place.at, values, place.uses, place.seen))
        return self.numbers[key], bases, tuple(shift)


def _bases(place: DrawPlace) -> list[str]:
    """The counters of a node, in the order of their names."""
    return [name for name, value in place.values.items() if isinstance(value, Count) and value.base == name]


def _known(place: DrawPlace, numbers: Exponents) -> DrawPlace:
    """A place with values for its counters."""
    known = dict(zip(_bases(place), numbers, strict=False))
    values = {
        name: known[value.base] + value.offset if isinstance(value, Count) else value
        for name, value in place.values.items()
    }
    return DrawPlace(place.at, values, place.uses, place.seen)


@cache
def _context(counts: int) -> Any:
    return fmpq_mpoly_ctx.get([("x", max(counts, 1))], Ordering.lex)


def _mass(terms: dict[Exponents, fmpq]) -> Mass:
    """The mass with these probabilities of values."""
    least = tuple(map(min, zip(*terms, strict=True)))
    context = _context(len(least))
    moved = {_padded(_minus(values, least)): chance for values, chance in terms.items()}
    return Mass(least, context.from_dict(moved))


def _spread(mass: Mass) -> list[tuple[Exponents, fmpq]]:
    return [
        (tuple(a + int(b) for a, b in zip(mass.least, powers, strict=False)), chance)
        for powers, chance in mass.terms.to_dict().items()
    ]


def _moved(mass: Mass, edge: _Edge) -> Mass:
    """The mass behind a transition."""
    if edge.origins != tuple(range(len(mass.least))):
        terms: dict[Exponents, fmpq] = {}
        for values, chance in _spread(mass):
            key = tuple(0 if one is None else values[one] for one in edge.origins)
            terms[key] = terms.get(key, fmpq(0)) + chance
        mass = _mass(terms)
    least = tuple(a + b for a, b in zip(mass.least, edge.added.least, strict=True))
    return Mass(least, mass.terms * edge.added.terms)


def _sum(one: Mass, other: Mass) -> Mass:
    least = tuple(map(min, one.least, other.least))
    context = _context(len(least))
    raised = [
        mass.terms * context.from_dict({_padded(_minus(mass.least, least)): 1})
        if mass.least != least
        else mass.terms
        for mass in (one, other)
    ]
    return Mass(least, raised[0] + raised[1])


def _minus(one: Exponents, other: Exponents) -> Exponents:
    return tuple(a - b for a, b in zip(one, other, strict=True))


def _padded(powers: Sequence[int]) -> Exponents:
    return tuple(powers) or (0,)
