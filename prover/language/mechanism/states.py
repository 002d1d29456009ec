"""Mechanisms interpreted: every state that their code can be in, as a threshold program.

A state is a place in the code where a number is about to be drawn, with the values of the variables that are
still used, and which of these hold which number drawn before. States are found breadth first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from prover.language.errors import CodeError, NeedsRegisters, NotYetInTheModel, SourcePlace, WrongCode
from prover.language.mechanism.moved import Pair, due, known_order, make, renamed
from prover.language.mechanism.path import DrawnSample, Order, PathEvent, PendingDraws, Signs, Trace
from prover.language.mechanism.steps import MechanismSteps
from prover.language.reading.instructions import Code, Instruction
from prover.language.reading.machine import Bindings, Fail, too_many_states
from prover.language.values import CURRENT, GONE, PRIME, Query, Sample, frozen, leaves, mapped
from prover.program.state import INPUT, Sum

LIMIT = 20_000
"""The most states that are explored."""

MOST_MOVED = 2_000
"""The most where draws are moved, whose states know which draws are still to be made."""

_WORDS = frozenset(
    {"else", "elseif", "final", "gap", "goto", "if", "insample", "insampleprime", "output", "then"}
)

NodeKey = Hashable


@dataclass(slots=True)
class CodeMove:
    """A transition: how the sample compares to stores, where it is kept, what is seen; and the places of the
    comparisons."""

    tests: Mapping[str, Signs]
    keep: str | None
    events: tuple[PathEvent, ...]
    target: NodeKey
    places: Mapping[str, SourcePlace]
    registers: tuple[tuple[str, Sum], ...] = ()


@dataclass(slots=True)
class CodeState:
    """A state: the instruction that comes next, the live variables, and what was found about it."""

    key: NodeKey
    at: int
    values: Bindings
    used: frozenset[int]
    unread: bool
    draws: bool
    pending: PendingDraws = ()
    order: Order = field(default_factory=dict)
    drawn: DrawnSample | None = None
    prime: DrawnSample | None = None
    moves: list[CodeMove] = field(default_factory=list)


END: NodeKey = "end"


@dataclass(frozen=True, slots=True)
class CodeAutomaton:
    """What the code can do: its states by their keys in the order in which they were found.

    ``postponed`` are the lines of draws that are made later than in the code, at the first use.
    """

    nodes: dict[NodeKey, CodeState]
    initial: NodeKey
    postponed: tuple[int, ...] = ()


def explored(code: Code, values: Bindings, fail: Fail, limit: int = LIMIT) -> CodeAutomaton:
    """The automaton of a mechanism whose parameters have the given values. Raises CodeError.

    Registers remember queries that are used more than once, and draws are moved, in mechanisms that cannot do
    without.
    """
    try:
        return settled(code, values, fail, limit)
    except (NotYetInTheModel, WrongCode) as refused:
        for remembers, moves in ((True, False), (False, True), (True, True)):
            with suppress(CodeError):
                most = min(limit, MOST_MOVED) if moves else limit
                return settled(code, values, fail, most, remembers=remembers, moves=moves)
        if isinstance(refused, NeedsRegisters):  # then what is wrong comes later
            return settled(code, values, fail, limit, remembers=True)
        raise


def settled(
    code: Code, values: Bindings, fail: Fail, limit: int, *, remembers: bool = False, moves: bool = False
) -> CodeAutomaton:
    """The automaton, once it is known which numbers are seen late, and which are compared late.

    Registers remember queries with ``remembers``, and draws are made at their first use with ``moves``.
    """
    late, pairs = frozenset[int](), frozenset[Pair]()
    while True:
        steps = MechanismSteps(code, fail, late, pairs, remembers=remembers, moves=moves)
        automaton = _MechanismExplorer(code, fail, limit, steps).automaton(values)
        if steps.late == late and not steps.found:
            return automaton
        late, pairs = steps.late, pairs | steps.found


class _MechanismExplorer:
    def __init__(self, code: Code, fail: Fail, limit: int, steps: MechanismSteps) -> None:
        self.code = code
        self.fail = fail
        self.limit = limit
        self.steps = steps
        self.nodes: dict[NodeKey, CodeState] = {}
        self.waiting: deque[CodeState] = deque()

    def automaton(self, values: Bindings) -> CodeAutomaton:
        start = Trace(0, dict(values), frozenset(), unread=False)
        (entry,) = self.steps.paths(start)
        if entry.events:  # something is seen before anything is drawn
            initial, _ = self.node(0, dict(values), Trace(0, {}, frozenset(), unread=False), draws=False)
        else:
            initial = self._end(entry).target
        if initial == END:
            place = self.code.instructions[-1].place
            raise self.fail(
                WrongCode, place, "nothing is drawn and nothing is seen", "draw and see something"
            )
        while self.waiting:
            self._expand(self.waiting.popleft())
        return CodeAutomaton(self.nodes, initial, tuple(sorted(self.steps.postponed)))

    def node(
        self, at: int, values: Bindings, path: Trace, *, draws: bool
    ) -> tuple[NodeKey, dict[Query, int]]:
        """The state at a place, which is new if there is none that is equal, and its numbers of queries.

        The path says what is known besides the values.
        """
        live = {name: values[name] for name in sorted(self.code.live[at]) if name in values}
        live, pending, numbers = _renumbered(*renamed(live, path.pending))
        used, unread = (
            frozenset(new for query, new in numbers.items() if query.number in path.used),
            path.unread,
        )
        known = tuple((name, frozen(value)) for name, value in live.items())
        key = (at, known, used, unread, draws, pending, frozenset(path.order.items()))
        if key not in self.nodes:
            if len(self.nodes) >= self.limit:
                place = self.code.instructions[at].place
                kept = (node.values for node in self.nodes.values())
                raise too_many_states(self.fail, place, self.limit, kept)
            self.nodes[key] = CodeState(key, at, live, used, unread, draws, pending, path.order)
            self.waiting.append(self.nodes[key])
        return key, numbers

    def _expand(self, node: CodeState) -> None:
        start = Trace(node.at, dict(node.values), node.used, node.unread)
        start.pending, start.order = node.pending, node.order
        step = self.code.instructions[node.at]
        store = due(start, step)
        if node.draws:
            start.drawn = node.drawn = self.steps.drawn(start, step) if store is None else make(start, store)
            self.steps.mark(replace(start), start.drawn.query, step)
            # Without a draw, a query is compared or read, or a number is seen: there is no noise.
            if step.operation == "draw" and store is None:
                center = start.values[step.args[0]]
                based = isinstance(center, Query) and center.based
                start.values[step.dst or ""] = Sample(CURRENT, query=start.drawn.query, based=based)
                start.at += 1
        first = True
        for path in self.steps.paths(start):
            move = self._end(path, node.used)
            node.moves.append(move)
            if not node.draws:
                continue
            shifted = replace(path.drawn, mean=path.drawn.mean + (path.shift or 0)) if path.drawn else None
            if not first and shifted != node.drawn:
                raise self.fail(
                    NotYetInTheModel,
                    step.place,
                    "this draw is used at different offsets, or for different queries, on different paths",
                    "draw on each path",
                )
            node.drawn, first = shifted, False
            if path.prime is not None:
                self._second(node, path.prime)

    def _second(self, node: CodeState, prime: DrawnSample) -> None:
        """Note that a second sample is drawn at a state."""
        before = node.prime
        if before is not None and replace(before, place=prime.place) != prime:
            raise self.fail(
                NotYetInTheModel, prime.place, "a second draw has other noise here than elsewhere",
                "draw the same noise wherever this query is drawn again",
            )  # fmt: skip
        node.prime = prime

    def _end(self, path: Trace, before: frozenset[int] = frozenset()) -> CodeMove:
        """The transition of a way, once it has come to where the next step begins."""
        step = self.code.instructions[path.at]
        if path.drawn is not None and not path.fixed:
            path.shift = self._offset(path, step)
            if not path.fixed:
                self.steps.mark(path, path.drawn.query, step)
        keep, target, numbers = None, END, dict[Query, int]()
        if step.operation != "return":
            keep = self._kept(path, step)
            shows = step.operation == "see" and isinstance(path.values.get(step.args[0]), Query | Sample)
            draws = due(path, step) is not None or shows or step.operation in ("draw", "compare", "add")
            moved = partial(_moved, keep=keep, shift=path.shift or Fraction(0))
            values = {name: mapped(moved, value) for name, value in path.values.items()}
            path.order = known_order(path, keep, self.steps.live(path), self.steps.pairs)
            target, numbers = self.node(path.at, values, path, draws=draws)
        registers = self._registers(path, before, numbers) if self.steps.remembers else ()
        events = tuple(event.moved(path.shift or Fraction(0)) for event in path.events)
        return CodeMove(path.tests, keep, events, target, path.places, registers)

    def _registers(
        self, path: Trace, before: frozenset[int], numbers: Mapping[Query, int]
    ) -> tuple[tuple[str, Sum], ...]:
        """What registers hold after a step: the queries that have been read and are still used, and sums.

        ``before`` are the numbers of those that were read before the step.
        """
        found: list[tuple[str, Sum]] = []
        for query, new in numbers.items():
            if query.number in path.used:
                terms: dict[str, int] = {}
                for sign, n in ((1, query.number), *query.more):
                    name = register(n) if n in before else INPUT
                    terms[name] = terms.get(name, 0) + sign
                if any(abs(times) != 1 for times in terms.values()):
                    raise self.fail(
                        NotYetInTheModel,
                        self.code.instructions[path.at].place,
                        "a query is added twice",
                        "add or subtract each query once",
                    )
                found.append((register(new), tuple(sorted(terms.items()))))
        return tuple(sorted(found))

    def _live(self, path: Trace) -> list[tuple[str, Sample]]:
        """The live variables that hold samples, those in tuples with the name of the tuple."""
        found: list[tuple[str, Sample]] = []
        for name in sorted(self.code.live[path.at]):
            found += [(name, one) for one in leaves(path.values.get(name)) if isinstance(one, Sample)]
        return found

    def _offset(self, path: Trace, step: Instruction) -> Fraction:
        """What the current sample is more than the number that is stored, and which query it is of.

        Nothing was asked about it so far, so what is stored may include the public offset.
        """
        held = [sample for _, sample in self._live(path) if sample.store == CURRENT]
        if step.operation == "return" or not held:
            return Fraction(0)
        if len({sample.query for sample in held}) > 1:
            self.steps.use(path, held[0], step)
            self.steps.use(path, next(s for s in held if s.query != held[0].query), step)
        self.steps.use(path, held[0], step)
        return held[0].offset

    def _kept(self, path: Trace, step: Instruction) -> str | None:
        """The store for the current sample, where it is used later: if possible the name of a variable."""
        held = self._live(path)
        names = [name for name, sample in held if sample.store == CURRENT]
        if not names:
            return None
        for _, sample in held:
            if sample.store == CURRENT:
                self.steps.use(path, sample, step)
        taken = {sample.store for _, sample in held}
        plain = sorted(name for name in names if "%" not in name) or ["x"]
        name = plain[0].rpartition(".")[2]
        if name in _WORDS or not name.isascii():
            name = f"x_{name}" if name.isascii() else "x"
        return next(
            store
            for number in range(1, len(taken) + 3)
            if (store := name if number == 1 else f"{name}{number}") not in taken
        )


def _moved(value: Any, keep: str | None, shift: Fraction) -> Any:
    """A value after the step: what was the current sample is in the store ``keep``."""
    if not isinstance(value, Sample):
        return value
    if value.store == CURRENT:
        return replace(value, store=keep or GONE, offset=value.offset - shift, query=None)
    return Sample(GONE) if value.store == PRIME else value


def register(number: int) -> str:
    """The register of the query of a number."""
    return f"query{number + 1}"


def _renumbered(values: Bindings, pending: PendingDraws) -> tuple[Bindings, PendingDraws, dict[Query, int]]:
    """The same with queries numbered in the order of the variables; sums are queries of their own then."""
    numbers: dict[Query, int] = {}

    def again(value: Any) -> Any:
        if isinstance(value, Query):
            number = numbers.setdefault(value.bare, len(numbers))
            return Query(number, value.offset, based=value.based)
        if isinstance(value, Sample) and value.query is not None:
            return replace(value, query=again(value.query))
        return value

    found = {name: mapped(again, value) for name, value in values.items()}
    waiting = tuple((store, replace(drawn, query=again(drawn.query))) for store, drawn in pending)
    return found, waiting, numbers
