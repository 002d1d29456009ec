"""The observer's loss: bounds from above by convex unions of runs, from below by words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Program
from prover.program.observer.convex import RunGroup, grouped, program_of, sequence_of
from prover.program.observer.ladder import Ladder, ladder
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
    """A bound from above for a program without loops: all its runs, in groups, convex ones or on ladders."""

    groups: tuple[GroupCost | Ladder, ...]
    upper: Fraction

    @property
    def has_ladders(self) -> bool:
        """Whether the runs of some word are no convex union, but move on a ladder."""
        return any(isinstance(group, Ladder) for group in self.groups)


@dataclass(frozen=True, slots=True)
class BoundBelow:
    """A bound from below: a word whose cost rises so much from inputs b to b + Δ.

    ``search`` says which search has found it: "run" from inputs 0 to the differences of a costly run, "far"
    at far inputs of such a run, "box" by trying many inputs.
    """

    costs: WordCosts
    rise: Rise
    lower: Fraction
    search: Literal["run", "far", "box"]


def above(
    program: Program,
    adjacency: Adjacency,
    bound: Fraction | None,
    worst: Sequence[Run],
    budget: Budget,
    spent: set[str],
    progress: Progress = silent,
) -> BoundAbove | None:
    """The bound by convex unions and ladders, if it is less than ``bound``, what runs lose at most.

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
    orders, ladders = Steps(min(budget.orders, CHECKED)), Steps(budget.ladders)
    words = [(own, grouped(program, own, orders)) for own in by_word(runs).values()]
    if orders.are_over and budget.orders < CHECKED:
        spent.add("orders")

    def cheaper(own: Sequence[Run], most: Fraction | None) -> Ladder | None:
        found = ladder(program, adjacency, own, ladders) if len(own) > 1 else None
        if ladders.are_over:
            spent.add("ladders")
        return found if found is not None and (most is None or found.upper < most) else None

    def helpful(own: Sequence[Run], groups: Sequence[RunGroup]) -> tuple[GroupCost | Ladder, ...] | None:
        """What bounds the loss of a word by less than the bound."""
        costs = []
        for group in groups:
            costs.append(cost_of(group, adjacency, budget))
            spent.update(costs[-1].cost.spent)
            upper = costs[-1].upper
            if upper is None or (bound is not None and upper >= bound):
                other = cheaper(own, bound) if len(groups) > 1 else None
                return None if other is None else (other,)
        return tuple(costs)

    bad = {run.edges for run in worst}
    words.sort(
        key=lambda word: not any(len(group.runs) == 1 and group.runs[0].edges in bad for group in word[1])
    )
    many = sum(len(groups) for _, groups in words)
    if many > budget.groups:
        spent.add("groups")
        return None
    found: list[tuple[Sequence[Run], tuple[GroupCost | Ladder, ...]]] = []
    for number, (own, groups) in enumerate(words):
        progress("bounding the loss of outputs", number, len(words))
        costs = helpful(own, groups)
        if costs is None:
            return None
        found.append((own, costs))
    while found:
        found.sort(key=lambda word: _most(word[1]))
        costliest, costs = found[-1]
        other = cheaper(costliest, _most(costs)) if len(costs) > 1 else None
        if other is None:
            break
        found[-1] = costliest, (other,)
    parts = [part for _, costs in found for part in costs]
    return BoundAbove(tuple(parts), _most(parts))


def _most(parts: Sequence[GroupCost | Ladder]) -> Fraction:
    """The largest of the bounds."""
    return max((part.upper or Fraction(0) for part in parts), default=Fraction(0))


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


def at_starts(
    program: Program,
    adjacency: Adjacency,
    starts: Iterable[tuple[Word, InputVector, InputVector]],
    goal: Fraction | None,
) -> dict[Word, BoundBelow]:
    """For some words the best bound at some of their inputs, until one is ``goal``."""
    graph = order_graph(program)
    scale = scale_of(program.edges, adjacency)
    begun: dict[Word, BoundBelow] = {}
    for word, inputs, delta in starts:
        known = begun.get(word) or BoundBelow(
            WordCosts(graph, scale, word), Rise(inputs, delta, 0), Fraction(0), "run"
        )
        gain = rise_of(known.costs, inputs, delta)
        if gain > known.rise.gain:
            rise, lower = Rise(inputs, delta, gain), Fraction(gain, scale.denominator)
            known = replace(known, rise=rise, lower=lower, search="far" if any(inputs) else "run")
        begun[word] = known
        if known.lower == goal:
            break
    return begun


def below(
    program: Program,
    adjacency: Adjacency,
    begun: Mapping[Word, BoundBelow],
    words: Callable[[], Iterable[Word]],
    box: int,
    goal: Fraction | None,
    budget: Budget,
    spent: set[str],
    progress: Progress = silent,
) -> BoundBelow | None:
    """The best bound from below that is known of some words, and else near these and others of some words.

    None if none is above 0. The search ends where the bound is ``goal``. If a budget ended it, that is added
    to those that are ``spent``.
    """
    best = max(begun.values(), key=lambda known: known.lower, default=None)
    if best is not None and best.lower == goal:
        return best if best.lower else None
    graph = order_graph(program)
    scale = scale_of(program.edges, adjacency)
    units = None if goal is None else scale.units(goal)
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
            best = BoundBelow(costs, rise, lower, "box")
        if best.lower == goal:
            break
    if len(tried) > budget.words:
        spent.add("words")
    return best if best is not None and best.lower else None


def words_of(runs: Sequence[Run]) -> list[Word]:
    """The words of some runs, longer ones first."""
    return sorted(by_word(runs), key=len, reverse=True)
