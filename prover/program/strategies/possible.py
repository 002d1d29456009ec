"""The looping branches of a program of any number of variables: those that possible runs follow.

With several variables tests can contradict each other, so that branches are those of the order graph, written
as a program of its own: its states are nodes, and blocked transitions are missing. With one variable it is
the program itself (docs/strategies.md, *Several variables*).
"""

from __future__ import annotations

from dataclasses import replace

from prover.errors import NotSupported
from prover.program.branches import Branch, BranchEdge, looping_branches
from prover.program.decision.tokens import Cycles, leaking_pairs
from prover.program.model import Edge, Program, State, Transition, variables
from prover.program.order_graph import FINAL, OrderGraph, order_graph
from prover.program.scope import demand_no_ties


class StoringCycle(NotSupported):
    """A program of several variables stores on a cycle, so that its branches are not defined."""

    def __init__(self, edge: Edge) -> None:
        super().__init__(
            f"transition {edge.number} stores on a cycle; with several variables each has a last turn of its "
            "own, and strategies are compared only where nothing is stored on a cycle"
        )


def possible_branches(program: Program) -> tuple[Branch, ...]:
    """The looping branches that possible runs follow.

    Raises StoringCycle, TooManyBranches, and TiesOfSeveral.
    """
    if len(variables(program)) == 1:
        return looping_branches(program)
    demand_no_ties(program)
    graph = order_graph(program)
    cycles = Cycles(graph)
    leaks = any(test.edge.input for test, _, _ in leaking_pairs(graph, cycles))
    for leaving in graph.arrows:
        for arrow in leaving:
            if arrow.edge.assigns and cycles.inside(arrow) and not leaks:
                raise StoringCycle(arrow.edge)
    unfolded, edges = _unfolded(program, graph)
    found = {
        Branch(tuple(BranchEdge(edges[p.edge.number], p.on_cycle) for p in branch.steps), branch.leaks)
        for branch in looping_branches(unfolded)
    }
    return tuple(sorted(found, key=lambda branch: [place.edge.number for place in branch.steps]))


def _unfolded(program: Program, graph: OrderGraph) -> tuple[Program, tuple[Edge, ...]]:
    """The order graph as a program, and for each transition of that the one it stands for."""
    width = len(str(len(graph.states)))
    names = [f"{node:0{width}}" for node in range(len(graph.states))]
    states: dict[str, State] = {}
    edges: list[Edge] = []
    for node, arrows in enumerate(graph.arrows):
        if not arrows:  # runs stop here
            continue
        own = program.states[graph.states[node]]
        transitions = []
        for arrow in arrows:
            target = f"end {arrow.edge.target}" if arrow.target == FINAL else names[arrow.target]
            edge = arrow.edge
            transitions.append(Transition(edge.guard, edge.assign, edge.output, target))
            edges.append(edge)
        states[names[node]] = replace(own, transitions=tuple(transitions))
    return Program(names[0], states), tuple(edges)
