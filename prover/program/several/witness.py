"""From a table of functions to a run that costs as much: steps, with as many turns of loops as are needed.

A function is infinite where a loop of its cell costs something, because the loop can be repeated for ever.
The run repeats it as often as is enough, which is found by trying.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from prover.errors import Fault
from prover.program.decision.pumping import Block, Linear, RunStep, total
from prover.program.model import Edge
from prover.program.optimum.duals import Weighed
from prover.program.optimum.optimum import Witness
from prover.program.optimum.transfer import Scale, prime_units, scale_of
from prover.program.optimum.unbounded import finite
from prover.program.several.cells import Cell, Move, OrderCells
from prover.program.several.duals import RunOptimum, run_optimum
from prover.program.several.fixpoint import OrderTable
from prover.program.several.functions import Function
from prover.program.several.order_graph import FINAL, Arrow, way

_MOST_TURNS = 2**40


@dataclass(frozen=True, slots=True)
class Part:
    """Edges with the differences of their inputs, taken once, or as often as loops are."""

    steps: tuple[tuple[Edge, int], ...]
    is_loop: bool = False


def parts_of(cells: OrderCells, table: OrderTable, function: Function) -> list[Part]:
    """The run from the first node that a function of its cell comes from, with all loops that it needs."""
    parts: list[Part] = []
    node = 0
    for cell, move in _stops(cells, table, function):
        if needed := _needed(cell):
            start = needed[0].arrow.source
            parts += _walk(cells, cell, node, start)
            parts.append(Part(tuple(_tour(cells, cell, needed)), is_loop=True))
            node = start
        if move is not None:
            parts += _walk(cells, cell, node, move.arrow.source)
            parts.append(Part(((move.arrow.edge, move.delta),)))
            node = move.arrow.target
    return parts


def _stops(cells: OrderCells, table: OrderTable, function: Function) -> Iterator[tuple[Cell, Move | None]]:
    number = cells.at[0][0]
    while number != FINAL:
        origin = table.origins[number][function]
        if origin is None:
            yield cells.cells[number], None
            return
        move, after = origin
        yield cells.cells[number], move
        number, function = move.target, after


def _needed(cell: Cell) -> list[Move]:
    """Loops that together cost something wherever the box is infinite; one for each side of a variable."""
    if cell.box.empty:
        free = [loop for loop in cell.loops if 0 not in loop.step.costs]
        if free:
            return free[:1]
    chosen: dict[tuple[str, str], tuple[int, Move]] = {}
    for loop in cell.loops:
        shift = loop.step.costs.index(0) - 1 if 0 in loop.step.costs else 0
        for side, names in (("low", loop.step.above), ("high", loop.step.below)):
            for name in names:
                tight = shift if side == "low" else -shift
                if (name, side) not in chosen or chosen[name, side][0] < tight:
                    chosen[name, side] = (tight, loop)
    needed: list[Move] = []
    for (_, side), (tight, loop) in sorted(chosen.items(), key=lambda item: item[0]):
        del side
        if tight > -1 and loop not in needed:
            needed.append(loop)
    return needed


def _tour(cells: OrderCells, cell: Cell, needed: Sequence[Move]) -> Iterator[tuple[Edge, int]]:
    """A way back to where the first of these loops begins that takes all of them, the nearest one next."""
    start = here = needed[0].arrow.source
    left: dict[int, list[Move]] = {}
    for loop in reversed(needed):
        left.setdefault(loop.arrow.source, []).append(loop)
    while left:
        for arrow in _inside(cells, cell, here, left):
            yield arrow.edge, 0
            here = arrow.target
        loop = left[here].pop()
        if not left[here]:
            del left[here]
        yield loop.arrow.edge, loop.delta
        here = loop.arrow.target
    for arrow in _inside(cells, cell, here, {start}):
        yield arrow.edge, 0


def _inside(cells: OrderCells, cell: Cell, source: int, goals: Collection[int]) -> list[Arrow]:
    """A way from a node of a cell to the nearest of others, along arrows that can be repeated."""
    loops = {(loop.arrow.source, loop.arrow.edge.number) for loop in cell.loops}
    found = way(cells.graph.arrows, source, goals, lambda a: (a.source, a.edge.number) in loops)
    if found is None:
        raise Fault("no way inside a cell")
    return found


def _walk(cells: OrderCells, cell: Cell, source: int, goal: int) -> list[Part]:
    return [Part(((arrow.edge, 0),)) for arrow in _inside(cells, cell, source, {goal})]


@dataclass(frozen=True, slots=True)
class Costed:
    """A run whose loops are taken ``turns`` times, with what proves that it costs so much (in units)."""

    parts: tuple[Part, ...]
    turns: int
    optimum: RunOptimum
    cost: int


def costed(scale: Scale, parts: Sequence[Part], turns: int) -> Costed | None:
    """The least cost of shifts of a run whose loops are taken so often; None if it is infinite."""
    steps, primes = [], 0
    for part in parts:
        count = turns if part.is_loop else 1
        for edge, delta in part.steps:
            steps.append(Weighed.of(edge, delta, scale, count))
            primes += count * abs(delta) * prime_units(edge, scale)
    best = run_optimum(steps)
    return None if best is None else Costed(tuple(parts), turns, best, best.cost + primes)


def growing(scale: Scale, parts: Sequence[Part]) -> tuple[Block, ...]:
    """The family of runs that repeat the loops of a run for ever; () if their loss does not grow.

    To see how the loss grows, steps that are taken once have weight 0, and those of loops the weight of one
    turn: the dual variables of a run of N turns are then those of loops, and N times those of other steps.
    Whatever they are, infinite rates allow them, so these have some finite weight everywhere.
    """
    steps = [finite(edge, delta, scale, part.is_loop) for part in parts for edge, delta in part.steps]
    best = run_optimum(steps)
    if best is None:
        raise Fault("a run of finite weights without shifts")
    duals = iter(best.multipliers)
    blocks: list[Block] = []
    for part in parts:
        taken = []
        for edge, delta in part.steps:
            numbers = [Fraction(units, scale.denominator) for units in next(duals)]
            own = tuple(Linear(q) if part.is_loop else Linear(slope=q) for q in numbers)
            taken.append(RunStep(edge, delta, own))
        blocks.append(Block(part.is_loop, tuple(taken)))
    family = tuple(blocks)
    return family if total(family).slope > 0 else ()


def attaining(scale: Scale, parts: Sequence[Part], goal: int) -> Costed:
    """The run with the fewest turns of its loops that costs at least ``goal``. Raises Fault if none does."""
    high = 1
    found = finitely_costed(scale, parts, high)
    while found.cost < goal:
        if high > _MOST_TURNS:
            raise Fault("no number of turns makes a run cost what the table says")
        high *= 2
        found = finitely_costed(scale, parts, high)
    low = high // 2 + 1
    while low < high:
        middle = (low + high) // 2
        tried = finitely_costed(scale, parts, middle)
        if tried.cost >= goal:
            high, found = middle, tried
        else:
            low = middle + 1
    return found


def finitely_costed(scale: Scale, parts: Sequence[Part], turns: int) -> Costed:
    """The same for a run that has valid shifts of a finite cost. Raises Fault if it has none."""
    found = costed(scale, parts, turns)
    if found is None:
        raise Fault("a run costs infinitely much, and the table says less")
    return found


def witness_of(run: Costed, scale: Scale) -> Witness:
    """A run with its optimal shifts and dual variables, those of a loop for one turn of it."""
    steps, turns = [], []
    duals = iter(run.optimum.multipliers)
    for part in run.parts:
        count = run.turns if part.is_loop else 1
        turns.append((len(part.steps), count))
        for edge, delta in part.steps:
            own = tuple(Linear(Fraction(units, count * scale.denominator)) for units in next(duals))
            steps.append(RunStep(edge, delta, own))
    return Witness(tuple(steps), run.optimum.shifts, tuple(turns), Fraction(run.cost, scale.denominator))


def repeated(blocks: Sequence[Block], count: int, adjacency: str) -> Witness | None:
    """The run of a family that takes repeated blocks so often, with shifts and dual variables of its own.

    None if no shifts are valid.
    """
    parts: list[Part] = []
    for block in blocks:
        taken = tuple((step.edge, step.delta) for step in block.steps)
        if block.repeat and not any(edge.assigns for edge, _ in taken):  # all turns have the same shifts
            parts.append(Part(taken, is_loop=True))
        else:
            parts += [Part(taken)] * (count if block.repeat else 1)
    scale = scale_of([step.edge for block in blocks for step in block.steps], adjacency)
    found = costed(scale, parts, count)
    return None if found is None else witness_of(found, scale)
