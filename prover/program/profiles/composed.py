"""A pair of neighbouring inputs whose runs tell much in many runs, and enclosures of their probabilities.

Inputs are searched for in floats, by the Rényi divergences of their runs: of all orders together these bound
the ε of many runs. Reference: docs/theory_profiles.md, *Composition*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

from prover.exact.rational import format_rational
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Program
from prover.program.profiles.below import (
    ROOM,
    probability_of,
    read_by,
    with_letters,
)
from prover.program.profiles.objectives import needed_by
from prover.program.profiles.rounding import VALUE
from prover.program.profiles.search import MOST_RUNS, Search
from prover.program.profiles.simulation import Simulation
from prover.progress import Progress, silent

_BITS = 200
_ALIKE = 1e-9  # losses of runs that are one outcome

Chances = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Runs of about equal loss. ``chances`` bound their probability on the inputs from below and from above,
    and then that on the neighbour, in parts of VALUE.
    """

    runs: tuple[tuple[int, ...], ...]
    chances: Chances

    @property
    def loss(self) -> float:
        """About ln of the ratio of the probabilities."""
        a, _, _, d = self.chances
        return log(max(a, 0.5)) - log(max(d, 0.5))

    def __add__(self, other: Outcome) -> Outcome:
        """Both as one."""
        (a, b, c, d), (e, f, g, h) = self.chances, other.chances
        return Outcome(tuple(sorted((*self.runs, *other.runs))), (a + e, b + f, c + g, d + h))


@dataclass(frozen=True, slots=True)
class PairLaw:
    """Two neighbouring inputs, and all runs on them, in outcomes; by rising ratio of their probabilities."""

    inputs: tuple[Fraction, ...]
    neighbour: tuple[Fraction, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def rises(self) -> bool:
        """Whether no number of the neighbour is smaller."""
        return all(x <= y for x, y in zip(self.inputs, self.neighbour, strict=True))

    def masses(self, *, forward: bool) -> list[tuple[Fraction, Fraction]]:
        """A pair of laws that the runs dominate, one way round: an outcome that is left out is with the rest
        (docs/theory_profiles.md, Lemma 7).
        """
        return [(Fraction(p, VALUE), Fraction(q, VALUE)) for p, q in self._sides(forward=forward)]

    def is_below(self, *, forward: bool) -> bool:
        """Whether the rest has the least ratio, as it must."""
        (p, q), *others = self._sides(forward=forward)
        return q > 0 and all(p * d <= a * q for a, d in others)

    def _sides(self, *, forward: bool) -> list[tuple[int, int]]:
        kept = self.outcomes[1:] if forward else self.outcomes[:-1]
        sides = [(a, d) if forward else (c, b) for a, b, c, d in (one.chances for one in kept)]
        return [(VALUE - sum(p for p, _ in sides), VALUE - sum(q for _, q in sides)), *sides]

    @property
    def evidence(self) -> dict[str, Any]:
        """The evidence for the laws."""
        return {
            "bits": _BITS,
            "inputs": [format_rational(x) for x in self.inputs],
            "neighbour": [format_rational(x) for x in self.neighbour],
            "outcomes": [
                {"chances": list(one.chances), "runs": [list(run) for run in one.runs]}
                for one in self.outcomes
            ],
        }


def pair_law(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    times: int,
    delta: Fraction,
    steps: int | None = None,
    progress: Progress = silent,
) -> PairLaw | None:
    """The pair of inputs that is found to need the largest ε at ``delta`` > 0 in so many runs, of at most
    ``steps`` numbers if that is given; None if none of those that are found reveals anything.
    """
    one_way = adjacency in (*ONE_WAY, Adjacency.MONOTONIC)
    simulation = Simulation(program, at_epsilon)
    found = []
    for side in ONE_WAY if one_way else (adjacency,):
        search = Search(simulation, side, steps, listed=True, progress=progress)
        found += [(one, side) for one in search.fresh(needed_by(times, float(delta))) if one.value > 0]
    if not found:
        return None
    best, side = max(found, key=lambda one: one[0].value)
    both = best.inputs, best.neighbour
    backward = adjacency in ONE_WAY and side != adjacency
    return law_of_pair(simulation, at_epsilon, *(both[::-1] if backward else both))


def law_of_pair(
    simulation: Simulation, at_epsilon: Fraction, inputs: Sequence[Fraction], other: Sequence[Fraction]
) -> PairLaw | None:
    """The runs on two inputs; None where they prove nothing."""
    plain = with_letters(simulation.program)
    found: list[Outcome] = []
    for run, _, _ in simulation.runs(inputs, other, MOST_RUNS):
        path = [plain.edges[number] for number in run]
        (a, b), (c, d) = (probability_of(plain, path, read_by(path, x), at_epsilon) for x in (inputs, other))
        found.append(Outcome((run,), (_below(a), _above(b), _below(c), _above(d))))
    outcomes: list[Outcome] = []
    for one in sorted(found, key=lambda one: (one.loss, one.runs)):
        if outcomes and one.loss - outcomes[-1].loss < _ALIKE:
            outcomes[-1] += one
        else:
            outcomes.append(one)
    law = PairLaw(tuple(inputs), tuple(other), tuple(outcomes))
    while len(law.outcomes) > 1 and not law.is_below(forward=True):
        first, second, *others = law.outcomes
        law = replace(law, outcomes=(first + second, *others))
    while len(law.outcomes) > 1 and not law.is_below(forward=False):
        *others, second, last = law.outcomes
        law = replace(law, outcomes=(*others, second + last))
    return law if len(law.outcomes) > 1 and law.is_below(forward=True) else None


def _below(chance: Fraction) -> int:
    return max(0, floor((chance - ROOM) * VALUE))


def _above(chance: Fraction) -> int:
    return ceil((chance + ROOM) * VALUE)
