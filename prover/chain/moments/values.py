"""Bounds of the moments of one order at all nodes of a graph, and what proves that a moment is infinite.

M(q) is the larger of what stopping shows and the largest Σ w·M(p) over the links of an action, where w =
c^a·d^(1 − a); at order ∞ sums are maxima. It is the least solution, not any: a solution with a negative value
belongs to infinite moments. Reference: docs/theory_divergences.md, *Moments of chains*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from prover.chain.moments.graph import Link, MomentNode
from prover.exact.divergence import ROOT_BITS, root_bounds
from prover.exact.field import approximately
from prover.exact.fmpq import fmpq_of, fraction_of
from prover.exact.linear import SingularSystem, solve
from prover.exact.refinement import TooLong
from prover.graphs import strong_components

_ROUNDS = 200
_LONGEST = 100_000  # bits of a value
_SURE_BITS = ROOT_BITS - 28
_ZERO, _ONE = fmpq(0), fmpq(1)

Value = fmpq | None
"""None is ∞."""


@dataclass(frozen=True, slots=True)
class Power:
    """(c, d) ↦ c^a·d^(1 − a), rounded one way; c/d for the order ∞, which None stands for."""

    order: Fraction | None
    up: bool

    def __call__(self, c: fmpq, d: fmpq) -> fmpq:
        if self.order is None:
            return c / d
        m, n = self.order.numerator, self.order.denominator
        base = c**m / d ** (m - n)
        return base if n == 1 else fmpq_of(root_bounds(fraction_of(base), n)[self.up])

    def stop(self, node: MomentNode) -> Value:
        """What an observer sees who stops."""
        belief = node.belief
        return self(fmpq(belief.mass), fmpq(belief.other_mass)) if belief.y else None

    def told(self, node: MomentNode) -> Value:
        """What an observer sees who is told the state."""
        other = dict(node.belief.y)
        if any(s not in other for s, _ in node.belief.x):
            return None
        return self.added(self(fmpq(n), fmpq(other[s])) for s, n in node.belief.x)

    def added(self, terms: Iterable[fmpq]) -> fmpq:
        """The sum, or the largest at order ∞."""
        return max(terms, default=_ZERO) if self.order is None else sum(terms, _ZERO)

    @property
    def rounds(self) -> bool:
        """Whether powers may be irrational."""
        return self.order is not None and self.order.denominator > 1

    @property
    def margin(self) -> fmpq:
        """What is gained by less than this factor may be lost by rounding down."""
        return 1 + fmpq(1, 2**_SURE_BITS) if self.rounds and not self.up else _ONE

    def short(self, value: fmpq) -> fmpq:
        """The value; where powers are rounded anyway, as short as these, on the safe side."""
        if not self.rounds:
            return value
        shift = ROOT_BITS + max(0, int(value.q).bit_length() - int(value.p).bit_length() + 1)
        scaled = int(value.p) << shift
        return fmpq(-(-scaled // int(value.q)) if self.up else scaled // int(value.q), 1 << shift)


@dataclass(slots=True)
class Side:
    """Values of all nodes from one side, and the action that each takes; None where it stops.

    At nodes that are ``open`` the value is a lower end only. ``growth`` has nodes with a number z > 0 and an
    action, which together prove that M is infinite there.
    """

    values: list[Value]
    taken: list[str | None]
    open: set[int] = field(default_factory=set)
    growth: dict[int, tuple[fmpq, str]] = field(default_factory=dict)


class MomentBounds:
    """The values of one order from both sides."""

    def __init__(self, nodes: Sequence[MomentNode], order: Fraction | None) -> None:
        self.nodes, self.order = nodes, order
        self._components = strong_components(range(len(nodes)), lambda q: nodes[q].targets)
        self.below = self._solve(Power(order, up=False))
        is_open = any(node.is_open for node in nodes)
        apart = Power(order, up=True).rounds or is_open
        self.above = self._solve(Power(order, up=True)) if apart else self.below
        self.infinite = self._infinite()

    def upper(self, q: int) -> Value:
        """The upper end at a node."""
        return None if q in self.above.open else self.above.values[q]

    def _infinite(self) -> set[int]:
        """The nodes whose moment is proved to be infinite."""
        found = set[int](self.below.growth)
        for component in self._components:
            for q in component:
                if not self.nodes[q].belief.y or not found.isdisjoint(self.nodes[q].targets):
                    found |= set(component)
        return found

    def _solve(self, power: Power) -> Side:
        nodes = self.nodes
        stops = [power.stop(node) for node in nodes]
        values = [
            power.told(node) if power.up and node.is_leaf else stop
            for node, stop in zip(nodes, stops, strict=True)
        ]
        side = Side(values, [None] * len(nodes))
        for component in self._components:
            if not nodes[component[0]].is_leaf:
                _Component(self, power, component, side).solve()
        return side


class _Component:
    """A strongly connected component, when the values of what it leads to are known."""

    def __init__(self, bounds: MomentBounds, power: Power, members: Sequence[int], side: Side) -> None:
        self._power, self._members, self._side = power, members, side
        self._inside = frozenset(members)
        self._links: Mapping[int, Mapping[str, list[tuple[int, fmpq]]]] = {
            q: {a: [self._weighed(link) for link in links] for a, links in bounds.nodes[q].choices.items()}
            for q in members
        }

    def _weighed(self, link: Link) -> tuple[int, fmpq]:
        value = self._side.values[link.target]
        # Behind y = 0 the factor d says nothing; the value is infinite there.
        return link.target, _ONE if value is None else self._power(link.c, link.d)

    def solve(self) -> None:
        """The least solution; where there is none the nodes are open, and maybe there is a growth."""
        values = self._side.values
        for q in self._members:
            for links in self._links[q].values():
                if any(values[p] is None or p in self._side.open for p, _ in links):
                    self._give_up()
                    return
        if self._power.order is None:
            self._by_rounds()
        else:
            self._by_policies()

    def _give_up(self) -> None:
        self._side.open |= self._inside

    def _gain(self, q: int, action: str) -> fmpq:
        values = self._side.values
        return self._power.added(w * (values[p] or _ZERO) for p, w in self._links[q][action])

    def _best(self, q: int) -> tuple[fmpq, str]:
        return max(((self._gain(q, action), action) for action in self._links[q]), key=lambda one: one[0])

    def _by_rounds(self) -> None:
        values, taken = self._side.values, self._side.taken
        for _ in range(len(self._members) + 1):
            better = [(q, *self._best(q)) for q in self._members]
            better = [(q, gain, action) for q, gain, action in better if gain > (values[q] or _ZERO)]
            if not better:
                return
            for q, gain, action in better:
                values[q], taken[q] = gain, action
        self._circle()

    def _circle(self) -> None:
        """Values still rise: the best links form a circle of a factor above 1."""
        before = {q: self._side.taken[q] for q in self._members}
        after: dict[int, tuple[int, fmpq]] = {}
        for q, action in before.items():
            if action is not None:
                listed = [(p, w) for p, w in self._links[q][action] if p in self._inside]
                if listed:
                    after[q] = max(listed, key=lambda one: one[1] * (self._side.values[one[0]] or _ZERO))
        for start in sorted(after):
            path, q = [start], after[start][0]
            while q in after and q not in path:
                path.append(q)
                q = after[q][0]
            if q not in after:
                continue
            circle = path[path.index(q) :]
            z, found = _ONE, dict[int, fmpq]()
            for q in reversed(circle[1:]):
                z *= after[q][1]
                found[q] = z
            if z * after[circle[0]][1] > 1:
                found[circle[0]] = _ONE
                self._grown(found)
                return
        self._give_up()

    def _grown(self, found: Mapping[int, fmpq]) -> None:
        side = self._side
        for q, z in found.items():
            action = side.taken[q]
            if action is not None:
                side.growth[q] = z, action
        self._give_up()

    def _by_policies(self) -> None:
        """Policy iteration, from an observer who stops everywhere."""
        side = self._side
        for _ in range(_ROUNDS):
            switched = False
            before = {q: (side.values[q], side.taken[q]) for q in self._members}
            gains = {q: self._best(q) for q in self._members}
            for q, (gain, action) in gains.items():
                if gain > (side.values[q] or _ZERO) * self._power.margin:
                    side.taken[q], switched = action, True
            if not switched:
                return
            if not self._evaluated():
                self._eigen()
                for q, known in before.items():  # what was known before is still a lower bound
                    side.values[q], side.taken[q] = known
                self._give_up()
                return
        self._give_up()

    def _evaluated(self) -> bool:
        """The values of what is taken now; False if there are none that are finite."""
        side = self._side
        going = [q for q in self._members if side.taken[q] is not None]
        place = {q: k for k, q in enumerate(going)}
        rows, right = [], []
        for k, q in enumerate(going):
            row, constant = {k: _ONE}, _ZERO
            for p, w in self._links[q][side.taken[q] or ""]:
                if p in place:
                    row[place[p]] = row.get(place[p], _ZERO) - w
                else:
                    constant += w * (side.values[p] or _ZERO)
            rows.append(row)
            right.append(constant)
        alone = len(going) == 1 and rows[0] == {0: _ONE}
        try:
            found = right if alone else solve(rows, right, _LONGEST)
        except (SingularSystem, TooLong):
            return False
        if any(value < (side.values[q] or _ZERO) for q, value in zip(going, found, strict=True)):
            return False
        for q, value in zip(going, found, strict=True):
            side.values[q] = self._power.short(value) if alone else value
        return True

    def _eigen(self) -> None:
        """A z ≥ 0 that does not fall along what is taken, where the values of this are infinite."""
        taken = self._side.taken
        going = {q: self._links[q][action] for q in self._members if (action := taken[q]) is not None}
        for part in strong_components(sorted(going), lambda q: [p for p, _ in going[q] if p in going]):
            place = {q: k for k, q in enumerate(part)}
            rows = [[(place[p], w) for p, w in going[q] if p in place] for q in part]
            found = _rising(rows) or _staying(rows)
            if found is not None:
                self._grown(dict(zip(part, found, strict=True)))
                return


def _rising(rows: Sequence[Sequence[tuple[int, fmpq]]]) -> list[fmpq] | None:
    """z > 0 with z ≤ A z, near the eigenvector that floats find; None if that is not so."""
    matrix = np.zeros((len(rows), len(rows)))
    for k, row in enumerate(rows):
        for p, w in row:
            matrix[k, p] += approximately(w)
    z = np.ones(len(rows))
    for _ in range(_ROUNDS):
        z = matrix @ z + z  # not periodic
        top = float(z.max())
        if not 0 < top < float("inf"):
            return None
        z = z / top
    found = [fmpq(max(1, round(float(value) * 2**40)), 2**40) for value in z]
    after = [sum((w * found[p] for p, w in row), _ZERO) for row in rows]
    return found if all(more >= own for more, own in zip(after, found, strict=True)) else None


def _staying(rows: Sequence[Sequence[tuple[int, fmpq]]]) -> list[fmpq] | None:
    """z > 0 with z = A z, exactly; None if there is none."""
    if len(rows) > _MOST_EXACT:
        return None
    size = len(rows)
    matrix = fmpq_mat(size, size)
    for k, row in enumerate(rows):
        matrix[k, k] = matrix[k, k] - 1
        for p, w in row:
            matrix[k, p] = matrix[k, p] + w
    reduced, rank = matrix.rref()
    if rank != size - 1:
        return None
    pivots = [next((p for p in range(size) if reduced[k, p] != 0), size) for k in range(rank)]
    (free,) = set(range(size)) - set(pivots)
    found = [_ONE] * size
    for k, pivot in enumerate(pivots):
        found[pivot] = -reduced[k, free]
    return found if all(value > 0 for value in found) else None


_MOST_EXACT = 60  # nodes of a component whose eigenvector is computed exactly
