"""How long single steps of the engines take. `make bench` measures; other runs only see that they work."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from flint import fmpq
from pytest_benchmark.fixture import BenchmarkFixture

from prover.certificate.check import check
from prover.chain.distance import distances
from prover.chain.ld.policy_evaluation import evaluate_policy
from prover.chain.ld.policy_iteration import Draft, draft, feasible_bases
from prover.chain.ld.problem import Problem, explore
from prover.chain.ld.skew_bisimulation import removal_rounds
from prover.chain.ld.transport import Coupling, Couplings, optimal_basis
from prover.exact.field import FLOATS
from prover.program.optimum.pareto import dominates, maximal
from prover.program.optimum.transfer import Values
from prover.program.privacy import privacy
from prover.zoo import random_chain, random_program

ALPHA = Fraction(6, 5)


@pytest.fixture(scope="module")
def problem() -> Problem:
    """All pairs of a random chain of 40 states."""
    chain = random_chain(40)
    return explore(chain, ALPHA, [(s, t) for s in range(40) for t in range(40)])


@pytest.fixture(scope="module")
def sketch(problem: Problem) -> Draft:
    return draft(problem)


def test_one_lifting_in_floating_point(benchmark: BenchmarkFixture, problem: Problem, sketch: Draft) -> None:
    part = max(
        (part for parts in problem.parts.values() for part in parts),
        key=lambda p: len(p.sources) * len(p.sinks),
    )
    supplies, capacities = (
        [float(Fraction(int(b.p), int(b.q))) for b in part.supplies],
        [1.0] * len(part.sinks),
    )
    columns = [
        ((i, j), 1.0 - sketch.guide.values.get((i, j), 0.0), 1.2)
        for i in part.sources
        for j in part.sinks
        if i != j
    ]
    basis, amounts = benchmark(optimal_basis, part, supplies, capacities, columns, FLOATS)
    assert amounts
    assert basis.paths


def test_one_exact_lifting(benchmark: BenchmarkFixture, problem: Problem, sketch: Draft) -> None:
    bases = feasible_bases(sketch)
    pair = max(bases, key=lambda p: sum(len(basis.paths) for basis in bases[p]))
    found = benchmark(lambda: Couplings(problem.alpha).of(problem.parts[pair], bases[pair]))
    assert isinstance(found, Coupling)


def test_one_exact_evaluation_of_a_policy(
    benchmark: BenchmarkFixture, problem: Problem, sketch: Draft
) -> None:
    couplings = {
        pair: coupling
        for pair, basis in feasible_bases(sketch).items()
        if (coupling := Couplings(problem.alpha).of(problem.parts[pair], basis)) is not None
    }
    values, _ = benchmark(evaluate_policy, problem, couplings)
    assert all(0 <= number <= values.denominator for number in values.numerators.values())


def test_the_kernel(benchmark: BenchmarkFixture, problem: Problem) -> None:
    kernel = benchmark(removal_rounds, problem.parts, fmpq(6, 5))
    assert len(kernel.ranks) + len(kernel.related) == len(problem.parts)


def test_one_front_step(benchmark: BenchmarkFixture) -> None:
    draw = Random(1)
    values: list[Values] = [
        (draw.randrange(10**6), draw.randrange(10**6), draw.randrange(10**6)) for _ in range(5000)
    ]
    kept = benchmark(maximal, values)
    assert 0 < len(kept) < 5000
    assert all(any(dominates(other, value) for other in kept) for value in values[:50])


def test_the_check_of_a_certificate_of_a_chain(benchmark: BenchmarkFixture) -> None:
    data = distances(random_chain(20), ALPHA).certificate.data
    assert benchmark(check, data).startswith("ld ")


def test_the_check_of_a_certificate_of_a_program(benchmark: BenchmarkFixture) -> None:
    certificate = privacy(random_program(70)).certificate
    assert certificate is not None
    assert benchmark(check, certificate.data).startswith("epsilon ")
