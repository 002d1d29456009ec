"""Runs with differences of their inputs, the shifts that cost least, and the multipliers that prove it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice

from prover.errors import Fault
from prover.exact.readable import multiple
from prover.program.decision.blocks import Block, Linear, RunStep, total
from prover.program.model import Edge
from prover.program.optimum.duals import run_optimum
from prover.program.optimum.transfer import Scale, prime_units, scale_of
from prover.program.optimum.weighed import Weighed
from prover.program.shifts import Shift
from prover.views import Lined

_MOST_TURNS = 2**40


@dataclass(frozen=True, slots=True, repr=False)
class Witness(Lined):
    """A run and differences of its inputs that make the loss at least ``loss``·ε in the limit (Theorem C).

    ``steps`` are its steps with their differences, multiples of the sensitivities of their states, and dual
    variables, those of a repeated cycle only once; ``shifts`` are optimal for them; there are none if the run
    *vanishes*, which makes the loss infinite. The run consists of parts: ``turns`` says of each how many
    steps it has, and how often it is taken.
    """

    steps: tuple[RunStep, ...]
    shifts: tuple[Shift, ...]
    turns: tuple[tuple[int, int], ...]
    loss: Fraction

    @property
    def headline(self) -> str:
        """Its length and its loss, in a line."""
        return f"a run of {self.length:,} steps that loses {multiple(self.loss)}"

    @property
    def length(self) -> int:
        """The number of steps, repetitions included."""
        return sum(steps * count for steps, count in self.turns)

    @property
    def vanishes(self) -> bool:
        """Whether no shifts are valid: inputs that make the run impossible are a few differences away."""
        return bool(self.steps) and not self.shifts


NO_RUN = Witness((), (), (), Fraction(0))


@dataclass(frozen=True, slots=True)
class RunPart:
    """Edges with the differences of their inputs, taken ``count`` times in a row.

    A *loop* can be taken as often as is wanted, and has the same shifts in every turn.
    """

    steps: tuple[tuple[Edge, int], ...]
    count: int = 1
    is_loop: bool = False


def taken(parts: Sequence[RunPart], turns: int) -> list[RunPart]:
    """The run that takes its loops so often."""
    return [replace(part, count=turns) if part.is_loop else part for part in parts]


def witness_of(parts: Sequence[RunPart], scale: Scale) -> Witness | None:
    """A run with its optimal shifts and multipliers, those of a loop for one turn of it.

    None if no valid shifts have a finite cost.
    """
    run = [(edge, delta, part.count) for part in parts for edge, delta in part.steps]
    best = run_optimum([Weighed.of(edge, delta, scale, count) for edge, delta, count in run], scale.shifts)
    if best is None:
        return None
    steps = tuple(
        RunStep(edge, delta, tuple(Linear(scale.per_shift(units) / count) for units in multipliers))
        for (edge, delta, count), multipliers in zip(run, best.multipliers, strict=True)
    )
    primes = sum(count * abs(delta) * prime_units(edge, scale) for edge, delta, count in run)
    turns = tuple((len(part.steps), part.count) for part in parts)
    loss = Fraction(best.cost + primes, scale.denominator)
    return Witness(steps, tuple(map(scale.shift, best.shifts)), turns, loss)


def finite_witness(parts: Sequence[RunPart], scale: Scale) -> Witness:
    """The same for a run that has valid shifts of a finite cost. Raises Fault if it has none."""
    found = witness_of(parts, scale)
    if found is None:
        raise Fault("a run costs infinitely much, and it should not")
    return found


def attaining(parts: Sequence[RunPart], scale: Scale, goal: Fraction) -> Witness:
    """The run with the fewest turns of its loops that loses at least ``goal``. Raises Fault if none does."""
    low = high = 1
    found = finite_witness(taken(parts, high), scale)
    while found.loss < goal:
        if high > _MOST_TURNS:
            raise Fault("no number of turns makes a run cost what the table says")
        low, high = high + 1, 2 * high
        found = finite_witness(taken(parts, high), scale)
    while low < high:
        middle = (low + high) // 2
        tried = finite_witness(taken(parts, middle), scale)
        if tried.loss >= goal:
            high, found = middle, tried
        else:
            low = middle + 1
    return found


def growing(parts: Sequence[RunPart], scale: Scale) -> tuple[Block, ...]:
    """The family of runs that repeat the loops of a run for ever; () if their loss does not grow.

    To see how the loss grows, steps that are taken once have weight 0, and those of loops the weight of one
    turn: the dual variables of a run of N turns are then those of loops, and N times those of other steps.
    Whatever they are, infinite rates allow them, so these have some finite weight everywhere.
    """
    best = run_optimum(
        [Weighed.finite(edge, delta, scale, part.is_loop) for part in parts for edge, delta in part.steps],
        scale.shifts,
    )
    if best is None:
        raise Fault("a run of finite weights without shifts")
    multipliers = iter(best.multipliers)
    blocks: list[Block] = []
    for part in parts:
        steps = []
        for edge, delta in part.steps:
            numbers = map(scale.per_shift, next(multipliers))
            duals = tuple(Linear(q) if part.is_loop else Linear(slope=q) for q in numbers)
            steps.append(RunStep(edge, delta, duals))
        if blocks and not part.is_loop and not blocks[-1].repeat:
            steps = [*blocks.pop().steps, *steps]
        blocks.append(Block(part.is_loop, tuple(steps)))
    return tuple(blocks) if total(blocks).slope > 0 else ()


def repeated(blocks: Sequence[Block], count: int, adjacency: str) -> Witness | None:
    """The run of a family that takes repeated blocks so often, with shifts and dual variables of its own.

    None if no shifts are valid.
    """
    parts: list[RunPart] = []
    for block in blocks:
        steps = tuple((step.edge, step.delta) for step in block.steps)
        if block.repeat and not any(edge.assigns for edge, _ in steps):  # all turns have the same shifts
            parts.append(RunPart(steps, count, is_loop=True))
        else:
            parts += [RunPart(steps)] * (count if block.repeat else 1)
    return witness_of(parts, scale_of([step.edge for block in blocks for step in block.steps], adjacency))


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
    steps = iter([(step.edge, step.delta) for step in witness.steps])
    parts = [RunPart(tuple(islice(steps, length)), min(count, low)) for length, count in witness.turns]
    return finite_witness(parts, scale_of([step.edge for step in witness.steps], adjacency))


def longer(witness: Witness | None) -> list[Witness]:
    """The witness, and the one that takes each of its cycles once more, if it has any; none for None."""
    if witness is None:
        return []
    steps, turns = iter(witness.steps), list[tuple[int, int]]()
    for length, count in witness.turns:
        own = [step.edge for step in islice(steps, length)]
        turns.append((length, count + (own[0].source == own[-1].target)))
    more = replace(witness, turns=tuple(turns))
    return [witness] if more == witness else [witness, more]


def written_out(witness: Witness) -> Iterator[RunStep]:
    """All steps of a run, those of repeated cycles again and again."""
    steps = iter(witness.steps)
    for length, count in witness.turns:
        yield from list(islice(steps, length)) * count
