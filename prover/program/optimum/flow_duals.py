"""The optimal shifts of a run of several variables, and its multipliers, by a flow of least cost.

The dual of the problem of shifts (docs/theory_variables.md, *Multipliers*) is a flow: the multiplier λ ≥ 0 of
a test γ_a ≤ γ_b carries λ from b to a; step i takes in or gives out at most its weights, which earns Δ_i a
unit, and steps that output insample any amount, which earns nothing. Optimal shifts are in {−1, 0, 1}.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prover.graphs import search
from prover.program.optimum.weighed import Weighed, constraints


def by_flow(run: Sequence[Weighed]) -> tuple[list[int], list[tuple[int, ...]]] | None:
    """The optimal shifts and the multipliers of a run; None if no valid shifts have a finite cost."""
    import networkx as nx

    if not has_shifts(run):
        return None
    tests = constraints([step.edge for step in run])
    equal = [[relation == "=" for relation, _ in step.edge.bounds] for step in run]
    graph = nx.MultiDiGraph()
    hub = len(run)
    graph.add_nodes_from(range(hub + 1))
    for index, step in enumerate(run):
        ways = ((hub, index, -step.delta, step.left), (index, hub, step.delta, step.right))
        for source, target, cost, weight in ways:
            if step.edge.pinned:
                graph.add_edge(source, target, weight=0)
            elif weight is None:
                graph.add_edge(source, target, weight=cost)
            else:
                graph.add_edge(source, target, weight=cost, capacity=weight)
    keys = [[graph.add_edge(a, b, weight=0) for a, b in own] for own in tests]
    back = [
        [graph.add_edge(b, a, weight=0) if same else None for (a, b), same in zip(own, sames, strict=True)]
        for own, sames in zip(tests, equal, strict=True)
    ]
    _, flows = nx.network_simplex(graph)
    multipliers = [
        tuple(
            int(flows[a][b][key]) - (0 if other is None else int(flows[b][a][other]))
            for (a, b), key, other in zip(own, key_row, other_row, strict=True)
        )
        for own, key_row, other_row in zip(tests, keys, back, strict=True)
    ]
    return _shifts(run, graph, flows, hub), multipliers


def has_shifts(run: Sequence[Weighed]) -> bool:
    """Whether some shifts that tests and outputs allow have a finite cost.

    Without noise to the left a shift is at least Δ, without noise to the right at most. No shift that has to
    be so high may be below one that has to be so low.
    """
    if any(step.cost(0) is None for step in run if step.edge.pinned):
        return False
    above: list[list[int]] = [[] for _ in run]
    for step, own in zip(run, constraints([step.edge for step in run]), strict=True):
        for (a, b), (relation, _) in zip(own, step.edge.bounds, strict=True):
            above[a].append(b)
            if relation == "=":
                above[b].append(a)
    for level in (0, 1):  # in shifts of at most 1, at least 0 and at least 1 are all that can be demanded
        high = [k for k, step in enumerate(run) if _least(step) >= level]
        if any(_most(run[k]) < level for k in search(high, above.__getitem__)):
            return False
    return True


def _least(step: Weighed) -> int:
    """The least shift of a step, among −1, 0 and 1, that costs a finite amount."""
    if step.edge.pinned:
        return 0
    return step.delta if step.left is None else -1


def _most(step: Weighed) -> int:
    """The largest one."""
    if step.edge.pinned:
        return 0
    return step.delta if step.right is None else 1


def _shifts(run: Sequence[Weighed], graph: Any, flows: Any, hub: int) -> list[int]:
    """Optimal shifts: potentials of what is left of the capacities, which are cut off at −1 and 1."""
    left: list[tuple[int, int, int]] = []
    for a, b, key, data in graph.edges(keys=True, data=True):
        flow = flows[a][b][key]
        if "capacity" not in data or flow < data["capacity"]:
            left.append((a, b, data["weight"]))
        if flow > 0:
            left.append((b, a, -data["weight"]))
    potential = [0] * (hub + 1)
    changed = True
    while changed:
        changed = False
        for a, b, cost in left:
            if potential[a] + cost < potential[b]:
                potential[b] = potential[a] + cost
                changed = True
    return [max(-1, min(1, potential[hub] - potential[k])) for k in range(len(run))]
