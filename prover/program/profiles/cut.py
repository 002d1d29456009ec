"""Programs in which numbers that are only output are seen by whether they are below 0.

Reference: docs/theory_profiles.md, *Numbers that are output*.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

from prover.program.model import Program, State, Transition
from prover.program.noise import INFINITE
from prover.program.outputs import INSAMPLE, numbers_of, seen_of
from prover.program.scope import has_own_sensitivities

NAME = "\0"
"""Of the state in front, which stores 0, and of the variable that holds it: the first of all names."""
START = "unseen"
LETTERS = MappingProxyType({"<": f"{INSAMPLE} < 0", ">=": f"{INSAMPLE} >= 0"})


def cut(program: Program) -> Program:
    """Every state with one transition that outputs its sample, does not test it and stores it in no variable
    that is used, compares it with 0 instead. The program itself where there is none, or certificates could
    not say it.
    """
    edges = program.edges
    names = {*program.states, *(edge.target for edge in edges)}
    variables = {name for edge in edges for name in (*edge.assign, *(own for _, own in edge.guard))}
    tied = any(relation not in ("<", ">=") for edge in edges for relation, _ in edge.written)
    even = not has_own_sensitivities(program)
    if NAME in names | variables or tied or not even or program.noise.unrounded:
        return program
    used = {name for edge in edges for name in (*(own for _, own in edge.guard), *edge.gaps)}
    states = {name: _cut(state, used) for name, state in program.states.items()}
    if states == dict(program.states):
        return program
    zero = Transition((), (NAME,), START, program.initial)
    states[NAME] = State(
        False, None, Fraction(0), None, None, (zero,), rate_left=INFINITE, rate_right=INFINITE
    )
    return Program(NAME, states, program.final, program.noise)


def _cut(state: State, used: Set[str]) -> State:
    case = state.transitions[0]
    numbers = numbers_of(case.output)
    alone = len(state.transitions) == 1 and not case.guard and used.isdisjoint(case.assign)
    if not alone or INSAMPLE not in numbers:
        return state
    letter, kept = seen_of(case.output)[0], [number for number in numbers if number != INSAMPLE]
    cases = []
    for relation, half in LETTERS.items():
        outputs = (half if letter is None else f"{letter} {half}", *kept)
        output = outputs if len(outputs) > 1 else outputs[0]
        cases.append(replace(case, guard=((relation, NAME),), assign=(), output=output))
    return replace(state, transitions=tuple(cases))
