"""Second opinions on what Z3 says: models are put into their formulas, other solvers look for missed ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from prover.errors import Fault
from prover.smt.confirm import environment, put_in, read
from prover.smt.solver import SAT, UNKNOWN, SolverResult

SUBSTITUTION = "substitution"

PREFERRED = ("cvc5", "msat", "yices", "cvc4")
"""The solvers that may confirm what Z3 says, as pysmt calls them; the first that is installed is asked."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Whether a solver's answer has been confirmed; ``by`` is "substitution" or the name of the other solver.

    Otherwise ``reason`` says why not.
    """

    confirmed: bool
    by: str | None = None
    reason: str = ""


def confirm(script: str, result: SolverResult, timeout: float | None = None) -> Confirmation:
    """A second opinion on the answer of ``solve`` to a script without quantifiers.

    ``timeout``, in seconds, is for the other solver. Raises Fault if the answer is wrong; the message has the
    script.
    """
    if result.status == UNKNOWN:
        return Confirmation(False, reason="the solver does not know either")
    if result.algebraic:
        return Confirmation(False, reason="the model has algebraic numbers that are not rational")
    with environment() as pysmt:
        formula = read(script, pysmt)
        if not pysmt.qfo.is_qf(formula):
            return Confirmation(False, reason="the formula has quantifiers")
        if result.status == SAT:
            put_in(script, formula, pysmt, result.model)
            return Confirmation(True, SUBSTITUTION)
        return _by_another_solver(script, formula, pysmt, timeout)


def other_solvers() -> tuple[str, ...]:
    """The solvers besides Z3 that are installed, in the order in which they are asked."""
    with environment() as pysmt:
        return _installed(pysmt)


def _installed(pysmt: Any) -> tuple[str, ...]:
    """The names of PREFERRED that pysmt finds; none where it cannot load a solver that is half installed."""
    try:
        found = pysmt.factory.all_solvers()
    except (AttributeError, ImportError, NameError, OSError):
        return ()
    return tuple(name for name in PREFERRED if name in found)


def _by_another_solver(script: str, formula: Any, pysmt: Any, timeout: float | None) -> Confirmation:
    from pysmt.exceptions import PysmtException

    name = next(iter(_installed(pysmt)), None)
    if name is None:
        return Confirmation(False, reason="no second solver is installed that pysmt knows")
    options = {"tlimit-per": str(max(1, int(timeout * 1000)))} if timeout and name == "cvc5" else {}
    try:
        with pysmt.factory.Solver(name=name, logic=_logic(script), solver_options=options) as solver:
            solver.add_assertion(formula)
            satisfiable = solver.solve()
    except PysmtException as error:
        return Confirmation(False, reason=f"{name} gives up: {type(error).__name__}")
    if satisfiable:
        raise Fault(
            f"a formula is said to be unsatisfiable, and {name} finds a model; the formula is\n{script}"
        )
    return Confirmation(True, name)


def _logic(script: str) -> str:
    line = next((line for line in script.splitlines() if line.startswith("(set-logic ")), "")
    logic = line.removeprefix("(set-logic ").rstrip(") ")
    return {"QF_UF": "QF_BOOL"}.get(logic, logic)
