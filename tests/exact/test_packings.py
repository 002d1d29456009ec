"""Many packing programs at once end where each ends alone, to the last bit."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from prover.exact import packings
from prover.exact.field import FLOATS
from prover.exact.packing import Column, Corner, solve_packing
from prover.exact.packings import Packings, solve_packings
from prover.exact.simplex import STEEPEST, UnboundedProgram

Program = tuple[list[float], list[Column[float]]]


def program(random: Random) -> Program:
    """Up to three sources and sinks; with few numbers, half of the time, so that there are many ties."""
    sources, sinks = random.randint(1, 3), random.randint(1, 3)
    coarse = random.random() < 0.5

    def number() -> float:
        return random.randint(1, 4) / 4 if coarse else random.random()

    bounds = [number() or 1.0 for _ in range(sources + sinks)]
    columns: list[Column[float]] = []
    for i in range(sources):
        for j in range(sources, sources + sinks):
            if random.random() < 0.7:
                columns.append((i, j, number(), 1.2))
            columns += [(i, j, number(), 1.2**arcs) for arcs in (2, 3) if random.random() < 0.1]
    return bounds, columns


def solved(programs: list[Program]) -> list[Corner[float]]:
    """Their vertices, found together."""
    bounds = np.full((len(programs), max(len(bounds) for bounds, _ in programs)), np.inf)
    for line, (own, _) in zip(bounds, programs, strict=True):
        line[: len(own)] = own
    counts = [len(columns) for _, columns in programs]
    every = [column for _, columns in programs for column in columns]
    first, second, values, gains = map(np.array, zip(*every, strict=True))
    place = np.repeat(np.arange(len(programs)), counts)
    found = solve_packings(Packings(bounds, place, first, second, values, gains))
    corners = []
    for k, (own, columns) in enumerate(programs):
        start = sum(counts[:k])
        basic = [c for c in range(len(columns)) if found.basic[start + c]]
        amounts = {c: float(found.amounts[start + c]) for c in basic}
        corners.append(Corner(amounts, frozenset(r for r in range(len(own)) if found.slack[k, r])))
    return corners


@pytest.mark.parametrize("steepest", [STEEPEST, 1])
@pytest.mark.parametrize("seed", range(6))
def test_they_end_where_each_ends_alone(seed: int, steepest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prover.exact.packing.STEEPEST", steepest)
    monkeypatch.setattr(packings, "STEEPEST", steepest)
    random = Random(seed)
    programs = [program(random) for _ in range(300)]
    for one, found in zip(programs, solved(programs), strict=True):
        nothing = Corner({}, frozenset(range(len(one[0]))))
        assert found == (solve_packing(*one, FLOATS) if one[1] else nothing)


def test_columns_that_gain_nothing_are_left_out() -> None:
    nothing: Program = [1.0, 1.0], [(0, 1, 0.0, 1.2)]
    both: Program = [1.0, 1.0], [(0, 1, 1e-12, 1.2), (0, 1, -1.0, 1.44)]
    assert solved([nothing, both]) == [Corner({}, frozenset({0, 1}))] * 2


def test_programs_without_an_optimum_are_refused() -> None:
    free: Program = [1.0, 1.0], [(0, 1, 1.0, 1.0), (0, 1, 2.0, 1.0)]
    where = Packings(
        np.array([free[0]]), *(np.array(line) for line in ([0, 0], [0, 0], [1, 1], [1.0, 2.0], [-1.0, -1.0]))
    )
    where.bounds[0, 0] = np.inf
    with pytest.raises(UnboundedProgram):
        solve_packings(where)
