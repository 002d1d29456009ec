"""The formulas in tests/golden/: they are what is rendered, and solvers say about them what they should."""

from __future__ import annotations

import pytest

from prover.program.encoding import PROBLEMS
from prover.smt.confirm import confirm, other_solvers
from prover.smt.solver import SAT, solve
from tests.program.golden import FOLDER, INSTANCES
from tests.smt.cvc5_reader import cvc5_status, needs_cvc5
from tests.smt.round_trip import is_kept

NAMES = sorted(INSTANCES)


def golden(name: str) -> str:
    return (FOLDER / f"{name}.smt2").read_text(encoding="utf-8")


def test_every_problem_has_two_instances() -> None:
    assert sorted(f"{problem}-{k}" for problem in PROBLEMS for k in (1, 2)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_is_rendered(name: str) -> None:
    assert INSTANCES[name].text() == golden(name), "see tests/program/golden.py"


@pytest.mark.parametrize("name", NAMES)
def test_z3_says_what_it_should_and_is_confirmed(name: str) -> None:
    found = solve(golden(name))
    assert found.status == INSTANCES[name].status
    assert confirm(golden(name), found).confirmed is (found.status == SAT or bool(other_solvers()))


@needs_cvc5
@pytest.mark.parametrize("name", NAMES)
def test_cvc5_reads_the_text_as_it_is(name: str) -> None:
    assert cvc5_status(golden(name)) == INSTANCES[name].status


@pytest.mark.parametrize("name", NAMES)
def test_pysmt_keeps_it(name: str) -> None:
    assert is_kept(golden(name))
