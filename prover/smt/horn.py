"""Privacy of a whole program as Horn clauses (all-differ, one variable): satisfiable means private.

One Boolean per state and fact. ``lo1.3`` says that some run to state 3 may force the shift of the stored
value to be ≥ 1, ``lo0.3`` ≥ 0, ``hi0.3`` ≤ 0 and ``hi1.3`` ≤ −1; ``assigns.2`` and ``tests.2`` say that
component 2 has an edge on a cycle that assigns, respectively one with a guard. Clauses with a positive
literal make facts and hand them on; the others exclude contradictions. So there is a least model, the
table of facts, and the clauses are unsatisfiable exactly if the program is not private
(docs/theory_programs.md, Theorem F). The clauses are in encodings/privacy-horn.smt2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from prover.smt.propositional import Answer, ask
from prover.smt.template import render


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


def horn_script(edges: Iterable[Edge], component: Mapping[str, int], status: str | None = None) -> str:
    """The clauses of a program as SMT-LIB 2 text, with the answer if it is known.

    ``component`` numbers the states that count, without final ones, in the order in which the variables are
    numbered; edges from other states are left out. An edge between states of equal number is on a cycle.
    """
    index = {state: k for k, state in enumerate(component)}
    rows = [
        {
            "number": edge.number,
            "source": index[edge.source],
            "target": index.get(edge.target),
            "component": component[edge.source],
            "inside": component.get(edge.target) == component[edge.source],
            "input": edge.input,
            "assigns": edge.assigns,
            "relation": edge.relation,
            "output": edge.output,
        }
        for edge in edges
        if edge.source in index
    ]
    return render(
        "privacy-horn",
        states=[ascii(state) for state in component],
        components=sorted(set(component.values())),
        edges=rows,
        status=status,
    )


def horn_answer(edges: Iterable[Edge], component: Mapping[str, int]) -> Answer:
    """What Z3 says about the clauses; the core of an unsatisfiable answer explains it."""
    return ask(horn_script(edges, component))
