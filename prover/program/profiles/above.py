"""δ of a threshold program from above, for all neighbouring inputs, by a closed profile table.

Reference: docs/theory_profiles.md, Theorem 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, log
from typing import Any, Protocol

from prover.certificate.schema import Certificate, encode, program_model
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.model import Program, reachable
from prover.program.profiles.certificate import KNOT, VALUE, evidence_of, knots_of, rounded
from prover.program.profiles.regions import Regions
from prover.program.profiles.table import Table

STEPS = 4  # of shifts, in 1
LINES = 8  # of a region, beside the first and the last
KNOTS = 160
ROUNDS = 300
FARTHEST = 13.5  # ln of the largest knot, which has 18 digits in parts of KNOT
LARGEST = Fraction(700_000)  # α that is a knot
_MOST = 10**9  # parts that an upper bound is rounded up to


@dataclass(frozen=True, slots=True)
class Above:
    """δ at one α is at most ``upper``, for all neighbouring inputs; ``tables``, one for each direction, with
    their knots, prove it.
    """

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    alpha: Fraction
    upper: Fraction
    tables: Mapping[str, tuple[Table, Sequence[int]]]
    epsilon: Fraction | None = None
    """The ε that α ≤ e^ε stands for, if it stands for one."""

    @property
    def certificate(self) -> Certificate:
        """The evidence."""
        claim = claim_of(self, "at-most") | {"kind": "profile-table", "upper": format_rational(self.upper)}
        written = {side: evidence_of(table, knots) for side, (table, knots) in self.tables.items()}
        evidence = written if len(written) > 1 else written[str(self.adjacency)]
        return encode(claim, program_model(self.program), evidence)


class Asked(Protocol):
    """What both ends say of the question."""

    @property
    def adjacency(self) -> Adjacency: ...
    @property
    def at_epsilon(self) -> Fraction: ...
    @property
    def alpha(self) -> Fraction: ...
    @property
    def epsilon(self) -> Fraction | None: ...


def claim_of(asked: Asked, side: str) -> dict[str, Any]:
    """What claims say of the question, and on which ``side`` of e^ε α lies, if it stands for an ε."""
    claim: dict[str, Any] = {
        "adjacency": str(asked.adjacency),
        "alpha": format_rational(asked.alpha),
        "at_epsilon": format_rational(asked.at_epsilon),
    }
    if asked.epsilon is not None:
        claim["epsilon"] = {"alpha": side, "value": format_rational(asked.epsilon)}
    return claim


def delta_above(program: Program, adjacency: Adjacency, at_epsilon: Fraction, alpha: Fraction) -> Above:
    """δ(α) ≤ upper for a program of one variable with noise at ``at_epsilon`` > 0; α ≥ 1."""
    both = adjacency == Adjacency.MONOTONIC
    sides = [Adjacency.DECREASING, Adjacency.INCREASING] if both else [adjacency]
    tables, upper = {}, Fraction(0)
    for side in sides:
        knots = _knots(alpha)
        table = _table(program, side, at_epsilon, knots)
        tables[str(side)] = table, knots
        upper = max(upper, _value(table, knots, alpha))
    return Above(program, adjacency, at_epsilon, alpha, min(upper, Fraction(1)), tables)


def _knots(alpha: Fraction) -> list[int]:
    """0, 1, α if it is not too large, and numbers in geometric progression around 1."""
    farthest = min(1.5 * (log(alpha.numerator) - log(alpha.denominator)) + 2.0, FARTHEST)
    powers = (exp(farthest * (2 * k / KNOTS - 1)) for k in range(KNOTS + 1))
    asked = {int(alpha * KNOT)} if alpha < LARGEST else set()
    return sorted({0, KNOT, *asked, *(round(power * KNOT) for power in powers)})


def _table(program: Program, side: Adjacency, at_epsilon: Fraction, knots: Sequence[int]) -> Table:
    reached = reachable(program)
    reading = [edge for edge in program.edges if edge.input and edge.source in reached]
    reach = max((edge.sensitivity for edge in reading), default=Fraction(1))
    points = [Fraction(k, STEPS) * reach for k in range(-STEPS, STEPS + 1)]
    steps = list(pairwise(points))
    table = Table(program, str(side), Regions(at_epsilon, LINES), knots_of(knots), points, steps)
    table.close(ROUNDS)
    return table


def _value(table: Table, knots: Sequence[int], alpha: Fraction) -> Fraction:
    """What the table promises at α, rounded up."""
    functions = rounded(table, knots)
    start = next(
        values
        for node, values in functions.items()
        if node.state == table.program.initial and node.open == (table.adjacency == Adjacency.ONE_DIFFER)
    )
    at = alpha * KNOT
    k = max(k for k, knot in enumerate(knots) if knot <= at)
    if k + 1 == len(knots):
        found = Fraction(start[k])
    else:
        found = start[k] - (at - knots[k]) * (start[k] - start[k + 1]) / (knots[k + 1] - knots[k])
    return Fraction(-(-found.numerator * _MOST // (found.denominator * VALUE)), _MOST)
