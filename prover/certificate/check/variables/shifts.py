"""Threshold programs of several variables: the loss, bounded by functions of the shifts of stored values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from ..programs import CORNERS, Program, Transition
from ..reading import (
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
from .orders import Node, Order, defined, read_nodes

SHIFTS = (-1, 0, 1)

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Values at the shifts of some variables; infinite where none is listed, and the others do not matter."""

    names: tuple[str, ...]
    values: Mapping[Vector, int]


ZERO = Function((), {(): 0})

Lists = Mapping[str, Sequence[Function]]  # by mode


def nodes_rule(program: Program, adjacency: str, value: Json, upper: Ratio | None) -> None:
    """Each node's functions dominate what any transition and difference make of those after it, or of 0.

    The node says which of its functions does, in the order in which they are asked for here.
    """
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    entries = [record(entry, "by functions order state targets") for entry in typed(value, list)]
    nodes = read_nodes(program, entries)
    defined(program)
    tables, unit = scaled_tables(program, entries, modes)
    for number, (node, entry) in enumerate(zip(nodes, entries, strict=True)):
        with at(f"node {number}"):
            chosen = iter(typed(entry["by"], list))
            for t, target in zip(program.leaving(node.state), node.targets, strict=True):
                for delta in CORNERS[adjacency] if t.takes_input else (0,):
                    step = Step(t, delta, unit)
                    for mode in modes if delta == 0 else modes[:1]:
                        if target is not None:
                            own, later = tables[number][mode], tables[target][modes[-1] if delta else mode]
                            for after in (*later, ZERO):
                                closed = dominated(
                                    program, node, own, earlier(step, after), next(chosen, None)
                                )
                                where = f"transition {t.number} with delta {delta}"
                                demand(closed, RuleBroken, f"not closed under {where}")
            demand(not list(chosen), BadEvidence, "more numbers than functions")
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
        self.t = t
        prime = t.rate_prime * abs(delta) if t.output == "insampleprime" else 0
        shifts = (0,) if t.output == "insample" else SHIFTS
        self.costs = {own: int((t.rate * abs(delta - own) + prime) * unit) for own in shifts}


@dataclass(frozen=True, slots=True)
class Earlier:
    """The function before a step, of one after it."""

    step: Step
    later: Function
    names: tuple[str, ...]

    def at(self, shifts: Mapping[str, int]) -> int | None:
        """The value at shifts of the names: the least over the shifts that the tests allow."""
        t = self.step.t
        low = max((shifts[name] for relation, name in t.tests if relation == ">="), default=-1)
        high = min((shifts[name] for relation, name in t.tests if relation == "<"), default=1)
        values = []
        for own, cost in self.step.costs.items():
            if low <= own <= high:
                key = tuple([own if name in t.stored else shifts[name] for name in self.later.names])
                after = self.later.values.get(key)
                if after is not None:
                    values.append(cost + after)
        return min(values, default=None)


def earlier(step: Step, later: Function) -> Earlier:
    kept = set(later.names).difference(step.t.stored)
    return Earlier(step, later, tuple(sorted(kept.union(name for _, name in step.t.tests))))


def dominated(program: Program, node: Node, own: Sequence[Function], function: Earlier, choice: Json) -> bool:
    """Whether the function is at most the chosen one of the node (-1: the function 0) within the order.

    Only where that is finite, and for all shifts of the variables that it does not name.
    """
    number = typed(choice, int)
    demand(-1 <= number < len(own), BadEvidence, "no such function")
    other = ZERO if number == -1 else own[number]
    more = [name for name in function.names if name not in other.names]
    names, order = len(other.names) + len(more), node.order
    program.budget.spend(len(other.values) * 3 ** len(more) * (8 + 4 * names + len(order)))
    for vector, value in other.values.items():
        for shifts in respected(order, more, dict(zip(other.names, vector, strict=True))):
            found = function.at(shifts)
            if found is None or found > value:
                return False
    return True


def respected(order: Order, names: Sequence[str], fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """All shifts of these names in addition to the fixed ones that are as the order says."""
    for vector in product(SHIFTS, repeat=len(names)):
        shifts = {**fixed, **dict(zip(names, vector, strict=True))}
        if all(shifts[a] <= shifts[b] for a, b in order if a in shifts and b in shifts):
            yield shifts
