"""δ of a threshold program from below: a policy, by which both neighbours' inputs are chosen by what was
output.

Reference: docs/theory_profiles.md, Theorem 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Any

from flint import ctx

from prover.certificate.schema import Certificate, encode
from prover.exact.ball import bounds
from prover.exact.rational import decimal_below, format_rational
from prover.program.adjacency import Adjacency
from prover.program.attack.probability import program_unit
from prover.program.attack.sums import GridSample, chance_at, rational_chance
from prover.program.canonical import program_model
from prover.program.model import Program, out_edges
from prover.program.noise import INFINITE
from prover.program.profiles.below import DIGITS, ROOM
from prover.program.profiles.bounds import claim_of
from prover.program.profiles.tails import tail

BITS = 200
NextQuestion = int | bool
"""The number of the question that follows, or whether the guess is the first of both inputs."""
EndNumerators = tuple[int, int]
"""Numerators over 2^BITS."""


@dataclass(frozen=True, slots=True)
class Question:
    """What both neighbours have as their next input, None where none is read; and what follows each
    transition of the state or, if only one of two guards is there, the stop.

    ``stored`` are the numbers of the transitions that stored the variables; they are the same on every way to
    the question.
    """

    state: str
    stored: tuple[tuple[str, int], ...]
    inputs: tuple[Fraction, Fraction] | None
    after: tuple[NextQuestion, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """δ at one α is at least ``lower``: P[event] − α P′[event], if inputs are chosen by these questions, from
    the first on.
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    alpha: Fraction
    lower: Fraction
    questions: tuple[Question, ...]
    probabilities: tuple[Fraction, Fraction]
    """Of the event, rounded down on the first input and up on the other."""
    steps: int | None = None
    """How many inputs there may be at most."""
    epsilon: Fraction | None = None
    """The ε that α ≥ e^ε stands for, if it stands for one."""
    q: Fraction | None = None

    @property
    def certificate(self) -> Certificate:
        """The evidence."""
        claim = claim_of(self, "at-least") | {"kind": "policy", "lower": format_rational(self.lower)}
        return encode(claim, program_model(self.program), {"bits": BITS, "nodes": self.nodes})

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """The questions as JSON."""
        return [
            {"after": list(one.after)}
            | ({} if one.inputs is None else {"inputs": [format_rational(x) for x in one.inputs]})
            for one in self.questions
        ]


def proved_policy(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    questions: Sequence[Question],
    q: Fraction | None = None,
) -> Policy | None:
    """What a policy gains at least, its probabilities enclosed from the last question to the first; None if
    that is nothing.
    """
    edges, whole = out_edges(program), 1 << BITS
    chance = cache(lambda *about: _chance(program, at_epsilon, q, *about))
    more, less = [0] * len(questions), [0] * len(questions)
    for number in reversed(range(len(questions))):
        one = questions[number]
        leaving = edges[one.state]
        shares = [[(whole, whole)]] * 2
        if leaving[0].bounds:
            stored = dict(one.stored)[leaving[0].bounds[0][1]]
            ends = [chance(leaving[0].number, stored, x) for x in one.inputs or ()]
            shares = [[(low, high), (whole - high, whole - low)] for low, high in ends]
        for (low, _), (_, high), after in zip(*shares, one.after, strict=True):
            is_guess = isinstance(after, bool)
            more[number] += low * (whole * after if is_guess else more[after]) >> BITS
            less[number] -= -high * (whole * after if is_guess else less[after]) >> BITS
    above, below = Fraction(more[0], whole), Fraction(less[0], whole)
    lower = decimal_below(above - alpha * below - ROOM, DIGITS)
    if lower <= 0:
        return None
    return Policy(program, adjacency, at_epsilon, alpha, lower, tuple(questions), (above, below), q=q)


def _chance(
    program: Program, at_epsilon: Fraction, q: Fraction | None, test: int, stored: int, read: Fraction
) -> EndNumerators:
    """The probability that a test of an input against a stored constant is passed."""
    edge, state = program.edges[test], program.states[program.edges[test].source]
    level, center = program.states[program.edges[stored].source].mean, read + state.mean
    with ctx.workprec(2 * BITS):
        if (grid := program.noise.grid) is not None:
            samples = [
                GridSample(level, INFINITE, INFINITE),
                GridSample(center, *state.rates, ((edge.written[0][0], 0),)),
            ]
            about = samples, grid, program_unit(program)
            if q is not None:
                found = rational_chance(*about, q)
                low, high = found, found
            else:
                low, high = bounds(chance_at(*about, at_epsilon))
        else:
            above = tail(state.noise, level - center, at_epsilon, Fraction(0))
            low, high = bounds(above if edge.relation == ">=" else 1 - above)
    return max(0, floor(low * 2**BITS)), min(ceil(high * 2**BITS), 1 << BITS)
