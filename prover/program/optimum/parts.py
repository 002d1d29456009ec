"""Variables in independent parts: the loss of a run is the sum of what it loses in each part.

If no transition names variables of two parts, every demand of a run links steps of one part. The *projection*
to a part takes the tests, assignments and real outputs from the transitions of the others, which then cost
nothing; transitions without variables belong to the first part. So the optimum is at most the sum of those of
the projections (with one-differ the largest of them), and no less if one run attains them all
(docs/theory_variables.md, Theorem G).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from prover.graphs import nearest_way, strong_components
from prover.program.adjacency import Adjacency
from prover.program.decision.boundedness import decide
from prover.program.edge import Edge
from prover.program.model import Program, Transition, out_edges, variables
from prover.program.optimum.budget import Budget
from prover.program.optimum.by_functions import measure
from prover.program.optimum.cost import Cost, PartTables, Statistics
from prover.program.optimum.transfer import scale_of
from prover.program.optimum.witness import RunPart, Witness, finite_witness, taken
from prover.program.order_graph import FINAL, OrderGraph
from prover.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Projection:
    """A part of the variables, and the program as far as it names them."""

    names: tuple[str, ...]
    program: Program


def independent(program: Program) -> tuple[tuple[str, ...], ...]:
    """The smallest parts of the variables such that every transition names variables of one part only."""
    linked: dict[str, set[str]] = {name: set() for name in variables(program)}
    for edge in program.edges:
        names = named(edge)
        for name in names:
            linked.setdefault(name, set()).update(names)
    return tuple(
        sorted(tuple(sorted(part)) for part in strong_components(sorted(linked), linked.__getitem__))
    )


def named(edge: Edge) -> set[str]:
    """The variables that an edge tests or assigns, or puts a gap out from."""
    return {*edge.assign, *(name for _, name in edge.bounds)}


def projections(program: Program) -> tuple[Projection, ...]:
    """The program as each part sees it. Other parts still assign: nothing tests what they store."""
    found = []
    for number, names in enumerate(independent(program)):
        leaving = out_edges(program)
        states = {
            name: replace(
                state,
                transitions=tuple(
                    t if _belongs(edge, names, first=number == 0) else _erased(edge)
                    for t, edge in zip(state.transitions, leaving[name], strict=True)
                ),
            )
            for name, state in program.states.items()
        }
        found.append(Projection(names, replace(program, states=states)))
    return tuple(found)


def _belongs(edge: Edge, names: Sequence[str], *, first: bool) -> bool:
    own = named(edge)
    return not own.isdisjoint(names) or (first and not own)


def _erased(edge: Edge) -> Transition:
    """A transition of another part; its output is a letter that no other transition of the state has."""
    return Transition((), edge.assign, f"transition {edge.number}", edge.target)


def sum_of_parts(
    program: Program, graph: OrderGraph, adjacency: str, budget: Budget, progress: Progress = silent
) -> Cost | None:
    """What the parts show: the sum of their optima, with one-differ the largest; None where one has no finite
    bound.
    """
    parts = projections(program)
    costs: list[Cost] = []
    for part in parts:
        known = decide(part.program)
        cost = measure(known.graph, adjacency, budget, progress, bounded=True) if known.bounded else None
        if cost is None or cost.upper is None:
            return None
        costs.append(cost)
    uppers = [cost.upper or Fraction(0) for cost in costs]
    upper = sum(uppers, Fraction(0))
    witnesses = [cost.witness for cost in costs]
    if adjacency == Adjacency.ONE_DIFFER:  # one part has the difference, and the others lose nothing
        upper = max(uppers)
        most = max(range(len(costs)), key=lambda number: costs[number].lower or 0)
        witnesses = [w if number == most else None for number, w in enumerate(witnesses)]
    turns = max((count for w in witnesses if w is not None for _, count in w.turns), default=1)
    run = taken(_together(program, graph, parts, witnesses), turns)
    witness = finite_witness(run, scale_of(program.edges, adjacency))
    tables = PartTables(
        tuple((part.names, part.program, cost) for part, cost in zip(parts, costs, strict=True))
    )
    statistics = sum((cost.statistics for cost in costs), Statistics())
    return Cost(adjacency, witness.loss, upper, witness, tables, statistics)


def _together(
    program: Program, graph: OrderGraph, parts: Sequence[Projection], witnesses: Sequence[Witness | None]
) -> list[RunPart]:
    """A run that takes, where it can, the steps of each witness that belong to its part, in their order.

    It may end early: what it loses is a bound from below in any case.
    """
    waiting = [
        [] if witness is None else _own(program, part, witness, first=number == 0)
        for number, (part, witness) in enumerate(zip(parts, witnesses, strict=True))
    ]
    leaving = out_edges(program)
    run: list[RunPart] = []
    node = 0
    while any(waiting) and node != FINAL:
        queues = sorted(filter(None, waiting), key=_returns)
        heads = {queue[0].steps[0][0].source: queue for queue in queues}  # what returns comes first
        free = {e.number for e in program.edges if _is_free(e, parts, waiting)}
        way = _way(leaving, graph.states[node], heads, free)
        if way is None:
            break
        chosen = [RunPart(((edge, 0),)) for edge in way]
        queue = heads[way[-1].target if way else graph.states[node]]
        chosen.append(queue.pop(0))
        for part in chosen:
            after = _after(graph, node, part)
            if after is None:
                return run
            node = after
            run.append(part)
    return run


def _returns(queue: Sequence[RunPart]) -> bool:
    """Whether the first steps of a queue end where they began."""
    steps = queue[0].steps
    return steps[0][0].source == steps[-1][0].target


def _own(program: Program, part: Projection, witness: Witness, *, first: bool) -> list[RunPart]:
    """The steps of a witness that belong to its part, and its loops."""
    found: list[RunPart] = []
    steps = iter(witness.steps)
    for length, count in witness.turns:
        own = tuple((program.edges[s.edge.number], s.delta) for s in islice(steps, length))
        if count > 1:
            found.append(RunPart(own, is_loop=True))
        else:
            found += [RunPart((s,)) for s in own if _counts(s[0], part.names, first=first)]
    return found


def _counts(edge: Edge, names: Sequence[str], *, first: bool) -> bool:
    """Whether an edge belongs to a part and can cost anything."""
    own = named(edge)
    return not own.isdisjoint(names) or (first and not own and edge.discloses)


def _is_free(edge: Edge, parts: Sequence[Projection], waiting: Sequence[Sequence[RunPart]]) -> bool:
    """Whether no part still waits for steps of which this could be one."""
    return not any(
        queue and _counts(edge, part.names, first=number == 0)
        for number, (part, queue) in enumerate(zip(parts, waiting, strict=True))
    )


def _way(
    leaving: Mapping[str, Sequence[Edge]], start: str, goals: Mapping[str, object], free: set[int]
) -> list[Edge] | None:
    """A shortest way along free edges to one of some states; None if there is none."""

    def after(state: str) -> list[tuple[str, Edge]]:
        return [(e.target, e) for e in leaving[state] if e.number in free and e.target in leaving]

    found = nearest_way([start], after, goals)
    return None if found is None else found[1]


def _after(graph: OrderGraph, node: int, part: RunPart) -> int | None:
    """The node after some steps; None if they are blocked, end the run, or cannot be repeated."""
    place = node
    for edge, _ in part.steps:
        arrows = () if place == FINAL else graph.arrows[place]
        arrow = next((arrow for arrow in arrows if arrow.edge.number == edge.number), None)
        if arrow is None:
            return None
        place = arrow.target
    return None if part.is_loop and place != node else place
