"""The loss as a function of one parameter in the sensitivities of states: a convex one.

A run with multipliers that do not depend on the parameter loses at least an affine function of it, and the
loss is the largest of finitely many of these. Two of them that are attained at the ends of an interval meet
at a place between; either the loss is what they say there, or a run that loses more is found
(docs/theory_programs.md, *One parameter in the sensitivities*).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.program.decision.blocks import Block, RunStep, total
from prover.program.model import Program
from prover.program.opened import OpenProgram
from prover.program.optimum.budget import Budget
from prover.program.optimum.cost import Cost
from prover.program.optimum.witness import NO_RUN, Witness, written_out
from prover.program.pieces.search import MOST_PIECES, Piece, at_ends, measured, run_in
from prover.program.pieces.tables import Line
from prover.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class _Known:
    """The loss at a value of the parameter, what is proved of it from above, and a run with multipliers.

    ``ends`` is what the run with these multipliers loses at both ends of the whole interval.
    """

    value: Fraction
    cost: Cost
    upper: Fraction | None
    run: Witness
    ends: Line

    @property
    def is_exact(self) -> bool:
        """Whether the run loses as much as any run."""
        return self.run.loss == self.upper


def convex_pieces(
    opened: OpenProgram,
    adjacency: str,
    budget: Budget | None = None,
    progress: Progress = silent,
    on_piece: Callable[[Sequence[Piece]], None] = lambda _: None,
    *,
    most: int = MOST_PIECES,
) -> list[Piece]:
    """The pieces from the low end to the high one, of a program whose loss is bounded and convex.

    All states that read inputs have sensitivities of their own, and rates are fixed. On each piece the loss
    is an affine function, except where the search ends early: there it is enclosed. ``on_piece`` is called
    with what is proved on the way. Raises what ``measure`` raises.
    """
    search = _Search(opened, adjacency, budget or Budget(), progress)
    left, ahead, found = search.known(opened.low), [search.known(opened.high)], list[Piece]()
    while ahead:
        progress("pieces", len(found), None)
        right = ahead[-1]
        place = search.place(left, right) if len(found) + len(ahead) < most else None
        if place is not None:
            ahead.append(search.known(place))
            continue
        found.append(search.piece(left, right))
        on_piece(found)
        left = ahead.pop()
    return found


@dataclass(frozen=True, slots=True)
class _Search:
    opened: OpenProgram
    adjacency: str
    budget: Budget
    progress: Progress

    def known(self, value: Fraction) -> _Known:
        """The loss at a value of the parameter."""
        program = self.opened.at(value)
        cost = measured(program, self.adjacency, self.budget, self.progress)
        run = NO_RUN if cost.witness is None else run_in(program, cost.witness, self.adjacency)
        first, last = (_loss(own, run) for own in (self.opened.first, self.opened.last))
        closed = all(side.table is not None for side in cost.sides or (cost,))
        return _Known(value, cost, cost.upper if closed else None, run, Line(first, last))

    def place(self, left: _Known, right: _Known) -> Fraction | None:
        """Where the runs of both ends lose as much, if neither is known to be worst everywhere between."""
        if not (left.is_exact and right.is_exact):
            return None
        below, above = self.at(right, left.value), self.at(left, right.value)
        if below >= left.run.loss or above >= right.run.loss:
            return None
        share = (left.run.loss - below) / (left.run.loss - below + right.run.loss - above)
        return left.value + share * (right.value - left.value)

    def at(self, known: _Known, value: Fraction) -> Fraction:
        """What the run that is known for a value of the parameter loses at another one."""
        return known.ends.at((value - self.opened.low) / (self.opened.high - self.opened.low))

    def piece(self, left: _Known, right: _Known) -> Piece:
        """The bounds between two values of the parameter: those of the run that loses more, and of both."""
        lower, run = Line(Fraction(0), Fraction(0)), NO_RUN
        for own in (left, right):
            line = Line(self.at(own, left.value), self.at(own, right.value))
            if min(line) >= 0 and sum(line) > sum(lower):
                lower, run = line, own.run
        part = self.opened.between(left.value, right.value)
        runs = _with_multipliers(part, run, self.adjacency)
        if left.upper is None or right.upper is None:
            return Piece(left.value, right.value, lower, None, runs)
        upper = Line(left.upper, right.upper)
        return Piece(left.value, right.value, lower, upper, runs, ends=(left.cost, right.cost))


def _loss(program: Program, run: Witness) -> Fraction:
    """What a run loses with its multipliers in a program with other sensitivities, by weak duality."""
    steps = (replace(step, edge=program.edges[step.edge.number]) for step in written_out(run))
    return total([Block(repeat=False, steps=tuple(steps))]).constant


def _with_multipliers(part: OpenProgram, run: Witness, adjacency: str) -> tuple[Witness, Witness]:
    """A run with the shifts that are best at both ends, and the same multipliers."""
    first, last = (
        replace(own, steps=tuple(map(_like, own.steps, run.steps))) for own in at_ends(part, run, adjacency)
    )
    return first, last


def _like(step: RunStep, best: RunStep) -> RunStep:
    """A step with the multipliers of another one."""
    return replace(step, duals=best.duals)
