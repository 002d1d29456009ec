"""Closed tables whose values are affine in a parameter, and how far they stay closed.

A table that is closed at rates just beyond the start of an interval consists of numbers Σ k·rate. Their
values at the start and their slopes can be read off them, because the rates are a tiny step from the start.
These affine functions make a table that is closed as long as the inequalities which one of its functions
chooses for every step and later function hold, each of them affine (docs/theory_programs.md, *One parameter
in the rates*).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from prover.program.model import Edge, Program, variables
from prover.program.optimum.cost import Invariant, NodeTable
from prover.program.optimum.functions import ShiftVector, respects
from prover.program.optimum.transfer import SHIFTS, Scale
from prover.program.order_graph import FINAL, Order, OrderGraph, above, below
from prover.program.shifts import Shift, cost, differences_of, layers_of, price


class Line(NamedTuple):
    """An affine function by its values at both ends of an interval."""

    first: Fraction
    last: Fraction

    def at(self, share: Fraction) -> Fraction:
        """The value at a point, given by its share of the interval."""
        return self.first + (self.last - self.first) * share


@dataclass(frozen=True, slots=True)
class Reading:
    """How affine functions are read off their values at a step of ``small`` from the start of an interval.

    At the start they are multiples of 1/``unit``, and the step changes them by less than half of that.
    ``length`` is that of the interval. Without a step they are constants.
    """

    small: Fraction
    unit: int
    length: Fraction

    def line(self, number: Fraction) -> Line:
        """The function with this value there."""
        if not self.small:
            return Line(number, number)
        start = Fraction(round(number * self.unit), self.unit)
        return Line(start, start + (number - start) / self.small * self.length)


@dataclass(frozen=True, slots=True)
class OpenFunction:
    """A function of shifts with affine functions as its values; infinite where it has no point.

    Shifts are numbered as ``shifts_of`` does.
    """

    names: tuple[str, ...]
    points: Mapping[ShiftVector, Line]


NOTHING = OpenFunction((), {(): Line(Fraction(0), Fraction(0))})
"""What a run that ends can still lose."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Functions for every node and layer of an order graph, without 0, and for every node the numbers of
    those that dominate what its steps make of later ones, in the order of certificates (−1 for 0).
    ``share`` is the share of the interval on which they do, and in which the table proves its bound.
    """

    graph: OrderGraph
    functions: Sequence[Sequence[Sequence[OpenFunction]]]
    by: Sequence[Sequence[int]]
    share: Fraction


Shifts = Mapping[int, Shift]
"""The shifts that count, by their numbers."""


PLAIN: Shifts = MappingProxyType({shift: shift for shift in SHIFTS})
"""Those of programs in which no state has a sensitivity of its own."""


def shifts_of(scale: Scale) -> Shifts:
    """The shifts that count, in increasing order: three have the numbers −1, 0, 1, and more 0, 1, 2, …"""
    first = -1 if len(scale.shifts) == len(SHIFTS) else 0
    return {first + n: scale.shift(own) for n, own in enumerate(scale.shifts)}


def open_functions(
    program: Program, graph: OrderGraph, table: Invariant | NodeTable, reading: Reading
) -> list[list[list[OpenFunction]]]:
    """The functions of a table for all nodes and layers, with affine values."""
    lines: dict[int, Line] = {}

    def line(units: int, denominator: int) -> Line:
        if units not in lines:
            lines[units] = reading.line(Fraction(units, denominator))
        return lines[units]

    if isinstance(table, NodeTable):
        denominator = table.cells.scale.denominator
        return [
            [
                [
                    OpenFunction(
                        own.names, {vector: line(units, denominator) for vector, units in own.points}
                    )
                    for own in sorted(table.functions[number])
                    if own.points != (((), 0),)
                ]
                for number in at
            ]
            for at in table.cells.at
        ]
    names, scale = variables(program), table.scale
    return [
        [
            [
                OpenFunction(
                    names,
                    {
                        (shift,): line(units, scale.denominator)
                        for shift, units in zip(shifts_of(scale), values, strict=True)
                        if units < scale.cap
                    },
                )
                for values in layer
            ]
            for layer in table.values[state]
        ]
        for state in graph.states
    ]


def share_of(lower: Line, upper: Line) -> Fraction:
    """The share of the interval, from its start, on which one function is at most another."""
    before, after = upper.first - lower.first, upper.last - lower.last
    if before < 0:
        return Fraction(-1)
    return Fraction(1) if after >= 0 else before / (before - after)


def closed_table(
    edges: tuple[Sequence[Edge], Sequence[Edge]],
    graph: OrderGraph,
    functions: Sequence[Sequence[Sequence[OpenFunction]]],
    adjacency: str,
    goal: Line,
    shifts: Shifts = PLAIN,
) -> OpenTable:
    """The table with the functions that keep it closed longest, and how long it then proves ``goal``.

    ``edges`` are those at both ends, and ``shifts`` those that count. The share is not positive where the
    functions are not closed.
    """
    by: list[list[int]] = []
    share = Fraction(1)
    for node, arrows in enumerate(graph.arrows):
        chosen: list[int] = []
        for arrow in arrows:
            ends = (edges[0][arrow.edge.number], edges[1][arrow.edge.number])
            for delta in differences_of(ends[0], adjacency):
                for layer, after in layers_of(ends[0], delta, adjacency):
                    later = [] if arrow.target == FINAL else functions[arrow.target][after]
                    for function in (*later, NOTHING):
                        step = _Step(ends, delta, function, graph.orders[node], shifts)
                        number, longest = step.dominator(functions[node][layer])
                        chosen.append(number)
                        share = min(share, longest)
        by.append(chosen)
    for function in functions[0][0]:
        share = min(
            share, max((share_of(own, goal) for own in function.points.values()), default=Fraction(-1))
        )
    return OpenTable(graph, functions, by, share)


class _Step:
    """What an edge with a difference makes of a later function: for all shifts, what they may cost."""

    def __init__(
        self, ends: tuple[Edge, Edge], delta: int, later: OpenFunction, order: Order, shifts: Shifts
    ) -> None:
        edge = ends[0]
        self.later, self.order, self.stored, self.shifts = later, order, frozenset(edge.assign), shifts
        self.below, self.above = below(edge), above(edge)
        self.names = tuple(sorted({*later.names} - self.stored | self.below | self.above))
        self.costs = {
            own: Line(*(price(end, delta, shift) for end in ends))
            for own, shift in shifts.items()
            if not (edge.pinned and shift) and cost(edge, delta, shift) is not None
        }
        self.known: dict[ShiftVector, list[Line]] = {}

    def dominator(self, functions: Sequence[OpenFunction]) -> tuple[int, Fraction]:
        """The number of the function, −1 for 0, that dominates this longest, and the share for which."""
        best = (-1, self._share(NOTHING, Fraction(-1)))
        for number, function in enumerate(functions):
            if best[1] == 1:
                break
            share = self._share(function, best[1])
            if share > best[1]:
                best = number, share
        return best

    def _share(self, function: OpenFunction, needed: Fraction) -> Fraction:
        """The share for which a function dominates this; less than it is where that is not needed."""
        share = Fraction(1)
        for shifts, line in self._places(function):
            costs = self._costs(tuple(shifts[name] for name in self.names))
            share = min(share, max((share_of(own, line) for own in costs), default=Fraction(-1)))
            if share <= needed:
                break
        return share

    def _places(self, function: OpenFunction) -> Iterator[tuple[dict[str, int], Line]]:
        more = [name for name in self.names if name not in function.names]
        names = (*function.names, *more)
        for vector, line in function.points.items():
            for added in product(self.shifts, repeat=len(more)):
                if respects(self.order, names, (*vector, *added)):
                    yield dict(zip(names, (*vector, *added), strict=True)), line

    def _costs(self, vector: ShiftVector) -> list[Line]:
        if vector not in self.known:
            shifts = dict(zip(self.names, vector, strict=True))
            low = max((shifts[name] for name in self.below), default=min(self.shifts))
            high = min((shifts[name] for name in self.above), default=max(self.shifts))
            self.known[vector] = []
            for own, line in self.costs.items():
                there = tuple(own if name in self.stored else shifts[name] for name in self.later.names)
                if low <= own <= high and there in self.later.points:
                    after = self.later.points[there]
                    self.known[vector].append(Line(line.first + after.first, line.last + after.last))
        return self.known[vector]


def unit_of(numbers: Sequence[Fraction]) -> int:
    """The least common denominator."""
    return math.lcm(*(number.denominator for number in numbers))
