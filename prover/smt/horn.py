"""Privacy of a whole program as Horn clauses (all-differ, one variable): satisfiable means private.

One Boolean per state and fact. ``lo1.3`` says that some run to state 3 may force the shift of the stored
value to be ≥ 1, ``lo0.3`` ≥ 0, ``hi0.3`` ≤ 0 and ``hi1.3`` ≤ −1; ``assigns.2`` and ``tests.2`` say that
component 2 has an edge on a cycle that assigns, respectively one with a guard. Clauses with a positive
literal make facts and hand them on; the others exclude contradictions. So there is a least model, the
table of facts, and the clauses are unsatisfiable exactly if the program is not private
(docs/theory_programs.md, Theorem F).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from prover.smt.propositional import Answer, ask, formula

LOWER = {"lo1": 1, "lo0": 0}
UPPER = {"hi0": 0, "hi1": -1}
"""The bounds that facts put on the shift of the stored value."""


class Edge(Protocol):
    """What the clauses need to know of a transition."""

    @property
    def number(self) -> int: ...
    @property
    def source(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def input(self) -> bool: ...
    @property
    def assigns(self) -> bool: ...
    @property
    def relation(self) -> str: ...
    @property
    def output(self) -> str: ...


def horn_script(edges: Iterable[Edge], component: Mapping[str, int]) -> str:
    """The clauses of a program as SMT-LIB 2 text.

    ``component`` numbers the states that count, without final ones, in the order in which the variables are
    numbered; edges from other states are left out. An edge between states of equal number is on a cycle.
    """
    index = {state: k for k, state in enumerate(component)}
    variables = [f"{fact}.{k}" for k in index.values() for fact in (*LOWER, *UPPER)]
    variables += [f"{word}.{k}" for k in sorted(set(component.values())) for word in ("assigns", "tests")]
    assertions = {
        f"component {k} may not both assign and test": f"(not (and assigns.{k} tests.{k}))"
        for k in sorted(set(component.values()))
    }
    for edge in edges:
        if edge.source in index:
            inside = component.get(edge.target) == component[edge.source]
            clauses = {
                **(_cycle_clauses(edge, component[edge.source]) if inside else {}),
                **_fact_clauses(edge, inside, index[edge.source], index.get(edge.target)),
            }
            assertions |= {f"edge {edge.number} {what}": clause for what, clause in clauses.items()}
    comments = ["sat: the program is private (all-differ); unsat: it is not. State numbers:"]
    comments += [f"  {k} = {state!a}" for state, k in index.items()]
    return formula(comments, variables, assertions)


def horn_answer(edges: Iterable[Edge], component: Mapping[str, int]) -> Answer:
    """What Z3 says about the clauses; the core of an unsatisfiable answer explains it."""
    return ask(horn_script(edges, component))


def _cycle_clauses(edge: Edge, component: int) -> dict[str, str]:
    clauses = {}
    if edge.assigns:
        clauses["assigns on a cycle"] = f"assigns.{component}"
    if edge.relation:
        clauses["tests on a cycle"] = f"tests.{component}"
    if edge.input and edge.output in ("insample", "insampleprime"):
        clauses["discloses its input on a cycle"] = "false"
    return clauses


def _fact_clauses(edge: Edge, inside: bool, source: int, target: int | None) -> dict[str, str]:
    """What the edge demands of the shift of the stored value, and what it makes of older demands."""
    same, opposite = (LOWER, UPPER) if edge.relation == "<" else (UPPER, LOWER)
    added = []
    if edge.relation:
        added = [fact for fact, shift in same.items() if (inside if shift else edge.output == "insample")]
    clauses = {
        f"adds {fact} against {other}": f"(not {other}.{source})"
        for fact in added
        for other, shift in opposite.items()
        if (same[fact] > shift if same is LOWER else same[fact] < shift)
    }
    if target is None:
        return clauses
    handed = [*LOWER, *UPPER]
    if edge.assigns:
        handed = {"": [], "<": [*UPPER], ">=": [*LOWER]}[edge.relation]
        if edge.output == "insample":
            clauses |= {f"starts {fact}": f"{fact}.{target}" for fact in ("lo0", "hi0")}
    clauses |= {f"adds {fact}": f"{fact}.{target}" for fact in added if fact in handed}
    clauses |= {f"hands on {fact}": f"(=> {fact}.{source} {fact}.{target})" for fact in handed}
    return clauses
