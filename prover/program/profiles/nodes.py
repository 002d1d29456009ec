"""Probabilities of runs with Gaussian noise on one input, by the trapezoid rule with its error.

Reference: docs/theory_profiles.md, *Gaussian noise of one pair*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor, log, log1p, pi, sqrt

from flint import arb

from prover.exact.ball import ball_of

_STRIPS = [Fraction(k, 4) for k in range(1, 17)]  # in standard deviations of tests
_PARTS = 1024  # of a standard deviation, that the distance of nodes is a multiple of


@dataclass(frozen=True, slots=True)
class NodeGrid:
    """Half the width of the strip where functions are analytic, the distance of nodes, and the bits to which
    sums over them are integrals.
    """

    strip: Fraction
    step: Fraction
    bits: int


def grid_for(stored: Sequence[Fraction], least: Fraction, most: int, bits: int) -> NodeGrid:
    """The widest steps for samples with these standard deviations, and at most so many tests of each with a
    standard deviation of at least ``least``.
    """

    def step(strip: Fraction, sigma: Fraction) -> float:
        steep, wide = float(strip / least), float(strip / sigma)
        growth = most * log1p(0.4 * steep * exp(steep**2 / 2)) + wide**2 / 2
        return 2 * pi * float(strip) / (growth + (bits + 8) * log(2))

    steps = {strip * least: min(step(strip * least, sigma) for sigma in stored) for strip in _STRIPS}
    best = max(steps, key=steps.__getitem__)
    unit = min(stored) / _PARTS
    return NodeGrid(best, max(int(steps[best] / float(unit)), 1) * unit, bits)


def chances_at_nodes(
    center: Fraction,
    sigma: Fraction | None,
    tests: Mapping[int, tuple[bool, Fraction, Fraction]],
    runs: Sequence[tuple[int, ...]],
    grid: NodeGrid,
    found: dict[tuple[Fraction, Fraction, Fraction], arb],
) -> Iterator[tuple[tuple[int, ...], arb]]:
    """Of some lists of tests in lexicographic order, each with its probability.

    A test, by its number, says whether a sample is at least what is stored, and its center and standard
    deviation. What is stored is the center where ``sigma`` is None. ``found`` has probabilities of tests.
    """
    places, weights, error = [center], [arb(1)], arb(0)
    if sigma is not None:
        last = ceil(float(sigma / grid.step) * sqrt(1.4 * grid.bits)) + 1
        first = floor(center / grid.step) - last
        places = [k * grid.step for k in range(first, first + 2 * last + 2)]
        height = ball_of(grid.step / sigma) / (2 * arb.pi()).sqrt()
        weights = [height * (-(ball_of((z - center) / sigma) ** 2) / 2).exp() for z in places]
        error = _error(sigma, tests, max(map(len, runs)), grid, last)
    half = arb(2).sqrt()
    known: dict[int, list[arb]] = {}

    def passed(number: int) -> list[arb]:
        if number not in known:
            at_least, own, spread = tests[number]
            for z in places:
                if (z, own, spread) not in found:
                    found[z, own, spread] = (ball_of((z - own) / spread) / half).erfc() / 2
            chances = [found[z, own, spread] for z in places]
            known[number] = chances if at_least else [1 - chance for chance in chances]
        return known[number]

    begun = [(-1, weights)]
    for run in runs:
        shared = 0
        while shared < min(len(run), len(begun) - 1) and begun[shared + 1][0] == run[shared]:
            shared += 1
        del begun[shared + 1 :]
        for number in run[shared:]:
            begun.append((number, [v * p for v, p in zip(begun[-1][1], passed(number), strict=True)]))
        total = arb(0)
        for value in begun[-1][1]:
            total += value
        yield run, total + error


def _error(
    sigma: Fraction,
    tests: Mapping[int, tuple[bool, Fraction, Fraction]],
    most: int,
    grid: NodeGrid,
    last: int,
) -> arb:
    """A ball around 0 that holds the difference of the integral and the sum."""
    least = min((spread for _, _, spread in tests.values()), default=grid.strip)
    steep, wide = ball_of(grid.strip / least), ball_of(grid.strip / sigma)
    size = (1 + ball_of(Fraction(2, 5)) * steep * (steep**2 / 2).exp()) ** most * (wide**2 / 2).exp()
    inner = 2 * size / ((2 * arb.pi() * ball_of(grid.strip / grid.step)).exp() - 1)
    outer = (-(ball_of(last * grid.step / sigma) ** 2) / 2).exp()
    return arb(0, (inner + outer).abs_upper())
