"""Families of runs with dual variables: how a privacy loss is shown to be large, or to have no bound.

The least cost of shifts is a linear program. Its dual variables, one λ ≥ 0 for each guard, prove lower
bounds: a run with input differences Δ loses at least Σ y_i Δ_i over its steps, plus what its outputs cost, if
|y_i| ≤ rate_i for the load y_i that the dual variables put on step i. Certificates call them multipliers
(docs/theory_programs.md, *Multipliers*). In a family some blocks of the run are taken N times in a row; if
the total grows with N, the program is not private.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.errors import Fault
from prover.program.adjacency import ONE_WAY, Adjacency, extreme_points
from prover.program.model import Edge
from prover.program.shifts import cost, outright


@dataclass(frozen=True, slots=True)
class Linear:
    """The number ``constant`` + ``slope``·N, where N says how often blocks are repeated."""

    constant: Fraction = Fraction(0)
    slope: Fraction = Fraction(0)

    def __add__(self, other: Linear) -> Linear:
        return Linear(self.constant + other.constant, self.slope + other.slope)

    def __mul__(self, factor: Fraction | int) -> Linear:
        return Linear(self.constant * factor, self.slope * factor)

    def __bool__(self) -> bool:
        return bool(self.constant or self.slope)


NOTHING = Linear()


@dataclass(frozen=True, slots=True)
class RunStep:
    """A step of a run: an edge, the difference Δ of its inputs, and the dual variables of its bounds.

    Δ is ``delta`` times the sensitivity of the edge.

    There is one for each bound of the edge, in its order; without any all are 0. Where shifts are equal they
    may be negative.
    """

    edge: Edge
    delta: int = 0
    duals: tuple[Linear, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Steps that are taken once, or N times in a row; then each turn has the same duals, without N."""

    repeat: bool
    steps: tuple[RunStep, ...]


Loads = list[list[Linear]]
"""The load of each step of each block."""


def total(blocks: Sequence[Block]) -> Linear:
    """The lower bound on the loss that the dual variables prove, as a function of N (weak duality).

    Raises Fault if they are not what the certificate specification (4.2) asks for: a multiplier at a guard
    that is true, one that crosses from a repeated block into later ones, or a load that is not allowed.
    """
    answer = NOTHING
    for block, loads in zip(blocks, _loads(blocks), strict=True):
        for step, load in zip(block.steps, loads, strict=True):
            if not (step.edge.pinned or _is_feasible(step.edge, load)):
                raise Fault(f"the load of transition {step.edge.number} exceeds its rate")
            gain = _gain(step.edge, step.delta, load)
            answer += Linear(slope=gain.constant + gain.slope) if block.repeat else gain
    return answer


def _gain(edge: Edge, delta: int, load: Linear) -> Linear:
    """What a step adds to the total; N in place of something infinite."""
    second = Linear(outright(edge, delta))
    if not edge.pinned:
        return second + load * (delta * edge.sensitivity)
    own = cost(edge, delta, 0)
    return second + (Linear(slope=Fraction(1)) if own is None else Linear(own))


def _is_feasible(edge: Edge, load: Linear) -> bool:
    """Whether a load lies between minus the rate to the right and the rate to the left, for every N."""
    return all(
        not isinstance(rate, Fraction) or (sign * load.slope <= 0 and sign * load.constant <= rate)
        for sign, rate in ((1, edge.left), (-1, edge.right))
    )


def _loads(blocks: Sequence[Block]) -> Loads:
    """What the dual variables put on every step.

    With < v, that is γ_i ≤ γ_at(i), λ_i is added to y_i and subtracted from y_at(i), and likewise with = v;
    with >= v it is subtracted from y_i and added to y_at(i). Here at(i) is the last step before i that stores
    in v.
    """
    loads: Loads = [[NOTHING] * len(block.steps) for block in blocks]
    stored: dict[str, tuple[int, int]] = {}
    for b, block in enumerate(blocks):
        at = dict(stored)
        if block.repeat:  # before the first assignment of a turn, the stored value may be the last turn's
            for name in {name for step in block.steps for name in step.edge.assign}:
                at.pop(name, None)
        for k, step in enumerate(block.steps):
            if step.duals and len(step.duals) != len(step.edge.bounds):
                raise Fault(f"transition {step.edge.number} has not one multiplier for each bound")
            for dual, (relation, name) in zip(step.duals, step.edge.bounds, strict=False):
                if not dual:
                    continue
                home = at.get(name)
                if home is None or (home[0] != b and blocks[home[0]].repeat):
                    raise Fault(f"transition {step.edge.number} may not have a multiplier here")
                own = dual * (-1 if relation == ">=" else 1)
                loads[b][k] += own
                turns = Linear(slope=own.constant) if block.repeat and home[0] != b else own
                loads[home[0]][home[1]] += turns * -1
            for name in step.edge.assign:
                at[name] = stored[name] = (b, k)
    return loads


def structure(blocks: Sequence[Block]) -> tuple[Edge, ...]:
    """The edges of a run from the first step that counts to the last, without repetition.

    Steps count that are repeated, or have a difference or a load.
    """
    counts = [
        (step.edge, block.repeat or step.delta != 0 or bool(load))
        for block, loads in zip(blocks, _loads(blocks), strict=True)
        for step, load in zip(block.steps, loads, strict=True)
    ]
    indices = [k for k, (_, does) in enumerate(counts) if does]
    return tuple(dict.fromkeys(edge for edge, _ in counts[indices[0] : indices[-1] + 1])) if indices else ()


def under(family: tuple[Block, ...], adjacency: str) -> tuple[Block, ...]:
    """A family for all-differ with differences of another adjacency; () if its loss need not grow then.

    Other differences are 0, or turned round where a number is output, which costs both ways.
    """
    if not family or adjacency == Adjacency.ONE_DIFFER:  # a repeated step may not differ
        return ()
    if adjacency == Adjacency.MONOTONIC:
        return next(filter(None, (under(family, way) for way in ONE_WAY)), ())

    def moved(step: RunStep) -> RunStep:
        allowed = (0, *extreme_points(adjacency, step.edge.input))
        if step.delta in allowed:
            return step
        turned = step.edge.discloses and -step.delta in allowed
        return replace(step, delta=-step.delta if turned else 0)

    blocks = tuple(Block(block.repeat, tuple(map(moved, block.steps))) for block in family)
    return blocks if total(blocks).slope > 0 else ()
