"""Where an unrolling is to be expanded next: floating point only, of which nothing is believed.

Leaves are expanded best first, always where the gap between the bounds of a leaf weighs most, seen from the
pairs that matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from prover.chain.ld.interval import UpperTable
from prover.chain.unrolling.graph import Unrolling
from prover.chain.unrolling.intervals import distance_bound
from prover.chain.unrolling.leaf_bounds import improve
from prover.chain.unrolling.node_values import Matrix, chances, guessed_bounds, visits
from prover.progress import Progress

_LEAST_BATCH = 16  # leaves that are expanded, and a fourth of the nodes, before weights are computed again


@dataclass(frozen=True, slots=True)
class Guess:
    """``between`` is about what the unrolling would prove of its roots."""

    between: Sequence[tuple[float, float]]
    matrix: Matrix
    size: int

    def visits(self, starts: Sequence[int]) -> list[float]:
        """How often runs from the first secrets of these roots come by every node."""
        return visits(self.matrix, starts, self.size)


def guess(graph: Unrolling, bounds: UpperTable | None) -> Guess:
    """What floating point sees of the unrolling as it is now."""
    matrix = chances(graph.nodes)
    below, above = guessed_bounds(graph.nodes, matrix)
    between = [
        (low, min(high, float(distance_bound(root, bounds))))
        for root, low, high in zip(graph.roots, below, above, strict=False)
    ]
    return Guess(between, matrix, len(graph.nodes))


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
        if node.entries is None and not node.stuck and not node.settled and weight[number] > 0
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
        for entry in nodes[number].entries or ():
            child = nodes[entry.target]
            if entry.target < before or not entry.defining:
                continue
            if bounds is not None:
                improve(graph, child, bounds)
            weight.append(weight[number] * entry.chance)
            if not child.settled:
                score = weight[entry.target] * child.gap()
                heappush(heap, (-score, entry.target))
                left += score
        progress("unrolling (nodes)", len(nodes), None)
    return done > 0
