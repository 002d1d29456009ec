"""Exact distances of all pairs of a process, by strategy improvement.

For a choice of one option a pair the distances are those of a chain, and its engine finds them. Where another
option is strictly larger for these it is taken instead, until there is none. At α = 1 mass takes one arc only
on the way: else the iteration may go round for ever. Floating point improves first, and finds a good choice;
exact arithmetic goes on from there, and decides.
Reference: docs/theory_interactive.md, *Strategy improvement*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from flint import fmpq

from prover.chain.ld.float_policy import float_liftings
from prover.chain.ld.optimality import Judge
from prover.chain.ld.options.problem import Choice, InteractiveProblem, Option
from prover.chain.ld.policy_iteration import draft, solve_exactly
from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Basis, Coupling, Couplings
from prover.chain.model import Pair
from prover.errors import Fault
from prover.progress import Progress, silent

_LARGER = 1e-9  # in floating point an option must be larger by this much to be taken


@dataclass(frozen=True, slots=True)
class Moved:
    """What one option makes of the table at a pair: the best coupling, as bases of the parts, and its cost,
    times the table's denominator. Where it costs less than the value of the pair it need not be the best.
    """

    bases: tuple[Basis, ...]
    coupling: Coupling
    cost: fmpq


@dataclass(frozen=True, slots=True)
class Improved:
    """The distances, with what every option makes of them at every pair, and what it took: how many exact
    ``strategies`` were looked at, rounds of exact policy iteration, the largest system.
    """

    problem: InteractiveProblem
    table: DistanceValues
    moved: Mapping[Pair, Mapping[Option, Moved]]
    effort: Mapping[str, int]


def improve(
    problem: InteractiveProblem,
    choice: Choice,
    progress: Progress = silent,
    *,
    max_bits: int | None = None,
) -> Improved:
    """The distances of all pairs of the problem, from any choice on.

    Raises TooLong if a number would have more than ``max_bits`` bits.
    """
    sketch = draft(problem_of(problem, choice), progress)
    strategies = rounds = largest = 0
    while True:
        solution = solve_exactly(sketch, progress, max_bits=max_bits)
        strategies += 1
        rounds += solution.effort.exact_rounds
        largest = max(largest, solution.effort.largest_component)
        progress("strategies", strategies, None)
        moved = _moved(problem, choice, solution.table)
        better = dict(_better(solution.table, moved))
        if not better:
            effort = {
                "pairs": len(problem.options),
                "strategies": strategies,
                "exact rounds": rounds,
                "largest component": largest,
            }
            return Improved(problem, solution.table, moved, effort)
        choice = {**choice, **better}
        sketch = draft(problem_of(problem, choice), progress)


def problem_of(problem: InteractiveProblem, choice: Choice) -> Problem:
    """The problem of one choice; at α = 1 mass takes one arc only."""
    under = problem.under(choice)
    return replace(under, outside=False, complete=(), direct=True) if problem.alpha == 1 else under


def first_choice(problem: InteractiveProblem) -> Choice:
    """The first option of every pair."""
    return {pair: next(iter(options)) for pair, options in problem.options.items()}


def guided_choice(problem: InteractiveProblem, progress: Progress = silent) -> Choice:
    """A choice that nothing improves as far as floating point can see."""
    choice = first_choice(problem)
    seen: set[tuple[Option, ...]] = set()
    while True:
        sketch = draft(problem_of(problem, choice), progress)
        values = dict.fromkeys(sketch.kernel.related, 0.0) | dict(sketch.guide.values)
        seen.add(tuple(choice.values()))
        found = float_liftings(sketch.problem, values, problem.liftings())
        gains: dict[Pair, tuple[float, Option]] = {}
        for (pair, option), (cost, _) in found.items():
            if cost > max(values[pair] + _LARGER, gains.get(pair, (0.0, option))[0]):
                gains[pair] = cost, option
        choice = {**choice, **{pair: option for pair, (_, option) in gains.items()}}
        if tuple(choice.values()) in seen:  # nothing switched, or rounding errors lead in a circle
            return choice


def _moved(
    problem: InteractiveProblem, choice: Choice, table: DistanceValues
) -> dict[Pair, dict[Option, Moved]]:
    """What every option makes of a table at every pair."""
    under = problem_of(problem, choice)
    judge, known = Judge.of(under, table), Couplings(problem.alpha)
    values = {pair: float(table.value(pair)) for pair in problem.options}
    found: dict[Pair, dict[Option, Moved]] = {pair: {} for pair in problem.options}
    for (pair, option), (_, bases) in float_liftings(under, values, problem.liftings()).items():
        parts = problem.options[pair][option]
        coupling = known.of(parts, bases)
        if coupling is None or judge.table.cost(coupling) >= table.numerators[pair]:
            bases = judge.improve(parts, bases)
            coupling = known.of(parts, bases)
        if coupling is None:
            raise Fault(f"the coupling of pair {pair} is infeasible")
        found[pair][option] = Moved(bases, coupling, table.cost(coupling))
    return found


def _better(
    table: DistanceValues, moved: Mapping[Pair, Mapping[Option, Moved]]
) -> Iterator[tuple[Pair, Option]]:
    """The options that are strictly larger than what was chosen, the largest of each pair."""
    for pair, options in moved.items():
        largest = max(found.cost for found in options.values())
        if largest > table.numerators[pair]:
            yield pair, next(option for option, found in options.items() if found.cost == largest)
