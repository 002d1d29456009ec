"""Detours: paths within a label that are cheaper than all of fewer arcs. Potentials have to keep them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..budget import Budget
from ..reading import Ratio, RuleBroken, demand

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Detours:
    """Of a pair (i,j) of one label, (h, n) for every h ≥ 2 with c_h(i,j) below 1 and below all of fewer arcs,
    n being c_h(i,j) times the table's denominator and q^(h−1)."""

    ways: Mapping[Pair, Sequence[tuple[int, int]]]
    most: int  # of one pair
    longest: int  # number of arcs


def detours(
    states: Sequence[int], distance: Callable[[Pair], int], whole: int, alpha: Ratio, budget: Budget
) -> Detours:
    """Those between the states of a label, whose distances are integers over one denominator.

    c_1 = d, and c_{h+1}(i,j) = min_k d(i,k) + α c_h(k,j), over the k for which h = 1 or this is a detour.
    """
    (p, q), size, bits = alpha, len(states), whole.bit_length()
    budget.fit(size * size, max(bits + p.bit_length(), 256))
    budget.spend(8 * size * size, bits)
    table = [[0 if i == j else min(distance((i, j)), whole) for i in states] for j in states]  # by j, i

    def spend(ways: int, arcs: int) -> None:
        budget.spend(ways + 2 * size * size, bits + arcs * p.bit_length(), p.bit_length())

    many = [sum(x < whole for x in row) - 1 for row in table]  # arcs into every state
    if any(many):
        spend(
            sum(many[a] for b, row in enumerate(table) for a, x in enumerate(row) if x < whole and a != b), 2
        )
    near = [sorted((x, a) for a, x in enumerate(row) if x < whole and a != b) for b, row in enumerate(table)]
    into = [([x for x, _ in row], [a for _, a in row]) for row in near]
    last = near  # by j: the cost and the place of every k that begins a cheapest path of the last length
    ways: dict[Pair, list[tuple[int, int]]] = {}
    arcs, bound = 1, whole
    while any(last):
        arcs, bound = arcs + 1, bound * q
        into = [([x * q for x in costs], places) for costs, places in into]
        following: list[list[tuple[int, int]]] = []
        for b, row in enumerate(last):
            least = table[b] = [x * q for x in table[b]]
            better: dict[int, int] = {}
            for cost, k in row:
                rest = p * cost
                for x, a in zip(*into[k], strict=True):
                    total = x + rest
                    if total >= bound:
                        break
                    if total < least[a]:
                        least[a] = better[a] = total
            for a, total in better.items():
                ways.setdefault((states[a], states[b]), []).append((arcs, total))
            following.append([(total, a) for a, total in better.items()])
        last = following
        if any(last):
            spend(sum(len(into[k][0]) for row in last for _, k in row), arcs + 1)
    most = max(map(len, ways.values()), default=0)
    return Detours(ways, most, max((found[-1][0] for found in ways.values()), default=0))


def detour_rule(
    alpha: Ratio,
    found: Detours,
    f: Mapping[int, int],
    e: int,
    rising: Sequence[int],
    states: Sequence[int],
    bits: int,
    budget: Budget,
) -> None:
    """f_i ≤ c_h(i,j) + α^h f_j for the detours from states with f_i > 0 to some states, f over e times the
    table's denominator; the products of both have so many bits."""
    if not found.ways:
        return
    (p, q), more = alpha, found.longest * alpha[0].bit_length()
    budget.spend(len(rising) * len(states) * found.most, bits + more, more)
    for i in rising:
        for j in states:
            for arcs, cost in found.ways.get((i, j), ()):
                kept = f[i] * q**arcs <= cost * q * e + p**arcs * f[j]
                demand(kept, RuleBroken, f"f_{i} is too large for a detour to {j}")
