"""Random programs that output gaps, by seed, and the same without them, for which two edges stand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

from prover.errors import BadInput
from prover.program.model import Program, State, Transition, reachable, variables
from prover.program.outputs import INSAMPLE, INSAMPLE_PRIME, Gap, Output, parts_of


def random_gap_program(random: Random, names: tuple[str, ...]) -> Program:
    """A program that names all these variables, with gaps, letters and numbers, often several at once."""
    while True:
        places = [f"q{k}" for k in range(random.randint(2, 5))]
        first = tuple(random.sample(names, random.randint(1, len(names))))
        start = Transition((), first, "o", places[1])
        states = {"q0": state(random, start, input=random.random() < 0.5)}
        for k, place in enumerate(places[1:], start=1):
            following = [place, places[min(k + 1, len(places) - 1)], random.choice([*places[1:], "end"])]
            count = random.choice([1, 2, 2, 3])
            cases = [transition(random, names, f"o{j}", random.choice(following)) for j in range(count)]
            states[place] = state(random, *cases)
        try:
            program = Program("q0", states)
        except BadInput:
            continue
        reached = reachable(program)
        if variables(program) == names and any(e.gaps for e in program.edges if e.source in reached):
            return program


def state(random: Random, *cases: Transition, input: bool = True) -> State:
    rate, zero = Fraction(random.randint(1, 3)), Fraction(0)
    return State(input, rate, zero, Fraction(1), zero, tuple(dict.fromkeys(cases)))


def transition(random: Random, names: tuple[str, ...], letter: str, target: str) -> Transition:
    tested = random.sample(names, min(len(names), random.choice([0, 1, 1, 1, 2])))
    guard = tuple((random.choice(["<", ">="]), name) for name in tested)
    outputs: list[Output] = [letter]
    outputs += [Gap(random.choice(names))] * (random.random() < 0.45)
    outputs += [INSAMPLE] * (random.random() < 0.1) + [INSAMPLE_PRIME] * (random.random() < 0.1)
    if len(outputs) > 1 and random.random() < 0.3:
        del outputs[0]
    stored = (random.choice(names),) if random.random() < 0.3 else ()
    if len(outputs) > 1 and random.random() < 0.8:  # what is put out again and again has no bound
        target = "end"
    return Transition(guard, stored, outputs[0] if len(outputs) == 1 else tuple(outputs), target)


def without_gaps(program: Program) -> Program:
    """Of a program of one variable: < and >= in place of every guard whose transition outputs a gap."""

    def cases(transition: Transition) -> list[Transition]:
        kept = tuple(part for part in parts_of(transition.output) if not isinstance(part, Gap)) or ("gap",)
        new = replace(transition, output=kept[0] if len(kept) == 1 else kept)
        if kept == parts_of(transition.output):
            return [new]
        return [replace(new, guard=((relation, "x"),)) for relation in ("<", ">=")]

    states = {
        name: replace(
            old, transitions=tuple(dict.fromkeys(case for t in old.transitions for case in cases(t)))
        )
        for name, old in program.states.items()
    }
    return Program(program.initial, states, program.final)
