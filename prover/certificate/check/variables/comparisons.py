"""Threshold programs of several variables: functions compared with the earlier functions of a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

from ..budget import Budget, operation
from ..programs import Transition, scaled
from ..reading import written
from .functions import SHIFTS, Function, Shape
from .orders import Order


@dataclass(frozen=True, slots=True)
class Step:
    """A transition with a difference: its bounds, the variables it assigns, and the costs of the shifts of
    its sample, which are also written as a text, to be part of a key."""

    bounds: tuple[tuple[str, str], ...]
    stored: tuple[str, ...]
    costs: tuple[tuple[int, int], ...] = field(compare=False)
    prices: str


def step_of(t: Transition, delta: int, unit: int) -> Step:
    """The step, with its costs as multiples of 1/unit."""
    more = scaled(t.rate_prime, unit) * abs(delta) if t.primed else 0
    shifts = (0,) if t.pinned else SHIFTS
    if t.reach == 1:
        left, right = (None if rate is None else scaled(rate, unit) for rate in (t.left, t.right))
        sides = ((own, right if own > delta else left) for own in shifts)
        prices = tuple(
            (own, (0 if rate is None else rate * abs(own - delta)) + more)
            for own, rate in sides
            if rate is not None or own == delta
        )
    else:
        costs = ((own, t.cost(delta, own)) for own in shifts)
        prices = tuple((own, scaled(cost, unit) + more) for own, cost in costs if cost is not None)
    return Step(t.bounds, t.stored, prices, written(*(n for pair in prices for n in pair)))


# A place among the points of a function, and places to choose from among those of a later one, with the costs
# of the shifts that lead there
Row = tuple[int, tuple[tuple[int, int], ...]]

KEPT = 1_000_000  # rows that are in memory at a time
SHORT = 1_000  # rows of a comparison that is kept


class Comparison(NamedTuple):
    """The comparison of functions of one shape with the earlier functions of those of another shape, in an
    order."""

    step: Step
    order: Order
    own: Shape
    later: Shape
    shifts: Sequence[int] = SHIFTS

    def more(self) -> Sequence[str]:
        """The variables that only the earlier function depends on."""
        kept = set(self.later.names).difference(self.step.stored)
        return sorted(kept.union(name for _, name in self.step.bounds).difference(self.own.names))

    def rows(self) -> Iterator[Row]:
        """A row for every point, and all shifts of further variables."""
        more = self.more()
        for vector, place in self.own.places.items():
            fixed = dict(zip(self.own.names, vector, strict=True))
            for shifts in respected(self.order, more, fixed, self.shifts):
                yield place, tuple(self.choices(shifts))

    def choices(self, shifts: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """The points that shifts which the bounds allow lead to, with their costs."""
        least, most = self.shifts[0], self.shifts[-1]
        low = max((shifts[name] for relation, name in self.step.bounds if relation != "<"), default=least)
        high = min((shifts[name] for relation, name in self.step.bounds if relation != ">="), default=most)
        for own, cost in self.step.costs:
            if low <= own <= high:
                key = tuple([own if name in self.step.stored else shifts[name] for name in self.later.names])
                if key in self.later.places:
                    yield self.later.places[key], cost


class Comparisons:
    """Compares functions. Most shapes meet again and again: their rows are kept, with the units they cost."""

    def __init__(self, budget: Budget, bits: int) -> None:
        self.budget, self.operation, self.room = budget, operation(bits, 0), KEPT
        self.known: dict[tuple[Step, Order], dict[tuple[Shape, Shape], tuple[int, Sequence[Row]]]] = {}

    def closed(self, step: Step, order: Order, above: Sequence[Function], later: Sequence[Function]) -> bool:
        """Whether the earlier function of each later one is at most the one above it, within the order.

        Only where that is finite, and for all shifts of the variables that it does not name.
        """
        if self.room < SHORT:
            self.known, self.room = {}, KEPT
        known = self.known.setdefault((step, order), {})
        for own, after in zip(above, later, strict=True):
            shapes = own.shape, after.shape
            if shapes in known:
                units, rows = known[shapes]
                self.budget.spend_units(units)
                right = at_least(own.values, rows, after.values)
            else:
                right = self.first(Comparison(step, order, *shapes), own, after)
            if not right:
                return False
        return True

    def first(self, comparison: Comparison, own: Function, later: Function) -> bool:
        """Whether it is so of two functions whose shapes have not met; where rows are few they are kept."""
        more = len(comparison.more())
        size = len(own.values) * 3**more
        units = size * (8 + 4 * (len(own.shape.names) + more) + len(comparison.order)) * self.operation
        self.budget.spend_units(units)
        if size > min(SHORT, self.room):
            return at_least(own.values, comparison.rows(), later.values)
        rows = tuple(sorted(set(comparison.rows())))
        self.known[comparison.step, comparison.order][comparison.own, comparison.later] = units, rows
        self.room -= size
        return at_least(own.values, rows, later.values)


def at_least(values: Sequence[int], rows: Iterable[Row], later: Sequence[int]) -> bool:
    """Whether in each row the value is no less than that of some choice, with its cost."""
    for place, choices in rows:
        value = values[place]
        for there, cost in choices:
            if later[there] + cost <= value:
                break
        else:
            return False
    return True


def respected(
    order: Order, names: Sequence[str], fixed: Mapping[str, int], every: Sequence[int]
) -> Iterator[dict[str, int]]:
    """All shifts of these names, among all there are, in addition to the fixed ones that are as the order
    says."""
    for vector in product(every, repeat=len(names)):
        shifts = {**fixed, **dict(zip(names, vector, strict=True))}
        if all(shifts[a] <= shifts[b] for a, b in order if a in shifts and b in shifts):
            yield shifts
