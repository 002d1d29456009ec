"""The program as an observer sees it: states that look alike as one, and tests that nobody sees as none.

States are *alike* if their noise is the same and their transitions are, up to states that are alike, to what
is stored and never tested again, and to tests both of whose sides look alike. Of a state whose only
transition outputs a letter, whatever is drawn, noise does not matter. Words have the same probabilities then
(docs/theory_observer.md, *Merging*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from prover.program.model import Edge, Program, State, Test, Transition, out_edges, reachable
from prover.program.observer.words import orders_samples
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Outputs, numbers_of

FINAL = -1
"""The class of all final states."""

GuardSet = frozenset[Test]


@dataclass(frozen=True, slots=True)
class LookAlikes:
    """Transitions of a state that look alike, and the tests that a sample passes which takes one of them."""

    guard: GuardSet
    assign: frozenset[str]
    output: Outputs
    target: int
    edges: tuple[Edge, ...]

    def without_test(self, other: LookAlikes) -> LookAlikes | None:
        """Both as one, if they differ in one test only, which holds for the one or for the other."""
        apart = sorted(self.guard ^ other.guard)
        whole = len(apart) == 2 and {r for r, _ in apart} == {"<", ">="} and apart[0][1] == apart[1][1]
        same = (self.assign, self.output, self.target) == (other.assign, other.output, other.target)
        if not whole or not same:
            return None
        edges = (*self.edges, *other.edges)
        return LookAlikes(self.guard & other.guard, self.assign, self.output, self.target, edges)


@dataclass(frozen=True, slots=True)
class Quotient:
    """A smaller program, with the state and the transition of it that each reached one stands for."""

    program: Program
    states: Mapping[str, str]
    transitions: Mapping[int, int]


def quotient(program: Program) -> Quotient | None:
    """The smallest such program; None if none has fewer transitions, or it cannot be said."""
    if not orders_samples(program) or any({INSAMPLE, INSAMPLE_PRIME} <= {*e.outputs} for e in program.edges):
        return None
    reached = sorted(reachable(program))
    leaving = out_edges(program)
    part = dict.fromkeys(reached, 0)
    live: dict[str, frozenset[str]] = dict.fromkeys(reached, frozenset())
    while True:
        cases = {q: _cases(leaving[q], part, live) for q in reached}
        further = {q: live[q].union(*(_needed(case, live) for case in cases[q])) for q in reached}
        marks = {q: (part[q], _mark(program.states[q], cases[q])) for q in reached}
        numbers = {mark: k for k, mark in enumerate(dict.fromkeys(marks.values()))}
        finer = {q: numbers[marks[q]] for q in reached}
        if finer == part and further == live:
            break
        part, live = finer, further
    return _built(program, part, cases)


def _cases(
    edges: Sequence[Edge], part: Mapping[str, int], live: Mapping[str, frozenset[str]]
) -> list[LookAlikes]:
    """The transitions of a state, those that look alike and differ in tests that nobody sees as one."""
    found = []
    for edge in edges:
        kept = live.get(edge.target, frozenset()).intersection(edge.assign)
        output = edge.outputs[0] if len(edge.outputs) == 1 else edge.outputs
        target = part.get(edge.target, FINAL)
        found.append(LookAlikes(frozenset(edge.guard), kept, output, target, (edge,)))
    while True:
        pairs = ((a, b, a.without_test(b)) for a, b in combinations(found, 2))
        both = next(((a, b, one) for a, b, one in pairs if one is not None), None)
        if both is None:
            return found
        first, second, one = both
        found = [one if case is first else case for case in found if case is not second]


def _needed(case: LookAlikes, live: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What a state has to know for a case: what it tests, and what is needed later."""
    later = frozenset[str]().union(*(live.get(edge.target, ()) for edge in case.edges))
    return frozenset(name for _, name in case.guard) | (later - case.assign)


def _mark(state: State, cases: Sequence[LookAlikes]) -> object:
    """What has to be the same of states that are alike; cases are many if they are equal."""
    own = sorted((sorted(c.guard), sorted(c.assign), str(c.output), c.target) for c in cases)
    shown = any(INSAMPLE_PRIME in case.edges[0].outputs for case in cases)
    second = state.second if shown else None
    return str(own), None if _is_quiet(cases) else (state.input, state.rates, state.mean, second)


def _is_quiet(cases: Sequence[LookAlikes]) -> bool:
    """Whether it makes no difference what is drawn."""
    if len(cases) > 1:
        return False
    (case,) = cases
    return not case.guard and not case.assign and not numbers_of(case.output)


def _built(
    program: Program, part: Mapping[str, int], cases: Mapping[str, list[LookAlikes]]
) -> Quotient | None:
    first: dict[int, str] = {part[program.initial]: program.initial}
    for name, number in part.items():
        first.setdefault(number, name)
    states, places = {}, {}
    for number, name in first.items():
        listed: list[Transition] = []
        for case in cases[name]:
            edge = case.edges[0]
            every = name == program.initial
            assign = tuple(v for v in edge.assign if every or v in case.assign)
            target = first[case.target] if case.target != FINAL else edge.target
            listed.append(Transition(tuple(sorted(case.guard)), assign, case.output, target))
        if len(set(listed)) < len(listed):
            return None
        places[number] = [_key(case) for case in cases[name]]
        if len(set(places[number])) < len(listed):
            return None
        states[name] = replace(program.states[name], transitions=tuple(listed))
    small = Program(program.initial, states, program.final, program.noise)
    if len(small.edges) == sum(edge.source in part for edge in program.edges):
        return None
    start = {name: edges[0].number for name, edges in out_edges(small).items()}
    images = {
        edge.number: start[first[part[name]]] + places[part[name]].index(_key(case))
        for name, own in cases.items()
        for case in own
        for edge in case.edges
    }
    return Quotient(small, {name: first[number] for name, number in part.items()}, images)


def _key(case: LookAlikes) -> tuple[GuardSet, frozenset[str], Outputs, int]:
    return case.guard, case.assign, case.output, case.target
