"""Whether the privacy loss of a program is bounded, in linear time (all-differ, one variable).

A step that can be repeated for ever must be able to follow every difference of inputs at no cost, and whether
it can depends on the shift of the stored value. *Facts* say what some run to a state demands of that shift:

    lo1: ≥ 1      lo0: ≥ 0      hi0: ≤ 0      hi1: ≤ −1

The program is private exactly if no leaking and no disclosing cycle can be reached, and no step adds a fact
that contradicts one of its state (docs/theory_programs.md, Theorem F). The table of facts is then the
evidence; else the run that leads to the contradiction is, with the cycles in it to be repeated. Facts are the
tokens of one variable (``prover.program.decision.tokens``), of which no two have to be followed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prover.graphs import search
from prover.program.decision.tokens import (
    NOTHING,
    Chain,
    Contradiction,
    Cycles,
    TokenMove,
    Tokens,
    TokenState,
)
from prover.program.model import Edge
from prover.program.noise import INFINITE
from prover.program.order_graph import FINAL, Arrow, OrderGraph, first_way

CONTRADICTS: Mapping[str, tuple[str, ...]] = {
    "lo1": ("hi1", "hi0"),
    "lo0": ("hi1",),
    "hi1": ("lo1", "lo0"),
    "hi0": ("lo1",),
}

_ORDER = (
    ("lo1", "hi1"), ("hi1", "lo1"), ("lo0", "hi1"), ("hi0", "lo1"), ("lo1", "hi0"), ("hi1", "lo0")
)  # fmt: skip
"""Facts that contradict each other, in the order in which they are preferred as a reason."""


@dataclass(frozen=True, slots=True)
class FactTable:
    """The evidence of a bounded loss: components of reachable states, and the facts of those with some."""

    components: Mapping[str, int]
    facts: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a fact of a node comes from: the arrow, and the fact of its source that it hands on, if one."""

    arrow: Arrow
    fact: str | None


@dataclass(frozen=True, slots=True)
class _Conflict:
    """A fact of a node, an arrow from it that adds a fact which contradicts that one, and the added fact.

    ``links`` are the arrows by which the old fact has come to the node, the one that made it first.
    """

    old: str
    arrow: Arrow
    new: str
    links: tuple[Arrow, ...]

    @property
    def rank(self) -> tuple[int, int]:
        """Which conflict is the reason: one without loops, else that of two, else that of one."""
        loops = is_repeated(self.links[0].edge, self.old) + is_repeated(self.arrow.edge, self.new)
        return (0, 2, 1)[loops], _ORDER.index((self.old, self.new))

    def chain(self, graph: OrderGraph) -> Chain:
        """The run by which both facts meet, as tokens do."""
        name, low = self.arrow.edge.bounds[0][1], self.old.startswith("lo")
        token = int(self.old[2]), name
        held = Tokens(low=token) if low else Tokens(high=token)
        first, last = self.links[0], TokenState(self.arrow.source, held)
        moves = [
            TokenMove(TokenState(arrow.source, NOTHING), arrow) for arrow in first_way(graph, first.source)
        ]
        before = NOTHING
        if is_repeated(first.edge, self.old):
            moves.append(TokenMove(TokenState(first.source, NOTHING), first, name, low))
            before = held
        for arrow in self.links:
            moves.append(TokenMove(TokenState(arrow.source, before), arrow))
            before = held
        if not is_repeated(self.arrow.edge, self.new):
            return Chain(moves, Contradiction(last, self.arrow))
        moves.append(TokenMove(last, self.arrow, name, not low))
        return Chain(moves, Contradiction(last, None))


def fact_table(graph: OrderGraph, cycles: Cycles) -> FactTable | Chain:
    """The least table of facts, or a chain by which two that contradict each other meet, in linear time."""
    table = _propagated(graph, cycles)
    conflicts = (
        _Conflict(old, arrow, new, tuple(_links(arrow.source, old, table)))
        for old, arrow, new in _conflicts(graph, cycles, table)
    )
    worst = min(conflicts, key=lambda conflict: conflict.rank, default=None)
    if worst is not None:
        return worst.chain(graph)
    number = cycles.number(frozenset())
    facts = {state: tuple(sorted(own)) for state, own in zip(graph.states, table, strict=True) if own}
    return FactTable(dict(zip(graph.states, number, strict=True)), facts)


def added(edge: Edge, inside: bool) -> tuple[str, ...]:
    """The facts about the stored shift that a step adds by its guard; ``inside`` says if it is on a cycle.

    A step without input that is repeated has shift 0, and so asks less than one that follows its inputs.
    """
    kinds = {"": (), "<": ("lo",), ">=": ("hi",), "=": ("lo", "hi")}[edge.relation]
    followed = [f"{kind}{int(edge.input)}" for kind in kinds if inside or is_exact(edge, kind)]
    return (*followed, *(f"{kind}0" for kind in kinds if edge.pinned and f"{kind}0" not in followed))


def is_exact(edge: Edge, fact: str) -> bool:
    """Whether noise is lacking on the side where a shift would have to be for the fact not to hold."""
    return (edge.left if fact.startswith("lo") else edge.right) == INFINITE


def is_repeated(edge: Edge, fact: str) -> bool:
    """Whether a step makes a fact, by its guard, because it is on a cycle."""
    return not is_exact(edge, fact) and (fact.endswith("1") or not (edge.pinned or edge.assigns))


def stored_facts(edge: Edge) -> tuple[str, ...]:
    """The facts about what a step stores that come from itself."""
    if not edge.assigns:
        return ()
    exact = tuple(f"{kind}{int(edge.input)}" for kind in ("lo", "hi") if is_exact(edge, kind))
    return tuple(dict.fromkeys((*exact, "lo0", "hi0"))) if edge.pinned else exact


def hands_on(edge: Edge, fact: str) -> bool:
    """Whether a demand on the stored shift before a step becomes one on the stored shift after it."""
    return not edge.assigns or edge.relation in ("=", ">=" if fact.startswith("lo") else "<")


def _propagated(graph: OrderGraph, cycles: Cycles) -> list[dict[str, _Origin]]:
    """The facts of every node: the least table, breadth first, so that every origin is as near as can be."""
    table: list[dict[str, _Origin]] = [{} for _ in graph.states]

    def noted(arrow: Arrow, fact: str, before: str | None) -> Iterator[tuple[int, str]]:
        if arrow.target != FINAL:
            table[arrow.target].setdefault(fact, _Origin(arrow, before))
            yield arrow.target, fact

    def made() -> Iterator[tuple[int, str]]:
        for arrow in graph.all_arrows:
            for fact in stored_facts(arrow.edge):
                yield from noted(arrow, fact, None)
            for fact in added(arrow.edge, cycles.inside(arrow)):
                if hands_on(arrow.edge, fact):
                    yield from noted(arrow, fact, None)

    def handed_on(known: tuple[int, str]) -> Iterator[tuple[int, str]]:
        node, fact = known
        for arrow in graph.arrows[node]:
            if hands_on(arrow.edge, fact):
                yield from noted(arrow, fact, fact)

    search(made(), handed_on)
    return table


def _conflicts(
    graph: OrderGraph, cycles: Cycles, table: list[dict[str, _Origin]]
) -> Iterator[tuple[str, Arrow, str]]:
    for arrow in graph.all_arrows:
        for new in added(arrow.edge, cycles.inside(arrow)):
            for old in CONTRADICTS[new]:
                if old in table[arrow.source]:
                    yield old, arrow, new


def _links(node: int, fact: str, table: list[dict[str, _Origin]]) -> list[Arrow]:
    """The arrows by which a fact has come to a node, the one that made it first."""
    arrows = []
    at, now = node, fact
    while True:
        origin = table[at][now]
        arrows.append(origin.arrow)
        if origin.fact is None:
            return arrows[::-1]
        at, now = origin.arrow.source, origin.fact
