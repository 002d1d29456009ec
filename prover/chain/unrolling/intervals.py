"""What an unrolling proves: exact intervals of δ one way round, for the pairs that are asked about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from flint import fmpq

from prover.chain.model import Pair
from prover.chain.process import System
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.games import Game, game_values
from prover.chain.unrolling.graph import Entry, Node, Unrolling
from prover.chain.unrolling.guide import guide_graph
from prover.chain.unrolling.plan import STOP, Plan
from prover.chain.unrolling.values import GraphValues, Valued, components, settled_nodes
from prover.exact.fmpq import fraction_of
from prover.graphs import has_cycle, search

if TYPE_CHECKING:
    from prover.chain.ld.clusters import Clusters
    from prover.chain.ld.interval import UpperTable

_CLOSED = 1e-9  # gaps in floating point from which exact values are worth their while for processes


@dataclass(frozen=True, slots=True)
class Goal:
    """What the intervals are for.

    ``each``: all pairs are wanted, not only their maximum. ``at_most``: it is enough to know whether the
    maximum is at most this number. ``wants_event``: where it is, a cheap search for an event is wanted all
    the same, so that there is a lower end, too.
    """

    gap: Fraction
    each: bool = False
    at_most: Fraction | None = None
    wants_event: bool = False


@dataclass(frozen=True)
class QueriedPairs:
    """The pairs that are asked about, and the goal."""

    merged: MergedSystem
    pairs: tuple[Pair, ...]
    goal: Goal

    @cached_property
    def merged_pairs(self) -> Mapping[Pair, Pair]:
        """For each pair the one of the quotient that stands for it."""
        return {pair: self.merged.pair(pair) for pair in self.pairs}

    @cached_property
    def roots(self) -> tuple[Pair, ...]:
        """The pairs of the quotient that have to be unrolled, in order: two states of equal label."""
        labels = self.merged.system.labels
        pairs = filter(self.merged.is_looked_into, set(self.merged_pairs.values()))
        return tuple(sorted((s, t) for s, t in pairs if s != t and labels[s] == labels[t]))

    @cached_property
    def has_finitely_many_words(self) -> bool:
        """Whether all runs are absorbed after a bounded number of steps, whatever is done."""
        return _is_finite(self.merged.system, {s for pair in self.roots for s in pair})

    def open_roots(
        self,
        between: Sequence[tuple[float | Fraction, float | Fraction]],
        gap: float | Fraction,
        goal: Goal,
    ) -> list[int]:
        """The roots that have to be refined to reach the goal, with this gap; none if it is reached.

        ``between`` are intervals of all roots: guesses, which guide, or certified ones, which decide.
        """
        if goal.each:
            return [root for root, (low, high) in enumerate(between) if high - low > gap]
        labels, target = self.merged.system.labels, goal.at_most
        apart = any(labels[s] != labels[t] for s, t in self.merged_pairs.values())
        lower = max([low for low, _ in between], default=0)
        upper = max([high for _, high in between], default=0)
        if apart or (target is not None and (lower > target or upper <= target)):
            return []
        bar = lower + gap if target is None else max(target, lower)
        return [root for root, (_, high) in enumerate(between) if high > bar]


@dataclass(frozen=True, slots=True)
class Intervals:
    """lower ≤ δ ≤ upper one way round for every pair asked for, and the unrolling that proves it.

    The roots of the unrolling, its first nodes, are pairs of the quotient. ``below`` and ``above`` are
    certified values of the nodes, ``taken`` what the attacker does who gains those below: the index of an
    action, or STOP. Where nature chooses it is nature's best reply, and ``replies`` are what nature does to
    keep the attacker to those above. ``exact`` says of which nodes the solutions themselves were wanted;
    ``bounds`` is the table of ld that couplings of leaves use, if any; without one, ``clusters`` may bound
    pairs from above. ``met``: the goal is reached.
    """

    lower: Mapping[Pair, Fraction]
    upper: Mapping[Pair, Fraction]
    met: bool
    alpha: fmpq
    merged: MergedSystem
    roots: tuple[Pair, ...]
    nodes: Sequence[Node]
    order: Sequence[Sequence[int]]
    exact: Sequence[bool]
    below: Sequence[fmpq]
    above: Sequence[fmpq]
    taken: Sequence[int]
    bounds: UpperTable | None
    replies: Sequence[int] = ()
    clusters: Clusters | None = None

    def root(self, pair: Pair) -> int | None:
        """The number of the root of a pair of the original system, if it has one."""
        merged = self.merged.pair(pair)
        return self.roots.index(merged) if merged in self.roots else None

    def label(self, pair: Pair) -> str:
        """What the first secret of a pair shows."""
        return self.merged.system.labels[self.merged.state_of[pair[0]]]

    def menu(self, number: int) -> tuple[str, ...]:
        """What can be done at a node."""
        return self.merged.beliefs.menu(self.nodes[number].belief)

    def action(self, number: int) -> str | None:
        """The action of the attacker at a node; None where the attacker stops."""
        return None if self.taken[number] == STOP else self.menu(number)[self.taken[number]]

    def taken_entries(self, number: int) -> Sequence[Entry]:
        """What follows a node if the attacker does that."""
        choices = self.nodes[number].choices
        return () if choices is None or self.taken[number] == STOP else choices[self.taken[number]]

    @property
    def is_whole(self) -> bool:
        """Whether everything that can happen is accounted for."""
        return not any(node.is_open or node.stuck for node in self.nodes)

    @property
    def depth(self) -> int:
        """How many steps the farthest node is from the roots."""

        def following(number: int) -> Iterator[int]:
            node = self.nodes[number]
            yield from (entry.target for entry in (*node.entries, *node.circle))

        depth: dict[int, int] = {}
        for number, before in search(range(len(self.roots)), following).items():
            depth[number] = 0 if before is None else depth[before] + 1
        return max(depth.values(), default=0)

    def points(self) -> int:
        """How many pairs are known exactly."""
        return sum(lower == self.upper[pair] for pair, lower in self.lower.items())


def certified_intervals(
    queried: QueriedPairs, graph: Unrolling, bounds: UpperTable | None, before: tuple[Plan, Plan]
) -> Intervals:
    """What the unrolling proves as it is now; later changes of the graph leave the answer as it is.

    The best attackers are found from those ``before``.
    """
    nodes = [node.as_now() for node in graph.nodes]
    order = components(nodes)
    if graph.chooses:
        low, high = guide_graph(nodes, chooses=True).plans(before)
        closed = [q for q in range(len(graph.roots)) if high.values[q] - low.values[q] < _CLOSED]
        reached = search(closed, lambda number: [entry.target for entry in nodes[number].entries])
        exact, plans = [number in reached for number in range(len(nodes))], (low.taken, high.taken)
    else:
        taken = [STOP if node.is_leaf else 0 for node in nodes]
        exact, plans = settled_nodes(nodes, order), (taken, taken)
    below: Valued | Game
    above: Valued | Game
    replies: Sequence[int] = ()
    if graph.nature:
        below = game_values(nodes, order, lambda node: node.lower, below=True)
        above = game = game_values(nodes, order, lambda node: node.upper, below=False)
        replies = game.replies
    else:
        values = GraphValues(nodes, order, exact, chooses=graph.chooses)
        above = below = values.solve(lambda node: node.lower, plans[0], below=True)
        if graph.chooses or not all(exact) or not below.exact:
            above = values.solve(lambda node: node.upper, plans[1], below=False)
    between = {
        pair: (fraction_of(least), min(fraction_of(most), distance_bound(pair, bounds)))
        for pair, least, most in zip(graph.roots, below.values, above.values, strict=False)
    }
    merged_pairs = queried.merged_pairs
    others = {pair: _unexplored(pair, graph.system, bounds) for pair in set(merged_pairs.values())}
    known = others | between
    return Intervals(
        lower={pair: known[merged][0] for pair, merged in merged_pairs.items()},
        upper={pair: known[merged][1] for pair, merged in merged_pairs.items()},
        met=not queried.open_roots(
            list(between.values()), queried.goal.gap, replace(queried.goal, each=False)
        ),
        alpha=graph.alpha,
        merged=queried.merged,
        roots=graph.roots,
        nodes=nodes,
        order=order,
        exact=exact,
        below=below.values,
        above=above.values,
        taken=below.taken,
        bounds=bounds,
        replies=replies,
    )


def with_bounds(found: Intervals, bounds: UpperTable | None) -> Intervals:
    """The intervals of an unrolling that used no table of ld, with the upper ends that a table has."""
    if bounds is None:
        return found
    upper = {
        pair: min(most, _unexplored(found.merged.pair(pair), found.merged.system, bounds)[1])
        for pair, most in found.upper.items()
    }
    return replace(found, upper=upper, bounds=bounds)


def with_clusters(found: Intervals, clusters: Clusters) -> Intervals:
    """The same with the upper ends that clusters of the quotient's states have."""
    upper = {pair: min(most, clusters.value(found.merged.pair(pair))) for pair, most in found.upper.items()}
    return replace(found, upper=upper, clusters=clusters)


def distance_bound(pair: Pair, bounds: UpperTable | None) -> Fraction:
    """What the table of ld says of δ of a pair of equal label; 1 where it says nothing."""
    if bounds is None or pair not in bounds.table.numerators:
        return Fraction(1)
    return bounds.table.value(pair)


def _unexplored(pair: Pair, system: System, bounds: UpperTable | None) -> tuple[Fraction, Fraction]:
    """δ of a state and itself, or of two states of different labels; else what the table of ld says."""
    (s, t), labels = pair, system.labels
    if s != t and labels[s] == labels[t]:
        return Fraction(0), distance_bound(pair, bounds)
    return Fraction(s != t), Fraction(s != t)


def _is_finite(system: System, starts: set[int]) -> bool:
    def following(state: int) -> list[int]:
        rows = (system.row(state, action) for action in system.menu(state))
        return [t for row in rows if row != {state: 1} for t in row]

    return not has_cycle(sorted(starts), following)
