"""The unrolling as arrays: its best attackers in floating point, where there are many nodes, or choices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from prover.chain.ld.float_policy import sparse_solve
from prover.chain.unrolling.graph import Node
from prover.chain.unrolling.plan import STOP, Plan

_MARGIN = 1e-12  # by which another action has to be better
_ROUNDS = 200
_SWEEPS = 2_000  # in which values of a game come near their limit


class FloatGraph:
    """The graph as arrays: the actions of all inner nodes one after the other, and the entries of each."""

    def __init__(self, nodes: Sequence[Node], *, chooses: bool) -> None:
        owners: list[int] = []
        option: list[int] = []
        targets: list[int] = []
        chances: list[float] = []
        first = np.full(len(nodes), -1)
        for number, node in enumerate(nodes):
            if node.choices is None:
                continue
            first[number] = len(owners)
            for entries in node.choices:
                for entry in entries:
                    option.append(len(owners))
                    targets.append(entry.target)
                    chances.append(entry.chance)
                owners.append(number)
        self._size = len(nodes)
        self._chooses = chooses
        self._first = first
        self._owners = np.array(owners, dtype=np.int64)
        self._option = np.array(option, dtype=np.int64)
        self._targets = np.array(targets, dtype=np.int64)
        self._chances = np.array(chances, dtype=np.float64)
        self._guides = np.array([node.guide for node in nodes]).reshape(-1, 2)
        self._nature = np.array([node.by_nature for node in nodes], dtype=bool)
        self._hidden = np.array([node.hidden for node in nodes], dtype=bool)

    def plans(self, before: tuple[Plan, Plan]) -> tuple[Plan, Plan]:
        """The best attackers, if leaves are worth their lower bounds, and their upper bounds; from those of
        an earlier graph.
        """
        inner = self._first >= 0
        if not self._chooses:
            taken = np.where(inner, 0, STOP)
            values = self._values(taken, self._guides)
            below, above = (Plan(taken.tolist(), values[:, side].tolist()) for side in (0, 1))
            return below, above
        lower = self._guides[:, 0]
        if self._nature.any():
            least = self._game(lower, self._hidden)
            most = self._game(np.where(inner, lower, self._guides[:, 1]), np.zeros_like(self._hidden))
            # The gap of a node is at most that of what the attacker hopes for and what nature fears least.
            taken = np.where(self._nature & ~self._hidden, least.taken, most.taken)
            return least, Plan(taken.tolist(), most.values)
        return self._best(lower, before[0]), self._best(np.where(inner, lower, self._guides[:, 1]), before[1])

    def _best(self, worth: np.ndarray, before: Plan) -> Plan:
        """The best attacker for these values of nodes at which to stop; by policy iteration."""
        taken = np.full(self._size, STOP)
        taken[: len(before.taken)] = before.taken
        values = self._values(taken, worth)
        for _ in range(_ROUNDS):
            gains = np.bincount(
                self._option, self._chances * values[self._targets], minlength=len(self._owners)
            )
            best = np.full(self._size, -np.inf)
            np.maximum.at(best, self._owners, gains)
            better = best > np.maximum(values, worth) + _MARGIN
            stops = (values < worth - _MARGIN) & ~better
            if not better.any() and not stops.any():
                break
            chosen = np.flatnonzero(gains >= best[self._owners])
            option = np.full(self._size, -1)
            option[self._owners[chosen[::-1]]] = chosen[::-1]  # the first of several
            taken = np.where(better, option - self._first, np.where(stops, STOP, taken))
            values = self._values(taken, worth)
        return Plan(taken.tolist(), values.tolist())

    def _game(self, worth: np.ndarray, stopping: np.ndarray) -> Plan:
        """About the best of the attacker, who stops at certain nodes, and of nature, by iteration."""
        values, sign = worth, np.where(self._nature, -1.0, 1.0)
        best: np.ndarray = worth
        gains: np.ndarray = self._chances
        inner = self._first >= 0
        for _ in range(_SWEEPS):
            gains = np.bincount(
                self._option, self._chances * values[self._targets], minlength=len(self._owners)
            )
            signed = np.full(self._size, -np.inf)
            np.maximum.at(signed, self._owners, sign[self._owners] * gains)
            best = sign * signed
            after = np.where(inner & ~stopping, np.maximum(worth, best), worth)
            moved, values = np.abs(after - values).max(), after
            if moved < _MARGIN:
                break
        chosen = np.flatnonzero(gains == best[self._owners])
        option = np.full(self._size, -1)
        option[self._owners[chosen[::-1]]] = chosen[::-1]
        takes = inner & (self._nature | (best > worth + _MARGIN))
        return Plan(np.where(takes, option - self._first, STOP).tolist(), values.tolist())

    def visits(self, plan: Plan, starts: Sequence[int]) -> list[float]:
        """How often runs of the attacker from the first secrets of these roots come by every node."""
        begin = np.zeros(self._size)
        begin[list(starts)] = 1.0
        rows, columns, weights = self._steps(np.array(plan.taken))
        found: list[float] = sparse_solve(columns, rows, weights, begin).tolist()
        return found

    def _values(self, taken: np.ndarray, worth: np.ndarray) -> np.ndarray:
        """What is gained by doing what is taken; of leaves one worth or several."""
        stops = taken == STOP
        right = np.where(stops if worth.ndim == 1 else stops[:, None], worth, 0.0)
        return np.asarray(sparse_solve(*self._steps(taken), right))

    def _steps(self, taken: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows, columns and entries of the chances to go from node to node."""
        option = np.where(taken == STOP, -1, self._first + taken)
        kept = option[self._owners[self._option]] == self._option
        return self._owners[self._option[kept]], self._targets[kept], self._chances[kept]
