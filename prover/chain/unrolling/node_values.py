"""What the leaves of an unrolling say about its inner nodes: values v with v = Σ c·v over the entries.

Seen from |x| the graph is a Markov chain whose runs end in leaves, so these systems have one solution, and
what is not above its successors' sum is not above the solution (docs/theory.md, *Unrollings*). Floating point
guides; what is certified holds exactly: short rationals, rounded outward, or the exact ones where asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from flint import fmpq, fmpz

from prover.chain.ld.float_policy import sparse_solve
from prover.chain.unrolling.graph import UnrollingNode
from prover.exact.field import approximately
from prover.exact.linear import SingularSystem, TooLong, solve
from prover.graphs import strong_components

_BITS = 64  # of a rounded value, counted from the size of |x|
_SLACK = 2.0**-50  # by which guessed values of a cycle are moved, times the steps spent on the cycle …
_WIDER = 32.0
_ATTEMPTS = 8
_LONGEST = 50_000  # bits of an exact value
_ALL_TOGETHER = 2**28  # bits of all exact values
_ZERO, _ONE = fmpq(0), fmpq(1)

LeafValue = Callable[[UnrollingNode], fmpq]
"""The value of a leaf, in units of its scale."""


Matrix = tuple[list[int], list[int], list[float]]
"""The rows, columns and entries of the chances to go from node to node."""


def chances(nodes: Sequence[UnrollingNode]) -> Matrix:
    """Where runs from the first secret go next, in floating point."""
    rows, columns, weights = [], [], []
    for number, node in enumerate(nodes):
        for entry in node.entries or ():
            rows.append(number)
            columns.append(entry.target)
            weights.append(entry.chance)
    return rows, columns, weights


def guessed_bounds(nodes: Sequence[UnrollingNode], matrix: Matrix) -> tuple[list[float], list[float]]:
    """The lower and the upper bound of every node as parts of |x|, in floating point."""
    leaves = np.zeros((len(nodes), 2))
    for number, node in enumerate(nodes):
        if node.entries is None:
            leaves[number] = node.guide
    found = sparse_solve(*matrix, leaves)
    return found[:, 0].tolist(), found[:, 1].tolist()


def visits(matrix: Matrix, starts: Sequence[int], size: int) -> list[float]:
    """How often runs from the first secrets of the given roots come by every node, in floating point."""
    begin = np.zeros(size)
    begin[list(starts)] = 1.0
    rows, columns, weights = matrix
    found: list[float] = sparse_solve(columns, rows, weights, begin).tolist()
    return found


def components(nodes: Sequence[UnrollingNode]) -> list[list[int]]:
    """The strongly connected components of the inner nodes, those that a component leads to before it."""

    def successors(number: int) -> Iterator[int]:
        targets = (entry.target for entry in nodes[number].entries or ())
        return (target for target in targets if nodes[target].entries is not None)

    inner = (number for number, node in enumerate(nodes) if node.entries is not None)
    return [sorted(members) for members in strong_components(inner, successors)]


def settled_nodes(nodes: Sequence[UnrollingNode], order: Sequence[Sequence[int]]) -> list[bool]:
    """The nodes that reach no leaf with a gap; ``order`` are the components, successors first."""
    settled = [node.entries is None and node.settled for node in nodes]
    for component in order:
        members = set(component)
        outside = {e.target for number in component for e in nodes[number].entries or ()} - members
        everything = all(settled[target] for target in outside)
        for number in component:
            settled[number] = everything
    return settled


class Values:
    """Certified values of all nodes for one kind of leaf value, absolute (scale included).

    ``exact`` says of which nodes the solution itself is wanted; the others, and those where it would be too
    long, get a short bound, from below or from above.
    """

    def __init__(
        self, nodes: Sequence[UnrollingNode], order: Sequence[Sequence[int]], exact: Sequence[bool]
    ) -> None:
        self._nodes = nodes
        self._order = order
        self._wanted = exact
        self.exact = True
        """Whether all values of the last solution that were wanted exact are."""

    def solve(self, leaf: LeafValue, *, below: bool) -> list[fmpq]:
        """v with v ≤ Σ c·v at every inner node if ``below``, and v ≥ Σ c·v if not."""
        nodes = self._nodes
        values = [_ZERO if node.entries is not None else node.scale * leaf(node) for node in nodes]
        exact, bits = list(self._wanted), 0
        self.exact = True
        for component in self._order:
            found: list[fmpq] = []
            targets = {e.target for number in component for e in nodes[number].entries or ()}
            wanted = bits < _ALL_TOGETHER and all(
                exact[number] for number in (*component, *targets) if nodes[number].entries is not None
            )
            if wanted:
                try:
                    found = self._exactly(component, values)
                    bits += sum(int(v.q).bit_length() for v in found)
                except (TooLong, SingularSystem):
                    wanted = False
            if not wanted:
                found = self._rounded(component, values, below=below)
                for number in component:
                    self.exact = self.exact and not self._wanted[number]
                    exact[number] = False
            for number, value in zip(component, found, strict=True):
                values[number] = value
        return values

    def _is_cycle(self, component: Sequence[int]) -> bool:
        entries = self._nodes[component[0]].entries or ()
        return len(component) > 1 or any(entry.target == component[0] for entry in entries)

    def _sum(self, number: int, values: Sequence[fmpq]) -> fmpq:
        entries = self._nodes[number].entries or ()
        parts = (values[e.target] if e.defining else e.factor * values[e.target] for e in entries)
        return sum(parts, start=_ZERO)

    def _exactly(self, component: Sequence[int], values: Sequence[fmpq]) -> list[fmpq]:
        if not self._is_cycle(component):
            found = [self._sum(component[0], values)]
        else:
            place = {number: k for k, number in enumerate(component)}
            rows: list[dict[int, fmpq]] = []
            right: list[fmpq] = []
            for k, number in enumerate(component):
                row, constant = {k: _ONE}, _ZERO
                for entry in self._nodes[number].entries or ():
                    at = place.get(entry.target)
                    if at is None:
                        constant += entry.factor * values[entry.target]
                    else:
                        row[at] = row.get(at, _ZERO) - entry.factor
                rows.append(row)
                right.append(constant)
            found = solve(rows, right, _LONGEST)
        if any(int(v.q).bit_length() > _LONGEST for v in found):
            raise TooLong(f"a value has more than {_LONGEST} bits")
        return found

    def _rounded(self, component: Sequence[int], values: list[fmpq], *, below: bool) -> list[fmpq]:
        nodes = self._nodes
        if not self._is_cycle(component):
            return [_outward(self._sum(component[0], values), nodes[component[0]], below=below)]
        guessed, steps = self._guess_cycle(component, values)
        slack = -_SLACK if below else _SLACK
        for _ in range(_ATTEMPTS):
            for number, value, step in zip(component, guessed, steps, strict=True):
                moved = min(1.0, max(0.0, value + slack * step))
                part = fmpq(*moved.as_integer_ratio())
                values[number] = _outward(nodes[number].total * part, nodes[number], below=below)
            sums = [self._sum(number, values) for number in component]
            if all(values[n] <= s if below else values[n] >= s for n, s in zip(component, sums, strict=True)):
                return [values[number] for number in component]
            slack *= _WIDER
        try:
            return self._exactly(component, values)
        except (TooLong, SingularSystem):
            return [_ZERO if below else nodes[n].total for n in component]

    def _guess_cycle(
        self, component: Sequence[int], values: Sequence[fmpq]
    ) -> tuple[list[float], list[float]]:
        """The values of a cycle as parts of |x|, and how many steps are spent on it, in floating point."""
        place = {number: k for k, number in enumerate(component)}
        rows, columns, chances = [], [], []
        right = np.ones((len(component), 2))
        for k, number in enumerate(component):
            node, constant = self._nodes[number], _ZERO
            for entry in node.entries or ():
                at = place.get(entry.target)
                if at is None:
                    constant += entry.factor * values[entry.target]
                else:
                    rows.append(k)
                    columns.append(at)
                    chances.append(entry.chance)
            right[k, 0] = approximately(constant / node.total)
        found = sparse_solve(rows, columns, chances, right)
        return [float(v) for v in found[:, 0]], [max(1.0, float(v)) for v in found[:, 1]]


def _outward(value: fmpq, node: UnrollingNode, *, below: bool) -> fmpq:
    """A short rational at most, or at least, the value of a node; where that is short it stays."""
    size = int(node.total.q).bit_length() - int(node.total.p).bit_length()
    bits = _BITS + max(0, size)
    if int(value.q).bit_length() <= bits:
        return value
    unit = fmpz(1 << bits)
    if below:
        return fmpq((value * unit).floor(), unit)
    return min(fmpq((value * unit).ceil(), unit), node.total)
