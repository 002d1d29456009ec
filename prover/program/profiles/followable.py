"""Programs whose runs are followed on lists of inputs: what each state does with a sample, found once for all
lists.

Reference: docs/theory_profiles.md, *All events of one pair*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from prover.errors import NotSupported, quoted
from prover.program.edge import Edge, Test
from prover.program.model import Program, out_edges, reachable, variables
from prover.program.profiles.scope import demand_moderate
from prover.program.scope import demand_clear_order, has_own_sensitivities

MOST_CELLS = 1_000
"""Answers of all tests of a state."""

SamplePiece = tuple[Edge | None, tuple[Test, ...]]
"""What a sample passes, and the transition that a run takes then; None where no guard holds."""


@dataclass(frozen=True, slots=True)
class Followable:
    """A program with noise of ``at_epsilon``, and for each reachable state what its sample may pass."""

    program: Program
    at_epsilon: Fraction
    cells: Mapping[str, Sequence[SamplePiece]]


def followable(program: Program, at_epsilon: Fraction) -> Followable:
    """The program with what its states do.

    Raises NotSupported where two guards of a state may hold, or a number is output; where noise is very large
    or small; and where several variables have no clear order, or states have sensitivities of their own.
    """
    demand_moderate(program, at_epsilon)
    if len(variables(program)) > 1:
        demand_clear_order(program)
        if has_own_sensitivities(program):
            raise NotSupported(
                "bounds for one pair of inputs are for the same sensitivity of all states, if there are "
                "several variables",
                code="several-sensitivities",
            )
    cells = {state: cells_of(program, state) for state in sorted(reachable(program))}
    return Followable(program, at_epsilon, cells)


def cells_of(program: Program, state: str) -> list[SamplePiece]:
    """The transitions of a state, and what a sample passes where no guard holds.

    Raises NotSupported where two guards may hold, or a number is output.
    """
    leaving, why = out_edges(program)[state], None
    written = [{name: relation for relation, name in edge.written} for edge in leaving]
    names = sorted({name for own in written for name in own})
    if any(edge.discloses or edge.gaps for edge in leaving):
        why = "outputs a number, and what it reveals depends on the number"
    sides = []
    for name in names:
        used = {own[name] for own in written if name in own}
        pairs = (("<", ">="), ("<=", ">"))
        sides.append(next((pair for pair in pairs if used.issubset(pair)), ("<", "=", ">")))
    cells: list[SamplePiece] = [(edge, edge.written) for edge in leaving]
    if prod(map(len, sides)) > MOST_CELLS:
        why = f"has tests with more than {MOST_CELLS:,} answers"
    for cell in product(*sides) if why is None else ():
        tests = dict(zip(names, cell, strict=True))
        holding = sum(all(set(tests[v]) <= set(own[v]) for v in own) for own in written)
        if holding > 1:
            why = "has guards that do not exclude each other"
        if holding == 0:
            cells.append((None, tuple((relation, name) for name, relation in tests.items())))
    if why is not None:
        raise NotSupported(
            f"state {quoted(state)} {why}; this question is not answered for it", code="no-pair"
        )
    return cells
