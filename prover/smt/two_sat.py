"""Privacy of one looping branch as 2-SAT (all-differ, one variable): satisfiable means private.

A *looping branch*, or periodic program, is one way through a program with cycles on it. The insample of
step i has a shift γ_i in {−1, 0, 1}, encoded by two Booleans: ``a.i`` says γ_i ≥ 0, and ``b.i`` says γ_i
≥ 1. With at(i) the last step before i that assigns, a shift must satisfy its guard, be 0 where insample
is output, and leave a step on a cycle free to follow its inputs: a test < there needs γ_at(i) = 1, a test
>= needs γ_at(i) = −1. A satisfying assignment is a strategy of bounded cost; an unsatisfiable core names
the steps of a contradiction (docs/theory_programs.md, *One looping branch, and two errors in print*).
The clauses are in encodings/privacy-2sat.smt2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.errors import InvalidModel
from prover.smt.template import render


@dataclass(frozen=True, slots=True)
class BranchStep:
    """A transition of a looping branch: its guard (``""``, ``"<"``, ``">="``), what it does, and its cycle.

    ``cycle`` is a number that the steps of one cycle share, or None where the step is not on a cycle.
    """

    relation: str
    assigns: bool
    output: str
    input: bool
    cycle: int | None


def branch_script(steps: Sequence[BranchStep], status: str | None = None) -> str:
    """The clauses of a branch as SMT-LIB 2 text, with the answer if it is known. Raises InvalidModel."""
    assigning = {step.cycle for step in steps if step.assigns and step.cycle is not None}
    rows = []
    at: int | None = None
    for i, step in enumerate(steps):
        if step.relation and at is None:
            raise InvalidModel(
                f"step {i} tests the stored value before it is assigned", code="nothing-stored"
            )
        on_cycle = step.cycle is not None
        rows.append(
            {
                "relation": step.relation,
                "output": step.output,
                "cycle": step.cycle,
                "at": at,
                "name": _name(i, step),
                "discloses": on_cycle and step.input and step.output in ("insample", "insampleprime"),
                "leaks": bool(step.relation) and step.cycle in assigning,
            }
        )
        if step.assigns:
            at = i
    return render("privacy-2sat", steps=rows, status=status)


def _name(i: int, step: BranchStep) -> str:
    """A step in the words of a core."""
    parts = [f"step {i}"]
    if step.relation:
        parts.append(f"tests {step.relation}")
    if step.assigns:
        parts.append("assigns")
    if step.output == "insample":
        parts.append("outputs insample")
    if step.cycle is not None:
        parts.append(f"is on cycle {step.cycle}")
    return ", ".join(parts)
