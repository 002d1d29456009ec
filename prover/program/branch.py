"""Runs that users write down, and the looping branches that runs follow.

A *looping branch* is one way through the components of a program: the edges that are on no cycle, in order,
and between them all cycles of the components in between. Where a component assigns on cycles, the branch
chooses the last edge that does (docs/theory_programs.md, *One looping branch*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from prover.errors import BadInput, quoted
from prover.program.graph import Components, Leaving, components, route, search
from prover.program.model import Edge, Program, outgoing


class EmptyPath(BadInput):
    """A path has no step."""

    def __init__(self) -> None:
        super().__init__("the path is empty; it begins with the transition of the initial state")


class UnknownTransition(BadInput):
    """A path names a transition by a number that no transition has."""

    def __init__(self, number: int, count: int) -> None:
        super().__init__(f"no transition {number}; the program has the transitions 0 to {count - 1}")


class UnknownPathState(BadInput):
    """A path names a state that the program does not have and no transition leads to."""

    def __init__(self, state: str) -> None:
        super().__init__(f"the path names {quoted(state)}, which is no state of the program")


class BrokenPath(BadInput):
    """A step of a path does not begin where the step before it ends, or the first one not at the start."""

    def __init__(self, place: int, state: str, given: str) -> None:
        super().__init__(f"step {place} of the path begins at {quoted(state)}, and {given}")


class AmbiguousStep(BadInput):
    """Several transitions lead from one state of a path to the next."""

    def __init__(self, source: str, target: str, numbers: Sequence[int]) -> None:
        several = ", ".join(map(str, numbers))
        super().__init__(
            f"transitions {several} lead from {quoted(source)} to {quoted(target)}; write the path in numbers"
        )


LONGEST_NUMBER = 20
"""What has as many digits is no number of a transition."""


@dataclass(frozen=True, slots=True)
class Place:
    """An edge of a looping branch; ``cycle`` is a number that the edges of one component's cycles share.

    It is None for edges on no cycle.
    """

    edge: Edge
    cycle: int | None


Branch = tuple[Place, ...]


def parse_path(text: str) -> tuple[int | str, ...]:
    """A path as users write it: with commas between numbers of transitions, or else names of states."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdigit() and len(part) < LONGEST_NUMBER for part in parts):
        return tuple(int(part) for part in parts)
    return tuple(parts)


def run_along(program: Program, path: Sequence[int | str]) -> tuple[Edge, ...]:
    """The run along a path from the initial state, given as numbers of transitions or as names of states.

    Raises EmptyPath, UnknownTransition, UnknownPathState, BrokenPath and AmbiguousStep.
    """
    if all(isinstance(part, int) for part in path):
        return _by_numbers(program, [int(part) for part in path])
    return _by_names(program, [str(part) for part in path])


def _by_numbers(program: Program, numbers: Sequence[int]) -> tuple[Edge, ...]:
    if not numbers:
        raise EmptyPath
    edges = []
    state = program.initial
    for place, number in enumerate(numbers):
        if not 0 <= number < len(program.edges):
            raise UnknownTransition(number, len(program.edges))
        edge = program.edges[number]
        if edge.source != state:
            raise BrokenPath(place, state, f"transition {number} leaves {quoted(edge.source)}")
        edges.append(edge)
        state = edge.target
    return tuple(edges)


def _by_names(program: Program, names: Sequence[str]) -> tuple[Edge, ...]:
    leaving = outgoing(program)
    known = leaving.keys() | {edge.target for edge in program.edges}
    for name in names:
        if name not in known:
            raise UnknownPathState(name)
    if names[0] != program.initial:
        raise BrokenPath(0, program.initial, f"the path begins with {quoted(names[0])}")
    if len(names) == 1:
        raise EmptyPath
    edges = []
    for place, target in enumerate(names[1:]):
        source = names[place]
        found = [edge for edge in leaving.get(source, ()) if edge.target == target]
        if not found:
            raise BrokenPath(place, source, f"no transition leads from there to {quoted(target)}")
        if len(found) > 1:
            raise AmbiguousStep(source, target, [edge.number for edge in found])
        edges += found
    return tuple(edges)


def branch_of(program: Program, run: Sequence[Edge]) -> Branch:
    """The looping branch that a run follows, with the cycles of the component where it ends."""
    parts = components(program)
    branch: list[Place] = []
    component = parts.number[program.initial]
    last: Edge | None = None
    for edge in run:
        if parts.holds(edge):
            last = edge if edge.assigns else last
            continue
        branch += _visit(parts, component, last)
        branch.append(Place(edge, None))
        last = None
        component = parts.number.get(edge.target, -1)
    return (*branch, *_visit(parts, component, last))


def looping_branches(program: Program) -> Iterator[Branch]:
    """The looping branches of a program, without those that others continue; there may be very many."""
    parts = components(program)
    leaving = outgoing(program)
    waiting: list[tuple[Branch, str]] = [((), program.initial)]
    while waiting:
        branch, entry = waiting.pop()
        if entry not in leaving:
            yield branch
            continue
        component = parts.number[entry]
        ways: list[tuple[Branch, str]] = []
        for last in _lasts(program, parts, component):
            visit = (*branch, *_visit(parts, component, last))
            exits = _exits(leaving, parts, entry if last is None else last.target)
            if not exits:
                yield visit
            ways += [((*visit, Place(edge, None)), edge.target) for edge in exits]
        waiting += reversed(ways)


def run_on(program: Program, branch: Branch) -> tuple[Edge, ...]:
    """A short run that follows a looping branch; it takes cycles only where it has to."""
    parts = components(program)
    leaving = outgoing(program)
    leaking = {place.cycle for place in branch if leaks(branch, place)}
    run: list[Edge] = []
    state = program.initial
    for place in branch:
        edge = place.edge
        if place.cycle is None or (edge.assigns and place.cycle not in leaking):
            free = place.cycle is not None or parts.number[edge.source] in leaking
            run += [*route(leaving, state, edge.source, parts.holds if free else _keeping(parts)), edge]
            state = edge.target
    return tuple(run)


def leaks(branch: Branch, place: Place) -> bool:
    """Whether a place tests on a cycle that assigns, so that the branch is not private."""
    if place.cycle is None or not place.edge.relation:
        return False
    return any(other.cycle == place.cycle and other.edge.assigns for other in branch)


def _cycles(parts: Components, component: int) -> list[Edge]:
    return [edge for edge in parts.edges if parts.holds(edge) and parts.number[edge.source] == component]


def _is_leaking(cycles: Sequence[Edge]) -> bool:
    return any(edge.assigns for edge in cycles) and any(edge.relation for edge in cycles)


def _lasts(program: Program, parts: Components, component: int) -> list[Edge | None]:
    """The edges of a component that may be the last to assign on a cycle; None is for none.

    The step of the initial state assigns, and every run takes it.
    """
    cycles = _cycles(parts, component)
    if _is_leaking(cycles):
        return [None]
    assigning = [edge for edge in cycles if edge.assigns]
    return list(assigning) if any(edge.source == program.initial for edge in cycles) else [None, *assigning]


def _visit(parts: Components, component: int, last: Edge | None) -> Branch:
    """What a branch has of a component: its cycles, of those that assign only the last edge that does.

    All of them where there is a leaking cycle.
    """
    cycles = _cycles(parts, component)
    if _is_leaking(cycles):
        edges = sorted(cycles, key=lambda edge: not edge.assigns)
    else:
        edges = [edge for edge in cycles if not edge.assigns]
        edges = edges if last is None else [last, *edges]
    return tuple(Place(edge, component) for edge in edges)


def _keeping(parts: Components) -> Callable[[Edge], bool]:
    """Whether an edge is on a cycle and does not assign."""
    return lambda edge: parts.holds(edge) and not edge.assigns


def _exits(leaving: Leaving, parts: Components, begin: str) -> list[Edge]:
    """The edges that leave a component and can be reached from a state of it without assigning on a cycle.

    Where there is a leaking cycle, all edges on the way count.
    """
    leaking = _is_leaking(_cycles(parts, parts.number[begin]))
    reached = search(leaving, [begin], parts.holds if leaking else _keeping(parts))
    return [edge for state in reached for edge in leaving[state] if not parts.holds(edge)]
