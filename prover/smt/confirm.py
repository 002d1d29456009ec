"""Second opinions on the models that a solver finds of formulas without quantifiers.

A model is put into the formula and everything is worked out with exact rationals, by pysmt, which reads the
same text as the solver. (Where there is no model, the tests ask another solver.)
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from itertools import pairwise
from typing import Any

from prover.errors import Fault, abbreviated
from prover.smt.solver import SAT, SolverResult, solve

LONGEST = 100_000
"""How many characters a formula has at most whose models are put into it while an answer is looked for."""


def solved(script: str, timeout: float | None = None) -> SolverResult:
    """What ``solve`` says about a script; if that has LONGEST characters at most, its model is put into it.

    Raises Fault if the model does not satisfy the formula.
    """
    found = solve(script, timeout)
    if found.status == SAT and not found.algebraic and len(script) <= LONGEST:
        with environment() as pysmt:
            formula = read(script, pysmt)
            if pysmt.qfo.is_qf(formula):
                put_in(script, formula, pysmt, found.model)
    return found


@contextmanager
def environment() -> Iterator[Any]:
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


def put_in(script: str, formula: Any, environment: Any, model: Mapping[str, Fraction | bool]) -> None:
    """Put a model into the formula of a script. Constants that it leaves out may have any value; 0 and false
    are tried. Raises Fault if the model does not satisfy the formula; the message has the script.
    """
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
        written = ", ".join(f"{name} = {value}" for name, value in sorted(model.items()))
        raise Fault(
            f"a model does not satisfy its formula, of which {abbreviated(str(left))} is left; the model is "
            f"{written} and the formula\n{script}"
        )
