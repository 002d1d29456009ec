"""What an unrolling proves: exact intervals of lv for the pairs that are asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from flint import fmpq

from prover.chain.ld.interval import UpperTable
from prover.chain.ld.problem import Pair
from prover.chain.model import LabelledMarkovChain, reachable
from prover.chain.unrolling.graph import Unrolling, UnrollingNode
from prover.chain.unrolling.node_values import Values, components, settled_nodes
from prover.chain.unrolling.situations import MergedChain
from prover.exact.fmpq import fraction_of


@dataclass(frozen=True, slots=True)
class Goal:
    """What the intervals are for.

    ``each``: all pairs are wanted, not only their maximum. ``at_most``: it is enough to know whether the
    maximum is at most this number. ``glance``: where it is, a cheap look for an event is wanted all the same,
    so that there is a lower end, too.
    """

    gap: Fraction
    each: bool = False
    at_most: Fraction | None = None
    glance: bool = False


@dataclass(frozen=True)
class AskedPairs:
    """The pairs that are asked about, and the goal."""

    merged: MergedChain
    pairs: tuple[Pair, ...]
    goal: Goal

    @cached_property
    def twins(self) -> Mapping[Pair, Pair]:
        """For each pair the one of the quotient that stands for it."""
        return {pair: self.merged.twin(pair) for pair in self.pairs}

    @cached_property
    def roots(self) -> tuple[Pair, ...]:
        """The twins that have to be unrolled, in order: two states of equal label."""
        labels = self.merged.chain.labels
        return tuple(sorted({(s, t) for s, t in self.twins.values() if s != t and labels[s] == labels[t]}))

    @cached_property
    def has_finitely_many_words(self) -> bool:
        """Whether all runs are absorbed after a bounded number of steps."""
        return _is_finite(self.merged.chain, {s for pair in self.roots for s in pair})

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
        labels, target = self.merged.chain.labels, goal.at_most
        apart = any(labels[s] != labels[t] for s, t in self.twins.values())
        lower = max([low for low, _ in between], default=0)
        upper = max([high for _, high in between], default=0)
        if apart or (target is not None and (lower > target or upper <= target)):
            return []
        bar = lower + gap if target is None else max(target, lower)
        return [root for root, (_, high) in enumerate(between) if high > bar]


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
    merged: MergedChain
    roots: tuple[Pair, ...]
    nodes: Sequence[UnrollingNode]
    order: Sequence[Sequence[int]]
    settled: Sequence[bool]
    below: Sequence[fmpq]
    above: Sequence[fmpq]
    bounds: UpperTable | None

    def root(self, pair: Pair) -> int | None:
        """The number of the root of a pair of the original chain, if it has one."""
        twin = self.merged.twin(pair)
        return self.roots.index(twin) if twin in self.roots else None

    def points(self) -> int:
        """How many pairs are known exactly."""
        return sum(lower == self.upper[pair] for pair, lower in self.lower.items())


def certified_intervals(asked: AskedPairs, graph: Unrolling, bounds: UpperTable | None) -> Intervals:
    """What the unrolling proves as it is now; later changes of the graph leave the answer as it is."""
    nodes = [copy(node) for node in graph.nodes]
    order = components(nodes)
    settled = settled_nodes(nodes, order)
    values = Values(nodes, order, settled)
    below = values.solve(lambda node: node.lower, below=True)
    above = below
    if not all(settled) or not values.exact:
        above = values.solve(lambda node: node.upper, below=False)
    between = {
        twin: (fraction_of(low), min(fraction_of(high), distance_bound(twin, bounds)))
        for twin, low, high in zip(graph.roots, below, above, strict=False)
    }
    return Intervals(
        lower={pair: between.get(twin, _trivial(twin))[0] for pair, twin in asked.twins.items()},
        upper={pair: between.get(twin, _trivial(twin))[1] for pair, twin in asked.twins.items()},
        met=not asked.open_roots(list(between.values()), asked.goal.gap, replace(asked.goal, each=False)),
        alpha=graph.alpha,
        merged=asked.merged,
        roots=graph.roots,
        nodes=nodes,
        order=order,
        settled=settled,
        below=below,
        above=above,
        bounds=bounds,
    )


def distance_bound(twin: Pair, bounds: UpperTable | None) -> Fraction:
    """What the table of ld says of lv of a twin; 1 where it says nothing."""
    if bounds is None or twin not in bounds.table.numerators:
        return Fraction(1)
    return bounds.table.value(twin)


def _trivial(twin: Pair) -> tuple[Fraction, Fraction]:
    """lv of a state and itself, or of two states of different labels."""
    value = Fraction(twin[0] != twin[1])
    return value, value


def _is_finite(chain: LabelledMarkovChain, starts: Iterable[int]) -> bool:
    successors = {s: [t for t in chain.rows[s] if chain.rows[s] != {s: 1}] for s in reachable(chain, starts)}
    try:
        TopologicalSorter(successors).prepare()
    except CycleError:
        return False
    return True
