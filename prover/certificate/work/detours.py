"""The work of detours: paths within a label that are cheaper than all of fewer arcs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from prover.certificate.work.count import Count

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Longest:
    """Of the detours of a label: the most between two states, and the most arcs."""

    most: int
    arcs: int


def detours(
    count: Count, states: Sequence[int], values: Mapping[Pair, int], whole: int, p: int, q: int
) -> Longest:
    """What it costs to find those of a label at α = p / q; pairs without a value are at distance 0."""
    size, bits = len(states), whole.bit_length()
    count.hold(size * size, max(bits + p.bit_length(), 256))
    count.spend(8 * size * size, bits)
    least = {j: [0 if i == j else values.get((i, j), 0) for i in states] for j in states}
    steps = [sorted((x, a) for a, x in enumerate(least[j]) if x < whole and states[a] != j) for j in states]
    ends = {j: list(row) for j, row in zip(states, steps, strict=True)}
    ways: dict[Pair, int] = {}
    arcs, scale = 1, 1
    while any(ends.values()):
        arcs, scale = arcs + 1, scale * q
        tried = sum(len(steps[k]) for row in ends.values() for _, k in row)
        count.spend(tried + 2 * size * size, bits + arcs * p.bit_length(), p.bit_length())
        following = {j: dict[int, int]() for j in states}
        for j, row in ends.items():
            least[j] = [x * q for x in least[j]]
            for cost, k in row:
                room = whole * scale - p * cost
                for x, a in steps[k]:
                    if x * scale >= room:
                        break
                    if x * scale + p * cost < least[j][a]:
                        least[j][a] = following[j][a] = x * scale + p * cost
        for j, better in following.items():
            for a in better:
                ways[a, j] = ways.get((a, j), 0) + 1
        ends = {j: [(x, a) for a, x in better.items()] for j, better in following.items()}
    return Longest(max(ways.values(), default=0), arcs - 1 if ways else 0)
