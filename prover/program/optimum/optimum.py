"""The optimum of a program: the least ε-coefficient for which it is private, with a run that attains it.

A run with differences Δ of its inputs costs at least V, whatever shifts couple it with its neighbour, and
the optimum is the largest V of all runs and Δ (docs/theory_programs.md, *The optimum*, Theorem C). Two sides
prove it: a run with dual variables shows that the loss can be as large, and an inductive invariant (a closed
table) of what can still be lost that it cannot be larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from prover.errors import NotSupported, quoted
from prover.exact.rational import format_rational
from prover.parallel import each
from prover.program.adjacency import ONE_WAY, Adjacency
from prover.program.decision.facts import SeveralVariables
from prover.program.decision.pumping import Block, Linear, RunStep
from prover.program.graph import Components, components
from prover.program.model import Program, out_edges, variables
from prover.program.optimum.budget import Budget
from prover.program.optimum.cells import Cells, divide
from prover.program.optimum.duals import Weighed, optimum
from prover.program.optimum.fixpoint import ValueTable
from prover.program.optimum.refinement import Enclosure, Statistics, enclose
from prover.program.optimum.static_bounds import approximate, excess, relaxed
from prover.program.optimum.transfer import Scale, Values, arc_of, prime_units, scale_of
from prover.program.optimum.unbounded import endless, endless_family, looping_family
from prover.program.optimum.witness import Turns, run_of
from prover.program.scope import has_own_sensitivities, has_two_rates
from prover.program.shifts import Shift, is_one_sided
from prover.progress import Progress, silent
from prover.views import Lined


@dataclass(frozen=True, slots=True, repr=False)
class Witness(Lined):
    """A run and differences of its inputs that make the loss at least ``loss``·ε in the limit (Theorem C).

    ``steps`` are its steps with their differences, multiples of the sensitivities of their states, and dual
    variables, those of a repeated cycle only once; ``shifts`` are optimal for them; there are none if the run
    *vanishes*, which makes the loss infinite. The run consists of stretches: ``turns`` says of each how many
    steps it has, and how often it is taken.
    """

    steps: tuple[RunStep, ...]
    shifts: tuple[Shift, ...]
    turns: tuple[tuple[int, int], ...]
    loss: Fraction

    def __str__(self) -> str:
        return f"a run of {self.length:,} steps that loses {format_rational(self.loss)}·ε"

    @property
    def length(self) -> int:
        """The number of steps, repetitions included."""
        return sum(steps * count for steps, count in self.turns)

    @property
    def vanishes(self) -> bool:
        """Whether no shifts are valid: inputs that make the run impossible are a few differences away."""
        return bool(self.steps) and not self.shifts


@dataclass(frozen=True, slots=True)
class Invariant:
    """An inductive invariant of a program: for each state, values that bound what can still be lost from it.

    It is a table that every step maps into itself (a closed table), without the values that are 0 everywhere.
    There is one list of values, with adjacency one-differ one for runs whose inputs have not differed yet and
    one for the others. Lists are sorted. ``scale`` says what the integers stand for.
    """

    scale: Scale
    values: Mapping[str, tuple[tuple[Values, ...], ...]]

    @property
    def layers(self) -> int:
        """The number of lists of each state."""
        return len(next(iter(self.values.values())))


@dataclass(frozen=True, slots=True)
class Cost:
    """lower ≤ optimum ≤ upper. ``upper`` is None if no finite bound was found; ``lower`` is None, and then
    ``upper`` too, if the loss has no bound.

    ``witness`` attains lower, ``invariant`` proves upper, and ``family`` proves that there is no bound.
    With adjacency monotonic ``sides`` are the costs of both directions, whose tables together prove upper.
    ``approx`` and ``relaxed`` are the bounds of that name, None for other adjacencies than all-differ, for
    infinite ones, and where they would take too much. ``approx`` is never more than ``approx_bound``.
    ``spent`` are the budgets that ended the search; of an exact cost, there are none.
    """

    adjacency: str
    lower: Fraction | None
    upper: Fraction | None
    witness: Witness | None
    invariant: Invariant | None
    approx: Fraction | None
    relaxed: Fraction | None
    approx_bound: Fraction | None
    statistics: Statistics
    family: tuple[Block, ...] = ()
    sides: tuple[Cost, ...] = ()
    spent: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether the optimum is known, finite or infinite."""
        return self.lower == self.upper

    @property
    def is_infinite(self) -> bool:
        """Whether the loss has no bound."""
        return self.lower is None


def measure(
    program: Program,
    adjacency: str = Adjacency.ALL_DIFFER,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_better: Callable[[Cost], None] = lambda _: None,
) -> Cost:
    """The optimum of a program under an adjacency, exact or enclosed as closely as the budget allows.

    ``on_better`` is called with what is proved on the way. Raises SeveralVariables, UnknownName and
    NotSupported.
    """
    names = variables(program)
    if len(names) > 1:
        raise SeveralVariables(names)
    if adjacency == Adjacency.MONOTONIC:
        return _either_way(program, budget or Budget(), progress, on_better)
    budget = budget or Budget()
    parts = components(program)
    scale = scale_of(parts.edges, adjacency)
    leaving = out_edges(program)
    if adjacency == Adjacency.ONE_DIFFER:
        _demand_no_endless_chain(parts)
    if edges := endless(leaving, parts, adjacency, scale):
        return _infinite(
            adjacency, endless_family(program.initial, leaving, parts, edges, adjacency, scale), Statistics()
        )
    cells = divide(program, adjacency, scale, parts)
    found = enclose(cells, budget, progress, lambda found: on_better(_cost(program, adjacency, cells, found)))
    cost = _cost(program, adjacency, cells, found)
    if cost.upper is None or adjacency != Adjacency.ALL_DIFFER or has_own_sensitivities(program):
        return cost
    if any(map(is_one_sided, parts.edges)):
        return cost
    return replace(
        cost,
        approx=approximate(program, parts, scale),
        relaxed=relaxed(program, parts, scale),
        approx_bound=None if has_two_rates(program) else cost.upper + excess(parts),
    )


def _either_way(
    program: Program, budget: Budget, progress: Progress, on_better: Callable[[Cost], None]
) -> Cost:
    """The optimum where all inputs move the same way, from those of both ways."""
    found: list[Cost] = []
    alone = budget.jobs <= 1  # other processes can tell nothing on the way

    def one_way(adjacency: Adjacency) -> Cost:
        own = replace(budget, steps=budget.steps.anew())  # the same, whoever does the other way
        if not alone:
            return measure(program, adjacency, own)
        return measure(program, adjacency, own, progress, better)

    def better(cost: Cost) -> None:
        if found:
            on_better(_larger(found[0], cost))

    costs = each(one_way, ONE_WAY, budget.jobs)
    found.append(next(costs))
    (second,) = costs
    return _larger(found[0], second)


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


def _cost(program: Program, adjacency: str, cells: Cells, found: Enclosure) -> Cost:
    """What an enclosure says, with its evidence; the papers' bounds are left out."""
    run = run_of(cells, found.below, found.attained, found.lower)
    if found.is_infinite and (family := looping_family(run, cells.scale)):
        return _infinite(adjacency, family, found.statistics)
    witness = witness_of(run, cells.scale)
    upper = cells.scale.number(found.upper)
    invariant = None if upper is None else invariant_of(program, cells, found.above)
    cost = Cost(adjacency, witness.loss, upper, witness, invariant, None, None, None, found.statistics)
    return cost if cost.is_exact else replace(cost, spent=found.spent)


def _larger(first: Cost, second: Cost) -> Cost:
    """The cost where inputs may move either way, from those of both ways."""
    best = max(first, second, key=lambda cost: (cost.is_infinite, cost.lower or 0))
    upper = None if first.upper is None or second.upper is None else max(first.upper, second.upper)
    statistics = Statistics(
        first.statistics.values + second.statistics.values,
        max(first.statistics.widest, second.statistics.widest),
        max(first.statistics.rounds, second.statistics.rounds),
        first.statistics.tables + second.statistics.tables,
    )
    sides = () if best.is_infinite else (first, second)
    return replace(
        best,
        adjacency=Adjacency.MONOTONIC,
        upper=upper,
        invariant=None,
        statistics=statistics,
        sides=sides,
        spent=() if best.is_infinite or best.lower == upper else tuple(sorted({*first.spent, *second.spent})),
    )


def _infinite(adjacency: str, family: tuple[Block, ...], statistics: Statistics) -> Cost:
    return Cost(adjacency, None, None, None, None, None, None, None, statistics, family)


def witness_of(run: Sequence[Turns], scale: Scale) -> Witness:
    """A run with optimal shifts and dual variables."""
    taken = [(arc, part.count) for part in run for arc in part.arcs]
    best = optimum([Weighed.of(arc.edge, arc.delta, scale, count) for arc, count in taken], scale.shifts)
    steps = tuple(
        RunStep.of(arc.edge, arc.delta, Linear(Fraction(units * scale.parts, count * scale.denominator)))
        for (arc, count), units in zip(taken, best.duals, strict=True)
    )
    primes = sum(count * abs(arc.delta) * prime_units(arc.edge, scale) for arc, count in taken)
    turns = tuple((len(part.arcs), part.count) for part in run)
    return Witness(
        steps, tuple(map(scale.shift, best.shifts)), turns, Fraction(best.cost + primes, scale.denominator)
    )


def shortened(witness: Witness, adjacency: str, most_steps: int) -> Witness:
    """A run with the same cycles, each repeated as often as there, or as so many steps allow."""
    if witness.length <= most_steps:
        return witness
    low, high = 1, most_steps
    while low < high:
        middle = (low + high + 1) // 2
        if sum(steps * min(count, middle) for steps, count in witness.turns) <= most_steps:
            low = middle
        else:
            high = middle - 1
    scale = scale_of([step.edge for step in witness.steps], adjacency)
    arcs = iter([arc_of(step.edge, step.delta, scale) for step in witness.steps])
    run = [Turns(tuple(islice(arcs, steps)), min(count, low)) for steps, count in witness.turns]
    return witness_of(run, scale)


def written_out(witness: Witness) -> Iterator[RunStep]:
    """All steps of a run, those of repeated cycles again and again."""
    steps = iter(witness.steps)
    for length, count in witness.turns:
        yield from list(islice(steps, length)) * count


def invariant_of(program: Program, cells: Cells, table: ValueTable) -> Invariant:
    """A table of nodes as one of states. What cannot be reached may be infinite."""
    anything: Values = (cells.scale.cap,) * len(cells.scale.shifts)
    layers = len(cells.at[program.initial])
    lists = {node: tuple(sorted(v for v in values if any(v))) for node, values in table.values.items()}
    values = {
        state: tuple(lists[node] for node in cells.at[state])
        if state in cells.at
        else ((anything,),) * layers
        for state in program.states
    }
    return Invariant(cells.scale, values)
