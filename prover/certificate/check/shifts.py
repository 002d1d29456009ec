"""Threshold programs of several variables: the loss, bounded by functions of the shifts of stored values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from .orders import Order, defined, read_nodes
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
    common,
    demand,
    items,
    rational,
    record,
    typed,
)

SHIFTS = (-1, 0, 1)

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """Values at the shifts of some variables; infinite where none is listed, and the others do not matter."""

    names: tuple[str, ...]
    values: Mapping[Vector, int]


ZERO = Function((), {(): 0})


def nodes_rule(program: Program, adjacency: str, value: Json, upper: Ratio | None) -> None:
    """Each node's functions dominate what any transition and difference make of those after it, or of 0."""
    modes = ("unused", "used") if adjacency == "one-differ" else ("",)
    entries = [record(entry, "functions order state targets") for entry in typed(value, list)]
    nodes = read_nodes(program, entries)
    defined(program)
    listed = [
        {
            mode: read_functions(entry["functions"] if mode == "" else modes_of(entry, modes)[mode])
            for mode in modes
        }
        for entry in entries
    ]
    ratios = [ratio for own in listed for many in own.values() for _, points in many for _, ratio in points]
    rates = [r for t in program.transitions for r in (t.rate, t.rate_prime)]
    numerators, unit = common([*ratios, *((r.numerator, r.denominator) for r in rates)])
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
    for number, node in enumerate(nodes):
        with at(f"node {number}"):
            for t, target in zip(program.leaving(node.state), node.targets, strict=True):
                if target is None:
                    continue
                for delta in CORNERS[adjacency] if t.takes_input else (0,):
                    for mode in modes if delta == 0 else modes[:1]:
                        own = tables[number][mode]
                        after = tables[target][modes[-1] if delta else mode]
                        for later in (*after, ZERO):
                            step = Step(t, delta, unit, later)
                            closed = any(above(f, step, node.order) for f in own) or vanishes(
                                step, node.order
                            )
                            demand(
                                closed, RuleBroken, f"not closed under transition {t.number}, delta {delta}"
                            )
    for function in tables[0][modes[0]]:
        demand(len(function.values) > 0, ClaimOpen, "an infinite loss")
        least = (min(function.values.values()), unit)
        demand(upper is None or at_most(least, upper), ClaimOpen, "the functions are above upper")


def modes_of(entry: Mapping[str, Json], modes: Sequence[str]) -> dict[str, Json]:
    return record(entry["functions"], " ".join(modes))


Listed = tuple[tuple[str, ...], list[tuple[Vector, Ratio]]]


def read_functions(value: Json) -> list[Listed]:
    return [read_function(record(entry, "names points")) for entry in typed(value, list)]


def read_function(entry: Mapping[str, Json]) -> Listed:
    names = tuple(typed(name, str) for name in typed(entry["names"], list))
    ascending(names, BadEvidence, "names")
    points = []
    for point in typed(entry["points"], list):
        vector, value = items(point, 2)
        shifts = tuple(typed(shift, int) for shift in items(vector, len(names)))
        demand(all(shift in SHIFTS for shift in shifts), Malformed, "a shift other than -1, 0, 1")
        ratio = rational(value)
        demand(ratio[0] >= 0, Malformed, "a negative value")
        points.append((shifts, ratio))
    ascending([vector for vector, _ in points], BadEvidence, "points")
    return names, points


@dataclass(frozen=True, slots=True)
class Step:
    """A transition with a difference, before a function: the function of the shifts before it."""

    t: Transition
    delta: int
    unit: int
    later: Function

    @property
    def names(self) -> list[str]:
        """The variables on which the function may depend."""
        tested = {name for _, name in self.t.tests}
        return sorted(tested.union(self.later.names) - (set(self.t.stored) - tested))

    def at(self, shifts: Mapping[str, int]) -> int | None:
        """The value at shifts of these variables: the least over the shifts that the tests allow."""
        t, found = self.t, list[int]()
        for own in (0,) if t.output == "insample" else SHIFTS:
            tests = (own <= shifts[v] if relation == "<" else own >= shifts[v] for relation, v in t.tests)
            if all(tests):
                after = self.later.values.get(
                    tuple(own if name in t.stored else shifts[name] for name in self.later.names)
                )
                if after is not None:
                    prime = t.rate_prime * abs(self.delta) if t.output == "insampleprime" else 0
                    found.append(int((t.rate * abs(self.delta - own) + prime) * self.unit) + after)
        return min(found, default=None)


def respected(order: Order, names: Sequence[str], fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """All shifts of these names in addition to the fixed ones that are as the order says."""
    for vector in product(SHIFTS, repeat=len(names)):
        shifts = {**fixed, **dict(zip(names, vector, strict=True))}
        if all(shifts[a] <= shifts[b] for a, b in order if a in shifts and b in shifts):
            yield shifts


def above(function: Function, step: Step, order: Order) -> bool:
    """Whether a listed function is at least that of the step wherever it is finite, within the order."""
    more = [name for name in step.names if name not in function.names]
    for vector, value in function.values.items():
        for shifts in respected(order, more, dict(zip(function.names, vector, strict=True))):
            found = step.at(shifts)
            if found is None or found > value:
                return False
    return True


def vanishes(step: Step, order: Order) -> bool:
    """Whether the function of the step is 0 everywhere, which the function 0 of every node dominates."""
    return all(step.at(shifts) == 0 for shifts in respected(order, step.names, {}))
