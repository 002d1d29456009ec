"""Inputs to begin with: where noise is on one side only, or none, a run is possible on some inputs only.

Attacks move along a ray b + tΔ, t = 0, 1, 2, …. With noise on both sides b = 0 will do; in general a sample
can be anywhere, as its input can, so b is chosen sample by sample (docs/theory_noise.md, Theorem 2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

from prover.program.attack.tail_bound import heights
from prover.program.decision.blocks import RunStep
from prover.program.model import Program
from prover.program.noise import INFINITE
from prover.program.optimum.weighed import constraints, stores_in_several
from prover.program.shifts import is_one_sided

ZERO = Fraction(0)
Inputs = tuple[Fraction, ...]


def starts(program: Program, steps: Sequence[RunStep]) -> Iterator[Inputs]:
    """Inputs on which the steps may be possible, the simplest first; on the grid if there is one."""
    yield (ZERO,) * len(steps)
    if not any(is_one_sided(step.edge) for step in steps):
        return
    placed = _placed_by_height if stores_in_several(step.edge for step in steps) else _placed
    if program.noise.grid is not None:
        yield placed(program, steps, program.noise.grid)
    else:
        yield placed(program, steps, Fraction(1))
        yield placed(program, steps, Fraction(1, len(steps) + 1))


def levels_of_outputs(steps: Sequence[RunStep]) -> int:
    """The most steps of which each has to be below the next, from one that outputs a number to another."""
    height = heights(steps)
    below: list[list[int]] = [[] for _ in steps]
    for own in constraints([step.edge for step in steps], tests_only=True):
        for smaller, larger in own:
            below[larger].append(smaller)
    found: dict[int, int] = {}
    for place in sorted(range(len(steps)), key=height.__getitem__):
        longest = max((found[k] + 1 for k in below[place] if k in found), default=0)
        if longest or steps[place].edge.discloses:
            found[place] = max(longest, 1)
    return max((found[place] for place, step in enumerate(steps) if step.edge.discloses), default=0)


def _placed_by_height(program: Program, steps: Sequence[RunStep], unit: Fraction) -> Inputs:
    """Inputs, multiples of the unit, that put the centers of samples one above the other, as tests ask for.

    What is on one height is not compared. Public samples that lack noise on a side stay where they are, and
    all heights are counted from these, so that each is on the side where it has noise.
    """
    states = [program.states[step.edge.source] for step in steps]
    levels = [2 * unit * height for height in heights(steps)]
    fixed = [
        (state, state.mean - level)
        for step, state, level in zip(steps, states, levels, strict=True)
        if not state.input and is_one_sided(step.edge)
    ]
    outputs = [level for step, level in zip(steps, levels, strict=True) if step.edge.discloses]
    if any(state.rates[0] == INFINITE for state, _ in fixed):
        ground = max(place for _, place in fixed)
    else:
        ground = min((place for _, place in fixed), default=-min(outputs, default=ZERO))
    return tuple(
        unit * ceil((ground + level - state.mean) / unit) if state.input and is_one_sided(step.edge) else ZERO
        for step, state, level in zip(steps, states, levels, strict=True)
    )


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
