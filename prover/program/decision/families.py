"""The families of runs, with multipliers, by which structures show that a loss has no bound.

With several variables the steps of a repeated block are taken once before it, too, and once after it, so that
what its tests say of the order is known from steps that are taken once (docs/theory_variables.md,
*Multipliers*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.errors import Fault
from prover.graphs import nearest_way
from prover.program.adjacency import Adjacency, extreme_points
from prover.program.decision.blocks import NOTHING, Block, Linear, RunStep, under
from prover.program.decision.tokens import (
    Chain,
    Cycles,
    clashing,
    disclosing_arrow,
    leaking_pairs,
    meeting,
    passage,
)
from prover.program.model import Edge
from prover.program.noise import INFINITE
from prover.program.order_graph import FINAL, Arrow, OrderGraph, first_way, way
from prover.program.shifts import cost

StepPosition = tuple[int, int]
"""A step: the number of its block, and its own number there."""


def plain(edge: Edge) -> RunStep:
    """A step without difference, all of whose dual variables are 0."""
    return RunStep(edge, 0, (NOTHING,) * len(edge.bounds))


def weighed(step: RunStep, place: int, dual: Linear) -> RunStep:
    """The step with something added to the dual variable of one of its bounds."""
    duals = list(step.duals)
    duals[place] = duals[place] + dual
    return replace(step, duals=tuple(duals))


def cycle_through(graph: OrderGraph, cycles: Cycles, arrow: Arrow, kept: frozenset[str]) -> list[Arrow]:
    """A shortest cycle that begins with an arrow and assigns none of some variables."""
    if arrow.target == FINAL:
        raise Fault("an arrow that ends a run is on no cycle")
    back = way(graph.arrows, arrow.target, {arrow.source}, lambda a: cycles.inside(a, kept))
    if back is None:
        raise Fault("no cycle through an arrow that is inside")
    return [arrow, *back]


def disclosing_family(graph: OrderGraph, cycles: Cycles, arrow: Arrow) -> tuple[Block, ...]:
    """A cycle that outputs a number of the input again and again."""
    cycle = [plain(a.edge) for a in cycle_through(graph, cycles, arrow, frozenset())]
    cycle[0] = replace(cycle[0], delta=max((-1, 1), key=lambda delta: cost(arrow.edge, delta, 0) or 0))
    return _blocks(first_way(graph, arrow.source), cycle)


def leaking_family(
    graph: OrderGraph,
    cycles: Cycles,
    test: Arrow,
    assigning: Arrow,
    name: str,
    adjacency: str = Adjacency.ALL_DIFFER,
) -> tuple[Block, ...]:
    """A cycle that stores a sample and later compares another one with it, turn after turn; () if the
    adjacency has no differences of both that cost something.
    """
    place = _place_of(test.edge, name)
    relation = test.edge.bounds[place][0]
    if not _apart(test.edge, assigning.edge, relation, adjacency)[0]:
        return ()
    if test == assigning:
        cycle = cycle_through(graph, cycles, test, frozenset())
        arrows = [*cycle, *cycle]
        tested = len(cycle)
    else:
        ends, inside = (assigning.target, {test.source}), cycles.inside
        there = way(graph.arrows, *ends, lambda a: inside(a) and name not in a.edge.assign)
        there = way(graph.arrows, *ends, inside) if there is None else there
        back = way(graph.arrows, test.target, {assigning.source}, inside)
        if there is None or back is None:
            raise Fault("no cycle through two arrows of one component")
        arrows = [assigning, *there, test, *back]
        tested = len(there) + 1
    stored = max(k for k in range(tested) if name in arrows[k].edge.assign)
    gap, delta, other = _apart(test.edge, arrows[stored].edge, relation, adjacency)
    if not gap:
        return ()
    sign = 1 if gap > 0 else -1
    own = Linear(_most([(test.edge, sign), (arrows[stored].edge, -sign)]) * (sign if relation == "=" else 1))
    steps = [plain(a.edge) for a in arrows]
    steps[tested] = replace(weighed(steps[tested], place, own), delta=delta)
    steps[stored] = replace(steps[stored], delta=other)
    return _blocks(first_way(graph, arrows[0].source), steps)


def _apart(test: Edge, stored: Edge, relation: str, adjacency: str) -> tuple[int, int, int]:
    """By how much more the difference of a test is than that of what it compares with, or by how much less
    (below 0), where that costs most; and both differences.
    """
    gaps = [
        (one - other, one, other)
        for one in extreme_points(adjacency, test.input)
        for other in extreme_points(adjacency, stored.input)
        if relation == "=" or (one > other) is (relation == "<")
    ]
    return max(gaps, key=lambda gap: abs(gap[0]), default=(0, 0, 0))


def endless_family(graph: OrderGraph, cycles: Cycles, adjacency: str) -> tuple[Block, ...]:
    """Runs that lose more under an adjacency with every turn of a cycle that outputs a number, or compares
    with what it stores; () if there are none.

    Inputs of different turns do not help each other, so the loss has no bound. With one-differ only one turn
    can have inputs that differ.
    """
    if adjacency == Adjacency.ONE_DIFFER:
        return ()
    if disclosing := disclosing_arrow(graph, cycles):
        return under(disclosing_family(graph, cycles, disclosing), adjacency)
    pairs = (leaking_family(graph, cycles, *pair, adjacency) for pair in leaking_pairs(graph, cycles))
    return next(filter(None, pairs), ())


def _most(loaded: Sequence[tuple[Edge, int]]) -> Fraction:
    """The largest λ that steps can carry, each with its sign; 1 where infinite rates allow any."""
    rates = [edge.left if sign > 0 else edge.right for edge, sign in loaded if not edge.pinned]
    return min((rate for rate in rates if isinstance(rate, Fraction)), default=Fraction(1))


def exact_family(graph: OrderGraph, arrow: Arrow) -> tuple[Block, ...]:
    """A run that outputs insample where it has no noise on a side."""
    last = replace(plain(arrow.edge), delta=1 if arrow.edge.left == INFINITE else -1)
    return (Block(False, (*(plain(a.edge) for a in first_way(graph, arrow.source)), last)),)


def _blocks(before: Sequence[Arrow], cycle: Sequence[RunStep]) -> tuple[Block, ...]:
    steps = tuple(plain(a.edge) for a in before)
    return ((Block(False, steps),) if steps else ()) + (Block(True, tuple(cycle)),)


def chain_family(graph: OrderGraph, cycles: Cycles, chain: Chain) -> tuple[Block, ...]:
    """The run by which clashing tokens meet, with the loops that make the demands repeated.

    Every demand of 1 puts the same multiplier λ on its test in each turn; N times that multiplier on each
    link of the chain between them cancels what the turns put on the samples that are stored.
    """
    blocks: list[tuple[bool, list[Arrow]]] = []
    pumped: list[_Pumped] = []
    exact: dict[bool, StepPosition] = {}
    orders = len(frozenset[str]().union(*graph.live.values())) > 1

    def once(arrows: Sequence[Arrow]) -> None:
        if arrows and blocks and not blocks[-1][0]:
            blocks[-1][1].extend(arrows)
        elif arrows:
            blocks.append((False, list(arrows)))

    def lacking(low: bool) -> None:
        """The last step may demand something of itself, because it has no noise on a side."""
        edge = blocks[-1][1][-1].edge
        if (edge.left if low else edge.right) == INFINITE:
            exact[low] = len(blocks) - 1, len(blocks[-1][1]) - 1

    moves, end = chain.moves, chain.end
    for move, after in zip(moves, [*(move.before for move in moves[1:]), end.state], strict=True):
        if move.arrow is None:
            continue
        if move.demanded is not None:
            cycle = cycle_through(graph, cycles, move.arrow, move.before.tokens.variables)
            once(cycle if orders else ())
            pumped.append(_Pumped(len(blocks), move.demanded, move.low))
            blocks.append((True, cycle))
            once(cycle if orders else ())
            continue
        once([move.arrow])
        if move.before.tokens.low is None and after.tokens.low is not None:
            lacking(low=True)
        if move.before.tokens.high is None and after.tokens.high is not None:
            lacking(low=False)
    if end.arrow is not None:
        once([end.arrow])
        step = passage(graph, end.arrow)
        low, high = meeting(step, end.state.tokens)
        if not clashing(low, high):  # one of them is what the sample demands of itself
            own = not clashing(low, step.high)
            pumped = [demand for demand in pumped if demand.low is not own]
            exact.pop(own, None)
            lacking(own)
    return _with_duals(blocks, pumped, exact)


def _with_duals(
    blocks: Sequence[tuple[bool, list[Arrow]]], pumped: Sequence[_Pumped], exact: Mapping[bool, StepPosition]
) -> tuple[Block, ...]:
    steps = [[plain(arrow.edge) for arrow in arrows] for _, arrows in blocks]
    links, stored_before = _links(blocks)
    lows: list[tuple[StepPosition, tuple[int, int] | None]] = []
    highs: list[tuple[StepPosition, tuple[int, int] | None]] = []
    for demand in pumped:
        place = _place_of(blocks[demand.block][1][0].edge, demand.variable)
        sample = stored_before[demand.block][demand.variable]
        (lows if demand.low else highs).append((sample, (demand.block, place)))
    outputs = [
        (b, k)
        for b, (repeat, arrows) in enumerate(blocks)
        for k, arrow in enumerate(arrows)
        if not repeat and arrow.edge.pinned
    ]
    begins = lows or [(place, None) for place in ([exact[True]] if True in exact else outputs)]
    ends = highs or [(place, None) for place in ([exact[False]] if False in exact else outputs)]
    chain = _chain(links, [p for p, _ in begins], {p for p, _ in ends})
    if chain is None:
        raise Fault("no chain of tests between demands that clash")
    first, path = chain
    last = path[-1][1] if path else first
    turning = [(origin, 1) for place, origin in begins if place == first and origin]
    turning += [(origin, -1) for place, origin in ends if place == last and origin]
    factor = _most([(blocks[number][1][0].edge, sign) for (number, _), sign in turning])
    for (number, place), sign in turning:
        own = factor * _direction(steps[number][0].edge, place, low=sign > 0)
        delta = sign if steps[number][0].edge.input else 0
        steps[number][0] = replace(weighed(steps[number][0], place, Linear(own)), delta=delta)
    for low, (b, k) in exact.items():
        if steps[b][k].edge.input:
            steps[b][k] = replace(steps[b][k], delta=1 if low else -1)
    for smaller, _, (b, k), place in path:
        own = factor * _direction(steps[b][k].edge, place, low=smaller == (b, k))
        steps[b][k] = weighed(steps[b][k], place, Linear(slope=own))
    return tuple(Block(repeat, tuple(own)) for (repeat, _), own in zip(blocks, steps, strict=True))


@dataclass(frozen=True, slots=True)
class _Pumped:
    """A repeated block that demands something of the sample in a variable; ``low``: that it be high."""

    block: int
    variable: str
    low: bool


def _place_of(edge: Edge, name: str) -> int:
    """The place of what an edge asks about a variable among its bounds."""
    return next(k for k, (_, v) in enumerate(edge.bounds) if v == name)


def _direction(edge: Edge, place: int, *, low: bool) -> int:
    """The sign of the dual variable of a bound that counts as γ ≤ what is stored (``low``), or as γ ≥."""
    return -1 if edge.bounds[place][0] == "=" and not low else 1


Link = tuple[StepPosition, StepPosition, StepPosition, int]
"""Two samples (a, b) with γ_a ≤ γ_b, and the step and the place of the bound that says so."""


def _links(
    blocks: Sequence[tuple[bool, list[Arrow]]],
) -> tuple[list[Link], list[dict[str, StepPosition]]]:
    """The tests of steps that are taken once, of samples that are; and what is stored before every block."""
    stored: dict[str, StepPosition] = {}
    links: list[Link] = []
    before: list[dict[str, StepPosition]] = []
    for b, (repeat, arrows) in enumerate(blocks):
        before.append(dict(stored))
        for k, arrow in enumerate(arrows):
            if not repeat:
                for place, (relation, name) in enumerate(arrow.edge.bounds):
                    at = stored[name]
                    if not blocks[at[0]][0]:
                        if relation != ">=":
                            links.append(((b, k), at, (b, k), place))
                        if relation != "<":
                            links.append((at, (b, k), (b, k), place))
            stored.update(dict.fromkeys(arrow.edge.assign, (b, k)))
    return links, before


def _chain(
    links: Sequence[Link], begins: Sequence[StepPosition], ends: set[StepPosition]
) -> tuple[StepPosition, list[Link]] | None:
    """A shortest chain of links from one of the first samples to one of the last, and where it begins."""
    following: dict[StepPosition, list[Link]] = {}
    for link in links:
        following.setdefault(link[0], []).append(link)
    return nearest_way(begins, lambda at: [(link[1], link) for link in following.get(at, ())], ends)
