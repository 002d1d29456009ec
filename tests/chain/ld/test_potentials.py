"""Potentials that belong to bases, how they are derived, and what they are worth."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st

from prover.chain.ld.optimality import Judge
from prover.chain.ld.potentials import (
    Potential,
    constant,
    derivation,
    dual_value,
    evaluate,
    in_turn,
    row_potentials,
)
from prover.exact.field import FLOATS, RATIONALS
from tests.chain.problems import CYCLE, NOTHING, engine_table, flint, fraction, pairing, tables, whole
from tests.strategies import absorbed_chains, alphas

F = Fraction
ONE = fmpq(1)
DERIVED = (
    constant(0, fmpq(1, 4)),
    Potential(1, "to", 0),
    Potential(2, "from", 1),
    constant(3, ONE),
)
EXPECTED = {0: F(1, 4), 1: F(5, 8), 2: F(1, 4), 3: F(1)}


@given(st.data(), alphas())
def test_derived_potentials_are_those_of_the_rows(data: st.DataObject, alpha: Fraction) -> None:
    """On the optimal bases of random tables; there all arcs are tight, in the derivation too."""
    chain = data.draw(absorbed_chains(5))
    d = data.draw(tables(chain))
    problem = whole(chain, alpha)
    judge = Judge.of(problem, engine_table(chain, d))

    def distance(i: int, j: int) -> fmpq:
        return flint(d[i][j])

    for pieces in problem.parts.values():
        for part, basis in zip(pieces, judge.improve(pieces, [NOTHING] * len(pieces)), strict=True):
            steps = derivation(part, basis, distance, problem.alpha)
            values = evaluate(steps, distance, problem.alpha, RATIONALS.number)
            rows = row_potentials(basis, distance, problem.alpha, ONE)
            assert {k: values[k] for k in rows} == rows
            for path in basis.paths:
                for i, j in pairwise(path):
                    assert values[i] == distance(i, j) + problem.alpha * values[j]


def test_potentials_of_a_cycle_have_no_open_end() -> None:
    # f_0 − 2 f_2 = 1/2, f_0 − 4 f_3 = 1/4, f_1 − 2 f_2 = 1/3, f_1 − 2 f_3 = 1/5
    d = {(0, 2): fmpq(1, 2), (0, 4): fmpq(1, 20), (4, 3): fmpq(1, 10), (1, 2): fmpq(1, 3), (1, 3): fmpq(1, 5)}
    basis = pairing(CYCLE, ((0, 2), (0, 4, 3), (1, 2), (1, 3)))
    steps = derivation(CYCLE, basis, lambda i, j: d[i, j], fmpq(2))
    values = evaluate(steps, lambda i, j: d[i, j], fmpq(2), RATIONALS.number)
    assert values[0] - 2 * values[2] == fmpq(1, 2)
    assert values[0] - 4 * values[3] == fmpq(1, 4)
    assert values[1] - 2 * values[2] == fmpq(1, 3)
    assert values[1] - 2 * values[3] == fmpq(1, 5)
    assert {k: values[k] for k in range(4)} == row_potentials(basis, lambda i, j: d[i, j], fmpq(2), ONE)


@pytest.mark.parametrize("scale", [ONE, fmpq(10**50)])
def test_evaluation_in_scaled_rationals(scale: fmpq) -> None:
    values = evaluate(DERIVED, lambda *_: fmpq(1, 4) * scale, fmpq(3, 2), lambda c: c * scale)
    assert {k: fraction(x / scale) for k, x in values.items()} == EXPECTED


def test_evaluation_in_floats() -> None:
    values = evaluate(DERIVED, lambda *_: 0.25, 1.5, FLOATS.number)
    assert values == {k: float(x) for k, x in EXPECTED.items()}


def test_dual_value_is_the_sum_over_sources_less_that_over_sinks() -> None:
    # 1/2·1 + 2/3·1/2 − 1·1/4; state 3 has none, and state 9 is in no part.
    f = {0: ONE, 1: fmpq(1, 2), 2: fmpq(1, 4), 9: ONE}
    assert dual_value([CYCLE], f) == fmpq(1, 2) + fmpq(1, 3) - fmpq(1, 4)
    assert dual_value([CYCLE, CYCLE], f) == 2 * dual_value([CYCLE], f)
    assert dual_value([], f) == 0


def test_paths_come_when_an_end_is_known() -> None:
    basis = pairing(CYCLE, ((1, 3), (1, 2), (0, 2)), 0)
    known = {0}
    order = []
    for paths in in_turn(basis, known):
        order.append(paths)
        known.update(end for path in paths for end in (path[0], path[-1]))
    assert order == [((0, 2),), ((1, 2),), ((1, 3),)]


def test_cycles_come_together_and_then_one_by_one() -> None:
    paths = ((0, 2), (0, 3), (1, 2), (1, 3))
    known: set[int] = set()
    order = []
    for found in in_turn(pairing(CYCLE, (*paths, (5, 6))), known):
        order.append(found)
        known.update(end for path in found for end in (path[0], path[-1]))
    assert order == [paths, *((path,) for path in paths), ((5, 6),), ((5, 6),)]
