"""Named coupling strategies of a branch, and what they cost (all-differ, one variable).

A strategy gives every step a shift for all differences Δ of the inputs. Here are those that either fix the
shift of a step in advance, whatever the inputs, or take the cheapest shift that the step's guard allows for
its own difference, given the shift of the stored value:

    S^L, S^G, S^N     assignments have shift 1, −1, 0, the other steps their cheapest
    S^J               assignments with guard true follow their inputs: the threshold is not coupled; steps
                      with guard < have shift −1, with >= shift 1, which is allowed whatever is stored
    greedy            every step has its cheapest
    relaxed           assignments have the fixed shifts that are best together, other steps their cheapest
    approximate       all steps have the fixed shifts that are best together

Steps that are repeated follow their inputs at no cost, or the strategy's cost is infinite; an assignment on a
cycle is charged for its last turn (docs/strategies.md). ``optimum`` is the cost of the best strategy, which
may look at all inputs before it chooses any shift.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.program.adjacency import Adjacency
from prover.program.branches import Branch, Place
from prover.program.model import Edge
from prover.program.optimum.pareto import maximal
from prover.program.optimum.transfer import NOTHING, Values, arcs_of, before, scale_of
from prover.program.shifts import (
    allowed,
    differences_of,
    nearest,
    price,
    repeats_freely,
    worst_leaf,
    worst_price,
)

_SHIFTS = (0, -1, 1)  # of equally good ones the first is taken

NAMES = ("S^L", "S^G", "S^N", "S^J", "greedy", "relaxed", "approximate")
"""The names of the strategies, as ``named_strategies`` lists them."""

MOST_VALUES = 20_000
"""How many values the optimum of a branch may need at one step."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy: for every place of the branch a fixed shift, or None for the cheapest one allowed."""

    name: str
    branch: Branch
    fixed: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Outlay:
    """What a strategy costs at worst, None if infinitely much, and differences of inputs for which it does.

    Where steps repeat, their differences are given as 0: they cost nothing.
    """

    cost: Fraction | None
    differences: tuple[int, ...] | None


def below_strategy(branch: Branch) -> Strategy:
    """S^L: every assignment has shift 1, so that comparisons < cost nothing."""
    return _stored(branch, "S^L", 1)


def above_strategy(branch: Branch) -> Strategy:
    """S^G: every assignment has shift −1, so that comparisons >= cost nothing."""
    return _stored(branch, "S^G", -1)


def neutral_strategy(branch: Branch) -> Strategy:
    """S^N: every assignment has shift 0."""
    return _stored(branch, "S^N", 0)


def uncoupled_strategy(branch: Branch) -> Strategy:
    """S^J: every comparison pays twice its rate, and thresholds pay nothing."""
    safe = {"<": -1, ">=": 1}
    fixed: list[int | None] = [None]  # the first guard does not count
    for edge in branch.edges[1:]:
        shift = safe.get(edge.relation)
        fixed.append(0 if shift is not None and edge.pinned else shift)
    return Strategy("S^J", branch, tuple(fixed))


def greedy_strategy(branch: Branch) -> Strategy:
    """Every step has the cheapest shift that its own guard allows: at most the cost of S^J, if finite."""
    return Strategy("greedy", branch, (None,) * len(branch.places))


def relaxed_strategy(branch: Branch) -> Strategy | None:
    """The best fixed shifts for assignments, with the cheapest ones elsewhere; None if all cost too much."""
    return _best_fixed(branch, "relaxed", _relaxed_choices)


def approximate_strategy(branch: Branch) -> Strategy | None:
    """The best fixed shifts for all steps: C_L of a periodic program; None if all cost too much.

    They solve a linear program whose matrix is totally unimodular, so that −1, 0 and 1 suffice.
    """
    return _best_fixed(branch, "approximate", _fixed_choices)


def named_strategies(branch: Branch) -> tuple[Strategy, ...]:
    """S^L, S^G, S^N, S^J, greedy, and relaxed and approximate where there are such."""
    made = (below_strategy, above_strategy, neutral_strategy, uncoupled_strategy, greedy_strategy)
    best = (relaxed_strategy(branch), approximate_strategy(branch))
    return (*(make(branch) for make in made), *(strategy for strategy in best if strategy is not None))


def _stored(branch: Branch, name: str, shift: int) -> Strategy:
    return Strategy(name, branch, tuple(shift if place.edge.assigns else None for place in branch.places))


def shifts_of(strategy: Strategy, differences: Sequence[int]) -> tuple[int, ...] | None:
    """The shifts for these differences; repeated steps follow theirs. None if the guards do not allow them.

    They also count as not allowed where a repeated step could not follow other differences.
    """
    if strategy.branch.is_hopeless:
        return None
    shifts: list[int] = []
    stored = 0
    for k, (place, delta) in enumerate(zip(strategy.branch.places, differences, strict=True)):
        shift = _shift(place, delta, stored, strategy.fixed[k], first=k == 0)
        if shift is None:
            return None
        shifts.append(shift)
        if place.edge.assigns:
            stored = shift
    return tuple(shifts)


def _shift(place: Place, delta: int, stored: int, fixed: int | None, *, first: bool) -> int | None:
    edge = place.edge
    if place.repeats:
        return delta if repeats_freely(edge, stored) else None
    if fixed is None:
        return nearest(edge, delta, _free(edge) if first else stored)
    return fixed if allowed(edge, fixed, _free(edge) if first else stored) else None


def _free(edge: Edge) -> int:
    """A stored shift with which the guard of the first step, which does not count, allows every shift."""
    return -1 if edge.relation == ">=" else 1


def outlay(strategy: Strategy) -> Outlay:
    """The cost of a strategy, by recursion over the shift of the stored value."""
    if strategy.branch.is_hopeless:
        return Outlay(None, None)
    dearest: dict[int, tuple[Fraction, tuple[int, ...]]] = {0: (Fraction(0), ())}
    for k, place in enumerate(strategy.branch.places):
        after: dict[int, tuple[Fraction, tuple[int, ...]]] = {}
        for stored, (cost, differences) in dearest.items():
            for delta in (0,) if place.repeats else differences_of(place.edge):
                shift = _shift(place, delta, stored, strategy.fixed[k], first=k == 0)
                if shift is None:
                    return Outlay(None, None)
                now = cost if place.repeats else cost + price(place.edge, delta, shift)
                kept = shift if place.edge.assigns else stored
                if kept not in after or now > after[kept][0]:
                    after[kept] = (now, (*differences, delta))
        dearest = after
    return Outlay(*max(dearest.values(), key=lambda found: found[0]))


_Choices = Iterable[tuple[int | None, Fraction]]
"""What a step can choose: its shift (None: the cheapest for its difference), and what that costs."""


def _fixed_choices(edge: Edge, stored: int) -> _Choices:
    return [(shift, worst_price(edge, shift)) for shift in _SHIFTS if allowed(edge, shift, stored)]


def _relaxed_choices(edge: Edge, stored: int) -> _Choices:
    if edge.assigns:
        return _fixed_choices(edge, stored)
    cost = worst_leaf(edge, stored)
    return [] if cost is None else [(None, cost)]


def _best_fixed(branch: Branch, name: str, choices: Callable[[Edge, int], _Choices]) -> Strategy | None:
    found = _cheapest(branch, lambda k, stored: choices(branch.places[k].edge, stored))
    return None if found is None else Strategy(name, branch, found[1])


def cost_for(branch: Branch, differences: Sequence[int]) -> tuple[Fraction, tuple[int, ...]] | None:
    """V(Δ): the least cost of shifts for given differences, and such shifts; None if infinite."""

    def choices(k: int, stored: int) -> _Choices:
        edge, delta = branch.places[k].edge, differences[k]
        return [(shift, price(edge, delta, shift)) for shift in _SHIFTS if allowed(edge, shift, stored)]

    found = _cheapest(branch, choices)
    if found is None:
        return None
    cost, chosen = found
    return cost, tuple(d if shift is None else shift for shift, d in zip(chosen, differences, strict=True))


def _cheapest(
    branch: Branch, choices: Callable[[int, int], _Choices]
) -> tuple[Fraction, tuple[int | None, ...]] | None:
    """The least sum of what the steps choose, given their number and the stored shift; repeated steps: None.

    The sum itself is None if there is none that is finite.
    """
    if branch.is_hopeless:
        return None
    best: dict[int, tuple[Fraction, tuple[int | None, ...]]] = {0: (Fraction(0), ())}
    for k, place in enumerate(branch.places):
        edge = place.edge
        after: dict[int, tuple[Fraction, tuple[int | None, ...]]] = {}
        for stored, (cost, chosen) in best.items():
            if place.repeats:
                possible: _Choices = [(None, Fraction(0))] if repeats_freely(edge, stored) else []
            else:
                possible = choices(k, stored if k else _free(edge))
            for shift, more in possible:
                kept = shift if edge.assigns and shift is not None else stored
                if kept not in after or cost + more < after[kept][0]:
                    after[kept] = (cost + more, (*chosen, shift))
        best = after
    return min(best.values(), key=lambda found: found[0], default=None)


@dataclass(frozen=True, slots=True)
class _Rest:
    """How a value of the rest of a branch comes about: a difference, and what follows."""

    delta: int
    after: _Rest | None


def optimum(branch: Branch, most: int = MOST_VALUES) -> Outlay | None:
    """opt of a branch: the largest V(Δ), None (infinite) in the outlay if V is infinite.

    By the frontier of what can still be lost, from the end on (docs/theory_programs.md, *The optimum*). None
    if some step needs more than ``most`` values: the problem is NP-hard.
    """
    if branch.is_hopeless:
        return Outlay(None, None)
    scale = scale_of(branch.edges, Adjacency.ALL_DIFFER)
    values: dict[Values, _Rest | None] = {NOTHING: None}
    for place in reversed(branch.places):
        found: dict[Values, _Rest | None] = {}
        for after, rest in values.items():
            if place.repeats:
                walls = (0 if repeats_freely(place.edge, x) else scale.cap for x in (-1, 0, 1))
                found.setdefault(
                    scale.capped(v + w for v, w in zip(after, walls, strict=True)), _Rest(0, rest)
                )
                continue
            for arc in arcs_of(place.edge, Adjacency.ALL_DIFFER, scale):
                found.setdefault(before(arc, after, scale.cap), _Rest(arc.delta, rest))
        kept = maximal(found)
        if len(kept) > most:
            return None
        values = {value: found[value] for value in kept}
    worst = max(values, key=min)
    cost = scale.number(min(worst))
    return Outlay(cost, None if cost is None else _differences(values[worst]))


def _differences(rest: _Rest | None) -> tuple[int, ...]:
    differences = []
    while rest is not None:
        differences.append(rest.delta)
        rest = rest.after
    return tuple(differences)
