"""Privacy of one looping branch as 2-SAT (all-differ, one variable): satisfiable means private.

A *looping branch*, or periodic program, is one way through a program with cycles on it. The insample of
step i has a shift γ_i in {−1, 0, 1}, encoded by two Booleans: ``a.i`` says γ_i ≥ 0, and ``b.i`` says γ_i
≥ 1. With at(i) the last step before i that assigns, a shift must satisfy its guard, be 0 where insample
is output, and leave a step on a cycle free to follow its inputs: a test < there needs γ_at(i) = 1, a test
>= needs γ_at(i) = −1. A satisfying assignment is a strategy of bounded cost; an unsatisfiable core names
the steps of a contradiction (docs/theory_programs.md, *One looping branch*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.errors import BadInput
from prover.smt.propositional import Answer, ask, formula


class NothingStored(BadInput):
    """A step of a looping branch tests the stored value before any step has assigned it."""

    def __init__(self, step: int) -> None:
        super().__init__(f"step {step} tests the stored value before it is assigned")


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


def branch_script(steps: Sequence[BranchStep]) -> str:
    """The clauses of a branch as SMT-LIB 2 text. Raises NothingStored."""
    assertions: dict[str, str] = {}
    at: int | None = None
    for i, step in enumerate(steps):
        clauses = [f"(=> b.{i} a.{i})"]
        if step.output == "insample":
            clauses.append(f"a.{i} (not b.{i})")
        if step.relation:
            if at is None:
                raise NothingStored(i)
            low, high = (i, at) if step.relation == "<" else (at, i)
            clauses.append(f"(=> a.{low} a.{high}) (=> b.{low} b.{high})")
            if step.cycle is not None:
                clauses.append(f"b.{at}" if step.relation == "<" else f"(not a.{at})")
        assertions[_name(i, step)] = f"(and {' '.join(clauses)})"
        if step.cycle is not None:
            if step.input and step.output in ("insample", "insampleprime"):
                assertions[f"step {i} discloses its input on a cycle"] = "false"
            if step.relation and any(other.assigns for other in steps if other.cycle == step.cycle):
                assertions[f"step {i} tests on a cycle that assigns"] = "false"
        if step.assigns:
            at = i
    variables = [f"{letter}.{i}" for i in range(len(steps)) for letter in "ab"]
    comments = [
        "sat: the looping branch is private (all-differ); unsat: it is not",
        "a.i: shift i is at least 0; b.i: shift i is at least 1",
    ]
    return formula(comments, variables, assertions)


def branch_answer(steps: Sequence[BranchStep]) -> Answer:
    """What Z3 says about the clauses of a branch. Raises NothingStored."""
    return ask(branch_script(steps))


def shifts(answer: Answer, count: int) -> tuple[int, ...]:
    """The shifts of the ``count`` steps of a branch in a satisfiable answer."""
    true = set(answer.true)
    return tuple((f"a.{i}" in true) + (f"b.{i}" in true) - 1 for i in range(count))


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
