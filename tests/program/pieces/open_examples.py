"""Programs with an open parameter: random ones by seed, and some with a known loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from prover.program.model import Program
from prover.program.noise import Rate
from prover.program.opened import OpenProgram
from prover.program.state import State

INTERVALS = [("1/10", "9/10"), ("1", "4"), ("0", "1"), ("1/7", "5/3")]


def between(low: str, high: str, made: Callable[[Fraction], Program]) -> OpenProgram:
    """The programs that a function makes of the values of t, whose rates are affine in t."""
    first, last = Fraction(low), Fraction(high)
    return OpenProgram("t", first, last, made(first), made(last))


def random_open(model: Program, random: Random) -> OpenProgram:
    """The program with other rates, most of which are open: each rises or falls."""
    states: tuple[dict[str, State], dict[str, State]] = {}, {}
    for name, state in model.states.items():
        pairs: dict[str, tuple[Any, Any]] = {
            key: ends(getattr(state, key), random) for key in ("rate", "rate_left", "rate_right")
        }
        pairs["rate_prime"] = ends(None if state.second is None else state.second[0], random)
        for end, own in enumerate(states):
            own[name] = replace(state, **{key: pair[end] for key, pair in pairs.items()})
    low, high = random.choice(INTERVALS)
    first, last = (replace(model, states=own) for own in states)
    return OpenProgram("t", Fraction(low), Fraction(high), first, last)


def ends(rate: Rate | None, random: Random) -> tuple[Rate | None, Rate | None]:
    """A rate at both ends."""
    if not isinstance(rate, Fraction):
        return rate, rate
    first, last = (Fraction(random.randint(1, 6), random.choice((1, 2, 3))) for _ in range(2))
    return (first, first) if random.random() < 0.3 else (first, last)
