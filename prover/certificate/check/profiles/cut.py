"""Programs in which numbers that are only output are seen by whether they are below 0.

Who sees the number sees this, so an event of the new program is one of the old program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from ..cases import Case
from ..noise import Drawn
from ..programs import Program, Transition
from ..reading import BadEvidence, BadModel, Json, constant, demand, typed

NAME = "\0"  # of the first state, and of the variable that holds 0
LETTERS = {"<": "insample < 0", ">=": "insample >= 0"}


def as_seen(program: Program, evidence: Json) -> tuple[Program, Mapping[str, Json]]:
    """The program that the evidence is about, and the evidence without its word on that."""
    fields = typed(evidence, dict)
    if "cut" not in fields:
        return program, fields
    constant(fields["cut"], True)
    return cut(program), {key: value for key, value in fields.items() if key != "cut"}


def cut(program: Program) -> Program:
    """A state in front stores 0, and a state with one transition, which outputs its sample, does not test it
    and stores it in no variable that is used, compares it with this 0 instead. Transitions are numbered anew,
    in the same order."""
    names = {*program.states, *(t.to for t in program.transitions)}
    free = NAME not in names and NAME not in program.variables
    demand(free, BadModel, "a state or a variable with the name of a new one")
    demand(program.plain and program.even, BadModel, "ties, inputs off the grid, or sensitivities of states")
    zero = Fraction(0)
    drawn = Drawn(False, (None, None), zero, (zero, zero), Fraction(1), None)
    case = Case((), (NAME,), (), False, False, ("letter unseen", 0), (), (), None, None)
    found = [Transition._make((0, NAME, program.initial, *drawn, *case, None))]
    used = {name for t in program.transitions for _, name in t.bounds}
    for t in program.transitions:
        alone = not t.tests and used.isdisjoint(t.stored) and len(program.leaving(t.source)) == 1
        shown = t.pinned and alone
        for relation in LETTERS if shown else ():
            letter = f"{t.seen[0]} " if t.seen[0] != "no letter" else "letter "
            seen, test = (letter + LETTERS[relation], t.seen[1] - 1), (relation, NAME)
            changed = t._replace(stored=(), tests=(test,), bounds=(test, *t.bounds), pinned=False, seen=seen)
            found.append(changed._replace(number=len(found), written=(relation,)))
        if not shown:
            found.append(t._replace(number=len(found)))
    demand(len(found) > len(program.transitions) + 1, BadEvidence, "no number to cut")
    by_state: dict[str, list[Transition]] = {}
    for t in found:
        by_state.setdefault(t.source, []).append(t)
    states, reached = {*program.states, NAME}, {*program.reached, NAME}
    variables = {*program.variables, NAME}
    return replace(
        program,
        initial=NAME,
        states=states,
        reached=reached,
        transitions=found,
        by_state=by_state,
        variables=variables,
    )
