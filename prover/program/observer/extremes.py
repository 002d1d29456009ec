"""The largest of values that nobody sees, or the least: one bound for both ways in which it is found.

A step that stores its sample where it is above the stored value, and leaves that where it is below, and shows
neither, makes the stored value the larger of both. Shifted by x and by γ the two have a maximum that is
shifted by something between x and γ, whichever is the larger one. So a table of functions bounds what an
observer learns if it is closed under φ(x) = min over γ of cost(Δ, γ) + max(φ'(x), φ'(γ)) in place of the
steps of both transitions (docs/theory_observer.md, *Hidden extremes*). On a grid differences of 0 are looked
at, too, and the sensitivity is a step of the grid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.graph import components
from prover.program.model import Edge, Program, out_edges, variables
from prover.program.observer.words import covering_pairs, orders_tests
from prover.program.optimum.budget import Budget
from prover.program.optimum.cost import Invariant
from prover.program.optimum.pareto import fewer, maximal
from prover.program.optimum.transfer import Arc, Scale, Values, all_before, arc_of, arcs_of, scale_of
from prover.program.outputs import numbers_of
from prover.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Extremes:
    """A bound of the observer's loss: closed tables, one for each way that inputs move, and the ``pairs``.

    They are numbers of transitions, the smaller one first.
    """

    pairs: tuple[tuple[int, int], ...]
    upper: Fraction
    tables: dict[str, Invariant]


def extremes(
    program: Program,
    adjacency: Adjacency,
    budget: Budget,
    spent: set[str],
    progress: Progress = silent,
) -> Extremes | None:
    """The bound of a program with hidden extremes; None if it has none, or if no bound is found.

    Only for one variable; with discrete noise without ties, and where the sensitivity is the grid. Budgets
    that make the bound coarser, or end the search, are added to those that are ``spent``.
    """
    noise = program.noise
    coarse = noise.is_discrete and noise.sensitivity != noise.grid
    if coarse or not orders_tests(program) or len(variables(program)) != 1:
        return None
    leaving = out_edges(program).values()
    pairs = tuple(sorted(pair for edges in leaving for pair in covering_pairs(edges, _are_extreme)))
    if not pairs:
        return None
    tables: dict[str, Invariant] = {}
    upper = Fraction(0)
    for way in ONE_WAY if adjacency == Adjacency.MONOTONIC else (adjacency,):
        progress("bounding hidden extremes", 0, None)
        table = _closed(program, way, pairs, budget, spent)
        if table is None:
            return None
        tables[str(way)] = table
        initial = table.values[program.initial][0]
        least = table.scale.number(max(map(min, initial), default=0))
        if least is None:
            return None
        upper = max(upper, least)
    return Extremes(pairs, upper, tables)


def _are_extreme(first: Edge, second: Edge) -> bool:
    """Whether they differ in nothing but that one is for what is stored."""
    same = first.target == second.target and first.outputs == second.outputs
    return same and first.assigns != second.assigns and not numbers_of(first.outputs)


def _closed(
    program: Program, way: str, pairs: Sequence[tuple[int, int]], budget: Budget, spent: set[str]
) -> Invariant | None:
    """The least table that the steps take into itself, or a larger one of fewer values; 0 is not listed.

    None if it takes too many rounds.
    """
    parts = components(program)
    scale = scale_of(parts.edges, way)
    hidden = {number for pair in pairs for number in pair}
    edges = [edge for edge in parts.edges if edge.number not in hidden or edge.assigns]
    arcs = {edge.number: arcs_of(edge, way, scale) for edge in edges}
    if program.noise.is_discrete and way == Adjacency.ALL_DIFFER:  # what lies between is no mean of couplings
        still = {edge.number: (arc_of(edge, 0, scale),) for edge in edges if edge.input}
        arcs = {number: own + still.get(number, ()) for number, own in arcs.items()}
    layers = 2 if way == Adjacency.ONE_DIFFER else 1
    leaving = out_edges(program)
    table: dict[tuple[str, int], list[Values]] = {
        (state, layer): [] for state in parts.number for layer in range(layers)
    }
    order = sorted(table, key=lambda key: (-parts.number[key[0]], -key[1]))
    for _ in range(budget.rounds):
        changed = False
        for state, layer in order:
            found = list(table[state, layer])
            for arc in (arc for edge in leaving[state] for arc in arcs.get(edge.number, ())):
                differs = layers > 1 and arc.delta != 0
                if differs and layer:
                    continue
                after = [*table.get((arc.edge.target, layer + differs), ()), scale.nothing]
                step = _extreme_before if arc.edge.number in hidden else all_before
                found += step(arc, after, scale.cap)
            kept = [values for values in maximal(found) if any(values)]
            if len(kept) > budget.extremes:
                spent.add("extremes")
                kept = fewer(kept, budget.extremes, scale.cap, above=True)
            changed = changed or kept != table[state, layer]
            table[state, layer] = kept
        if not changed:
            return _invariant(program, table, layers, scale)
    spent.add("rounds")
    return None


def _extreme_before(arc: Arc, after: Sequence[Values], cap: int) -> list[Values]:
    """min over γ of cost(Δ, γ) + the largest φ'(y) of the shifts y from x to γ, for each x, of many values.

    The arc is that of the edge that assigns, whose costs are those of its shifts.
    """
    places = range(len(arc.costs))
    return [
        tuple(
            min(min(cap, arc.costs[k] + max(values[min(x, k) : max(x, k) + 1])) for k in places)
            for x in places
        )
        for values in after
    ]


def _invariant(
    program: Program, table: dict[tuple[str, int], list[Values]], layers: int, scale: Scale
) -> Invariant:
    anything = (scale.cap,) * len(scale.shifts)
    values = {
        state: tuple(tuple(sorted(table[state, layer])) for layer in range(layers))
        if (state, 0) in table
        else ((anything,),) * layers
        for state in program.states
    }
    return Invariant(scale, values)
