"""Certificates about programs with an open parameter, as the prover writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.pieces.privacy import open_privacy
from prover.zoo import k_min_max, leaking_pair
from tests.program_examples import ABOVE, BELOW, TRUE, program, state, step

Json = Any


def opened(model: Program, low: int, high: int, **ends: tuple[str, str]) -> OpenProgram:
    """The program with rates that are open between two values at some states: those at both ends."""

    def at(end: int) -> Program:
        rates = {name: replace(model.states[name], rate=Fraction(own[end])) for name, own in ends.items()}
        return replace(model, states={**model.states, **rates})

    return OpenProgram("t", Fraction(low), Fraction(high), at(0), at(1))


def sensitive(
    model: Program, low: int, high: int, usual: tuple[str, str] = ("1", "1"), **ends: tuple[str, str]
) -> OpenProgram:
    """The program with sensitivities that are open: those at both ends, of the program and of states."""

    def at(end: int) -> Program:
        own = {
            name: replace(model.states[name], sensitivity=Fraction(numbers[end]))
            for name, numbers in ends.items()
        }
        noise = replace(model.noise, sensitivity=Fraction(usual[end]))
        return replace(model, states={**model.states, **own}, noise=noise)

    return OpenProgram("t", Fraction(low), Fraction(high), at(0), at(1))


def proof(model: OpenProgram, adjacency: str = "all-differ") -> Json:
    """The certificate of the answer."""
    certificate = open_privacy(model, adjacency).certificate
    assert certificate is not None
    return json.loads(certificate.data)


SEGMENT = program(
    {
        "q0": state(step(TRUE, "q1", "o", assign=True), input=False),
        "q1": state(step(BELOW, "q2", "o")),
        "q2": state(step(ABOVE, "end", "o"), rate=3),
    }
)
"""A threshold, one answer below it and one that is not: min(4, t + 2) for a threshold of rate t."""

BETWEEN = program(
    {
        "q0": state(step(TRUE, "q1", "o", assign=True), input=False),
        "q1": state(step(TRUE, "q2", "left"), step(TRUE, "q3", "right"), input=False, rate=1),
        "q2": state(step(TRUE, "end", "insampleprime"), rate=1, rate_prime=1),
        "q3": state(step(BELOW, "q4", "below")),
        "q4": state(step(ABOVE, "end", "above")),
    }
)
"""Either a number with fresh noise, or two answers on both sides of the threshold: rates of `split`."""


def split() -> OpenProgram:
    """opt = max(2 + t, min(3t, 5)) up to 5/2 and 2 + t at 9/10 and 4 (docs/theory_programs.md)."""

    def at(t: Fraction) -> Program:
        states = dict(BETWEEN.states)
        for name, rate in {"q0": t, "q3": t, "q4": 5 - t}.items():
            states[name] = replace(states[name], rate=rate)
        states["q2"] = replace(states["q2"], rate_prime=2 + t)
        return replace(BETWEEN, states=states)

    return OpenProgram("t", Fraction(9, 10), Fraction(4), at(Fraction(9, 10)), at(Fraction(4)))


def leaning(model: OpenProgram) -> OpenProgram:
    """The same with another rate to the left at two states, equal to the one to the right at one end."""

    def at(own: Program, end: int) -> Program:
        sides: dict[str, tuple[Fraction, Fraction]] = {
            "q1": (Fraction(2), Fraction(1 + end)),
            "q2": (Fraction(3), Fraction(3 - end)),
        }
        states = {
            name: replace(own.states[name], rate=None, rate_left=left, rate_right=right)
            for name, (left, right) in sides.items()
        }
        return replace(own, states={**own.states, **states})

    return replace(model, first=at(model.first, 0), last=at(model.last, 1))


OPEN_SEGMENT = opened(SEGMENT, 1, 4, q0=("1", "4"))
TURNS = program(
    {
        "q0": state(step(TRUE, "q1", "o", assign=True), input=False, rate=1),
        "q1": state(step(BELOW, "q2", "below"), step(ABOVE, "end", "above"), rate="1/2"),
        "q2": state(step(BELOW, "q1", "below"), step(ABOVE, "end", "above"), rate="1/4"),
    }
)
"""Two kinds of queries in turn: max(2, (1 + 3·t)/2) if those of q2 have the sensitivity t and others 1."""

OPEN_TURNS = sensitive(TURNS, 0, 3, q2=("1/4", "13/4"))
"""The same with t + 1/4 in place of t."""

OPEN_RANGES = opened(k_min_max(2), 0, 1, q1=("1", "3"), q2=("2", "1/2"))

OPEN_SAMPLES: Mapping[str, Json] = {
    "segment": proof(OPEN_SEGMENT),
    "one-differ": proof(OPEN_SEGMENT, "one-differ"),
    "monotonic": proof(OPEN_SEGMENT, "monotonic"),
    "between": proof(split()),
    "two rates": proof(leaning(OPEN_SEGMENT)),
    "several variables": proof(OPEN_RANGES),
    "not private": proof(opened(leaking_pair(), 0, 1, q1=("1", "2"))),
    "fixed sensitivities": proof(
        opened(OPEN_TURNS.at(Fraction(9, 4)), 1, 2, q1=("1", "1/4"), q2=("1/8", "1"))
    ),
    "one sensitivity": proof(sensitive(SEGMENT, 1, 4, ("1", "4"))),
    "sensitivities": proof(OPEN_TURNS),
    "sensitivities, one-differ": proof(OPEN_TURNS, "one-differ"),
    "sensitivities, monotonic": proof(sensitive(TURNS, 0, 3, ("2", "1/2"), q2=("1/4", "13/4")), "monotonic"),
    "sensitivities, not private": proof(sensitive(leaking_pair(), 0, 1, q2=("1", "2"))),
}
