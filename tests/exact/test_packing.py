"""Packing programs in floats and in rationals, against the oracle's simplex."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NamedTuple

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from prover.exact import packing
from prover.exact.field import FLOATS, RATIONALS
from prover.exact.packing import Corner, solve_packing
from tests.oracle_linear import lp_max
from tests.profiles import examples

F = Fraction
ONE = fmpq(1)
NONE = F(0)


class Program(NamedTuple):
    """Bounds of rows; columns as (row of coefficient 1, row of coefficient gain, value, gain)."""

    bounds: list[Fraction]
    columns: list[tuple[int, int, Fraction, Fraction]]


def flint(q: Fraction) -> fmpq:
    return fmpq(q.numerator, q.denominator)


def fraction(q: Any) -> Fraction:
    return Fraction(int(q.p), int(q.q))


def exactly(program: Program, tolerance: Fraction = NONE) -> Corner[fmpq]:
    columns = [(r, k, flint(value), flint(gain)) for r, k, value, gain in program.columns]
    return solve_packing(
        [flint(b) for b in program.bounds], columns, replace(RATIONALS, tolerance=flint(tolerance))
    )


def roughly(program: Program, tolerance: float = 1e-11) -> Corner[float]:
    columns = [(r, k, float(value), float(gain)) for r, k, value, gain in program.columns]
    return solve_packing([float(b) for b in program.bounds], columns, replace(FLOATS, tolerance=tolerance))


def best(program: Program) -> Fraction:
    matrix = [[F(0)] * len(program.columns) for _ in program.bounds]
    for c, (first, second, _, gain) in enumerate(program.columns):
        matrix[first][c] = F(1)
        matrix[second][c] = gain
    return lp_max([column[2] for column in program.columns], matrix, program.bounds)[0]


def worth(program: Program, vertex: Corner[fmpq]) -> Fraction:
    return sum((program.columns[c][2] * fraction(x) for c, x in vertex.amounts.items()), F(0))


def left(program: Program, vertex: Corner[fmpq]) -> list[Fraction]:
    slack = list(program.bounds)
    for c, amount in vertex.amounts.items():
        first, second, _, gain = program.columns[c]
        slack[first] -= fraction(amount)
        slack[second] -= fraction(amount) * gain
    return slack


def is_vertex(program: Program, vertex: Corner[fmpq]) -> bool:
    """Feasible, of as many basic variables as there are rows, and exhausted where no slack is basic."""
    slack = left(program, vertex)
    closed = [r for r in range(len(slack)) if r not in vertex.slack_rows]
    return (
        all(fraction(x) >= 0 for x in vertex.amounts.values())
        and all(x >= 0 for x in slack)
        and len(vertex.amounts) == len(closed)
        and all(slack[r] == 0 for r in closed)
    )


def solved(program: Program) -> Corner[fmpq]:
    """The exact vertex, which is one and which is optimal."""
    vertex = exactly(program)
    assert is_vertex(program, vertex)
    assert worth(program, vertex) == best(program)
    return vertex


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Up to four sources and sinks; equal bounds, values and gains are frequent, and so are ties."""
    sources, sinks = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    size = sources + sinks
    bounds = draw(st.lists(st.integers(1, 5).map(lambda n: F(n, 5)), min_size=size, max_size=size))
    alpha = draw(st.sampled_from([F(1), F(6, 5), F(3, 2), F(3)]))
    columns = [
        (i, j, F(draw(st.integers(-1, 4)), 4), alpha**arcs)
        for i, j in product(range(sources), range(sources, size))
        for arcs in draw(st.lists(st.integers(1, 3), max_size=2))
    ]
    return Program(bounds, columns or [(0, sources, F(1), alpha)])


def transport(random: Random, sources: int, sinks: int, alpha: Fraction) -> Program:
    """All direct paths between many sources and sinks."""
    weights = [random.randint(1, 50) for _ in range(sources + sinks)]
    columns = [
        (i, sources + j, F(random.randint(1, 100), 100), alpha)
        for i, j in product(range(sources), range(sinks))
    ]
    return Program([F(w, 100) for w in weights], columns)


@given(programs())
def test_rationals(program: Program) -> None:
    solved(program)


@given(programs())
def test_floats(program: Program) -> None:
    vertex = roughly(program)
    total = sum(float(program.columns[c][2]) * x for c, x in vertex.amounts.items())
    assert total == pytest.approx(float(best(program)), abs=1e-9)
    assert len(vertex.amounts) + len(vertex.slack_rows) == len(program.bounds)


@given(programs(), st.integers(0, 3))
def test_what_is_within_the_tolerance_may_be_missed(program: Program, quarters: int) -> None:
    tolerance = F(quarters, 4)
    vertex = exactly(program, tolerance)
    assert is_vertex(program, vertex)
    # No column and no slack gains more than the tolerance, and neither can exceed the bounds in total.
    assert best(program) - worth(program, vertex) <= tolerance * 2 * sum(program.bounds)
    if all(value <= tolerance for _, _, value, _ in program.columns):
        assert vertex.amounts == {}


@pytest.mark.parametrize(
    ("value", "gain", "amounts", "slack_rows"),
    [
        (F(0), F(2), {}, {0, 1}),
        (F(-1), F(2), {}, {0, 1}),
        (F(1), F(2), {0: fmpq(1, 2)}, {0}),  # the sink is full first
        (F(1), F(1, 2), {0: ONE}, {1}),  # the source is empty first
        (F(1), F(1), {0: ONE}, {1}),  # both at once
    ],
)
def test_a_single_column(
    value: Fraction, gain: Fraction, amounts: dict[int, fmpq], slack_rows: set[int]
) -> None:
    program = Program([F(1), F(1)], [(0, 1, value, gain)])
    assert solved(program) == Corner(amounts, frozenset(slack_rows))


def test_degenerate_bounds() -> None:
    # Sources and sinks of equal size: every vertex has basic columns that carry nothing.
    columns = [(i, 3 + j, F(1), F(1)) for i, j in product(range(3), range(3))]
    vertex = solved(Program([F(1, 3)] * 6, columns))
    assert 0 in vertex.amounts.values()


def test_largest_value_first_would_cycle_without_care(monkeypatch: pytest.MonkeyPatch) -> None:
    # Many ties of everything, in Bland's order from the start and after a few pivots.
    columns = [(i, 4 + j, F(1), F(1)) for i, j in product(range(4), range(4))] * 2
    program = Program([F(1)] * 8, columns)
    for steepest in (0, 1, 3):
        monkeypatch.setattr(packing, "STEEPEST", steepest)
        assert worth(program, solved(program)) == 4


def test_values_that_floats_cannot_tell_apart() -> None:
    # The better column is worth 10^-30 more.
    columns = [(0, 1, F(1, 2), F(1)), (0, 1, F(1, 2) + F(1, 10**30), F(1)), (0, 1, F(1, 2), F(1))]
    assert solved(Program([F(1), F(1)], columns)).amounts.keys() == {1}


def test_numbers_of_a_thousand_digits() -> None:
    random = Random(1)
    tiny = F(1, 10**1000)
    columns = [(i, 2 + j, 1 - tiny * random.randint(1, 9), 1 + tiny) for i, j in product(range(2), range(2))]
    solved(Program([F(1), 1 + tiny, 1 + 2 * tiny, F(1)], columns))


# Many columns


def spied(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    """The results of the calls of a function of the module."""
    original, calls = getattr(packing, name), []

    def call(*arguments: Any) -> Any:
        calls.append(original(*arguments))
        return calls[-1]

    monkeypatch.setattr(packing, name, call)
    return calls


@pytest.mark.parametrize("seed", range(4))
def test_many_columns_of_floats_go_to_highs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    program = transport(Random(seed), 9, 8, F(6, 5))
    by_highs = spied(monkeypatch, "solve_large")
    vertex = roughly(program)
    assert by_highs == [vertex]
    exact = exactly(program)
    assert len(by_highs) == 1
    expected = worth(program, exact)
    total = sum(float(program.columns[c][2]) * x for c, x in vertex.amounts.items())
    assert total == pytest.approx(float(expected), abs=1e-9)
    # Its basis is as good a basis as the simplex' own, up to ties.
    assert len(vertex.amounts) + len(vertex.slack_rows) == len(program.bounds)
    monkeypatch.setattr(packing, "LARGE", 10**9)
    own = roughly(program)
    assert len(by_highs) == 1
    total = sum(float(program.columns[c][2]) * x for c, x in own.amounts.items())
    assert total == pytest.approx(float(expected), abs=1e-9)


def test_many_columns_of_rationals() -> None:
    solved(transport(Random(7), 8, 8, F(6, 5)))


def test_many_columns_and_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [(i, 8 + j, F(1 + (i + j) % 2, 2), F(1)) for i, j in product(range(8), range(8))]
    program = Program([F(1, 8)] * 16, columns)
    by_highs = spied(monkeypatch, "solve_large")
    vertex = roughly(program)
    assert len(by_highs) == 1
    assert sum(float(columns[c][2]) * x for c, x in vertex.amounts.items()) == pytest.approx(1.0)
    assert worth(program, solved(program)) == 1


def test_a_solver_of_many_programs_finds_what_a_new_one_finds() -> None:
    solver = packing.large_solver()
    random = Random(11)
    for _ in range(6):
        program = transport(random, random.randint(8, 12), 8, F(6, 5))
        first, second, values, gains = zip(*program.columns, strict=True)
        numbers = (
            [float(b) for b in program.bounds],
            first,
            second,
            [*map(float, values)],
            [*map(float, gains)],
        )
        assert packing.solve_large(*numbers, solver) == packing.solve_large(*numbers)


def test_where_highs_ends_without_a_vertex_the_own_simplex_takes_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = transport(Random(3), 8, 8, F(3, 2))
    monkeypatch.setattr(packing, "solve_large", lambda *_: None)
    vertex = roughly(program)
    total = sum(float(program.columns[c][2]) * x for c, x in vertex.amounts.items())
    assert total == pytest.approx(float(best(program)), abs=1e-9)


@pytest.mark.slow
@given(st.integers(0, 10**9), st.integers(2, 9), st.integers(2, 9))
@examples(300)
def test_transport_programs_of_all_sizes(seed: int, sources: int, sinks: int) -> None:
    random = Random(seed)
    program = transport(random, sources, sinks, random.choice([F(1), F(21, 20), F(3, 2), F(3)]))
    expected = worth(program, solved(program))
    vertex = roughly(program)
    total = sum(float(program.columns[c][2]) * x for c, x in vertex.amounts.items())
    assert total == pytest.approx(float(expected), abs=1e-9)
