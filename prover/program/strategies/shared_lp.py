"""The best shifts that several branches share, for given differences of inputs: a linear program.

A *ledger* lists the transitions of some branches, each once, what their shifts have to respect in any branch,
and how often each branch pays for each. Where a difference is left open, the transition is charged at worst:
(1+|γ|)·rate, with the larger of two rates, or, if it is on a cycle and so has the shift Δ, all that is
compared with it must be satisfied with either. Then the least cost is an upper bound of the cost for both
differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from prover.exact.simplex import minimise
from prover.program.branches import Branch
from prover.program.model import Edge
from prover.program.shifts import cost, outright

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
class SharedShifts:
    """Optimal shifts, one for each transition of the ledger, and the cost of the costliest branch."""

    cost: Fraction
    shifts: tuple[Fraction, ...]


def key_of(edge: Edge) -> _Key:
    """What makes transitions the same: all but where they lead."""
    rates = edge.left, edge.right, edge.rate_prime
    return (edge.source, edge.input, rates, edge.guard, edge.assign, edge.output)


def ledger_of(branches: Sequence[Branch]) -> Ledger | None:
    """The ledger of some branches; None if no shifts have a finite cost, whatever the differences."""
    if any(branch.is_hopeless for branch in branches):
        return None
    first: dict[_Key, Edge] = {}
    for edge in (edge for branch in branches for edge in branch.edges):
        first.setdefault(key_of(edge), edge)
    edges = tuple(first.values())
    demands = _Demands.none(edges)
    charged = [demands.enter(branch) for branch in branches]
    bounds = _propagated((demands.lowest, demands.highest), demands.orders)
    if bounds is None:
        return None
    lowest, highest = bounds
    binding = sorted((i, j) for i, j in demands.orders if highest[i] > lowest[j] and i != j)
    ordered = {k for order in binding for k in order}
    leader = _leaders(edges, demands.following, demands.orders)
    worst = [_worst(edge, lowest[k], highest[k], k in ordered) for k, edge in enumerate(edges)]
    return Ledger(
        edges,
        frozenset(demands.following),
        tuple(order for order in binding if not leader.keys() & order),
        tuple(lowest),
        tuple(highest),
        tuple({k: times for k, times in paid.items() if k not in demands.following} for paid in charged),
        leader,
        {k: delta for k, delta in enumerate(worst) if delta is not None},
        tuple(k for k, delta in enumerate(worst) if delta is None),
    )


@dataclass(frozen=True, slots=True)
class _Demands:
    """What the branches entered so far ask of the shifts of their transitions.

    ``number`` finds a transition by its key; the other fields are as in Ledger.
    """

    number: Mapping[_Key, int]
    lowest: list[int]
    highest: list[int]
    following: set[int] = field(default_factory=set)
    orders: set[tuple[int, int]] = field(default_factory=set)

    @classmethod
    def none(cls, edges: Sequence[Edge]) -> _Demands:
        """What transitions ask by themselves: shift 0 where they output insample, else one in [−1, 1]."""
        reach = [0 if edge.pinned else 1 for edge in edges]
        return cls({key_of(edge): k for k, edge in enumerate(edges)}, [-r for r in reach], reach)

    def enter(self, branch: Branch) -> dict[int, int]:
        """Add the demands of a branch; how often it pays for which transition."""
        paid: dict[int, int] = {}
        stored: dict[str, int] = {}
        for place in branch.steps:
            own = self.number[key_of(place.edge)]
            if place.on_cycle:
                self.following.add(own)
            else:
                paid[own] = paid.get(own, 0) + 1
            for relation, name in place.edge.bounds:
                if name in stored:  # the guard of a first step does not count
                    self._compare(own, stored[name], relation, repeats=place.repeats)
            stored.update(dict.fromkeys(place.edge.assign, own))
        return paid

    def _compare(self, own: int, at: int, relation: str, *, repeats: bool) -> None:
        """The demands of a test with what transition ``at`` has stored.

        A test that repeats must be satisfied with either difference.
        """
        if relation != ">=":
            self.orders.add((own, at))
            if repeats:
                self.lowest[at] = 1
        if relation != "<":
            self.orders.add((at, own))
            if repeats:
                self.highest[at] = -1


def _leaders(edges: Sequence[Edge], following: set[int], orders: Iterable[tuple[int, int]]) -> dict[int, int]:
    """For tests that are compared with one transition only that one, whose shift is best for them, too."""
    compared: dict[int, set[int]] = {}
    for i, j in orders:
        for own, other in ((i, j), (j, i)):
            if not edges[own].assigns and not edges[own].pinned and own not in following:
                compared.setdefault(own, set()).add(other)
    return {own: other for own, (other, *more) in compared.items() if not more and other not in following}


def _worst(edge: Edge, lowest: int, highest: int, ordered: bool) -> int | None:
    """The difference that is worst whatever the other shifts are; None if that depends on them."""
    if not edge.input:
        return 0
    relations = {relation for relation, _ in edge.bounds}
    if not edge.assigns and len(relations) == 1 and "=" not in relations:
        return 1 if "<" in relations else -1
    if ordered and lowest < highest:
        return None
    if lowest == highest == 0:  # what costs most is the side with the larger rate
        return 1 if (cost(edge, 1, 0) or 0) >= (cost(edge, -1, 0) or 0) else -1
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


def shared_shifts(ledger: Ledger, differences: Mapping[int, int]) -> SharedShifts | None:
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
            own, terms = _charge(ledger.edges[k], differences.get(k), lowest[first], highest[first])
            constant += times * own
            slopes += [(first, times * slope, absolute) for slope, absolute in terms if slope]
        program.branch(constant, slopes)
    cost, shifts = program.solved(len(ledger.edges))
    return SharedShifts(cost, tuple(_shown(ledger, differences, k, shifts) for k in range(len(ledger.edges))))


def _shown(ledger: Ledger, differences: Mapping[int, int], k: int, shifts: Sequence[Fraction]) -> Fraction:
    edge = ledger.edges[k]
    if k in ledger.following or not (edge.assigns or edge.bounds or edge.pinned):
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


def _charge(
    edge: Edge, delta: int | None, lowest: int, highest: int
) -> tuple[Fraction, tuple[tuple[Fraction, bool], ...]]:
    """The cost of a transition: a constant, and multiples of γ, or of |γ| where the truth value says so.

    Where the difference is open it is a bound of both.
    """
    size = int(edge.input) if delta is None else abs(delta)
    constant = outright(edge, size)
    if not edge.assigns and not edge.bounds and not edge.pinned:
        return constant, ()  # the shift is the difference
    left, right = (rate if isinstance(rate, Fraction) else Fraction(0) for rate in (edge.left, edge.right))
    if delta == 1:
        return constant + left, ((-left, False),)
    if delta == -1:
        return constant + right, ((right, False),)
    if size:
        left = right = max(left, right)
        constant += left
    if lowest >= 0 or highest <= 0:
        return constant, ((right if lowest >= 0 else -left, False),)
    return constant, (((right - left) / 2, False), ((right + left) / 2, True))


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
