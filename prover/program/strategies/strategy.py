"""Named coupling strategies of a branch, and what they cost (all-differ, any number of variables).

A strategy gives every step a shift for all differences Δ of the inputs. Here are those that either fix the
shift of a step in advance, whatever the inputs, or take the cheapest shift that the step's guard allows for
its own difference, given the shift of the stored value:

    S^L, S^G, S^N     assignments have shift 1, −1, 0, the other steps their cheapest
    S^J               assignments with guard true follow their inputs: the threshold is not coupled; steps
                      that test < have shift −1, with >= shift 1, which is allowed whatever is stored; for
                      steps that test both there is no such shift
    greedy            every step has its cheapest
    relaxed           assignments have the fixed shifts that are best together, other steps their cheapest
    approximate       all steps have the fixed shifts that are best together

Steps that are repeated follow their inputs at no cost, or the strategy's cost is infinite; an assignment on a
cycle is charged for its last turn (docs/strategies.md). ``optimum`` is the cost of the best strategy, which
may look at all inputs before it chooses any shift.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from prover.errors import BeyondLimit
from prover.program.adjacency import Adjacency
from prover.program.branches import Branch, BranchEdge
from prover.program.model import Edge
from prover.program.optimum.pareto import maximal
from prover.program.optimum.transfer import NOTHING, Values, arcs_of, before, scale_of
from prover.program.optimum.weighed import stores_in_several
from prover.program.shifts import (
    ANYTHING,
    ShiftWindow,
    allowed,
    differences_of,
    nearest,
    price,
    repeats_freely,
    window,
    worst_leaf,
    worst_price,
)

_SHIFTS = (0, -1, 1)  # of equally good ones the first is taken

NAMES = ("S^L", "S^G", "S^N", "S^J", "greedy", "relaxed", "approximate")
"""The names of the strategies, as ``named_strategies`` lists them."""

MOST_VALUES = 20_000
"""How many values the optimum of a branch may need at one step, or stored values combinations of shifts."""


class TooManyShifts(BeyondLimit):
    """The stored values of a branch have too many combinations of shifts."""

    def __init__(self) -> None:
        super().__init__(
            f"the stored values of a branch have together more than {MOST_VALUES} combinations of shifts"
        )


@dataclass(frozen=True, slots=True)
class CouplingStrategy:
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


def below_strategy(branch: Branch) -> CouplingStrategy:
    """S^L: every assignment has shift 1, so that comparisons < cost nothing."""
    return _stored(branch, "S^L", 1)


def above_strategy(branch: Branch) -> CouplingStrategy:
    """S^G: every assignment has shift −1, so that comparisons >= cost nothing."""
    return _stored(branch, "S^G", -1)


def neutral_strategy(branch: Branch) -> CouplingStrategy:
    """S^N: every assignment has shift 0."""
    return _stored(branch, "S^N", 0)


def uncoupled_strategy(branch: Branch) -> CouplingStrategy | None:
    """S^J: every comparison pays twice its rate, and thresholds pay nothing.

    None where a step has tests < and >=: no shift is right for both whatever is stored.
    """
    safe = {frozenset("<"): -1, frozenset([">="]): 1}
    fixed: list[int | None] = [None]  # the first guard does not count
    for edge in branch.edges[1:]:
        relations = frozenset(relation for relation, _ in edge.bounds)
        if len(relations) > 1:
            return None
        shift = safe.get(relations)
        fixed.append(0 if shift is not None and edge.pinned else shift)
    return CouplingStrategy("S^J", branch, tuple(fixed))


def greedy_strategy(branch: Branch) -> CouplingStrategy:
    """Every step has the cheapest shift that its own guard allows: at most the cost of S^J, if finite."""
    return CouplingStrategy("greedy", branch, (None,) * len(branch.steps))


def relaxed_strategy(branch: Branch) -> CouplingStrategy | None:
    """The best fixed shifts for assignments, with the cheapest ones elsewhere; None if all cost too much.

    They are −1, 0 or 1; no shifts between these are better (docs/strategies.md, *Several variables*).
    """
    return _best_fixed(branch, "relaxed", _relaxed_choices)


def approximate_strategy(branch: Branch) -> CouplingStrategy | None:
    """The best fixed shifts for all steps: C_L of a periodic program; None if all cost too much.

    They solve a linear program whose matrix is totally unimodular, so that −1, 0 and 1 suffice, whatever the
    number of variables.
    """
    return _best_fixed(branch, "approximate", _fixed_choices)


def named_strategies(branch: Branch) -> tuple[CouplingStrategy, ...]:
    """S^L, S^G, S^N and greedy, and S^J, relaxed and approximate where there are such."""
    found = (
        below_strategy(branch),
        above_strategy(branch),
        neutral_strategy(branch),
        uncoupled_strategy(branch),
        greedy_strategy(branch),
        relaxed_strategy(branch),
        approximate_strategy(branch),
    )
    return tuple(strategy for strategy in found if strategy is not None)


def _stored(branch: Branch, name: str, shift: int) -> CouplingStrategy:
    return CouplingStrategy(
        name, branch, tuple(shift if place.edge.assigns else None for place in branch.steps)
    )


def _window(edge: Edge, stored: Mapping[str, int], *, first: bool) -> ShiftWindow:
    """The window of a step; the guard of the first one does not count."""
    return ANYTHING if first else window(edge, stored)


def _shift(place: BranchEdge, delta: int, within: ShiftWindow, fixed: int | None) -> int | None:
    edge = place.edge
    if place.repeats:
        return delta if repeats_freely(edge, within) else None
    if fixed is None:
        return nearest(edge, delta, within)
    return fixed if allowed(edge, fixed, within) else None


_Found = TypeVar("_Found")
_Stored = tuple[tuple[str, int], ...]
"""The shifts of the stored values by their variables, in the order of these."""


def _tested_last(branch: Branch) -> Mapping[str, int]:
    """The last place at which each variable is tested."""
    return {name: k for k, edge in enumerate(branch.edges) for _, name in edge.bounds}


def _after(stored: _Stored, k: int, edge: Edge, shift: int | None, last: Mapping[str, int]) -> _Stored:
    """The shifts of the stored values that are still to be tested, after step k with this shift."""
    shifts = dict(stored)
    if shift is not None:
        shifts.update(dict.fromkeys(edge.assign, shift))
    return tuple(sorted((name, s) for name, s in shifts.items() if last.get(name, 0) > k))


def _few(shifts: Mapping[_Stored, _Found]) -> Mapping[_Stored, _Found]:
    if len(shifts) > MOST_VALUES:
        raise TooManyShifts
    return shifts


def outlay(strategy: CouplingStrategy) -> Outlay:
    """The cost of a strategy, by recursion over the shifts of the stored values. Raises TooManyShifts."""
    if strategy.branch.is_hopeless:
        return Outlay(None, None)
    last = _tested_last(strategy.branch)
    costliest: Mapping[_Stored, tuple[Fraction, tuple[int, ...]]] = {(): (Fraction(0), ())}
    for k, place in enumerate(strategy.branch.steps):
        after: dict[_Stored, tuple[Fraction, tuple[int, ...]]] = {}
        for stored, (cost, differences) in costliest.items():
            within = _window(place.edge, dict(stored), first=k == 0)
            for delta in (0,) if place.repeats else differences_of(place.edge):
                shift = _shift(place, delta, within, strategy.fixed[k])
                if shift is None:
                    return Outlay(None, None)
                now = cost if place.repeats else cost + price(place.edge, delta, shift)
                kept = _after(stored, k, place.edge, shift, last)
                if kept not in after or now > after[kept][0]:
                    after[kept] = (now, (*differences, delta))
        costliest = _few(after)
    return Outlay(*max(costliest.values(), key=lambda found: found[0]))


_Choices = Iterable[tuple[int | None, Fraction]]
"""What a step can choose: its shift (None: the cheapest for its difference), and what that costs."""


def _fixed_choices(edge: Edge, within: ShiftWindow) -> _Choices:
    return [(shift, worst_price(edge, shift)) for shift in _SHIFTS if allowed(edge, shift, within)]


def _relaxed_choices(edge: Edge, within: ShiftWindow) -> _Choices:
    if edge.assigns:
        return _fixed_choices(edge, within)
    cost = worst_leaf(edge, within)
    return [] if cost is None else [(None, cost)]


def _best_fixed(
    branch: Branch, name: str, choices: Callable[[Edge, ShiftWindow], _Choices]
) -> CouplingStrategy | None:
    found = _cheapest(branch, lambda k, within: choices(branch.steps[k].edge, within))
    return None if found is None else CouplingStrategy(name, branch, found[1])


def cost_for(branch: Branch, differences: Sequence[int]) -> tuple[Fraction, tuple[int, ...]] | None:
    """V(Δ): the least cost of shifts for given differences, and such shifts; None if infinite."""

    def choices(k: int, within: ShiftWindow) -> _Choices:
        edge, delta = branch.steps[k].edge, differences[k]
        return [(shift, price(edge, delta, shift)) for shift in _SHIFTS if allowed(edge, shift, within)]

    found = _cheapest(branch, choices)
    if found is None:
        return None
    cost, chosen = found
    return cost, tuple(d if shift is None else shift for shift, d in zip(chosen, differences, strict=True))


def _cheapest(
    branch: Branch, choices: Callable[[int, ShiftWindow], _Choices]
) -> tuple[Fraction, tuple[int | None, ...]] | None:
    """The least sum of what the steps choose, given their number and window; repeated steps: None.

    The sum itself is None if there is none that is finite.
    """
    if branch.is_hopeless:
        return None
    last = _tested_last(branch)
    best: Mapping[_Stored, tuple[Fraction, tuple[int | None, ...]]] = {(): (Fraction(0), ())}
    for k, place in enumerate(branch.steps):
        after: dict[_Stored, tuple[Fraction, tuple[int | None, ...]]] = {}
        for stored, (cost, chosen) in best.items():
            within = _window(place.edge, dict(stored), first=k == 0)
            if place.repeats:
                possible: _Choices = [(None, Fraction(0))] if repeats_freely(place.edge, within) else []
            else:
                possible = choices(k, within)
            for shift, more in possible:
                kept = _after(stored, k, place.edge, shift, last)
                if kept not in after or cost + more < after[kept][0]:
                    after[kept] = (cost + more, (*chosen, shift))
        best = _few(after)
    return min(best.values(), key=lambda found: found[0], default=None)


def _tested(edge: Edge) -> list[str]:
    return [name for _, name in edge.bounds]


@dataclass(frozen=True, slots=True)
class _Rest:
    """How a value of the rest of a branch comes about: a difference, and what follows."""

    delta: int
    after: _Rest | None


def optimum(branch: Branch, most: int = MOST_VALUES) -> Outlay | None:
    """opt of a branch: the largest V(Δ), None (infinite) in the outlay if V is infinite.

    By the frontier of what can still be lost, from the end on (docs/theory_programs.md, *The optimum*). None
    if some step needs more than ``most`` values: the problem is NP-hard. Also None for a branch of several
    variables; the optimum of a program is found by prover.program.optimum.
    """
    if stores_in_several(branch.edges):
        return None
    if branch.is_hopeless:
        return Outlay(None, None)
    scale = scale_of(branch.edges, Adjacency.ALL_DIFFER)
    values: dict[Values, _Rest | None] = {NOTHING: None}
    for place in reversed(branch.steps):
        found: dict[Values, _Rest | None] = {}
        for after, rest in values.items():
            if place.repeats:
                windows = (window(place.edge, dict.fromkeys(_tested(place.edge), x)) for x in (-1, 0, 1))
                walls = (0 if repeats_freely(place.edge, within) else scale.cap for within in windows)
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
