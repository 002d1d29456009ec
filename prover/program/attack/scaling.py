"""The same program for inputs in units of its sensitivity, in which those of neighbours differ by up to 1."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from prover.program.model import Program, State
from prover.program.noise import Rate, in_units


def at_sensitivity_one(program: Program) -> Program:
    """The program that does with inputs, divided by the sensitivity, what the program does with inputs.

    Its edges are the same. Windows of numbers that are output are divided by the sensitivity as well.
    """
    unit = program.noise.sensitivity
    if unit == 1:
        return program
    grid = None if program.noise.grid is None else program.noise.grid / unit
    noise = replace(program.noise, grid=grid, sensitivity=Fraction(1))
    states = {name: _scaled(state, unit) for name, state in program.states.items()}
    return replace(program, states=states, noise=noise)


def _scaled(state: State, unit: Fraction) -> State:
    def rate(given: Rate | None) -> Rate | None:
        return given * unit if isinstance(given, Fraction) else given

    return replace(
        state,
        rate=None if state.rate is None else in_units(state.rate, unit),
        rate_left=rate(state.rate_left),
        rate_right=rate(state.rate_right),
        mean=state.mean / unit,
        rate_prime=None if state.rate_prime is None else in_units(state.rate_prime, unit),
        sensitivity=None if state.sensitivity is None else state.sensitivity / unit,
        mean_prime=None if state.mean_prime is None else state.mean_prime / unit,
    )
