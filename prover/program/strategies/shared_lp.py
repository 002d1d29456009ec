"""The best shifts that several branches share, for given differences of inputs: a linear program.

A *ledger* lists the transitions of some branches, each once, what their shifts have to respect in any branch,
and how often each branch pays for each. Where a difference is left open, the transition is charged at worst:
(1+|γ|)·rate, or, if it is on a cycle and so has the shift Δ, all that is compared with it must be satisfied
with either. Then the least cost is an upper bound of the cost for both differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.exact.simplex import minimise
from prover.program.branches import Branch
from prover.program.model import INSAMPLE, INSAMPLE_PRIME, Edge

_Key = tuple[object, ...]
_Bounds = tuple[list[int], list[int]]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What branches ask of the shifts of their transitions, which have numbers 0, 1, ….

    ``following`` are on cycles and have their differences as shifts. An order (i, j) demands γ_i ≤ γ_j, and
    lowest_i ≤ γ_i ≤ highest_i. ``charged`` gives for each branch how often it pays for which transition.
    ``leader`` names for tests that are compared with one transition only, and may have its shift, that one.
    ``differences`` are worst for those that it names, whatever the shifts; the ``open`` ones have to be
    searched.
    """

    edges: tuple[Edge, ...]
    following: frozenset[int]
    orders: tuple[tuple[int, int], ...]
    lowest: tuple[int, ...]
    highest: tuple[int, ...]
    charged: tuple[Mapping[int, int], ...]
    leader: Mapping[int, int]
    differences: Mapping[int, int]
    open: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shifts:
    """Optimal shifts, one for each transition of the ledger, and the cost of the dearest branch."""

    cost: Fraction
    shifts: tuple[Fraction, ...]


def key_of(edge: Edge) -> _Key:
    """What makes transitions the same: all but where they lead."""
    return (edge.source, edge.input, edge.rate, edge.rate_prime, edge.guard, edge.assign, edge.output)


def ledger_of(branches: Sequence[Branch]) -> Ledger | None:
    """The ledger of some branches; None if no shifts have a finite cost, whatever the differences."""
    if any(branch.is_hopeless for branch in branches):
        return None
    number: dict[_Key, int] = {}
    edges: list[Edge] = []
    for edge in (edge for branch in branches for edge in branch.edges):
        if number.setdefault(key_of(edge), len(edges)) == len(edges):
            edges.append(edge)
    following: set[int] = set()
    orders: set[tuple[int, int]] = set()
    charged: list[dict[int, int]] = []
    zero = [edge.output == INSAMPLE for edge in edges]
    lowest, highest = [0 if z else -1 for z in zero], [0 if z else 1 for z in zero]
    for branch in branches:
        paid: dict[int, int] = {}
        at: int | None = None
        for place in branch.places:
            edge, own = place.edge, number[key_of(place.edge)]
            if place.on_cycle:
                following.add(own)
            else:
                paid[own] = paid.get(own, 0) + 1
            if at is not None and edge.relation == "<":
                if place.repeats:
                    lowest[at] = 1
                orders.add((own, at))
            elif at is not None and edge.relation == ">=":
                if place.repeats:
                    highest[at] = -1
                orders.add((at, own))
            if edge.assigns:
                at = own
        charged.append(paid)
    bounds = _propagated((lowest, highest), orders)
    if bounds is None:
        return None
    lowest, highest = bounds
    binding = sorted((i, j) for i, j in orders if highest[i] > lowest[j] and i != j)
    leader = _leaders(edges, following, orders)
    kept = tuple(order for order in binding if not leader.keys() & order)
    bare = [{k: times for k, times in paid.items() if k not in following} for paid in charged]
    known = {
        k: delta
        for k, edge in enumerate(edges)
        if (delta := _worst(edge, lowest[k], highest[k], any(k in order for order in binding))) is not None
    }
    return Ledger(
        tuple(edges),
        frozenset(following),
        kept,
        tuple(lowest),
        tuple(highest),
        tuple(bare),
        leader,
        known,
        tuple(k for k in range(len(edges)) if k not in known),
    )


def _leaders(edges: Sequence[Edge], following: set[int], orders: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For tests that are compared with one transition only that one, whose shift is best for them, too."""
    compared: dict[int, set[int]] = {}
    for i, j in orders:
        for own, other in ((i, j), (j, i)):
            if not edges[own].assigns and edges[own].output != INSAMPLE and own not in following:
                compared.setdefault(own, set()).add(other)
    return {own: other for own, (other, *more) in compared.items() if not more and other not in following}


def _worst(edge: Edge, lowest: int, highest: int, ordered: bool) -> int | None:
    """The difference that is worst whatever the other shifts are; None if that depends on them."""
    if not edge.input:
        return 0
    if not edge.assigns and edge.relation:
        return 1 if edge.relation == "<" else -1
    if ordered and lowest < highest:
        return None
    return 1 if lowest + highest <= 0 else -1


def _propagated(
    bounds: tuple[Sequence[int], Sequence[int]], orders: Iterable[tuple[int, int]]
) -> _Bounds | None:
    """The bounds that follow from bounds and orders; None if they contradict each other."""
    lowest, highest = list(bounds[0]), list(bounds[1])
    changed = True
    while changed:
        changed = False
        for i, j in orders:
            if lowest[j] < lowest[i]:
                lowest[j] = lowest[i]
                changed = True
            if highest[i] > highest[j]:
                highest[i] = highest[j]
                changed = True
    return (lowest, highest) if all(a <= b for a, b in zip(lowest, highest, strict=True)) else None


def shared_shifts(ledger: Ledger, differences: Mapping[int, int]) -> Shifts | None:
    """The best shared shifts for differences, of which some may be open; None if there are none."""
    bounds = _with_followers(ledger, differences)
    if bounds is None:
        return None
    lowest, highest = bounds
    fixed = {k for k in range(len(ledger.edges)) if lowest[k] == highest[k]} | ledger.following
    fixed |= ledger.leader.keys()
    program = _Rows(lowest)
    for k in range(len(ledger.edges)):
        if k not in fixed:
            program.at_most(k, highest[k])
    for i, j in ledger.orders:
        if highest[i] > lowest[j] and not {i, j} & ledger.following:
            program.order(i, j)
    for paid in ledger.charged:
        constant = Fraction(0)
        slopes: list[tuple[int, Fraction, bool]] = []
        for k, times in paid.items():
            first = ledger.leader.get(k, k)
            own, slope, absolute = _charge(ledger.edges[k], differences.get(k), lowest[first], highest[first])
            constant += times * own
            if slope:
                slopes.append((first, times * slope, absolute))
        program.branch(constant, slopes)
    cost, shifts = program.solved(len(ledger.edges))
    return Shifts(cost, tuple(_shown(ledger, differences, k, shifts) for k in range(len(ledger.edges))))


def _shown(ledger: Ledger, differences: Mapping[int, int], k: int, shifts: Sequence[Fraction]) -> Fraction:
    edge = ledger.edges[k]
    if k in ledger.following or not (edge.assigns or edge.relation or edge.output == INSAMPLE):
        return Fraction(differences.get(k, 0))
    return shifts[ledger.leader.get(k, k)]


def _with_followers(ledger: Ledger, differences: Mapping[int, int]) -> _Bounds | None:
    """The bounds where transitions on cycles have their differences as shifts.

    Where these are open, whatever is compared with them has to be right for either.
    """
    lowest, highest = list(ledger.lowest), list(ledger.highest)
    for k in ledger.following:
        delta = differences.get(k)
        if delta is not None:
            if not lowest[k] <= delta <= highest[k]:
                return None
            lowest[k] = highest[k] = delta
    for i, j in ledger.orders:
        if j in ledger.following and j not in differences:
            highest[i] = -1
        if i in ledger.following and i not in differences:
            lowest[j] = 1
    return _propagated((lowest, highest), ledger.orders)


def _charge(edge: Edge, delta: int | None, lowest: int, highest: int) -> tuple[Fraction, Fraction, bool]:
    """The cost of a transition as a constant and a multiple of γ, or of |γ| if the third value says so."""
    size = Fraction(int(edge.input) if delta is None else abs(delta))
    prime = edge.rate_prime if edge.output == INSAMPLE_PRIME else None
    constant = size * (prime or 0)
    if not edge.assigns and not edge.relation and edge.output != INSAMPLE:
        return constant, Fraction(0), False  # the shift is the difference
    if delta is not None and delta:
        return constant + edge.rate, -delta * edge.rate, False
    if lowest >= 0 or highest <= 0:
        return constant + size * edge.rate, edge.rate if lowest >= 0 else -edge.rate, False
    return constant + size * edge.rate, edge.rate, True


class _Rows:
    """A linear program while it is written: the cost z, γ_k − lowest_k for shifts, |γ_k| where needed."""

    def __init__(self, lowest: Sequence[int]) -> None:
        self.lowest = lowest
        self.column: dict[tuple[str, int], int] = {("z", 0): 0}
        self.rows: list[dict[int, Fraction]] = []
        self.bounds: list[Fraction] = []

    def at_most(self, k: int, highest: int) -> None:
        self._add({self._shift(k): Fraction(-1)}, Fraction(self.lowest[k] - highest))

    def order(self, i: int, j: int) -> None:
        row: dict[int, Fraction] = {}
        bound = Fraction(self.lowest[i] - self.lowest[j])
        for k, sign in ((i, -1), (j, 1)):
            if ("shift", k) in self.column:
                row[self._shift(k)] = Fraction(sign)
        self._add(row, bound)

    def branch(self, constant: Fraction, slopes: Iterable[tuple[int, Fraction, bool]]) -> None:
        row = {0: Fraction(1)}
        for k, slope, absolute in slopes:
            if absolute:
                column = self._absolute(k)
            else:
                constant += slope * self.lowest[k]
                if ("shift", k) not in self.column:  # fixed
                    continue
                column = self._shift(k)
            row[column] = row.get(column, Fraction(0)) - slope
        self._add(row, constant)

    def solved(self, count: int) -> tuple[Fraction, list[Fraction]]:
        objective = [Fraction(int(c == 0)) for c in range(len(self.column))]
        found = minimise(objective, self.rows, self.bounds)
        shifts = [
            self.lowest[k] + (found.point[self.column["shift", k]] if ("shift", k) in self.column else 0)
            for k in range(count)
        ]
        return found.value, [Fraction(shift) for shift in shifts]

    def _add(self, row: dict[int, Fraction], bound: Fraction) -> None:
        self.rows.append(row)
        self.bounds.append(bound)

    def _shift(self, k: int) -> int:
        return self.column.setdefault(("shift", k), len(self.column))

    def _absolute(self, k: int) -> int:
        if ("size", k) not in self.column:
            column = self.column.setdefault(("size", k), len(self.column))
            for sign in (1, -1):  # |γ| ≥ ±γ
                row = {column: Fraction(1), self._shift(k): Fraction(-sign)}
                self._add(row, Fraction(sign * self.lowest[k]))
        return self.column["size", k]
