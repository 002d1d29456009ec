"""δ of a threshold program from below: two neighbouring inputs, and the runs that tell them apart.

Inputs are searched for in floats; what the runs of the best ones gain is then enclosed exactly.
Reference: docs/theory_profiles.md, *One pair of inputs*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from prover.certificate.schema import Certificate, encode, program_model
from prover.errors import Fault
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.attack.probability import enclosed_probability, rational_probability
from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Rate
from prover.program.outputs import seen_of
from prover.program.profiles import on_grid
from prover.program.profiles.above import LARGEST, claim_of
from prover.progress import Progress, silent

LENGTHS = (1, 2, 4, 6)
MOST_RUNS = 400
MOST_STEPS = 500
_POINTS = 200
_BITS = 200
_MOST = 10**9  # parts that a lower bound is rounded down to
_PLACES = 4  # of an input, in 1
_ROOM = Fraction(1, 10**20)  # for rounding in the checker


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
    probabilities: tuple[Fraction, Fraction]
    """Of the event, rounded down on the inputs and up on the neighbour."""
    steps: int | None = None
    """How many inputs there may be at most."""
    epsilon: Fraction | None = None
    """The ε that α ≥ e^ε stands for, if it stands for one."""
    q: Fraction | None = None

    @property
    def certificate(self) -> Certificate:
        """The evidence."""
        claim = claim_of(self, "at-least") | {"kind": "inputs", "lower": format_rational(self.lower)}
        evidence = {
            "bits": _BITS,
            "inputs": [format_rational(x) for x in self.inputs],
            "neighbour": [format_rational(x) for x in self.neighbour],
            "runs": [list(run) for run in self.runs],
        }
        return encode(claim, program_model(self.program), evidence)


Run = tuple[tuple[int, ...], float, float]
"""Transitions, and the probabilities on two inputs."""
Inputs = tuple[Sequence[float], Sequence[float]]
Drawn = tuple[float, tuple[float, float]]
"""A sample: its center, and its rates below and above."""
Law = tuple[float, Drawn | None, Any]
"""The probability that a sample was drawn, the sample, and of each of its points that it was drawn and passed
the tests since then; None where there was none.
"""


class Simulation:
    """Probabilities of all runs on two inputs at once, in floats: functions of what is stored on a grid."""

    def __init__(self, program: Program, at_epsilon: Fraction) -> None:
        self.program, self.epsilon = program, float(at_epsilon)
        self.edges = {state: own for state, own in out_edges(program).items() if _are_told(own)}
        self.means = {name: float(state.mean) for name, state in program.states.items()}
        self.grid = None if program.noise.grid is None else float(program.noise.grid)
        self.drawn = cache(self._drawn)
        self.passed = cache(self._passed)

    def rates(self, edge: Edge) -> tuple[float, float]:
        """The real ones, of noise below and above."""
        sensitivity = self.program.noise.sensitivity

        def real(rate: Rate) -> float:
            return float(rate / sensitivity) * self.epsilon if isinstance(rate, Fraction) else np.inf

        return real(edge.left), real(edge.right)

    def _drawn(self, center: float, rates: tuple[float, float]) -> tuple[Any, Any]:
        """Points around a center, and the probabilities that they stand for."""
        if self.grid is not None:
            return on_grid.drawn(center, rates, self.grid)
        points = _drawn(center, rates)
        return points, np.full(len(points), 1 / len(points))

    def _passed(self, number: int, center: float, stored: Drawn) -> Any:
        """The probability, at each point of a sample, that another one around a center passes a test."""
        edge, above = self.program.edges[number], self.drawn(*stored)[0] - center
        if self.grid is not None:
            return on_grid.passes(edge.written[0][0], above, self.rates(edge), self.grid)
        return _passes(edge.relation, above, self.rates(edge))

    def runs(self, one: Sequence[float], two: Sequence[float]) -> Iterator[Run]:
        """The runs that end, or want more inputs than there are, or go round without reading one, or come to
        a state whose transitions outputs do not tell apart, with their probabilities on either."""
        yield from self._from(self.program.initial, (), (one, two), 0, ((1.0, None, None),) * 2)

    def _from(
        self, state: str, path: tuple[int, ...], inputs: Inputs, read: int, laws: tuple[Law, Law]
    ) -> Iterator[Run]:
        leaving = self.edges.get(state, ())
        steps = min(MOST_STEPS, (len(inputs[0]) + 1) * len(self.edges))
        if not leaving or (leaving[0].input and read == len(inputs[0])) or len(path) == steps:
            yield path, _mass(laws[0]), _mass(laws[1])
            return
        mean = self.means[state]
        centers = [mean + given[read] if leaving[0].input else mean for given in inputs]
        for edge in leaving:
            after = laws
            if edge.assigns:
                own, (x, y) = self.rates(edge), centers
                after = (_mass(laws[0]), (x, own), None), (_mass(laws[1]), (y, own), None)
            elif edge.bounds:
                x, y = centers
                after = self._tested(edge.number, x, laws[0]), self._tested(edge.number, y, laws[1])
            yield from self._from(edge.target, (*path, edge.number), inputs, read + edge.input, after)

    def _tested(self, number: int, center: float, law: Law) -> Law:
        mass, stored, weights = law
        if stored is None:
            raise Fault("a test before anything is stored")
        before = self.drawn(*stored)[1] if weights is None else weights
        return mass, stored, before * self.passed(number, center, stored)


def _are_told(leaving: Sequence[Edge]) -> bool:
    """Whether outputs tell transitions of a state apart (docs/theory_profiles.md, Lemma 4)."""
    return len({seen_of(edge.outputs) for edge in leaving}) == len(leaving)


def _mass(law: Law) -> float:
    """The probability of a law: its mass before what is stored was drawn, times the sum of its weights."""
    mass, _, weights = law
    return mass if weights is None else mass * float(weights.sum())


def _drawn(center: float, rates: tuple[float, float]) -> Any:
    """Points around a center that are equally likely: the middles of quantiles."""
    left, right = rates
    if left == right == np.inf:
        return np.array([center])
    below = 0.0 if left == np.inf else right / (left + right) if right != np.inf else 1.0
    levels = (np.arange(_POINTS) + 0.5) / _POINTS
    low = np.log(levels / below) / left if below > 0 else levels * 0
    high = -np.log((1 - levels) / (1 - below)) / right if below < 1 else levels * 0
    return center + np.where(levels < below, low, high)


def _passes(relation: str, above: Any, rates: tuple[float, float]) -> Any:
    """The probability that noise is < or >= these numbers."""
    left, right = rates
    if left == right == np.inf:
        at_least = (above <= 0).astype(float)
    else:
        share = 0.0 if left == np.inf else right / (left + right) if right != np.inf else 1.0  # of noise < 0
        low = share * np.exp(np.minimum(above, 0.0) * left) if share > 0 else above * 0
        high = (1 - share) * np.exp(-np.maximum(above, 0.0) * right) if share < 1 else above * 0
        at_least = np.where(above > 0, high, 1 - low)
    return at_least if relation == ">=" else 1 - at_least


def delta_below(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    steps: int | None = None,
    progress: Progress = silent,
    q: Fraction | None = None,
) -> Below | None:
    """The best pair of inputs that is found, first for α = 1 and then for larger ones, of at most ``steps``
    numbers if that is given; None where none gains anything, or α is too large for a search.
    """
    if alpha > LARGEST:
        return None
    simulation = Simulation(program, at_epsilon)
    search = Search(simulation, adjacency)
    found = first_found(search, steps, progress)
    for part in (Fraction(1, 3), Fraction(2, 3), Fraction(1)) if alpha > 1 else ():
        starts = ((list(one.inputs), list(one.moved)) for one in found)
        found = search.each(starts, float(alpha) ** float(part))
    if not found or max(one.gain for one in found) <= 0:
        return None
    last = max(found, key=lambda one: one.gain)
    return enclosed(simulation, adjacency, at_epsilon, alpha, last.inputs, last.moved, q)


def first_found(search: Search, steps: int | None, progress: Progress) -> list[Found]:
    """The best inputs for α = 1 of some lengths, the best of all last."""
    found: list[Found] = []
    lengths = sorted({min(length, steps or length) for length in LENGTHS})
    for length in lengths:
        progress("inputs", length, lengths[-1])
        best = search.best(search.starts(length, found[-1] if found else None), 1.0)
        if best is None or (found and best.gain <= found[-1].gain * 1.001):
            break
        found.append(best)
    return found


def enclosed(
    simulation: Simulation,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alpha: Fraction,
    inputs: Sequence[Fraction],
    moved: Sequence[Fraction],
    q: Fraction | None = None,
) -> Below | None:
    """What a pair of inputs proves, by the runs that are likelier by more than α on the first of them."""
    program = simulation.program
    neighbour = tuple(x + d for x, d in zip(inputs, moved, strict=True))
    likely = simulation.runs([float(x) for x in inputs], [float(x) for x in neighbour])
    runs = sorted(run for run, p, q in likely if p > float(alpha) * q)
    above = below = Fraction(0)
    plain = with_letters(program)
    for run in runs:
        path = [plain.edges[number] for number in run]
        above += _probability(plain, path, _read(path, inputs), at_epsilon, q)[0]
        below += _probability(plain, path, _read(path, neighbour), at_epsilon, q)[1]
    gain = above - alpha * below - _ROOM
    lower = Fraction(gain.numerator * _MOST // gain.denominator, _MOST)
    if lower <= 0:
        return None
    chances = above, below
    found = tuple(inputs), neighbour, tuple(runs)
    return Below(program, adjacency, at_epsilon, alpha, lower, *found, chances, q=q)


def _probability(
    program: Program,
    path: Sequence[Edge],
    inputs: Sequence[Fraction],
    at_epsilon: Fraction,
    q: Fraction | None,
) -> tuple[Fraction, Fraction]:
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


def _read(path: Sequence[Edge], inputs: Sequence[Fraction]) -> list[Fraction]:
    """An input for each step of a run, 0 where none is read."""
    left = iter(inputs)
    return [next(left) if edge.input else Fraction(0) for edge in path]


Start = tuple[list[Fraction], list[Fraction]]
"""Inputs, and how far those of the neighbour are from them."""


@dataclass(frozen=True, slots=True)
class Found:
    """Inputs, how far those of the neighbour are from them, and what they gain at some α, in floats."""

    gain: float
    inputs: tuple[Fraction, ...]
    moved: tuple[Fraction, ...]


class Search:
    """Inputs from which no change of one of them gains more."""

    def __init__(self, simulation: Simulation, adjacency: Adjacency) -> None:
        self.simulation, self.adjacency = simulation, adjacency
        program = simulation.program
        edges = [edge for edge in program.edges if edge.input]
        self.reach = (
            min((edge.sensitivity for edge in edges), default=Fraction(1)) * program.noise.sensitivity
        )
        rates = [rate for edge in edges for rate in simulation.rates(edge) if rate < np.inf]
        unit = max(self.reach / _PLACES, program.noise.grid or Fraction(0))
        scale = Fraction(round(1 / min(rates, default=1.0) / float(unit))) * unit
        sizes = (unit, self.reach, scale / 4, scale, 3 * scale)
        self.steps = sorted({self._placed(size) for size in sizes} - {Fraction(0)})
        drawn = {
            program.states[edge.source].mean for edge in program.edges if edge.assigns and not edge.input
        }
        tested = {program.states[edge.source].mean for edge in edges}
        levels = {a - b for a in drawn or {Fraction(0)} for b in tested or {Fraction(0)}}
        self.levels = sorted({self._placed(level) for level in levels})

    def _placed(self, number: Fraction) -> Fraction:
        """On the grid of the noise, if there is one."""
        grid = self.simulation.program.noise.grid
        return number if grid is None else round(number / grid) * grid

    def best(self, starts: Iterable[Start], alpha: float) -> Found | None:
        """The best inputs that are reached from the starts."""
        return max(self.each(starts, alpha), key=lambda one: one.gain, default=None)

    def each(self, starts: Iterable[Start], alpha: float) -> list[Found]:
        """What is reached from each of the starts that have not too many runs."""
        found = (self._climbed(start, alpha) for start in starts)
        return [one for one in found if one is not None]

    def starts(self, length: int, before: Found | None) -> Iterator[Start]:
        """Inputs of a length: those of a shorter one and repetitions, or the levels of thresholds."""
        moves = self._moves()
        if before is not None:
            more = length - len(before.inputs)
            for place in {0, len(before.inputs) - 1}:
                inputs, moved = list(before.inputs), list(before.moved)
                inputs[place:place] = [inputs[place]] * more
                again = Fraction(0) if self.adjacency == Adjacency.ONE_DIFFER else moved[place]
                moved[place:place] = [again] * more
                yield inputs, moved
            return
        for level in self.levels:
            for move in moves:
                if move:
                    yield [level] * length, [move, *[Fraction(0)] * (length - 1)]

    def _moves(self) -> list[Fraction]:
        return [self.reach * end for end in sorted({0, *extreme_points(self.adjacency, True)})]

    def _climbed(self, start: Start, alpha: float) -> Found | None:
        inputs, moved = start
        best = self._gain(inputs, moved, alpha)
        if best is None:
            return None
        better = True
        while better:
            better = False
            for other in self._changed(inputs, moved):
                gain = self._gain(*other, alpha)
                if gain is not None and gain > best + 1e-9:
                    best, (inputs, moved), better = gain, other, True
        return Found(best, tuple(inputs), tuple(moved))

    def _changed(self, inputs: list[Fraction], moved: list[Fraction]) -> Iterator[Start]:
        for k in range(len(inputs)):
            for step in (*self.steps, *(-step for step in self.steps)):
                yield [*inputs[:k], inputs[k] + step, *inputs[k + 1 :]], moved
            for move in self._moves():
                if move == moved[k]:
                    continue
                others = [Fraction(0)] * len(moved) if self.adjacency == Adjacency.ONE_DIFFER else list(moved)
                others[k] = move
                if self.adjacency != Adjacency.MONOTONIC or min(others) * max(others) >= 0:
                    yield inputs, others

    def _gain(self, inputs: Sequence[Fraction], moved: Sequence[Fraction], alpha: float) -> float | None:
        """What the inputs gain; None where they have too many runs."""
        one = [float(x) for x in inputs]
        two = [float(x + d) for x, d in zip(inputs, moved, strict=True)]
        total = 0.0
        for number, (_, p, q) in enumerate(self.simulation.runs(one, two)):
            if number == MOST_RUNS:
                return None
            total += max(0.0, p - alpha * q)
        return total
