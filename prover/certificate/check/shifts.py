"""Threshold programs of several variables: the loss, bounded by functions of the shifts of stored values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from .orders import Node, Order, defined, read_nodes
from .programs import CORNERS, Program, Transition
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    ascending,
    at,
    at_most,
    demand,
    items,
    rational,
    record,
    typed,
)

SHIFTS = (-1, 0, 1)

MOST_NAMES = 8

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Values at the shifts of some variables; infinite where none is listed, and the others do not matter."""

    names: tuple[str, ...]
    values: Mapping[Vector, int]


ZERO = Function((), {(): 0})

Lists = Mapping[str, Sequence[Function]]  # by mode


def nodes_rule(program: Program, adjacency: str, value: Json, upper: Ratio | None) -> None:
    """Each node's functions dominate what any transition and difference make of those after it, or of 0."""
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    entries = [record(entry, "functions order state targets") for entry in typed(value, list)]
    nodes = read_nodes(program, entries)
    defined(program)
    tables, unit = scaled_tables(program, entries, modes)
    for number, node in enumerate(nodes):
        with at(f"node {number}"):
            for t, target in zip(program.leaving(node.state), node.targets, strict=True):
                for delta in CORNERS[adjacency] if t.takes_input else (0,):
                    for mode in modes if delta == 0 else modes[:1]:
                        if target is not None:
                            own, later = tables[number][mode], tables[target][modes[-1] if delta else mode]
                            closed = dominated(program, node, own, Step(t, delta, unit), later)
                            demand(
                                closed, RuleBroken, f"not closed under transition {t.number}, delta {delta}"
                            )
    for function in tables[0][modes[0]]:
        demand(len(function.values) > 0, ClaimOpen, "an infinite loss")
        least = (min(function.values.values()), unit)
        demand(upper is None or at_most(least, upper), ClaimOpen, "the functions are above upper")


def scaled_tables(
    program: Program, entries: Sequence[Mapping[str, Json]], modes: Sequence[str]
) -> tuple[Sequence[Lists], int]:
    """The functions of all nodes over one denominator, and the denominator."""
    listed = []
    for entry in entries:
        one = {"": entry["functions"]}
        lists = one if modes[0] == "" else record(entry["functions"], " ".join(modes))
        listed.append({mode: [read_function(f) for f in typed(lists[mode], list)] for mode in modes})
    ratios = [ratio for own in listed for many in own.values() for _, points in many for _, ratio in points]
    rates = [r for t in program.transitions for r in (t.rate, t.rate_prime)]
    numerators, unit = program.budget.common([*ratios, *((r.numerator, r.denominator) for r in rates)])
    scaled = iter(numerators)
    tables = [
        {
            mode: [
                Function(names, {vector: next(scaled) for vector, _ in points}) for names, points in own[mode]
            ]
            for mode in own
        }
        for own in listed
    ]
    return tables, unit


def read_function(value: Json) -> tuple[tuple[str, ...], list[tuple[Vector, Ratio]]]:
    entry = record(value, "names points")
    names = tuple(typed(name, str) for name in typed(entry["names"], list))
    ascending(names, BadEvidence, "names")
    points = []
    for point in typed(entry["points"], list):
        vector, number = items(point, 2)
        shifts = tuple(typed(shift, int) for shift in items(vector, len(names)))
        demand(all(shift in SHIFTS for shift in shifts), Malformed, "a shift other than -1, 0, 1")
        ratio = rational(number)
        demand(ratio[0] >= 0, Malformed, "a negative value")
        points.append((shifts, ratio))
    ascending([vector for vector, _ in points], BadEvidence, "points")
    return names, points


class Step:
    """A transition with a difference: what the shifts of its sample cost."""

    def __init__(self, t: Transition, delta: int, unit: int) -> None:
        self.t, self.delta = t, delta
        prime = t.rate_prime * abs(delta) if t.output == "insampleprime" else 0
        shifts = (0,) if t.output == "insample" else SHIFTS
        self.costs = {own: int((t.rate * abs(delta - own) + prime) * unit) for own in shifts}


@dataclass(frozen=True, slots=True)
class Earlier:
    """The function before a step, of one after it; its values are found when they are asked for."""

    step: Step
    later: Function
    names: tuple[str, ...]
    found: dict[Vector, int | None] = field(default_factory=dict)

    def at(self, vector: Vector) -> int | None:
        """The value at shifts of the names: the least over the shifts that the tests allow."""
        if vector not in self.found:
            shifts, t = dict(zip(self.names, vector, strict=True)), self.step.t
            low = max((shifts[name] for relation, name in t.tests if relation == ">="), default=-1)
            high = min((shifts[name] for relation, name in t.tests if relation == "<"), default=1)
            values = []
            for own, cost in self.step.costs.items():
                if low <= own <= high:
                    key = tuple(own if name in t.stored else shifts[name] for name in self.later.names)
                    after = self.later.values.get(key)
                    if after is not None:
                        values.append(cost + after)
            self.found[vector] = min(values, default=None)
        return self.found[vector]


def earlier(step: Step, later: Function) -> Earlier:
    kept = set(later.names).difference(step.t.stored)
    return Earlier(step, later, tuple(sorted(kept.union(name for _, name in step.t.tests))))


def dominated(
    program: Program, node: Node, own: Sequence[Function], step: Step, later: Sequence[Function]
) -> bool:
    """Whether each function before the step, and that of 0 after it, is below one of the node, or is 0.

    The function that was enough last is tried first.
    """
    order, candidates = node.order, list(own)
    for after in (*later, ZERO):
        function = earlier(step, after)
        for place, candidate in enumerate(candidates):
            if below(program, function, candidate, order):
                candidates.insert(0, candidates.pop(place))
                break
        else:
            if not vanishes(program, function, order):
                return False
    return True


def below(program: Program, function: Earlier, other: Function, order: Order) -> bool:
    """Whether the function is at most a listed one wherever that is finite, within the order."""
    more = [name for name in function.names if name not in other.names]
    program.budget.spend(len(other.values) * 3 ** len(more) * (1 + len(function.names)))
    if not more and function.names == other.names:
        for vector, value in other.values.items():
            found = function.at(vector)
            if found is None or found > value:
                return False
        return True
    program.budget.spend(len(other.values) * 3 ** len(more) * (len(order) + len(other.names)))
    for vector, value in other.values.items():
        for shifts in respected(order, more, dict(zip(other.names, vector, strict=True))):
            found = function.at(tuple(shifts[name] for name in function.names))
            if found is None or found > value:
                return False
    return True


def respected(order: Order, names: Sequence[str], fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """All shifts of these names in addition to the fixed ones that are as the order says."""
    for vector in product(SHIFTS, repeat=len(names)):
        shifts = {**fixed, **dict(zip(names, vector, strict=True))}
        if all(shifts[a] <= shifts[b] for a, b in order if a in shifts and b in shifts):
            yield shifts


def vanishes(program: Program, function: Earlier, order: Order) -> bool:
    """Whether the function is 0 everywhere, which the function 0 of every node dominates.

    One of more than `MOST_NAMES` variables counts as different.
    """
    if len(function.names) > MOST_NAMES:
        return False
    program.budget.spend(3 ** len(function.names) * (1 + len(order) + len(function.names)))
    names = function.names
    return all(function.at(tuple(s[name] for name in names)) == 0 for s in respected(order, names, {}))
