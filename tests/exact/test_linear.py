"""Exact linear systems against elimination in `Fraction`s, and against solutions known beforehand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from prover.errors import Fault
from prover.exact import linear, refinement
from prover.exact.linear import SingularSystem, solve, solve_columns
from prover.exact.refinement import TooLong
from tests.oracle_linear import OracleFault, solve_linear
from tests.profiles import examples

Rows = list[dict[int, fmpq]]
SIZES = [1, 2, 12, 13, 30]  # up to 12 unknowns the dense solver is used, above it floating point guides


def fraction(q: Any) -> Fraction:
    return Fraction(int(q.p), int(q.q))


def image(rows: Sequence[Mapping[int, fmpq]], x: Sequence[fmpq]) -> list[fmpq]:
    """The product of the matrix with a vector: the right-hand side of which it is the solution."""
    return [sum((v * x[j] for j, v in row.items()), fmpq(0)) for row in rows]


def by_elimination(rows: Sequence[Mapping[int, fmpq]], right: Sequence[fmpq]) -> list[Fraction]:
    columns = range(len(rows))
    matrix = [[fraction(row.get(j, fmpq(0))) for j in columns] for row in rows]
    return solve_linear(matrix, [fraction(value) for value in right])


def sparse(random: Random, size: int, entries: int = 4, most: int = 9) -> Rows:
    """Random rows of a few entries, the one on the diagonal among them."""
    rows = []
    for i in range(size):
        places = {i, *random.sample(range(size), min(size, entries - 1))}
        rows.append({j: fmpq(random.choice([-1, 1]) * random.randint(1, most), 7) for j in sorted(places)})
    return rows


def dominant(random: Random, size: int, entries: int = 4, most: int = 9) -> Rows:
    """Rows whose diagonal outweighs the rest: never singular."""
    rows = sparse(random, size, entries, most)
    for i, row in enumerate(rows):
        row[i] = 1 + sum((abs(v) for v in row.values()), fmpq(0))
    return rows


def leaking(random: Random, size: int, leak: fmpq) -> Rows:
    """I − W for a W whose rows sum to 1 − leak, and which leads from every unknown to the next."""
    rows = []
    for i in range(size):
        parts = [random.randint(1, 9), random.randint(1, 9)]
        row: dict[int, fmpq] = {i: fmpq(1)}
        for j, part in zip(((i + 1) % size, random.randrange(size)), parts, strict=True):
            row[j] = row.get(j, fmpq(0)) - fmpq(part, sum(parts)) * (1 - leak)
        rows.append(row)
    return rows


def rationals(random: Random, size: int, top: int, bottom: int) -> list[fmpq]:
    return [fmpq(random.randint(-top, top), random.randint(1, bottom)) for _ in range(size)]


def confirm(rows: Sequence[Mapping[int, fmpq]], right: Sequence[fmpq]) -> None:
    """The solution is that of elimination, or neither finds one."""
    try:
        expected = by_elimination(rows, right)
    except OracleFault:
        with pytest.raises(SingularSystem):
            solve(rows, right)
        return
    assert [fraction(x) for x in solve(rows, right)] == expected


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", range(8))
def test_random_sparse_systems(size: int, seed: int) -> None:
    random = Random(1000 * size + seed)
    rows, right = sparse(random, size), rationals(random, size, 20, 20)
    confirm(rows, right)


@given(st.data(), st.integers(1, 4))
@examples(60)
def test_small_systems_of_any_kind(data: st.DataObject, size: int) -> None:
    numbers = st.integers(-2, 2)
    rows = [
        {j: fmpq(v) for j, v in enumerate(data.draw(st.lists(numbers, min_size=size, max_size=size))) if v}
        for _ in range(size)
    ]
    right = [fmpq(v, 3) for v in data.draw(st.lists(numbers, min_size=size, max_size=size))]
    confirm(rows, right)


def test_a_large_system() -> None:
    random = Random(100)
    rows, x = dominant(random, 100), rationals(random, 100, 10**6, 10**6)
    assert solve(rows, image(rows, x)) == x


@pytest.mark.parametrize("digits", [12, 18, 40, 400])
@pytest.mark.parametrize("size", [2, 13, 40])
def test_nearly_singular_systems(size: int, digits: int) -> None:
    # Floating point sees a singular matrix, or has not a digit right.
    random = Random(size * digits)
    rows, x = leaking(random, size, fmpq(1, 10**digits)), rationals(random, size, 99, 99)
    assert solve(rows, image(rows, x)) == x


@pytest.mark.parametrize("size", [3, 13, 20])
def test_numbers_of_thousands_of_digits(size: int) -> None:
    random = Random(size)
    rows = dominant(random, size, most=10**3000)
    for x in (rationals(random, size, 99, 10**5), rationals(random, size, 10**3000, 10**5)):
        assert solve(rows, image(rows, x)) == x


def test_rows_of_very_different_size() -> None:
    random = Random(4)
    rows = dominant(random, 30)
    scales = [fmpq(10) ** random.randint(-500, 500) for _ in rows]
    rows = [{j: v * scale for j, v in row.items()} for row, scale in zip(rows, scales, strict=True)]
    x = rationals(random, 30, 99, 99)
    assert solve(rows, image(rows, x)) == x


def test_a_solution_too_large_for_the_refinement() -> None:
    random = Random(5)
    rows, x = dominant(random, 20), rationals(random, 20, 10**60, 3)
    assert solve(rows, image(rows, x)) == x


@pytest.mark.parametrize("short", [fmpq(0), fmpq(1), fmpq(-2, 3)])
def test_short_answers_of_large_systems(short: fmpq, monkeypatch: pytest.MonkeyPatch) -> None:
    # The denominator could have thousands of digits; that it has one is seen after the first few rounds.
    attempts = []
    recover = refinement._recover

    def counted(*arguments: Any, **keywords: Any) -> Any:
        attempts.append(arguments[1].bits)
        return recover(*arguments, **keywords)

    monkeypatch.setattr(refinement, "_recover", counted)
    rows = dominant(Random(6), 250, most=10**20)
    x = [short + k % 3 for k in range(250)]
    assert solve(rows, image(rows, x)) == x
    assert len(attempts) == 1
    assert attempts[0] < 200


def test_rounds_gain_fewer_bits_where_the_matrix_is_nearly_singular(monkeypatch: pytest.MonkeyPatch) -> None:
    # A condition of 2^21 leaves some thirty of the 53 bits of a float: too few for rounds of 40.
    tried = []
    rounds = refinement._refine_rounds

    def counted(*arguments: Any) -> Any:
        tried.append(arguments[1].bits)
        return rounds(*arguments)

    monkeypatch.setattr(refinement, "_refine_rounds", counted)
    near = fmpq(2**20 - 1, 2**20)
    rows: Rows = [{k: fmpq(1), k ^ 1: near if k % 2 else fmpq(1)} for k in range(20)]
    x = rationals(Random(7), 20, 10**4, 10**30)
    assert solve(rows, image(rows, x)) == x
    assert tried == [40, 24]


def test_an_answer_as_long_as_the_determinant_lets_it_be() -> None:
    # Row i says 2 x_i = x_{i+1} and the last 2 x_n = 1: the first unknown is 2^-n.
    size = 300
    rows: Rows = [{i: fmpq(2), i + 1: fmpq(-1)} for i in range(size - 1)] + [{size - 1: fmpq(2)}]
    x = solve(rows, [fmpq(0)] * (size - 1) + [fmpq(1)])
    assert x == [fmpq(1, 2 ** (size - i)) for i in range(size)]


# No solution, or many


def without(rows: Rows, column: int) -> Rows:
    return [{j: v for j, v in row.items() if j != column} for row in rows]


@pytest.mark.parametrize("size", [1, 2, 12, 13, 100])
def test_an_unknown_that_occurs_nowhere(size: int) -> None:
    rows = without(dominant(Random(size), size), size - 1)
    with pytest.raises(SingularSystem):
        solve(rows, [fmpq(k + 1) for k in range(size)])


@pytest.mark.parametrize("size", [2, 12, 13, 100])
def test_two_rows_that_contradict_each_other(size: int) -> None:
    rows = dominant(Random(size), size)
    rows[-1] = {j: 2 * v for j, v in rows[0].items()}
    with pytest.raises(SingularSystem, match=f"a system of {size} equations"):
        solve(rows, [fmpq(1)] * size)


@pytest.mark.parametrize("seed", range(10))
def test_rows_that_depend_on_each_other_invisibly(seed: int) -> None:
    # The last row is a combination of three others with thirds and sevenths, which floats do not hit.
    random, size = Random(seed), 20
    rows, right = dominant(random, size), rationals(random, size, 9, 9)
    rows[-1] = {}
    for i in random.sample(range(size - 1), 3):
        for j, v in rows[i].items():
            rows[-1][j] = rows[-1].get(j, fmpq(0)) + v * fmpq(i + 1, 3)
    with pytest.raises(SingularSystem):
        solve(rows, right)


def test_singular_is_a_fault_of_the_caller_and_too_long_is_not() -> None:
    assert issubclass(SingularSystem, Fault)
    assert not issubclass(TooLong, Fault)


# A limit on the length


def bits_of(x: Sequence[fmpq]) -> int:
    return math.lcm(*(int(value.q) for value in x)).bit_length()


def test_too_long() -> None:
    random = Random(7)
    rows, right = dominant(random, 40), rationals(random, 40, 9, 9)
    x = solve(rows, right)
    assert bits_of(x) > 100
    with pytest.raises(TooLong, match="more than 50 bits"):
        solve(rows, right, max_bits=50)


@pytest.mark.parametrize("seed", range(5))
def test_no_answer_within_the_limit_is_refused(seed: int) -> None:
    random = Random(seed)
    rows, x = dominant(random, 40, most=10**30), rationals(random, 40, 5, 12)
    assert bits_of(x) <= 15
    right = image(rows, x)
    assert solve(rows, right, max_bits=bits_of(x)) == x
    assert solve(rows, right, max_bits=10**6) == x


def test_the_exact_length_of_an_answer_is_long_enough() -> None:
    random = Random(8)
    rows, right = dominant(random, 30), rationals(random, 30, 9, 9)
    x = solve(rows, right)
    assert solve(rows, right, max_bits=bits_of(x)) == x


@pytest.mark.parametrize("dense", [0, 100])
@pytest.mark.parametrize("size", [1, 5, 40])
def test_columns_are_solved_one_like_the_other(
    size: int, dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "_DENSE_COLUMNS", dense)
    random = Random(size)
    rows = dominant(random, size)
    wanted = [[fmpq(random.randint(-5, 5), random.randint(1, 9)) for _ in range(3)] for _ in range(size)]
    columns = [image(rows, [values[k] for values in wanted]) for k in range(3)]
    right = [{k: columns[k][i] for k in range(3) if columns[k][i] != 0} for i in range(size)]
    assert solve_columns(rows, right, 3) == wanted
    assert solve_columns(rows, [{} for _ in rows], 0) == [[] for _ in rows]


def test_columns_of_a_singular_system_have_no_solution() -> None:
    rows: Rows = [{0: fmpq(1), 1: fmpq(1)}, {0: fmpq(2), 1: fmpq(2)}]
    with pytest.raises(SingularSystem):
        solve_columns(rows, [{0: fmpq(1)}, {0: fmpq(1)}], 1)


@pytest.mark.parametrize("size", [13, 60])
def test_machine_words_and_whole_numbers_find_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(size)
    rows, right = dominant(random, size), rationals(random, size, 10**6, 10**3)
    within = solve(rows, right)
    monkeypatch.setattr("prover.exact.refinement._LONGEST_WORD", 0)
    assert within == solve(rows, right)


def test_numbers_just_too_long_for_machine_words() -> None:
    # Over 2^60, 2^63 and 2^64: what is left over would wrap around.
    random = Random(5)
    for bits in (59, 60, 61, 62, 63, 64, 65):
        rows = [{j: fmpq(v) * 2**bits for j, v in row.items()} for row in dominant(random, 20)]
        x = rationals(random, 20, 10**6, 10**3)
        assert solve(rows, image(rows, x)) == x
