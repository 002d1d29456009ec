"""Polygons around the pairs of tails (S(u), S(u + s)) of a noise: rational lines, rounded vertices.

Reference: docs/theory_profiles.md, *Regions*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor, isqrt
from typing import Any

import numpy as np
from flint import arb, ctx

from prover.errors import Fault
from prover.program.attack.at_epsilon import AtEpsilon
from prover.program.noise import INFINITE, Gaussian, Shape
from prover.program.profiles.normal import LINES, Tangent, tangents

_DIGITS = 10**12  # lines are rounded to so many parts
_BITS = 160
_BOUND = 10**18
_FEW = 4  # times the lines: those beyond two, in parts of an exponent that is small
_SMALL, _LARGE = Fraction(1, 1000), 20  # exponents between which more than two lines gain something

WHOLE = 1 << 60  # vertices are in parts of it
ORIGIN, END = (0, 0), (WHOLE, WHOLE)

Vertices = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Region:
    """The pairs of tails of Laplace noise of this rate·|s|, ε included: above ``lines``, b = ``bound``.

    On a grid there are no lines. ``exact`` is e^exponent, if it is rational and short.
    """

    exponent: Fraction
    count: int
    exact: Fraction | None = None

    @cached_property
    def bound(self) -> Fraction:
        """A rational above e^exponent, by little."""
        if self.exact is not None:
            return self.exact
        before, ctx.prec = ctx.prec, _BITS
        try:
            value = arb(self.exponent.numerator) / self.exponent.denominator
            mantissa, power = value.exp().upper().man_exp()
        finally:
            ctx.prec = before
        exact = Fraction(int(mantissa)) * Fraction(2) ** int(power)
        return Fraction(exact.numerator * _BOUND // exact.denominator + 1, _BOUND)

    @cached_property
    def lines(self) -> Sequence[tuple[Fraction, Fraction]]:
        """Slopes that rise, and the heights at 0, of lines below the curve; the first ends at (0, 0), the
        last one at (1, 1)."""
        if not self.count:
            return []
        b = self.bound
        if not _SMALL <= self.exponent <= _LARGE:
            return [(1 / b, Fraction(0)), (b, 1 - b)]
        first = Fraction(_DIGITS * b.denominator // b.numerator, _DIGITS)
        found = [(first, Fraction(0))]
        ratio = float(b)
        count = min(self.count, 2 + ceil(_FEW * self.count * self.exponent))
        for k in range(1, count + 1):
            m = Fraction(round(ratio ** (2 * k / (count + 1) - 1) * _DIGITS), _DIGITS)
            end = Fraction(
                isqrt(m.numerator * b.denominator * _DIGITS**2 // (m.denominator * b.numerator)), _DIGITS
            )
            found.append((m, min(end - m, Fraction(0), 1 - m)))
        last = Fraction(-(-_DIGITS * b.numerator // b.denominator), _DIGITS)
        return [*found, (last, 1 - last)]

    @cached_property
    def vertices(self) -> Vertices:
        """Those of the polygon, from (0, 0) to (1, 1)."""
        return [ORIGIN, *_crossings(self.lines), END]

    def geometric(self, steps: int) -> Vertices:
        """Those of two-sided geometric noise for a shift by so many steps of a grid, b that of one step; they
        are rounded in the same way, from lower bounds of q^n/(1 + q), q = 1/b."""
        lower = [floor(WHOLE**2 / (1 + self.bound))]
        while len(lower) < steps:
            lower.append(lower[-1] * self.bound.denominator // self.bound.numerator)
        rounded = [n // WHOLE for n in lower]
        return [ORIGIN, *((WHOLE - p, q) for p, q in zip(rounded, reversed(rounded), strict=True)), END]


@dataclass(frozen=True)
class NormalRegion:
    """The pairs of tails of Gaussian noise of which a shift is ``ratio`` standard deviations: above lines,
    some of them of slopes near the ``alphas``."""

    ratio: Fraction
    alphas: Sequence[Fraction]
    count: int = LINES

    @cached_property
    def tangents(self) -> Sequence[Tangent]:
        """The lines."""
        return tangents(self.ratio, self.alphas, self.count)

    @cached_property
    def vertices(self) -> Vertices:
        """Those of the polygon, from (0, 0) to (1, 1)."""
        lines = [(m, c) for m, c, _ in self.tangents]
        (m, c), (n, d) = lines[0], lines[-1]
        return [ORIGIN, (ceil(-c / m * WHOLE), 0), *_crossings(lines), (WHOLE, floor((n + d) * WHOLE)), END]


def _crossings(lines: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[int, int]]:
    """Of each line and the next one, rounded away from the diagonal."""
    found = []
    for (m, c), (n, d) in pairwise(lines):
        across = (c - d) / (n - m)
        found.append((ceil(across * WHOLE), floor((m * across + c) * WHOLE)))
    return found


@dataclass(frozen=True)
class Polygon:
    """A polygon of pairs of tails, in floats that are as exact near 1 as near 0."""

    vertices: Vertices

    @cached_property
    def corners(self) -> Any:
        """p, p′/p, 1 − p and (1 − p′)/(1 − p) of the vertices between (0, 0) and (1, 1), a column of each;
        0 in place of a ratio to 0."""
        found = [
            (p / WHOLE, q / WHOLE, (WHOLE - p) / WHOLE, (WHOLE - q) / WHOLE) for p, q in self.vertices[1:-1]
        ]
        rows = [(p, q / p if p else 0.0, r, s / r if r else 0.0) for p, q, r, s in found]
        return np.array(rows).reshape(-1, 4).T[:, :, None]

    @cached_property
    def atoms(self) -> Sequence[tuple[float, float]]:
        """The sides, as masses under both probabilities, those of mass 0 under the first left out."""
        sides = ((b[0] - a[0], b[1] - a[1]) for a, b in pairwise(self.vertices))
        return [(p / WHOLE, q / WHOLE) for p, q in sides if p > 0]


class Regions:
    """The regions that are used, each with the most lines that it was asked for, or none on a grid: that of
    shifts, which are divided by the sensitivity."""

    def __init__(
        self,
        at: AtEpsilon,
        lines: int,
        grid: Fraction | None = None,
        alphas: Sequence[Fraction] = (),
        normal: int = LINES,
    ) -> None:
        self.at, self.grid, self.count = at, grid, lines if grid is None else 0
        self.alphas, self.tangents = tuple(alphas), normal
        self.used: dict[Fraction, Region] = {}
        self.normal: dict[Fraction, NormalRegion] = {}
        self.polygons: dict[tuple[Shape, Fraction], Polygon] = {}

    def region(self, exponent: Fraction) -> Region:
        """The one of this rate·|s|, without ε."""
        if exponent not in self.used:
            self.used[exponent] = Region(exponent * self.at.epsilon, self.count, self._exact(exponent))
        return self.used[exponent]

    def _exact(self, exponent: Fraction) -> Fraction | None:
        """q to a power, if that is short."""
        q, unit = self.at.q, self.at.unit
        if q is None or unit is None or exponent / unit * q.denominator.bit_length() > _BITS:
            return None
        return 1 / q ** int(exponent / unit)

    def polygon(self, noise: Shape, shift: Fraction) -> Polygon:
        """The one of this noise and this shift."""
        if (noise, shift) not in self.polygons:
            self.polygons[noise, shift] = Polygon(self._vertices(noise, shift))
        return self.polygons[noise, shift]

    def _vertices(self, noise: Shape, shift: Fraction) -> Vertices:
        if shift == 0:
            return [ORIGIN, END]
        if isinstance(noise, Gaussian):
            ratio = abs(shift) / noise.sigma
            if ratio not in self.normal:
                self.normal[ratio] = NormalRegion(ratio, self.alphas, self.tangents)
            own = self.normal[ratio].vertices
            return own if shift > 0 else [(q, p) for p, q in own]
        left, right = noise
        if left == right == INFINITE:
            return [ORIGIN, (WHOLE, 0) if shift > 0 else (0, WHOLE), END]
        if isinstance(left, Fraction) and left == right:
            own = self._two_sided(left, abs(shift))
            return own if shift > 0 else [(q, p) for p, q in own]
        rate = right if left == INFINITE else left
        if not isinstance(rate, Fraction):
            raise Fault("noise with two finite rates has no polygon")
        rest = floor(WHOLE / self.region(rate * abs(shift)).bound)
        if left == INFINITE:
            return [ORIGIN, (WHOLE, rest) if shift > 0 else (rest, WHOLE), END]
        return [ORIGIN, (0, WHOLE - rest) if shift < 0 else (WHOLE - rest, 0), END]

    def _two_sided(self, rate: Fraction, shift: Fraction) -> Vertices:
        if self.grid is None:
            return self.region(rate * shift).vertices
        return self.region(rate * self.grid).geometric(int(shift / self.grid))
