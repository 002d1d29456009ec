"""What floating point sees of an unrolling: its best attackers, and where it is to be expanded next.

Nothing of it is believed. All values are parts of |x|; an attacker stops at first, and switches to an action
only where that is strictly better, so what he does always ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np

from prover.chain.ld.float_policy import sparse_solve
from prover.interactive.graph import InteractiveNode, InteractiveUnrolling
from prover.progress import Progress

_MARGIN = 1e-12  # by which another action has to be better
_ROUNDS = 200
_LEAST_BATCH = 16  # leaves that are expanded, and a fourth of the nodes, before values are computed again
STOP = -1


@dataclass(frozen=True, slots=True)
class Plan:
    """An attacker: ``taken[q]`` is the place of the action in the menu of node q, or STOP; what he gains."""

    taken: list[int]
    values: list[float]


class Seen:
    """The graph as arrays: the actions of all inner nodes one after the other, and the entries of each."""

    def __init__(self, nodes: Sequence[InteractiveNode]) -> None:
        owners: list[int] = []
        option: list[int] = []
        targets: list[int] = []
        chances: list[float] = []
        first = np.full(len(nodes), -1)
        for number, node in enumerate(nodes):
            if node.choices is None:
                continue
            first[number] = len(owners)
            for entries in node.choices.values():
                for entry in entries:
                    option.append(len(owners))
                    targets.append(entry.target)
                    chances.append(entry.chance)
                owners.append(number)
        self.size = len(nodes)
        self._first = first
        self._owners = np.array(owners, dtype=np.int64)
        self._option = np.array(option, dtype=np.int64)
        self._targets = np.array(targets, dtype=np.int64)
        self._chances = np.array(chances, dtype=np.float64)
        guides = np.array([node.guide() for node in nodes]).reshape(-1, 2)
        inner = np.array([node.choices is not None for node in nodes], dtype=bool)
        self._stop = guides[:, 0]
        self._most = np.where(inner, guides[:, 0], guides[:, 1])

    def plan(self, *, below: bool, before: Plan | None = None) -> Plan:
        """The best attacker, if leaves are worth their lower bound, or their upper bound; policy iteration,
        from a plan of the same side of an earlier graph if there is one.
        """
        worth = self._stop if below else self._most
        taken = np.full(self.size, STOP)
        if before is not None:
            taken[: len(before.taken)] = before.taken
        values = self._values(taken, worth)
        for _ in range(_ROUNDS):
            gains = np.bincount(
                self._option, self._chances * values[self._targets], minlength=len(self._owners)
            )
            best = np.full(self.size, -np.inf)
            np.maximum.at(best, self._owners, gains)
            better = best > np.maximum(values, worth) + _MARGIN
            stops = (values < worth - _MARGIN) & ~better
            if not better.any() and not stops.any():
                break
            chosen = np.flatnonzero(gains >= best[self._owners])
            option = np.full(self.size, -1)
            option[self._owners[chosen[::-1]]] = chosen[::-1]  # the first of several
            taken = np.where(better, option - self._first, np.where(stops, STOP, taken))
            values = self._values(taken, worth)
        return Plan(taken.tolist(), values.tolist())

    def visits(self, plan: Plan, starts: Sequence[int]) -> list[float]:
        """How often runs of the attacker from the first secrets of these roots come by every node."""
        begin = np.zeros(self.size)
        begin[list(starts)] = 1.0
        rows, columns, weights = self._steps(np.array(plan.taken))
        found: list[float] = sparse_solve(columns, rows, weights, begin).tolist()
        return found

    def _values(self, taken: np.ndarray, worth: np.ndarray) -> np.ndarray:
        rows, columns, weights = self._steps(taken)
        right = np.where(taken == STOP, worth, 0.0)
        return np.asarray(sparse_solve(rows, columns, weights, right))

    def _steps(self, taken: np.ndarray) -> tuple[list[int], list[int], list[float]]:
        option = np.where(taken == STOP, -1, self._first + taken)
        kept = option[self._owners[self._option]] == self._option
        owners = self._owners[self._option[kept]]
        return owners.tolist(), self._targets[kept].tolist(), self._chances[kept].tolist()


def expand_heaviest(
    graph: InteractiveUnrolling,
    weight: list[float],
    is_full: Callable[[], bool],
    progress: Progress,
) -> bool:
    """Expand the leaves whose gaps weigh most; False if there is none. It ends after a part of the nodes."""
    nodes = graph.nodes

    def score(number: int) -> float:
        low, high = nodes[number].guide()
        return -weight[number] * max(0.0, high - low)

    heap = [(score(q), q) for q, node in enumerate(nodes) if node.is_open and weight[q] > 0]
    heapify(heap)
    batch, done = _LEAST_BATCH + len(nodes) // 4, 0
    while heap and done < batch and not is_full():
        _, number = heappop(heap)
        before = len(nodes)
        if not graph.expand(number):
            continue
        done += 1
        chances = dict[int, float]()
        for entries in (nodes[number].choices or {}).values():
            for entry in entries:
                if entry.target >= before:
                    chances[entry.target] = max(chances.get(entry.target, 0.0), entry.chance)
        for target, chance in sorted(chances.items()):
            weight.append(weight[number] * chance)
            if nodes[target].is_open:
                heappush(heap, (score(target), target))
        progress("unrolling (nodes)", len(nodes), None)
    return done > 0
