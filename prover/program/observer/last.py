"""Last steps that look alike: the observer of a word does not see which of them a run took.

Transitions of a node that have the same letter, and of which one is taken exactly where some tests hold, are
one last step with these tests: the runs that differ only in it have together the probability of one run that
ends with it. So none of them has to be a last step by itself (docs/theory_observer.md, *Last steps*).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, groupby, permutations

from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import END, Edge, Program, Test
from prover.program.observer.words import orders_tests, symbol
from prover.program.optimum.budget import Budget
from prover.program.optimum.by_functions import measure_from_above
from prover.program.optimum.cost import Cost
from prover.program.order_graph import FINAL, Arrow, Order, OrderGraph, order_graph
from prover.program.outputs import numbers_of
from prover.progress import Progress, silent

_MOST_ALIKE, _MOST_VARIABLES = 6, 5


@dataclass(frozen=True, slots=True)
class LastSet:
    """Transitions of a node of the order graph that are one last step, with the tests of ``step``."""

    node: int
    edges: tuple[Edge, ...]
    step: Edge


@dataclass(frozen=True, slots=True)
class LastSteps:
    """A bound of the observer's loss: closed tables, one for each way that inputs move, and the ``sets``."""

    graph: OrderGraph
    sets: tuple[LastSet, ...]
    upper: Fraction
    costs: dict[str, Cost]


def last_steps(
    program: Program, adjacency: Adjacency, budget: Budget, spent: set[str], progress: Progress = silent
) -> LastSteps | None:
    """The bound of a program of whose states some have transitions that look alike, whose runs have a bound.

    None if no transitions are one last step, or no bound is found. Budgets that made the bound coarser, or
    ended the search, are added to those that are ``spent``.
    """
    if not orders_tests(program):
        return None
    graph = order_graph(program)
    sets = tuple(_sets(graph, len(program.edges)))
    if not sets:
        return None
    whole = _with_ends(graph, sets)
    costs: dict[str, Cost] = {}
    for way in ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,):
        costs[str(way)] = measure_from_above(whole, way, budget, progress, bounded=True, anywhere=False)
        spent.update(costs[str(way)].spent)
    uppers = [cost.upper for cost in costs.values() if cost.upper is not None]
    return LastSteps(graph, sets, max(uppers), costs) if len(uppers) == len(costs) else None


def _sets(graph: OrderGraph, free: int) -> Iterator[LastSet]:
    """The sets of all nodes, as large as possible; their steps have numbers from ``free`` on."""
    for node, (arrows, order) in enumerate(zip(graph.arrows, graph.orders, strict=True)):
        edges = sorted(
            (arrow.edge for arrow in arrows if not numbers_of(arrow.edge.outputs)),
            key=lambda edge: (str(symbol(edge)), edge.number),
        )
        for _, group in groupby(edges, symbol):
            left = list(group)
            if len(left) > _MOST_ALIKE:
                continue
            for size in range(len(left), 1, -1):
                for chosen in combinations(left, size):
                    tests = common_tests(chosen, order) if {*chosen} <= {*left} else None
                    if tests is not None:
                        step = replace(
                            chosen[0], number=free, guard=tests, written=tests, assign=(), target=END
                        )
                        yield LastSet(node, tuple(sorted(chosen, key=lambda edge: edge.number)), step)
                        free += 1
                        left = [edge for edge in left if edge not in chosen]


def common_tests(edges: Sequence[Edge], order: Order) -> tuple[Test, ...] | None:
    """Tests that hold where exactly one of the edges may be taken, and nowhere else none; None if there are
    none, or two may be taken.

    Stored values are in any row that the order allows.
    """
    names = sorted({name for edge in edges for _, name in edge.guard})
    if len(names) > _MOST_VARIABLES:
        return None
    places = []  # for each place of the sample the tests that hold there, and how many edges may be taken
    for row in permutations(names):
        if any((b, a) not in order and row.index(a) > row.index(b) for a, b in order if {a, b} <= {*names}):
            continue
        for below in range(len(names) + 1):
            held = {(">=" if row.index(name) < below else "<", name) for name in names}
            places.append((held, sum(held.issuperset(edge.guard) for edge in edges)))
    tests = set[Test]({("<", name) for name in names} | {(">=", name) for name in names})
    for held, taken in places:
        if taken:
            tests &= held
    if any(taken != tests.issubset(held) for held, taken in places):
        return None
    return tuple(sorted(tests))


def _with_ends(graph: OrderGraph, sets: Collection[LastSet]) -> OrderGraph:
    """The graph with an arrow to the end for each last step: for each set, and each edge that is in none."""
    steps: dict[int, list[Edge]] = {}
    going: set[tuple[int, int]] = set()
    for own in sets:
        steps.setdefault(own.node, []).append(own.step)
        going.update((own.node, edge.number) for edge in own.edges)
    arrows = []
    for node, leaving in enumerate(graph.arrows):
        on = [arrow for arrow in leaving if arrow.target != FINAL]
        ends = [arrow.edge for arrow in leaving if (node, arrow.edge.number) not in going]
        arrows.append((*on, *(Arrow(node, edge, FINAL) for edge in (*ends, *steps.get(node, ())))))
    return replace(graph, arrows=tuple(arrows))
