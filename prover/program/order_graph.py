"""The order graph: the states of a program with what is known of the order of its live variables.

Tests compare samples with stored ones, so a run knows of some stored values which is the larger. An edge
whose tests contradict that is *blocked*: no run takes it with positive probability. A variable is *live* at a
state if some path from there tests it before it is assigned again; of the others nothing need be known. The
paths of the graph from its first node are exactly the runs of positive probability (docs/theory_variables.md,
*The order graph*). With one variable orders are empty, and there is one node a state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from prover.errors import Fault
from prover.graphs import nearest_way, search, strong_components
from prover.program.model import Edge, Program, out_edges

Order = frozenset[tuple[str, str]]
"""Pairs (a, b) of different variables with a ≤ b, closed under transitivity."""

Variables = frozenset[str]

_Node = tuple[str, Order, Order]
"""A state, the order of its live variables, and what is known of their shifts."""

FINAL = -1
"""The node of all final states, where nothing is live."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between nodes: ``edge`` leads from node ``source`` to node ``target`` (FINAL where it ends)."""

    source: int
    edge: Edge
    target: int


@dataclass(frozen=True, slots=True)
class OrderGraph:
    """The reachable nodes of a program, breadth first from its initial state, which is node 0.

    Node n is (``states[n]``, ``orders[n]``, ``links[n]``); ``arrows[n]`` leave it, in the order of the
    state's edges, and blocked edges have none. ``links`` are what is known of shifts: a ≤ b if the stored
    values are so ordered, and where gaps are output also what these equate. ``live`` are the live variables
    of every state.
    """

    states: tuple[str, ...]
    orders: tuple[Order, ...]
    links: tuple[Order, ...]
    arrows: tuple[tuple[Arrow, ...], ...]
    live: Mapping[str, Variables]

    @property
    def all_arrows(self) -> Iterator[Arrow]:
        """The arrows of all nodes, in order."""
        return chain.from_iterable(self.arrows)

    def live_at(self, node: int) -> Variables:
        """The variables that are live at a node."""
        return frozenset() if node == FINAL else self.live[self.states[node]]

    def stays(self, arrow: Arrow) -> bool:
        """Whether an arrow assigns no variable that is live at its target."""
        return self.live_at(arrow.target).isdisjoint(arrow.edge.assign)

    def components(self, allowed: Callable[[Arrow], bool] = lambda _: True) -> list[int]:
        """The number of every node's strongly connected component along allowed arrows.

        No allowed arrow leads from a node to one with a lower number.
        """

        def after(node: int) -> Iterable[int]:
            return [a.target for a in self.arrows[node] if a.target != FINAL and allowed(a)]

        number = [0] * len(self.states)
        found = strong_components(range(len(self.states)), after)
        for place, members in enumerate(reversed(found)):
            for node in members:
                number[node] = place
        return number


def live_variables(program: Program) -> Mapping[str, Variables]:
    """The live variables of every state; a final state has no entry."""
    leaving = out_edges(program)
    arriving: dict[str, list[Edge]] = {state: [] for state in leaving}
    for edge in program.edges:
        if edge.target in arriving:
            arriving[edge.target].append(edge)
    live = {s: frozenset(v for edge in edges for _, v in edge.bounds) for s, edges in leaving.items()}
    waiting = [(state, name) for state, names in live.items() for name in names]
    while waiting:
        state, name = waiting.pop()
        for edge in arriving[state]:
            if name not in edge.assign and name not in live[edge.source]:
                live[edge.source] |= {name}
                waiting.append((edge.source, name))
    return live


def below(edge: Edge) -> Variables:
    """The variables whose shift is at most that of the sample: with a test ``>= v``, or equal to it."""
    return frozenset(v for relation, v in edge.bounds if relation != "<")


def above(edge: Edge) -> Variables:
    """The variables whose shift is at least that of the sample: with a test ``< v``, or equal to it."""
    return frozenset(v for relation, v in edge.bounds if relation != ">=")


def followed(order: Order, edge: Edge, live: Variables) -> Order | None:
    """What is known of the live variables after an edge; None if it is blocked.

    The new sample ∗ is above what is below its lower tests, and below what is above its upper tests. What the
    old values of assigned variables linked stays known of the others.
    """
    if len(live) < 2 and len(edge.guard) < 2 and not order:
        return order
    least = frozenset(v for relation, v in edge.guard if relation == ">=")
    most = frozenset(v for relation, v in edge.guard if relation == "<")
    if least & most or any(a in most and b in least for a, b in order):  # some u ≤ l, and l ≤ ∗ < u
        return None
    return _linked(order, edge, live, least, most)


def _linked(order: Order, edge: Edge, live: Variables, least: Variables, most: Variables) -> Order:
    """The pairs of live variables after an edge whose sample is between some variables."""
    lower = least | {a for a, b in order if b in least}
    upper = most | {b for a, b in order if a in most}
    kept = live.difference(edge.assign)
    stored = live.intersection(edge.assign)
    pairs = {(a, b) for a, b in order if a in kept and b in kept}
    pairs |= {(a, b) for a in lower & kept for b in upper & kept if a != b}
    pairs |= {(a, s) for a in lower & kept for s in stored}
    pairs |= {(s, b) for s in stored for b in upper & kept}
    pairs |= {(s, t) for s in stored for t in stored if s != t}
    return frozenset(pairs)


def order_graph(program: Program) -> OrderGraph:
    """The order graph of a program. Its size is linear in the program's where orders do not multiply."""
    leaving = out_edges(program)
    live = live_variables(program)
    steps: dict[_Node, list[tuple[Edge, _Node | None]]] = {}

    def after(node: _Node) -> list[_Node]:
        state, order, links = node
        steps[node] = []
        for edge in leaving[state]:
            ends = edge.target not in leaving
            names = frozenset[str]() if ends else live[edge.target]
            known = followed(order, edge, names)
            if known is not None:
                same = links == order and edge.bounds == edge.guard
                linked = known if same else _linked(links, edge, names, below(edge), above(edge))
                steps[node].append((edge, None if ends else (edge.target, known, linked)))
        return [target for _, target in steps[node] if target is not None]

    first: _Node = (program.initial, Order(), Order())
    nodes = {node: number for number, node in enumerate(search([first], after))}
    arrows = [
        tuple(Arrow(number, edge, FINAL if to is None else nodes[to]) for edge, to in steps[node])
        for node, number in nodes.items()
    ]
    states, orders, links = zip(*nodes, strict=True)
    return OrderGraph(states, orders, links, tuple(arrows), live)


def blocked_step(program: Program, run: Sequence[Edge]) -> int | None:
    """The first step of a run that is blocked; None if the run is possible."""
    live = live_variables(program)
    order = Order()
    for place, edge in enumerate(run):
        known = followed(order, edge, live.get(edge.target, frozenset()))
        if known is None:
            return place
        order = known
    return None


def overlapping_states(graph: OrderGraph) -> tuple[str, ...]:
    """The states at which two transitions are possible for one sample, as far as the known order tells."""
    found = set()
    for number, arrows in enumerate(graph.arrows):
        for first, second in combinations([arrow.edge for arrow in arrows], 2):
            both = replace(first, guard=(*first.guard, *second.guard))
            if followed(graph.orders[number], both, frozenset()) is not None:
                found.add(graph.states[number])
    return tuple(sorted(found))


def way(
    arrows: Sequence[Sequence[Arrow]], source: int, goals: Collection[int], allowed: Callable[[Arrow], bool]
) -> list[Arrow] | None:
    """The arrows of a shortest way by allowed arrows to the nearest goal; None if there is no way.

    There are none if the source is a goal.
    """

    def leaving(node: int) -> list[tuple[int, Arrow]]:
        return [(a.target, a) for a in arrows[node] if a.target != FINAL and allowed(a)]

    found = nearest_way([source], leaving, goals)
    return None if found is None else found[1]


def first_way(graph: OrderGraph, goal: int) -> list[Arrow]:
    """A shortest way from the first node. Raises Fault if there is none."""
    found = way(graph.arrows, 0, {goal}, lambda _: True)
    if found is None:
        raise Fault(f"no way to node {goal}")
    return found
