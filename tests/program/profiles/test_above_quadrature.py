"""δ of two neighbouring inputs, by quadrature or sums, is never above what a table promises, at any α."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import pytest

from prover.program.adjacency import Adjacency
from prover.program.model import Program
from prover.program.profiles import above, normal
from prover.program.profiles.bounds import Above
from tests.certified import proved
from tests.profiles import everything
from tests.program.profiles.made import delta_above, neighbours, promised, random_program
from tests.program.profiles.quadrature import Quadrature, delta

LENGTH = 4
MOST_STEPS = 6
PAIRS = 4
ERROR = 1e-7
ALPHAS = [Fraction(number) for number in ("1/2", "1", "11/10", "3/2", "3", "8")]
ADJACENCIES = ("all-differ", "one-differ", "increasing", "decreasing", "monotonic")


def seeds() -> range:
    return range(3000) if everything() else range(30)


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that are found quickly."""
    monkeypatch.setattr(above, "KNOTS", 40)
    monkeypatch.setattr(above, "LINES", 4)
    monkeypatch.setattr(above, "STEPS", 2)
    monkeypatch.setattr(normal, "LINES", 9)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("seed", seeds())
def test_no_pair_of_inputs_exceeds_the_table(seed: int) -> None:
    random = Random(seed)
    found = bounded(seed)
    document = json.loads(found.certificate.data)
    bounds = {alpha: promised(document, alpha) for alpha in ALPHAS}
    assert bounds[found.alpha] <= found.upper or found.upper == 1
    for _ in range(PAIRS):
        exceeds(found.program, str(found.adjacency), float(found.at_epsilon), bounds, random)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("seed", seeds())
def test_no_pair_of_inputs_exceeds_the_table_on_a_grid(seed: int) -> None:
    random = Random(seed)
    found = bounded(seed, grid=True)
    document = json.loads(found.certificate.data)
    assert Fraction(proved(found.certificate)["claim"]["upper"]) == found.upper
    bounds = {alpha: promised(document, alpha) for alpha in ALPHAS}
    for _ in range(PAIRS):
        exceeds(found.program, str(found.adjacency), float(found.at_epsilon), bounds, random)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("seed", seeds())
def test_certificates_of_random_programs(seed: int) -> None:
    found = bounded(seed)
    assert Fraction(proved(found.certificate)["claim"]["upper"]) == found.upper


def bounded(seed: int, *, grid: bool = False) -> Above:
    adjacency = Adjacency(ADJACENCIES[seed // 2 % len(ADJACENCIES)])
    epsilon = [Fraction(1, 2), Fraction(1), Fraction(2)][seed % 3]
    most = LENGTH if seed % 2 else None
    program = random_program(seed, grid=grid, gaussian=not grid and seed % 4 == 1)
    return delta_above(program, adjacency, epsilon, Fraction(3, 2), most)


def exceeds(
    program: Program, adjacency: str, epsilon: float, bounds: dict[Fraction, Fraction], random: Random
) -> None:
    inputs, moves = neighbours(program, adjacency, LENGTH, random)
    law = Quadrature(program, epsilon, inputs, moves, LENGTH, bins=4, most_steps=MOST_STEPS).law()
    assert law.sum(axis=0) == pytest.approx([1, 1], abs=ERROR)
    for alpha, bound in bounds.items():
        least = delta(law, float(alpha))
        assert least <= float(bound) + ERROR, json.dumps([str(alpha), least, float(bound)])
