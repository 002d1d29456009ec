"""δ of a threshold program from below: two neighbouring inputs, and the runs that tell them apart.

Inputs are searched for in floats; what the runs of the best ones gain is then enclosed exactly.
Reference: docs/theory_profiles.md, *One pair of inputs*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.errors import NotSupported
from prover.exact.rational import decimal_below, format_rational
from prover.program.adjacency import Adjacency
from prover.program.attack.probability import enclosed_probability, rational_probability
from prover.program.canonical import program_model
from prover.program.model import Edge, Program
from prover.program.profiles.above import LARGEST
from prover.program.profiles.bounds import claim_of
from prover.program.profiles.cut import cut
from prover.program.profiles.objectives import gain_at
from prover.program.profiles.pair import followed
from prover.program.profiles.patterns import best_pattern
from prover.program.profiles.scope import is_large, is_moderate, is_searched
from prover.program.profiles.search import MOST_RUNS, SHORT, FoundInputs, InputSearch
from prover.program.profiles.simulation import Simulation, TooManyRuns
from prover.program.scope import has_gaussian
from prover.progress import Progress, silent

LONGEST_LISTED = 6
"""Inputs whose runs are listed, where there is no grid."""
_FEW = 2  # inputs that are searched for first where programs are large
_BITS = 200
DIGITS = 9  # that a lower bound is rounded down to
ROOM = Fraction(1, 10**20)  # for rounding in the checker


@dataclass(frozen=True, slots=True)
class Below:
    """δ at one α is at least ``lower``: P[runs | inputs] − α P[runs | neighbour]."""

    program: Program
    adjacency: Adjacency
    at_epsilon: Fraction
    alpha: Fraction
    lower: Fraction
    inputs: tuple[Fraction, ...]
    neighbour: tuple[Fraction, ...]
    runs: tuple[tuple[int, ...], ...]
    """Of the event; where checkers find it by themselves, only one of those that are equally likely."""
    count: int
    """How many runs there are."""
    probabilities: tuple[Fraction, Fraction]
    """Of the event, rounded down on the inputs and up on the neighbour."""
    followed: Mapping[str, Any] | None = field(default=None, hash=False)
    """What checkers have to know to find the event by themselves; None if the certificate lists its runs."""
    steps: int | None = None
    """How many inputs there may be at most."""
    epsilon: Fraction | None = None
    """The ε that α ≥ e^ε stands for, if it stands for one."""
    q: Fraction | None = None
    is_cut: bool = False
    """Whether the runs are those of the program in which numbers are cut that are only output."""

    @property
    def played(self) -> Program:
        """The program of the runs."""
        return cut(self.program) if self.is_cut else self.program

    @property
    def certificate(self) -> Certificate:
        """The evidence."""
        claim = claim_of(self, "at-least") | {"kind": "inputs", "lower": format_rational(self.lower)}
        return encode(claim, program_model(self.program), self.evidence)

    @property
    def evidence(self) -> dict[str, Any]:
        """The inputs, and the event."""
        listed = {"bits": _BITS, "runs": [list(run) for run in self.runs]}
        lists: dict[str, Any] = {
            "inputs": [format_rational(x) for x in self.inputs],
            "neighbour": [format_rational(x) for x in self.neighbour],
        }
        return (
            lists
            | (listed if self.followed is None else dict(self.followed))
            | ({"cut": True} if self.is_cut else {})
        )


def search_for(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    steps: int | None = None,
    progress: Progress = silent,
) -> InputSearch:
    """A search for inputs. Where checkers do not follow runs by themselves, these are few, and short where
    there is no grid: checkers have a term for each subset of the tests of a run.
    """
    simulation = Simulation(program, at_epsilon)
    listed = simulation.followable is None
    if listed and simulation.grid is None:
        steps = min(steps or LONGEST_LISTED, LONGEST_LISTED)
    return InputSearch(simulation, adjacency, steps, listed=listed, progress=progress)


def delta_below(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    steps: int | None = None,
    progress: Progress = silent,
    q: Fraction | None = None,
) -> Below | None:
    """The best pair of inputs that is found, of at most ``steps`` numbers if that is given.

    None where none gains anything, or α is too large for a search. Where outputs hide the run, as in noisy
    max, and runs can be followed, some patterns of few inputs are tried.
    """
    if alpha > LARGEST:
        return None
    search = search_for(program, adjacency, at_epsilon, steps, progress)
    found = proved(search, search.best_at(float(alpha)), at_epsilon, alpha, steps, q)
    if found is not None:
        return found
    pattern = pattern_for(search, at_epsilon, alpha, steps, q)
    found = None if pattern is None else enclosed(search.simulation, adjacency, at_epsilon, alpha, pattern, q)
    return None if found is None else replace(found, steps=steps)


def few_steps(steps: int | None) -> int:
    """How many inputs are searched for first where programs are large and ``steps`` are allowed."""
    return _FEW if steps is None else min(_FEW, steps)


def short_steps(steps: int | None) -> int:
    """How many inputs are searched for where there is no table and ``steps`` are allowed."""
    return SHORT[-1] if steps is None else min(SHORT[-1], steps)


def few_inputs(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alphas: Sequence[Fraction],
    steps: int | None = None,
    progress: Progress = silent,
    q: Fraction | None = None,
) -> list[Below | None]:
    """What pairs of few inputs prove at each α, of large programs of at most two; this takes little time."""
    if not is_moderate(program, at_epsilon):
        return [None for _ in alphas]
    most = few_steps(steps) if is_large(program) else short_steps(steps)
    search = search_for(program, adjacency, at_epsilon, most, progress)
    found = [
        search.fresh(gain_at(float(alpha))) if alpha <= LARGEST else list[FoundInputs]() for alpha in alphas
    ]
    return [
        proved(search, own, at_epsilon, alpha, steps, q) for own, alpha in zip(found, alphas, strict=True)
    ]


def without_table(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    few: Below | None,
    steps: int | None = None,
    progress: Progress = silent,
    q: Fraction | None = None,
) -> Below | None:
    """The better one of few inputs and of short ones that are found where a program has no table. Large
    programs are not searched.
    """
    if not is_searched(program, at_epsilon):
        return few
    found = delta_below(program, adjacency, at_epsilon, alpha, short_steps(steps), progress, q)
    if found is None or (few is not None and few.lower >= found.lower):
        return few
    return replace(found, steps=steps)


def pattern_for(
    search: InputSearch, at_epsilon: Fraction, alpha: Fraction, steps: int | None, q: Fraction | None
) -> FoundInputs | None:
    """A pair of few inputs that gains at α where outputs hide the run and runs can be followed; else None."""
    if search.listed:
        return None

    def gain(pair: FoundInputs) -> Fraction:
        search.progress("patterns of inputs", len(pair.inputs), None)
        try:
            found = enclosed(search.simulation, search.adjacency, at_epsilon, alpha, pair, q)
        except TooManyRuns:
            return Fraction(0)
        return Fraction(0) if found is None else found.lower

    return best_pattern(search, gain, steps)


def proved(
    search: InputSearch,
    found: Sequence[FoundInputs],
    at_epsilon: Fraction,
    alpha: Fraction,
    steps: int | None,
    q: Fraction | None,
) -> Below | None:
    """What the best of these inputs prove at α, if they have not too many runs; None where none gains."""
    for one in sorted(found, key=lambda one: one.value, reverse=True):
        if one.value <= 0:
            break
        best = search.polished(one, gain_at(float(alpha)))
        below = enclosed(search.simulation, search.adjacency, at_epsilon, alpha, best, q)
        if below is not None:
            return replace(below, steps=steps)
    return None


def enclosed(
    simulation: Simulation,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    pair: FoundInputs,
    q: Fraction | None = None,
) -> Below | None:
    """What a pair of inputs proves: by all of its runs if these can be followed, and else by those that are
    likelier by more than α on the first of them in floats.
    """
    inputs, neighbour, program = pair.inputs, pair.neighbour, simulation.followable
    about = simulation.original, adjacency, at_epsilon, alpha
    found: _Listed | None = None
    known: Mapping[str, Any] | None = None
    gain, event, listed = Fraction(0), None, program is None
    if program is not None:
        try:
            ((gain, _, event),), known = followed(program, [alpha], inputs, neighbour, q=q, both_ways=False)
        except NotSupported:
            listed = True
    if event is not None:
        listed = any(run.stops for run in event.runs)  # as no output shows
        found = gain, tuple(sorted(run.path for run in event.runs)), event.count, event.probabilities
    if listed:
        if has_gaussian(simulation.program):
            return None
        try:
            found, known = _listed(simulation, at_epsilon, alpha, inputs, neighbour, q), None
        except TooManyRuns:
            return None
    lower = Fraction(0) if found is None else decimal_below(found[0], DIGITS)
    if found is None or lower <= 0:
        return None
    return Below(*about, lower, inputs, neighbour, *found[1:], known, q=q, is_cut=simulation.is_cut)


_Listed = tuple[Fraction, tuple[tuple[int, ...], ...], int, tuple[Fraction, Fraction]]
"""What an event gains at least; its runs, and how many there are; and its probabilities."""


def _listed(
    simulation: Simulation,
    at_epsilon: Fraction,
    alpha: Fraction,
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
    q: Fraction | None,
) -> _Listed:
    """The runs that are likelier by more than α in floats."""
    likely = simulation.runs(inputs, neighbour, MOST_RUNS)
    runs = sorted(run for run, more, less in likely if more > float(alpha) * less)
    above = below = Fraction(0)
    plain = with_letters(simulation.program)
    for run in runs:
        path = [plain.edges[number] for number in run]
        above += probability_of(plain, path, read_by(path, inputs), at_epsilon, q)[0]
        below += probability_of(plain, path, read_by(path, neighbour), at_epsilon, q)[1]
    return above - alpha * below - ROOM, tuple(runs), len(runs), (above, below)


def probability_of(
    program: Program,
    path: Sequence[Edge],
    inputs: Sequence[Fraction],
    at_epsilon: Fraction,
    q: Fraction | None = None,
) -> tuple[Fraction, Fraction]:
    """Between which numbers the probability of a run is."""
    if q is None:
        return enclosed_probability(program, path, inputs, at_epsilon)
    exact = rational_probability(program, path, inputs, q)
    return exact, exact


def with_letters(program: Program) -> Program:
    """The program with letters in place of numbers that are output: runs are as likely with them."""
    states = {
        name: replace(
            state,
            transitions=tuple(replace(own, output=f"{k}") for k, own in enumerate(state.transitions)),
        )
        for name, state in program.states.items()
    }
    return replace(program, states=states)


def read_by(path: Sequence[Edge], inputs: Sequence[Fraction]) -> list[Fraction]:
    """An input for each step of a run, 0 where none is read."""
    left = iter(inputs)
    return [next(left) if edge.input else Fraction(0) for edge in path]
