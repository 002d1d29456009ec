"""Boundedness of the loss of a whole program as Horn clauses (all-differ): satisfiable means private.

One Boolean per node of the order graph and *fact*: what some run to the node demands of stored shifts. lo1.v
says that the shift of variable v must be ≥ 1, lo0.v ≥ 0, hi0.v ≤ 0 and hi1.v ≤ −1; with several variables
there are pairs of facts, too, which one run demands together, such as lo1.v.hi0.w. Clauses with a positive
literal make facts and hand them on; the others exclude contradictions, and cycles that leak or disclose. So
there is a least model, and the clauses are unsatisfiable exactly if the program is not private
(docs/theory_variables.md, Theorem F′, of which docs/theory_programs.md, Theorem F, is the case of one
variable; docs/formulas.md, *Threshold programs*). The clauses are laid out by encodings/privacy-horn.smt2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from prover.errors import BeyondLimit
from prover.program.decision.tokens import Cycles, clashing, passage
from prover.program.order_graph import FINAL, Arrow, OrderGraph
from prover.program.shifts import is_one_sided
from prover.smt.propositional import PropositionalAnswer, ask
from prover.smt.template import render

MOST_FACTS = 20_000
"""How many facts the nodes of a program may have together."""

Fact = tuple[str, int, str]
"""The side, "lo" or "hi", the size of the demand, 0 or 1, and the variable."""

Demand = tuple[Fact, ...]
"""What one run demands: one fact, or a low and a high one that contradict each other on one shift."""

Clause = dict[str, str | None]
"""A clause: its ``words``, and what ``before`` a step implies (None: nothing) ``after`` it (None: false)."""

SIDES = ("lo", "hi")
SINGLE: tuple[tuple[str, int], ...] = (("lo", 1), ("lo", 0), ("hi", 0), ("hi", 1))
"""The facts about one variable, in the order in which they are written."""


def horn_script(graph: OrderGraph, status: str | None = None) -> str:
    """The clauses of a program as SMT-LIB 2 text, with the answer if it is known. Raises BeyondLimit."""
    names = frozenset(name for state in graph.states for name in graph.live[state])
    names = names.union(*(arrow.edge.assign for arrow in graph.all_arrows))
    if len(names) == 1:  # one variable alone is followed everywhere
        graph = replace(graph, live=dict.fromkeys(graph.states, names))
    nodes = sorted(range(len(graph.states)), key=lambda node: (graph.states[node], node))
    place = {node: k for k, node in enumerate(nodes)}
    return _Writer(graph, Cycles(graph), tuple(sorted(names)), place).script(status)


def horn_answer(graph: OrderGraph) -> PropositionalAnswer:
    """What Z3 says about the clauses; the core of an unsatisfiable answer explains it.

    Raises BeyondLimit.
    """
    return ask(horn_script(graph))


@dataclass(frozen=True, slots=True)
class _Step:
    """What an arrow does to facts.

    Low facts about ``reached["lo"]`` and high ones about ``reached["hi"]`` come to its sample, and from there
    to the variables ``onward`` of the same side; those about ``kept`` variables stay. ``own`` are the sizes
    of what the sample demands of itself: lo0 and hi0 if it is output, lo1 without noise to the left (lo0 if
    there is no input), and hi1 without noise to the right. ``repeated``: it is on a cycle, and demands lo1 of
    what it is to be below, and hi1 of what it is to be above.
    """

    reached: Mapping[str, frozenset[str]]
    onward: Mapping[str, tuple[str, ...]]
    kept: frozenset[str]
    stored: frozenset[str]
    own: Mapping[str, int | None]
    repeated: bool

    def meets(self, fact: Fact) -> bool:
        """Whether the fact comes to the sample."""
        return fact[2] in self.reached[fact[0]]

    def passed(self, fact: Fact) -> tuple[Fact, ...]:
        """What the fact may be after the step."""
        side, size, name = fact
        onward = self.onward[side] if self.meets(fact) else ()
        stays = [name] if name in self.kept else []
        return tuple((side, size, other) for other in dict.fromkeys([*stays, *onward]))

    def forbids(self, demand: Demand) -> bool:
        """Whether facts that contradict each other, or what it demands of itself, come to the sample."""
        coming = {side: size for side, size, name in demand if self.meets((side, size, name))}
        low, high = coming.get("lo"), coming.get("hi")
        return clashing(low, high) or clashing(low, self.own["hi"]) or clashing(self.own["lo"], high)

    def demanded(self) -> list[Fact]:
        """What the step demands of the variables that it tests."""
        above_it = {"lo": sorted(self.reached["hi"]), "hi": sorted(self.reached["lo"])}
        return [
            (side, size, name)
            for size in (1, 0)
            for side in SIDES
            if self.own[side] == size or (size and self.repeated)
            for name in above_it[side]
        ]

    def made(self) -> list[Fact]:
        """The facts after the step that it makes itself, by being on a cycle or by its own sample."""
        tests = [fact for fact in self.demanded() if fact[1] and fact[2] in self.kept]
        return list(dict.fromkeys([*tests, *self.started()]))

    def started(self) -> list[Fact]:
        """Those that come from what its sample demands of itself."""
        sizes = [(side, size) for side in SIDES if (size := self.own[side]) is not None]
        return [(side, size, name) for side, size in sizes for name in self.onward[side]]


@dataclass(frozen=True, slots=True)
class _Writer:
    """The clauses of an order graph about some variables, by its nodes in the order given by ``place``."""

    graph: OrderGraph
    cycles: Cycles
    names: tuple[str, ...]
    place: Mapping[int, int]

    def script(self, status: str | None) -> str:
        """The formula. Raises BeyondLimit."""
        sizes = [len(self.graph.live_at(node)) for node in self.place]
        if (count := sum(4 * k + 3 * k * (k - 1) for k in sizes)) > MOST_FACTS:
            raise BeyondLimit(
                f"privacy-horn would have {count} variables for this program, more than {MOST_FACTS}; "
                "prover privacy decides it without the formula",
                code="too-many-facts",
            )
        demands = {node: list(self._demands(node)) for node in self.place}
        number = self.cycles.number(frozenset())
        arrows = sorted(
            self.graph.all_arrows,
            key=lambda arrow: (arrow.edge.number, self.place[arrow.source]),
        )
        return render(
            "privacy-horn",
            variables=[ascii(name) for name in self.names],
            nodes=[self._node(node, demands[node]) for node in self.place],
            components=sorted(set(number)),
            edges=[self._edge(arrow, number[arrow.source], demands[arrow.source]) for arrow in arrows],
            one_sided=any(is_one_sided(arrow.edge) for arrow in arrows),
            status=status,
        )

    def _demands(self, node: int) -> Iterator[Demand]:
        names = sorted(self.graph.live_at(node))
        for name in names:
            yield from (((side, size, name),) for side, size in SINGLE)
        for low, high in permutations(names, 2):
            yield from ((("lo", a, low), ("hi", b, high)) for a, b in ((1, 0), (1, 1), (0, 1)))

    def _label(self, demand: Demand | None) -> str | None:
        """Facts as parts of names; one variable alone needs no number."""
        if demand is None:
            return None
        several = len(self.names) > 1
        numbers = [f".{self.names.index(name)}" if several else "" for _, _, name in demand]
        return ".".join(f"{fact[0]}{fact[1]}{own}" for fact, own in zip(demand, numbers, strict=True))

    def _row(self, words: str, before: Demand | None, after: Demand | None) -> Clause:
        return {"words": words, "before": self._label(before), "after": self._label(after)}

    def _node(self, node: int, demands: Sequence[Demand]) -> dict[str, object]:
        order = sorted(self.graph.orders[node])
        return {
            "state": ascii(self.graph.states[node]),
            "order": [f"{self.names.index(a)} <= {self.names.index(b)}" for a, b in order],
            "facts": [self._label(demand) for demand in demands],
            "clauses": [row for pair in order for row in self._along(pair, demands)],
        }

    def _along(self, pair: tuple[str, str], demands: Sequence[Demand]) -> Iterator[Clause]:
        """What one value below another makes of facts: low ones move up and high ones down."""
        moves = {"lo": pair, "hi": pair[::-1]}
        for demand in demands:
            own = self._label(demand)
            if tuple(fact[2] for fact in demand) == pair:
                yield self._row(f"excludes {own}", demand, None)
                continue
            for k, (side, size, name) in enumerate(demand):
                source, target = moves[side]
                if name == source:
                    after = (*demand[:k], (side, size, target), *demand[k + 1 :])
                    yield self._row(f"moves {own} to {self._label(after)}", demand, after)

    def _edge(self, arrow: Arrow, component: int, demands: Sequence[Demand]) -> dict[str, object]:
        edge, step = arrow.edge, self._step(arrow)
        inside, ends = self.cycles.inside(arrow), arrow.target == FINAL
        tested = {name for _, name in edge.guard}
        return {
            "number": edge.number,
            "source": self.place[arrow.source],
            "target": None if ends else self.place[arrow.target],
            "component": component,
            "assigns": [self.names.index(name) for name in sorted(edge.assign) if inside],
            "tests": [self.names.index(name) for name in sorted(tested) if inside],
            "discloses": inside and edge.input and edge.discloses,
            "shows": edge.input and edge.pinned and is_one_sided(edge),
            "clauses": [
                *self._against(step, demands),
                *(() if ends else self._made(arrow, step, demands)),
            ],
        }

    def _step(self, arrow: Arrow) -> _Step:
        found = passage(self.graph, arrow)
        return _Step(
            reached={"lo": found.lower, "hi": found.upper},
            onward={"lo": found.up, "hi": found.down},
            kept=found.kept,
            stored=self.graph.live_at(arrow.target).intersection(arrow.edge.assign),
            own={"lo": found.low, "hi": found.high},
            repeated=arrow.edge.input and self.cycles.inside(arrow),
        )

    def _against(self, step: _Step, demands: Sequence[Demand]) -> Iterator[Clause]:
        """What may not be demanded before a step: what it contradicts, or what it brings together."""
        for side, size, name in step.demanded():
            for other, much in SINGLE:
                if other != side and max(size, much):
                    words = f"adds {self._label(((side, size, name),))} against "
                    before: Demand = ((other, much, name),)
                    yield self._row(f"{words}{self._label(before)}", before, None)
        for demand in demands:
            if len(demand) > 1 and step.forbids(demand):
                yield self._row(f"excludes {self._label(demand)}", demand, None)

    def _made(self, arrow: Arrow, step: _Step, demands: Sequence[Demand]) -> Iterator[Clause]:
        """What is demanded after a step: what it makes itself, what it hands on, and both together."""
        made = step.made()
        started = [fact for fact in made if fact[2] in step.stored]
        for fact in sorted(started, key=lambda fact: (fact[2], SINGLE.index(fact[:2]))):
            yield self._row(f"starts {self._label((fact,))}", None, (fact,))
        added = [fact for fact in made if fact not in started]
        singles = [(side, size, name) for name in self.names for side, size in SINGLE]
        for single in singles:
            if single in added:
                yield self._row(f"adds {self._label((single,))}", None, (single,))
            if (single,) in demands:
                yield from self._handed_on(arrow, step, single, made)
        for demand in demands:
            if len(demand) > 1 and not step.forbids(demand):
                for after in product(*map(step.passed, demand)):
                    if after[0][2] != after[1][2]:
                        yield self._row(self._handing(demand, after), demand, after)

    def _handed_on(self, arrow: Arrow, step: _Step, fact: Fact, made: Sequence[Fact]) -> Iterator[Clause]:
        for later in step.passed(fact):
            yield self._row(self._handing((fact,), (later,)), (fact,), (later,))
            for new in made:
                # What is tested on a cycle is not assigned there, or the cycle leaks.
                free = frozenset({fact[2]} - {new[2]})
                both = _together(later, new)
                if both is not None and (new in step.started() or self.cycles.inside(arrow, free)):
                    words = f"adds {self._label((new,))} to {self._label((fact,))} as {self._label(both)}"
                    yield self._row(words, (fact,), both)

    def _handing(self, before: Demand, after: Demand) -> str:
        changed = "" if before == after else f" as {self._label(after)}"
        return f"hands on {self._label(before)}{changed}"


def _together(first: Fact, second: Fact) -> Demand | None:
    """Two facts of one run; None where these are on one side or one variable, or do not contradict."""
    if first[0] == second[0] or first[2] == second[2] or not max(first[1], second[1]):
        return None
    return (first, second) if first[0] == "lo" else (second, first)
