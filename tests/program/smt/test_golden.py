"""The formulas about programs in tests/golden/ are what is rendered."""

from __future__ import annotations

import pytest

from prover.program.smt.formulas import PROBLEMS
from tests.program.golden import FOLDER, INSTANCES

NAMES = sorted(INSTANCES)


def golden(name: str) -> str:
    return (FOLDER / f"{name}.smt2").read_text(encoding="utf-8")


def test_every_problem_has_two_instances() -> None:
    assert sorted(f"{problem}-{k}" for problem in PROBLEMS for k in (1, 2)) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_what_is_rendered(name: str) -> None:
    assert INSTANCES[name].text() == golden(name), "see tests/program/golden.py"
