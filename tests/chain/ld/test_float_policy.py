"""Pairs that are settled in the order of what their couplings may use."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import prover
from prover.chain.ld import float_policy
from prover.chain.ld.float_policy import policy_values
from prover.chain.ld.float_table import FloatTable
from prover.chain.ld.problem import explore
from prover.chain.model import LabelledMarkovChain
from prover.zoo import dining_cryptographers, herman_ring, random_chain


@pytest.mark.parametrize(
    "chain",
    [
        dining_cryptographers(3),  # no cycles
        random_chain(states=16, labels=2, seed=3),  # one large component
        herman_ring(3, "1/3"),
    ],
)
def test_the_order_changes_no_bound(chain: LabelledMarkovChain, monkeypatch: pytest.MonkeyPatch) -> None:
    together = prover.distances(chain, "6/5", bounds="upper")
    monkeypatch.setattr(float_policy, "_MANY_PAIRS", 0)
    ordered = prover.distances(chain, "6/5", bounds="upper")
    assert prover.verify(ordered.certificate)
    assert ordered.effort["rounds"] <= together.effort["rounds"]
    for pair, bound in ordered.upper.items():
        assert abs(bound - together.upper[pair]) < Fraction(1, 10**9)


def test_without_cycles_one_round_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = dining_cryptographers(4)
    assert prover.distance(chain, alpha="6/5", bounds="upper").effort["rounds"] > 4
    monkeypatch.setattr(float_policy, "_MANY_PAIRS", 0)
    assert prover.distance(chain, alpha="6/5", bounds="upper").effort["rounds"] == 1


@pytest.mark.parametrize(("drift", "rounds"), [("0", 4), ("1/100", 7)])
def test_rings_take_few_rounds_without_their_symmetries(drift: str, rounds: int) -> None:
    found = prover.distances(herman_ring(5, drift=drift), "6/5")  # too few pairs to look for symmetries
    assert (found.effort["rounds"], found.effort["exact rounds"]) == (rounds, 1)


@pytest.mark.parametrize("weight", [0.5, 0.999999, 1.5])
def test_values_of_large_policies_solve_their_system(weight: float) -> None:
    # A ring: an unknown is a weight times the mean of the next three. Weights above 1 lead nowhere.
    size = 3_000
    rows, columns = 3 * list(range(size)), [(k + step) % size for step in (1, 2, 3) for k in range(size)]
    found = policy_values(rows, columns, [weight / 3] * (3 * size), np.full(size, 0.25))
    assert np.allclose(found, 0.25 / (1 - weight), rtol=1e-9)


def test_a_table_does_not_look_through_all_states_for_each_of_them() -> None:
    looked = []

    class States(tuple[int, ...]):
        __slots__ = ()

        def __hash__(self) -> int:
            looked.append(len(self))
            return super().__hash__()

    chain = dining_cryptographers(4)
    problem = explore(chain, Fraction(6, 5), [(chain.index("start(0)"), chain.index("start(1)"))])
    counted = {states: States(states) for states in problem.members}
    shared = replace(problem, members=tuple(counted[states] for states in problem.members))
    FloatTable(shared)
    assert sum(looked) < 10 * len(chain)
