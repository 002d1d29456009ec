"""Transitions that nobody can tell apart, and one of which is always taken: they are one without a test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from prover.program.model import Program, Transition, out_edges
from prover.program.observer.words import orders_samples


@dataclass(frozen=True, slots=True)
class Merged:
    """A program with one transition in place of each of some ``pairs``, numbers of transitions.

    The loss of its runs bounds that of an observer of the other program (docs/theory_observer.md, *Merging*).
    """

    program: Program
    pairs: tuple[tuple[int, int], ...]


def merged(program: Program) -> Merged | None:
    """The program with all pairs merged; None if there are none.

    Of a pair one transition has the test < and the other the test >= of one variable, and no other one; all
    else is equal.
    """
    if not orders_samples(program):
        return None
    found: list[tuple[int, int]] = []
    states = {}
    for name, edges in out_edges(program).items():
        own = program.states[name]
        pairs = list(_pairs(own.transitions))
        gone = {second for _, second in pairs}
        first = {first for first, _ in pairs}
        cases = [
            replace(case, guard=()) if k in first else case
            for k, case in enumerate(own.transitions)
            if k not in gone
        ]
        if len(set(cases)) < len(cases):
            pairs, cases = [], list(own.transitions)
        found += [(edges[a].number, edges[b].number) for a, b in pairs]
        states[name] = replace(own, transitions=tuple(cases))
    if not found:
        return None
    return Merged(Program(program.initial, states, program.final, program.noise), tuple(sorted(found)))


def _pairs(cases: tuple[Transition, ...]) -> Iterator[tuple[int, int]]:
    taken: set[int] = set()
    for (a, first), (b, second) in combinations(enumerate(cases), 2):
        if len(first.guard) != 1 or len(second.guard) != 1 or not taken.isdisjoint((a, b)):
            continue
        covering = {first.guard[0], second.guard[0]} == {(r, first.guard[0][1]) for r in ("<", ">=")}
        if covering and replace(first, guard=()) == replace(second, guard=()):
            taken.update((a, b))
            yield a, b
