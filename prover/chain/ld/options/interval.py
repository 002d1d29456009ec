"""Certified intervals for distances of processes: from one step, and around a choice of options.

Above every option has a coupling; below one option of each pair has potentials, as in a chain. Floating point
proposes both, exact arithmetic confirms every inequality.
Reference: docs/theory.md, *Certified intervals*; docs/theory_interactive.md, *From below*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flint import fmpq, fmpz

from prover.chain.ld.float_policy import clipped, float_liftings
from prover.chain.ld.interval import (
    ATTEMPTS,
    SLACK,
    WIDER,
    LowerTable,
    lower_table,
    mass_table,
    response,
    rounded_above,
)
from prover.chain.ld.options.problem import Choice, InteractiveProblem, Option
from prover.chain.ld.policy_iteration import draft
from prover.chain.ld.problem import Problem
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Coupling, gain, supply
from prover.chain.model import Pair
from prover.progress import Progress, silent

_CLIMBS = 8
"""Rounds in which a table is raised to what its couplings cost, before it is begun higher up."""


@dataclass(frozen=True, slots=True)
class OptionEnclosure:
    """Bounds of every pair of a problem.

    Above, ``couplings`` are those of every option of the pairs below 1. Below, a pair moves by its option of
    ``choice``.
    """

    problem: InteractiveProblem
    upper: DistanceValues
    couplings: Mapping[Pair, Mapping[Option, Coupling]]
    choice: Choice
    lower: LowerTable


def first_enclosure(problem: InteractiveProblem) -> OptionEnclosure:
    """What one step says by itself: nothing is moved from above, and labels gain mass from below.

    No row uses another one, so the problem may consist of any pairs.
    """
    still = {
        pair: {option: Coupling({}, supply(parts)) for option, parts in options.items()}
        for pair, options in problem.options.items()
    }
    costs = {pair: max(c.behind for c in couplings.values()) for pair, couplings in still.items()}
    upper = rounded_above(costs, problem.orders)
    kept = {pair: still[pair] for pair in still if upper.numerators[pair] < upper.denominator}
    choice = {
        pair: max(options, key=lambda option: gain(options[option]))
        for pair, options in problem.options.items()
    }
    return OptionEnclosure(problem, upper, kept, choice, mass_table(problem.under(choice)))


def enclose(problem: InteractiveProblem, choice: Choice, progress: Progress = silent) -> OptionEnclosure:
    """Bounds around the distances of a choice that no option improves as far as floating point can see.

    Below they are those of the choice; above no option costs more.
    """
    sketch = draft(problem.under(choice), progress)
    related = sketch.kernel.related
    values = dict.fromkeys(related, 0.0) | {p: clipped(v) for p, v in sketch.guide.values.items()}
    couplings: dict[Pair, dict[Option, Coupling]] = {pair: {} for pair in problem.options}
    for (pair, option), (_, bases) in float_liftings(sketch.problem, values, problem.liftings()).items():
        parts = problem.options[pair][option]
        found = sketch.couplings.of(parts, bases)
        couplings[pair][option] = Coupling({}, supply(parts)) if found is None else found
    for pair, coupling in related.items():
        couplings[pair][choice[pair]] = coupling
    upper = _upper_table(sketch.problem, choice, values, couplings)
    kept = {pair: own for pair, own in couplings.items() if upper.numerators[pair] < upper.denominator}
    return OptionEnclosure(problem, upper, kept, choice, lower_table(sketch, progress))


def _upper_table(
    problem: Problem,
    choice: Choice,
    values: Mapping[Pair, float],
    couplings: Mapping[Pair, Mapping[Option, Coupling]],
) -> DistanceValues:
    """A table that no coupling of a pair below 1 costs more than: near the values, if that is found."""
    chosen = {pair: own[choice[pair]] for pair, own in couplings.items() if values[pair] > 0}
    reach = dict(zip(chosen, response(problem, list(chosen), chosen, {}, values), strict=True))
    slack = SLACK
    for _ in range(ATTEMPTS):
        costs = {p: fmpq(*(v + slack * reach.get(p, 0.0)).as_integer_ratio()) for p, v in values.items()}
        table = rounded_above(costs, problem.orders)
        for _ in range(_CLIMBS):
            higher = {p: _raised(table, p, own.values()) for p, own in couplings.items()}
            if all(value == table.numerators[p] for p, value in higher.items()):
                return table
            table = DistanceValues(
                table.denominator, {arc: n for p, n in higher.items() for arc in problem.orders(p)}
            )
        slack *= WIDER
    return rounded_above(dict.fromkeys(values, fmpq(1)), problem.orders)


def _raised(table: DistanceValues, pair: Pair, couplings: Iterable[Coupling]) -> fmpz:
    """The numerator of a pair, raised to what the couplings cost, or to 1 where one costs more."""
    value = table.numerators[pair]
    for coupling in couplings:
        if value == table.denominator:
            break
        value = min(table.denominator, max(value, table.cost(coupling).ceil()))
    return value
