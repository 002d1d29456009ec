"""A pair of neighbouring inputs whose runs tell much in many runs, and enclosures of their probabilities.

Inputs are searched for in floats, by the Rényi divergences of their runs: of all orders together these bound
the ε of many runs. Reference: docs/theory_profiles.md, *Composition*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

import numpy as np

from prover.exact.rational import format_rational
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Program
from prover.program.profiles.below import (
    MOST_RUNS,
    ROOM,
    Search,
    Start,
    neighbour_of,
    probability_of,
    read_by,
    with_letters,
)
from prover.program.profiles.rounding import VALUE
from prover.program.profiles.simulation import Run, Simulation
from prover.progress import Progress, silent

MOST_INPUTS = 12
MOST_SIMULATED = 300_000
"""Runs that the search looks at."""
_BITS = 200
_ORDERS = np.geomspace(0.25, 500.0, 24)  # less 1
_WORTH = 1.001  # what one more input gains at least
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
    most = MOST_INPUTS if steps is None else min(steps, MOST_INPUTS)
    simulation = Simulation(program, at_epsilon)
    one_way = adjacency in (*ONE_WAY, Adjacency.MONOTONIC)
    found = []
    for side in ONE_WAY if one_way else (adjacency,):
        search = _Composed(simulation, side, times, float(delta), most, progress)
        found += [(one, side) for one in search.grown()]
    if not found:
        return None
    (_, (inputs, moved)), side = max(found, key=lambda one: one[0][0])
    other = neighbour_of(inputs, moved)
    backward = adjacency in ONE_WAY and side != adjacency
    return law_of_pair(simulation, at_epsilon, *((other, inputs) if backward else (inputs, other)))


class _Composed:
    """Inputs that grow by one number at a time, the one that gains most."""

    def __init__(
        self,
        simulation: Simulation,
        adjacency: Adjacency,
        times: int,
        delta: float,
        most: int,
        progress: Progress,
    ) -> None:
        self.simulation, self.adjacency, self.most, self.progress = simulation, adjacency, most, progress
        self.times, self.wanted = times, -log(delta)
        self.search = Search(simulation, adjacency)
        self.simulated = 0
        unit, scale = self.search.unit, self.search.scale
        sizes = {self.search.placed(max(unit, round(scale / 2**k / unit) * unit)) for k in range(4)}
        self.steps = sorted(sizes, reverse=True)

    def grown(self) -> list[tuple[float, Start]]:
        """The best inputs from each first difference, with the ε that they are estimated to need."""
        found = []
        for move in filter(None, self.search.moves()):
            first = self._best(([level], [move]) for level in self.search.levels)
            best = None if first is None else self._improved(*first)
            while best is not None and len(best[1][0]) < self.most:
                self.progress("inputs", len(best[1][0]), self.most)
                longer = self._best(self._longer(*best[1]))
                longer = None if longer is None else self._improved(*longer)
                if longer is None or longer[0] < best[0] * _WORTH:
                    break
                best = longer
            if best is not None and best[0] > 0:
                found.append(best)
        return found

    def _best(self, starts: Iterable[Start]) -> tuple[float, Start] | None:
        valued = ((self._value(*start), start) for start in starts)
        known = [(value, start) for value, start in valued if value is not None]
        return max(known, key=lambda one: one[0], default=None)

    def _longer(self, inputs: list[Fraction], moved: list[Fraction]) -> Iterator[Start]:
        """One number more, at any place, equal to one beside it, that moves as it may."""
        for place in range(len(inputs) + 1):
            for x in sorted({*inputs[max(0, place - 1) : place + 1]}):
                for move in self.search.moves():
                    longer = [*moved[:place], move, *moved[place:]]
                    if move == 0 or self.adjacency != Adjacency.ONE_DIFFER:
                        yield [*inputs[:place], x, *inputs[place:]], longer

    def _improved(self, value: float, start: Start) -> tuple[float, Start]:
        """No step of any size of one of the numbers gains more."""
        inputs, moved = start
        for step in self.steps:
            better = True
            while better:
                better = False
                for k in range(len(inputs)):
                    for x in (inputs[k] - step, inputs[k] + step):
                        changed = [*inputs[:k], x, *inputs[k + 1 :]]
                        other = self._value(changed, moved)
                        if other is not None and other > value * (1 + 1e-9):
                            value, inputs, better = other, changed, True
        return value, (inputs, moved)

    def _value(self, inputs: Sequence[Fraction], moved: Sequence[Fraction]) -> float | None:
        """What the runs need: the least (n·K(t) + ln 1/δ)/t over some t, K(t) = ln Σ p (p/q)^t; less what is
        needed where nothing is revealed. None where there are too many runs.
        """
        found: list[Run] = []
        for run in self.simulation.runs(inputs, neighbour_of(inputs, moved)):
            found.append(run)
            self.simulated += 1
            if len(found) > MOST_RUNS or self.simulated > MOST_SIMULATED:
                return None
        p, q = (np.array([run[side] for run in found]) for side in (1, 2))
        seen = p > 0
        loss = np.log(p[seen]) - np.log(np.maximum(q[seen], 1e-300))
        powers = np.log(p[seen]) + _ORDERS[:, None] * loss
        top = powers.max(axis=1)
        divergence = top + np.log(np.exp(powers - top[:, None]).sum(axis=1))
        needed = (self.times * np.maximum(divergence, 0.0) + self.wanted) / _ORDERS
        return float(needed.min() - (self.wanted / _ORDERS).min())


def law_of_pair(
    simulation: Simulation, at_epsilon: Fraction, inputs: Sequence[Fraction], other: Sequence[Fraction]
) -> PairLaw | None:
    """The runs on two inputs; None where they prove nothing."""
    plain = with_letters(simulation.program)
    found: list[Outcome] = []
    for run, _, _ in simulation.runs(inputs, other):
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
