"""Threshold programs with an open parameter: functions with values at both ends of an interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..budget import bits_of, operation
from ..programs import Program, Transition
from ..reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    at,
    at_most,
    demand,
    each,
    items,
    rational,
    record,
    typed,
)
from .comparisons import Comparison, Step
from .functions import Shape, read_shape
from .orders import Node, Order, defined, read_nodes
from .shifts import steps

Programs = tuple[Program, Program]


class EndFunction(NamedTuple):
    """Values at the points of a shape, at each end; infinite elsewhere, at both."""

    shape: Shape
    values: tuple[Sequence[int], Sequence[int]]


NOTHING = EndFunction(Shape((), {(): 0}), ((0,), (0,)))

Lists = Sequence[Mapping[str, Sequence[EndFunction]]]  # by node and mode


class EndTables(NamedTuple):
    """Nodes, their functions by mode, the denominators of these at each end, and the bits of any sum."""

    nodes: Sequence[Node]
    lists: Lists
    units: tuple[int, int]
    bits: int


def ends_rule(programs: Programs, adjacency: str, value: Json, upper: Sequence[Ratio] | None) -> None:
    """Each node's functions dominate the earlier functions of every transition, difference and later
    function, at both ends with the same function and the same shift; so they do between the ends."""
    (tables,) = closed_tables(programs, adjacency, [value])
    bounded_start(tables, upper)


def closed_tables(programs: Programs, adjacency: str, values: Sequence[Json]) -> list[EndTables]:
    """Lists of nodes, in each of which the functions dominate the earlier ones at both ends."""
    program = programs[0]
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    keys = "by functions order state targets"
    many = [[record(entry, keys) for entry in typed(value, list)] for value in values]
    defined(program)
    lists, units, bits = scaled_lists(programs, [entry for entries in many for entry in entries], modes)
    found = list[EndTables]()
    for entries in many:
        nodes = read_nodes(program, entries)
        tables, lists = EndTables(nodes, lists[: len(nodes)], units, bits), lists[len(nodes) :]
        for number, entry in enumerate(entries):
            with at("node", number):
                closed_node(programs, adjacency, tables, number, each(entry["by"], int))
        found.append(tables)
    return found


def closed_node(
    programs: Programs, adjacency: str, tables: EndTables, number: int, chosen: Sequence[int]
) -> None:
    """The functions of a node dominate the earlier functions of its transitions, as they are chosen."""
    node, done = tables.nodes[number], 0
    for t, target, delta, mode, after in steps(programs[0], adjacency, node):
        own, prices = tables.lists[number][mode], prices_of(programs, t, delta, tables.units)
        for later in (*tables.lists[target][after], NOTHING):
            demand(done < len(chosen), BadEvidence, "by has fewer numbers than there are functions")
            name = chosen[done]
            done += 1
            demand(-1 <= name < len(own), BadEvidence, "by names a function that does not exist")
            closed = Closing(programs[0], t.bounds, t.stored, node.order, prices, tables.bits)
            above = NOTHING if name == -1 else own[name]
            words = f"not closed under transition {t.number} with delta {delta}"
            demand(closed.under(above, later), RuleBroken, words)
    demand(done == len(chosen), BadEvidence, "by has more numbers than there are functions")


def bounded_start(tables: EndTables, upper: Sequence[Ratio] | None) -> None:
    """Every function of node 0 has a point at which it is at most `upper` at both ends."""
    for function in next(iter(tables.lists[0].values())):
        points = zip(*function.values, strict=True)
        demand(len(function.shape.places) > 0, ClaimOpen, "a function of node 0 has no point")
        proved = upper is None or any(
            all(at_most((n, unit), most) for n, unit, most in zip(point, tables.units, upper, strict=True))
            for point in points
        )
        demand(proved, ClaimOpen, "the functions do not prove upper")


class Closing(NamedTuple):
    """What a transition asks of shifts and stores, with what its shifts cost at both ends."""

    program: Program
    bounds: Sequence[tuple[str, str]]
    stored: Sequence[str]
    order: Order
    prices: Mapping[int, tuple[int, int]]
    bits: int

    def under(self, own: EndFunction, later: EndFunction) -> bool:
        """Whether in each point of the one above, some shift costs no more at both ends."""
        costs = tuple((shift, shift) for shift in self.prices)
        step = Step(tuple(self.bounds), tuple(self.stored), costs, "")
        comparison = Comparison(step, self.order, own.shape, later.shape, numbered(self.program))
        more = len(comparison.more())
        size = 2 * len(own.shape.places) * len(self.program.shifts) ** more
        each_one = 8 + 4 * (len(own.shape.names) + more) + len(self.order)
        self.program.budget.spend_units(size * each_one * operation(self.bits, 0))
        first, last = own.values
        after_first, after_last = later.values
        for place, choices in comparison.rows():
            for there, shift in choices:
                price_first, price_last = self.prices[shift]
                below = after_first[there] + price_first <= first[place]
                if below and after_last[there] + price_last <= last[place]:
                    break
            else:
                return False
        return True


def numbered(program: Program) -> range:
    """What stands for the shifts that count, in increasing order: -1, 0, 1 for three, else 0, 1, 2, …"""
    return range(-1, 2) if len(program.shifts) == 3 else range(len(program.shifts))


def prices_of(
    programs: Programs, t: Transition, delta: int, units: tuple[int, int]
) -> dict[int, tuple[int, int]]:
    """What every shift with a finite cost costs at both ends, as multiples of their units."""
    found = dict[int, tuple[int, int]]()
    for shift, parts in zip(numbered(programs[0]), programs[0].shifts, strict=True):
        prices = list[int]()
        for program, unit in zip(programs, units, strict=True):
            own = program.transitions[t.number]
            cost = None if parts and t.pinned else own.cost(delta, Fraction(parts, program.parts))
            if cost is not None:
                prime = own.rate_prime * abs(delta) * own.reach * own.primed
                prices.append(int((cost + prime) * unit))
        if len(prices) == 2:
            found[shift] = prices[0], prices[1]
    return found


def scaled_lists(
    programs: Programs, entries: Sequence[Mapping[str, Json]], modes: Sequence[str]
) -> tuple[Lists, tuple[int, int], int]:
    """The functions of all nodes, over one denominator at each end, these, and the bits of any sum."""
    budget, parts, shifts = programs[0].budget, programs[0].parts, numbered(programs[0])
    listed: list[dict[str, list[tuple[Shape, list[tuple[Ratio, Ratio]]]]]] = []
    for entry in entries:
        lists = {"": entry["functions"]} if modes[0] == "" else record(entry["functions"], " ".join(modes))
        functions = {mode: typed(lists[mode], list) for mode in modes}
        listed.append(
            {mode: [read_function(own, shifts) for own in many] for mode, many in functions.items()}
        )
    pairs = [pair for node in listed for many in node.values() for _, own in many for pair in own]
    scaled: list[tuple[int, list[int]]] = []
    for end, program in enumerate(programs):
        rates = [rate for t in program.transitions for rate in t.rates]
        ratios = [*(pair[end] for pair in pairs), *((r.numerator, r.denominator) for r in rates)]
        numerators, unit = budget.common(ratios)
        scaled.append((unit * parts, [n * parts for n in numerators]))
    farthest = 0 if programs[0].even else bits_of([max(parts, *programs[0].shifts)])
    bits = 3 + farthest + max(bits_of(numerators) for _, numerators in scaled)
    (first_unit, firsts), (last_unit, lasts) = scaled
    tables, done = list[dict[str, list[EndFunction]]](), 0
    for node in listed:
        table = dict[str, list[EndFunction]]()
        for mode, many in node.items():
            table[mode] = []
            for shape, own in many:
                part = slice(done, done + len(own))
                done += len(own)
                table[mode].append(EndFunction(shape, (firsts[part], lasts[part])))
        tables.append(table)
    return tables, (first_unit, last_unit), bits


def read_function(value: Json, shifts: range) -> tuple[Shape, list[tuple[Ratio, Ratio]]]:
    """The shape of a function, and its values at both ends."""
    entry = record(value, "names points")
    points = [items(point, 2) for point in typed(entry["points"], list)]
    names = tuple(each(entry["names"], str))
    vectors = [tuple(each(vector, int)) for vector, _ in points]
    pairs = [items(pair, 2) for _, pair in points]
    values = [(rational(first), rational(last)) for first, last in pairs]
    demand(all(n >= 0 for pair in values for n, _ in pair), Malformed, "a value is negative")
    return read_shape(names, tuple(vectors), shifts), values
