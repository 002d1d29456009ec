"""Runs of a family, with as many turns of its cycles as a loss takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from prover.program.decision.blocks import Block, Linear, RunStep, total
from prover.program.optimum.witness import Witness, repeated
from prover.program.shifts import is_one_sided

_MARGIN = Fraction(21, 20)  # a run is to lose so many times more, in the limit, or t would have to be large


def repeated_run(blocks: Sequence[Block], loss: Fraction, adjacency: str, most_steps: int) -> Witness:
    """A run of a family that loses clearly more than ``loss``, if so many steps allow that.

    With infinite rates it may lose more than any number, and then it vanishes.
    """
    growth = total(blocks)
    once = sum(len(block.steps) for block in blocks if not block.repeat)
    cycle = sum(len(block.steps) for block in blocks if block.repeat)
    needed = -((growth.constant - _MARGIN * loss) // growth.slope)
    count = max(1, min(int(needed), (most_steps - once) // cycle)) if cycle else 1
    edges = [step.edge for block in blocks for step in block.steps]
    few_turns = sorted({1, count}) if any(map(is_one_sided, edges)) else [count]
    found = [(turns, repeated(blocks, turns, adjacency)) for turns in few_turns]
    impossible = next((turns for turns, run in found if run is None), count)
    return found[-1][1] or _vanishing(blocks, impossible, max(1, int(needed)))


def _vanishing(blocks: Sequence[Block], count: int, weight: int) -> Witness:
    """A run whose loss is infinite, with the dual variables of ``weight`` turns, which prove some of it."""

    def at(dual: Linear) -> Linear:
        return Linear(dual.constant + dual.slope * weight)

    steps: list[RunStep] = []
    turns: list[tuple[int, int]] = []
    for block in blocks:
        own = tuple(replace(step, duals=tuple(map(at, step.duals))) for step in block.steps)
        again = block.repeat and any(step.edge.assigns for step in block.steps)
        copies = count if again else 1
        steps += own * copies
        turns += [(len(own), count if block.repeat and not again else 1)] * copies
    growth = total(blocks)
    return Witness(tuple(steps), (), tuple(turns), growth.constant + growth.slope * weight)
