"""A pair of neighbouring inputs that reveals much in many runs, and enclosures of the probabilities of words.

Inputs are searched for in floats, by the Rényi divergences of their runs: of all orders together these bound
the ε of many runs. Reference: docs/theory_profiles.md, *Composition*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, log
from typing import Any

from prover.errors import NotSupported
from prover.exact.rational import format_rational
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Program
from prover.program.profiles.below import (
    ROOM,
    pattern_for,
    probability_of,
    read_by,
    with_letters,
)
from prover.program.profiles.objectives import needed_by
from prover.program.profiles.pair import chance_of, ends_of, followed_by
from prover.program.profiles.rounding import VALUE
from prover.program.profiles.runs import Runs
from prover.program.profiles.search import MOST_RUNS, InputSearch
from prover.program.profiles.simulation import Simulation, TooManyRuns
from prover.program.scope import has_gaussian
from prover.progress import Progress, silent

_BITS = 200
_ALIKE = 1e-9  # losses of runs that are one outcome


@dataclass(frozen=True, slots=True)
class Outcome:
    """Runs, or words, of about equal loss. ``chances`` bound their probability on the inputs from below and
    from above, and then that on the neighbour, in parts of VALUE.
    """

    runs: tuple[tuple[int, ...], ...]
    chances: tuple[int, int, int, int]

    @property
    def loss(self) -> float:
        """About ln of the ratio of the probabilities."""
        a, _, _, d = self.chances
        return log(max(a, 0.5)) - log(max(d, 0.5))

    def __add__(self, other: Outcome) -> Outcome:
        """Both as one."""
        (a, b, c, d), (e, f, g, h) = self.chances, other.chances
        return Outcome(tuple(sorted((*self.runs, *other.runs))), (a + e, b + f, c + g, d + h))


_NOTHING = Outcome((), (0, 0, 0, 0))


@dataclass(frozen=True, slots=True)
class PairLaw:
    """Two neighbouring inputs, and the runs on them, in outcomes; by rising ratio of their probabilities.

    ``followed`` is what checkers have to know to follow all runs: a run stands for the word with its outputs
    then, and for all words that are as likely. If that is None, runs are listed; but where the first step
    shows a number, and the program ends, outcomes have no runs: they are where the ``cuts`` say it is.
    """

    inputs: tuple[Fraction, ...]
    neighbour: tuple[Fraction, ...]
    outcomes: tuple[Outcome, ...]
    followed: Mapping[str, Any] | None = field(default=None, hash=False)
    is_cut: bool = False
    """Whether the runs are those of the program in which numbers are cut that are only output."""
    cuts: tuple[Fraction, ...] | None = None

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
        both = {
            "inputs": [format_rational(x) for x in self.inputs],
            "neighbour": [format_rational(x) for x in self.neighbour],
        }
        if self.cuts is not None:
            segments = self.outcomes[::-1] if self.rises else self.outcomes
            chances = [list(one.chances) for one in segments]
            return both | {"chances": chances, "cuts": [format_rational(cut) for cut in self.cuts]}
        listed = "runs" if self.followed is None else "words"
        known = {"bits": _BITS} if self.followed is None else {"followed": dict(self.followed)}
        return (
            both
            | known
            | ({"cut": True} if self.is_cut else {})
            | {
                "outcomes": [
                    {"chances": list(one.chances), listed: [list(run) for run in one.runs]}
                    for one in self.outcomes
                ],
            }
        )


def pair_law(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    times: int,
    delta: Fraction,
    steps: int | None = None,
    q: Fraction | None = None,
    progress: Progress = silent,
) -> PairLaw | None:
    """The pair of inputs that is found to need the largest ε at ``delta`` > 0 in so many runs, of at most
    ``steps`` numbers if that is given; None if none of those that are found reveals anything, or the program
    has Gaussian noise and its runs cannot be followed. On a grid ``q`` may be e^(−ε·unit), and then
    ``at_epsilon`` is that ε, rounded up.
    """
    simulation = Simulation(program, at_epsilon)
    listed = simulation.followable is None
    if listed and has_gaussian(program):
        return None
    one_way = adjacency in (*ONE_WAY, Adjacency.MONOTONIC)
    sides = ONE_WAY if one_way else (adjacency,)
    searches = [InputSearch(simulation, side, steps, listed=listed, progress=progress) for side in sides]
    wanted = needed_by(times, float(delta))
    found = [(one, own.adjacency) for own in searches for one in own.fresh(wanted) if one.value > 0]
    for search in searches if not found else ():
        pattern = pattern_for(search, at_epsilon, Fraction(1), steps, q)
        found += [] if pattern is None else [(pattern, search.adjacency)]
    if not found:
        return None
    best, side = max(found, key=lambda one: one[0].value)
    both = best.inputs, best.neighbour
    backward = adjacency in ONE_WAY and side != adjacency
    return law_of_pair(simulation, at_epsilon, *(both[::-1] if backward else both), q, progress)


def law_of_pair(
    simulation: Simulation,
    at_epsilon: Fraction,
    inputs: Sequence[Fraction],
    other: Sequence[Fraction],
    q: Fraction | None = None,
    progress: Progress = silent,
) -> PairLaw | None:
    """The runs on two inputs; None where they prove nothing."""
    program, found = simulation.followable, list[Outcome]()
    followed: Mapping[str, Any] | None = None
    if program is not None:
        with suppress(NotSupported):
            both = inputs, other
            found, followed = followed_by(_words, program, [Fraction(1)], *both, q=q, progress=progress)
    if followed is None and not has_gaussian(simulation.program):
        found = _listed(simulation, at_epsilon, inputs, other, q)
    outcomes: list[Outcome] = []
    for one in sorted(found, key=lambda one: (one.loss, one.runs)):
        if outcomes and one.loss - outcomes[-1].loss < _ALIKE:
            outcomes[-1] += one
        else:
            outcomes.append(one)
    law = PairLaw(tuple(inputs), tuple(other), tuple(outcomes), followed, simulation.is_cut)
    # Words that are left out may be all the rest.
    return _below(law) or _below(replace(law, outcomes=(_NOTHING, *outcomes, _NOTHING)))


def _below(law: PairLaw) -> PairLaw | None:
    """The law with outcomes put together until the rest has the least ratio both ways; None if that fails."""
    if not any(one.runs for one in law.outcomes):
        return None
    while len(law.outcomes) > 1 and not law.is_below(forward=True):
        first, second, *others = law.outcomes
        law = replace(law, outcomes=(first + second, *others))
    while len(law.outcomes) > 1 and not law.is_below(forward=False):
        *others, second, last = law.outcomes
        law = replace(law, outcomes=(*others, second + last))
    return law if len(law.outcomes) > 1 and law.is_below(forward=True) else None


def _words(runs: Runs, both: Sequence[Sequence[Any]], room: Fraction) -> list[Outcome] | None:
    """Words that end where their outputs show it, those that are equally likely together; None where their
    probabilities are not known well enough.
    """
    found, width = [], Fraction(0)
    stopping = {ended.groups for ended in runs.ended if ended.stops}
    for ended in runs.ended:
        (a, b), (c, d) = (ends_of(chance_of(ended, own)) for own in both)
        width += b - a + d - c
        spare = room * ended.count * sum(times for _, times in ended.groups)
        if ended.groups not in stopping:
            found.append(_outcome(ended.path, (a, b, c, d), spare + ROOM))
    return found if width < Fraction(1, VALUE) else None


def _listed(
    simulation: Simulation,
    at_epsilon: Fraction,
    inputs: Sequence[Fraction],
    other: Sequence[Fraction],
    q: Fraction | None,
) -> list[Outcome]:
    """Each run alone; none if there are too many."""
    plain, found = with_letters(simulation.program), []
    try:
        runs = simulation.runs(inputs, other, MOST_RUNS)
    except TooManyRuns:
        return []
    for run, _, _ in runs:
        path = [plain.edges[number] for number in run]
        ends = (probability_of(plain, path, read_by(path, x), at_epsilon, q) for x in (inputs, other))
        found.append(_outcome(run, [end for own in ends for end in own], ROOM))
    return found


def _outcome(run: tuple[int, ...], ends: Sequence[Fraction], room: Fraction) -> Outcome:
    a, b, c, d = ends
    low, least = (max(0, floor((x - room) * VALUE)) for x in (a, c))
    high, most = (ceil((x + room) * VALUE) for x in (b, d))
    return Outcome((run,), (low, high, least, most))
