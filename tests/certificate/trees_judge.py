"""The probability of a path of a program, by repeated numerical integration or, on a grid, by sums.

Samples that are compared form trees. Nothing of the checker or of the prover is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, lcm
from typing import Any

import numpy as np

from tests.certificate import inputs_judge
from tests.certificate.judge import rule

NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)
FAR = 34  # times the scale of the noise
OTHER = {"<": ">", "<=": ">=", "=": "=", ">=": "<=", ">": "<"}
Passed = tuple[Any, Sequence[str], Sequence[tuple[str, str]]]
"""A state, the variables that it stores its sample in, and the tests that this passes."""


def chance(
    path: Sequence[Passed], inputs: Sequence[Fraction], epsilon: float, grid: Fraction | None
) -> float:
    """Of a path."""
    given = iter(inputs)
    noises: list[inputs_judge.Noise] = []
    near: dict[int, list[tuple[int, str]]] = {}
    held: dict[str, int] = {}
    for number, (state, stored, tests) in enumerate(path):
        noises.append(inputs_judge.Noise(state, next(given) if state["input"] else Fraction(0), epsilon))
        near[number] = []
        for relation, name in tests:
            near[number].append((held[name], OTHER[relation]))
            near[held[name]].append((number, relation))
        held.update(dict.fromkeys(stored, number))
    trees = _Sums(noises, near, grid) if grid is not None else _Integrals(noises, near)
    found, seen = 1.0, set[int]()
    for number in near:
        if number not in seen:
            own = list(trees.tree(number, None))
            rule(len(set(own)) == len(own))
            seen.update(own)
            found *= trees.total(number) if len(own) > 1 else 1.0
    return found


class _Trees:
    def __init__(self, noises: Sequence[inputs_judge.Noise], near: dict[int, list[tuple[int, str]]]) -> None:
        self.noises, self.near = noises, near

    def tree(self, number: int, before: int | None) -> Iterator[int]:
        yield number
        for other, _ in self.near[number]:
            if other != before:
                yield from self.tree(other, number)

    def total(self, number: int) -> float:
        raise NotImplementedError


class _Sums(_Trees):
    """Places are whole multiples of a common unit."""

    def __init__(
        self, noises: Sequence[inputs_judge.Noise], near: dict[int, list[tuple[int, str]]], grid: Fraction
    ) -> None:
        super().__init__(noises, near)
        self.grid = grid
        self.unit = lcm(grid.denominator, *(noise.exact.denominator for noise in noises))

    def places(self, number: int) -> tuple[Any, Any]:
        noise = self.noises[number]
        below, weights = noise.weights(self.grid)
        steps = np.arange(-below, len(weights) - below)
        return int(noise.exact * self.unit) + steps * int(self.grid * self.unit), weights

    def weights(self, number: int, before: int | None) -> tuple[Any, Any]:
        places, found = self.places(number)
        for other, relation in self.near[number]:
            if other != before:
                there, weights = self.weights(other, number)
                sums = np.concatenate([[0.0], np.cumsum(weights)])
                less = sums[np.searchsorted(there, places, "left")]
                at_most = sums[np.searchsorted(there, places, "right")]
                sides = {"<": less, "<=": at_most, "=": at_most - less}
                sides |= {">": sums[-1] - at_most, ">=": sums[-1] - less}
                found = found * sides[relation]
        return places, found

    def total(self, number: int) -> float:
        return float(self.weights(number, None)[1].sum())


class _Integrals(_Trees):
    def is_fixed(self, number: int) -> bool:
        noise = self.noises[number]
        return noise.sigma is None and noise.left == noise.right == inf

    def total(self, number: int) -> float:
        if self.is_fixed(number):
            return float(self.weight(number, None, self.noises[number].exact))
        return float(self.upto(number, None, np.asarray([inf]))[0])

    def weight(self, number: int, before: int | None, z: Any) -> Any:
        """The density of a sample at z times what is integrated over its neighbours; z is its center if it
        has no noise."""
        found: Any = 1.0 if self.is_fixed(number) else self.density(number, z)
        for other, relation in self.near[number]:
            if other == before:
                continue
            noise = self.noises[other]
            if self.is_fixed(other):
                if isinstance(z, Fraction):
                    holds = {"<": noise.exact < z, "<=": noise.exact <= z, ">": noise.exact > z}
                    side: Any = float((holds | {">=": noise.exact >= z})[relation])
                else:
                    side = np.where((noise.center < z) == (relation in ("<", "<=")), 1.0, 0.0)
                found = found * side * self.weight(other, number, noise.exact)
                continue
            at = np.asarray([float(z)]) if isinstance(z, Fraction) else z
            below = self.upto(other, number, at)
            side = below if relation in ("<", "<=") else self.upto(other, number, np.asarray([inf])) - below
            found = found * (side[0] if isinstance(z, Fraction) else side)
        return found

    def density(self, number: int, z: Any) -> Any:
        noise = self.noises[number]
        if noise.sigma is not None:
            return noise.density(z, True)
        low = 0.0 if noise.left == inf else np.exp(noise.left * np.minimum(z - noise.center, 0))
        high = 0.0 if noise.right == inf else np.exp(-noise.right * np.maximum(z - noise.center, 0))
        return np.where(z < noise.center, low, high) / (noise.scale(noise.left) + noise.scale(noise.right))

    def upto(self, number: int, before: int | None, z: Any) -> Any:
        """The integral of the weight up to each z."""
        noise = self.noises[number]
        below, above = FAR * noise.scale(noise.left), FAR * noise.scale(noise.right)
        if noise.sigma is not None:
            below = above = 9 * noise.sigma
        low, high = noise.center - below, noise.center + above
        if all(other == before for other, _ in self.near[number]):
            z = np.asarray(z, float)
            return 1 - noise.at_least(np.where(np.isinf(z), high + 99 * (high - low), z))
        tree = [self.noises[k] for k in self.tree(number, before)]
        rates = [rate for one in tree for rate in (one.left, one.right) if rate < inf]
        steepest = max([*rates, *(2 / one.sigma for one in tree if one.sigma is not None)])
        cuts = sorted({low, high, *(one.center for one in tree if low < one.center < high)})
        ends = np.unique(
            np.concatenate([np.linspace(a, b, 2 + int((b - a) * steepest / 3)) for a, b in pairwise(cuts)])
        )
        panels = self.panel(number, before, ends[:-1], ends[1:])
        sums = np.concatenate([[0.0], np.cumsum(panels)])
        at = np.clip(z, low, high)
        place = np.clip(np.searchsorted(ends, at, "right") - 1, 0, len(ends) - 2)
        if np.isinf(z).all():
            return sums[-1:] + 0 * at
        return sums[place] + self.panel(number, before, ends[place], at)

    def panel(self, number: int, before: int | None, a: Any, b: Any) -> Any:
        half = (b - a)[:, None] / 2
        z = a[:, None] + half + half * NODES
        return (half * WEIGHTS * self.weight(number, before, z.ravel()).reshape(z.shape)).sum(axis=1)
