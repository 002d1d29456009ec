"""Pairs of long inputs that tell apart where a threshold program stops: in floats, by derivatives.

For programs that draw one threshold and whose runs then end with the first answer of one kind. For a fixed
event E, let V_k(z) be the probability of E from the k-th test on, if z is stored. Then the derivative of
P(E) with respect to the k-th center is a mean over z of the chance to come there, times the density of the
noise, times the difference of [E ends here] and V_(k+1). Of Q(E) it has one sign for all differences, so that
each difference is at one of its ends (docs/theory_profiles.md, *One pair of inputs*).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from prover.program.adjacency import Adjacency, extreme_points
from prover.program.profiles.simulation import FloatNoise, Simulation

LONGEST = 24
"""Inputs of a pair at most."""
_APART = (1, 3, 5, 7)  # tests before each hit that counts
_SLOPES = (-0.5, 2.0)  # where inputs begin and end, in scales of the noise
_TURNS = 2
_KEPT = 2
_STEPS = 20
_KNOWN = 8  # steps that the next one is made of
_SHARES = (1.0, 0.25, 0.06, 0.015)
_LEAST = 1e-4  # of the rise that a step promises
_FLAT = 1e-12
_PARTS = 4  # of an input, in how far neighbours may be apart


@dataclass(frozen=True, slots=True)
class Hit:
    """A test after which a run ends or goes on: its mean, how far neighbours may be apart, whether it ends
    with >=, and the place of the input that it reads, None if it reads none.
    """

    mean: float
    noise: FloatNoise
    ends_above: bool
    place: int | None
    reach: Fraction


@dataclass(frozen=True, slots=True)
class _Law:
    """The probabilities of where runs end, on one input, and what their derivatives are made of."""

    ends: Any
    before: Any
    hits: Any
    slopes: Any

    def derivative(self, event: Any) -> Any:
        """Of the probability of an event with respect to the centers of all tests."""
        later = np.empty_like(self.hits)
        after = np.full(later.shape[1], float(event[-1]))
        for k in range(len(later) - 1, -1, -1):
            later[k] = after
            after = after + self.hits[k] * (event[k] - after)
        return (self.before[:-1] * self.slopes * (event[:-1, None] - later)).mean(axis=1)


class FirstHit:
    """A program whose runs end with the first hit, on inputs of one length."""

    def __init__(self, simulation: Simulation, length: int) -> None:
        program = simulation.program
        (draw,) = simulation.edges[program.initial]
        self.noise = simulation.noise(draw)
        self.center, self.drawn = simulation.means[program.initial], draw.input
        self.reach = draw.sensitivity * program.noise.sensitivity
        self.length = length
        self.tests = list(_tests(simulation, length))
        self.points = self.noise.points()
        kinds: dict[tuple[FloatNoise, bool], list[int]] = {}
        for k, test in enumerate(self.tests):
            kinds.setdefault((test.noise, test.ends_above), []).append(k)
        self.alike = {
            kind: (
                np.array(places),
                np.array([self.tests[k].mean for k in places]),
                np.array([-1 if (read := self.tests[k].place) is None else read for k in places]),
            )
            for kind, places in kinds.items()
        }

    def law(self, inputs: Any) -> _Law:
        """Where runs end on an input."""
        stored = self.center + self.points + (inputs[0] if self.drawn else 0.0)
        hits, slopes = np.empty((2, len(self.tests), len(stored)))
        for (noise, ends_above), (places, means, reads) in self.alike.items():
            above = stored - (means + np.where(reads < 0, 0.0, inputs[reads]))[:, None]
            at_least, slope = noise.at_least(above), noise.density(above)
            hits[places], slopes[places] = (at_least, slope) if ends_above else (1 - at_least, -slope)
        before = np.vstack([np.ones(len(stored)), np.cumprod(1 - hits, axis=0)])
        ends = np.append((before[:-1] * hits).mean(axis=1), before[-1].mean())
        return _Law(ends, before, hits, slopes)

    def of_inputs(self, derivative: Any) -> Any:
        """The derivative with respect to the inputs."""
        found = np.zeros(self.length)
        for test, slope in zip(self.tests, derivative, strict=True):
            if test.place is not None:
                found[test.place] += slope
        if self.drawn:  # a threshold that moves is tests that move the other way
            found[0] -= derivative.sum()
        return found

    def reaches(self) -> list[Fraction]:
        """How far each input of neighbours may be apart."""
        found = [Fraction(0)] * self.length
        for test in self.tests:
            if test.place is not None:
                found[test.place] = test.reach
        if self.drawn:
            found[0] = self.reach
        return found


def _tests(simulation: Simulation, length: int) -> Iterator[Hit]:
    """The tests in their order, as long as there are inputs; none where the program is another one."""
    program = simulation.program
    (draw,) = simulation.edges[program.initial]
    state, read, found = draw.target, int(draw.input), list[Hit]()
    for _ in range((length + 1) * len(simulation.edges)):
        leaving = simulation.edges.get(state, ())
        if not leaving or (leaving[0].input and read == length):
            yield from found
            return
        first = leaving[0]
        going = [edge for edge in leaving if edge.target in simulation.edges]
        if any(edge.assigns for edge in leaving) or len(going) > 1 or any(edge.discloses for edge in leaving):
            return
        if first.guard:
            on = going[0] if going else first
            noise, mean = simulation.noise(first), simulation.means[state]
            reach = first.sensitivity * program.noise.sensitivity
            found.append(Hit(mean, noise, on.relation == "<", read if first.input else None, reach))
            state = on.target
        else:
            state = first.target
        read += first.input


Pair = tuple[list[Fraction], list[Fraction]]
"""Inputs, and how far those of the neighbour are from them."""


def long_pairs(simulation: Simulation, adjacency: Adjacency, alpha: float, length: int) -> list[Pair]:
    """Pairs of inputs for one α, if the program ends with a first hit and all of its inputs may differ; there
    are none on a grid."""
    if adjacency == Adjacency.ONE_DIFFER or simulation.grid is not None:
        return []
    program = FirstHit(simulation, length)
    if not any(test.place is not None for test in program.tests):
        return []
    ways: Sequence[Adjacency] = [adjacency]
    if adjacency == Adjacency.MONOTONIC:
        ways = [Adjacency.INCREASING, Adjacency.DECREASING]
    climbs = [_Climb(program, way, apart, alpha) for way in ways for apart in _APART]
    for climb in climbs:
        climb.turn(climb.event)
        climb.turn(None)
    best = sorted(climbs, key=lambda climb: climb.gain)[-_KEPT:]
    for climb in best:
        for _ in range(_TURNS):
            climb.turn(None)
    return [climb.pair() for climb in best]


class _Climb:
    """Inputs that rise at first, and where every so many-th hit counts."""

    def __init__(self, program: FirstHit, adjacency: Adjacency, apart: int, alpha: float) -> None:
        self.program, self.alpha, self.gain = program, alpha, 0.0
        self.low, self.high = (float(end) for end in extreme_points(adjacency, True))
        self.reaches = np.array([float(reach) for reach in program.reaches()])
        first = program.tests[0]
        scale = max([program.noise.scale, *(test.noise.scale for test in program.tests)]) or 1.0
        counts = np.arange(program.length) % (apart + 1) == apart
        sign = 1.0 if first.ends_above else -1.0
        level = program.center - first.mean
        rising = np.linspace(*_SLOPES, program.length) * scale + np.where(counts, 0.5, -0.5) * self.reaches
        self.inputs: Any = level + sign * rising
        self.scale = scale
        self.moved = np.where(counts == (sign > 0), self.low, self.high) * self.reaches
        self.event = np.array([*(t.place is not None and counts[t.place] for t in program.tests), False])

    def turn(self, event: Any) -> None:
        """Better inputs for an event, or for the best one if it is None; then the best differences."""
        self.inputs, self.gain = climbed(lambda inputs: self._gain(inputs, event), self.inputs, self.scale)
        if event is None:
            program, two = self.program, self.program.law(self.inputs + self.moved)
            own = (program.law(self.inputs).ends > self.alpha * two.ends).astype(float)
            falls = program.of_inputs(two.derivative(own)) > 0
            self.moved = np.where(falls, self.low, self.high) * self.reaches

    def _gain(self, inputs: Any, event: Any) -> tuple[float, Any]:
        """What is gained, and its derivative."""
        program, alpha = self.program, self.alpha
        one, two = program.law(inputs), program.law(inputs + self.moved)
        gains = one.ends - alpha * two.ends
        own = (gains > 0 if event is None else event).astype(float)
        slope = program.of_inputs(one.derivative(own)) - alpha * program.of_inputs(two.derivative(own))
        return float((gains * own).sum()), slope

    def pair(self) -> Pair:
        """The inputs and differences, in rationals."""
        reaches = self.program.reaches()
        unit = max(reaches) / _PARTS
        signs = [int(np.sign(move)) for move in self.moved]
        return (
            [round(float(x) / float(unit)) * unit for x in self.inputs],
            [sign * reach for sign, reach in zip(signs, reaches, strict=True)],
        )


def climbed(gain: Callable[[Any], tuple[float, Any]], start: Any, scale: float) -> tuple[Any, float]:
    """A point with a larger gain, and its gain: some steps of the method L-BFGS; ``scale`` is the first."""
    point, (value, slope) = start, gain(start)
    known: deque[tuple[Any, Any, float]] = deque(maxlen=_KNOWN)
    for _ in range(_STEPS):
        way, shares = slope.copy(), []
        for moved, fallen, product in reversed(known):
            shares.append(float((moved * way).sum()) / product)
            way -= shares[-1] * fallen
        if known:
            moved, fallen, product = known[-1]
            way *= product / float((fallen * fallen).sum())
        else:
            way *= scale / max(float(np.abs(slope).max()), _FLAT)
        for moved, fallen, product in known:
            way += (shares.pop() - float((fallen * way).sum()) / product) * moved
        rise = float((way * slope).sum())
        for share in _SHARES:
            after, there = point + share * way, gain(point + share * way)
            if there[0] > value + _LEAST * share * rise:
                break
        else:
            break
        moved, fallen = after - point, slope - there[1]
        product = float((moved * fallen).sum())
        if product > 0:
            known.append((moved, fallen, product))
        point, (value, slope) = after, there
    return point, value
