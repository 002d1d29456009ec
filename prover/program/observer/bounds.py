"""The observer's loss: bounds from above by convex unions of runs, from below by words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Program
from prover.program.observer.convex import RunGroup, grouped, program_of, sequence_of
from prover.program.observer.search import InputVector, Rise, rise_of, steepest
from prover.program.observer.word_cost import WordCosts
from prover.program.observer.words import Run, Word, by_word, compares_samples, is_bounded, runs_of
from prover.program.optimum.budget import Budget, Steps
from prover.program.optimum.by_functions import measure_from_above
from prover.program.optimum.cost import Cost, either_way
from prover.program.optimum.transfer import scale_of
from prover.program.order_graph import order_graph
from prover.progress import Progress, silent

CHECKED = 250_000_000
"""The most orders that checkers count in a certificate (docs/certificates.md, *Work*)."""


@dataclass(frozen=True, slots=True)
class GroupCost:
    """What a group of runs loses at most: the exact loss of its program."""

    group: RunGroup
    sequence: tuple[int, ...]
    program: Program
    cost: Cost

    @property
    def upper(self) -> Fraction | None:
        """The bound; None if it is infinite, or the budget was used up."""
        return self.cost.upper


@dataclass(frozen=True, slots=True)
class BoundAbove:
    """A bound from above for a program without loops: all its runs, in groups with convex unions."""

    groups: tuple[GroupCost, ...]
    upper: Fraction


@dataclass(frozen=True, slots=True)
class BoundBelow:
    """A bound from below: a word whose cost rises so much from inputs b to b + Δ."""

    costs: WordCosts
    rise: Rise
    lower: Fraction


def above(
    program: Program,
    adjacency: Adjacency,
    bound: Fraction | None,
    worst: Sequence[Run],
    budget: Budget,
    spent: set[str],
    progress: Progress = silent,
) -> BoundAbove | None:
    """The bound by convex unions, if it is less than ``bound``, what runs lose at most.

    None if there is none, the program has loops, or samples have other relations than an order. ``worst`` are
    runs that lose much. The budgets that ended the search are added to those that are ``spent``.
    """
    equal = any(relation == "=" for edge in program.edges for relation, _ in edge.written)
    if equal or not compares_samples(program) or not is_bounded(program):
        return None
    runs = runs_of(program, budget.runs)
    if runs is None:
        spent.add("runs")
        return None
    orders = Steps(min(budget.orders, CHECKED))
    groups = [group for own in by_word(runs).values() for group in grouped(program, own, orders)]
    if orders.are_over and budget.orders < CHECKED:
        spent.add("orders")

    def helps(cost: GroupCost) -> bool:
        spent.update(cost.cost.spent)
        return cost.upper is not None and (bound is None or cost.upper < bound)

    bad = {run.edges for run in worst}
    alone = [group for group in groups if len(group.runs) == 1 and group.runs[0].edges in bad]
    if not all(helps(cost_of(group, adjacency, budget)) for group in alone):
        return None
    if len(groups) > budget.groups:
        spent.add("groups")
        return None
    found = []
    for number, group in enumerate(groups):
        progress("bounding the loss of outputs", number, len(groups))
        found.append(cost_of(group, adjacency, budget))
        if not helps(found[-1]):
            return None
    return BoundAbove(tuple(found), max(cost.upper or Fraction(0) for cost in found))


def cost_of(group: RunGroup, adjacency: Adjacency, budget: Budget) -> GroupCost:
    """What runs whose union is convex lose, exactly."""
    steps = len(group.runs[0].edges)
    sequence = sequence_of(steps, group.order) if len(group.runs) > 1 else tuple(range(steps))
    program = program_of(group, sequence)
    graph = order_graph(program)
    if adjacency != Adjacency.MONOTONIC:
        return GroupCost(group, sequence, program, measure_from_above(graph, adjacency, budget))
    one, other = (measure_from_above(graph, way, budget) for way in ONE_WAY)
    return GroupCost(group, sequence, program, either_way(one, other))


def below(
    program: Program,
    adjacency: Adjacency,
    starts: Iterable[tuple[Word, InputVector, InputVector]],
    words: Callable[[], Iterable[Word]],
    box: int,
    goal: Fraction | None,
    budget: Budget,
    spent: set[str],
    progress: Progress = silent,
) -> BoundBelow | None:
    """The best bound from below at some inputs of some words, and else near these and others of some words.

    None if none is above 0. The search ends where the bound is ``goal``. If a budget ended it, that is added
    to those that are ``spent``.
    """
    graph = order_graph(program)
    scale = scale_of(program.edges, adjacency)
    units = None if goal is None else scale.units(goal)
    begun: dict[Word, BoundBelow] = {}
    for word, inputs, delta in starts:
        known = begun.get(word) or BoundBelow(
            WordCosts(graph, scale, word), Rise(inputs, delta, 0), Fraction(0)
        )
        gain = rise_of(known.costs, inputs, delta)
        if gain > known.rise.gain:
            known = replace(known, rise=Rise(inputs, delta, gain), lower=Fraction(gain, scale.denominator))
        begun[word] = known
        if known.lower == goal:
            return known if known.lower else None
    best = max(begun.values(), key=lambda known: known.lower, default=None)
    tried = [*begun, *(word for word in words() if word not in begun)]
    for number, word in enumerate(tried[: budget.words]):
        progress("searching for outputs of large loss", number, len(tried))
        costs = begun[word].costs if word in begun else WordCosts(graph, scale, word)
        rise = steepest(
            costs, adjacency, box, budget.costs, units, begun[word].rise if word in begun else None
        )
        if costs.evaluations > budget.costs:
            spent.add("costs")
        lower = Fraction(rise.gain, scale.denominator)
        if best is None or lower > best.lower:
            best = BoundBelow(costs, rise, lower)
        if best.lower == goal:
            break
    if len(tried) > budget.words:
        spent.add("words")
    return best if best is not None and best.lower else None


def words_of(runs: Sequence[Run]) -> list[Word]:
    """The words of some runs, longer ones first."""
    return sorted(by_word(runs), key=len, reverse=True)
