"""Runs that users write down, and the looping branches that runs follow (prover.program.branches)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prover.errors import BadValue, UnknownName, quoted
from prover.program.branches import Branch, BranchEdge
from prover.program.graph import Components, components, route
from prover.program.model import Edge, Program, out_edges


def empty_path() -> BadValue:
    """A path has no step."""
    return BadValue(
        "the path is empty; it begins with the transition of the initial state", code="empty-path"
    )


def unknown_transition(number: int, count: int) -> UnknownName:
    """A path names a transition by a number that no transition has."""
    there = {0: "no transition", 1: "the transition 0 only"}
    known = there.get(count, f"the transitions 0 to {count - 1}")
    return UnknownName(f"no transition {number}; the program has {known}", code="unknown-transition")


def broken_path(place: int, state: str, given: str) -> BadValue:
    """A step of a path does not begin where the step before it ends, or the first one not at the start."""
    return BadValue(f"step {place} of the path begins at {quoted(state)}, and {given}", code="broken-path")


def ambiguous_step(source: str, target: str, numbers: Sequence[int]) -> BadValue:
    """Several transitions lead from one state of a path to the next."""
    several = ", ".join(map(str, numbers))
    return BadValue(
        f"transitions {several} lead from {quoted(source)} to {quoted(target)}; write the path in numbers",
        code="ambiguous-step",
    )


LONGEST_NUMBER = 20
"""What has as many digits is no number of a transition."""


def parse_path(text: str) -> tuple[int | str, ...]:
    """A path as users write it: with commas between numbers of transitions, or else names of states."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdigit() and len(part) < LONGEST_NUMBER for part in parts):
        return tuple(int(part) for part in parts)
    return tuple(parts)


def run_along(program: Program, path: Sequence[int | str]) -> tuple[Edge, ...]:
    """The run along a path from the initial state, given as numbers of transitions or as names of states.

    Raises BadValue and UnknownName.
    """
    if all(isinstance(part, int) for part in path):
        return _by_numbers(program, [int(part) for part in path])
    return _by_names(program, [str(part) for part in path])


def _by_numbers(program: Program, numbers: Sequence[int]) -> tuple[Edge, ...]:
    if not numbers:
        raise empty_path()
    edges = []
    state = program.initial
    for index, number in enumerate(numbers):
        if not 0 <= number < len(program.edges):
            raise unknown_transition(number, len(program.edges))
        edge = program.edges[number]
        if edge.source != state:
            raise broken_path(index, state, f"transition {number} leaves {quoted(edge.source)}")
        edges.append(edge)
        state = edge.target
    return tuple(edges)


def _by_names(program: Program, names: Sequence[str]) -> tuple[Edge, ...]:
    leaving = out_edges(program)
    known = leaving.keys() | {edge.target for edge in program.edges}
    for name in names:
        if name not in known:
            raise UnknownName(
                f"the path names {quoted(name)}, which is no state of the program", code="unknown-path-state"
            )
    if names[0] != program.initial:
        raise broken_path(0, program.initial, f"the path begins with {quoted(names[0])}")
    if len(names) == 1:
        raise empty_path()
    edges = []
    for index, target in enumerate(names[1:]):
        source = names[index]
        found = [edge for edge in leaving.get(source, ()) if edge.target == target]
        if not found:
            raise broken_path(index, source, f"no transition leads from there to {quoted(target)}")
        if len(found) > 1:
            raise ambiguous_step(source, target, [edge.number for edge in found])
        edges += found
    return tuple(edges)


def branch_of(program: Program, run: Sequence[Edge]) -> Branch:
    """The looping branch that a run follows, with the cycles of the component where it ends."""
    parts = components(program)
    component = parts.number[program.initial]
    last: Edge | None = None
    places: list[BranchEdge] = []
    leaks = False
    for edge in (*run, None):
        if edge is not None and parts.holds(edge):
            last = edge if edge.assigns else last
            continue
        visit, leaking = _visited(parts, component, last)
        places += visit
        leaks |= leaking
        if edge is not None:
            places.append(BranchEdge(edge))
            last = None
            component = parts.number.get(edge.target, -1)
    return Branch(tuple(places), leaks)


def _visited(parts: Components, component: int, last: Edge | None) -> tuple[tuple[BranchEdge, ...], bool]:
    """What a branch has of a component (none: -1) in which ``last`` assigns last, and whether that leaks."""
    inside = [edge for edge in parts.edges if parts.holds(edge) and parts.number[edge.source] == component]
    assigning = [edge for edge in inside if edge.assigns]
    leaks = bool(assigning) and any(edge.guard for edge in inside)
    if not leaks:
        assigning = [] if last is None else [last]
    edges = [*assigning, *(edge for edge in inside if not edge.assigns)]
    return tuple(BranchEdge(edge, on_cycle=True) for edge in edges), leaks


def leaking_components(parts: Components, branch: Branch) -> frozenset[int]:
    """The components of a branch with an edge that assigns and one with a guard, both on cycles."""
    cyclic = [place.edge for place in branch.steps if place.on_cycle]
    assigning = {parts.number[edge.source] for edge in cyclic if edge.assigns}
    return frozenset(assigning & {parts.number[edge.source] for edge in cyclic if edge.guard})


def run_on(program: Program, branch: Branch) -> tuple[Edge, ...]:
    """A short run that follows a looping branch; it takes cycles only where it has to."""
    parts = components(program)
    leaving = out_edges(program)
    leaking = leaking_components(parts, branch)
    run: list[Edge] = []
    state = program.initial
    for place in branch.steps:
        edge = place.edge
        component = parts.number[edge.source]
        leaks = component in leaking
        if place.repeats or (place.on_cycle and leaks):
            continue
        free = place.on_cycle or leaks
        way = route(leaving, state, edge.source, parts.holds if free else _keeping(parts))
        run += [*way, edge]
        state = edge.target
    return tuple(run)


def _keeping(parts: Components) -> Callable[[Edge], bool]:
    """Whether an edge is on a cycle and does not assign."""
    return lambda edge: parts.holds(edge) and not edge.assigns
