"""Runs whose loss grows with the turns of a cycle, whatever the adjacency: the evidence for "not private".

``prover.program.decision.facts`` decides that for all-differ, and names a structure; here it is a cycle of
which every turn costs something, or a run with repeated cycles that no shifts can follow.
"""

from __future__ import annotations

from collections.abc import Sequence

from prover.errors import Fault
from prover.program.adjacency import Adjacency
from prover.program.decision.blocks import Block, Linear, RunStep, total
from prover.program.graph import Components, OutEdges, route, search, turn
from prover.program.model import Edge
from prover.program.optimum.duals import run_optimum
from prover.program.optimum.transfer import Scale, arcs_of, before
from prover.program.optimum.weighed import Weighed


def endless(leaving: OutEdges, parts: Components, adjacency: str, scale: Scale) -> tuple[Edge, ...]:
    """Edges of one component that make every turn through them cost something, if there are any.

    That is an edge which outputs a number at an input state, or one with a guard, the last, after one that
    assigns, the first, with the stored value kept in between. Inputs of different turns do not help each
    other, so the loss has no bound. With one-differ only one turn can have inputs that differ.
    """
    if adjacency == Adjacency.ONE_DIFFER:
        return ()
    inside = [edge for edge in parts.edges if edge.number in parts.inside]
    for edge in inside:
        if edge.input and edge.discloses:
            return (edge,)
    guarded: dict[int, list[Edge]] = {}
    for edge in inside:
        if edge.relation:
            guarded.setdefault(parts.number[edge.source], []).append(edge)
    for first in inside:
        tests = guarded.get(parts.number[first.source], ())
        if not first.assigns or not tests:
            continue
        kept = search(leaving, [first.target], lambda e: e.number in parts.inside and not e.assigns)
        for test in tests:
            if test.source in kept and _costs(first, test, adjacency, scale):
                return first, test
    return ()


def _costs(first: Edge, test: Edge, adjacency: str, scale: Scale) -> bool:
    """Whether storing a value and comparing with it can cost something, whatever was stored before."""
    for second in arcs_of(test, adjacency, scale):
        after = before(second, scale.nothing, scale.cap)
        for arc in arcs_of(first, adjacency, scale):
            if min(cost + rest for cost, rest in zip(arc.costs, after, strict=True)):
                return True
    return False


def endless_family(
    initial: str, leaving: OutEdges, parts: Components, edges: Sequence[Edge], adjacency: str, scale: Scale
) -> tuple[Block, ...]:
    """The family of runs that repeat a cycle through the edges that ``endless`` found."""
    first, last = edges[0], edges[-1]
    way = [RunStep(edge) for edge in route(leaving, initial, first.source, lambda _: True)]
    if len(edges) == 1:
        delta = max((arc.delta for arc in arcs_of(first, adjacency, scale)), key=abs)
        cycle = [RunStep(edge, delta * (edge == first)) for edge in turn(leaving, parts, first)]
    else:
        cycle = _costliest_turn(leaving, parts, first, last, adjacency, scale)
    blocks = (Block(False, tuple(way)),) * bool(way) + (Block(True, tuple(cycle)),)
    return _growing(blocks)


def _costliest_turn(
    leaving: OutEdges, parts: Components, first: Edge, test: Edge, adjacency: str, scale: Scale
) -> list[RunStep]:
    """A turn that stores a value and compares with it, with the differences there that cost most."""
    keep = route(leaving, first.target, test.source, lambda e: parts.holds(e) and not e.assigns)
    back = route(leaving, test.target, first.source, parts.holds)
    edges = [first, *keep, test, *back]
    ends = (0, len(keep) + 1)
    turns = []
    for start in arcs_of(first, adjacency, scale):
        for end in arcs_of(test, adjacency, scale):
            deltas = dict(zip(ends, (start.delta, end.delta), strict=True))
            run = [Weighed.finite(edge, deltas.get(k, 0), scale) for k, edge in enumerate(edges)]
            best = run_optimum(run, scale.shifts)
            if best is None:
                raise Fault("a run of finite weights without shifts")
            turns.append((deltas, best))
    deltas, best = max(turns, key=lambda found: found[1].cost)
    return [
        RunStep(edge, deltas.get(k, 0), tuple(Linear(scale.per_shift(units)) for units in multipliers))
        for k, (edge, multipliers) in enumerate(zip(edges, best.multipliers, strict=True))
    ]


def _growing(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    if total(blocks).slope <= 0:
        raise Fault("the loss of a family of runs does not grow")
    return blocks
