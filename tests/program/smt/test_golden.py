"""The formulas about programs in tests/golden/ are what is rendered."""

from __future__ import annotations

import pytest

from prover.program.smt.formulas import ANY_VARIABLES, PROBLEMS
from tests.program.golden import FOLDER, INSTANCES

NAMES = sorted(INSTANCES)


def golden(name: str) -> str:
    return (FOLDER / f"{name}.smt2").read_text(encoding="utf-8")


def test_every_problem_has_two_instances_and_those_of_several_variables_five() -> None:
    """One of them has noise on one side, or none."""
    counts = {problem: 5 if problem in ANY_VARIABLES else 2 for problem in PROBLEMS}
    assert sorted(f"{problem}-{k + 1}" for problem, count in counts.items() for k in range(count)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_is_rendered(name: str) -> None:
    assert INSTANCES[name].text() == golden(name), "see tests/program/golden.py"
