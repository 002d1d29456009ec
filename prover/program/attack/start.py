"""Inputs to begin with: where noise is on one side only, or none, a run is possible on some inputs only.

Attacks move along a ray b + tΔ, t = 0, 1, 2, …. With noise on both sides b = 0 will do; in general a sample
can be anywhere, as its input can, so b is chosen sample by sample (docs/theory_noise.md, Theorem 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

from prover.program.attack.tail_bound import has_several_variables
from prover.program.decision.pumping import RunStep
from prover.program.model import Program
from prover.program.shifts import is_one_sided

ZERO = Fraction(0)
Inputs = tuple[Fraction, ...]


def starts(program: Program, steps: Sequence[RunStep]) -> Iterator[Inputs]:
    """Inputs on which the steps may be possible, the simplest first; multiples of the grid if there is one.

    ``steps`` store in one variable, or have finite rates, or only inputs 0 are tried.
    """
    yield (ZERO,) * len(steps)
    if any(is_one_sided(step.edge) for step in steps) and not has_several_variables(steps):
        if program.noise.grid is not None:
            yield _placed(program, steps, program.noise.grid)
        else:
            yield _placed(program, steps, Fraction(1))
            yield _placed(program, steps, Fraction(1, len(steps) + 1))


def _placed(program: Program, steps: Sequence[RunStep], unit: Fraction) -> Inputs:
    """Inputs, multiples of the unit, that put the centers of samples on the side that tests ask for.

    Only a sample with noise on both sides can be away from its center.
    """
    found = []
    stored = ZERO
    for step in steps:
        state = program.states[step.edge.source]
        relation = step.edge.written[0][0] if step.edge.written else ""
        distance = (stored - state.mean) / unit
        move = ZERO
        if relation in ("<", "<=") and distance <= 0:
            move = unit * (ceil(distance) - 1)
        elif relation in (">", ">=") and distance >= 0:
            move = unit * (floor(distance) + 1)
        elif relation == "=":
            move = unit * distance
        found.append(move if state.input and is_one_sided(step.edge) else ZERO)
        if step.edge.assigns:
            stored = state.mean + move
    return tuple(found)
