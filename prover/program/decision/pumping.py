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
from prover.program.decision.facts import Stretch, Verdict
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

    @classmethod
    def of(cls, edge: Edge, delta: int, dual: Linear) -> RunStep:
        """A step of a program of one variable, which has one bound or none."""
        return cls(edge, delta, (dual,) if edge.bounds else ())

    @property
    def dual(self) -> Linear:
        """The dual variable of the only bound; 0 if there is none."""
        return self.duals[0] if self.duals else NOTHING


@dataclass(frozen=True, slots=True)
class Block:
    """Steps that are taken once, or N times in a row; then each turn has the same duals, without N."""

    repeat: bool
    steps: tuple[RunStep, ...]


Loads = list[list[Linear]]
"""The load of each step of each block."""


def pump(verdict: Verdict, adjacency: str = Adjacency.ALL_DIFFER) -> tuple[Block, ...] | None:
    """The family of runs of a verdict "not private", with dual variables that make its total grow with N.

    Each marked guard gets the same dual variable λ, N times in blocks that are taken once, with λ the largest
    that the rates allow. Δ is what makes each repeated step count most, and 0 elsewhere. With all-differ this
    always succeeds; under other adjacencies the same runs may lose less, and then the result is None, which
    proves nothing. Raises UnknownName.
    """
    possible = {takes_input: extreme_points(adjacency, takes_input) for takes_input in (False, True)}
    if adjacency == Adjacency.ONE_DIFFER:  # a repeated step may not differ
        return None
    if adjacency == Adjacency.MONOTONIC:
        return next(filter(None, (pump(verdict, one_way) for one_way in ONE_WAY)), None)
    unit = [_unit(part) for part in verdict.run]
    scale = _scale(unit)
    blocks = []
    for block, loads in zip(unit, _loads(unit), strict=True):
        steps = []
        for step, load in zip(block.steps, loads, strict=True):
            options = (0, *possible[step.edge.input])
            if block.repeat:
                delta = max(options, key=lambda d: _gain(step.edge, d, load * scale).constant)
            else:  # with an infinite rate a step that is made once can lose more with every N as well
                delta = max(options, key=lambda d: _gain(step.edge, d, load * scale).slope)
            duals = tuple(dual * scale for dual in step.duals)
            steps.append(replace(step, delta=delta, duals=duals))
        blocks.append(Block(block.repeat, tuple(steps)))
    if total(blocks).slope > 0:
        return tuple(blocks)
    if adjacency == Adjacency.ALL_DIFFER:
        raise Fault(f"the run of a {verdict.reason} does not lose more with every turn")
    return None


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


def _unit(part: Stretch) -> Block:
    marked = Linear(Fraction(1)) if part.repeat else Linear(slope=Fraction(1))
    steps = []
    for k, edge in enumerate(part.edges):
        turned = edge.relation == "=" and k in part.above
        steps.append(RunStep.of(edge, 0, marked * (-1 if turned else 1) if k in part.marked else NOTHING))
    return Block(part.repeat, tuple(steps))


def _scale(unit: Sequence[Block]) -> Fraction:
    """The largest factor of all duals with which no load exceeds its rate; 0 if there are no loads."""
    loads = [
        (load.constant, step.edge.left if load.constant > 0 else step.edge.right)
        for block, loads in zip(unit, _loads(unit), strict=True)
        for step, load in zip(block.steps, loads, strict=True)
        if load.constant and not step.edge.pinned
    ]
    return min((rate / abs(load) for load, rate in loads if isinstance(rate, Fraction)), default=Fraction(1))


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
