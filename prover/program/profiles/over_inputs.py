"""What answers about all neighbouring inputs of a threshold program share."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from prover.errors import BadOptions
from prover.exact.given import LARGEST_EPSILON, Given, given_integer, given_rational
from prover.program.adjacency import Adjacency, given_adjacency
from prover.program.answer import assumption
from prover.program.attack.at_epsilon import given_place, only_at
from prover.program.attack.probability import program_unit
from prover.program.model import Program
from prover.program.scope import depends_on_epsilon

_MOST_STEPS = 1_000_000  # that a certificate is about

NoiseLevel = tuple[Fraction | None, Fraction | None]
"""Its ε, or with discrete noise e^(−ε·unit), and None for the other one."""


class OverInputs:
    """Answers about neighbouring inputs, of at most ``steps`` numbers unless that is None, and noise of
    ``at_epsilon``; with ``q``, noise where e^(−ε·``unit``) is q.
    """

    __slots__ = ()

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    steps: int | None
    q: Fraction | None

    @property
    def unit(self) -> Fraction:
        """With discrete noise: all rates times the grid are multiples of it."""
        return program_unit(self.program)

    @property
    def assumption(self) -> str:
        """Which inputs there are, and which of them are neighbours."""
        return assumption(self.program)

    @property
    def noise(self) -> NoiseLevel:
        """As it was given: its ε, or q."""
        return (self.at_epsilon if self.q is None else None), self.q

    @property
    def length(self) -> str:
        """How long inputs are at most; empty if they have any length."""
        return "" if self.steps is None else length_text(self.steps)

    @property
    def inputs_text(self) -> str:
        """Which inputs the answer is about."""
        return "all neighbouring inputs" + (f" of {self.length}" if self.length else "")


def length_text(steps: int) -> str:
    """How long inputs are at most."""
    return f"at most {steps:,} number{'s' * (steps > 1)}"


@dataclass(frozen=True, slots=True)
class ProgramQuestion:
    """The noise, the neighbouring inputs, and their length, that a question about a program is about."""

    at_epsilon: Fraction
    q: Fraction | None
    adjacency: Adjacency
    steps: int | None


def program_question(
    program: Program, at_epsilon: Given | None, q: Given | None, adjacency: str | None, steps: int | None
) -> ProgramQuestion:
    """What is given of it. Raises BadOptions, BadValue, NotSupported, UnknownName, WrongArgument."""
    at_epsilon = only_at(program, at_epsilon, q)
    if at_epsilon is None and q is None and not depends_on_epsilon(program):
        at_epsilon = 1
    if at_epsilon is None and q is None:
        raise BadOptions(
            "the answer for a threshold program depends on its noise; say which epsilon its rates are "
            "multiples of, such as --at-epsilon 1, in Python at_epsilon=1, or with discrete noise --q 1/2",
            code="no-epsilon",
        )
    place = None if q is None else given_place(program, at_epsilon, q)
    given, what = (at_epsilon, "at_epsilon") if place is None else (place.epsilon, "-ln(q)/unit")
    noise = given_rational(given, what, "bad-epsilon", more_than=0, at_most=LARGEST_EPSILON)
    if steps is not None and not 1 <= given_integer(steps, "steps") <= _MOST_STEPS:
        raise BadOptions(
            f"steps counts inputs, from 1 to {_MOST_STEPS:,}; without it there may be any number",
            code="bad-steps",
        )
    neighbours = given_adjacency(adjacency or Adjacency.ALL_DIFFER)
    return ProgramQuestion(noise, None if place is None else place.q, neighbours, steps)
