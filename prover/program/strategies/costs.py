"""What the named strategies, and one strategy for all branches, cost for a whole program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.program.branches import Branch, TooManyBranches
from prover.program.conditions import require_plain
from prover.program.model import Program, variables
from prover.program.scope import demand_two_sides
from prover.program.strategies.possible import StoringCycle, possible_branches
from prover.program.strategies.segments import Vertex, segment_graph, segment_loss
from prover.program.strategies.sharing import SharedCost, shared_cost_of
from prover.program.strategies.strategy import NAMES, TooManyShifts, named_strategies, outlay
from prover.program.strategies.tightness import NumbersAreOutput, tight_strategies


@dataclass(frozen=True, slots=True)
class SegmentLoss:
    """A segment, what it loses by itself (None: without bound), and the strategies that prove exactly that.

    ``tight`` is None where that is not known, since the segment outputs a number.
    """

    segment: Branch
    loss: Fraction | None
    tight: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class StrategyCosts:
    """For each named strategy its cost for the costliest branch, None if infinite; and the shared cost.

    ``shared.separate`` is the optimum of the program, which no strategy undercuts. ``segments`` are those of
    all branches, each once. If no shifts suit some branch, ``contradiction`` is a way in its segment shift
    graph that shows it, unless a leaking or disclosing cycle is to blame; segments have the numbers they have
    in ``segments``. With several variables a step can be compared with two assignments, so that there are no
    segments: ``segments`` and ``contradiction`` are None.
    """

    costs: Mapping[str, Fraction | None]
    shared: SharedCost
    segments: tuple[SegmentLoss, ...] | None
    contradiction: tuple[Vertex, ...] | None


def strategy_costs(program: Program) -> StrategyCosts:
    """The costs of the named strategies (all-differ).

    Raises NotSupported, TooManyBranches, TooManyShifts and StoringCycle.
    """
    demand_two_sides(program)
    require_plain(program, "coupling strategies are")
    branches = possible_branches(program)
    costs: dict[str, Fraction | None] = dict.fromkeys(NAMES, Fraction(0))
    for branch in branches:
        found = {strategy.name: outlay(strategy).cost for strategy in named_strategies(branch)}
        for name, costliest in costs.items():
            cost = found.get(name)
            costs[name] = None if cost is None or costliest is None else max(cost, costliest)
    shared = shared_cost_of([program], branches)
    if len(variables(program)) > 1:
        return StrategyCosts(costs, shared, None, None)
    segments = segment_graph(branches).segments
    losses = tuple(SegmentLoss(segment, segment_loss(segment), _tight(segment)) for segment in segments)
    return StrategyCosts(costs, shared, losses, _contradiction(branches, segments))


def strategy_costs_within(program: Program) -> StrategyCosts | str:
    """The same, or in words why branches cannot be compared. Raises NotSupported."""
    try:
        return strategy_costs(program)
    except (TooManyBranches, TooManyShifts, StoringCycle) as error:
        return str(error)


def _tight(segment: Branch) -> tuple[str, ...] | None:
    try:
        return tight_strategies(segment)
    except NumbersAreOutput:
        return None


def _contradiction(branches: Sequence[Branch], segments: Sequence[Branch]) -> tuple[Vertex, ...] | None:
    """What the segment shift graph of some branch demands that is impossible."""
    number = {segment.steps: k for k, segment in enumerate(segments)}
    for branch in branches:
        graph = segment_graph([branch])
        way = None if branch.is_hopeless else graph.contradiction()
        if way is not None:
            return tuple(
                (kind, number[graph.segments[k].steps] if kind == "segment" else k) for kind, k in way
            )
    return None
