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
from prover.program.outputs import INSAMPLE, parts_of

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
    uneven = any(state.sensitivity is not None for state in program.states.values())
    if NAME in names | variables or tied or uneven or program.noise.unrounded:
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
    parts = parts_of(case.output)
    if len(state.transitions) > 1 or case.guard or not used.isdisjoint(case.assign) or INSAMPLE not in parts:
        return state
    letters = [part for part in parts if isinstance(part, str) and part not in (INSAMPLE, "insampleprime")]
    kept = [part for part in parts if part not in (INSAMPLE, *letters)]
    cases = []
    for relation, letter in LETTERS.items():
        outputs = (" ".join([*letters, letter]), *kept)
        output = outputs if len(outputs) > 1 else outputs[0]
        cases.append(replace(case, guard=((relation, NAME),), assign=(), output=output))
    return replace(state, transitions=tuple(cases))
