"""Certified values of the nodes of an unrolling: what an attacker surely gains, and what none exceeds.

From below an attacker is fixed: at every node he stops or takes one action. From above every action counts.
Floating point guides; what is returned obeys the inequalities of docs/theory_interactive.md, *Unrollings*,
exactly: as the solutions themselves, or where they would be long as short rationals, rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpz

from prover.chain.ld.float_policy import sparse_solve
from prover.exact.linear import SingularSystem, TooLong, solve
from prover.graphs import search, strong_components
from prover.interactive.graph import Entry, InteractiveNode
from prover.interactive.guide import STOP, Plan

_BITS = 64  # of a rounded value, as a part of |x|
_SLACK = 2.0**-50  # by which guessed values of a cycle are moved at first
_WIDER = 32.0
_ATTEMPTS = 6
_ROUNDS = 50
_LARGEST = 300  # nodes of a cycle whose values are computed exactly
_LONGEST = 20_000  # bits of an exact value
_ALL_TOGETHER = 2**27  # bits of all exact values
_LONG_SUM = 512  # bits from which a probability is rounded
_ZERO, _ONE = fmpq(0), fmpq(1)


@dataclass(frozen=True, slots=True)
class Valued:
    """The values of all nodes in units of the node; the action that each takes, None where it stops; and
    whether they are the solution itself, and not only a bound.
    """

    values: list[fmpq]
    taken: list[str | None]
    exact: bool


def components(nodes: Sequence[InteractiveNode]) -> list[list[int]]:
    """The strongly connected components of the inner nodes, those that a component leads to before it."""

    def successors(number: int) -> Iterator[int]:
        for entries in (nodes[number].choices or {}).values():
            yield from (entry.target for entry in entries if nodes[entry.target].choices is not None)

    inner = (number for number, node in enumerate(nodes) if node.choices is not None)
    return [sorted(members) for members in strong_components(inner, successors)]


class Solver:
    """The values of one graph, from below and from above."""

    def __init__(self, nodes: Sequence[InteractiveNode], order: Sequence[Sequence[int]]) -> None:
        self._nodes = nodes
        self._order = order

    def solve(self, plan: Plan, *, below: bool, exactly: bool) -> Valued:
        """Values from below or from above, near those of the plan; the solution itself where that is asked
        for, and short enough.
        """
        nodes = self._nodes
        values = [node.stop if below else node.most for node in nodes]
        taken: list[str | None] = [None] * len(nodes)
        bits, exact = 0, exactly
        for component in self._order:
            work = _Component(nodes, component, values, self._planned(plan, component))
            try:
                if not exact or len(component) > _LARGEST:
                    raise TooLong("a short value is wanted")
                work.exactly()
                bits += sum(int(values[q].q).bit_length() for q in component)
                exact = bits < _ALL_TOGETHER
            except (TooLong, SingularSystem):
                exact = False
                work.rounded(plan, below=below)
            for number in component:
                taken[number] = work.taken[number]
        return Valued(values, taken, exact)

    def _planned(self, plan: Plan, component: Sequence[int]) -> dict[int, str | None]:
        menus = ((q, plan.taken[q], list(self._nodes[q].choices or {})) for q in component)
        return {q: None if place == STOP else menu[place] for q, place, menu in menus}


class _Component:
    """A strongly connected component, when the values of what it leads to are known."""

    def __init__(
        self,
        nodes: Sequence[InteractiveNode],
        component: Sequence[int],
        values: list[fmpq],
        taken: dict[int, str | None],
    ) -> None:
        self._nodes = nodes
        self._component = component
        self._values = values
        self.taken = taken
        self._place = {number: k for k, number in enumerate(component)}
        self._is_cycle = any(entry.target in self._place for q in component for entry in self._entries(q))

    def exactly(self) -> None:
        """The least solution of v = max(stop, Σ c·v of every action), by policy iteration.

        Raises TooLong, SingularSystem.
        """
        for _ in range(_ROUNDS):
            for number, value in zip(self._component, self.of_plan(), strict=True):
                self._values[number] = value
            if not self._switch():
                return
        raise TooLong("too many rounds")

    def _switch(self) -> bool:
        """Take what is strictly better than what is taken; whether there was anything."""
        switched = False
        for number in self._component:
            node, best = self._nodes[number], self._values[number]
            for action, entries in (node.choices or {}).items():
                gain = self._sum(entries)
                if gain > best:
                    self.taken[number], best, switched = action, gain, True
            if node.stop > best:
                self.taken[number], switched = None, True
        return switched

    def of_plan(self) -> list[fmpq]:
        """What the attacker gains who does what is planned."""
        if not self._is_cycle:
            number = self._component[0]
            found = [self._gain(number)]
        else:
            rows, right = [], []
            for k, number in enumerate(self._component):
                row, constant = {k: _ONE}, _ZERO
                action = self.taken[number]
                if action is None:
                    constant = self._nodes[number].stop
                else:
                    for entry in self._taken_entries(number):
                        at = self._place.get(entry.target)
                        if at is None:
                            constant += entry.factor * self._values[entry.target]
                        else:
                            row[at] = row.get(at, _ZERO) - entry.factor
                rows.append(row)
                right.append(constant)
            found = solve(rows, right, _LONGEST)
        if any(int(v.q).bit_length() > _LONGEST for v in found):
            raise TooLong(f"a value has more than {_LONGEST} bits")
        return found

    def rounded(self, plan: Plan, *, below: bool) -> None:
        """Short values on the safe side."""
        if not self._is_cycle:
            number = self._component[0]
            value, node = self._gain(number) if below else self._most(number), self._nodes[number]
            if below and value < node.stop:
                self.taken[number], value = None, node.stop
            self._values[number] = _outward(value, node, below=below)
            return
        if below:
            self._end_somewhere()
        planned = dict(self.taken)
        if self._guessed(plan, None, below=below):
            return
        try:
            if len(self._component) > _LARGEST:
                raise TooLong("there are too many unknowns")
            self.exactly()
        except (TooLong, SingularSystem):
            self.taken = planned
            if below and self._guessed(plan, self._steps(), below=True):
                return
            for number in self._component:
                node = self._nodes[number]
                self.taken[number] = None
                self._values[number] = node.stop if below else fmpq(node.mass)

    def _guessed(self, plan: Plan, steps: Mapping[int, float] | None, *, below: bool) -> bool:
        """Values of the plan, moved to the safe side by more and more until they are proved to be there; by
        as much everywhere, or times the ``steps`` that are expected from a node.
        """
        slack = -_SLACK if below else _SLACK
        for _ in range(_ATTEMPTS):
            for number in self._component:
                node, guess = self._nodes[number], plan.values[number]
                if below and self.taken[number] is None:
                    self._values[number] = node.stop
                    continue
                moved = guess * (1 + slack) + slack if steps is None else guess + slack * steps[number]
                value = fmpq(*min(1.0, max(0.0, moved)).as_integer_ratio()) * node.mass
                if not below:
                    value = max(value, node.stop)
                self._values[number] = _outward(value, node, below=below)
            if self._holds(below=below):
                return True
            slack *= _WIDER
        return False

    def _end_somewhere(self) -> None:
        """Stop where the planned actions would lead round and round for ever."""
        before: dict[int, list[int]] = {}
        ends = []
        for number in self._component:
            targets = [entry.target for entry in self._taken_entries(number)]
            if not all(target in self._place for target in targets) or not targets:
                ends.append(number)
            for target in targets:
                before.setdefault(target, []).append(number)
        ending = search(ends, lambda number: before.get(number, ()))
        for number in self._component:
            if number not in ending:
                self.taken[number] = None
            if self.taken[number] is None:
                self._values[number] = self._nodes[number].stop

    def _steps(self) -> dict[int, float]:
        """How many steps the attacker is expected to take before he stops or leaves the cycle. After each of
        them it is one less, and that leaves room for rounding at every step.
        """
        rows, columns, weights = list[int](), list[int](), list[float]()
        for number in self._component:
            for entry in self._taken_entries(number):
                if entry.target in self._place:
                    rows.append(self._place[number])
                    columns.append(self._place[entry.target])
                    weights.append(entry.chance)
        spent = np.array([0.0 if self.taken[q] is None else 1.0 for q in self._component])
        found = sparse_solve(rows, columns, weights, spent).tolist()
        return dict(zip(self._component, found, strict=True))

    def _holds(self, *, below: bool) -> bool:
        if below:
            return all(self._values[q] <= self._gain(q) for q in self._component)
        return all(self._values[q] >= self._most(q) for q in self._component)

    def _entries(self, number: int) -> Iterator[Entry]:
        for entries in (self._nodes[number].choices or {}).values():
            yield from entries

    def _taken_entries(self, number: int) -> Sequence[Entry]:
        action = self.taken[number]
        return () if action is None else (self._nodes[number].choices or {})[action]

    def _gain(self, number: int) -> fmpq:
        """What the planned attacker gains one step ahead."""
        if self.taken[number] is None:
            return self._nodes[number].stop
        return self._sum(self._taken_entries(number))

    def _most(self, number: int) -> fmpq:
        """What any attacker gains one step ahead."""
        gains = (self._sum(entries) for entries in (self._nodes[number].choices or {}).values())
        return max(self._nodes[number].stop, *gains)

    def _sum(self, entries: Sequence[Entry]) -> fmpq:
        return sum((entry.factor * self._values[entry.target] for entry in entries), start=_ZERO)


def _outward(value: fmpq, node: InteractiveNode, *, below: bool) -> fmpq:
    """A short rational at most, or at least, the value of a node; where that is short it stays."""
    if int(value.q).bit_length() <= _BITS:
        return value
    unit, part = fmpz(1 << _BITS), value / node.mass
    if below:
        return max(node.stop, fmpq((part * unit).floor(), unit) * node.mass)
    return min(fmpq((part * unit).ceil(), unit), _ONE) * node.mass


def attacker_sums(
    nodes: Sequence[InteractiveNode],
    plan: Sequence[str | None],
    root: int,
    mass: Callable[[InteractiveNode], int],
    *,
    below: bool,
) -> fmpq:
    """The sum of a mass of vectors over where the attacker stops and there is something to gain: how likely
    that is from a secret, or where the sum is long a number below or above it. Raises TooLong.
    """
    values = [fmpq(mass(node)) if node.stop > 0 else _ZERO for node in nodes]
    for component in _along(nodes, plan, root):
        work = _Component(nodes, component, values, {q: plan[q] for q in component})
        for number, value in zip(component, work.of_plan(), strict=True):
            unit = fmpz(1 << _LONG_SUM) if int(value.q).bit_length() > _LONG_SUM else fmpz(1)
            rounded = (value * unit).floor() if below else (value * unit).ceil()
            values[number] = value if unit == 1 else fmpq(rounded, unit)
    return values[root]


def _along(nodes: Sequence[InteractiveNode], plan: Sequence[str | None], root: int) -> list[list[int]]:
    """The components of what the attacker comes by, those that a component leads to before it."""

    def successors(number: int) -> Iterator[int]:
        action = plan[number]
        entries = () if action is None else (nodes[number].choices or {})[action]
        return (entry.target for entry in entries if plan[entry.target] is not None)

    return (
        [sorted(members) for members in strong_components([root], successors)]
        if plan[root] is not None
        else []
    )
