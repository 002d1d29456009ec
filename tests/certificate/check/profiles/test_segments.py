"""Segments of the line of a noise are worth at least as much as integrals over it, wherever it is cut."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from prover.certificate.check.budget import Budget
from prover.certificate.check.noise import Gaussian
from prover.certificate.check.profiles.functions import KNOT, VALUE, Function
from prover.certificate.check.profiles.guarded import Line, worth
from prover.certificate.check.profiles.regions import WHOLE
from prover.certificate.check.profiles.scale import Scale
from tests.profiles import everything
from tests.program.profiles.quadrature import density, tail

HALF, ONE, TWO = Fraction(1, 2), Fraction(1), Fraction(2)
NOISE: dict[str, Any] = {
    "laplace": (ONE, ONE),
    "steep": (Fraction(4), Fraction(4)),
    "upwards": (None, ONE),
    "downwards": (TWO, None),
    "none": (None, None),
    "gaussian": Gaussian(ONE),
    "wide": Gaussian(TWO),
}
KNOTS = [0, KNOT // 4, KNOT // 2, KNOT, 3 * KNOT // 2, 3 * KNOT, 10 * KNOT]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(12)


def profile(random: Random) -> Function:
    """Convex, falling, and at least max(0, 1 − α)."""
    slopes = sorted((random.uniform(0, 1) ** 2 for _ in KNOTS[1:]), reverse=True)
    values = [random.uniform(0, 0.3)]
    for k in range(len(KNOTS) - 2, -1, -1):
        step = (KNOTS[k + 1] - KNOTS[k]) / KNOT
        rise = slopes[k] * step if k > 3 else max(slopes[k] * step, step)
        values.append(values[-1] + rise)
    return Function(KNOTS, [int(value * VALUE) for value in reversed(values)])


@pytest.mark.parametrize("knots", [KNOTS, [0, 5, 7, 10], [0, 3]])
def test_along_knots_a_function_is_worth_the_same(knots: list[int]) -> None:
    random = Random(5)
    atoms = [(0, 3), (1, 0), (2, 1), (WHOLE, 1), *([random.randrange(99) for _ in "pq"] for _ in range(40))]
    for values in ([9, 6, 4, 1, 1, 0, 0], [9, 4, 4, 4, 0, 0, 0], [7, 5, 5, 0, 0, 0, 0], [8] * 7):
        function = Function(knots, values[: len(knots)])
        bends = function.bends()
        for p, q in atoms:
            assert function.along(p, q, bends) == [function.perspective(p, knot * q) for knot in knots]


def at(function: Function, alpha: Any) -> Any:
    return np.interp(alpha, np.array(KNOTS) / KNOT, np.array(function.values) / VALUE)


def integral(
    function: Function, alpha: float, noise: Any, shift: float, low: float, high: float, cuts: list[float]
) -> float:
    """∫ f(x) D(α f(x + s)/f(x)) from low to high."""
    pair = (
        (0.0, float(noise.sigma))
        if isinstance(noise, Gaussian)
        else tuple(np.inf if rate is None else float(rate) for rate in noise)
    )
    if pair == (np.inf, np.inf):
        inside = low <= 0 < high
        return float(at(function, alpha if shift == 0 else 0.0)) if inside else 0.0
    breaks = [*cuts, 0.0, -shift, *np.linspace(-9, 9, 200)]
    ends = np.unique([low, high, *(x for x in breaks if low < x < high)])
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    x = middle[:, None] + half[:, None] * NODES
    f = density(x, *pair)
    ratio = np.divide(density(x + shift, *pair), f, out=np.zeros_like(f), where=f > 0)
    return float((half[:, None] * WEIGHTS * f * at(function, alpha * ratio)).sum())


@pytest.mark.parametrize("name", NOISE)
@pytest.mark.parametrize("seed", range(100) if everything() else range(3))
def test_no_integral_exceeds_the_segments(name: str, seed: int) -> None:
    random, noise = Random(f"{name} {seed}"), NOISE[name]
    scale = Scale(ONE, Fraction(0), None, ONE, Budget(10**7))
    cuts = sorted({Fraction(random.randint(-16, 16), 8) for _ in range(random.choice([1, 4, 20]))})
    line = Line(scale, noise, cuts)
    functions = [profile(random), profile(random)]
    ends = [sorted(Fraction(random.randint(-8, 8), 4) for _ in range(2)) for _ in functions]
    if seed % 2:
        ends = [[low, low] for low, _ in ends]
    for knot in KNOTS[1:]:
        most = worth(functions[0], functions[1], [line.segments(own) for own in ends], knot) / (WHOLE * VALUE)
        for _ in range(6):
            z = random.choice([float(random.choice(cuts)), random.uniform(-3, 3), -20.0, 20.0])
            shifts = [random.choice([*map(float, own), random.uniform(*map(float, own))]) for own in ends]
            sides = [(-30.0, z), (z, 30.0)]
            found = sum(
                integral(function, knot / KNOT, noise, shift, *side, [float(cut) for cut in cuts])
                for function, shift, side in zip(functions, shifts, sides, strict=True)
            )
            assert found <= most + 1e-6, (knot, z, shifts, found, most)


def test_where_ratios_are_zero_at_one_end() -> None:
    """Noise upwards at 3/2: moved by −1 it may be there, moved by −2 it may not. Their ratios at 1/2 are 0
    both, and at 3 that of −1 is the smaller one."""
    line = Line(Scale(ONE, Fraction(0), None, ONE, Budget(10**7)), (None, ONE), [HALF, Fraction(3)])
    segment = line.segments([-TWO, -ONE])[1]
    assert list(segment.whole) == [segment.least]
    assert segment.least[1] == 0


@pytest.mark.parametrize("name", [name for name in NOISE if name not in ("none",)])
def test_masses_and_ratios(name: str) -> None:
    noise = NOISE[name]
    line = Line(Scale(ONE, Fraction(0), None, ONE, Budget(10**7)), noise, [-ONE, Fraction(0), HALF])
    pair = (
        (0.0, float(noise.sigma))
        if isinstance(noise, Gaussian)
        else tuple(np.inf if rate is None else float(rate) for rate in noise)
    )
    tails = [1.0, *(float(tail(cut, *pair)) for cut in (-1, 0, 0.5)), 0.0]
    for own, above, below in zip(line.segments([TWO]), tails, tails[1:], strict=False):
        mass, moved = own.least
        assert mass / WHOLE == pytest.approx(above - below, abs=1e-12)
        assert sum(p for p, _ in own.whole) == mass
        assert 0 <= moved <= sum(q for _, q in own.whole) + 1
