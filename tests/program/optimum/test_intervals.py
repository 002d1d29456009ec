"""Intervals on the way to the optimum of programs of several variables, and coarse functions."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

from prover.certificate.check import check
from prover.formats.convert import write_json
from prover.program.adjacency import ADJACENCIES
from prover.program.answer import Privacy
from prover.program.model import Program
from prover.program.optimum.budget import Budget, Steps
from prover.program.optimum.functions import Function, dominates, respects, simplified
from prover.program.optimum.measure import measure
from prover.program.optimum.thinning import coarser, costliest, joined
from prover.program.optimum.transfer import SHIFTS
from prover.program.order_graph import Order
from prover.program.privacy import privacy
from prover.zoo import k_min_max
from tests.commands import prover
from tests.profiles import thinned
from tests.program.several_examples import linked, random_tests

F = Fraction

NAMES = ("a", "b", "c", "d", "e", "f")
A_TO_B: Order = frozenset({("a", "b")})


def random_function(random: Random, order: Order) -> Function:
    names = tuple(sorted(random.sample(NAMES, random.randint(0, 4))))
    vectors = [v for v in product(SHIFTS, repeat=len(names)) if respects(order, names, v)]
    chosen = random.sample(vectors, random.randint(1, len(vectors)))
    return simplified(names, {v: random.randint(0, 9) for v in chosen}, order)


@pytest.mark.parametrize("order", [frozenset(), A_TO_B])
def test_coarser_functions_dominate(order: Order) -> None:
    random, finite = Random(1), 0
    for _ in range(150):
        functions = [random_function(random, order) for _ in range(random.randint(1, 6))]
        most = random.randint(1, 3)
        fewer = coarser(functions, most, order)
        assert len(fewer) <= most
        for function in functions:
            assert any(dominates(other, function, order) for other in fewer)
        finite += all(other.points for other in fewer)
    assert finite > 20


def test_the_maximum_of_few_variables_is_the_least_that_dominates() -> None:
    first = Function(("a",), (((-1,), 2), ((0,), 1), ((1,), 0)))
    second = Function(("a",), (((-1,), 0), ((0,), 1), ((1,), 2)))
    assert joined([first, second], frozenset()) == Function(("a",), (((-1,), 2), ((0,), 1), ((1,), 2)))
    assert costliest([Function((), (((), 3),)), first, second], 2) == [Function((), (((), 3),)), first]


def intervals(program: Program, adjacency: str = "all-differ", values: int = 4096) -> list[Privacy]:
    """What is known on the way, the last answer included; each certificate says so, and verifies."""
    found: list[Privacy] = []
    found.append(privacy(program, adjacency, budget=Budget(values=values), on_better=found.append))
    for answer in found:
        certificate = answer.certificate
        if certificate is not None:
            line = check(certificate.data)
            if answer.runs.upper is not None:
                assert line.startswith(f"epsilon adjacency={adjacency}")
                assert f"upper={answer.upper}" in line or f"value={answer.upper}" in line
    return found


def test_an_interval_before_the_exact_loss() -> None:
    verdict, early, last = intervals(linked(5, F(1, 4), F(1, 2)))
    assert verdict.lower == 0
    assert verdict.upper is None
    assert last.epsilon == F(5, 2)
    assert early.lower is not None
    assert early.upper is not None
    assert 0 < early.lower <= F(5, 2) < early.upper < 10


def test_least_and_largest_of_k_first_roughly() -> None:
    _, early, last = intervals(k_min_max(20))
    assert early.lower == last.epsilon == F(1, 2) + F(11, 40)
    assert early.upper is not None
    assert F(1, 2) + F(11, 40) < early.upper <= 1


def test_a_small_budget_leaves_an_interval() -> None:
    last = intervals(linked(6, F(1, 4), F(1, 2)), values=8)[-1]
    assert last.private
    assert last.lower is not None
    assert last.upper is not None
    assert last.lower <= 3 < last.upper


@pytest.mark.family
@pytest.mark.thorough
@pytest.mark.parametrize("adjacency", thinned(ADJACENCIES))
def test_intervals_hold_the_optimum(adjacency: str) -> None:
    proper = 0
    for seed in thinned(range(40)):
        program = random_tests(Random(seed))
        exact = privacy(program, adjacency, budget=Budget(values=300)).runs
        for values in (1, 2):
            for answer in intervals(program, adjacency, values):
                runs = answer.runs
                if exact.bounded is False:
                    assert runs.upper is None, seed
                    continue
                assert (runs.lower or 0) <= (exact.lower or 0), seed
                assert runs.upper is None or exact.upper is None or exact.upper <= runs.upper, seed
                proper += None not in (runs.upper, exact.upper) and runs.lower != runs.upper
    assert proper > 2


@pytest.mark.parametrize("most", [0, 100, 1_000, 3_000, 10_000, 30_000])
def test_steps_that_are_over_leave_an_interval(most: int) -> None:
    steps = Steps(most)
    cost = measure(k_min_max(8), budget=Budget(steps=steps))
    exact = F(1, 2) + F(5, 16)
    assert cost.lower is not None
    assert cost.lower <= exact
    assert cost.upper is None or exact <= cost.upper
    assert steps.are_over == (cost.lower != cost.upper)


def test_the_command_leaves_an_interval_when_the_time_is_up(tmp_path: Path) -> None:
    file, proof = tmp_path / "program.json", tmp_path / "proof"
    file.write_text(write_json(k_min_max(80)), encoding="utf-8")
    run = prover("privacy", file, "--timeout", "1", "--json", "--certificate", proof)
    answer = json.loads(run.out)
    exact = F(1, 2) + F(41, 160)
    if run.status == 3:
        assert F(answer["lower"]) <= exact
        assert answer["upper"] == "inf" or exact <= F(answer["upper"])
    assert run.status == 3 or answer["epsilon"] == str(exact)
    if proof.exists():
        check(proof.read_bytes())
