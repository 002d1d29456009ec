"""Certified intervals for the true δ of one direction: events from below, unrolling from above.

The system is divided by bisimilarity, and the unrolling of the pairs is expanded in two loops: the inner one
looks at floating point (guide.py) and expands where the best attacker still has a gap, until that sees the
goal reached; the outer one computes what is proved (intervals.py) and decides.
Reference: docs/theory.md, *Unrollings*; docs/theory_interactive.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from prover.chain.model import Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.graph import Unrolling
from prover.chain.unrolling.guide import GuideGraph, expand_heaviest, guide_graph
from prover.chain.unrolling.intervals import (
    Goal,
    Intervals,
    QueriedPairs,
    certified_intervals,
    distance_bound,
)
from prover.chain.unrolling.plan import NO_PLAN
from prover.errors import WrongArgument
from prover.progress import Progress, silent

if TYPE_CHECKING:
    from prover.chain.ld.interval import UpperTable

FEW_NODES = 2_000  # they take a fraction of a second
_WITHOUT_TABLE = 500  # nodes from which ld is asked for help …
_WITHOUT_TABLE_IF_FINITE = 20_000  # … where there are finitely many words
_NEARLY_FREE = 2_000  # nodes up to which an exact answer is tried for even where the gap is small enough
_FOR_EVENT = 200  # nodes that a cheap search for an event adds
_MOST_NODES = 400_000
_MOST_CHECKING = 3 * 2**29  # bits; certificates have a limit of 2^31 (docs/certificates.md, Section 1)
_FIRST_REPORT = 64  # nodes from which intervals are reported, at every doubling
_KEPT = 4  # belief pairs of earlier questions may take one part in so many of the memory


@dataclass(frozen=True, slots=True)
class UnrollingLimits:
    """How large the unrolling may become: nodes (of which certificates hold 400,000 anyway), and bytes that
    they take, about; and whether ld may be asked for help.
    """

    nodes: int = 200_000
    memory: int = 2**30
    distances: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """How large the unrolling of a process may become: nodes, and bytes that they take, about."""

    nodes: int = 100_000
    memory: int = 2**30


def fitting_limits(
    system: System,
    given: UnrollingLimits | Limits | None,
    otherwise: tuple[UnrollingLimits, Limits] = (UnrollingLimits(), Limits()),
) -> UnrollingLimits | Limits:
    """The limits that were given, or else those of a chain or of a process; raises WrongArgument where they
    are not those of the system.
    """
    usual = otherwise[isinstance(system, LabelledMarkovDecisionProcess)]
    if given is not None and not isinstance(given, type(usual)):
        raise WrongArgument("limits", type(usual).__name__, given)
    return usual if given is None else given


@dataclass(frozen=True, slots=True)
class Refinement:
    """How a question is worked on: within which limits, and who hears of the progress, and of the intervals
    that are proved on the way.
    """

    limits: UnrollingLimits | Limits = UnrollingLimits()
    progress: Progress = silent
    on_interval: Callable[[Intervals], None] | None = None


def enclose(
    merged: MergedSystem,
    pairs: Iterable[Pair],
    alpha: Fraction,
    goal: Goal,
    conditions: Refinement = Refinement(),
    nature: frozenset[str] = frozenset(),
) -> Intervals:
    """Intervals of δ for the given pairs of the system, refined until the goal is met or the limits are.

    Where the words that matter lead to finitely many nodes without a gap, and the numbers are not too long,
    intervals are points. The answer does not depend on what was asked of the merged system before.
    ``nature`` are actions that nature chooses, against the attacker.
    """
    if merged.beliefs.memory > conditions.limits.memory // _KEPT:
        merged.beliefs.forget()
    queried = QueriedPairs(merged, tuple(pairs), goal)
    graph = Unrolling(merged.beliefs, alpha, queried.roots, nature)
    return _Refinement(queried, graph, alpha, conditions).run()


@dataclass(frozen=True, slots=True)
class _Stage:
    """A goal on the way, and how many nodes there may be until it is reached."""

    goal: Goal
    most: int


class _Refinement:
    """The unrolling while it grows, and the table of ld from when on it is used."""

    def __init__(
        self, queried: QueriedPairs, graph: Unrolling, alpha: Fraction, conditions: Refinement
    ) -> None:
        limits = conditions.limits
        self._queried = queried
        self._graph = graph
        self._alpha = alpha
        self._conditions = conditions
        self._plans = NO_PLAN, NO_PLAN
        self._bounds: UpperTable | None = None
        self._may_ask_distances = isinstance(limits, UnrollingLimits) and limits.distances
        alone = _WITHOUT_TABLE_IF_FINITE if queried.has_finitely_many_words else _WITHOUT_TABLE
        self._without_table = alone + 100 * len(queried.roots)
        self._report_at = _FIRST_REPORT

    def run(self) -> Intervals:
        """First as narrow as asked for, with the help of ld if need be; then exact, where that is cheap."""
        goal, size = self._queried.goal, min(self._conditions.limits.nodes, _MOST_NODES)
        chooses, finite = self._graph.chooses, self._queried.has_finitely_many_words
        found = self._refined(_Stage(goal if chooses else replace(goal, each=False), size), None)
        if not found.met and self._may_ask_distances and self._queried.roots:
            self._ask_distances()
            found = self._certified()
        if goal.at_most is not None:
            return self._with_event(found, goal.at_most) if goal.wants_event else found
        if goal.each and not chooses:
            most = min(size, 2 * len(self._graph.nodes) + _NEARLY_FREE)
            found = self._refined(_Stage(goal, most), found)
        hope = _NEARLY_FREE if finite or chooses else min(_NEARLY_FREE, 4 * len(self._graph.nodes) + 200)
        exact = self._refined(_Stage(replace(goal, gap=Fraction(0)), min(size, hope)), found)
        return exact if exact.points() > found.points() else found

    def _with_event(self, found: Intervals, at_most: Fraction) -> Intervals:
        """The same where δ is too large or not known; else with the best event that a cheap search finds."""
        if max(found.upper.values()) > at_most:
            return found
        most = min(self._conditions.limits.nodes, len(self._graph.nodes) + _FOR_EVENT)
        wider = self._refined(_Stage(Goal(self._queried.goal.gap), most), found)
        # Couplings are found in floating point, so expanding may loosen an upper end a little.
        return wider if max(wider.upper.values()) <= at_most else found

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
            weight = self._guess().visits(self._plans[1], starts)
            if not self._expand(weight, 0.0, stage):  # it sees too little to say how much is enough
                return found

    def _guided(self, stage: _Stage) -> bool:
        """The guided loop: expand until floating point says that the intervals are this narrow, or the graph
        is full; False if nothing is left to be expanded.
        """
        on_interval = self._conditions.on_interval
        while not self._is_full(stage):
            graph = self._guess()
            starts = self._queried.open_roots(self._guessed_ends(), float(stage.goal.gap), stage.goal)
            if not starts:
                return True
            if on_interval is not None and len(self._graph.nodes) >= self._report_at:
                self._report_at = 2 * len(self._graph.nodes)
                on_interval(self._certified())
            if self._has_outgrown_its_bounds():
                self._ask_distances()
                continue
            weight = graph.visits(self._plans[1], starts)
            if not self._expand(weight, float(stage.goal.gap) / 2, stage):
                return False
        return True

    def _guess(self) -> GuideGraph:
        """The graph in floating point, and the best attackers in it."""
        found = guide_graph(self._graph.nodes, chooses=self._graph.chooses)
        self._plans = found.plans(self._plans)
        return found

    def _guessed_ends(self) -> list[tuple[float, float]]:
        """About what the unrolling would prove of its roots."""
        below, above = (plan.values for plan in self._plans)
        return [
            (low, min(high, float(distance_bound(root, self._bounds))))
            for root, low, high in zip(self._graph.roots, below, above, strict=False)
        ]

    def _expand(self, weight: list[float], enough: float, stage: _Stage) -> bool:
        return expand_heaviest(
            self._graph,
            weight,
            enough,
            self._bounds,
            lambda: self._is_full(stage),
            self._conditions.progress,
        )

    def _open(self, found: Intervals, stage: _Stage) -> list[int]:
        between = {
            self._queried.merged_pairs[pair]: (found.lower[pair], found.upper[pair]) for pair in found.lower
        }
        roots = [between[root] for root in self._graph.roots]
        return self._queried.open_roots(roots, stage.goal.gap, stage.goal)

    def _is_full(self, stage: _Stage) -> bool:
        graph = self._graph
        large = graph.memory >= self._conditions.limits.memory or graph.checking >= _MOST_CHECKING
        return large or len(graph.nodes) >= stage.most

    def _has_outgrown_its_bounds(self) -> bool:
        return self._may_ask_distances and len(self._graph.nodes) >= self._without_table

    def _ask_distances(self) -> None:
        graph, self._may_ask_distances = self._graph, False
        if isinstance(graph.system, LabelledMarkovDecisionProcess):
            return  # leaves are bounded by couplings in chains only
        from prover.chain.unrolling.leaf_bounds import distance_table, improve

        self._bounds = distance_table(graph.system, self._alpha, graph.roots, self._conditions.progress)
        if self._bounds is not None:
            for node in graph.nodes:
                if node.is_leaf:
                    improve(graph, node, self._bounds)
            if self._conditions.on_interval is not None:
                self._conditions.on_interval(self._certified())

    def _certified(self) -> Intervals:
        return certified_intervals(self._queried, self._graph, self._bounds, self._plans)
