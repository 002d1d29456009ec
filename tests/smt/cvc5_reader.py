"""What cvc5 says about a formula, from its text as it is."""

from __future__ import annotations

import importlib.util

import pytest

needs_cvc5 = pytest.mark.skipif(
    importlib.util.find_spec("cvc5") is None, reason="cvc5 is not installed (pip install privacy-prover[smt])"
)


def cvc5_status(script: str, seconds: int = 20) -> str:
    """The answer to the check-sat of a script: sat, unsat or unknown."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * seconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "formula.smt2")
    symbols = parser.getSymbolManager()
    answers = []
    while not (command := parser.nextCommand()).isNull():
        printed = str(command.invoke(solver, symbols)).strip()
        if printed:
            answers.append(printed)
    (answer,) = answers
    return answer
