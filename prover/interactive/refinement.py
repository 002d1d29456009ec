"""Certified intervals for δ against the best attacker: the unrolling, expanded until they are narrow enough.

The inner loop looks at floating point (guide.py) and expands where the best of all attackers still has a gap;
the outer one computes what is proved (values.py). Reference: docs/theory_interactive.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from flint import fmpq

from prover.chain.model import Pair
from prover.exact.fmpq import fraction_of
from prover.interactive.graph import InteractiveNode, InteractiveUnrolling
from prover.interactive.guide import Plan, Seen, expand_heaviest
from prover.interactive.merging import MergedProcess
from prover.interactive.values import Solver, Valued, components
from prover.progress import Progress, silent

_MOST_NODES = 400_000
_MOST_CHECKING = 3 * 2**29  # bits; certificates have a limit of 2^31 (docs/certificates.md, Section 1)
_NEARLY_FREE = 2_000  # nodes up to which an exact answer is tried for even where the gap is small enough
_CLOSED = 1e-9  # gaps in floating point from which exact values are worth their while
_FIRST_REPORT = 64  # nodes from which intervals are reported, at every doubling

Number = TypeVar("Number", float, Fraction)


@dataclass(frozen=True, slots=True)
class Limits:
    """How large the unrolling may become: nodes, and bytes that they take, about."""

    nodes: int = 100_000
    memory: int = 2**30


@dataclass(frozen=True, slots=True)
class Goal:
    """What the intervals are for: ``each`` asks for all pairs and not only for the maximum, ``at_most``
    whether the maximum is at most this number.
    """

    gap: Fraction
    each: bool = False
    at_most: Fraction | None = None


@dataclass(frozen=True)
class Enclosures:
    """lower ≤ δ ≤ upper for the ordered pairs asked about, with the unrolling that proves it.

    ``below`` and ``above`` are the values of the nodes, and in ``below`` what the attacker does.
    """

    lower: Mapping[Pair, Fraction]
    upper: Mapping[Pair, Fraction]
    alpha: fmpq
    merged: MergedProcess
    roots: tuple[Pair, ...]
    nodes: Sequence[InteractiveNode]
    below: Valued
    above: Valued

    def root(self, pair: Pair) -> int | None:
        """The node of a pair; None where none is needed."""
        twin = self.merged.twin(pair)
        return self.roots.index(twin) if twin in self.roots else None


@dataclass(frozen=True, slots=True)
class Course:
    """How it is worked on: within which limits, and who hears of the progress and of wider intervals."""

    limits: Limits = Limits()
    progress: Progress = silent
    on_interval: Callable[[Enclosures], None] | None = None


def enclose(
    merged: MergedProcess, pairs: Sequence[Pair], alpha: Fraction, goal: Goal, course: Course
) -> Enclosures:
    """Intervals of δ for the given pairs, refined until the goal is met, or nothing is left, or the limits
    are reached.
    """
    return _Refinement(merged, tuple(pairs), alpha, goal, course).run()


class _Refinement:
    """The unrolling while it grows."""

    def __init__(
        self, merged: MergedProcess, pairs: tuple[Pair, ...], alpha: Fraction, goal: Goal, course: Course
    ) -> None:
        self._merged = merged
        self._pairs = pairs
        self._goal = goal
        self._course = course
        labels = merged.process.labels
        twins = {merged.twin(pair) for pair in pairs}
        roots = sorted((s, t) for s, t in twins if s != t and labels[s] == labels[t])
        self._graph = InteractiveUnrolling(merged.situations, alpha, roots)
        self._plans: tuple[Plan | None, Plan | None] = None, None
        self._report_at = _FIRST_REPORT

    def run(self) -> Enclosures:
        """First as narrow as asked for; then exact, where that is cheap."""
        most = min(self._course.limits.nodes, _MOST_NODES)
        found = self._refined(self._goal, most)
        if self._goal.at_most is not None or self._points(found):
            return found
        hope = min(most, max(_NEARLY_FREE, len(self._graph.nodes)))
        exact = self._refined(replace(self._goal, gap=Fraction(0)), hope)
        return exact if self._points(exact) else found

    def _refined(self, goal: Goal, most: int) -> Enclosures:
        while True:
            goes_on = self._guided(goal, most)
            found = self._certified()
            starts = _open(self._roots(found), goal, goal.gap, goal.at_most)
            if not goes_on or not starts or self._is_full(most):
                return found
            seen, plan = self._seen()
            weight = seen.visits(plan, starts)
            if not expand_heaviest(self._graph, weight, lambda: self._is_full(most), self._course.progress):
                return found

    def _guided(self, goal: Goal, most: int) -> bool:
        """Expand until floating point says that the goal is met; False if nothing is left to be expanded."""
        threshold = None if goal.at_most is None else float(goal.at_most)
        while not self._is_full(most):
            seen, plan = self._seen()
            below, above = self._plans
            if below is None or above is None:
                return True
            between = [(below.values[q], above.values[q]) for q in range(len(self._graph.roots))]
            starts = _open(between, goal, float(goal.gap), threshold)
            if not starts:
                return True
            if self._course.on_interval is not None and len(self._graph.nodes) >= self._report_at:
                self._report_at = 2 * len(self._graph.nodes)
                self._course.on_interval(self._certified())
            weight = seen.visits(plan, starts)
            if not expand_heaviest(self._graph, weight, lambda: self._is_full(most), self._course.progress):
                return False
        return True

    def _seen(self) -> tuple[Seen, Plan]:
        """The graph in floating point, and the attacker who would gain most."""
        seen = Seen(self._graph.nodes)
        below = seen.plan(below=True, before=self._plans[0])
        above = seen.plan(below=False, before=self._plans[1])
        self._plans = below, above
        return seen, above

    def _is_full(self, most: int) -> bool:
        graph, limits = self._graph, self._course.limits
        large = graph.memory >= limits.memory or graph.checking >= _MOST_CHECKING
        return large or len(graph.nodes) >= most

    def _roots(self, found: Enclosures) -> list[tuple[Fraction, Fraction]]:
        values = found.below.values, found.above.values
        return [
            (fraction_of(low), fraction_of(high))
            for low, high, _ in zip(*values, self._graph.roots, strict=False)
        ]

    def _points(self, found: Enclosures) -> bool:
        return all(found.lower[pair] == found.upper[pair] for pair in found.lower)

    def _certified(self) -> Enclosures:
        nodes = [copy(node) for node in self._graph.nodes]
        solver = Solver(nodes, components(nodes))
        self._seen()
        low, high = self._plans
        if low is None or high is None:
            low = high = Plan([], [])
        roots = range(len(self._graph.roots))
        closed = all(high.values[q] - low.values[q] < _CLOSED for q in roots)
        below = solver.solve(low, below=True, exactly=closed)
        above = solver.solve(high, below=False, exactly=closed)
        between = {
            twin: (fraction_of(below.values[q]), min(fraction_of(above.values[q]), Fraction(1)))
            for q, twin in enumerate(self._graph.roots)
        }
        twins = {pair: self._merged.twin(pair) for pair in self._pairs}
        return Enclosures(
            lower={pair: between.get(twin, _trivial(twin))[0] for pair, twin in twins.items()},
            upper={pair: between.get(twin, _trivial(twin))[1] for pair, twin in twins.items()},
            alpha=self._graph.alpha,
            merged=self._merged,
            roots=self._graph.roots,
            nodes=nodes,
            below=below,
            above=above,
        )


def _open(
    between: Sequence[tuple[Number, Number]], goal: Goal, gap: Number, threshold: Number | None
) -> list[int]:
    """The roots that have to be looked at, as the goal is not met."""
    if not between:
        return []
    if goal.each:
        return [q for q, (low, high) in enumerate(between) if high - low > gap]
    lower, upper = max(low for low, _ in between), max(high for _, high in between)
    if threshold is not None:
        if upper <= threshold or lower > threshold:
            return []
        return [q for q, (_, high) in enumerate(between) if high > threshold]
    if upper - lower <= gap:
        return []
    return [q for q, (low, high) in enumerate(between) if high - low > gap]


def _trivial(twin: Pair) -> tuple[Fraction, Fraction]:
    """δ of a state and itself, or of two states of different labels."""
    value = Fraction(twin[0] != twin[1])
    return value, value
