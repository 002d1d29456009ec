"""Formulas through pysmt: read, written, and read again."""

from __future__ import annotations

import io
from typing import Any

from prover.smt.confirm import environment, read


def is_kept(script: str) -> bool:
    """Whether pysmt reads the script, writes it, and reads and writes what it has written without a change.

    It writes the declarations and assertions anew: the declarations of constants that it keeps from a script
    lack their sort.
    """
    with environment() as pysmt:
        formula = read(script, pysmt)
        once = _written(formula)
        again = read(once, pysmt)
    return set(again.get_free_variables()) == set(formula.get_free_variables()) and _written(again) == once


def _written(formula: Any) -> str:
    from pysmt.smtlib.script import SmtLibCommand, SmtLibScript

    script = SmtLibScript()
    for symbol in sorted(formula.get_free_variables(), key=str):
        script.add("declare-fun", [symbol])
    script.add_command(SmtLibCommand("assert", [formula]))
    written = io.StringIO()
    script.serialize(written, daggify=False)
    return written.getvalue()
