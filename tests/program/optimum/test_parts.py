"""Independent parts of the variables: the loss by parts is that of the whole, and they take little time."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from random import Random

import pytest

from prover.certificate.check import check
from prover.program.adjacency import ADJACENCIES, POLYTOPES
from prover.program.decision.boundedness import decide
from prover.program.model import Program
from prover.program.optimum.budget import Budget
from prover.program.optimum.by_functions import measure as by_functions
from prover.program.optimum.measure import measure
from prover.program.optimum.parts import independent as parts_of
from prover.program.optimum.parts import projections, sum_of_parts
from prover.program.privacy import privacy
from prover.zoo import k_min_max, m_range
from tests.profiles import thinned
from tests.program.several_examples import independent, random_tests, state

F = Fraction


def test_parts_are_the_variables_that_transitions_link() -> None:
    assert parts_of(k_min_max(3)) == (("max", "min"),)
    assert parts_of(m_range(2)) == (("l1", "u1"), ("l2", "u2"))
    assert parts_of(independent(3, F(1), F(1))) == (("x0",), ("x1",), ("x2",))


def test_a_projection_tests_its_part_only() -> None:
    program = m_range(2)
    for part in projections(program):
        assert {name for edge in part.program.edges for _, name in edge.guard} == set(part.names)
        assert [(e.source, e.target) for e in part.program.edges] == [
            (e.source, e.target) for e in program.edges
        ]


@pytest.mark.family
@pytest.mark.parametrize(("count", "adjacency"), thinned([*product([3, 6, 12], ADJACENCIES)], 3))
def test_many_independent_variables(count: int, adjacency: str) -> None:
    """One shift for both branches would lose 3/4 a variable; 12 have 4096 functions of 12 shifts."""
    answer = privacy(independent(count, F(1, 4), F(1, 2)), adjacency)
    each = {"all-differ": F(1, 2) * count, "one-differ": F(1, 4)}.get(adjacency, F(1, 4) * count)
    assert answer.epsilon == each
    assert answer.certificate is not None
    assert f"value={each} " in check(answer.certificate.data)
    assert "parts" in json.loads(answer.certificate.data)["evidence"]
    assert len(answer.certificate.data) < 1_500 * count**2


@pytest.mark.family
@pytest.mark.thorough
@pytest.mark.parametrize("adjacency", thinned(POLYTOPES, 3))
def test_parts_against_the_whole(adjacency: str) -> None:
    exact = 0
    for seed in thinned(range(150)):
        program = random_tests(Random(seed))
        if len(parts_of(program)) < 2:
            continue
        found = decide(program)
        summed = sum_of_parts(program, found.graph, adjacency, Budget())
        if summed is None:
            continue
        whole = by_functions(found.graph, adjacency, Budget(values=500), bounded=found.bounded)
        assert whole.upper is not None
        assert summed.upper is not None
        assert summed.lower is not None
        assert whole.lower is not None
        assert summed.lower <= whole.upper, seed
        assert whole.lower <= summed.upper, seed
        exact += summed.lower == summed.upper
    assert exact > 10


def either() -> Program:
    """Two thresholds, of which a run tests only one: no run loses what both parts can."""
    one = F(1)
    return Program(
        "q0",
        {
            "q0": state(((), ("x",), "o", "q1"), rate=one),
            "q1": state(((), ("y",), "o", "q2"), rate=one),
            "q2": state(((), (), "left", "q3"), ((), (), "right", "q4"), rate=one),
            "q3": state(((("<", "x"),), (), "low", "q3"), (((">=", "x"),), (), "high", "end"), rate=one),
            "q4": state(((("<", "y"),), (), "low", "q4"), (((">=", "y"),), (), "high", "end"), rate=one),
        },
    )


@pytest.mark.parametrize("adjacency", ADJACENCIES)
def test_a_sum_that_no_run_attains_is_an_interval_only(adjacency: str) -> None:
    program = either()
    if adjacency != "monotonic":
        found = decide(program)
        summed = sum_of_parts(program, found.graph, adjacency, Budget())
        assert summed is not None
        whole = measure(program, adjacency)
        assert summed.lower is not None
        assert summed.upper is not None
        assert whole.lower is not None
        assert summed.lower <= whole.lower
        assert whole.is_exact
        assert whole.lower <= summed.upper
        assert summed.is_exact is (adjacency == "one-differ")
    answer = privacy(program, adjacency)
    assert answer.epsilon is not None
    assert answer.certificate is not None
    assert f"value={answer.epsilon} " in check(answer.certificate.data)
