"""All formulas in tests/golden/: solvers say about them what the files say, in the text as it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from prover.smt.solver import SAT, UNSAT, solve
from prover.smt.template import names
from tests.smt.cvc5_reader import cvc5_status, is_read, needs_cvc5
from tests.smt.round_trip import is_kept
from tests.smt.second_opinion import confirm, other_solvers

FOLDER = Path(__file__).resolve().parents[1] / "golden"
FILES = sorted(path.stem for path in FOLDER.glob("*.smt2"))
LINEAR = ("QF_UF", "QF_LRA")
"""The logics that every solver decides."""
SECONDS = 20


def golden(name: str) -> tuple[str, str, str]:
    """A formula, its logic, and the answer to it."""
    text = (FOLDER / f"{name}.smt2").read_text(encoding="ascii")
    (logic,) = re.findall(r"^\(set-logic (\w+)\)$", text, re.MULTILINE)
    (status,) = re.findall(r"^\(set-info :status (sat|unsat)\)$", text, re.MULTILINE)
    return text, logic, status


def test_every_problem_has_files_for_both_answers() -> None:
    assert {name.rpartition("-")[0] for name in FILES} == set(names())
    assert {f"{problem}-{k}" for problem in names() for k in (1, 2)} <= set(FILES)


def test_both_answers_occur() -> None:
    assert {golden(name)[2] for name in FILES} == {SAT, UNSAT}


@pytest.mark.family
@pytest.mark.parametrize("name", FILES)
def test_z3_says_so_and_is_confirmed(name: str) -> None:
    text, logic, status = golden(name)
    found = solve(text, SECONDS)
    assert found.status == status
    confirmation = confirm(text, found, SECONDS)
    if logic in LINEAR:
        assert confirmation.confirmed is (status == SAT or bool(other_solvers()))
    if logic == "LRA":
        assert confirmation.reason == "the formula has quantifiers"


@needs_cvc5
@pytest.mark.parametrize("name", FILES)
def test_cvc5_reads_the_text_as_it_is(name: str) -> None:
    text, logic, status = golden(name)
    assert is_read(text)
    if logic in LINEAR:  # the others would take it too long
        assert cvc5_status(text) == status


@pytest.mark.family
@pytest.mark.parametrize("name", FILES)
def test_pysmt_keeps_it(name: str) -> None:
    assert is_kept(golden(name)[0])
