"""The two laws of what is seen of a program of several variables on a grid: sums over all that is stored.

All samples are in one array, an axis for each; nothing is assumed about their independence. Numbers that are
output are not looked at. δ of the two laws is at most δ of the program, but for tails that are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from prover.program.model import Edge, Program, out_edges
from tests.program.profiles.quadrature import Key, Pair, tail_on_grid

FAR = 20.0


@dataclass(frozen=True)
class World:
    """Masses of all points; of every axis the variables that hold it, and its points."""

    masses: Any
    axes: tuple[tuple[frozenset[str], Any], ...] = ()

    def drawn(self, names: tuple[str, ...], points: Any, weights: Any) -> World:
        return self.stored(names, points, self.masses[..., None] * weights)

    def stored(self, names: tuple[str, ...], points: Any, masses: Any) -> World:
        """Masses with one more axis, which these variables hold now."""
        axes: list[tuple[frozenset[str], Any]] = []
        for held, own in self.axes:
            kept = held - set(names)
            if kept:
                axes.append((kept, own))
            else:
                masses = masses.sum(axis=len(axes))
        return World(masses, (*axes, (frozenset(names), points)))

    def along(self, name: str) -> tuple[int, Any]:
        return next((k, own) for k, (held, own) in enumerate(self.axes) if name in held)

    def times(self, axis: int, factors: Any) -> World:
        shape = [-1 if k == axis else 1 for k in range(len(self.axes))]
        return World(self.masses * factors.reshape(shape), self.axes)


@dataclass(frozen=True)
class Joint:
    """The program, inputs and how far they move in the second world, and the most steps."""

    program: Program
    epsilon: float
    inputs: Mapping[Key, float]
    moves: Mapping[Key, float]
    length: int
    most_steps: int

    @cached_property
    def edges(self) -> Any:
        return out_edges(self.program)

    @property
    def grid(self) -> float:
        return float(self.program.noise.grid or 1)

    def rates(self, edge: Edge) -> Pair:
        left, right = self.program.states[edge.source].rates
        return tuple(np.inf if rate == "inf" else float(rate) * self.epsilon for rate in (left, right))  # type: ignore[return-value]

    def law(self) -> Any:
        one = World(np.ones(()))
        return np.array(list(self._runs(self.program.initial, (0, 0), 0, (one, one))))

    def _runs(self, state: str, key: Key, steps: int, worlds: tuple[World, World]) -> Iterator[Pair]:
        ends = state not in self.edges or steps == self.most_steps
        if ends or (self.program.states[state].input and key[0] == self.length):
            yield worlds[0].masses.sum(), worlds[1].masses.sum()
            return
        place = self.program.states[state]
        centers = [float(place.mean)] * 2
        if place.input:
            centers[0] += self.inputs[key]
            centers[1] += self.inputs[key] + self.moves[key]
        left = [float(world.masses.sum()) for world in worlds]
        for edge in self.edges[state]:
            both = [self._after(edge, w, c, centers[0]) for w, c in zip(worlds, centers, strict=True)]
            for after in zip(*both, strict=True):
                left = [rest - world.masses.sum() for rest, world in zip(left, after, strict=True)]
                then = key[0] + place.input, edge.number + 1
                yield from self._runs(edge.target, then, steps + 1, after)
        yield max(0.0, left[0]), max(0.0, left[1])

    def _after(self, edge: Edge, world: World, center: float, about: float) -> list[World]:
        """One world or, if a tested sample is output, one for each bin of it, which lie about a number."""
        rates = self.rates(edge)
        if edge.guard and (edge.assigns or edge.pinned):
            return self._kept(edge, world, center, about)
        if edge.assigns:
            return [world.drawn(edge.assign, *self._sample(rates, center))]
        if not edge.guard:
            return [world]
        ((relation, name),) = edge.written
        axis, points = world.along(name)
        at_least = tail_on_grid(points - center, *rates, self.grid, strict=relation in (">", "<="))
        return [world.times(axis, at_least if relation in (">=", ">") else 1 - at_least)]

    def _sample(self, rates: Pair, center: float) -> tuple[Any, Any]:
        below, above = (0 if np.isinf(rate) else int(FAR / rate / self.grid) for rate in rates)
        places = np.arange(-below, above + 1)
        q, r = np.exp(-self.grid * np.array(rates))
        weights = np.where(places < 0, q ** np.maximum(-places, 0), r ** np.maximum(places, 0))
        return center + self.grid * places, weights / weights.sum()

    def _kept(self, edge: Edge, world: World, center: float, about: float) -> list[World]:
        """The sample is an axis of its own, and is compared point by point."""
        ((relation, name),) = edge.written
        axis, points = world.along(name)
        sample, weights = self._sample(self.rates(edge), center)
        above = sample[None, :] - points[:, None]
        near = np.abs(above) < 1e-9
        holds = {"<": (above < 0) & ~near, "<=": (above < 0) | near, ">": (above > 0) & ~near}
        kept = holds.get(relation, (above > 0) | near)
        shape = [-1 if k == axis else 1 for k in range(len(world.axes))]
        masses = world.masses[..., None] * weights * kept.reshape(*shape, len(sample))
        edges = [-np.inf, *(about + self.grid * (k + 0.5) for k in range(-3, 3)), np.inf]
        found = []
        for low, high in pairwise(edges if edge.pinned else [-np.inf, np.inf]):
            own = masses * ((sample > low) & (sample <= high))
            if edge.assigns:
                found.append(world.stored(edge.assign, sample, own))
            else:
                found.append(World(own.sum(axis=-1), world.axes))
        return found
