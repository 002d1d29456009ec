"""Programs that use inputs more than once, unfolded: registers become part of the states.

A register remembers an input, or a sum of inputs. Neighbours differ there by what they differ by in these
inputs, so a state of the unfolded program is a state with the difference of every register. A transition has
one difference: each of the extreme ones of an input that is read there, or that of the register around which
its number is drawn (docs/theory_registers.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate

from prover.errors import NotSupported, quoted
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.model import Program, forgetful, variables
from prover.program.noise import INFINITE
from prover.program.scope import demand_rates
from prover.program.state import INPUT, State

LIMIT = 20_000
"""The most states of an unfolded program."""

PARTS = (2, 1)
"""The most that registers may differ by in the parts of unfolded programs that are tried."""

APART = ": "
"""In no name of a state of a program that can be unfolded."""

Differences = tuple[tuple[str, int], ...]
"""Of the registers that are not 0, in the order of their names."""


class GrowingSums(NotSupported):
    """Registers of a program differ in too many ways."""


def unfolded_or_part(program: Program, adjacency: str) -> tuple[Program, int | None]:
    """The program whose states know the differences of all registers, and None.

    Where these are too many, the part of it where no register differs by more than some number, and that.
    Its runs bound the loss from below. Raises NotSupported.
    """
    try:
        return unfolded(program, adjacency), None
    except GrowingSums:
        for most in PARTS:
            with suppress(NotSupported):
                return unfolded(program, adjacency, most), most
        raise


def growing_sums() -> NotSupported:
    """Sums of inputs differ by ever more, and it is not known what is lost by that."""
    return GrowingSums(_message("where sums of them differ by ever more"), code="registers")


def unfolded(program: Program, adjacency: str, most: int | None = None) -> Program:
    """The program whose states know the differences of all registers, none above ``most`` if that is given.

    Raises NotSupported, GrowingSums among others.
    """
    if program.has_registers and adjacency == Adjacency.MONOTONIC:
        raise _refused("with the adjacency monotonic; ask for increasing and for decreasing")
    demand_rates(program)
    targets = {case.target for state in program.states.values() for case in state.transitions}
    if program.has_registers and any(APART in name for name in {*program.states, *targets}):
        raise _refused(f"where the name of a state has {quoted(APART)} in it")
    first: tuple[str, Differences] = (program.initial, ())
    waiting, names = [first], {_name(*first): program.initial}
    states: dict[str, State] = {}
    numbers: dict[str, list[int]] = {}
    counts = (len(state.transitions) for state in program.states.values())
    offsets = dict(zip(program.states, accumulate(counts, initial=0), strict=False))
    while waiting:
        at, before = waiting.pop()
        source, state, cases = _name(at, before), program.states[at], []
        own_numbers = numbers[source] = list[int]()
        spent = adjacency == Adjacency.ONE_DIFFER and bool(before)  # an input has differed
        for number, transition in enumerate(state.transitions):
            again = state.center is not None or transition.registers or (spent and state.input)
            for new in extreme_points(adjacency, state.input and not spent) if again else (None,):
                known = {**dict(before), INPUT: new or 0}
                sums = {r: sum(c * known.get(s, 0) for s, c in own) for r, own in transition.registers}
                after = tuple(sorted((r, d) for r, d in sums.items() if d))
                if most is not None and any(abs(difference) > most for _, difference in after):
                    continue
                fixed = new if state.center is None else known.get(state.center, 0)
                target = transition.target
                if target in program.states:
                    target = _name(target, after)
                    if target not in names:
                        names[target] = transition.target
                        waiting.append((transition.target, after))
                cases.append(replace(transition, target=target, registers=(), fixed=fixed))
                own_numbers.append(offsets[at] + number)
        if cases:  # otherwise all transitions lead out of the part
            states[source] = replace(state, transitions=tuple(cases), center=None)
        if len(names) > LIMIT:
            raise growing_sums()
    found = program.unfolded(
        _name(*first), states, names, [n for own in sorted(states) for n in numbers[own]]
    )
    if len(variables(found)) > 1 and any(abs(edge.fixed or 0) > 1 for edge in found.edges):
        raise _refused("where a sum differs by more than 1 and several drawn numbers are stored")
    private = (e for e in found.edges if (e.input or e.fixed) and (e.guard or e.gaps or e.assign))
    if (bare := next((edge for edge in private if INFINITE in edge.rates), None)) is not None:
        where = f"as at state {quoted(names[bare.source])}"
        raise _refused(f"where private numbers that are compared or stored lack noise on a side, {where}")
    return found


def followed(program: Program) -> Program:
    """The program as if all inputs were new, with its own states and transitions: what evidence names where
    registers are followed along runs.
    """
    plain = forgetful(program)
    count = sum(len(state.transitions) for state in plain.states.values())
    return program.unfolded(plain.initial, plain.states, {name: name for name in plain.states}, range(count))


def without_unused(states: Mapping[str, State]) -> dict[str, State]:
    """The same states without registers around which nothing is drawn after they are set: these matter to no
    number, so the program has the same runs and the same centers (docs/theory_registers.md).
    """
    used: dict[str, frozenset[str]] = dict.fromkeys(states, frozenset())
    changed = True
    while changed:
        changed = False
        for name, state in states.items():
            found = set() if state.center is None else {state.center}
            for case in state.transitions:
                after = used.get(case.target, ())
                found |= {source for r, terms in case.registers if r in after for source, _ in terms}
            if found - {INPUT} != used[name]:
                used[name], changed = frozenset(found - {INPUT}), True
    return {
        name: replace(
            state,
            transitions=tuple(
                replace(case, registers=tuple(r for r in case.registers if r[0] in used.get(case.target, ())))
                for case in state.transitions
            ),
        )
        for name, state in states.items()
    }


def _name(state: str, differences: Differences) -> str:
    """The name of a state with the differences of registers; that of the state where all are 0."""
    known = ",".join(f"{register}{d:+}" for register, d in differences)
    return f"{known}{APART}{state}" if known else state


def _refused(why: str) -> NotSupported:
    return NotSupported(_message(why), code="registers")


def _message(why: str) -> str:
    return f"inputs that are used more than once are not supported {why}"
