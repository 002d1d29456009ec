"""The looping branches of a program: its periodic programs, and its straight lines where nothing loops.

A *looping branch* is one way through the strongly connected components: the edges between components in
order, each once, and in between the cycles of the components that are passed. Where a component assigns on
its cycles, the branch chooses the edge that does so last; without one it passes the component without
assigning. Every run follows a branch (docs/theory_programs.md, *One looping branch, and two errors in
print*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from prover.errors import BeyondLimit, InvalidModel
from prover.program.graph import Components, OutEdges, components, search
from prover.program.model import Edge, Program, out_edges


class TooManyBranches(BeyondLimit):
    """The looping branches of a program have more steps together than the limit allows."""

    def __init__(self, most: int) -> None:
        super().__init__(f"the looping branches of the program have together more than {most} steps")


MOST_STEPS = 20_000
"""How many steps the branches of a program may have together."""


@dataclass(frozen=True, slots=True)
class BranchEdge:
    """An edge of a branch. ``on_cycle``: it can be taken again and again.

    An edge on a cycle that assigns is in a branch for its last turn.
    """

    edge: Edge
    on_cycle: bool = False

    @property
    def repeats(self) -> bool:
        """Whether this is a step of every turn, as edges on cycles are that store nothing."""
        return self.on_cycle and not self.edge.assigns


@dataclass(frozen=True, slots=True)
class Branch:
    """The steps of a branch, in order; the first one assigns, and its guard does not count.

    ``leaks``: it passes a component with an edge that assigns and one with a guard (a leaking cycle). Then no
    strategy has a finite cost. Raises InvalidModel.
    """

    steps: tuple[BranchEdge, ...]
    leaks: bool = False

    def __post_init__(self) -> None:
        if not self.steps or not self.steps[0].edge.assigns:
            raise InvalidModel(
                "the first step of a branch stores nothing; every run begins with an assignment",
                code="nothing-stored-first",
            )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges in order."""
        return tuple(place.edge for place in self.steps)

    @property
    def is_hopeless(self) -> bool:
        """Whether it has a leaking or a disclosing cycle."""
        return self.leaks or any(
            place.on_cycle and place.edge.input and place.edge.discloses for place in self.steps
        )


@dataclass(frozen=True, slots=True)
class _Way:
    """A branch while it is written, last visit first."""

    before: _Way | None
    steps: tuple[BranchEdge, ...]
    leaks: bool
    length: int

    def with_more(self, places: Iterable[BranchEdge], leaks: bool = False) -> _Way:
        new = tuple(places)
        return _Way(self, new, self.leaks or leaks, self.length + len(new))

    def branch(self) -> Branch:
        parts, way = [], self
        while way.before is not None:
            parts.append(way.steps)
            way = way.before
        return Branch(tuple(place for part in reversed(parts) for place in part), self.leaks)


def looping_branches(program: Program, most: int = MOST_STEPS) -> tuple[Branch, ...]:
    """All branches that cannot be continued, in a fixed order. Raises TooManyBranches.

    Where a component leaks, all its edges belong to a branch through it, and assigning ones come first.
    """
    leaving, parts = out_edges(program), components(program)
    inside: dict[int, list[Edge]] = {}
    for edge in parts.edges:
        if parts.holds(edge):
            inside.setdefault(parts.number[edge.source], []).append(edge)
    found: list[Branch] = []
    steps = 0
    waiting = [(program.initial, _Way(None, (), leaks=False, length=0))]
    while waiting:
        entry, way = waiting.pop()
        for visited, exits in reversed(list(_visits(leaving, parts, inside, entry, way))):
            steps += visited.length if not exits else 0
            if not exits:
                found.append(visited.branch())
            for edge in reversed(exits):
                on = visited.with_more([BranchEdge(edge)])
                if edge.target in leaving:
                    waiting.append((edge.target, on))
                else:
                    steps += on.length
                    found.append(on.branch())
            if steps > most:
                raise TooManyBranches(most)
    return tuple(sorted(found, key=lambda branch: [place.edge.number for place in branch.steps]))


def _visits(
    leaving: OutEdges, parts: Components, inside: dict[int, list[Edge]], entry: str, way: _Way
) -> Iterator[tuple[_Way, list[Edge]]]:
    """The ways through the component that is entered at a state, each with the edges that leave it after."""
    cycles = inside.get(parts.number[entry], [])
    stays = {edge.number for edge in cycles if not edge.assigns}
    assigning = [edge for edge in cycles if edge.assigns]
    members = list(dict.fromkeys([entry, *(edge.source for edge in cycles)]))
    looping = [BranchEdge(edge, on_cycle=True) for edge in cycles if not edge.assigns]
    if assigning and any(edge.guard for edge in cycles):
        every = [BranchEdge(edge, on_cycle=True) for edge in assigning] + looping
        yield way.with_more(every, leaks=True), _exits(leaving, parts, members)
        return
    # A run begins with an edge that assigns, so it cannot pass the component it begins in without.
    lasts: list[Edge | None] = [*([None] if way.length or not assigning else []), *assigning]
    for last in lasts:
        begin = entry if last is None else last.target
        reached = search(leaving, [begin], lambda edge: edge.number in stays)
        chosen = [] if last is None else [BranchEdge(last, on_cycle=True)]
        exits = _exits(leaving, parts, [state for state in members if state in reached])
        if last is None and assigning and not exits:
            continue  # it can only go on by assigning
        yield way.with_more([*chosen, *looping]), exits


def _exits(leaving: OutEdges, parts: Components, states: Iterable[str]) -> list[Edge]:
    return [edge for state in states for edge in leaving[state] if not parts.holds(edge)]
