"""Large threshold programs to measure with: random ones, and rows that need every fact to be decided."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from prover.program.model import Program, Transition
from prover.program.outputs import INSAMPLE
from prover.zoo.parameters import BadParameter, check_choice, check_size, probability
from prover.zoo.programs import drawing, ending

_MOST_STATES = 100_000
_FARTHEST = 4
_OFTEN = 10_000  # probabilities are drawn in steps of one over this
_QUARTER = Fraction(1, 4)
_BELOW, _ABOVE = (("<", "x"),), ((">=", "x"),)


def random_program(states: int = 560, storing: str = "1/10", looping: str = "0", seed: int = 1) -> Program:
    """States in a line, most with input: below x they jump ahead or stay, otherwise they take one step.

    A jump is of up to four states. ``looping`` is the share of states that stay, ``storing`` the share of the
    other transitions that store. The program is the same for the same parameters, with every Python.
    """
    check_size("states", states, _MOST_STATES)
    stores, loops = (
        int(_OFTEN * probability(name, share)) for name, share in (("storing", storing), ("looping", looping))
    )
    if seed < 0:
        raise BadParameter("seed", seed, "at least 0")
    draw = Random(seed).randrange

    def step(guard: tuple[tuple[str, str], ...], output: str, target: int) -> Transition:
        return Transition(guard, ("x",) if draw(_OFTEN) < stores else (), output, f"q{target}")

    made = {"q1": drawing(Fraction(1), [Transition((), ("x",), "oinput", "q2")])}
    for index in range(2, states + 1):
        rate = Fraction(1 + draw(20), (1, 2, 4, 5)[draw(4)])
        if draw(5) == 0:
            made[f"q{index}"] = drawing(rate, [step((), "on", index + 1)], input=False)
        elif draw(_OFTEN) < loops:
            loop = Transition(_BELOW, (), "obot", f"q{index}")
            made[f"q{index}"] = drawing(rate, [loop, step(_ABOVE, "otop", index + 1)])
        else:
            jump = step(_BELOW, "obot", min(states + 1, index + 1 + draw(_FARTHEST)))
            made[f"q{index}"] = drawing(rate, [jump, step(_ABOVE, "otop", index + 1)])
    return ending("q1", made)


def row_of_loops(states: int = 500, private: str = "yes") -> Program:
    """States in a row with loops; every tenth stores where it is not below, every seventh takes no input.

    With ``private=no`` the last step outputs the number that the last loops were compared with: a privacy
    violating path.
    """
    check_size("states", states, _MOST_STATES)
    check_choice("private", private, ("yes", "no"))
    made = {"q1": drawing(_QUARTER, [Transition((), ("x",), "oinput", "q2")])}
    for index in range(2, states):
        name, onward = f"q{index}", f"q{index + 1}"
        if index % 7 == 0:
            made[name] = drawing(_QUARTER, [Transition((), (), "on", onward)], input=False)
        else:
            assign = ("x",) if index % 10 == 0 else ()
            loop = Transition(_BELOW, (), "obot", name)
            made[name] = drawing(_QUARTER, [loop, Transition(_ABOVE, assign, "otop", onward)])
    output = "otop" if private == "yes" else INSAMPLE
    made[f"q{max(2, states)}"] = drawing(_QUARTER, [Transition(_ABOVE, (), output, f"q{max(2, states) + 1}")])
    return ending("q1", made)
