"""The canonical form of threshold programs, as certificates and JSON files hold them (docs/certificates.md,
Section 2).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from prover.certificate.schema import Json
from prover.exact.rational import format_rational, rational_or_null
from prover.program.model import Program
from prover.program.noise import Gaussian
from prover.program.outputs import Gap, Outputs
from prover.program.state import State, Transition


def program_model(program: Program) -> Json:
    """The canonical JSON form of a threshold program: lowest terms, states sorted, transitions in order.

    Defaults are left out: no declared final states, Laplace noise, grid 1 of discrete noise, sensitivity 1,
    rounded inputs, one rate, noise that is not Gaussian, the same sensitivity everywhere. A program that
    unfolds another one is written as that one.
    """
    program = program.of or program
    model: Json = {
        "type": "threshold-program",
        "version": 1,
        "initial": program.initial,
        "states": {name: _state_model(state) for name, state in sorted(program.states.items())},
    }
    if declared := sorted(program.final):
        model["final"] = declared
    noise = program.noise
    if noise.grid is not None:
        model["noise"] = noise.kind
    for key, number in (("grid", noise.grid), ("sensitivity", noise.sensitivity)):
        if number is not None and number != 1:
            model[key] = format_rational(number)
    return model | ({"inputs": "unrounded"} if noise.unrounded else {})


def _state_model(state: State) -> Json:
    written: dict[str, Any] = {
        "input": state.input,
        "rate": _rate(state.rate),
        "mean": format_rational(state.mean),
        "rate_prime": _rate(state.rate_prime),
        "mean_prime": rational_or_null(state.mean_prime),
        "transitions": [_transition_model(transition) for transition in state.transitions],
    }
    for key, noise in (("sigma", state.rate), ("sigma_prime", state.rate_prime)):
        if isinstance(noise, Gaussian):
            written[key] = format_rational(noise.sigma)
    for key, rate in (("rate_left", state.rate_left), ("rate_right", state.rate_right)):
        if rate is not None:
            written[key] = rate if isinstance(rate, str) else format_rational(rate)
    if state.sensitivity is not None:
        written["sensitivity"] = format_rational(state.sensitivity)
    if state.center is not None:
        written["center"] = state.center
    return written


def _rate(noise: Fraction | Gaussian | None) -> str | None:
    """A rate; null if there is none."""
    return format_rational(noise) if isinstance(noise, Fraction) else None


def _transition_model(transition: Transition) -> Json:
    written: Json = {
        "guard": [list(test) for test in transition.guard],
        "assign": list(transition.assign),
        "output": _output_model(transition.output),
        "to": transition.target,
    }
    if transition.registers:
        written["registers"] = {register: dict(own) for register, own in transition.registers}
    if transition.seen is not None:
        written["seen"] = [format_rational(number) for number in transition.seen]
    return written


def _output_model(output: Outputs) -> Any:
    """A text; a gap as {"gap": variable}; several outputs as a list."""
    if isinstance(output, tuple):
        return [_output_model(part) for part in output]
    return {"gap": output.variable} if isinstance(output, Gap) else output
