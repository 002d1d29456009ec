"""Second opinions on what a solver says about a formula without quantifiers.

*sat*: the model is put into the formula and everything is worked out with exact rationals, by pysmt. *unsat*:
another solver is asked, through pysmt, where one is installed. Both read the same text as the first solver.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.errors import Fault, abbreviated
from prover.smt.solver import SAT, UNKNOWN, SolverResult, solve

SUBSTITUTION = "substitution"

LONGEST = 100_000
"""How many characters a formula has at most whose models are put into it while an answer is looked for."""

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

    Constants that the model leaves out may have any value; 0 and false are tried. ``timeout``, in seconds, is
    for the other solver. Raises Fault if the answer is wrong; the message has the script.
    """
    if result.status == UNKNOWN:
        return Confirmation(False, reason="the solver does not know either")
    if result.algebraic:
        return Confirmation(False, reason="the model has algebraic numbers that are not rational")
    with _parsed(script) as (formula, environment):
        if not environment.qfo.is_qf(formula):
            return Confirmation(False, reason="the formula has quantifiers")
        if result.status == SAT:
            return _by_substitution(script, formula, environment, result.model)
        return _by_another_solver(script, formula, environment, timeout)


def solved(script: str, timeout: float | None = None) -> SolverResult:
    """What ``solve`` says about a script; if that has LONGEST characters at most, its model is put into it.

    Raises Fault if the model does not satisfy the formula.
    """
    found = solve(script, timeout)
    if found.status == SAT and len(script) <= LONGEST:
        confirm(script, found)
    return found


def other_solvers() -> tuple[str, ...]:
    """The solvers besides Z3 that are installed, in the order in which they are asked."""
    with _environment() as environment:
        return _installed(environment)


def _installed(environment: Any) -> tuple[str, ...]:
    """The names of PREFERRED that pysmt finds; none where it cannot load a solver that is half installed."""
    try:
        found = environment.factory.all_solvers()
    except (AttributeError, ImportError, NameError, OSError):
        return ()
    return tuple(name for name in PREFERRED if name in found)


@contextmanager
def _environment() -> Iterator[Any]:
    """An environment of pysmt of its own: nothing is shared, nothing is left behind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that are half installed
        from pysmt.environment import Environment

        yield Environment()


def read(script: str, environment: Any) -> Any:
    """The conjunction of a script's assertions, as a formula of an environment of pysmt.

    pysmt's own reader does not know chains of inequalities, such as (<= 0.0 x 1.0).
    """
    from pysmt.smtlib.parser import SmtLibParser

    reader = SmtLibParser(environment)
    conjunction = environment.formula_manager.And

    def chained(compare: Callable[[Any, Any], Any]) -> Any:
        return lambda *terms: conjunction([compare(low, high) for low, high in pairwise(terms)])

    for symbol, compare in {"<": reader.LT, "<=": reader.LE, ">": reader.GT, ">=": reader.GE}.items():
        reader.interpreted[symbol] = reader._operator_adapter(chained(compare))
    return reader.get_script(io.StringIO(script)).get_last_formula()


@contextmanager
def _parsed(script: str) -> Iterator[tuple[Any, Any]]:
    """The formula of a script, and the environment that it belongs to."""
    with _environment() as environment:
        yield read(script, environment), environment


def _by_substitution(
    script: str, formula: Any, environment: Any, model: Mapping[str, Fraction | bool]
) -> Confirmation:
    manager = environment.formula_manager
    values = {}
    for symbol in formula.get_free_variables():
        if symbol.symbol_type().is_bool_type():
            values[symbol] = manager.Bool(bool(model.get(symbol.symbol_name(), False)))
        else:
            given = Fraction(model.get(symbol.symbol_name(), 0))
            values[symbol] = manager.Real((given.numerator, given.denominator))
    left = environment.simplifier.simplify(environment.substituter.substitute(formula, values))
    if not left.is_true():
        raise Fault(
            f"a model does not satisfy its formula, of which {abbreviated(str(left))} is left; the model is "
            f"{_written(model)} and the formula\n{script}"
        )
    return Confirmation(True, SUBSTITUTION)


def _by_another_solver(script: str, formula: Any, environment: Any, timeout: float | None) -> Confirmation:
    from pysmt.exceptions import PysmtException

    name = next(iter(_installed(environment)), None)
    if name is None:
        return Confirmation(False, reason="no second solver is installed that pysmt knows")
    options = {"tlimit-per": str(max(1, int(timeout * 1000)))} if timeout and name == "cvc5" else {}
    try:
        with environment.factory.Solver(name=name, logic=_logic(script), solver_options=options) as solver:
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


def _written(model: Mapping[str, Fraction | bool]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sorted(model.items()))
