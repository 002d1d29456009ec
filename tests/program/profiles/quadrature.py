"""The two laws of what is seen of a program of one variable, on two inputs, by quadrature in floats, or sums.

What is seen are the transitions taken and, of numbers that are output, the bin that they lie in. Bins, and
runs that are cut off, tell less than there is to see: δ of the two laws is at most δ of the program, but for
the error of the quadrature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import norm

from prover.program.model import Edge, Program, out_edges
from prover.program.noise import Gaussian

Pair = tuple[float, float]
"""A number in the first world, and in the second."""
Key = tuple[int, int]
"""How many inputs were read, and the transition before, which the next input may depend on."""
INFINITE = "inf"
FARTHEST = 40.0  # times the scale of the slowest noise
NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)


def tail(u: Any, left: float, right: float) -> Any:
    """P[noise ≥ u]; infinite rates are of noise that does not go to this side. Rates 0 and σ mean Gaussian
    noise."""
    u = np.asarray(u, float)
    if left == 0:
        return norm.sf(u / right)
    if np.isinf(left) and np.isinf(right):
        return (u <= 0).astype(float)
    below = 0.0 if np.isinf(left) else 1.0 if np.isinf(right) else right / (left + right)  # P[noise < 0]
    outer = (1 - below) * np.exp(-(0.0 if np.isinf(right) else right) * np.maximum(u, 0))
    inner = below * np.exp((0.0 if np.isinf(left) else left) * np.minimum(u, 0))
    return np.where(u > 0, outer, 1 - inner)


def tail_on_grid(u: Any, left: float, right: float, grid: float, *, strict: bool = False) -> Any:
    """P[noise ≥ u], or > u, for noise on a grid, whose probability at place k is in proportion to q^|k|."""
    steps = np.asarray(u, float) / grid
    first = np.floor(steps + 1e-9) + 1 if strict else np.ceil(steps - 1e-9)
    low, high = np.exp(-left * grid), np.exp(-right * grid)
    at_zero = 1 / (1 + low / (1 - low) + high / (1 - high))
    above = at_zero * high ** np.maximum(first, 1) / (1 - high)
    below = at_zero * low ** np.maximum(1 - first, 1) / (1 - low)
    return np.where(first > 0, above, 1 - below)


def density(u: Any, left: float, right: float) -> Any:
    """Of noise that is not infinite on both sides, in the same way."""
    if left == 0:
        return norm.pdf(u / right) / right
    height = min(left, right) if np.isinf(max(left, right)) else left * right / (left + right)
    above = np.zeros_like(u) if np.isinf(right) else np.exp(-right * np.maximum(u, 0))
    below = np.zeros_like(u) if np.isinf(left) else np.exp(left * np.minimum(u, 0))
    return height * np.where(u >= 0, above, below)


@dataclass(frozen=True)
class Stored:
    """What is stored in one world: points, and their masses, which tests have made less."""

    points: Any
    masses: Any
    grid: float | None = None

    def tested(self, edge: Edge, center: float, rates: Pair) -> Stored:
        relation = edge.written[0][0]
        if self.grid is None:
            at_least = tail(self.points - center, *rates)
        else:
            strict = relation in (">", "<=")
            at_least = tail_on_grid(self.points - center, *rates, self.grid, strict=strict)
        passed = at_least if relation in (">=", ">") else 1 - at_least
        return Stored(self.points, self.masses * passed, self.grid)

    def within(self, low: float, high: float) -> Stored:
        return Stored(self.points, self.masses * ((self.points >= low) & (self.points < high)), self.grid)

    @cached_property
    def total(self) -> float:
        return float(self.masses.sum())


@dataclass(frozen=True)
class Quadrature:
    """The program, inputs and how far they move in the second world, by place and by the transition before;
    `bins` that a number is told by, and the most steps."""

    program: Program
    epsilon: float
    inputs: Mapping[Key, float]
    moves: Mapping[Key, float]
    length: int
    bins: int = 8
    most_steps: int = 8

    @cached_property
    def grid(self) -> float | None:
        grid = self.program.noise.grid
        return None if grid is None else float(grid)

    @cached_property
    def edges(self) -> Mapping[str, Sequence[Edge]]:
        return out_edges(self.program)

    @cached_property
    def cuts(self) -> Sequence[float]:
        """Where densities and tails may have corners."""
        means = {float(state.mean) for state in self.program.states.values()}
        moved = {x + self.moves[key] for key, x in self.inputs.items()}
        return sorted({x + mean for x in {0.0, *self.inputs.values(), *moved} for mean in means})

    def rates(self, edge: Edge) -> Pair:
        return self._pair(self.program.states[edge.source].noise)

    def _pair(self, noise: Any) -> Pair:
        if isinstance(noise, Gaussian):
            return 0.0, float(noise.sigma)
        left, right = noise if isinstance(noise, tuple) else (noise, noise)
        return self._number(left), self._number(right)

    def _number(self, rate: Any) -> float:
        return np.inf if rate == INFINITE else float(rate) * self.epsilon

    def law(self) -> Any:
        """Rows of two probabilities, of all that may be seen."""
        nothing = Stored(np.zeros(1), np.ones(1))
        return np.array(list(self._runs(self.program.initial, (0, 0), 0, (1.0, 1.0), (nothing, nothing))))

    def _runs(
        self, state: str, key: Key, steps: int, chances: Pair, stored: tuple[Stored, Stored]
    ) -> Iterator[Pair]:
        ends = state not in self.edges or steps == self.most_steps
        if ends or (self.program.states[state].input and key[0] == self.length):
            yield tuple(p * s.total for p, s in zip(chances, stored, strict=True))  # type: ignore[misc]
            return
        leaving, place = self.edges[state], self.program.states[state]
        centers = [float(place.mean)] * 2
        primes = [float(place.mean_prime or 0)] * 2
        if place.input:
            for world, x in enumerate((self.inputs[key], self.inputs[key] + self.moves[key])):
                centers[world] += x
                primes[world] += x
        for edge in leaving:
            then = key[0] + place.input, edge.number + 1
            for numbers, kept in self._outcomes(edge, centers, primes, stored):
                both = chances[0] * numbers[0], chances[1] * numbers[1]
                yield from self._runs(edge.target, then, steps + 1, both, kept)
        if leaving[0].guard and len(leaving) == 1:
            yield self._stopped(leaving[0], centers, chances, stored)

    def _stopped(
        self, edge: Edge, centers: list[float], chances: Pair, stored: tuple[Stored, Stored]
    ) -> Pair:
        """No guard of the state holds."""
        rates = self.rates(edge)
        passed = [s.tested(edge, c, rates).total for s, c in zip(stored, centers, strict=True)]
        left = [p * (s.total - kept) for p, s, kept in zip(chances, stored, passed, strict=True)]
        return max(0.0, left[0]), max(0.0, left[1])

    def _outcomes(
        self, edge: Edge, centers: list[float], primes: list[float], stored: tuple[Stored, Stored]
    ) -> Iterator[tuple[Pair, tuple[Stored, Stored]]]:
        """The transition with each bin of its numbers: probabilities of those that do not concern what is
        stored then, and this."""
        rates = self.rates(edge)
        alone: list[Pair] = [(1.0, 1.0)]
        if edge.primed:
            alone = self._told(primes, self._pair(self.program.states[edge.source].rate_prime))
        if edge.assigns:
            drawn = [self._drawn(center, rates, centers) for center in centers]
            before = stored[0].total, stored[1].total
            parts = [(-np.inf, np.inf)]
            if edge.pinned:
                ends = self._bins(centers)
                parts = list(pairwise(ends))
            for one in alone:
                chances = one[0] * before[0], one[1] * before[1]
                for low, high in parts:
                    yield chances, (drawn[0].within(low, high), drawn[1].within(low, high))
            return
        if edge.guard:
            kept = [s.tested(edge, c, rates) for s, c in zip(stored, centers, strict=True)]
            stored = kept[0], kept[1]
        for one in alone:
            for two in self._told(centers, rates) if edge.pinned else [(1.0, 1.0)]:
                yield (one[0] * two[0], one[1] * two[1]), stored

    def _bins(self, centers: Sequence[float]) -> list[float]:
        low, high = min(centers), max(centers)
        if self.grid is not None:
            halves = np.arange(low - 1.5 * self.grid, high + 2 * self.grid, self.grid)
            return [-np.inf, *halves.tolist(), np.inf]
        near = np.linspace(low, high, max(2, self.bins - 1)) if high > low else np.array([low])
        return [-np.inf, *sorted({*near.tolist(), low, high}), np.inf]

    def _told(self, centers: Sequence[float], rates: Pair) -> list[Pair]:
        """A number that is output: the probabilities of its bins."""
        ends = np.array(self._bins(centers)[1:-1])
        found = [
            tail(ends - c, *rates) if self.grid is None else tail_on_grid(ends - c, *rates, self.grid)
            for c in centers
        ]
        tails = [[1.0, *own, 0.0] for own in found]
        return [(a - b, c - d) for (a, b), (c, d) in zip(*map(pairwise, tails), strict=True)]

    def _drawn(self, center: float, rates: Pair, centers: Sequence[float]) -> Stored:
        if self.grid is not None:
            sides = (0 if np.isinf(rate) else int(FARTHEST / rate / self.grid) for rate in rates)
            below, above = sides
            places = np.arange(-below, above + 1)
            q, r = np.exp(-self.grid * np.array(rates))
            masses = np.where(places < 0, q ** np.maximum(-places, 0), r ** np.maximum(places, 0))
            return Stored(center + self.grid * places, masses / masses.sum(), self.grid)
        if np.isinf(rates[0]) and np.isinf(rates[1]):
            return Stored(np.array([center]), np.ones(1))
        pairs = [self._pair(state.noise) for state in self.program.states.values()]
        everything = [r for left, right in pairs for r in ((left, right) if left else (3 / right,))]
        finite = [r for r in everything if np.isfinite(r)]
        far = FARTHEST / min(r for r in rates if np.isfinite(r)) if rates[0] else 9 * rates[1]
        steps = np.geomspace(0.5 / max(finite), far, 12)
        corners = np.array([*self.cuts, *self._bins(centers)[1:-1]])
        around = np.concatenate([corners, *(corners[:, None] + sign * steps for sign in (1, -1))], axis=None)
        ends = np.unique(around[(around > center - far) & (around < center + far)])
        ends = np.array([center - far, *ends, center + far])
        half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
        points = (middle[:, None] + half[:, None] * NODES).ravel()
        masses = (half[:, None] * WEIGHTS).ravel() * density(points - center, *rates)
        return Stored(points, masses)


def delta(law: Any, alpha: float) -> float:
    return float(np.maximum(0.0, law[:, 0] - alpha * law[:, 1]).sum())
