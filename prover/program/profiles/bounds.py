"""What bounds δ of a threshold program from above at an α, for all neighbouring inputs, and claims of it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from prover.certificate.schema import Certificate, encode
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.canonical import program_model
from prover.program.model import Program

_MOST = 10**12  # parts to which an upper bound is rounded up


class ClaimContext(Protocol):
    """What claims say of inputs and noise."""

    @property
    def adjacency(self) -> Adjacency: ...
    @property
    def at_epsilon(self) -> Fraction: ...
    @property
    def steps(self) -> int | None: ...
    @property
    def q(self) -> Fraction | None: ...


class UpperBounds(ClaimContext, Protocol):
    """What proves bounds of δ at every α ≥ 1."""

    @property
    def pure(self) -> Fraction | None:
        """The ε by which they are proved, if they are proved by one at which δ is 0."""

    @property
    def program(self) -> Program: ...
    @property
    def evidence(self) -> dict[str, Any]: ...
    def at(self, alpha: Fraction) -> Above: ...


@dataclass(frozen=True, slots=True)
class Above:
    """δ at α is at most ``upper``, for all neighbouring inputs, as the ``bounds`` prove."""

    bounds: UpperBounds
    alpha: Fraction
    upper: Fraction
    epsilon: Fraction | None = None
    """The ε that α ≤ e^ε stands for, if it stands for one."""

    @property
    def program(self) -> Program:
        return self.bounds.program

    @property
    def adjacency(self) -> Adjacency:
        return self.bounds.adjacency

    @property
    def at_epsilon(self) -> Fraction:
        return self.bounds.at_epsilon

    @property
    def steps(self) -> int | None:
        return self.bounds.steps

    @property
    def q(self) -> Fraction | None:
        return self.bounds.q

    @property
    def certificate(self) -> Certificate:
        """The evidence."""
        claim = claim_of(self, "at-most") | {"kind": "profile-table", "upper": format_rational(self.upper)}
        return encode(claim, program_model(self.program), self.bounds.evidence)


class Asked(ClaimContext, Protocol):
    """What both ends say of the question."""

    @property
    def alpha(self) -> Fraction: ...
    @property
    def epsilon(self) -> Fraction | None: ...


def rounded_up(bound: Fraction) -> Fraction:
    """An upper bound in few digits."""
    return Fraction(-(-bound.numerator * _MOST // bound.denominator), _MOST)


def claim_of(asked: Asked, side: str) -> dict[str, Any]:
    """What claims say of the question, and on which ``side`` of e^ε α lies, if it stands for an ε."""
    return question_of(asked) | alpha_of(asked.alpha, asked.epsilon, side)


def question_of(asked: ClaimContext) -> dict[str, Any]:
    """The same, without α."""
    claim: dict[str, Any] = {"adjacency": str(asked.adjacency)}
    if asked.q is None:
        claim["at_epsilon"] = format_rational(asked.at_epsilon)
    else:
        claim["q"] = format_rational(asked.q)
    return claim if asked.steps is None else claim | {"steps": asked.steps}


def alpha_of(alpha: Fraction, epsilon: Fraction | None, side: str) -> dict[str, Any]:
    """The same of α alone."""
    claim: dict[str, Any] = {"alpha": format_rational(alpha)}
    if epsilon is not None:
        claim["epsilon"] = {"alpha": side, "value": format_rational(epsilon)}
    return claim
