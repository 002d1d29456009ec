"""Certified intervals for lv, the true δ of one direction: events from below, unrolling from above.

The chain is divided by bisimilarity, and the unrolling of the pairs is expanded in two loops: the inner one
looks at floating point (guide.py) and expands until that sees the goal reached, the outer one computes what
is proved (intervals.py) and decides. Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.chain.ld.interval import UpperTable
from prover.chain.ld.problem import Pair
from prover.chain.unrolling.graph import Unrolling
from prover.chain.unrolling.guide import expand_heaviest, guess
from prover.chain.unrolling.intervals import AskedPairs, Goal, Intervals, certified_intervals
from prover.chain.unrolling.leaf_bounds import distance_table, improve
from prover.chain.unrolling.situations import MergedChain
from prover.progress import Progress, silent

_WITHOUT_TABLE = 500  # nodes from which ld is asked for help …
_WITHOUT_TABLE_IF_FINITE = 20_000  # … where there are finitely many words
_NEARLY_FREE = 2_000  # nodes up to which an exact answer is tried for even where the gap is small enough
_GLANCE = 200  # nodes that a cheap look for an event adds
_MOST_NODES = 400_000
_MOST_CHECKING = 3 * 2**29  # bits; certificates have a limit of 2^31 (docs/certificates.md, Section 1)
_FIRST_REPORT = 64  # nodes from which intervals are reported, at every doubling
_KEPT = 4  # situations of earlier questions may take one part in so many of the memory


@dataclass(frozen=True, slots=True)
class UnrollingLimits:
    """How large the unrolling may become: nodes (of which certificates hold 400,000 anyway), and bytes that
    they take, about; and whether ld may be asked for help.
    """

    nodes: int = 200_000
    memory: int = 2**30
    distances: bool = True


@dataclass(frozen=True, slots=True)
class Course:
    """How a question is worked on: within which limits, and who hears of the progress, and of the intervals
    that are proved on the way.
    """

    limits: UnrollingLimits = UnrollingLimits()
    progress: Progress = silent
    on_interval: Callable[[Intervals], None] | None = None


def enclose(
    merged: MergedChain, pairs: Iterable[Pair], alpha: Fraction, goal: Goal, course: Course | None = None
) -> Intervals:
    """Intervals for lv of the given pairs of the chain, refined until the goal is met or the limits are.

    Where the words that matter lead to finitely many nodes without a gap, and the numbers are not too long,
    intervals are points. The answer does not depend on what was asked of the merged chain before.
    """
    course = course or Course()
    if merged.situations.memory > course.limits.memory // _KEPT:
        merged.situations.forget()
    asked = AskedPairs(merged, tuple(pairs), goal)
    return _Refinement(asked, Unrolling(merged.situations, alpha, asked.roots), alpha, course).run()


@dataclass(frozen=True, slots=True)
class _Stage:
    """A goal on the way, and how many nodes there may be until it is reached."""

    goal: Goal
    most: int


class _Refinement:
    """The unrolling while it grows, and the table of ld from when on it is used."""

    def __init__(self, asked: AskedPairs, graph: Unrolling, alpha: Fraction, course: Course) -> None:
        self._asked = asked
        self._graph = graph
        self._alpha = alpha
        self._course = course
        self._bounds: UpperTable | None = None
        self._may_ask_distances = course.limits.distances
        alone = _WITHOUT_TABLE_IF_FINITE if asked.has_finitely_many_words else _WITHOUT_TABLE
        self._without_table = alone + 100 * len(asked.roots)
        self._report_at = _FIRST_REPORT

    def run(self) -> Intervals:
        """First as narrow as asked for, with the help of ld if need be; then exact, where that is cheap."""
        goal, size = self._asked.goal, min(self._course.limits.nodes, _MOST_NODES)
        found = self._refined(_Stage(replace(goal, each=False), size), None)
        if not found.met and self._may_ask_distances and self._asked.roots:
            self._ask_distances()
            found = self._certified()
        if goal.at_most is not None:
            return self._glanced(found, goal.at_most) if goal.glance else found
        if goal.each:
            most = min(size, 2 * len(self._graph.nodes) + _NEARLY_FREE)
            found = self._refined(_Stage(goal, most), found)
        finite = self._asked.has_finitely_many_words
        hope = _NEARLY_FREE if finite else min(_NEARLY_FREE, 4 * len(self._graph.nodes) + 200)
        exact = self._refined(_Stage(replace(goal, gap=Fraction(0)), min(size, hope)), found)
        return exact if exact.points() > found.points() else found

    def _glanced(self, found: Intervals, at_most: Fraction) -> Intervals:
        """The same where δ is too large or not known; else with the best event that a cheap look finds."""
        if max(found.upper.values()) > at_most:
            return found
        most = min(self._course.limits.nodes, len(self._graph.nodes) + _GLANCE)
        seen = self._refined(_Stage(Goal(self._asked.goal.gap), most), found)
        # Couplings are found in floating point, so expanding may loosen an upper end a little.
        return seen if max(seen.upper.values()) <= at_most else found

    def _refined(self, stage: _Stage, known: Intervals | None) -> Intervals:
        """The certified loop: expand until the intervals are proved to be this narrow, or nothing helps."""
        if known is not None and (len(self._graph.nodes) >= stage.most or not self._open(known, stage)):
            return known
        while True:
            goes_on = self._guided(stage)
            found = self._certified()
            starts = self._open(found, stage)
            if not goes_on or not starts or self._is_full(stage):
                return found
            if self._has_outgrown_its_bounds():
                self._ask_distances()
                continue
            weight = guess(self._graph, self._bounds).visits(starts)
            if not self._expand(weight, 0.0, stage):  # it sees too little to say how much is enough
                return found

    def _guided(self, stage: _Stage) -> bool:
        """The guided loop: expand until floating point says that the intervals are this narrow, or the graph
        is full; False if nothing is left to be expanded.
        """
        on_interval = self._course.on_interval
        while not self._is_full(stage):
            seen = guess(self._graph, self._bounds)
            starts = self._asked.open_roots(seen.between, float(stage.goal.gap), stage.goal)
            if not starts:
                return True
            if on_interval is not None and len(self._graph.nodes) >= self._report_at:
                self._report_at = 2 * len(self._graph.nodes)
                on_interval(self._certified())
            if self._has_outgrown_its_bounds():
                self._ask_distances()
            elif not self._expand(seen.visits(starts), float(stage.goal.gap) / 2, stage):
                return False
        return True

    def _expand(self, weight: list[float], enough: float, stage: _Stage) -> bool:
        return expand_heaviest(
            self._graph, weight, enough, self._bounds, lambda: self._is_full(stage), self._course.progress
        )

    def _open(self, found: Intervals, stage: _Stage) -> list[int]:
        between = {self._asked.twins[pair]: (found.lower[pair], found.upper[pair]) for pair in found.lower}
        roots = [between[twin] for twin in self._graph.roots]
        return self._asked.open_roots(roots, stage.goal.gap, stage.goal)

    def _is_full(self, stage: _Stage) -> bool:
        graph = self._graph
        large = graph.memory >= self._course.limits.memory or graph.checking >= _MOST_CHECKING
        return large or len(graph.nodes) >= stage.most

    def _has_outgrown_its_bounds(self) -> bool:
        return self._may_ask_distances and len(self._graph.nodes) >= self._without_table

    def _ask_distances(self) -> None:
        graph, self._may_ask_distances = self._graph, False
        self._bounds = distance_table(graph.chain, self._alpha, graph.roots, self._course.progress)
        if self._bounds is not None:
            for node in graph.nodes:
                if node.entries is None:
                    improve(graph, node, self._bounds)

    def _certified(self) -> Intervals:
        return certified_intervals(self._asked, self._graph, self._bounds)
