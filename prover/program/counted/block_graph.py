"""The order graph of a program with a repeated block, in which every copy begins with the same order known.

Transitions into the block lead to the state after it. The node of the entry has no arrows to it but its own,
and the order of that state, which is what is known wherever a copy may begin (docs/theory_programs.md,
*Counts*).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from prover.graphs import search
from prover.program.counted.model import Counted
from prover.program.model import Edge, out_edges
from prover.program.order_graph import FINAL, Arrow, Order, OrderGraph, Variables, followed

_Place = tuple[str, Order]


@dataclass(frozen=True, slots=True)
class BlockGraph:
    """The graph, the nodes of the entry and of the state after the block, and the nodes of the states of the
    block, of those that are only before it, and of the others.
    """

    graph: OrderGraph
    entry: int
    after: int
    inside: Collection[int]
    before: Collection[int]
    later: Collection[int]


def block_graph(whole: Counted) -> BlockGraph | None:
    """The graph; None if the block is not reached, or if a run ends after it."""
    program, inside = whole.program, frozenset(whole.states)
    leaving, ends = out_edges(program), (whole.entry, whole.after)
    if whole.after not in leaving:
        return None
    live = _live(whole, leaving)
    common: Order | None = None
    arrived: list[Order] = []

    def steps(place: _Place) -> Iterator[tuple[Edge, _Place | None]]:
        for edge in leaving[place[0]]:
            enters = edge.source not in inside and edge.target in inside
            target = whole.after if enters else edge.target
            known = followed(place[1], edge, live.get(target, frozenset()))
            if known is None:
                continue
            if target in ends:
                arrived.append(known)
                known = known if common is None else common
            yield edge, (target, known) if target in leaving else None

    def places(starts: Collection[_Place]) -> Collection[_Place]:
        arrived.clear()
        return search(starts, lambda place: [to for _, to in steps(place) if to is not None])

    first: _Place = (program.initial, Order())
    found = places([first])
    while True:
        if not arrived:
            return None
        weaker = frozenset.intersection(*arrived, *([] if common is None else [common]))
        if weaker == common:
            break
        common = weaker
        found = places([first, *((state, common) for state in ends)])
    number = {place: k for k, place in enumerate(found)}
    arrows = tuple(
        tuple(Arrow(k, edge, FINAL if to is None else number[to]) for edge, to in steps(place))
        for place, k in number.items()
    )
    states, orders = tuple(state for state, _ in number), tuple(order for _, order in number)
    within = {k for k, state in enumerate(states) if state in inside}
    later = {k for k, state in enumerate(states) if state in whole.reached_after}
    return BlockGraph(
        OrderGraph(states, orders, orders, arrows, live),
        number[whole.entry, common],
        number[whole.after, common],
        within,
        set(number.values()) - within - later,
        later,
    )


def _live(whole: Counted, leaving: Mapping[str, Collection[Edge]]) -> Mapping[str, Variables]:
    """The live variables of every state, where another copy may begin after the block; the entry and the
    state after the block have the same."""
    live = {state: frozenset(v for edge in own for _, v in edge.bounds) for state, own in leaving.items()}
    while True:
        before = dict(live)
        live[whole.entry] = live[whole.after] = live[whole.entry] | live[whole.after]
        for state, own in leaving.items():
            for edge in own:
                live[state] |= live.get(edge.target, frozenset()).difference(edge.assign)
        if live == before:
            return live
