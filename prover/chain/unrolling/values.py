"""Certified values of the nodes of an unrolling: what an attacker surely gains, and what none exceeds.

From below an attacker is fixed, who at every node stops or takes one action. From above all actions count. In
a chain there is one action, and it is taken: seen from |x| the graph is a Markov chain whose runs end in
leaves, so v = Σ c·v has one solution, and what is not above its successors' sum is not above the solution
(docs/theory.md, *Unrollings*). Floating point guides; what is certified obeys the inequalities of
docs/theory_interactive.md, *Unrollings*, exactly: as the solutions themselves where asked for, or as short
rationals, rounded outward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpz

from prover.chain.unrolling.graph import Entry, Node
from prover.chain.unrolling.plan import STOP
from prover.exact.field import approximately
from prover.exact.linear import SingularSystem, solve
from prover.exact.refinement import TooLong
from prover.graphs import search, strong_components

_BITS = 64  # of a rounded value, counted from the size of |x|
_SLACK = 2.0**-50  # by which guessed values of a cycle are moved at first
_WIDER = 32.0
_ATTEMPTS = 8
_ROUNDS = 50
_LARGEST = 300  # nodes of a cycle with choices whose values are computed exactly
_LONGEST = 50_000  # bits of an exact value
_ALL_TOGETHER = 2**28  # bits of all exact values
_LONG_SUM = 512  # bits from which a probability is rounded
_ZERO, _ONE = fmpq(0), fmpq(1)

LeafValue = Callable[[Node], fmpq]
"""The value of a leaf, in units of its scale."""


@dataclass(frozen=True, slots=True)
class Valued:
    """The absolute values of all nodes (scale included); the index of the action that each takes, or STOP;
    and whether all values that were wanted exact are.
    """

    values: list[fmpq]
    taken: list[int]
    exact: bool


def components(nodes: Sequence[Node]) -> list[list[int]]:
    """The strongly connected components of the inner nodes, those that a component leads to before it."""

    def successors(number: int) -> Iterator[int]:
        return (entry.target for entry in nodes[number].entries if not nodes[entry.target].is_leaf)

    inner = (number for number, node in enumerate(nodes) if not node.is_leaf)
    return [sorted(members) for members in strong_components(inner, successors)]


def settled_nodes(nodes: Sequence[Node], order: Sequence[Sequence[int]]) -> list[bool]:
    """The nodes that reach no leaf with a gap; ``order`` are the components, successors first."""
    settled = [node.is_leaf and node.settled for node in nodes]
    for component in order:
        members = set(component)
        outside = {e.target for number in component for e in nodes[number].entries} - members
        everything = all(settled[target] for target in outside)
        for number in component:
            settled[number] = everything
    return settled


class GraphValues:
    """Values of the nodes of one graph for several kinds of leaf values.

    ``wanted`` says of which nodes the solution itself is wanted; the others, and those where it would be too
    long, get a short bound, from below or from above. ``chooses``: there may be something to choose.
    """

    def __init__(
        self, nodes: Sequence[Node], order: Sequence[Sequence[int]], wanted: Sequence[bool], *, chooses: bool
    ) -> None:
        self._nodes = nodes
        self._order = order
        self._wanted = wanted
        self._chooses = chooses

    def solve(self, leaf: LeafValue, plan: Sequence[int], *, below: bool) -> Valued:
        """Values from below or from above, near those of an attacker who does what is planned."""
        nodes, taken = self._nodes, list(plan)
        values = [_ZERO if not node.is_leaf else node.scale * leaf(node) for node in nodes]
        exact, bits = list(self._wanted), 0
        for component in self._order:
            work = _Component(nodes, component, values, taken, chooses=self._chooses)
            targets = {entry.target for number in component for entry in nodes[number].entries}
            short = bits < _ALL_TOGETHER and (len(component) <= _LARGEST or not self._chooses)
            wanted = short and all(exact[q] for q in (*component, *targets) if not nodes[q].is_leaf)
            if wanted:
                try:
                    work.exactly()
                    bits += sum(int(values[q].q).bit_length() for q in component)
                except (TooLong, SingularSystem):
                    wanted = False
            if not wanted:
                work.rounded(below=below)
                for number in component:
                    exact[number] = False
        return Valued(values, taken, all(exact[q] or not wanted for q, wanted in enumerate(self._wanted)))


class _Component:
    """A strongly connected component, when the values of what it leads to are known; ``taken`` is changed
    where the plan is.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        component: Sequence[int],
        values: list[fmpq],
        taken: list[int],
        *,
        chooses: bool,
    ) -> None:
        self._nodes = nodes
        self._component = component
        self._values = values
        self._taken = taken
        self._chooses = chooses
        self._index = {number: k for k, number in enumerate(component)}
        self._is_cycle = any(entry.target in self._index for q in component for entry in nodes[q].entries)

    def exactly(self) -> None:
        """The least solution of v = max(stop, Σ c·v of every action), by policy iteration.

        Raises TooLong, SingularSystem.
        """
        for _ in range(_ROUNDS):
            for number, value in zip(self._component, self.of_plan(), strict=True):
                self._values[number] = value
            if not self._chooses or not self._switch():
                return
        raise TooLong("too many rounds")

    def _switch(self) -> bool:
        """Take what is strictly better than what is taken; whether there was anything."""
        switched = False
        for number in self._component:
            node, best = self._nodes[number], self._values[number]
            for action, entries in enumerate(node.choices or ()):
                gain = self._sum(entries)
                if gain > best:
                    self._taken[number], best, switched = action, gain, True
            if node.stop > best:
                self._taken[number], switched = STOP, True
        return switched

    def of_plan(self) -> list[fmpq]:
        """What the attacker gains who does what is planned. Raises TooLong, SingularSystem."""
        if not self._is_cycle:
            found = [self._gain(self._component[0])]
        else:
            rows, right = [], []
            for k, number in enumerate(self._component):
                row, constant = {k: _ONE}, self._from_outside(number)
                for entry in self._taken_entries(number):
                    at = self._index.get(entry.target)
                    if at is not None:
                        row[at] = row.get(at, _ZERO) - entry.factor
                rows.append(row)
                right.append(constant)
            found = solve(rows, right, _LONGEST)
        if any(int(v.q).bit_length() > _LONGEST for v in found):
            raise TooLong(f"a value has more than {_LONGEST} bits")
        return found

    def rounded(self, *, below: bool) -> None:
        """Short values on the safe side."""
        if not self._is_cycle:
            number = self._component[0]
            node = self._nodes[number]
            value = self._gain(number) if below else self._most(number)
            if below and self._chooses and value < node.stop:
                self._taken[number], value = STOP, node.stop
            self._values[number] = self._outward(value, node, below=below)
            return
        if below and self._chooses:
            self._end_somewhere()
        planned = [self._taken[number] for number in self._component]
        if self._guessed(below=below):
            return
        try:
            if self._chooses and len(self._component) > _LARGEST:
                raise TooLong("there are too many unknowns")
            self._plan(planned)
            self.exactly()
        except (TooLong, SingularSystem):
            for number in self._component:
                node = self._nodes[number]
                if self._chooses:
                    self._taken[number] = STOP
                least = node.stop if self._chooses else _ZERO
                self._values[number] = least if below else node.total

    def _plan(self, planned: Sequence[int]) -> None:
        for number, action in zip(self._component, planned, strict=True):
            self._taken[number] = action

    def _guessed(self, *, below: bool) -> bool:
        """Values of the plan, moved to the safe side by more and more until they are proved to be there:
        times the steps that are expected from a node, as after each of them it is one less, and that leaves
        room for rounding; or, where other actions count, too, by as much everywhere.
        """
        guessed, steps = self._guess()
        for everywhere in (False, True) if self._chooses and not below else (False,):
            slack = -_SLACK if below else _SLACK
            for _ in range(_ATTEMPTS):
                for number, value, step in zip(self._component, guessed, steps, strict=True):
                    node = self._nodes[number]
                    if below and self._taken[number] == STOP:
                        self._values[number] = node.stop
                        continue
                    moved = value * (1 + slack) + slack if everywhere else value + slack * step
                    found = node.total * fmpq(*min(1.0, max(0.0, moved)).as_integer_ratio())
                    if self._chooses and not below:
                        found = max(found, node.stop)
                    self._values[number] = self._outward(found, node, below=below)
                if self._holds(below=below):
                    return True
                slack *= _WIDER
        return False

    def _guess(self) -> tuple[list[float], list[float]]:
        """The values of the plan as parts of |x|, and how many steps the attacker takes before the end or
        before leaving the cycle, in floating point.
        """
        import numpy as np

        from prover.chain.ld.float_policy import sparse_solve

        rows, columns, chances = [], [], []
        right = np.ones((len(self._component), 2))
        for k, number in enumerate(self._component):
            for entry in self._taken_entries(number):
                at = self._index.get(entry.target)
                if at is not None:
                    rows.append(k)
                    columns.append(at)
                    chances.append(entry.chance)
            right[k, 0] = approximately(self._from_outside(number) / self._nodes[number].total)
        found = sparse_solve(rows, columns, chances, right)
        return [float(v) for v in found[:, 0]], [max(1.0, float(v)) for v in found[:, 1]]

    def _end_somewhere(self) -> None:
        """Stop where the planned actions would lead round and round for ever."""
        before: dict[int, list[int]] = {}
        ends = []
        for number in self._component:
            targets = [entry.target for entry in self._taken_entries(number)]
            if not all(target in self._index for target in targets) or not targets:
                ends.append(number)
            for target in targets:
                before.setdefault(target, []).append(number)
        ending = search(ends, lambda number: before.get(number, ()))
        for number in self._component:
            if number not in ending:
                self._taken[number] = STOP

    def _holds(self, *, below: bool) -> bool:
        if below:
            return all(self._values[q] <= self._gain(q) for q in self._component)
        return all(self._values[q] >= self._most(q) for q in self._component)

    def _taken_entries(self, number: int) -> Sequence[Entry]:
        action, choices = self._taken[number], self._nodes[number].choices
        return () if action == STOP or choices is None else choices[action]

    def _from_outside(self, number: int) -> fmpq:
        """What the planned attacker gains at a node by stopping or leaving the component."""
        if self._taken[number] == STOP:
            return self._nodes[number].stop
        outside = (e for e in self._taken_entries(number) if e.target not in self._index)
        return sum((entry.factor * self._values[entry.target] for entry in outside), start=_ZERO)

    def _gain(self, number: int) -> fmpq:
        """What the planned attacker gains one step ahead."""
        if self._taken[number] == STOP:
            return self._nodes[number].stop
        return self._sum(self._taken_entries(number))

    def _most(self, number: int) -> fmpq:
        """What any attacker gains one step ahead."""
        if not self._chooses:
            return self._gain(number)
        node = self._nodes[number]
        return max(node.stop, *map(self._sum, node.choices or ()))

    def _sum(self, entries: Sequence[Entry]) -> fmpq:
        values = self._values
        parts = (values[e.target] if e.defining else e.factor * values[e.target] for e in entries)
        return sum(parts, start=_ZERO)

    def _outward(self, value: fmpq, node: Node, *, below: bool) -> fmpq:
        """A short rational at most, or at least, the value of a node; where that is short it stays."""
        size = int(node.total.q).bit_length() - int(node.total.p).bit_length()
        bits = _BITS + max(0, size)
        if int(value.q).bit_length() <= bits:
            return value
        unit, above = fmpz(1 << bits), value.p << bits
        if not below:
            return min(fmpq(-(-above // value.q), unit), node.total)
        found = fmpq(above // value.q, unit)
        return max(found, node.stop) if self._chooses else found


def attacker_sums(
    nodes: Sequence[Node], plan: Sequence[int], root: int, mass: Callable[[Node], int], *, below: bool
) -> fmpq:
    """The sum of a mass of vectors over where the attacker stops and there is something to gain: how likely
    that is from a secret, or where the sum is long a number below or above it. Raises TooLong.
    """
    return attacker_masses(nodes, plan, root, mass, below=below)[root]


def attacker_masses(
    nodes: Sequence[Node], plan: Sequence[int], root: int, mass: Callable[[Node], int], *, below: bool
) -> dict[int, fmpq]:
    """The same from all nodes where the attacker who begins at a root takes an action, and from there.

    Raises TooLong.
    """
    values = [fmpq(mass(node)) if node.lower > 0 else _ZERO for node in nodes]
    taken, passed = list(plan), [root]
    for component in _along(nodes, plan, root):
        work = _Component(nodes, component, values, taken, chooses=True)
        for number, value in zip(component, work.of_plan(), strict=True):
            unit = fmpz(1 << _LONG_SUM) if int(value.q).bit_length() > _LONG_SUM else fmpz(1)
            rounded = (value * unit).floor() if below else (value * unit).ceil()
            values[number] = value if unit == 1 else fmpq(rounded, unit)
        passed += component
    return {number: values[number] for number in passed}


def _along(nodes: Sequence[Node], plan: Sequence[int], root: int) -> list[list[int]]:
    """The components of what the attacker comes by, those that a component leads to before it."""

    def successors(number: int) -> Iterator[int]:
        entries = (nodes[number].choices or ((),))[plan[number]]
        return (entry.target for entry in entries if plan[entry.target] != STOP)

    if plan[root] == STOP:
        return []
    return [sorted(members) for members in strong_components([root], successors)]
