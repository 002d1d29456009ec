"""The optimum of a program: the least ε-coefficient for which it is private, with a run that attains it.

A run with differences Δ of its inputs costs at least V, whatever shifts couple it with its neighbour, and
the optimum is the largest V of all runs and Δ (docs/theory_programs.md, *The optimum*, Theorem C). Two sides
prove it: a run with dual variables shows that the loss can be as large, and an inductive invariant (a closed
table) of what can still be lost that it cannot be larger.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from prover.errors import NotSupported, quoted
from prover.parallel import each
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.decision.boundedness import Boundedness, decide
from prover.program.decision.families import endless_family
from prover.program.graph import Components, components
from prover.program.model import Program, variables
from prover.program.optimum import by_functions
from prover.program.optimum.budget import Budget
from prover.program.optimum.cells import divide
from prover.program.optimum.cost import Cost, Invariant, better, either_way, infinite
from prover.program.optimum.parts import independent, sum_of_parts
from prover.program.optimum.refinement import CostEnclosure, StairTable, enclose
from prover.program.optimum.staircases import Staircases, StairCells
from prover.program.optimum.static_bounds import approximate, excess, relaxed
from prover.program.optimum.table_run import run_of
from prover.program.optimum.transfer import Scale, Values, scale_of
from prover.program.optimum.witness import finite_witness, growing
from prover.program.scope import has_own_sensitivities, has_two_rates
from prover.program.shifts import is_one_sided
from prover.progress import Progress, silent

OnBetter = Callable[[Cost], None]


def measure(
    program: Program,
    adjacency: str = Adjacency.ALL_DIFFER,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_better: OnBetter = lambda _: None,
    known: Boundedness | None = None,
    *,
    whole: bool = False,
) -> Cost:
    """The optimum of a program under an adjacency, exact or enclosed as closely as the budget allows.

    ``on_better`` is called with what is proved on the way; ``known`` is what ``decide`` says. With ``whole``
    variables are not divided into independent parts. Raises UnknownName and NotSupported.
    """
    measuring = _Measuring(program, known or decide(program), budget or Budget(), progress, whole)
    return measuring.under(adjacency, on_better)


@dataclass(frozen=True, slots=True)
class _Measuring:
    """A program that is measured, and what may be taken for it."""

    program: Program
    known: Boundedness
    budget: Budget
    progress: Progress
    whole: bool = False

    def under(self, adjacency: str, on_better: OnBetter) -> Cost:
        """The optimum under an adjacency."""
        if adjacency == Adjacency.MONOTONIC:
            return self._either_way(on_better)
        if self.program.of is not None:
            one = len(variables(self.program)) == 1
            return self._of_one(adjacency, on_better) if one else self._whole(adjacency, on_better)
        if family := endless_family(self.known.graph, self.known.cycles, adjacency):
            return infinite(adjacency, family)
        if len(variables(self.program)) > 1:
            return self._of_several(adjacency, on_better)
        return self._of_one(adjacency, on_better)

    def _either_way(self, on_better: OnBetter) -> Cost:
        """The optimum where all inputs move the same way, from those of both ways."""
        found: list[Cost] = []
        alone = self.budget.jobs <= 1  # other processes can tell nothing on the way

        def better_way(cost: Cost) -> None:
            if found:
                on_better(either_way(found[0], cost))

        def one_way(adjacency: Adjacency) -> Cost:
            own = replace(self.budget, steps=self.budget.steps.anew())  # the same, whoever does the other way
            progress = self.progress if alone else silent
            measuring = replace(self, budget=own, progress=progress)
            return measuring.under(adjacency, better_way if alone else lambda _: None)

        costs = each(one_way, ONE_WAY, self.budget.jobs)
        found.append(next(costs))
        (second,) = costs
        return either_way(found[0], second)

    def _of_several(self, adjacency: str, on_better: OnBetter) -> Cost:
        """By functions of several shifts: as a whole if that is easy, from its parts if that is exact."""
        graph, bounded, budget, progress = self.known.graph, self.known.bounded, self.budget, self.progress
        if self.whole or len(independent(self.program)) < 2:
            return self._whole(adjacency, on_better)
        narrow = by_functions.measure_if_narrow(graph, adjacency, budget, progress, bounded=bounded)
        if narrow is not None:
            return narrow
        summed = sum_of_parts(self.program, graph, adjacency, budget, progress)
        if summed is None:
            return self._whole(adjacency, on_better)
        if summed.is_exact:
            return summed
        on_better(summed)
        return better(summed, self._whole(adjacency, lambda cost: on_better(better(summed, cost))))

    def _whole(self, adjacency: str, on_better: OnBetter) -> Cost:
        """By functions of all shifts together."""
        graph, bounded, budget, progress = self.known.graph, self.known.bounded, self.budget, self.progress
        return by_functions.measure(graph, adjacency, budget, progress, on_better, bounded=bounded)

    def _of_one(self, adjacency: str, on_better: OnBetter) -> Cost:
        """By numbers at all shifts of the only variable."""
        program, parts = self.program, components(self.program)
        scale = scale_of(parts.edges, adjacency)
        if adjacency == Adjacency.ONE_DIFFER and program.of is None:
            _demand_no_endless_chain(parts)
        cells = divide(self.known.graph, adjacency, Staircases(scale))
        found = enclose(
            cells, self.budget, self.progress, lambda found: on_better(_cost(program, cells, found))
        )
        cost = _cost(program, cells, found)
        if cost.upper is None or adjacency != Adjacency.ALL_DIFFER or has_own_sensitivities(program):
            return cost
        if program.of is not None:
            return cost
        if any(map(is_one_sided, parts.edges)):
            return cost
        if len(parts.edges) > MANY:
            on_better(cost)
        return _with_static_bounds(program, parts, scale, cost)


MANY = 2_000
"""Transitions for which the bounds of the papers take so long that what is known is told before."""


def _demand_no_endless_chain(parts: Components) -> None:
    """Raises NotSupported where shifts that are forced once could be handed on for ever.

    With finite rates shifts 0 cost nothing from where inputs have differed on; with infinite ones a shift can
    be forced, and a cycle that stores what it compares hands it on.
    """
    if any(map(is_one_sided, parts.edges)):
        for edge in parts.edges:
            if parts.holds(edge) and edge.assigns and edge.relation:
                raise NotSupported(
                    "with adjacency one-differ and infinite rates a cycle that stores what it compares, as "
                    f"at state {quoted(edge.source)}, is not supported",
                    code="endless-chain",
                )


def _cost(program: Program, cells: StairCells, found: CostEnclosure) -> Cost:
    """What an enclosure says, with its evidence; the papers' bounds are left out."""
    run = run_of(cells, found.below, found.attained, found.lower)
    if found.is_infinite and (family := growing(run, cells.scale)):
        return infinite(cells.adjacency, family, found.statistics)
    witness = finite_witness(run, cells.scale)
    upper = cells.scale.number(found.upper)
    table = None if upper is None else invariant_of(program, cells, found.above)
    cost = Cost(cells.adjacency, witness.loss, upper, witness, table, found.statistics)
    return cost if cost.is_exact else replace(cost, spent=found.spent)


def _with_static_bounds(program: Program, parts: Components, scale: Scale, cost: Cost) -> Cost:
    """The cost with the bounds of the papers."""
    upper = None if has_two_rates(program) else cost.upper
    return replace(
        cost,
        approx=approximate(program, parts, scale),
        relaxed=relaxed(program, parts, scale),
        approx_bound=None if upper is None else upper + excess(parts, scale),
    )


def invariant_of(program: Program, cells: StairCells, table: StairTable) -> Invariant:
    """A table of cells as one of states. What cannot be reached may be infinite."""
    anything: Values = (cells.scale.cap,) * len(cells.scale.shifts)
    lists = {number: tuple(sorted(v for v in values if any(v))) for number, values in table.values.items()}
    unreached: tuple[tuple[Values, ...], ...] = ((anything,),) * len(cells.at[0])
    values = dict.fromkeys(program.states, unreached)
    for state, at in zip(cells.graph.states, cells.at, strict=True):
        values[state] = tuple(lists[number] for number in at)
    return Invariant(cells.scale, values)
