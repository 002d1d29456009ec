"""The loss of runs as a function of one parameter in the rates, piece by piece, each with its proof."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from prover.program.adjacency import Adjacency
from prover.program.decision.boundedness import decide
from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.optimum.budget import Budget
from prover.program.optimum.certificates import MOST_STEPS
from prover.program.optimum.cost import Cost, Invariant, NodeTable
from prover.program.optimum.measure import measure
from prover.program.optimum.transfer import scale_of
from prover.program.optimum.witness import NO_RUN, RunPart, Witness, finite_witness
from prover.program.pieces.tables import (
    Line,
    OpenTable,
    Reading,
    closed_table,
    open_functions,
    share_of,
    shifts_of,
    unit_of,
)
from prover.program.shifts import price
from prover.progress import Progress, silent

MOST_PIECES = 400
"""The most pieces of a proof, times the effort."""

_CAUTION = 1_024
"""How many times smaller a step is than what suffices for a table without rounding."""

_LONGEST = 2_000
"""The most steps of a run whose cycles are repeated more often than is needed at the start of a piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the interval, from ``low`` to ``high``, and affine bounds of the loss there.

    ``runs`` are the same run, with multipliers for the rates at each end; it loses at least ``lower``.
    ``tables`` prove ``upper``, one for each direction of the inputs, or ``ends``, the costs of the programs
    at both ends, where the loss is convex; ``upper`` is None where nothing does.
    """

    low: Fraction
    high: Fraction
    lower: Line
    upper: Line | None
    runs: tuple[Witness, Witness] | None = None
    tables: Mapping[str, OpenTable] | None = None
    ends: tuple[Cost, Cost] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether the loss is known here."""
        return self.lower == self.upper


def unproved(low: Fraction, high: Fraction) -> Piece:
    """A part of the interval of which nothing is known."""
    return Piece(low, high, Line(Fraction(0), Fraction(0)), None)


def pieces_of(
    opened: OpenProgram,
    adjacency: str,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_piece: Callable[[Sequence[Piece]], None] = lambda _: None,
    *,
    most: int = MOST_PIECES,
) -> list[Piece]:
    """The pieces from the low end to the high one, of a program whose loss is bounded.

    On each the loss is an affine function, except that the last one, where the search ends early, only
    encloses it. ``on_piece`` is called with what is proved on the way. Raises what ``measure`` raises.
    """
    budget = budget or Budget()
    found: list[Piece] = []
    while not found or found[-1].high < opened.high:
        start = found[-1].high if found else opened.low
        progress("pieces", len(found), None)
        rest = opened.between(start, opened.high)
        piece = _exact(rest, adjacency, budget, progress) if len(found) < most else None
        found.append(piece or _enclosed(rest, adjacency, budget, progress))
        on_piece(found)
    return found


def _exact(rest: OpenProgram, adjacency: str, budget: Budget, progress: Progress) -> Piece | None:
    """The longest piece that starts an interval, and that the table and the run found there prove."""
    reading = _reading(rest, adjacency)
    cost = measured(rest.at(rest.low + reading.small), adjacency, budget, progress)
    if not cost.is_exact or cost.upper is None or cost.witness is None:
        return None
    goal = reading.line(cost.upper)
    tables = _tables(rest, cost, reading, goal)
    share = min(own.share for own in tables.values())
    tried = (_lasting(rest, run, adjacency, goal, share) for run in _turning(cost.witness, adjacency))
    run = max(_until(tried, share), key=lambda found: found[0], default=None)
    if run is None:
        return None
    share, runs = run
    high = rest.low + share * (rest.high - rest.low)
    value = Line(goal.first, goal.at(share))
    return Piece(rest.low, high, value, value, runs, {way: _cut(own, share) for way, own in tables.items()})


def _enclosed(rest: OpenProgram, adjacency: str, budget: Budget, progress: Progress) -> Piece:
    """Bounds on a whole interval: the loss grows with rates (docs/theory_programs.md)."""
    below = measured(rest.least, adjacency, budget, progress)
    above = measured(rest.greatest, adjacency, budget, progress)
    runs = None if below.witness is None else at_ends(rest, below.witness, adjacency)
    lower = Line(Fraction(0), Fraction(0)) if runs is None else Line(runs[0].loss, runs[1].loss)
    if above.upper is None:
        return Piece(rest.low, rest.high, lower, None, runs)
    upper = Line(above.upper, above.upper)
    tables = _tables(rest, above, Reading(Fraction(0), 1, rest.high - rest.low), upper)
    if min(own.share for own in tables.values()) < 1:
        return Piece(rest.low, rest.high, lower, None, runs)
    return Piece(rest.low, rest.high, lower, upper, runs, tables)


def measured(program: Program, adjacency: str, budget: Budget, progress: Progress) -> Cost:
    """The loss of a program whose loss is bounded."""
    return measure(program, adjacency, budget, progress, known=decide(program), whole=True)


def _reading(rest: OpenProgram, adjacency: str) -> Reading:
    """A step so small that the values of tables tell their values at the start and their slopes."""
    length = rest.high - rest.low
    starts, slopes, growth = list[Fraction](), list[Fraction](), Fraction(0)
    for first, last in zip(rest.first.edges, rest.last.edges, strict=True):
        for start, end in zip(
            (first.left, first.right, first.rate_prime), (last.left, last.right, last.rate_prime), strict=True
        ):
            if isinstance(start, Fraction) and isinstance(end, Fraction):
                slope = (end - start) / length
                starts.append(start)
                slopes.append(slope)
                growth = max(growth, abs(slope) / start)
    cap = scale_of(rest.first.edges, adjacency)
    unit = cap.parts * unit_of(starts)
    most = growth * Fraction(cap.cap, cap.denominator)
    small = min(length / 2, 1 / (unit * (1 + most) * _CAUTION))
    return Reading(Fraction(1, math_ceil(1 / small)), unit, length)


def math_ceil(number: Fraction) -> int:
    """The least integer that is no less."""
    return -(-number.numerator // number.denominator)


def _tables(rest: OpenProgram, cost: Cost, reading: Reading, goal: Line) -> dict[str, OpenTable]:
    """The closed tables of a cost with affine values, by adjacency."""
    found: dict[str, OpenTable] = {}
    graph = decide(rest.first).graph
    for side in cost.sides or (cost,):
        if isinstance(side.table, Invariant | NodeTable):
            functions = open_functions(rest.first, graph, side.table, reading)
            scale = side.table.scale if isinstance(side.table, Invariant) else side.table.cells.scale
            found[str(side.adjacency)] = closed_table(
                (rest.first.edges, rest.last.edges),
                graph,
                functions,
                side.adjacency,
                goal,
                shifts_of(scale),
            )
    return found


def _cut(table: OpenTable, share: Fraction) -> OpenTable:
    """The same table on the first part of its interval."""
    functions = [
        [
            [
                replace(own, points={x: Line(line.first, line.at(share)) for x, line in own.points.items()})
                for own in layer
            ]
            for layer in layers
        ]
        for layers in table.functions
    ]
    return replace(table, functions=functions)


Lasting = tuple[Fraction, tuple[Witness, Witness]]
"""The share of an interval on which a run is worst, and the run with multipliers at the ends of that."""


def _until(tried: Iterator[Lasting | None], share: Fraction) -> Iterator[Lasting]:
    """What is found, up to the first run that lasts as long as is wanted."""
    for found in filter(None, tried):
        yield found
        if found[0] >= share:
            return


def _turning(witness: Witness, adjacency: str) -> Iterator[Witness]:
    """A run, and the same with ever more turns of its cycles: how many it takes depends on rates."""
    steps, free = iter(witness.steps), list[bool]()
    for length, _ in witness.turns:
        own = list(islice(steps, length))
        returns = own[0].edge.source == own[-1].edge.target
        once = adjacency == Adjacency.ONE_DIFFER and any(step.delta for step in own)
        free.append(returns and not once and not any(step.edge.assigns for step in own))
    run, factor = witness, 1
    while run.length <= _LONGEST or factor == 1:
        yield run
        factor *= 2
        turns = tuple(
            (length, count * (factor if more else 1))
            for (length, count), more in zip(witness.turns, free, strict=True)
        )
        if not any(free):
            return
        run = replace(witness, turns=turns)


def _lasting(
    rest: OpenProgram, witness: Witness, adjacency: str, goal: Line, share: Fraction
) -> Lasting | None:
    """How long, at most this share, a run loses ``goal``, with its multipliers at the start and there.

    What it loses is concave in the parameter, as a minimum over shifts; shifts that are optimal where it
    loses less are followed back to where they cost as much.
    """
    while share > 0:
        part = rest if share == 1 else rest.between(rest.low, rest.low + share * (rest.high - rest.low))
        runs = at_ends(part, witness, adjacency)
        if runs[0].loss < goal.first:
            return None
        if runs[1].loss >= goal.at(share):
            return share, runs
        costs = Line(_cost(part.first, runs[1]), runs[1].loss)
        share *= share_of(Line(goal.first, goal.at(share)), costs)
    return None


def at_ends(rest: OpenProgram, witness: Witness, adjacency: str) -> tuple[Witness, Witness]:
    """A run with multipliers for the rates at both ends."""
    first, last = (run_in(program, witness, adjacency) for program in (rest.first, rest.last))
    return first, last


def run_in(program: Program, witness: Witness, adjacency: str) -> Witness:
    """A run with the shifts and multipliers that are best in a program with other rates or sensitivities."""
    if not witness.steps:
        return NO_RUN
    steps = iter([(program.edges[step.edge.number], step.delta) for step in witness.steps])
    turns = _few(witness.turns)
    parts = [RunPart(tuple(islice(steps, length)), count) for length, count in turns]
    return finite_witness(parts, scale_of([edge for part in parts for edge, _ in part.steps], adjacency))


def _few(turns: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The parts of a run, with fewer turns where it would be too long to be written out."""
    once = sum(length for length, _ in turns)
    for length, count in turns:
        yield length, min(count, max(1, (MOST_STEPS - once) // (length * len(turns)) or 1))


def _cost(program: Program, witness: Witness) -> Fraction:
    """What the shifts of a run cost in a program with other rates."""
    shifts = iter(zip(witness.steps, witness.shifts, strict=True))
    return sum(
        (
            count * price(program.edges[step.edge.number], step.delta, shift)
            for length, count in witness.turns
            for step, shift in islice(shifts, length)
        ),
        Fraction(0),
    )
