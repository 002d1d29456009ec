"""Sums of inputs that differ by ever more: registers followed along a family of runs, as functions of N."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from .programs import Program, Scaled, Transition, scaled
from .reading import BadClaim, ClaimOpen, Json, RuleBroken, demand, record
from .runs import Step, common_unit, load_rule, loads_of, read_steps

Affine = tuple[int, int]  # a + b·N
Registers = dict[str, Affine]  # those that are not 0
NONE: Affine = 0, 0


def growing_sums(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """The total of a family of runs grows with N; its steps are transitions of the program itself."""
    sides = record(evidence, "blocks sums")
    demand(program.registers, BadClaim, "sums of a program without registers")
    demand(not program.hides, BadClaim, "sums that are followed, and steps that are not seen")
    bare = any(
        t.takes_input and t.sums and t.worst is None and (t.tests or t.stored) for t in program.transitions
    )
    demand(program.placed and not bare, BadClaim, "remembered inputs that are compared lack noise on a side")
    steps = read_steps(program, claim["adjacency"], sides["blocks"], repeats=True)
    unit, growth = common_unit(program, steps), 0
    numbers = Scaled(unit, program.parts)
    loads, found = loads_of(steps, unit), differences(program, steps)
    for step, (load, grown), (own, turned) in zip(steps, loads, found, strict=True):
        t, (a, b) = step.transition, own
        loaded = t.pinned or t.primed or load or grown
        if step.repeat:
            demand(
                not loaded or (b == 0 and turned == own), RuleBroken, "a load meets sums that grow in a block"
            )
        if t.pinned or t.primed:
            one_way = (a + b >= 0 and b >= 0) or (a + b <= 0 and b <= 0)
            demand(one_way, RuleBroken, "what a number that is output is drawn around changes its sign")
        size = abs(a) if step.repeat else abs(b)
        growth += size * scaled(t.rate_prime, unit) * t.primed
        if t.pinned:
            rate = t.left if (a + b, b) > NONE else t.right
            infinite = rate is None and own != NONE
            growth += unit if infinite else size * scaled(rate or Fraction(0), unit)
            continue
        load_rule(step, (load, grown), numbers.of(t))
        if step.repeat:
            growth += load * a
        else:
            demand(not (grown and b), RuleBroken, "a load and what it is about both grow with N")
            growth += load * b + grown * a
    demand(growth > 0, ClaimOpen, "the total does not grow with N")


def differences(program: Program, steps: Sequence[Step]) -> list[tuple[Affine, Affine]]:
    """What each step's number is drawn around differs by, in the first and the second turn of its block."""
    found: list[tuple[Affine, Affine]] = []
    registers: Registers = {}
    for block in range(steps[-1].block + 1 if steps else 0):
        own = [step for step in steps if step.block == block]
        program.budget.spend(2 * sum(len(registers) + 1 + size(step.transition) for step in own))
        first, after = turn(own, registers)
        if own[0].repeat:
            second, later = turn(own, after)
            more = minus(after, registers)
            demand(all(b == 0 for _, b in more.values()), RuleBroken, "registers grow by more for more turns")
            demand(minus(later, after) == more, RuleBroken, "registers grow differently in two turns")
            after = minus(registers, {name: (0, -a) for name, (a, _) in more.items()})
        else:
            second = first
        found += zip(first, second, strict=True)
        registers = after
    return found


def size(t: Transition) -> int:
    """How many numbers the registers after a transition are made of."""
    return sum(map(len, (t.sums or {}).values()))


def turn(steps: Sequence[Step], registers: Registers) -> tuple[list[Affine], Registers]:
    """What the steps' numbers are drawn around, and the registers afterwards."""
    found = []
    for step in steps:
        t, known = step.transition, {**registers, "input": (step.delta, 0)}
        found.append(known["input"] if t.center is None else registers.get(t.center, NONE))
        sums = {name: total(known, own) for name, own in (t.sums or {}).items()}
        registers = {name: own for name, own in sums.items() if own != NONE}
    return found, registers


def total(known: Mapping[str, Affine], terms: Mapping[str, int]) -> Affine:
    parts = [(sign, known.get(name, NONE)) for name, sign in terms.items()]
    return sum(sign * a for sign, (a, _) in parts), sum(sign * b for sign, (_, b) in parts)


def minus(left: Registers, right: Registers) -> Registers:
    names = left.keys() | right.keys()
    found = {
        name: total({"l": left.get(name, NONE), "r": right.get(name, NONE)}, {"l": 1, "r": -1})
        for name in names
    }
    return {name: own for name, own in found.items() if own != NONE}
