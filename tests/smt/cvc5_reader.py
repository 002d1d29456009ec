"""What cvc5 says about a formula, from its text as it is."""

from __future__ import annotations

import importlib.util

import pytest

needs_cvc5 = pytest.mark.skipif(
    importlib.util.find_spec("cvc5") is None, reason="cvc5 is not installed (pip install privacy-prover[smt])"
)


def cvc5_status(script: str, seconds: int = 20) -> str:
    """The answer to the check-sat of a script: sat, unsat or unknown."""
    (answer,) = _printed(script, seconds, answers=True)
    return answer


def is_read(script: str) -> bool:
    """Whether cvc5 reads a script, as far as it is not a question, and has nothing to say against it."""
    return not _printed(script, 20, answers=False)


def _printed(script: str, seconds: int, *, answers: bool) -> list[str]:
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(1000 * seconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "formula.smt2")
    symbols = parser.getSymbolManager()
    printed = []
    while not (command := parser.nextCommand()).isNull():
        if answers or command.getCommandName() != "check-sat":
            printed.append(str(command.invoke(solver, symbols)).strip())
    return [line for line in printed if line]
