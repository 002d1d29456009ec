"""The optimum of programs of several variables: against brute force, by its evidence, and known values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.adjacency import POLYTOPES
from prover.program.answer import Privacy
from prover.program.decision.blocks import RunStep
from prover.program.decision.boundedness import decide
from prover.program.model import Program, variables
from prover.program.optimum.budget import Budget
from prover.program.optimum.by_functions import measure
from prover.program.optimum.witness import Witness
from prover.program.privacy import privacy
from prover.program.scope import has_two_rates
from prover.zoo import (
    NAMES,
    build,
    k_min_max,
    levels,
    m_range,
    nested_thresholds,
    num_range,
    streams,
    two_range,
)
from tests.profiles import thinned
from tests.program.several_examples import brute_force, price, random_program

F = Fraction


def answered(program: Program, adjacency: str = "all-differ") -> Privacy:
    """The answer; its certificate verifies and says the same."""
    answer = privacy(program, adjacency, budget=Budget(values=300))
    certificate = answer.certificate
    assert certificate is not None
    line = check(certificate.data)
    if answer.private is False:
        assert line.startswith(f"not-private adjacency={adjacency}")
    elif answer.epsilon is not None:
        assert line.startswith(f"epsilon adjacency={adjacency}")
        assert f"value={answer.epsilon}" in line
    return answer


@pytest.mark.parametrize("k", [2, 3, 4, 5, 8, 20])
def test_least_and_largest_of_k(k: int) -> None:
    assert answered(k_min_max(k)).epsilon == F(1, 2) + F(1 + k // 2, 2 * k)


@pytest.mark.parametrize("m", [1, 2, 3, 5, 10])
def test_m_ranges(m: int) -> None:
    assert answered(m_range(m)).epsilon == 1


def test_many_ranges_in_turn_are_one_loop() -> None:
    """The run takes all tests of the loop in two turns, not each by itself."""
    witness = answered(m_range(20)).witness
    assert witness is not None
    assert witness.length < 200


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_thresholds_that_are_drawn_first(count: int) -> None:
    assert [answered(levels(count)).epsilon, answered(streams(count)).epsilon] == [1, 1]


def test_ranges_and_nested_thresholds() -> None:
    assert answered(num_range()).epsilon == F(5, 4)
    assert answered(num_range("insample")).private is False
    assert answered(two_range()).epsilon == 2
    assert answered(two_range("kept")).reason == "leaking pair"
    assert [answered(nested_thresholds(n)).epsilon for n in (1, 2, 3, 5)] == [F(1, 2), 1, 1, 1]


@pytest.mark.parametrize("adjacency", ["all-differ", "one-differ"])
def test_known_orders_tell_guards_apart_whatever_the_verdict(adjacency: str) -> None:
    """The least and the largest value are never the wrong way round, also where the last step is repeated."""
    model = k_min_max(2)
    last = model.states["q3"]
    cases = tuple(replace(case, target="q3") for case in last.transitions)
    endless = replace(model, states={**model.states, "q3": replace(last, transitions=cases)})
    answer = privacy(endless, adjacency)
    assert answer.conditions.determinism
    assert answer.private is (adjacency != "all-differ")


@pytest.mark.family
@pytest.mark.thorough
@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_random_programs_against_brute_force(adjacency: str) -> None:
    seen: Counter[str] = Counter()
    for seed in thinned(range(60)):
        program = random_program(Random(seed))
        answer = answered(program, adjacency)
        if answer.private:
            assert answer.upper is not None, seed
            assert brute_force(program, adjacency, 4) <= float(answer.upper) + 1e-6, seed
            if answer.witness is not None and answer.witness.steps:
                taken = [s for part, n in _parts(answer.witness) for _ in range(min(n, 3)) for s in part]
                cost = price([step.edge for step in taken], [step.delta for step in taken])
                assert cost <= float(answer.upper) + 1e-6, seed
        seen[str(answer.private)] += 1
    assert seen["True"] > 3
    if adjacency == "all-differ":
        assert seen["False"] > 1


def _parts(witness: Witness) -> Iterator[tuple[list[RunStep], int]]:
    steps = iter(witness.steps)
    for length, count in witness.turns:
        yield [next(steps) for _ in range(length)], count


ONE_VARIABLE = [
    name
    for name in NAMES
    if isinstance(model := build(name), Program) and len(variables(model)) == 1 and name != "random-program"
    if not has_two_rates(model)
]


@pytest.mark.parametrize("adjacency", POLYTOPES)
@pytest.mark.parametrize("name", thinned(ONE_VARIABLE))
def test_programs_of_one_variable_have_the_same_optimum(name: str, adjacency: str) -> None:
    program = build(name)
    assert isinstance(program, Program)
    known = privacy(program, adjacency)
    found = decide(program)
    if adjacency == "all-differ":
        assert found.bounded is known.private
    if known.private:
        cost = measure(found.graph, adjacency, Budget(), bounded=found.bounded)
        assert (cost.lower, cost.upper) == (known.runs.lower, known.runs.upper)
