"""Small linear programs, against the oracle's simplex."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from prover.errors import Fault
from prover.exact import simplex
from prover.exact.simplex import UnboundedProgram, maximise, minimise
from tests.oracle_linear import Unbounded as OracleUnbounded
from tests.oracle_linear import lp_max
from tests.profiles import thinned

F = Fraction


def random_program(random: Random) -> tuple[list[Fraction], list[dict[int, Fraction]], list[Fraction]]:
    """An objective, rows, and bounds of which about half are 0, so that many pivots are degenerate."""
    width, size = random.randint(1, 5), random.randint(1, 5)

    def number() -> Fraction:
        return F(random.randint(-4, 6), random.randint(1, 3))

    rows = [{c: number() for c in range(width) if random.random() < 0.7} for _ in range(size)]
    bounds = [F(random.choice([0, 0, 1, 2]), random.randint(1, 2)) for _ in range(size)]
    return [number() for _ in range(width)], rows, bounds


def dense(rows: list[dict[int, Fraction]], width: int) -> list[list[Fraction]]:
    return [[row.get(c, F(0)) for c in range(width)] for row in rows]


def test_the_maximum_is_the_oracles() -> None:
    unbounded = bounded = 0
    for seed in thinned(range(400)):
        objective, rows, bounds = random_program(Random(seed))
        try:
            expected, _ = lp_max(objective, dense(rows, len(objective)), bounds)
        except OracleUnbounded:
            unbounded += 1
            with pytest.raises(UnboundedProgram):
                maximise(objective, rows, bounds)
            continue
        bounded += 1
        found = maximise(objective, rows, bounds)
        assert found.value == expected == sum(c * x for c, x in zip(objective, found.point, strict=True))
        assert found.value == sum(y * b for y, b in zip(found.prices, bounds, strict=True))
    assert min(unbounded, bounded) > 20


def test_the_minimum_is_that_of_the_dual() -> None:
    for seed in thinned(range(200)):
        random = Random(seed)
        objective, rows, bounds = random_program(random)
        costs = [abs(value) for value in objective]
        at_least = [bound * random.choice([-1, 1]) for bound in bounds]
        try:
            found = minimise(costs, rows, at_least)
        except UnboundedProgram:
            columns = [[row.get(c, F(0)) for row in rows] for c in range(len(costs))]
            with pytest.raises(OracleUnbounded):
                lp_max(at_least, columns, costs)
            continue
        assert all(x >= 0 for x in found.point)
        for row, bound in zip(rows, at_least, strict=True):
            assert sum((entry * found.point[c] for c, entry in row.items()), F(0)) >= bound
        assert found.value == sum(c * x for c, x in zip(costs, found.point, strict=True))
        assert found.value == sum(y * b for y, b in zip(found.prices, at_least, strict=True))


def test_nothing_to_choose() -> None:
    assert maximise([], [], []).value == 0
    assert maximise([F(-1)], [], []).point == (F(0),)
    assert minimise([F(1)], [{}], [F(-1)]).value == 0


def test_an_answer_that_is_not_optimal_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simplex, "climb", lambda *_: None)
    with pytest.raises(Fault, match="duality"):
        maximise([F(1)], [{0: F(1)}], [F(1)])
