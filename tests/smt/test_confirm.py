"""Second opinions: right answers are confirmed, wrong ones are faults."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prover.errors import Fault
from prover.smt.confirm import LONGEST, solved
from prover.smt.solver import SAT, UNKNOWN, UNSAT, SolverResult, solve
from tests.smt.second_opinion import SUBSTITUTION, confirm, other_solvers
from tests.waiting import GUARD

SOLVABLE = """(set-logic QF_LRA)
(declare-const x Real)
(declare-const free Real)
(declare-const b Bool)
(assert (! (and b (< x (/ 1.0 3.0)) (> (* 3.0 x) (/ (- 1.0) 7.0))) :named |x is small|))
(check-sat)
"""
CONTRADICTION = """(set-option :produce-unsat-cores true)
(set-logic QF_LRA)
(declare-const x Real)
(assert (! (< x (/ 1.0 3.0)) :named |below|))
(assert (! (> x (/ 1.0 3.0)) :named |above|))
(check-sat)
"""
QUANTIFIED = "(set-logic LRA)\n(assert (forall ((x Real)) (exists ((y Real)) (> y x))))\n(check-sat)\n"
IRRATIONAL = "(set-logic QF_NRA)\n(declare-const x Real)\n(assert (= (* x x) 2.0))\n(check-sat)\n"
SQUARE = "(set-logic QF_NRA)\n(declare-const x Real)\n(assert (= (* x x) (/ 4.0 9.0)))\n(check-sat)\n"

needs_another = pytest.mark.skipif(
    not other_solvers(), reason="no solver besides Z3 is installed that pysmt knows (cvc5, say)"
)


def test_a_model_is_put_into_the_formula() -> None:
    found = solve(SOLVABLE)
    assert found.status == SAT
    assert confirm(SOLVABLE, found).by == SUBSTITUTION
    assert confirm(SOLVABLE, SolverResult(SAT, {"x": Fraction(0), "b": True})).confirmed


@pytest.mark.parametrize(
    "model",
    [
        {},
        {"b": True, "x": Fraction(1, 3)},
        {"b": True, "x": Fraction(-1, 21)},
        {"b": False, "x": Fraction(0)},
        {"b": True, "x": Fraction(1, 3) + Fraction(1, 10**30)},
    ],
)
def test_a_wrong_model_is_a_fault(model: dict[str, Fraction | bool]) -> None:
    with pytest.raises(Fault, match="does not satisfy its formula") as caught:
        confirm(SOLVABLE, SolverResult(SAT, model))
    assert SOLVABLE in str(caught.value)


def test_a_wrong_model_is_a_fault_where_answers_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    model: dict[str, Fraction | bool] = {"b": True, "x": Fraction(1, 3)}
    monkeypatch.setattr("prover.smt.confirm.solve", lambda *_: SolverResult(SAT, model))
    with pytest.raises(Fault, match="does not satisfy its formula"):
        solved(SOLVABLE)
    assert solved(SOLVABLE + ";" * LONGEST).model == model  # too long to be looked at


def test_products_are_worked_out() -> None:
    found = solve(SQUARE)
    assert abs(Fraction(found.model["x"])) == Fraction(2, 3)
    assert confirm(SQUARE, found).by == SUBSTITUTION


def test_chains_of_inequalities_are_read() -> None:
    chain = "(set-logic QF_LRA)\n(declare-const x Real)\n(assert (<= 0.0 x (/ 1.0 2.0) 1.0))\n(check-sat)\n"
    assert confirm(chain, solve(chain)).confirmed
    assert confirm(chain, SolverResult(SAT, {"x": Fraction(1, 2)})).confirmed
    for outside in (Fraction(-1), Fraction(3, 4)):
        with pytest.raises(Fault):
            confirm(chain, SolverResult(SAT, {"x": outside}))


@needs_another
def test_unsat_is_asked_of_another_solver() -> None:
    found = solve(CONTRADICTION)
    assert set(found.core) == {"below", "above"}
    confirmation = confirm(CONTRADICTION, found, timeout=GUARD)
    assert confirmation.confirmed
    assert confirmation.by in other_solvers()


@needs_another
def test_a_wrong_unsat_is_a_fault() -> None:
    with pytest.raises(Fault, match="finds a model") as caught:
        confirm(SOLVABLE, SolverResult(UNSAT))
    assert SOLVABLE in str(caught.value)


def test_unsat_stays_unconfirmed_without_another_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.smt.second_opinion.PREFERRED", ())
    confirmation = confirm(CONTRADICTION, solve(CONTRADICTION))
    assert not confirmation.confirmed
    assert confirmation.reason == "no second solver is installed that pysmt knows"


@pytest.mark.parametrize("error", [OSError, ImportError, AttributeError])
def test_a_broken_solver_confirms_nothing(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error("libyices.so.2.6: cannot open shared object file")

    monkeypatch.setattr("pysmt.factory.Factory.all_solvers", broken)
    assert other_solvers() == ()
    assert not confirm(CONTRADICTION, solve(CONTRADICTION)).confirmed
    assert confirm(SOLVABLE, solve(SOLVABLE)).confirmed


def test_what_cannot_be_confirmed_is_said() -> None:
    assert "quantifiers" in confirm(QUANTIFIED, solve(QUANTIFIED)).reason
    found = solve(IRRATIONAL)
    assert found.algebraic == ("x",)
    assert "algebraic" in confirm(IRRATIONAL, found).reason
    assert "does not know" in confirm(SOLVABLE, SolverResult(UNKNOWN)).reason


def test_nothing_is_left_behind_in_pysmt() -> None:
    import pysmt.environment

    before = len(pysmt.environment.get_env().formula_manager.get_all_symbols())
    confirm(SOLVABLE, solve(SOLVABLE))
    assert len(pysmt.environment.get_env().formula_manager.get_all_symbols()) == before
