"""Certified intervals for lv, the true δ of one direction: events from below, unrolling from above.

The chain is first divided by bisimilarity. Then the leaves of the unrolling of the pairs (trace_graph.py)
are expanded best first, always where the gap between the bounds of a leaf weighs most, seen from the
pairs that matter. Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from heapq import heapify, heappop, heappush

from flint import fmpq

from prover.chain.bisimulation import Bisimilarity, bisimilarity
from prover.chain.ld.interval import UpperTable
from prover.chain.ld.problem import Pair
from prover.chain.model import LabelledMarkovChain, quotient, reachable
from prover.chain.unrolling.graph import Node, Unrolling
from prover.chain.unrolling.leaf_bounds import distance_table, improve
from prover.chain.unrolling.node_values import (
    Values,
    chances,
    components,
    guessed_bounds,
    settled_nodes,
    visits,
)
from prover.exact.fmpq import fraction_of
from prover.progress import Progress, silent

_WITHOUT_TABLE = 500  # nodes from which ld is asked for help …
_WITHOUT_TABLE_IF_FINITE = 20_000  # … where there are finitely many words
_NEARLY_FREE = 2_000  # nodes up to which an exact answer is tried for even where the gap is small enough
_MOST_NODES = 400_000
_MOST_CHECKING = 3 * 2**29  # bits; certificates have a limit of 2^31 (docs/certificates.md, Section 1)
_FIRST_REPORT = 64  # nodes from which intervals are reported, at every doubling


@dataclass(frozen=True, slots=True)
class Goal:
    """What the intervals are for.

    ``each``: all pairs are wanted, not only their maximum. ``at_most``: it is enough to know whether the
    maximum is at most this number.
    """

    gap: Fraction
    each: bool = False
    at_most: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """How large the unrolling may become: nodes (of which certificates hold 400,000 anyway), and bytes that
    they take, about; and whether ld may be asked for help.
    """

    nodes: int = 200_000
    memory: int = 2**30
    distances: bool = True


@dataclass(frozen=True, slots=True)
class Intervals:
    """lower ≤ lv ≤ upper for every pair asked for, and the unrolling that proves it.

    ``chain`` is the quotient by ``classes``; the roots of the unrolling, its first nodes, are twins of it.
    ``below`` and ``above`` are certified values of the nodes, ``bounds`` the table of ld that their couplings
    use, if any. ``met``: the goal is reached.
    """

    lower: Mapping[Pair, Fraction]
    upper: Mapping[Pair, Fraction]
    met: bool
    alpha: fmpq
    chain: LabelledMarkovChain
    classes: Bisimilarity
    roots: tuple[Pair, ...]
    nodes: Sequence[Node]
    order: Sequence[Sequence[int]]
    settled: Sequence[bool]
    below: Sequence[fmpq]
    above: Sequence[fmpq]
    bounds: UpperTable | None

    def root(self, pair: Pair) -> int | None:
        """The number of the root of a pair of the original chain, if it has one."""
        place = self.classes.class_of()
        twin = (place[pair[0]], place[pair[1]])
        return self.roots.index(twin) if twin in self.roots else None


def enclose(
    chain: LabelledMarkovChain,
    pairs: Iterable[Pair],
    alpha: Fraction,
    goal: Goal,
    limits: Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Intervals], None] | None = None,
) -> Intervals:
    """Intervals for lv of the given pairs, refined until the goal is met or the limits are.

    ``on_interval`` is called with what is proved on the way. Where the words that matter lead to finitely
    many nodes without a gap, and the numbers are not too long, intervals are points.
    """
    progress("bisimilarity", 0, None)
    search = _Search(chain, list(pairs), alpha, goal, limits or Limits(), progress, on_interval)
    return search.run()


class _Search:
    """The unrolling, and what is known about it between two rounds."""

    def __init__(
        self,
        chain: LabelledMarkovChain,
        pairs: Sequence[Pair],
        alpha: Fraction,
        goal: Goal,
        limits: Limits,
        progress: Progress,
        on_interval: Callable[[Intervals], None] | None,
    ) -> None:
        self.pairs, self.alpha, self.goal, self.limits = pairs, alpha, goal, limits
        self.progress, self.on_interval = progress, on_interval
        self.classes = bisimilarity(chain)
        place = self.classes.class_of()
        self.chain = quotient(chain, self.classes.classes)
        self.twins = {pair: (place[pair[0]], place[pair[1]]) for pair in pairs}
        labels = self.chain.labels
        roots = sorted({(s, t) for s, t in self.twins.values() if s != t and labels[s] == labels[t]})
        self.graph = Unrolling(self.chain, alpha, roots)
        self.bounds: UpperTable | None = None
        self.finite = _is_finite(self.chain, {s for pair in roots for s in pair})
        alone = _WITHOUT_TABLE_IF_FINITE if self.finite else _WITHOUT_TABLE
        self.without_table = alone + 100 * len(roots)
        self.reported = _FIRST_REPORT

    def run(self) -> Intervals:
        gap, size = self.goal.gap, min(self.limits.nodes, _MOST_NODES)
        found = self._refine(gap, False, size)
        if not found.met and self.bounds is None and self.limits.distances and self.graph.roots:
            self._ask_distances()
            found = self._certified()
        if self.goal.at_most is not None:
            return found
        if self.goal.each:
            most = min(size, 2 * len(self.graph.nodes) + _NEARLY_FREE)
            found = self._refine(gap, True, most, found)
        hope = _NEARLY_FREE if self.finite else min(_NEARLY_FREE, 4 * len(self.graph.nodes) + 200)
        exact = self._refine(Fraction(0), self.goal.each, min(size, hope), found)
        return exact if _points(exact) > _points(found) else found

    def _refine(self, gap: Fraction, each: bool, most: int, known: Intervals | None = None) -> Intervals:
        """Expand leaves until the intervals are this narrow, or the graph has so many nodes."""
        size = len(self.graph.nodes)
        if known is not None and (size >= most or not self._open(self._known(known), gap, each)):
            return known
        while True:
            size = len(self.graph.nodes)
            matrix = chances(self.graph.nodes)
            below, above = guessed_bounds(self.graph.nodes, matrix)
            between = [
                (low, self._capped(root, high))
                for root, low, high in zip(self.graph.roots, below, above, strict=False)
            ]
            starts = self._open(between, float(gap), each)
            full = size >= most or self._is_full()
            enough = float(gap) / 2
            if full or not starts:
                found = self._certified()
                starts = self._open(self._known(found), gap, each)
                if full or not starts:
                    return found
                enough = 0.0  # floating point sees too little to say how much is enough
            elif self.on_interval is not None and size >= self.reported:
                self.reported = 2 * size
                self.on_interval(self._certified())
            if self.bounds is None and self.limits.distances and size >= self.without_table:
                self._ask_distances()
                continue
            if not self._expand(visits(matrix, starts, size), enough, most):
                return self._certified()

    def _expand(self, weight: list[float], enough: float, most: int) -> bool:
        """Expand the leaves whose gaps weigh most, a part of them all; False if there is none."""
        nodes = self.graph.nodes
        heap = [
            (-weight[number] * node.gap(), number)
            for number, node in enumerate(nodes)
            if node.entries is None and not node.stuck and not node.settled and weight[number] > 0
        ]
        heapify(heap)
        left = -sum(score for score, _ in heap)
        begun = len(nodes)
        done = 0
        while heap and (not done or (done < 16 + begun // 4 and (left > enough or enough == 0))):
            if len(nodes) >= most or self._is_full():
                break
            score, number = heappop(heap)
            left += score
            before = len(nodes)
            if self.graph.expand(number):
                done += 1
            for entry in nodes[number].entries or ():
                child = nodes[entry.target]
                if entry.target < before or not entry.defining:
                    continue
                if self.bounds is not None:
                    improve(self.graph, child, self.bounds)
                weight.append(weight[number] * entry.chance)
                if not child.settled:
                    score = weight[entry.target] * child.gap()
                    heappush(heap, (-score, entry.target))
                    left += score
            self.progress("unrolling (nodes)", len(nodes), None)
        return done > 0

    def _is_full(self) -> bool:
        return self.graph.memory >= self.limits.memory or self.graph.checking >= _MOST_CHECKING

    def _ask_distances(self) -> None:
        self.bounds = distance_table(self.chain, self.alpha, self.graph.roots, self.progress)
        for node in self.graph.nodes:
            if node.entries is None:
                improve(self.graph, node, self.bounds)

    def _distance(self, twin: Pair) -> Fraction:
        if self.bounds is None or twin not in self.bounds.table.numerators:
            return Fraction(1)
        return self.bounds.table.value(twin)

    def _capped(self, twin: Pair, upper: float) -> float:
        return min(upper, float(self._distance(twin)))

    def _known(self, found: Intervals) -> list[tuple[Fraction, Fraction]]:
        by_twin = {self.twins[pair]: (found.lower[pair], found.upper[pair]) for pair in self.pairs}
        return [by_twin[twin] for twin in self.graph.roots]

    def _open(
        self, between: Sequence[tuple[float | Fraction, float | Fraction]], gap: float | Fraction, each: bool
    ) -> list[int]:
        """The roots that have to be refined to reach the goal; none if it is reached."""
        if each:
            return [root for root, (low, high) in enumerate(between) if high - low > gap]
        apart = any(self.chain.labels[s] != self.chain.labels[t] for s, t in self.twins.values())
        lower = max([low for low, _ in between], default=0)
        upper = max([high for _, high in between], default=0)
        target = self.goal.at_most
        if apart or (target is not None and (lower > target or upper <= target)):
            return []
        bar = lower + gap if target is None else max(target, lower)
        return [root for root, (_, high) in enumerate(between) if high > bar]

    def _certified(self) -> Intervals:
        """What the unrolling proves as it is now."""
        nodes = [copy(node) for node in self.graph.nodes]
        order = components(nodes)
        settled = settled_nodes(nodes, order)
        values = Values(nodes, order, settled)
        below = values.solve(lambda node: node.lower, below=True)
        above = below
        if not all(settled) or not values.exact:
            above = values.solve(lambda node: node.upper, below=False)
        between = {
            twin: (fraction_of(low), min(fraction_of(high), self._distance(twin)))
            for twin, low, high in zip(self.graph.roots, below, above, strict=False)
        }
        return Intervals(
            lower={pair: between.get(twin, _trivial(twin))[0] for pair, twin in self.twins.items()},
            upper={pair: between.get(twin, _trivial(twin))[1] for pair, twin in self.twins.items()},
            met=not self._open(list(between.values()), self.goal.gap, False),
            alpha=self.graph.alpha,
            chain=self.chain,
            classes=self.classes,
            roots=self.graph.roots,
            nodes=nodes,
            order=order,
            settled=settled,
            below=below,
            above=above,
            bounds=self.bounds,
        )


def _points(found: Intervals) -> int:
    """How many pairs are known exactly."""
    return sum(lower == found.upper[pair] for pair, lower in found.lower.items())


def _trivial(twin: Pair) -> tuple[Fraction, Fraction]:
    """lv of a state and itself, or of two states of different labels."""
    value = Fraction(twin[0] != twin[1])
    return value, value


def _is_finite(chain: LabelledMarkovChain, starts: Iterable[int]) -> bool:
    """Whether all runs from these states are absorbed after a bounded number of steps."""
    successors = {s: [t for t in chain.rows[s] if chain.rows[s] != {s: 1}] for s in reachable(chain, starts)}
    try:
        TopologicalSorter(successors).prepare()
    except CycleError:
        return False
    return True
