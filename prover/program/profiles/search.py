"""Two neighbouring inputs that tell much, searched for in floats, from some beginnings on.

What a pair is worth is an *objective*, a function of the probabilities of all runs on either input. Numbers
follow the derivatives by the inputs. A difference goes to the end of the adjacency to which the derivative by
the neighbour points. On a grid, and where inputs are short, numbers are changed one by one.

Reference: docs/theory_profiles.md, *One pair of inputs*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.profiles.objectives import Objective, climbed, gain_at
from prover.program.profiles.simulation import Chances, RunLaw, Simulation, TooManyRuns
from prover.progress import Progress, silent

SHORT = (1, 2, 4, 6, 9, 13)
LONG = (24, 48, 100)
MOST_RUNS = 400
"""That are not alike; where they have to be listed, runs at all."""
_MOST_WORK = 25_000  # runs, times tests
_LITTLE_WORK = 2_000  # where numbers are also made equal to their neighbours, and swapped with them
_ONCE = 36  # inputs that are found without shorter ones
_FEWER = (12, 8)  # inputs where there are too many runs
_LONGER, _MUCH_LONGER = 1.001, 1.08  # what longer inputs gain at least, for another length
_MOST_LEVELS = 2
_APART = (1, 2, 3, 5, 7, None)  # inputs before each that counts; only the last one does
_RISE = (-0.5, 2.0)  # where inputs begin and end, in scales of the noise
_FLAT = (0.0, 0.0)
_PLACES = 4  # of an input, in how far neighbours may be apart
_FIRST, _KEPT = 4, 2  # ways to begin that get more steps
_STEPS = 20
_TURNS = 4
_REFINED = 2
_PARTS = (1 / 3, 2 / 3, 1.0)  # of ln α, on the way from 1
_ROUNDS = 100
_FEW = 6  # numbers, of which one is changed in each round
_FINER, _WORTH = 64, 1.00001  # parts of a unit for few inputs, and what they gain at least
_BETTER, _SMALL = 1e-6, 1e-12  # how much larger a value has to be, in itself, for another step


@dataclass(frozen=True, slots=True)
class FoundInputs:
    """Inputs, how far those of the neighbour are from them, and what they are worth, in floats."""

    value: float
    inputs: tuple[Fraction, ...]
    moved: tuple[Fraction, ...]

    @property
    def neighbour(self) -> tuple[Fraction, ...]:
        """The inputs that are so far from these."""
        return tuple(x + d for x, d in zip(self.inputs, self.moved, strict=True))


@dataclass(frozen=True, slots=True)
class _Point:
    """Which numbers are equal, the number of each kind, and the end that its difference is at: -1, 0 or 1."""

    kinds: tuple[int, ...]
    inputs: Any
    ends: Any


@dataclass(frozen=True, slots=True)
class _Way:
    """How long inputs begin: around a level; rising, or falling if ``sign`` is -1; with a number that counts
    after so many others, or the last one if that is None; and with differences from ``low`` to ``high``.
    """

    level: float
    sign: int
    apart: int | None
    low: int
    high: int
    in_turns: bool
    """Two numbers in turns, which neither rise nor fall."""


class InputSearch:
    """Pairs of inputs of a program for one adjacency, of at most ``steps`` numbers if that is given; with few
    runs at all if they have to be ``listed``.
    """

    def __init__(
        self,
        simulation: Simulation,
        adjacency: Adjacency,
        steps: int | None = None,
        *,
        listed: bool = False,
        progress: Progress = silent,
    ) -> None:
        self.simulation, self.adjacency, self.listed = simulation, adjacency, listed
        self.progress = progress
        self.is_coarse = simulation.grid is not None or adjacency == Adjacency.ONE_DIFFER
        """Whether all inputs are short, and their numbers changed one by one."""
        self.short = sorted({min(length, steps or length) for length in SHORT})
        self.long = sorted({min(length, steps or length) for length in LONG})
        if steps is not None and steps <= _ONCE:
            self.long = [steps]
        self.law = cache(self._law)
        program = simulation.program
        edges = [edge for edge in program.edges if edge.input]
        reach = min((edge.sensitivity for edge in edges), default=Fraction(1)) * program.noise.sensitivity
        self.most_apart, self.reach = reach, float(reach)
        self.unit = max(reach / _PLACES, program.noise.grid or Fraction(0))
        self.scale = max((simulation.noise(edge).scale for edge in edges), default=0.0) or 1.0
        sizes = (float(self.unit), self.reach, self.scale / 4, self.scale, 3 * self.scale)
        self.sizes = sorted({self.placed(size) for size in sizes} - {0.0})
        drawn = {
            program.states[edge.source].mean for edge in program.edges if edge.assigns and not edge.input
        }
        tested = {program.states[edge.source].mean for edge in edges}
        levels = {float(a - b) for a in drawn or {Fraction(0)} for b in tested or {Fraction(0)}}
        self.levels = sorted({self.placed(level) for level in levels})
        self.moves = sorted({0, *extreme_points(adjacency, True)})

    def _law(self, kinds: tuple[int, ...]) -> RunLaw:
        """The runs on inputs of these kinds. Raises TooManyRuns."""
        law = RunLaw(self.simulation, kinds, MOST_RUNS)
        many = len(law.counts) * len(law.tests) > _MOST_WORK
        if many or (self.listed and law.counts.sum() > MOST_RUNS):
            raise TooManyRuns
        return law

    def _has_law(self, kinds: tuple[int, ...]) -> bool:
        """Whether there are not too many runs."""
        try:
            self.law(kinds)
        except TooManyRuns:
            return False
        return True

    def placed(self, number: float) -> float:
        """A multiple of the unit."""
        return round(number / float(self.unit)) * float(self.unit)

    def on_unit(self, number: Fraction) -> Fraction:
        """The same of a rational number."""
        return round(number / self.unit) * self.unit

    def fresh(self, objective: Objective) -> list[FoundInputs]:
        """Inputs from the first beginnings on: numbers that rise or fall, or two in turns where there are too
        many runs on different ones; and short inputs, each begun with those before it, if few numbers are
        allowed, or none of the others are found.
        """
        long = [] if self.is_coarse else self._long(objective, in_turns=False)
        if not self.is_coarse and max((len(one.inputs) for one in long), default=0) < self.long[0]:
            long += self._long(objective, in_turns=True)
        if long and self.long[0] > SHORT[-1]:
            return long
        short: list[FoundInputs] = []
        for length in self.short:
            self.progress("inputs", length, self.short[-1])
            begun = self._longer(short[-1], length) if short else self._level(length)
            best = max(self._reached(begun, objective), key=lambda one: one.value, default=None)
            if best is None or (short and best.value <= short[-1].value * _LONGER):
                break
            short.append(best)
        return [*long, *short]

    def best_at(self, alpha: float) -> list[FoundInputs]:
        """What is found for one α; if short inputs are looked at, by way of smaller ones."""
        found = [] if self.is_coarse else self.fresh(gain_at(alpha))
        if self.long[0] <= SHORT[-1] or not any(one.value > 0 for one in found):
            own = self.fresh(gain_at(1.0))
            for part in _PARTS if alpha > 1 else ():
                own = self.improved(own, gain_at(alpha**part))
            found += own
        return found

    def improved(self, found: Iterable[FoundInputs], objective: Objective) -> list[FoundInputs]:
        """What is reached from what was found for another objective."""
        return self._reached((self._point(one) for one in found), objective)

    def polished(self, found: FoundInputs, objective: Objective) -> FoundInputs:
        """The same, or few inputs near them in finer units, where that gains more."""
        if self.simulation.grid is not None or len(found.inputs) > _FEW:
            return found
        finer = copy(self)
        finer.unit = self.unit / _FINER
        better = max(finer.improved([found], objective), key=lambda one: one.value, default=found)
        return better if better.value > found.value * _WORTH else found

    def _long(self, objective: Objective, *, in_turns: bool) -> list[FoundInputs]:
        ways = list(self._ways(in_turns))

        def is_known(length: int) -> bool:
            return self._has_law(self._start(ways[0], length)[0].kinds)

        lengths = self.long if is_known(self.long[0]) else [n for n in _FEWER if n < self.long[0]][:1]
        found: list[FoundInputs] = []
        for length in filter(is_known, lengths):
            self.progress("inputs", length, lengths[-1])
            begun = self._begun(ways, length, objective)
            refined = sorted(
                ((self._refined(point, objective), way) for point, way in begun), key=lambda one: one[0].value
            )
            before = found[-1].value if found else 0.0
            found += [one for one, _ in refined if one.value > before]
            if not found or found[-1].value < before * _MUCH_LONGER:
                break
            ways = [refined[-1][1]]
        return found

    def _ways(self, in_turns: bool) -> Iterator[_Way]:
        ways = [Adjacency.INCREASING, Adjacency.DECREASING]
        for own in ways if self.adjacency == Adjacency.MONOTONIC else [self.adjacency]:
            low, high = extreme_points(own, True)
            for level, sign, apart in product(self.levels[:_MOST_LEVELS], (1, -1), _APART):
                yield _Way(level, sign, apart, low, high, in_turns)

    def _start(self, way: _Way, length: int) -> tuple[_Point, Any]:
        """Where a climb begins, and which numbers count."""
        apart = length - 1 if way.apart is None else way.apart
        counts = np.arange(length) % (apart + 1) == apart
        ends = np.where(counts == (way.sign > 0), way.low, way.high)
        if way.in_turns:
            kinds = np.arange(2 if counts.any() else 1)
            numbers = np.full(len(kinds), way.level)
            pair = np.where(kinds == (way.sign > 0), way.low, way.high)
            return _Point(tuple(counts.astype(int).tolist()), numbers, pair), counts
        slopes = _FLAT if way.apart is None else _RISE
        rising = np.linspace(*slopes, length) * self.scale + np.where(counts, 0.5, -0.5) * self.reach
        return _Point(tuple(range(length)), way.level + way.sign * rising, ends), counts

    def _begun(self, ways: Sequence[_Way], length: int, objective: Objective) -> list[tuple[_Point, _Way]]:
        """The best points that some steps lead to: first with an event that holds where a run ends with a
        number that counts, then with the best event.
        """
        begun = []
        for way in ways:
            point, counts = self._start(way, length)
            if not self._has_law(point.kinds):
                continue
            paths, edges = self.law(point.kinds).paths, self.simulation.program.edges
            last = np.array([sum(edges[number].input for number in path) for path in paths]) - 1
            event = None if way.in_turns or way.apart is None else counts[last] & (last < length - 1)
            begun.append((*self._climbed(point, objective, _STEPS, event), way))
        begun.sort(key=lambda one: one[0], reverse=True)
        turned = [(*self._turned(point, objective, _STEPS), way) for _, point, way in begun[:_FIRST]]
        turned.sort(key=lambda one: one[0], reverse=True)
        return [(point, way) for value, point, way in turned[:_KEPT] if value > 0]

    def _refined(self, point: _Point, objective: Objective) -> FoundInputs:
        """By more steps, and by changes one by one: of differences, and of numbers at last."""
        for _ in range(_REFINED):
            point = self._turned(point, objective, 3 * _STEPS)[1]
            point = self._stepped(point, objective, ())
        point = self._placed(self._climbed(point, objective, 3 * _STEPS)[1])
        if len(point.inputs) <= _ONCE:
            point = self._stepped(point, objective, (float(self.unit),), rounds=1)
        return self._found(point, objective)

    def _level(self, length: int) -> Iterator[_Point]:
        """Equal numbers, of which one may move."""
        for level in self.levels:
            for move in filter(None, self.moves):
                ends = np.zeros(length, int)
                ends[0] = move
                yield _Point(tuple(range(length)), np.full(length, level), ends)

    def _longer(self, before: FoundInputs, length: int) -> Iterator[_Point]:
        """With the first number, or the last, more often."""
        point, more = self._point(before), length - len(before.inputs)
        for place in sorted({0, len(before.inputs) - 1}):
            end = 0 if self.adjacency == Adjacency.ONE_DIFFER else point.ends[place]
            inputs = np.insert(point.inputs, place, [point.inputs[place]] * more)
            yield _Point(tuple(range(length)), inputs, np.insert(point.ends, place, [end] * more))

    def _point(self, found: FoundInputs) -> _Point:
        kinds: dict[tuple[Fraction, Fraction], int] = {}
        both = list(zip(found.inputs, found.moved, strict=True))
        different = tuple(range(len(both)))
        alike = tuple(kinds.setdefault(one, len(kinds)) for one in both)
        own = different if self._has_law(different) else alike
        first = [both[own.index(k)] for k in range(max(own) + 1)]
        ends = np.array([int(d > 0) - int(d < 0) for _, d in first])
        return _Point(own, np.array([float(x) for x, _ in first]), ends)

    def _placed(self, point: _Point) -> _Point:
        return replace(point, inputs=np.array([self.placed(x) for x in point.inputs]))

    def _found(self, point: _Point, objective: Objective) -> FoundInputs:
        """The inputs that are read, their numbers multiples of the unit."""
        law = self.law(point.kinds)
        inputs = [round(x / float(self.unit)) * self.unit for x in point.inputs]
        moved = [int(end) * law.reaches.get(k, Fraction(0)) for k, end in enumerate(point.ends)]
        both = (tuple(own[k] for k in point.kinds[: max(law.read, 1)]) for own in (inputs, moved))
        return FoundInputs(self._value(self._placed(point), objective), *both)

    def _reached(self, points: Iterable[_Point], objective: Objective) -> list[FoundInputs]:
        found = []
        for point in points:
            if not self._has_law(point.kinds):
                continue
            if self.simulation.grid is None:
                point = self._placed(self._turned(point, objective, _STEPS)[1])
            point = self._stepped(point, objective, self.sizes if len(point.inputs) <= SHORT[-1] else ())
            found.append(self._found(point, objective))
        return found

    def _stepped(
        self, point: _Point, objective: Objective, sizes: Sequence[float], rounds: int = _ROUNDS
    ) -> _Point:
        """Where no change of one number by one of the sizes, and of no difference, is better, nor one of two
        neighbours. Of few numbers the best change is made in each round, and of more each that is better.
        """
        best = self._value(point, objective)
        for _ in range(rounds):
            before, start = best, point
            for k in range(len(point.inputs)):
                for other in self._changed(start if len(point.inputs) <= _FEW else point, k, sizes):
                    value = self._value(other, objective)
                    if value > best + _BETTER * max(abs(best), _SMALL):
                        best, point = value, other
            if best == before:
                break
        return point

    def _changed(self, point: _Point, k: int, sizes: Sequence[float]) -> Iterator[_Point]:
        for step in (*sizes, *(-size for size in sizes)):
            inputs = point.inputs.copy()
            inputs[k] += step
            yield replace(point, inputs=inputs)
        for end in self.moves:
            one = self.adjacency == Adjacency.ONE_DIFFER
            ends = np.zeros_like(point.ends) if one else point.ends.copy()
            ends[k] = end
            one_way = self.adjacency != Adjacency.MONOTONIC or ends.min() * ends.max() >= 0
            if end != point.ends[k] and one_way:
                yield replace(point, ends=ends)
        law = self.law(point.kinds)
        many = bool(sizes) or len(self.long) > 1 or len(law.counts) * len(law.tests) > _LITTLE_WORK
        for other in () if many else (k - 1, k + 1):
            if 0 <= other < len(point.inputs) and point.ends[k] != point.ends[other]:
                for both in ([other, other], [k, other])[: 1 + (other > k)]:  # made equal, or swapped
                    inputs, ends = point.inputs.copy(), point.ends.copy()
                    inputs[[other, k]], ends[[other, k]] = inputs[both], ends[both]
                    yield replace(point, inputs=inputs, ends=ends)

    def _turned(self, point: _Point, objective: Objective, steps: int) -> tuple[float, _Point]:
        """Where derivatives lead, then with the differences to which they point, and so on."""
        value, point = self._climbed(point, objective, steps)
        for _ in range(_TURNS if self.adjacency != Adjacency.ONE_DIFFER else 0):
            one, two = self._chances(point)
            slope = two.derivative(objective(one.of_runs, two.of_runs, None)[2])
            low, high = min(self.moves), max(self.moves)
            if self.adjacency == Adjacency.MONOTONIC:
                low, high = (0, 1) if point.ends.max() > 0 else (-1, 0)
            ends = np.where(slope > 0, high, np.where(slope < 0, low, point.ends))
            other = replace(point, ends=ends)
            if (ends == point.ends).all() or self._value(other, objective) <= value:
                break
            value, point = self._climbed(other, objective, steps)
        return value, point

    def _climbed(
        self, point: _Point, objective: Objective, steps: int, event: Any = None
    ) -> tuple[float, _Point]:
        """Where derivatives by the inputs lead, and the value there."""

        def valued(inputs: Any) -> tuple[float, Any]:
            one, two = self._chances(replace(point, inputs=inputs))
            value, by_one, by_two = objective(one.of_runs, two.of_runs, event)
            return value, one.derivative(by_one) + two.derivative(by_two)

        inputs, value = climbed(valued, point.inputs, self.scale, steps)
        return value, replace(point, inputs=inputs)

    def laws(self, found: FoundInputs) -> tuple[Any, Any]:
        """The probabilities of all runs on either input."""
        one, two = self._chances(self._point(found))
        return one.of_runs, two.of_runs

    def _value(self, point: _Point, objective: Objective) -> float:
        one, two = self._chances(point)
        return objective(one.of_runs, two.of_runs, None)[0]

    def _chances(self, point: _Point) -> tuple[Chances, Chances]:
        law = self.law(point.kinds)
        reaches = [float(law.reaches.get(k, Fraction(0))) for k in range(len(point.inputs))]
        return law.chances(point.inputs), law.chances(point.inputs + point.ends * reaches)
