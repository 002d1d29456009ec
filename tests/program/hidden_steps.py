"""Random programs in which some outputs are not seen as they are."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from prover.program.model import Program, State, Transition
from prover.program.outputs import Gap


def random_program(random: Random) -> Program:
    """A threshold, then up to four tests: on each side a letter, seen or not, or a gap plus a number."""
    rate, zero = Fraction(1), Fraction(0)
    length = random.randint(1, 4)
    states = {"0": State(False, rate, zero, None, None, (Transition((), ("x",), "u", "1", seen=()),))}
    for number in range(1, length + 1):
        cases = []
        for side in ("<", ">="):
            kind, target = random.random(), random.choice((number + 1, number + 1, length + 1))
            to = "end" if target > length else str(target)
            if kind < 0.5:
                added = Fraction(random.randint(-4, 4))
                seen = (added,) if added else None
                cases.append(Transition(((side, "x"),), (), Gap("x"), to, seen=seen))
            else:
                hidden = kind < 0.75 and to != "end"
                letter = f"u{side}" if hidden else random.choice("ab")
                cases.append(Transition(((side, "x"),), (), letter, to, seen=() if hidden else None))
        states[str(number)] = State(True, Fraction(random.randint(1, 3)), zero, None, None, tuple(cases))
    return Program("0", states)
