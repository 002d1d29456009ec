"""δ of a threshold program from below: two neighbouring inputs, and the runs that tell them apart.

Inputs are searched for in floats; what the runs of the best ones gain is then enclosed exactly.
Reference: docs/theory_profiles.md, *One pair of inputs*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from prover.certificate.schema import Certificate, encode
from prover.errors import NotSupported
from prover.exact.rational import decimal_below, format_rational
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.attack.probability import enclosed_probability, rational_probability
from prover.program.canonical import program_model
from prover.program.model import Edge, Program
from prover.program.profiles.above import LARGEST, claim_of
from prover.program.profiles.first_hit import LONGEST, long_pairs
from prover.program.profiles.pair import followed
from prover.program.profiles.simulation import Simulation
from prover.program.scope import has_gaussian
from prover.progress import Progress, silent

LENGTHS = (1, 2, 4, 6)
MOST_RUNS = 400
_BITS = 200
DIGITS = 9  # that a lower bound is rounded down to
_PLACES = 4  # of an input, in 1
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
    probabilities: tuple[Fraction, Fraction]
    """Of the event, rounded down on the inputs and up on the neighbour."""
    followed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What checkers have to know to find the event by themselves; empty if the certificate lists its runs."""
    steps: int | None = None
    """How many inputs there may be at most."""
    epsilon: Fraction | None = None
    """The ε that α ≥ e^ε stands for, if it stands for one."""
    q: Fraction | None = None

    @property
    def certificate(self) -> Certificate:
        """The evidence."""
        claim = claim_of(self, "at-least") | {"kind": "inputs", "lower": format_rational(self.lower)}
        return encode(claim, program_model(self.program), self.evidence)

    @property
    def evidence(self) -> dict[str, Any]:
        """The inputs, and the event."""
        listed = {"bits": _BITS, "runs": [list(run) for run in self.runs]}
        lists = {
            "inputs": [format_rational(x) for x in self.inputs],
            "neighbour": [format_rational(x) for x in self.neighbour],
        }
        return lists | (dict(self.followed) or listed)


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

    Short ones are changed a number at a time, first for α = 1 and then for larger ones; and long ones where
    the first hit ends the run.

    None where none gains anything, or α is too large for a search.
    """
    if alpha > LARGEST:
        return None
    search = Search(Simulation(program, at_epsilon), adjacency)
    found = first_found(search, steps, progress)
    for part in (Fraction(1, 3), Fraction(2, 3), Fraction(1)) if alpha > 1 else ():
        found = search.again(found, float(alpha) ** float(part))
    progress("long inputs", 0, None)
    return proved(search, found, at_epsilon, alpha, steps, q)


def proved(
    search: Search,
    found: Sequence[Found],
    at_epsilon: Fraction,
    alpha: Fraction,
    steps: int | None,
    q: Fraction | None,
) -> Below | None:
    """What the best of these inputs, or of long ones, prove at α; None where none gains anything."""
    best = max([*found, *search.long(float(alpha), steps)], key=lambda one: one.gain, default=None)
    if best is None or best.gain <= 0:
        return None
    about = search.simulation, search.adjacency, at_epsilon, alpha
    below = enclosed(*about, best.inputs, best.moved, q)
    return None if below is None else replace(below, steps=steps)


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
    """What a pair of inputs proves: by all of its runs if these can be followed, and else by those that are
    likelier by more than α on the first of them in floats.
    """
    program = simulation.program
    neighbour = neighbour_of(inputs, moved)
    about = program, adjacency, at_epsilon, alpha
    found: tuple[Fraction, _Runs, tuple[Fraction, Fraction]] | None = None
    try:
        (ends,), known = followed(program, at_epsilon, [alpha], inputs, neighbour, q=q, both_ways=False)
    except NotSupported:
        if has_gaussian(program):
            return None
        found, known = _listed(simulation, at_epsilon, alpha, inputs, neighbour, q), {}
    else:
        gain, _, event = ends
        listed = event is None or all(run.count == 1 and not run.stops for run in event.runs)
        if not listed and has_gaussian(program):
            return None
        if not listed:
            found, known = _listed(simulation, at_epsilon, alpha, inputs, neighbour, q), {}
        elif event is not None:
            found = gain, tuple(sorted(run.path for run in event.runs)), event.probabilities
    lower = Fraction(0) if found is None else decimal_below(found[0], DIGITS)
    if found is None or lower <= 0:
        return None
    return Below(*about, lower, tuple(inputs), neighbour, found[1], found[2], known, q=q)


def _listed(
    simulation: Simulation,
    at_epsilon: Fraction,
    alpha: Fraction,
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
    q: Fraction | None,
) -> tuple[Fraction, _Runs, tuple[Fraction, Fraction]]:
    """What some runs gain at least; they; and their probabilities, rounded down and up."""
    likely = simulation.runs(inputs, neighbour)
    runs = sorted(run for run, more, less in likely if more > float(alpha) * less)
    above = below = Fraction(0)
    plain = with_letters(simulation.program)
    for run in runs:
        path = [plain.edges[number] for number in run]
        above += probability_of(plain, path, read_by(path, inputs), at_epsilon, q)[0]
        below += probability_of(plain, path, read_by(path, neighbour), at_epsilon, q)[1]
    return above - alpha * below - ROOM, tuple(runs), (above, below)


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


_Runs = tuple[tuple[int, ...], ...]
Start = tuple[list[Fraction], list[Fraction]]
"""Inputs, and how far those of the neighbour are from them."""


@dataclass(frozen=True, slots=True)
class Found:
    """Inputs, how far those of the neighbour are from them, and what they gain at some α, in floats."""

    gain: float
    inputs: tuple[Fraction, ...]
    moved: tuple[Fraction, ...]

    @property
    def neighbour(self) -> tuple[Fraction, ...]:
        return neighbour_of(self.inputs, self.moved)


def neighbour_of(inputs: Sequence[Fraction], moved: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The inputs that are so far from these."""
    return tuple(x + d for x, d in zip(inputs, moved, strict=True))


class Search:
    """Inputs from which no change of one of them gains more, by ``least``."""

    def __init__(self, simulation: Simulation, adjacency: Adjacency, least: float = 1e-9) -> None:
        self.simulation, self.adjacency, self.least = simulation, adjacency, least
        program = simulation.program
        edges = [edge for edge in program.edges if edge.input]
        self.reach = (
            min((edge.sensitivity for edge in edges), default=Fraction(1)) * program.noise.sensitivity
        )
        scales = [simulation.noise(edge).scale for edge in edges]
        self.unit = unit = max(self.reach / _PLACES, program.noise.grid or Fraction(0))
        self.scale = scale = Fraction(round((max(scales, default=0.0) or 1.0) / float(unit))) * unit
        sizes = (unit, self.reach, scale / 4, scale, 3 * scale)
        self.steps = sorted({self.placed(size) for size in sizes} - {Fraction(0)})
        drawn = {
            program.states[edge.source].mean for edge in program.edges if edge.assigns and not edge.input
        }
        tested = {program.states[edge.source].mean for edge in edges}
        levels = {a - b for a in drawn or {Fraction(0)} for b in tested or {Fraction(0)}}
        self.levels = sorted({self.placed(level) for level in levels})

    def placed(self, number: Fraction) -> Fraction:
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

    def again(self, found: Iterable[Found], alpha: float) -> list[Found]:
        """What is reached from what was found for another α."""
        return self.each(((list(one.inputs), list(one.moved)) for one in found), alpha)

    def long(self, alpha: float, steps: int | None) -> list[Found]:
        """Long inputs where the first hit ends the run, of at most ``steps`` numbers if that is given."""
        pairs = long_pairs(self.simulation, self.adjacency, alpha, min(LONGEST, steps or LONGEST))
        gains = [(self.gain(*pair, alpha), pair) for pair in pairs]
        return [Found(gain, tuple(pair[0]), tuple(pair[1])) for gain, pair in gains if gain is not None]

    def starts(self, length: int, before: Found | None) -> Iterator[Start]:
        """Inputs of a length: those of a shorter one and repetitions, or the levels of thresholds."""
        moves = self.moves()
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

    def moves(self) -> list[Fraction]:
        return [self.reach * end for end in sorted({0, *extreme_points(self.adjacency, True)})]

    def _climbed(self, start: Start, alpha: float) -> Found | None:
        inputs, moved = start
        best = self.gain(inputs, moved, alpha)
        if best is None:
            return None
        better = True
        while better:
            better = False
            for other in self._changed(inputs, moved):
                gain = self.gain(*other, alpha)
                if gain is not None and gain > best + self.least:
                    best, (inputs, moved), better = gain, other, True
        return Found(best, tuple(inputs), tuple(moved))

    def _changed(self, inputs: list[Fraction], moved: list[Fraction]) -> Iterator[Start]:
        for k in range(len(inputs)):
            for step in (*self.steps, *(-step for step in self.steps)):
                yield [*inputs[:k], inputs[k] + step, *inputs[k + 1 :]], moved
            for move in self.moves():
                if move == moved[k]:
                    continue
                others = [Fraction(0)] * len(moved) if self.adjacency == Adjacency.ONE_DIFFER else list(moved)
                others[k] = move
                if self.adjacency != Adjacency.MONOTONIC or min(others) * max(others) >= 0:
                    yield inputs, others

    def gain(self, inputs: Sequence[Fraction], moved: Sequence[Fraction], alpha: float) -> float | None:
        """What the inputs gain; None where they have too many runs."""
        total = 0.0
        for number, (_, p, q) in enumerate(self.simulation.runs(inputs, neighbour_of(inputs, moved))):
            if number == MOST_RUNS:
                return None
            total += max(0.0, p - alpha * q)
        return total
