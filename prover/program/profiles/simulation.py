"""Probabilities of the runs of a threshold program on two inputs at once, in floats: for searches.

What is stored is a sample on a grid of equally likely points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian, Rate
from prover.program.outputs import seen_of
from prover.program.profiles import on_grid

MOST_STEPS = 500
_POINTS = 200

Run = tuple[tuple[int, ...], float, float]
"""Transitions, and the probabilities on two inputs."""
Inputs = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True, slots=True)
class FloatNoise:
    """Noise with a rate below 0 and one above, or Gaussian noise with a standard deviation."""

    left: float
    right: float
    sigma: float | None = None

    @property
    def is_none(self) -> bool:
        """Whether a sample is its center."""
        return self.sigma is None and self.left == self.right == np.inf

    @property
    def below(self) -> float:
        """The probability of noise < 0."""
        if self.left == np.inf or self.sigma is not None:
            return 0.0 if self.sigma is None else 0.5
        return self.right / (self.left + self.right) if self.right != np.inf else 1.0

    @property
    def scale(self) -> float:
        """How far noise goes: 0 if there is none."""
        return max(1 / self.left, 1 / self.right) if self.sigma is None else self.sigma

    def points(self) -> Any:
        """Points that are equally likely: the middles of quantiles."""
        if self.is_none:
            return np.zeros(1)
        levels = (np.arange(_POINTS) + 0.5) / _POINTS
        if self.sigma is not None:
            return self.sigma * ndtri(levels)
        below = self.below
        low = np.log(levels / below) / self.left if below > 0 else levels * 0
        high = -np.log((1 - levels) / (1 - below)) / self.right if below < 1 else levels * 0
        return np.where(levels < below, low, high)

    def at_least(self, above: Any) -> Any:
        """The probability that noise is >= these numbers."""
        if self.sigma is not None:
            return ndtr(-above / self.sigma)
        if self.is_none:
            return (above <= 0).astype(float)
        below = self.below
        low = below * np.exp(np.minimum(above, 0.0) * self.left) if below > 0 else above * 0
        high = (1 - below) * np.exp(-np.maximum(above, 0.0) * self.right) if below < 1 else above * 0
        return np.where(above > 0, high, 1 - low)

    def density(self, above: Any) -> Any:
        """The density of noise at these numbers; 0 where there is no noise."""
        if self.sigma is not None:
            return np.exp(-((above / self.sigma) ** 2) / 2) / (self.sigma * np.sqrt(2 * np.pi))
        if self.is_none:
            return above * 0
        low = self.below * self.left * np.exp(np.minimum(above, 0.0) * self.left) if self.below > 0 else 0.0
        high = (
            (1 - self.below) * self.right * np.exp(-np.maximum(above, 0) * self.right)
            if self.below < 1
            else 0.0
        )
        return np.where(above > 0, high, low)


Drawn = tuple[float, FloatNoise]
"""A sample: its center, and its noise."""
Law = tuple[Mapping[str, int], Mapping[int, tuple[Drawn, Any]]]
"""The steps at which what variables hold was stored; and of each such step its sample and, of each of its
points, the probability that it was drawn and passed the tests since then.
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

    def noise(self, edge: Edge) -> FloatNoise:
        """The real one."""
        sensitivity, shape = self.program.noise.sensitivity, edge.noise
        if isinstance(shape, Gaussian):
            return FloatNoise(0.0, 0.0, float(shape.sigma * sensitivity))

        def real(rate: Rate) -> float:
            return float(rate / sensitivity) * self.epsilon if isinstance(rate, Fraction) else np.inf

        return FloatNoise(*map(real, shape))

    def _drawn(self, center: float, noise: FloatNoise) -> tuple[Any, Any]:
        """Points around a center, and the probabilities that they stand for."""
        if self.grid is not None:
            return on_grid.drawn(center, (noise.left, noise.right), self.grid)
        points = center + noise.points()
        return points, np.full(len(points), 1 / len(points))

    def _passed(self, number: int, center: float, stored: Drawn) -> Any:
        """The probability, at each point of a sample, that another one around a center passes a test."""
        return self.passes(self.program.edges[number], self.drawn(*stored)[0] - center)

    def passes(self, edge: Edge, above: Any) -> Any:
        """The probability that noise passes the test of a transition against these numbers."""
        noise = self.noise(edge)
        if self.grid is not None:
            return on_grid.passes(edge.written[0][0], above, (noise.left, noise.right), self.grid)
        at_least = noise.at_least(above)
        return at_least if edge.relation == ">=" else 1 - at_least

    def runs(self, one: Sequence[Fraction | float], two: Sequence[Fraction | float]) -> Iterator[Run]:
        """The runs that end, or want more inputs than there are, or go round without reading one, or come to
        a state whose transitions outputs do not tell apart, with their probabilities on either."""
        inputs = [float(x) for x in one], [float(x) for x in two]
        yield from self._from(self.program.initial, (), inputs, 0, (({}, {}),) * 2)

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
                x, y = centers
                after = self._stored(edge, len(path), x, laws[0]), self._stored(edge, len(path), y, laws[1])
            elif edge.bounds:
                x, y = centers
                after = self._tested(edge, x, laws[0]), self._tested(edge, y, laws[1])
            yield from self._from(edge.target, (*path, edge.number), inputs, read + edge.input, after)

    def _stored(self, edge: Edge, step: int, center: float, law: Law) -> Law:
        held, samples = law
        drawn = center, self.noise(edge)
        return {**held, **dict.fromkeys(edge.assign, step)}, {**samples, step: (drawn, self.drawn(*drawn)[1])}

    def _tested(self, edge: Edge, center: float, law: Law) -> Law:
        held, samples = law
        step = held[edge.bounds[0][1]]
        drawn, weights = samples[step]
        return held, {**samples, step: (drawn, weights * self.passed(edge.number, center, drawn))}


def _are_told(leaving: Sequence[Edge]) -> bool:
    """Whether outputs tell transitions of a state apart (docs/theory_profiles.md, Lemma 4)."""
    return len({seen_of(edge.outputs) for edge in leaving}) == len(leaving)


def _mass(law: Law) -> float:
    """The probability of a law: samples are independent, and each is tested alone."""
    return prod(float(weights.sum()) for _, weights in law[1].values())
