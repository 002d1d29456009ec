"""Polygons around the pairs of tails of a noise and of the same noise shifted.

The pairs (S(u), S(u + s)) of all u, S(u) the probability of noise ≥ u, lie in a polygon. Its vertices are
multiples of 1/WHOLE, rounded so that the polygon only becomes larger: away from the diagonal.
(docs/theory_profiles.md, *Regions* and *Noise on a grid*)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from ..budget import Budget
from ..noise import Gaussian, Sides
from ..reading import (
    BadEvidence,
    Json,
    Malformed,
    RuleBroken,
    TooLarge,
    at,
    demand,
    items,
    positive,
    rational,
    record,
    typed,
)
from .normal import is_below
from .scale import Scale, bits

WHOLE = 1 << 60
MOST_LINES = 1_000  # of a region
MOST_STEPS = 1_000  # of a grid, in a shift

Vertices = Sequence[tuple[int, int]]
Rate = Fraction | None  # None: no noise on that side

ORIGIN, END = (0, 0), (WHOLE, WHOLE)


@dataclass(frozen=True, slots=True)
class Regions:
    """For a product rate·|s|: a bound of its exponential from above, and lines below the curve of Laplace
    noise; and for a ratio |s|/σ lines below the curve of Gaussian noise."""

    found: Mapping[Fraction, tuple[Fraction, Vertices]]
    normal: Mapping[Fraction, Vertices]
    scale: Scale

    def vertices(self, noise: Sides | Gaussian, shift: Fraction) -> Vertices:
        """The polygon for Gaussian noise, or noise with rates, both equal, or one of them infinite; and this
        shift."""
        self.scale.demand_on_grid(shift)
        if shift == 0:
            return ORIGIN, END
        if isinstance(noise, Gaussian):
            self.scale.budget.spend(8, bits(noise.sigma), bits(shift))
            ratio = abs(shift) / noise.sigma
            demand(ratio in self.normal, BadEvidence, "a region is missing")
            return self.normal[ratio] if shift > 0 else swapped(self.normal[ratio])
        left, right = noise
        if left is None and right is None:
            corner = (WHOLE, 0) if shift > 0 else (0, WHOLE)
            return ORIGIN, corner, END
        if left is not None and right is not None:
            demand(left == right, BadEvidence, "noise with two rates")
            own = self.laplace(left, shift) if self.scale.grid is None else self.geometric(left, shift)
            return own if shift > 0 else swapped(own)
        rate, upwards = (right, True) if left is None else (left, False)
        bound, _ = self.region(rate or Fraction(0), shift)
        rest = floor(WHOLE / bound)
        if upwards:
            return ORIGIN, (WHOLE, rest) if shift > 0 else (rest, WHOLE), END
        return ORIGIN, (0, WHOLE - rest) if shift < 0 else (WHOLE - rest, 0), END

    def laplace(self, rate: Fraction, shift: Fraction) -> Vertices:
        own = self.region(rate, shift)[1]
        demand(len(own) > 0, BadEvidence, "a region without lines")
        return own

    def geometric(self, rate: Fraction, shift: Fraction) -> Vertices:
        """For two-sided geometric noise: from lower bounds of q^n/(1 + q), q = e^(−rate·grid·ε)."""
        grid = self.scale.grid or Fraction(1)
        steps = abs(shift) / grid
        demand(steps <= MOST_STEPS, TooLarge, f"a shift of more than {MOST_STEPS} steps of the grid")
        bound, _ = self.region(rate, grid)
        self.scale.budget.spend(2 * steps.numerator, 128, bits(bound))
        lower = [floor(WHOLE**2 / (1 + bound))]
        while len(lower) < steps:
            lower.append(lower[-1] * bound.denominator // bound.numerator)
        rounded = [n // WHOLE for n in lower]
        inner = ((WHOLE - p, q) for p, q in zip(rounded, reversed(rounded), strict=True))
        return [ORIGIN, *inner, END]

    def region(self, rate: Fraction, shift: Fraction) -> tuple[Fraction, Vertices]:
        self.scale.budget.spend(8, bits(rate), bits(shift))
        exponent = rate * abs(shift)
        demand(exponent in self.found, BadEvidence, "a region is missing")
        return self.found[exponent]


def swapped(vertices: Vertices) -> Vertices:
    return [(q, p) for p, q in vertices]


def read_regions(value: Json, scale: Scale) -> Regions:
    """The regions by rate·|s|, which the noise multiplies by ε, and by |s|/σ."""
    found: dict[Fraction, tuple[Fraction, Vertices]] = {}
    normal: dict[Fraction, Vertices] = {}
    for index, entry in enumerate(typed(value, list)):
        with at("region", index):
            if "ratio" in typed(entry, dict):
                fields = record(entry, "lines ratio")
                ratio = Fraction(*positive(fields["ratio"]))
                demand(ratio not in normal, BadEvidence, "a region twice")
                normal[ratio] = gaussian(typed(fields["lines"], list), ratio, scale.budget)
                continue
            fields = record(entry, "bound exponent lines")
            exponent, bound = Fraction(*positive(fields["exponent"])), Fraction(*positive(fields["bound"]))
            demand(exponent not in found, BadEvidence, "a region twice")
            large = scale.bounded(exponent, bound)
            demand(large, RuleBroken, "the bound does not exceed the exponential")
            lines = typed(fields["lines"], list)
            found[exponent] = bound, polygon(lines, bound, scale.budget) if lines else ()
    return Regions(found, normal, scale)


def polygon(value: Sequence[Json], bound: Fraction, budget: Budget) -> Vertices:
    """The vertices of what is above all lines p′ = m p + c, which are below the curve of Laplace noise.

    They are where m > 0, c ≤ 0, m + c ≤ 1, and m + c ≤ 0 or m ≥ b (m + c)², b ≥ e^(rate·s)
    (docs/theory_profiles.md, Lemma 2).
    """
    entries = [items(entry, 2) for entry in value]
    demand(2 <= len(entries) <= MOST_LINES, Malformed, "not from 2 to 1,000 lines")
    lines = [(Fraction(*positive(m)), Fraction(*rational(c))) for m, c in entries]
    longest = max(bits(m) + bits(c) for m, c in lines)
    budget.spend(64 * len(lines), 2 * longest + bits(bound), 2 * longest + bits(bound))
    for m, c in lines:
        at_end = m + c
        below = c <= 0 and at_end <= 1 and (at_end <= 0 or m >= bound * at_end * at_end)
        demand(below, RuleBroken, "a line crosses the curve")
    return above(lines)


def gaussian(value: Sequence[Json], ratio: Fraction, budget: Budget) -> Vertices:
    """The vertices of what is above all lines, which are below the curve of Gaussian noise; each comes with a
    place near which it touches the curve."""
    entries = [items(entry, 3) for entry in value]
    demand(2 <= len(entries) <= MOST_LINES, Malformed, "not from 2 to 1,000 lines")
    lines = [(Fraction(*positive(m)), Fraction(*rational(c))) for m, c, _ in entries]
    longest = max(bits(m) + bits(c) for m, c in lines)
    budget.spend(64 * len(lines), 2 * longest, 2 * longest)
    for line, (_, _, t) in zip(lines, entries, strict=True):
        below = is_below(line, Fraction(*rational(t)), ratio, budget)
        demand(below, RuleBroken, "a line crosses the curve")
    return above(lines)


def above(lines: Sequence[tuple[Fraction, Fraction]]) -> Vertices:
    """The vertices of what is above lines p′ = m p + c, between the diagonal, p′ = 0 and p = 1."""
    demand(all(one[0] < two[0] for one, two in pairwise(lines)), BadEvidence, "slopes that do not rise")
    corners = [(Fraction(0), Fraction(0)), (-lines[0][1] / lines[0][0], Fraction(0))]
    for (m, c), (n, d) in pairwise(lines):
        across = (c - d) / (n - m)
        corners.append((across, m * across + c))
    corners += [(Fraction(1), sum(lines[-1], Fraction(0))), (Fraction(1), Fraction(1))]
    ordered = all(one[0] <= two[0] and one[1] <= two[1] for one, two in pairwise(corners))
    inside = all(0 <= q <= p <= 1 for p, q in corners)
    demand(ordered and inside, BadEvidence, "a line that bounds nothing")
    return [(ceil(p * WHOLE), floor(q * WHOLE)) for p, q in corners]
