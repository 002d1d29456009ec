"""The looping branches of small programs, and their privacy constraint graphs as printed, errors included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from prover.program.branches import Branch as LoopingBranch
from prover.program.branches import BranchEdge
from prover.program.graph import Components, components, search
from prover.program.model import Edge, Program, out_edges
from prover.program.shifts import ANYTHING, allowed, nearest, repeats_freely, window
from prover.program.strategies.strategy import CouplingStrategy
from prover.smt.two_sat import BranchStep

Branch = tuple[Edge, ...]


def branches(program: Program) -> list[list[BranchStep]]:
    """All ways through the components, each with the cycles on it."""
    parts = components(program)
    return [
        [
            BranchStep(
                edge.relation,
                edge.assigns,
                edge.output,
                edge.input,
                parts.number[edge.source] if parts.holds(edge) else None,
            )
            for edge in branch
        ]
        for branch in edges_of_branches(program)
    ]


def edges_of_branches(program: Program) -> list[Branch]:
    """The same as edges."""
    return list(_ways(program, components(program), program.initial))


def _ways(program: Program, parts: Components, entry: str) -> Iterator[Branch]:
    """The branches from a state where a component is entered; longest only."""
    leaving = out_edges(program)
    cycles = [
        edge for edge in parts.edges if parts.holds(edge) and parts.number[edge.source] == parts.number[entry]
    ]
    members = {edge.source for edge in cycles} | {entry}
    stays = [edge for edge in cycles if not edge.assigns]
    tests = any(edge.relation for edge in cycles)
    # Edges that assign on cycles, all with guard true, matter only if they are the last of the visit.
    lasts: list[Edge | None] = [None, *(edge for edge in cycles if edge.assigns)]
    for last in lasts:
        begin = entry if last is None else last.target
        reached = search(leaving, [begin], lambda edge: edge in stays)
        if tests and len(lasts) > 1:  # a leaking cycle: show all of it
            visit, reached = tuple(sorted(cycles, key=lambda edge: not edge.assigns)), members
        else:
            visit = tuple(stays) if last is None else (last, *stays)
        exits = [edge for state in members & set(reached) for edge in leaving[state] if not parts.holds(edge)]
        for edge in exits:
            if edge.target in leaving:
                yield from ((*visit, edge, *rest) for rest in _ways(program, parts, edge.target))
            else:
                yield (*visit, edge)
        if not exits:
            yield visit


def printed_graph(program: Program, branch: Sequence[Edge]) -> set[tuple[str, str]]:
    """The arcs of the printed graph of a branch: no vertex 0, no word on leaking or disclosing cycles."""
    parts = components(program)
    arcs = set()
    at = ""
    for edge in branch:
        vertex = str(edge.number)
        arcs |= {("-1", vertex), (vertex, "1")}
        if edge.relation == "<":
            arcs.add((vertex, at))
        if edge.relation == ">=":
            arcs.add((at, vertex))
        if parts.holds(edge) and edge.relation == "<":
            arcs.add(("1", vertex))
        if parts.holds(edge) and edge.relation == ">=":
            arcs.add((vertex, "-1"))
        if edge.assigns:
            at = vertex
    return arcs


def says_private(arcs: set[tuple[str, str]]) -> bool:
    """The printed answer: no path leads from 1 to -1."""
    reached = {"1"}
    while new := {end for start, end in arcs if start in reached} - reached:
        reached |= new
    return "-1" not in reached


def straight_line(edges: Iterable[Edge]) -> LoopingBranch:
    """The branch of a run, in which nothing is repeated. Raises InvalidModel."""
    return LoopingBranch(tuple(BranchEdge(edge) for edge in edges))


def is_straight(branch: LoopingBranch) -> bool:
    """Whether nothing on a branch loops."""
    return not any(place.on_cycle for place in branch.steps)


def shifts_of(strategy: CouplingStrategy, differences: Sequence[int]) -> tuple[int, ...] | None:
    """The shifts for these differences; repeated steps follow theirs. None if the guards do not allow them.

    They also count as not allowed where a repeated step could not follow other differences.
    """
    if strategy.branch.is_hopeless:
        return None
    shifts: list[int] = []
    stored: dict[str, int] = {}
    for k, (place, delta) in enumerate(zip(strategy.branch.steps, differences, strict=True)):
        within = window(place.edge, stored) if k else ANYTHING  # the guard of the first step does not count
        shift, fixed = nearest(place.edge, delta, within), strategy.fixed[k]
        if place.repeats:
            shift = delta if repeats_freely(place.edge, within) else None
        elif fixed is not None:
            shift = fixed if allowed(place.edge, fixed, within) else None
        if shift is None:
            return None
        shifts.append(shift)
        stored.update(dict.fromkeys(place.edge.assign, shift))
    return tuple(shifts)
