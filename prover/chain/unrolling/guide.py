"""What floating point sees of an unrolling: its best attackers, and where it is to be expanded next.

Nothing of it is believed. All values are parts of |x|. A chain has no choices, and runs end in
leaves; an attacker who chooses stops at first, and switches to an action only where that is strictly
better, so every plan ends. Leaves are expanded best first, always where the gap between the bounds
of a leaf weighs most, seen from the pairs that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Protocol

from prover.chain.unrolling.graph import Node, Unrolling
from prover.chain.unrolling.plan import STOP, Plan
from prover.progress import Progress

if TYPE_CHECKING:
    from prover.chain.ld.interval import UpperTable

_FEW = 100  # nodes of a chain up to which loading a library for arrays would take longer than doing without
_LEAST_BATCH = 16  # leaves that are expanded, and a fourth of the nodes, before weights are computed again


class GuideGraph(Protocol):
    """A graph of which floating point finds the best attackers, and how often runs come by its nodes."""

    def plans(self, before: tuple[Plan, Plan]) -> tuple[Plan, Plan]:
        """The best attackers, if leaves are worth their lower bounds, and their upper bounds; from those of
        an earlier graph.
        """

    def visits(self, plan: Plan, starts: Sequence[int]) -> list[float]:
        """How often runs of the attacker from the first secrets of these roots come by every node."""


def guide_graph(nodes: Sequence[Node], *, chooses: bool) -> GuideGraph:
    """The graph as it is now; libraries for arrays are loaded only where there is much to compute."""
    if len(nodes) <= _FEW and not chooses:
        return _FewNodes(nodes)
    from prover.chain.unrolling.float_graph import FloatGraph

    return FloatGraph(nodes, chooses=chooses)


class _FewNodes:
    """A graph of a chain: there is one attacker, who takes the one action of every inner node."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes = nodes
        self._steps: list[dict[int, float]] = [{} for _ in nodes]
        for row, node in zip(self._steps, nodes, strict=True):
            for entry in node.entries:
                row[entry.target] = row.get(entry.target, 0.0) + entry.chance

    def plans(self, before: tuple[Plan, Plan]) -> tuple[Plan, Plan]:
        """That attacker, with what leaves are worth by their lower bounds, and by their upper bounds."""
        del before
        taken = [STOP if node.is_leaf else 0 for node in self._nodes]
        worth = [[node.guide[side] if node.is_leaf else 0.0 for node in self._nodes] for side in (0, 1)]
        below, above = (Plan(taken, _solution(self._steps, behind)) for behind in worth)
        return below, above

    def visits(self, plan: Plan, starts: Sequence[int]) -> list[float]:
        """How often runs from the first secrets of these roots come by every node."""
        del plan
        back: list[dict[int, float]] = [{} for _ in self._nodes]
        for number, row in enumerate(self._steps):
            for target, chance in row.items():
                back[target][number] = chance
        return _solution(back, [1.0 if number in starts else 0.0 for number in range(len(back))])


def _solution(steps: Sequence[Mapping[int, float]], behind: Sequence[float]) -> list[float]:
    """About the x with x = steps·x + behind: the last unknowns are eliminated first, as most lead on to
    later ones. All ones where there is none that floating point can find.
    """
    rows: list[dict[int, float]] = [{} for _ in steps]
    values = list(behind)
    for k in range(len(steps) - 1, -1, -1):
        row, later = dict(steps[k]), [-j for j in steps[k] if j > k]
        heapify(later)
        while later:
            j = -heappop(later)
            weight = row.pop(j)
            values[k] += weight * values[j]
            for i, entry in rows[j].items():
                if i > k and i not in row:
                    heappush(later, -i)
                row[i] = row.get(i, 0.0) + weight * entry
        rest = 1.0 - row.pop(k, 0.0)
        if rest <= 0:
            return [1.0] * len(values)
        values[k] /= rest
        rows[k] = {i: entry / rest for i, entry in row.items()}
    for k, row in enumerate(rows):
        values[k] += sum(entry * values[i] for i, entry in row.items())
    return values


def expand_heaviest(
    graph: Unrolling,
    weight: list[float],
    enough: float,
    bounds: UpperTable | None,
    is_full: Callable[[], bool],
    progress: Progress,
) -> bool:
    """Expand the leaves whose gaps weigh most; False if there is none.

    ``weight`` says how often runs come by every node, and grows with the nodes. It ends after a part of the
    nodes, as the weights change, or when the graph is full; or, with ``enough`` above 0, once the weighted
    gaps add up to no more than that.
    """
    nodes = graph.nodes
    heap = [
        (-weight[number] * node.gap(), number)
        for number, node in enumerate(nodes)
        if weight[number] > 0 and node.is_open
    ]
    heapify(heap)
    left = -sum(score for score, _ in heap)
    batch, done = _LEAST_BATCH + len(nodes) // 4, 0
    while heap and (not done or (done < batch and (left > enough or enough == 0))):
        if is_full():
            break
        score, number = heappop(heap)
        left += score
        before = len(nodes)
        if graph.expand(number):
            done += 1
        chances = dict[int, float]()
        for entry in nodes[number].entries:
            if entry.target >= before:
                chances[entry.target] = max(chances.get(entry.target, 0.0), entry.chance)
        for target, chance in sorted(chances.items()):
            child = nodes[target]
            if bounds is not None:
                from prover.chain.unrolling.leaf_bounds import improve

                improve(graph, child, bounds)
            weight.append(weight[number] * chance)
            if not child.settled:
                score = weight[target] * child.gap()
                heappush(heap, (-score, target))
                left += score
        progress("unrolling (nodes)", len(nodes), None)
    return done > 0
