"""Formulas of propositional logic: what Z3 answers, in the order of the text.

The same text that Z3 reads can be read by people and by other solvers. Every assertion has a name, so that an
unsatisfiable core is an explanation in words.
"""

from __future__ import annotations

from dataclasses import dataclass

from prover.errors import Fault
from prover.smt.confirm import solved
from prover.smt.solver import UNKNOWN, UNSAT


@dataclass(frozen=True, slots=True)
class PropositionalAnswer:
    """What a solver says: a satisfying assignment, or names of assertions that contradict each other.

    ``true`` are the variables that are true in the assignment, and ``core`` the names, in the order of the
    text; the core need not be the smallest.
    """

    satisfiable: bool
    true: tuple[str, ...] = ()
    core: tuple[str, ...] = ()


def ask(script: str) -> PropositionalAnswer:
    """What Z3 says about a script with one declaration, or the end of one named assertion, a line."""
    found = solved(script)
    if found.status == UNKNOWN:
        raise Fault(f"Z3 gives up on a propositional formula: {found.reason}")
    if found.status == UNSAT:
        named = [line.split("|")[1] for line in script.splitlines() if line.startswith("(assert ")]
        return PropositionalAnswer(False, core=tuple(name for name in named if name in set(found.core)))
    declared = [line.split()[1] for line in script.splitlines() if line.startswith("(declare-const ")]
    return PropositionalAnswer(True, true=tuple(name for name in declared if found.model.get(name) is True))
