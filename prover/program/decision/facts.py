"""Whether the privacy loss of a program is bounded, in linear time (all-differ, one variable).

A step that can be repeated for ever must be able to follow every difference of inputs at no cost, and whether
it can depends on the shift of the stored value. *Facts* say what some run to a state demands of that shift:

    lo1: ≥ 1      lo0: ≥ 0      hi0: ≤ 0      hi1: ≤ −1

The program is private exactly if no leaking and no disclosing cycle can be reached, and no step adds a fact
that contradicts one of its state (docs/theory_programs.md, Theorem F). The table of facts is then the
evidence; else the run that leads to the contradiction is, with the cycles in it to be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prover.errors import NotSupported
from prover.graphs import search
from prover.program.graph import Components, OutEdges, components, route, turn
from prover.program.model import Edge, Program, out_edges, variables
from prover.program.noise import INFINITE

VANISHING_RUN = "vanishing run"
LEAKING_CYCLE = "leaking cycle"
LEAKING_PAIR = "leaking pair"
DISCLOSING_CYCLE = "disclosing cycle"
VIOLATING_PATH = "privacy violating path"

FACTS = ("hi0", "hi1", "lo0", "lo1")

CONTRADICTS: Mapping[str, tuple[str, ...]] = {
    "lo1": ("hi1", "hi0"),
    "lo0": ("hi1",),
    "hi1": ("lo1", "lo0"),
    "hi0": ("lo1",),
}

# What the first fact of a run and the fact that contradicts it make together: the reason, which of the
# violating paths, and whether it is the mirror image. A first fact that comes with an assignment, because the
# stored value is output, makes path (a) of (b). The order is the order in which reasons are preferred.
_REASONS = {
    ("lo1", "hi1"): (LEAKING_PAIR, None, False),
    ("hi1", "lo1"): (LEAKING_PAIR, None, True),
    ("lo0", "hi1"): (VIOLATING_PATH, "b", False),
    ("hi0", "lo1"): (VIOLATING_PATH, "b", True),
    ("lo1", "hi0"): (VIOLATING_PATH, "c", False),
    ("hi1", "lo0"): (VIOLATING_PATH, "c", True),
}


class SeveralVariables(NotSupported):
    """A program of several variables is given to a procedure that only one variable allows."""

    def __init__(self, names: tuple[str, ...], what: str = "this is decided") -> None:
        super().__init__(f"the program has {len(names)} variables; {what} for one variable only")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a run: edges to be taken once, or again and again.

    ``marked`` are the places in ``edges`` whose guards make the loss grow: those of the chain of inequalities
    that leads from one bound on a shift to a contradicting one. In ``above`` are those of which it counts
    that their shift is at least that of what is stored; it matters where both are equal.
    """

    repeat: bool
    edges: tuple[Edge, ...]
    marked: frozenset[int] = frozenset()
    above: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the privacy loss of a program is bounded, and why.

    If it is, ``components`` numbers the reachable states and ``facts`` is the table of facts, states without
    facts left out. If it is not, ``reason`` names one of the five structures, ``detail`` says which privacy
    violating path (a, b, c), ``mirror`` whether < and >= have to be swapped in the definition; ``states`` are
    those of the structure, in order of the run, and ``run`` a family of runs whose loss grows without bound.
    """

    private: bool
    reason: str | None = None
    detail: str | None = None
    mirror: bool = False
    states: tuple[str, ...] = ()
    components: Mapping[str, int] | None = None
    facts: Mapping[str, tuple[str, ...]] | None = None
    run: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """Where a fact of a state comes from: the edge, and the fact of its source that it hands on, if one."""

    edge: Edge
    fact: str | None


def decide(program: Program) -> Verdict:
    """Whether the loss is bounded under adjacency all-differ, with the evidence (Theorem F).

    Where that is not settled by facts (``unsettled_edge``), the verdict is no, without reason and run. Of
    several reasons the first is given in the order vanishing run, leaking cycle, leaking pair, disclosing
    cycle, privacy violating path. Time is linear in the number of transitions. Raises SeveralVariables.
    """
    names = variables(program)
    if len(names) > 1:
        raise SeveralVariables(names)
    parts = components(program)
    leaving = out_edges(program)
    runs = _Runs(program.initial, leaving, parts)
    if (exact := _exact_output(parts)) is not None:
        return runs.exact(exact)
    if leak := leaking_edges(parts):
        return runs.leaking(*leak)
    if unsettled_edge(parts) is not None:
        return Verdict(False)
    table = _propagated(leaving, parts)
    conflict = _first_conflict(parts, table)
    if conflict and _reason(*conflict, table)[0] in (VANISHING_RUN, LEAKING_PAIR):
        return runs.conflicting(*conflict, table)
    if (disclosing := disclosing_edge(parts)) is not None:
        return runs.disclosing(disclosing)
    if conflict:
        return runs.conflicting(*conflict, table)
    facts = {state: tuple(sorted(table[state])) for state in parts.number if table.get(state)}
    return Verdict(True, components=parts.number, facts=facts)


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


def leaking_edges(parts: Components) -> tuple[Edge, Edge] | None:
    """An edge of an input state with a guard and an edge that assigns in one component, if there are.

    They are the same if possible.
    """
    assigning: dict[int, Edge] = {}
    tested: dict[int, Edge] = {}
    for edge in parts.edges:
        if parts.holds(edge):
            component = parts.number[edge.source]
            if edge.assigns and edge.relation and edge.input:
                return edge, edge
            if edge.assigns:
                assigning.setdefault(component, edge)
            if edge.relation and edge.input:
                tested.setdefault(component, edge)
    return next(((tested[k], assigning[k]) for k in sorted(tested.keys() & assigning.keys())), None)


def unsettled_edge(parts: Components) -> Edge | None:
    """An edge on a cycle that compares without input, in a component that stores what it compares with.

    Facts do not tell what such a component can lose (docs/theory_programs.md, *Guards without input*).
    """
    storing = {parts.number[edge.source] for edge in parts.edges if parts.holds(edge) and edge.assigns}
    return next(
        (
            edge
            for edge in parts.edges
            if parts.holds(edge) and edge.relation and not edge.input and parts.number[edge.source] in storing
        ),
        None,
    )


def disclosing_edge(parts: Components) -> Edge | None:
    """The first edge on a cycle that outputs a number at a state that reads an input, if there is one."""
    candidates = (edge for edge in parts.edges if edge.input and edge.discloses)
    return next((edge for edge in candidates if parts.holds(edge)), None)


FactTable = Mapping[str, Mapping[str, FactOrigin]]


def _propagated(leaving: OutEdges, parts: Components) -> FactTable:
    """The facts of every state: the least table, breadth first, so that every origin is as near as can be."""
    table: dict[str, dict[str, FactOrigin]] = {state: {} for state in parts.number}

    def noted(edge: Edge, fact: str, before: str | None) -> Iterator[tuple[str, str]]:
        if edge.target in table:
            table[edge.target].setdefault(fact, FactOrigin(edge, before))
            yield edge.target, fact

    def made() -> Iterator[tuple[str, str]]:
        for edge in parts.edges:
            for fact in stored_facts(edge):
                yield from noted(edge, fact, None)
            for fact in added(edge, parts.holds(edge)):
                if hands_on(edge, fact):
                    yield from noted(edge, fact, None)

    def handed_on(known: tuple[str, str]) -> Iterator[tuple[str, str]]:
        state, fact = known
        for edge in leaving[state]:
            if hands_on(edge, fact):
                yield from noted(edge, fact, fact)

    search(made(), handed_on)
    return table


def _exact_output(parts: Components) -> Edge | None:
    """The first edge that reads an input, outputs insample, and lacks noise on a side, if there is one."""
    return next((e for e in parts.edges if e.input and e.pinned and INFINITE in (e.left, e.right)), None)


def _first_conflict(parts: Components, table: FactTable) -> tuple[str, Edge, str] | None:
    """A fact, an edge from a state that has it, and a contradicting fact that the edge adds."""
    order = list(_REASONS)

    def rank(found: tuple[str, Edge, str]) -> tuple[bool, int]:
        return _reason(*found, table)[0] != VANISHING_RUN, order.index((found[0], found[2]))

    return min(_conflicts(parts, table), key=rank, default=None)


def _conflicts(parts: Components, table: FactTable) -> Iterator[tuple[str, Edge, str]]:
    for edge in parts.edges:
        for new in added(edge, parts.holds(edge)):
            for old in CONTRADICTS[new]:
                if old in table[edge.source]:
                    yield old, edge, new


def _links(state: str, fact: str, table: FactTable) -> list[Edge]:
    """The edges by which a fact has come to a state, the one that made it first."""
    edges = []
    at, now = state, fact
    while True:
        origin = table[at][now]
        edges.append(origin.edge)
        if origin.fact is None:
            return edges[::-1]
        at, now = origin.edge.source, origin.fact


def _reason(old: str, edge: Edge, new: str, table: FactTable) -> tuple[str, str | None, bool]:
    reason, detail, mirror = _REASONS[old, new]
    first = _links(edge.source, old, table)[0]
    exact = [is_exact(step, fact) for step, fact in ((first, old), (edge, new)) if fact.endswith("1")]
    if all(exact):
        return VANISHING_RUN, None, False
    if any(exact):
        return VIOLATING_PATH, None, mirror
    if is_repeated(first, old) and is_repeated(edge, new):
        return LEAKING_PAIR, None, mirror
    return reason, "a" if detail == "b" and first.assigns else detail, mirror


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs that show a loss without bound, from the initial state on."""

    initial: str
    leaving: OutEdges
    parts: Components

    def _way(self, state: str) -> list[Edge]:
        return route(self.leaving, self.initial, state, lambda _: True)

    def _inside(self, source: str, goal: str) -> list[Edge]:
        return route(self.leaving, source, goal, self.parts.holds)

    def leaking(self, test: Edge, assigning: Edge) -> Verdict:
        """A cycle through both edges; two turns of it if the edge that is tested assigns itself.

        Two turns, because the stored value that such an edge is compared with may be that of the turn before.
        """
        if test == assigning:
            cycle = turn(self.leaving, self.parts, test)
            edges, marked = (*cycle, *cycle), len(cycle)
        else:
            there = self._inside(assigning.target, test.source)
            back = self._inside(test.target, assigning.source)
            edges, marked = (assigning, *there, test, *back), len(there) + 1
        return self._verdict(
            (LEAKING_CYCLE, None, False),
            self._way(edges[0].source),
            [Stretch(True, edges, frozenset([marked]))],
        )

    def exact(self, edge: Edge) -> Verdict:
        """A step that outputs insample although its noise is on one side only."""
        step = Stretch(False, (edge,))
        return self._verdict((VANISHING_RUN, None, False), self._way(edge.source), [step])

    def disclosing(self, edge: Edge) -> Verdict:
        """A cycle that outputs a number."""
        cycle = Stretch(True, tuple(turn(self.leaving, self.parts, edge)))
        return self._verdict((DISCLOSING_CYCLE, None, False), self._way(edge.source), [cycle])

    def conflicting(self, old: str, edge: Edge, new: str, table: FactTable) -> Verdict:
        """The run by which a fact comes to a state, and the step there that adds a contradicting one.

        The two steps that make the facts are marked, and between them those that assign: their guards hand
        the first fact on. A step that makes its fact by being on a cycle is repeated, unless it lacks noise.
        """
        links = _links(edge.source, old, table)
        stretches = []
        first = links[0]
        low = old.startswith("lo")  # then what demands it is below, and all later ones are above
        start = frozenset[int]() if low else frozenset([0])
        end = frozenset([0]) if low else frozenset[int]()
        turns = is_repeated(first, old)
        if turns:
            cycle = tuple(turn(self.leaving, self.parts, first))
            stretches.append(Stretch(True, cycle, frozenset([0]), start))
            chain = {k for k, link in enumerate(links) if link.assigns}
        else:
            chain = {k for k, link in enumerate(links) if link.assigns and k}
            chain |= set() if first.assigns else {0}
        demands = not (turns or first.assigns)  # the first link is no link of the chain itself
        later = frozenset(k for k in chain | {len(links)} if k or not demands)
        above = later if low else start & chain if demands else frozenset[int]()
        if is_repeated(edge, new):
            stretches.append(Stretch(False, tuple(links), frozenset(chain), above))
            last = turn(self.leaving, self.parts, edge)
            stretches.append(Stretch(True, tuple(last), frozenset([0]), end))
        else:
            stretches.append(Stretch(False, (*links, edge), frozenset(chain | {len(links)}), above))
        return self._verdict(_reason(old, edge, new, table), self._way(first.source), stretches)

    def _verdict(
        self, reason: tuple[str, str | None, bool], way: list[Edge], stretches: list[Stretch]
    ) -> Verdict:
        edges = [edge for part in stretches for edge in part.edges]
        states = dict.fromkeys(state for edge in edges for state in (edge.source, edge.target))
        before = [Stretch(False, tuple(way))] if way else []
        return Verdict(False, *reason, states=tuple(states), run=(*before, *stretches))
