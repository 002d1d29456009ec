"""Which programs have profile tables."""

from __future__ import annotations

from collections.abc import Sequence

from prover.errors import NotSupported, quoted
from prover.program.edge import Edge
from prover.program.model import Program, out_edges, reachable, variables
from prover.program.noise import INFINITE, Gaussian
from prover.program.scope import SeveralVariables


def demand_tables(program: Program) -> None:
    """Raises NotSupported where the steps of a program are none that profile tables know.

    They know one variable, noise of one rate or on one side, and states that either have one transition
    without a guard or compare with < and >= (on a grid also <= and >), without storing or releasing what is
    compared.
    """
    names = variables(program)
    if len(names) > 1:
        raise SeveralVariables(names, "bounds on delta are")
    leaving = out_edges(program)
    for state in sorted(reachable(program)):
        why = _obstacle(leaving[state])
        if why is not None:
            raise NotSupported(f"state {quoted(state)} {why}", code="no-profile-table")


def has_tables(program: Program) -> bool:
    """Whether the steps of a program are some that profile tables know."""
    try:
        demand_tables(program)
    except NotSupported:
        return False
    return True


def _obstacle(leaving: Sequence[Edge]) -> str | None:
    """Why a state is none that tables know."""
    first = leaving[0]
    if not isinstance(first.noise, Gaussian) and first.left != first.right and INFINITE not in first.noise:
        return "has noise with two different finite rates; bounds on delta are for one rate"
    if any(edge.gaps for edge in leaving):
        return "outputs a gap; bounds on delta are for letters and samples"
    if len(leaving) == 1 and not first.guard:
        return None
    if len({edge.relation for edge in leaving}) < len(leaving) or not all(edge.guard for edge in leaving):
        return "has guards that do not exclude each other; bounds on delta are for < and >="
    if any(edge.relation == "=" for edge in leaving):
        return "has a test =; bounds on delta are for <, <=, > and >="
    if {edge.written[0][0] for edge in leaving} in ({"<", ">"}, {"<=", ">="}):
        return "has guards of which none or both hold at a tie; bounds on delta are for < and >=, or <= and >"
    if any(edge.assigns or edge.pinned for edge in leaving):
        return (
            "stores or outputs a sample that it also compares; bounds on delta are for programs that do one "
            "of the two"
        )
    return None
