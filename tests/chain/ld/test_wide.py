"""Parts of many sources and sinks: bases kept from table to table, and proposals that are confirmed."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq

from prover.chain.ld import potentials
from prover.chain.ld.float_table import FloatTable, Shipped, amounts_of
from prover.chain.ld.potentials import exact_basis
from prover.chain.ld.problem import Problem, explore
from prover.chain.ld.transport import Part, Path, coupling_of_amounts, path_cost
from prover.zoo import random_chain

ALPHA = Fraction(6, 5)


def wide_problem(states: int, seed: int) -> Problem:
    """All pairs of equal label of a chain whose states have half of all states as successors."""
    chain = random_chain(states=states, degree=states // 2, labels=1, seed=seed)
    return explore(chain, ALPHA, [(0, 1)])


def fill(table: FloatTable, random: Random, near: float) -> None:
    """Distances at random; where they are small, detours pay."""
    for pair in table.problem.parts:
        old = table.rows.get(pair[0], {}).get(pair[1])
        table.set(pair, random.random() if old is None else min(1.0, max(0.0, old + near * random.random())))
    table.find_detours()


def cost(table: FloatTable, part: Part, shipped: Shipped) -> float:
    saved = (amount * (1.0 - path_cost(path, table.distance, table.alpha)) for path, amount in shipped)
    return sum(amounts_of(part)[0]) - sum(saved)


@pytest.mark.parametrize("seed", range(2))
def test_a_kept_basis_is_as_good_as_a_new_one(seed: int) -> None:
    problem, random = wide_problem(24, seed), Random(seed)
    table = FloatTable(problem)
    parts = [part for split in problem.parts.values() for part in split][::40]
    kept = 0
    for near in (1.0, 1e-6, 1e-2, 0.0, 0.3):
        fill(table, random, near)
        assert table.detours
        fresh = FloatTable(problem)
        for pair in problem.parts:
            fresh.set(pair, table.distance(*pair))
        fresh.find_detours()
        for part in parts:
            before = table._kept.get(part)
            _, shipped = table.best(part, amounts_of(part))
            kept += before is not None and table._kept[part] is before
            _, again = fresh.best(part, amounts_of(part))
            assert cost(table, part, shipped) == pytest.approx(cost(fresh, part, again), abs=1e-9)
    assert kept > len(parts)


@pytest.mark.parametrize("seed", range(4))
def test_a_confirmed_proposal_is_optimal(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem, random = wide_problem(16, seed), Random(seed)
    part = max((part for split in problem.parts.values() for part in split), key=lambda p: len(p.sources))
    # Few values, so that there are many ties; among them 0 and 1.
    values = {pair: fmpq(random.choice([0, 0, 1, 2, 3, 5, 7]), 7) for pair in problem.parts}
    paths: list[Path] = [(i, j) for i in part.sources for j in part.sinks]
    direct = set(paths)
    paths += [(i, k, j) for i, j in direct for k in range(3) if k not in (i, j)]

    def spent(columns: int) -> fmpq:
        monkeypatch.setattr(potentials, "_WIDE", columns)
        _, amounts = exact_basis(part, paths, lambda i, j: 7 * values[i, j], problem.alpha, fmpq(7))
        coupling = coupling_of_amounts(part, amounts, problem.alpha)
        return coupling.behind + sum((w * values[arc] for arc, w in coupling.weights.items()), start=fmpq(0))

    assert spent(1) == spent(10**9)


def test_a_proposal_that_is_not_optimal_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    # A saving of 1e-12 more is nothing to floating point.
    part = Part((0,), (fmpq(1),), (1, 2), (fmpq(1), fmpq(1)))
    values = {(0, 1): fmpq(1, 2), (0, 2): fmpq(1, 2) - fmpq(1, 10**13)}
    monkeypatch.setattr(potentials, "_WIDE", 1)
    _, amounts = exact_basis(part, [(0, 1), (0, 2)], lambda i, j: values[i, j], fmpq(1), fmpq(1))
    assert dict(amounts) == {(0, 2): 1}
