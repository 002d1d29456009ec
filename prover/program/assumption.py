"""Under which assumption an answer is exact: inputs, how far neighbours are apart, and the noise."""

from __future__ import annotations

from prover.exact.rational import format_rational
from prover.program.model import Program


def assumption(program: Program) -> str:
    """The assumption in a sentence, without its full stop (docs/theory_noise.md, Theorems 1 and 2)."""
    noise = program.noise
    most = format_rational(noise.sensitivity)
    if noise.grid is None:
        inputs = "inputs range over all real numbers"
        if noise.sensitivity != 1:
            inputs += f", and those of neighbours differ by up to {most}"
        return inputs
    grid = format_rational(noise.grid)
    if noise.unrounded:
        inputs = f"inputs range over all real numbers, those of neighbours differ by up to {most}"
    else:
        inputs = f"inputs range over all multiples of {grid}, those of neighbours differ by up to {most}"
    sides = {rate for state in program.states.values() for rate in (state.rate_left, state.rate_right)}
    shape = "geometric" if sides - {None} else "two-sided geometric"
    return f"{inputs}, and noise is {shape} on the multiples of {grid}"
