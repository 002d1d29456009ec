"""Privacy by asking Z3: whether a program is private, and what its runs lose (docs/formulas.md).

The formula privacy-horn decides whether the loss is bounded. The formula opt-cost compares the loss of one
run with a number; the loss is a multiple of a unit, so halving an interval of multiples ends with it. All
possible runs up to a length, the paths of the order graph, are asked about, each first whether it loses more
than those before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from prover.errors import Fault
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.model import Edge
from prover.program.optimum.cost import Cost
from prover.program.optimum.transfer import Scale, prime_units, scale_of
from prover.program.optimum.witness import NO_RUN, RunPart, Witness, finite_witness
from prover.program.order_graph import FINAL, Arrow, OrderGraph
from prover.program.shifts import is_one_sided, largest_rate
from prover.program.smt.formulas import run_formula
from prover.program.smt.horn import horn_answer
from prover.progress import Progress, silent
from prover.smt.confirm import solved
from prover.smt.solver import SAT, UNKNOWN, SolverResult

AUTO, SMT = "auto", "smt"
ENGINES = (AUTO, SMT)
"""How privacy is decided: by facts and tables, or by asking Z3."""

LONGEST = 6
"""How many steps a run has at most that Z3 is asked about, if nothing else is said."""
MOST_RUNS = 5_000
"""How many runs Z3 is asked about at most."""


@dataclass(frozen=True, slots=True)
class CostliestRun:
    """The run that loses most of those asked about, with its loss and the differences that Z3 has found.

    The run is empty where none loses anything. ``questions`` says how often Z3 was asked.
    """

    loss: Fraction
    run: tuple[Edge, ...]
    differences: tuple[int, ...]
    questions: int


def confirm_verdict(graph: OrderGraph, private: bool) -> None:
    """Raises Fault if Z3 does not agree whether a program is private (all-differ). Raises BeyondLimit."""
    answer = horn_answer(graph)
    if answer.satisfiable is not private:
        raise Fault(
            f"the facts say that the program is {'' if private else 'not '}private, and Z3 says the "
            f"contrary, because of {', '.join(answer.core) or 'a table without contradictions'}"
        )


def costliest_run(
    graph: OrderGraph, adjacency: str, longest: int = LONGEST, progress: Progress = silent
) -> CostliestRun:
    """The largest loss of the possible runs of at most ``longest`` steps, or of the first MOST_RUNS."""
    if adjacency == Adjacency.MONOTONIC:
        both = [costliest_run(graph, one_way, longest, progress) for one_way in ONE_WAY]
        questions = sum(found.questions for found in both)
        return replace(max(both, key=lambda found: found.loss), questions=questions)
    scale = scale_of([arrow.edge for leaving in graph.arrows for arrow in leaving], adjacency)
    best = CostliestRun(Fraction(0), (), (), 0)
    for k, run in enumerate(islice(maximal_runs(graph, longest), MOST_RUNS)):
        progress("asking Z3 about runs", k, None)
        best = _improved(best, run, adjacency, scale)
    return best


def maximal_runs(graph: OrderGraph, longest: int) -> Iterator[tuple[Edge, ...]]:
    """The possible runs of ``longest`` steps and the shorter ones that cannot go on; others begin like these.

    What a run loses, the runs that it begins lose at least.
    """
    waiting: list[tuple[Arrow, ...]] = [()]
    while waiting:
        run = waiting.pop()
        node = run[-1].target if run else 0
        leaving = () if node == FINAL or len(run) == longest else graph.arrows[node]
        if leaving:
            waiting += [(*run, arrow) for arrow in reversed(leaving)]
        else:
            yield tuple(arrow.edge for arrow in run)


def with_costliest(cost: Cost, found: CostliestRun) -> Cost:
    """The bounds of a finite cost with what Z3 has found as the lower one.

    Raises Fault where the run does not lose what Z3 says, or more than the upper bound.
    """
    witness = _witness(found, cost.adjacency)
    if witness.loss != found.loss or (cost.upper is not None and cost.upper < found.loss):
        raise Fault(
            f"Z3 says that the run {[edge.number for edge in found.run]} with the differences "
            f"{list(found.differences)} loses {found.loss}, its shifts cost {witness.loss}, and no run loses "
            f"more than {cost.upper}"
        )
    return replace(cost, lower=found.loss, witness=witness)


def _witness(found: CostliestRun, adjacency: str) -> Witness:
    """The run that Z3 has found, with optimal shifts and dual variables."""
    if not found.run:
        return NO_RUN
    scale = scale_of(found.run, adjacency)
    parts = [RunPart(((edge, delta),)) for edge, delta in zip(found.run, found.differences, strict=True)]
    return finite_witness(parts, scale)


def _improved(best: CostliestRun, run: tuple[Edge, ...], adjacency: str, scale: Scale) -> CostliestRun:
    """The better one of what is known and the run."""
    unit = Fraction(1, scale.denominator)
    known, questions = best.loss, best.questions + 1
    answer = _model(run, known + unit, adjacency)
    if answer is None:
        return replace(best, questions=questions)
    known += unit
    # If it is finite, at most 2·rate is lost a step, since |Δ − γ| ≤ 2, and rate' in addition.
    units = sum(2 * scale.units(largest_rate(edge)) + prime_units(edge, scale) for edge in run)
    above = units * unit + unit
    if any(map(is_one_sided, run)) and _model(run, above, adjacency) is not None:
        return replace(best, questions=questions + 1)  # it vanishes, and is no lower bound of a finite loss
    while above - known > unit:
        middle = known + unit * ((above - known) / unit // 2)
        questions += 1
        better = _model(run, middle, adjacency)
        if better is None:
            above = middle
        else:
            known, answer = middle, better
    return CostliestRun(known, run, _differences(run, answer), questions)


def _model(run: tuple[Edge, ...], theta: Fraction, adjacency: str) -> SolverResult | None:
    """Z3's model if the run can lose so much, else None."""
    answer = solved(run_formula(run, theta, adjacency))
    if answer.status == UNKNOWN:
        raise Fault(f"Z3 gives up on what a run loses: {answer.reason}")
    return answer if answer.status == SAT else None


def _differences(run: tuple[Edge, ...], answer: SolverResult) -> tuple[int, ...]:
    model = answer.model
    return tuple(
        int(model.get(f"up.{i}") is True) - int(model.get(f"down.{i}") is True) for i in range(len(run))
    )
