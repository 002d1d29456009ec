"""Formulas of propositional logic: written as SMT-LIB 2 text, answered by Z3.

The same text that Z3 reads can be read by people and by other solvers. Every assertion has a name, so that an
unsatisfiable core is an explanation in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prover.errors import Fault


@dataclass(frozen=True, slots=True)
class Answer:
    """What a solver says: a satisfying assignment, or names of assertions that contradict each other.

    ``true`` are the variables that are true in the assignment, and ``core`` the names, in the order of the
    text; the core need not be the smallest.
    """

    satisfiable: bool
    true: tuple[str, ...] = ()
    core: tuple[str, ...] = ()


def formula(comments: Iterable[str], variables: Iterable[str], assertions: Mapping[str, str]) -> str:
    """An SMT-LIB 2 script: a heading, Boolean variables, and assertions by name (without ``|`` or ``\\``)."""
    return "\n".join(
        [
            *(f"; {comment}" for comment in comments),
            "(set-option :produce-unsat-cores true)",
            "(set-logic QF_UF)",
            *(f"(declare-const {variable} Bool)" for variable in variables),
            *(f"(assert (! {clause} :named |{name}|))" for name, clause in assertions.items()),
            "(check-sat)",
            "",
        ]
    )


def ask(script: str) -> Answer:
    """What Z3 says about a script of ``formula``."""
    import z3

    solver = z3.Solver()
    solver.from_string(script)
    found = solver.check()
    if found == z3.sat:
        model = solver.model()
        declared = [line.split()[1] for line in script.splitlines() if line.startswith("(declare-const ")]
        true = {declaration.name() for declaration in model.decls() if z3.is_true(model[declaration])}
        return Answer(True, true=tuple(name for name in declared if name in true))
    if found == z3.unsat:
        core = {str(name).strip("|") for name in solver.unsat_core()}
        named = [line.split("|")[1] for line in script.splitlines() if line.startswith("(assert ")]
        return Answer(False, core=tuple(name for name in named if name in core))
    raise Fault(f"Z3 gives up on a propositional formula: {solver.reason_unknown()}")
