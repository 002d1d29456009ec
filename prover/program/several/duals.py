"""The optimal shifts of one run of a program of several variables, and the multipliers that prove them.

For a run with differences Δ of its inputs the least cost of shifts is the linear program

    min { Σ |Δ_i − γ_i|·weight_i : γ_a ≤ γ_b for every test, γ_i = 0 where insample is output },

with one weight of a step to the left, where γ_i < Δ_i, and one to the right; weights may be infinite.
Its dual is a flow: the multiplier λ ≥ 0 of a test γ_a ≤ γ_b carries λ from b to a, and that of an equality
may be negative; step i takes in or gives out at most its weights, which earns Δ_i a unit, and steps that
output insample any amount, which earns nothing
(docs/theory_variables.md, *Multipliers*). The matrix of a flow is totally unimodular, so with integer weights
multipliers are integers, and optimal shifts are in {−1, 0, 1}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prover.errors import Fault
from prover.graphs import search
from prover.program.model import Edge
from prover.program.optimum.duals import Weighed


@dataclass(frozen=True, slots=True)
class RunOptimum:
    """Optimal shifts of the steps, a multiplier for every test of every step, and the cost."""

    shifts: tuple[int, ...]
    multipliers: tuple[tuple[int, ...], ...]
    cost: int


def constraints(edges: Sequence[Edge], *, tests_only: bool = False) -> list[list[tuple[int, int]]]:
    """For every bound of every step the steps (a, b) with γ_a ≤ γ_b; where they are equal, a is the step.

    With ``tests_only`` only for guards, which order samples, too. Raises Fault where nothing is stored.
    """
    stored: dict[str, int] = {}
    found: list[list[tuple[int, int]]] = []
    for place, edge in enumerate(edges):
        own = []
        for relation, name in edge.guard if tests_only else edge.bounds:
            if name not in stored:
                raise Fault(f"transition {edge.number} tests {name!r}, which no step before it stores")
            own.append((stored[name], place) if relation == ">=" else (place, stored[name]))
        found.append(own)
        stored.update(dict.fromkeys(edge.assign, place))
    return found


def run_optimum(run: Sequence[Weighed]) -> RunOptimum | None:
    """The optimal shifts and multipliers of a run; None if no valid shifts have a finite cost.

    Raises Fault where the multipliers do not prove what the shifts cost.
    """
    import networkx as nx

    tests = constraints([step.edge for step in run])
    equal = [[relation == "=" for relation, _ in step.edge.bounds] for step in run]
    if not has_shifts(run):
        return None
    graph = nx.MultiDiGraph()
    hub = len(run)
    graph.add_nodes_from(range(hub + 1))
    for place, step in enumerate(run):
        ways = ((hub, place, -step.delta, step.left), (place, hub, step.delta, step.right))
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
    earned, flows = nx.network_simplex(graph)
    multipliers = tuple(
        tuple(
            int(flows[a][b][key]) - (0 if other is None else int(flows[b][a][other]))
            for (a, b), key, other in zip(own, key_row, other_row, strict=True)
        )
        for own, key_row, other_row in zip(tests, keys, back, strict=True)
    )
    shifts = _shifts(run, graph, flows, hub)
    costs = [step.cost(shift) for step, shift in zip(run, shifts, strict=True)]
    outputs = sum(step.cost(0) or 0 for step in run if step.edge.pinned)
    broken = any(
        shifts[a] > shifts[b] or (same and shifts[a] != shifts[b])
        for own, sames in zip(tests, equal, strict=True)
        for (a, b), same in zip(own, sames, strict=True)
    )
    if broken or None in costs:
        raise Fault("the shifts of a run break a test, or go where there is no noise")
    cost = sum(own for own in costs if own is not None)
    if cost != outputs - int(earned):
        raise Fault(f"the multipliers do not prove that a run costs {cost}")
    return RunOptimum(shifts, multipliers, cost)


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


def _shifts(run: Sequence[Weighed], graph: Any, flows: Any, hub: int) -> tuple[int, ...]:
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
    return tuple(max(-1, min(1, potential[hub] - potential[k])) for k in range(len(run)))
