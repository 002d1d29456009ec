"""What a program should be like, beyond what is needed to read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from prover.program.errors import not_formulated
from prover.program.gaps import exclude, uncovered, unseen_ends
from prover.program.model import Edge, Program, forgetful, reachable
from prover.program.outputs import seen_of


@dataclass(frozen=True, slots=True)
class Conditions:
    """Which conditions a program meets that are not needed to read it, and the states that break them.

    *Determinism*: the guards of two transitions of one state exclude each other. *Output distinction*: two
    transitions of one state have different letters, or one of them none, or different numbers of numbers;
    then outputs tell an observer which run it was, and otherwise the loss of runs bounds the observer's from
    above only. *Coverage*: some guard of a state holds, whatever insample is; else runs stop there.
    *Endings*: no run ends where another one with the same outputs goes on. What cannot be reached does not
    matter.
    """

    determinism: bool
    output_distinction: bool
    coverage: bool
    endings: bool
    nondeterministic_states: tuple[str, ...]
    indistinct_states: tuple[str, ...]
    gap_states: tuple[str, ...]
    ending_states: tuple[str, ...]

    @property
    def stopping_tells(self) -> bool:
        """Whether who sees that a run stops may learn something by that."""
        return not self.coverage or not self.endings


def conditions(program: Program) -> Conditions:
    """The conditions that the program meets where runs can come."""
    distinct, indistinct = output_distinction(program)
    if program.of is not None:
        program = forgetful(program.of)
    overlapping = []
    for name in sorted(reachable(program)):
        pairs = combinations(program.states[name].transitions, 2)
        if not all(exclude(first.guard, second.guard) for first, second in pairs):
            overlapping.append(name)
    gaps, ends = tuple(sorted(uncovered(program))), unseen_ends(program)
    return Conditions(
        determinism=not overlapping,
        output_distinction=distinct,
        coverage=not gaps,
        endings=not ends,
        nondeterministic_states=tuple(overlapping),
        indistinct_states=indistinct,
        gap_states=gaps,
        ending_states=ends,
    )


def output_distinction(program: Program) -> tuple[bool, tuple[str, ...]]:
    """Whether the program meets this condition, and the states that break it."""
    if program.of is None:
        indistinct = indistinct_states(program)
        return not indistinct, indistinct
    given, new = program.of, forgetful(program.of)
    seen = {name: [own.seen for own in state.transitions] for name, state in given.states.items()}
    hidden = {name for name, own in seen.items() if () in own and len(own) > 1}
    if not hidden:
        hidden = {name for name, own in seen.items() if any(own)}
    indistinct = tuple(sorted({*hidden, *indistinct_states(new)}))
    return not indistinct and not given.hides_steps, indistinct


def indistinct_states(program: Program) -> tuple[str, ...]:
    """The states where runs can come and of which two transitions look alike, in order."""
    return tuple(
        name
        for name in sorted(reachable(program))
        for seen in ([seen_of(one.output) for one in program.states[name].transitions],)
        if len(set(seen)) < len(seen)
    )


def require_one_output(edges: Iterable[Edge], asked: str) -> None:
    """Raises NotSupported if one outputs a gap or several things at once; ``asked`` begins the text."""
    for edge in edges:
        if edge.gaps:
            raise not_formulated(asked, edge.source, "which outputs a gap")
        if len(edge.outputs) > 1:
            raise not_formulated(asked, edge.source, "which outputs several things at once")


def require_one_sensitivity(program: Program, asked: str) -> None:
    """Raises NotSupported if a state has a sensitivity of its own; ``asked`` begins the message."""
    for name, state in program.states.items():
        if state.sensitivity is not None:
            raise not_formulated(asked, name, "which has a sensitivity of its own")


def require_plain(program: Program, asked: str) -> None:
    """Raises NotSupported if runs compare by =, or without input, or output a gap or several things at once.

    And where states have sensitivities of their own. ``asked`` begins the message.
    """
    states = reachable(program)
    require_one_output((edge for edge in program.edges if edge.source in states), asked)
    require_one_sensitivity(program, asked)
    for edge in program.edges:
        if edge.source in states:
            if any(relation == "=" for relation, _ in edge.bounds):
                raise not_formulated(asked, edge.source, "which compares by =")
            if edge.bounds and not edge.input:
                raise not_formulated(asked, edge.source, "which compares without reading an input")
