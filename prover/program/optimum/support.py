"""Support functions: how much the values of a cell weigh at most, for many weights of the shifts at once.

A run that passes a cell costs min over x of past(x) + rest(x) there. Weights λ ≥ 0 of the shifts, of sum 1,
bound that from above by λ·past + λ·rest, and what λ·past is at most, h(λ), is found without any table: a step
that does not assign adds λ·costs, and one that does moves the weights to shifts that its guard allows, as it
is cheapest. So min over λ of h(λ) + λ·rest says about how much runs cost that have these values there: their
*worth*. It tells which values are worth keeping where a table must make do with few. It decides nothing: what
tables prove does not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prover.program.model import Relation
from prover.program.optimum.cells import CellMove
from prover.program.optimum.closure import Direction
from prover.program.optimum.staircases import StairCells
from prover.program.optimum.transfer import MIRRORED, Arc, Values
from prover.program.order_graph import FINAL

IntegerArray = NDArray[np.int64]
"""An array of whole numbers."""

_PARTS = 16
"""How many parts the weights of three shifts are divided into."""
_ROUNDS = 4
"""How often cells that lead to each other are looked at."""
_BITS = 40
"""Numbers longer than this are shortened, so that weighed sums of many fit into machine numbers."""


@dataclass(frozen=True, slots=True)
class Support:
    """What values of the cells weigh at most: ``weights`` are those of each shift (3 × weights), ``most`` is
    for each cell an array, one number for each weight. Numbers have lost their last ``bits`` bits.
    """

    weights: IntegerArray
    most: Mapping[int, IntegerArray]
    bits: int

    def worth(self, number: int, values: Sequence[Values]) -> list[int]:
        """About how much runs cost that have values of the opposite direction at a cell, times a constant."""
        if self.bits:
            values = [tuple(number >> self.bits for number in own) for own in values]
        worth: list[int] = (np.array(values) @ self.weights + self.most[number]).min(axis=1).tolist()
        return worth


def support(cells: StairCells, direction: Direction[Arc]) -> Support:
    """The support functions of the values that come to cells in a direction; there must be three shifts."""
    grid = _Grid.of(max(0, cells.scale.cap.bit_length() - _BITS), cells.scale.cap)
    found: dict[int, IntegerArray] = {FINAL: grid.weighed(cells.scale.nothing)}
    for group in direction.groups:
        for number in group:
            mask = grid.weighed(cells.cells[number].bound)
            found[number] = mask if number in direction.seeds else np.full_like(mask, -grid.most)
        for _ in range(_ROUNDS):
            changed = False
            for number in group:
                own = found[number]
                mask = grid.weighed(cells.cells[number].bound)
                for move in direction.moves[number]:
                    own = np.maximum(own, grid.carried(move, found[move.target], direction.forwards) + mask)
                own = np.minimum(own, grid.most)
                changed = changed or not np.array_equal(own, found[number])
                found[number] = own
            if not changed:
                break
    inside = grid.inside
    return Support(
        np.stack([weight[inside] for weight in grid.weights]),
        {number: own[inside] for number, own in found.items()},
        grid.bits,
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """Weights of three shifts in so many parts, as square arrays: in row i and column j the first weight is i
    and the first two together are j; entries with i > j are not ``inside``.
    """

    weights: tuple[IntegerArray, IntegerArray, IntegerArray]
    inside: NDArray[np.bool_]
    bits: int
    most: int

    @classmethod
    def of(cls, bits: int, cap: int) -> _Grid:
        """The grid for numbers up to a cap, which lose so many bits."""
        first, both = np.indices((_PARTS + 1, _PARTS + 1), np.int64)
        return cls((first, both - first, _PARTS - both), first <= both, bits, _PARTS * (cap >> bits))

    def weighed(self, values: Values) -> IntegerArray:
        """λ·values for all weights."""
        a, b, c = (number >> self.bits for number in values)
        first, second, third = self.weights
        return a * first + b * second + c * third

    def carried(self, move: CellMove[Arc], there: IntegerArray, forwards: bool) -> IntegerArray:
        """What a move makes of a support function at its other end."""
        edge, own = move.step.edge, self.weighed(move.step.costs)
        if not edge.assigns:
            return there + own
        if forwards:
            return self._cheapest(MIRRORED[edge.relation], there) + own
        return self._cheapest(edge.relation, there + own)

    def _cheapest(self, relation: Relation, own: IntegerArray) -> IntegerArray:
        """The least over all weights that come from those given by moving parts as a guard allows."""
        if relation == "=":
            return own
        own = np.where(self.inside, own, self.most * 2)
        if relation == "":
            return np.full_like(own, own.min())
        turn = (slice(None, None, -1),) * 2 if relation == "<" else (slice(None),) * 2
        return np.minimum.accumulate(np.minimum.accumulate(own[turn], axis=0), axis=1)[turn]
