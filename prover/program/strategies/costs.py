"""What the named strategies, and one strategy for all branches, cost for a whole program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from prover.program.branches import TooManyBranches, looping_branches
from prover.program.decision.facts import SeveralVariables
from prover.program.model import Program, variables
from prover.program.strategies.sharing import SharedCost, cost_of_branches
from prover.program.strategies.strategy import NAMES, named_strategies, outlay


@dataclass(frozen=True, slots=True)
class StrategyCosts:
    """For each named strategy its cost for the dearest branch, None if that is infinite; and the shared cost.

    ``shared.separate`` is the optimum of the program, which no strategy undercuts.
    """

    costs: Mapping[str, Fraction | None]
    shared: SharedCost


def strategy_costs(program: Program) -> StrategyCosts:
    """The costs of the named strategies (all-differ). Raises SeveralVariables and TooManyBranches."""
    if len(names := variables(program)) > 1:
        raise SeveralVariables(names)
    branches = looping_branches(program)
    costs: dict[str, Fraction | None] = dict.fromkeys(NAMES, Fraction(0))
    for branch in branches:
        found = {strategy.name: outlay(strategy).cost for strategy in named_strategies(branch)}
        for name, dearest in costs.items():
            cost = found.get(name)
            costs[name] = None if cost is None or dearest is None else max(cost, dearest)
    return StrategyCosts(costs, cost_of_branches(branches))


def strategy_costs_within(program: Program) -> StrategyCosts | None:
    """The same; None where there are too many branches. Raises SeveralVariables."""
    try:
        return strategy_costs(program)
    except TooManyBranches:
        return None
