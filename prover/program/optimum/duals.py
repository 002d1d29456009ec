"""The optimal shifts of one run, and the multipliers which prove that no shifts cost less.

For a run with differences Δ of its inputs the least cost of shifts is the linear program

    min { Σ |Δ_i − γ_i|·weight_i : γ_a ≤ γ_b for every test, γ_i = 0 where insample is output },

where the weight of a step is its rate, to the left where γ_i < Δ_i and to the right where γ_i > Δ_i, or the
rate times the number of turns for a step of a cycle that is repeated and stores nothing: then shifts and
multipliers are the same in every turn. Weights may be infinite. The multiplier λ ≥ 0 of a test γ_a ≤ γ_b
carries λ from b to a, that of an equality may be negative; a step may take in or give out its weights at most
(docs/theory_programs.md and docs/theory_variables.md, *Multipliers*). The matrix is totally unimodular: with
integer weights multipliers are integers, and shifts are among those that count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prover.errors import Fault
from prover.program.model import Edge
from prover.program.optimum.flow_duals import by_flow
from prover.program.optimum.line_duals import along_the_run
from prover.program.optimum.transfer import SHIFTS
from prover.program.optimum.weighed import Weighed, constraints, stores_in_several


@dataclass(frozen=True, slots=True)
class RunOptimum:
    """Optimal shifts of the steps, a multiplier for every bound of every step, and the cost.

    Where steps are repeated a multiplier is the sum over all turns.
    """

    shifts: tuple[int, ...]
    multipliers: tuple[tuple[int, ...], ...]
    cost: int


def run_optimum(run: Sequence[Weighed], shifts: Sequence[int] = SHIFTS) -> RunOptimum | None:
    """The optimal shifts and multipliers of a run; None if no valid shifts have a finite cost.

    ``shifts`` are those that count, in increasing order: 0 and all differences are among them. With several
    variables they are −1, 0 and 1. Raises Fault where the multipliers do not prove what the shifts cost.
    """
    edges = [step.edge for step in run]
    found = by_flow(run) if stores_in_several(edges) else along_the_run(run, shifts)
    if found is None:
        return None
    chosen, multipliers = found
    costs = [step.cost(shift) for step, shift in zip(run, chosen, strict=True)]
    cost = sum(own for own in costs if own is not None)
    if None in costs or not _is_allowed(edges, chosen) or _proved(run, multipliers) != cost:
        raise Fault(f"the multipliers do not prove that the shifts of a run, which cost {cost}, are optimal")
    return RunOptimum(tuple(chosen), tuple(multipliers), cost)


def _is_allowed(edges: Sequence[Edge], shifts: Sequence[int]) -> bool:
    """Whether the tests of all steps allow their shifts."""
    return all(
        shifts[a] == shifts[b] if relation == "=" else shifts[a] <= shifts[b]
        for edge, own in zip(edges, constraints(edges), strict=True)
        for (a, b), (relation, _) in zip(own, edge.bounds, strict=True)
    )


def _proved(run: Sequence[Weighed], multipliers: Sequence[Sequence[int]]) -> int | None:
    """The cost that multipliers prove; None if they prove nothing."""
    edges = [step.edge for step in run]
    loads = [0] * len(run)
    for edge, own, taken in zip(edges, constraints(edges), multipliers, strict=True):
        for (a, b), (relation, _), multiplier in zip(own, edge.bounds, taken, strict=True):
            if multiplier < 0 and relation != "=":
                return None
            loads[a] += multiplier
            loads[b] -= multiplier
    total = 0
    for step, load in zip(run, loads, strict=True):
        if step.edge.pinned:
            total += step.cost(0) or 0
        elif (step.left is not None and load > step.left) or (step.right is not None and -load > step.right):
            return None
        else:
            total += load * step.delta
    return total
