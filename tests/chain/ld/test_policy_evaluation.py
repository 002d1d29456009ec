"""The distances that couplings lead to, against elimination in fractions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpz

from prover.chain.ld import policy_evaluation
from prover.chain.ld.policy_evaluation import evaluate_policy
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling
from prover.chain.model import LabelledMarkovChain, Pair
from prover.exact import fmpq
from prover.exact.refinement import TooLong
from tests.chain.problems import flint, fraction, whole
from tests.oracle_linear import solve_linear
from tests.outside_examples import THREE_RUNGS

F = Fraction


def in_stages(random: Random, sizes: list[int]) -> dict[Pair, Coupling]:
    """Couplings of rings of pairs, each of which leads to pairs of earlier rings, too."""
    couplings: dict[Pair, Coupling] = {}
    before: list[Pair] = []
    for size in sizes:
        ring = [(2 * len(before) + k, 2 * len(before) + size + k) for k in range(size)]
        for k, pair in enumerate(ring):
            arcs = {ring[(k + 1) % size], *random.sample(before, min(2, len(before)))}
            shares = [random.randint(1, 9) for _ in range(len(arcs) + 1)]
            weights = {arc: F(share, sum(shares)) for arc, share in zip(sorted(arcs), shares, strict=False)}
            behind = F(shares[-1], sum(shares))
            couplings[pair] = Coupling({arc: flint(w) for arc, w in weights.items()}, flint(behind))
        before += ring
    return couplings


def by_elimination(couplings: dict[Pair, Coupling]) -> dict[Pair, Fraction]:
    none = flint(F(0))
    rows = [[F(p == q) - fraction(c.weights.get(q, none)) for q in couplings] for p, c in couplings.items()]
    right = [fraction(c.behind) for c in couplings.values()]
    return dict(zip(couplings, solve_linear(rows, right), strict=True))


def halved(couplings: dict[Pair, Coupling]) -> dict[Pair, Coupling]:
    """The same with half of what stays behind, so that distances are not all 1."""
    return {pair: Coupling(c.weights, c.behind / 2) for pair, c in couplings.items()}


@pytest.mark.parametrize("short", [0, 64, 10**6])
@pytest.mark.parametrize("sizes", [[1, 1, 1, 1], [3, 1, 4, 1], [14, 1, 15, 2, 1], [1, 20, 1, 1]])
def test_rings_that_lead_to_rings(sizes: list[int], short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_evaluation, "_SHORT", short)
    monkeypatch.setattr(fmpq, "_SHORT", short)
    couplings = halved(in_stages(Random(sum(sizes)), sizes))
    problem = whole(LabelledMarkovChain.of(THREE_RUNGS), F(8, 5))
    values, largest = evaluate_policy(problem, couplings)
    wanted = by_elimination(couplings)
    assert values == DistanceValues.of({pair: flint(value) for pair, value in wanted.items()})
    assert largest == max(sizes)


@pytest.mark.parametrize("short", [0, 10**6])
def test_the_limit_is_on_numbers_in_lowest_terms(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fmpq, "_SHORT", short)
    couplings = halved(in_stages(Random(7), [14, 1, 1]))
    problem = whole(LabelledMarkovChain.of(THREE_RUNGS), F(8, 5))
    values, _ = evaluate_policy(problem, couplings)
    most = max(values.value(pair).denominator.bit_length() for pair in couplings)
    assert evaluate_policy(problem, couplings, max_bits=most)[0] == values
    with pytest.raises(TooLong):
        evaluate_policy(problem, couplings, max_bits=most - 1)


def test_a_table_of_ratios_is_over_the_least_denominator() -> None:
    ratios = {(0, 1): (fmpz(6), fmpz(24)), (1, 0): (fmpz(3), fmpz(18)), (0, 2): (fmpz(0), fmpz(5))}
    wanted = {(0, 1): fmpz(3), (1, 0): fmpz(2), (0, 2): fmpz(0)}
    assert DistanceValues.of_ratios(ratios) == DistanceValues(fmpz(12), wanted)
