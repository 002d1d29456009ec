"""Families of runs along which sums of inputs differ by ever more (docs/theory_registers.md, Theorem R3).

A cycle is repeated that adds to registers, and what they hold is used afterwards. What is lost then grows by
as much as a run loses of the program in which registers differ by what a turn adds, and inputs do not differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.decision.blocks import Block, RunStep
from prover.program.decision.families import plain
from prover.program.model import Program, variables
from prover.program.optimum.budget import Budget
from prover.program.optimum.measure import measure
from prover.program.optimum.witness import written_out
from prover.program.order_graph import FINAL, Arrow, OrderGraph, order_graph, way
from prover.program.registers import APART, followed
from prover.program.state import INPUT, State, Transition
from prover.progress import Progress

Registers = Mapping[str, int]
"""What registers differ by; those that are not named do not differ."""

LIMIT = 2_000
"""The most states of the program that is measured for a cycle."""

_Place = tuple[str, int, tuple[tuple[str, int], ...]]
"""Before the cycle, on it, or after it; a node, or how many steps of the cycle were taken; and registers."""

_BEFORE, _ON, _AFTER = "before", "on", "after"


def growing_family(program: Program, adjacency: str, budget: Budget, progress: Progress) -> tuple[Block, ...]:
    """Runs of a program with registers whose loss grows with the sums in them; () if none were found."""
    if adjacency == Adjacency.ONE_DIFFER or program.hides_steps:
        return ()
    search = _Search(program, order_graph(followed(program)))
    for cycle in search.cycles():
        for deltas in search.differences(cycle, adjacency):
            family = search.family(cycle, deltas, budget, progress)
            if family:
                return family
    return ()


@dataclass(frozen=True, slots=True)
class _Search:
    """A program, and its nodes; ``cases`` are its transitions, by the numbers of edges."""

    program: Program
    graph: OrderGraph
    cases: list[tuple[State, Transition]] = field(init=False)

    def __post_init__(self) -> None:
        states = self.program.states.values()
        object.__setattr__(self, "cases", [(state, case) for state in states for case in state.transitions])

    def cycles(self) -> Iterator[list[Arrow]]:
        """A shortest cycle through each arrow that adds something up."""
        for arrow in self.graph.all_arrows:
            adds = any(len(terms) > 1 for _, terms in self.cases[arrow.edge.number][1].registers)
            if adds and arrow.target != FINAL:
                back = way(self.graph.arrows, arrow.target, {arrow.source}, lambda _: True)
                if back is not None:
                    yield [arrow, *back]

    def differences(self, cycle: Sequence[Arrow], adjacency: str) -> Iterator[list[int]]:
        """Differences of inputs of which every turn adds the same to registers, and something."""
        reads = [self.cases[arrow.edge.number][0].input for arrow in cycle]
        chosen = [[k == one for k in range(len(cycle))] for one, own in enumerate(reads) if own]
        for some in (reads, *chosen):
            for sign in extreme_points(adjacency, True):
                deltas = [sign * (own and one) for own, one in zip(reads, some, strict=True)]
                once = self.turn(cycle, deltas, {})
                twice = {name: 2 * own for name, own in once.items()}
                if once and self.turn(cycle, deltas, once) == twice:
                    yield deltas

    def turn(self, cycle: Sequence[Arrow], deltas: Sequence[int], registers: Registers) -> Registers:
        """What registers differ by after a turn."""
        for arrow, delta in zip(cycle, deltas, strict=True):
            registers = _after(self.cases[arrow.edge.number][1], registers, delta)
        return registers

    def family(
        self, cycle: Sequence[Arrow], deltas: Sequence[int], budget: Budget, progress: Progress
    ) -> tuple[Block, ...]:
        """The cycle again and again, and a run that loses as much as the registers differ by; or ()."""
        made = self.tilted(cycle, self.turn(cycle, deltas, {}))
        if made is None:
            return ()
        found, taken = made
        if len(variables(found)) > 1 and any(abs(edge.fixed or 0) > 1 for edge in found.edges):
            return ()
        cost = measure(found, Adjacency.ALL_DIFFER, budget, progress)
        if cost.witness is None or not cost.witness.loss:
            return ()
        before, after = list[RunStep](), list[RunStep]()
        for step in written_out(cost.witness):
            arrow, late = taken[step.edge.number]
            (after if late else before).append(RunStep(arrow.edge, 0, step.duals))
        turns = [replace(plain(arrow.edge), delta=own) for arrow, own in zip(cycle, deltas, strict=True)]
        return Block(False, tuple(before)), Block(True, tuple(turns)), Block(False, tuple(after))

    def tilted(
        self, cycle: Sequence[Arrow], added: Registers
    ) -> tuple[Program, list[tuple[Arrow, bool]]] | None:
        """The program whose runs may take the cycle, before which registers begin to differ; and for each of
        its transitions the arrow, and whether registers differ by then. None if it is too large.
        """
        first: _Place = (_BEFORE, 0, ())
        waiting, names = [first], {first: f"0{APART}{self.program.initial}"}
        states: dict[str, State] = {}
        taken: dict[str, list[tuple[Arrow, bool]]] = {}
        while waiting:
            place = waiting.pop()
            name, (when, at, _) = names[place], place
            node = cycle[at].source if when == _ON else at
            cases = list[Transition]()
            taken[name] = []
            for arrow, later, registers in self.steps(place, cycle, added):
                state, case = self.cases[arrow.edge.number]
                target = case.target
                if arrow.target != FINAL:
                    to: _Place = (*later, tuple(sorted(_after(case, registers, 0).items())))
                    if to not in names:
                        names[to] = f"{len(names)}{APART}{case.target}"
                        waiting.append(to)
                    target = names[to]
                fixed = 0 if state.center is None else registers.get(state.center, 0)
                cases.append(replace(case, target=target, registers=(), fixed=fixed))
                taken[name].append((arrow, (when, later[0]) != (_BEFORE, _BEFORE)))
            if cases:
                own = self.program.states[self.graph.states[node]]
                states[name] = replace(own, transitions=tuple(cases), center=None)
            if len(names) > LIMIT:
                return None
        final = {case.target for state in states.values() for case in state.transitions} - states.keys()
        found = Program(names[first], states, frozenset(final), self.program.noise, self.program)
        return found, [own for name in found.states for own in taken[name]]

    def steps(
        self, place: _Place, cycle: Sequence[Arrow], added: Registers
    ) -> Iterator[tuple[Arrow, tuple[str, int], Registers]]:
        """The arrows from a place, where they lead, and what registers differ by before them."""
        when, at, known = place
        if when == _ON:
            later = (_AFTER, cycle[at].target) if at + 1 == len(cycle) else (_ON, at + 1)
            yield cycle[at], later, dict(known)
            return
        for arrow in self.graph.arrows[at]:
            yield arrow, (when, arrow.target), dict(known)
        if when == _BEFORE and at == cycle[0].source:
            yield cycle[0], (_ON, 1) if len(cycle) > 1 else (_AFTER, cycle[0].target), added


def _after(case: Transition, before: Registers, delta: int) -> dict[str, int]:
    """What registers differ by after a transition."""
    known = {**before, INPUT: delta}
    sums = {name: sum(sign * known.get(one, 0) for one, sign in terms) for name, terms in case.registers}
    return {name: own for name, own in sums.items() if own}
