"""Transitions that nobody can tell apart, and one of which is always taken: they are one without a test."""

from __future__ import annotations

from dataclasses import dataclass, replace

from prover.program.model import Edge, Program, out_edges
from prover.program.observer.words import compares_samples, covering_pairs


@dataclass(frozen=True, slots=True)
class Merged:
    """A program with one transition in place of each of some ``pairs``, numbers of transitions.

    The loss of its runs bounds that of an observer of the other program (docs/theory_observer.md, *Merging*).
    """

    program: Program
    pairs: tuple[tuple[int, int], ...]


def merged(program: Program) -> Merged | None:
    """The program with all pairs merged; None if there are none.

    Of a pair one transition has the test < and the other >=, or <= and >, of one variable, and no other one;
    all else is equal.
    """
    if not compares_samples(program):
        return None
    found: list[tuple[int, int]] = []
    states = {}
    for name, edges in out_edges(program).items():
        own = program.states[name]
        pairs = covering_pairs(edges, _are_equal)
        gone = {second for _, second in pairs}
        first = {first for first, _ in pairs}
        cases = tuple(
            replace(case, guard=()) if edge.number in first else case
            for edge, case in zip(edges, own.transitions, strict=True)
            if edge.number not in gone
        )
        if len(set(cases)) < len(cases):
            pairs, cases = [], own.transitions
        found += pairs
        states[name] = replace(own, transitions=cases)
    if not found:
        return None
    return Merged(Program(program.initial, states, program.final, program.noise), tuple(sorted(found)))


def _are_equal(first: Edge, second: Edge) -> bool:
    """Whether two edges of a state differ in nothing but their tests."""
    return (first.assign, first.outputs, first.target) == (second.assign, second.outputs, second.target)
