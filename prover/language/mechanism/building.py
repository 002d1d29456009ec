"""The threshold program of a mechanism's automaton: names, outputs, and the lines behind them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

from prover.language.errors import CodeError, NotYetInTheModel, SourcePlace
from prover.language.mechanism.comparisons import constant_of
from prover.language.mechanism.guards import is_noisy, merged, relation
from prover.language.mechanism.letters import UNSEEN, Emitted, unseen_outputs
from prover.language.mechanism.path import ALL
from prover.language.mechanism.states import END, CodeAutomaton, CodeMove, CodeState, NodeKey, register
from prover.language.reading.instructions import Code
from prover.language.reading.machine import Fail
from prover.language.values import CONSTANT, leaves, letter
from prover.program.conditions import indistinct_states
from prover.program.errors import InvalidProgram
from prover.program.gaps import TooManyPairs, alike_edges
from prover.program.model import Program, State, Test, Transition, forgetful
from prover.program.noise import LAPLACE, NO_NOISE, Gaussian, Noise, Rate, Shape
from prover.program.origin import EdgeLines, LineOrigin, StateLines, WrittenProgram
from prover.program.outputs import INSAMPLE_PRIME, Gap, Output, Outputs, seen_of
from prover.program.registers import without_unused
from prover.program.state import Sum
from prover.views import SourceCode

START = "start"
"""A first state that nothing depends on, where the code does not begin with a draw that is stored."""

_NUMBER = "(number)"
_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(slots=True)
class _Case:
    """A transition on its way to the program; ``events`` are what is seen, in order."""

    guard: tuple[Test, ...]
    assign: tuple[str, ...]
    events: tuple[Output, ...]
    target: NodeKey
    lines: EdgeLines
    place: SourcePlace | None = None
    output: Outputs = UNSEEN
    registers: tuple[tuple[str, Sum], ...] = ()
    seen: tuple[Fraction, ...] | None = None


@dataclass(slots=True)
class _StateEntry:
    """A state on its way to the program."""

    input: bool
    noise: Shape
    mean: Fraction
    prime: tuple[Shape, Fraction] | None
    lines: StateLines
    cases: list[_Case] = field(default_factory=list)
    center: str | None = None


@dataclass(slots=True)
class _Builder:
    automaton: CodeAutomaton
    code: Code
    fail: Fail
    kind: str
    rows: dict[NodeKey, _StateEntry] = field(default_factory=dict)

    def row(self, key: NodeKey) -> _StateEntry:
        """The state of a node, with its transitions."""
        node = self.automaton.nodes[key]
        step = self.code.instructions[node.at]
        drawn = node.drawn
        lines = StateLines((step if drawn is None else drawn).place.line, step.loop)
        if drawn is None:
            return _StateEntry(
                False, (_ONE, _ONE), _ZERO, None, lines, [self.case(node, one) for one in node.moves]
            )
        prime = None if node.prime is None else (node.prime.noise, node.prime.mean)
        moves = merged(node.moves, drawn.signs, discrete=self.kind != LAPLACE)
        cases = [self.case(node, one) for one in moves]
        again = drawn.query is not None and drawn.query.number in node.used
        center = register(drawn.query.number) if drawn.query is not None and again else None
        reads = drawn.query is not None and not again
        return _StateEntry(reads, drawn.noise, drawn.mean, prime, lines, cases, center)

    def case(self, node: CodeState, move: CodeMove) -> _Case:
        """The transition of a move."""
        events = tuple(_named(event.output) for event in move.events)
        seen = next((event.place for event in move.events if event.is_number), None)
        seen = seen or (move.events[0].place if move.events else None)
        guard = tuple(self.test(node, move, store) for store in sorted(move.tests))
        raw = tuple((one.sign, one.offset) if one.is_number else str(one.output) for one in move.events)
        tested = {_variable(store): move.places[store].line for store in sorted(move.tests)}
        based = any(event.based for event in move.events)
        lines = EdgeLines(tested, _line(seen), raw, based)
        keep = () if move.keep is None else (move.keep,)
        return _Case(guard, keep, events, move.target, lines, seen, registers=move.registers)

    def test(self, node: CodeState, move: CodeMove, store: str) -> Test:
        """The test of a guard."""
        possible = ALL if node.drawn is None else node.drawn.signs
        noisy = is_noisy(store, self.automaton.nodes.values())
        found = relation(move.tests[store], possible, discrete=self.kind != LAPLACE, noisy=noisy)
        if found is None:
            raise self.fail(
                NotYetInTheModel, move.places[store],
                "numbers that may be equal are compared in a way that guards cannot express",
                "write < or >= with the later number on the left",
            )  # fmt: skip
        return found, _variable(store)

    def set_outputs(self) -> None:
        """Outputs for all transitions, so that no more is told than is seen."""
        every: dict[Hashable, list[Emitted]] = {}
        for key, row in self.rows.items():
            every[key] = []
            for place, case in enumerate(row.cases):
                texts = [_NUMBER if _is_number(event) else str(event) for event in case.events]
                marks: list[NodeKey] = [("after", key, place, k) for k in range(1, len(texts))]
                after = [*marks, case.target]
                every[key].append((texts[0], after[0]) if texts else (None, case.target))
                for mark, text, following in zip(marks, texts[1:], after[1:], strict=True):
                    every[mark] = [(text, following)]
        for key, row in self.rows.items():
            for case in row.cases:
                case.output = _joined(case.events)
            tokens = [seen_of(case.output) if case.events else None for case in row.cases]
            found = unseen_outputs(every[key], tokens, every)
            if found is None:
                raise self.fail(
                    NotYetInTheModel,
                    self.code.instructions[self.automaton.nodes[key].at].place,
                    "after this draw, one path outputs something, and another one nothing or only its "
                    "beginning; later outputs need not show which path it was",
                    "see something different on each path",
                )
            for case, output in zip(row.cases, found, strict=True):
                case.output = case.output if output is None else output

    def hide(self) -> bool:
        """Outputs for all transitions that show more than is seen, and what is seen of them instead.

        False, and nothing is done, where more than one thing is seen in a step, or with another sign, or
        where numbers are added that were seen before, or noise is discrete.
        """
        cases = [case for row in self.rows.values() for case in row.cases]
        raw = [case.lines.events for case in cases]
        signs = [event[0] for events in raw for event in events if not isinstance(event, str)]
        primed = any(INSAMPLE_PRIME in case.events for case in cases)
        based = any(case.lines.based for case in cases)
        if (
            self.kind != LAPLACE
            or based
            or primed
            or not {*signs} <= {1}
            or any(len(events) > 1 for events in raw)
        ):
            return False
        for row in self.rows.values():
            names = (f"{UNSEEN}{number or ''}" for number in count())
            for case in row.cases:
                if not case.events:
                    case.output, case.seen = next(names), ()
                    continue
                (case.output,), (event,) = case.events, case.lines.events
                case.seen = None if isinstance(event, str) or not event[1] else (event[1],)
        return True

    def constants(self, first: NodeKey) -> NodeKey:
        """States in front of the first one that store the public numbers that are compared with."""
        stores = {
            (store, move.places[store])
            for node in self.automaton.nodes.values()
            for move in node.moves
            for store in move.tests
            if store.startswith(CONSTANT)
        }
        lines: dict[str, int] = {}
        for store, place in stores:
            lines[store] = min(place.line, lines.get(store, place.line))
        increasing = sorted(lines, key=lambda store: constant_of(store) or _ZERO)
        for smaller, store in reversed(list(zip([None, *increasing], increasing, strict=False))):
            number = constant_of(store) or _ZERO
            state = StateLines(lines[store], None, number)
            guard = () if smaller is None or self.kind != LAPLACE else ((">=", _variable(smaller)),)
            case = _Case(guard, (_variable(store),), (), first, EdgeLines({}, None))
            first = (store,)
            self.rows[first] = _StateEntry(False, NO_NOISE, number, None, state, [case])
        return first

    def initial(self, key: NodeKey) -> NodeKey:
        """The initial state, which has one transition that stores; one is put in front where it has not."""
        row = self.rows[key]
        first = row.cases[0]
        if len(row.cases) == 1 and first.assign and not first.guard and not first.registers:
            return key
        stores = sorted({store for one in self.rows.values() for case in one.cases for store in case.assign})
        store = stores[0] if stores else "x"
        start: NodeKey = (START,)
        case = _Case((), (store,), (), key, EdgeLines({}, None))
        drawn = [node.drawn.noise for node in self.automaton.nodes.values() if node.drawn is not None]
        gaussian = {isinstance(noise, Gaussian) for noise in drawn if noise != NO_NOISE} == {True}
        noise: Shape = Gaussian(_ONE) if gaussian else (_ONE, _ONE)  # only rates depend on ε
        self.rows[start] = _StateEntry(False, noise, _ZERO, None, StateLines(row.lines.line, None), [case])
        return start

    def require_same_meaning(self, program: WrittenProgram, cases: Sequence[_Case]) -> None:
        """Raise NotYetInTheModel where runs that look alike in the program do not in the code.

        Programs output the letters of a step, then its numbers without signs and public offsets, and without
        numbers that were seen before. Where outputs tell the run, and where runs with the same outputs see
        the same things, that is a bijection of what is observed (docs/theory_registers.md, *Numbers that are
        added after they were seen*).
        """
        plain = forgetful(program) if program.has_registers else program
        if not indistinct_states(plain):
            return
        found = next((case for case in cases if case.lines.based), None) or _differing(plain, cases)
        if found is not None:
            what = (
                "a number that was seen before is added to this one"
                if found.lines.based
                else "another path sees this with another sign or public offset, or in another order"
            )
            raise self.fail(
                NotYetInTheModel,
                found.place or self.code.instructions[0].place,
                f"{what}, and outputs do not always show which comparison was true",
                "see something different on each path",
            )

    def located(self, error: InvalidProgram, names: Mapping[NodeKey, str]) -> CodeError:
        """The error about a program as one about the draw that is at fault."""
        key = next((key for key in self.rows if names[key] == error.state), self.automaton.initial)
        node = self.automaton.nodes.get(key, self.automaton.nodes[self.automaton.initial])
        return self.fail(NotYetInTheModel, self.code.instructions[node.at].place, error.message, "")


def program_of(
    automaton: CodeAutomaton, code: Code, file: str | None, fail: Fail, text: SourceCode | None = None
) -> WrittenProgram:
    """The program, which knows its ``text``. Raises NotYetInTheModel where none says what the code does."""
    builder = _Builder(automaton, code, fail, _kind(automaton, fail))
    builder.rows |= {key: builder.row(key) for key in automaton.nodes}
    initial = builder.initial(builder.constants(automaton.initial))
    names = _names(builder.rows, automaton)
    try:
        builder.set_outputs()
        return _made(builder, initial, names, file, text)
    except NotYetInTheModel:
        if not builder.hide():
            raise
        return _made(builder, initial, names, file, text)


def _made(
    builder: _Builder,
    initial: NodeKey,
    names: Mapping[NodeKey, str],
    file: str | None,
    text: SourceCode | None,
) -> WrittenProgram:
    """The program, once its outputs are known."""
    code = builder.code
    states = without_unused({names[key]: _state(row, names) for key, row in builder.rows.items()})
    by_name = {names[key]: row for key, row in builder.rows.items()}
    cases = [case for name in sorted(states) for case in by_name[name].cases]
    try:
        noise = Noise(builder.kind, sensitivity=code.settings.get("sensitivity", _ONE))
        lines = {name: row.lines for name, row in by_name.items()}
        edges, moved = tuple(case.lines for case in cases), builder.automaton.postponed
        origin = LineOrigin(file, code.name, lines, edges, text, moved)
        program = WrittenProgram(names[initial], states, frozenset(), noise, origin=origin)
    except InvalidProgram as error:
        raise builder.located(error, names) from None
    if not program.hides_steps:
        builder.require_same_meaning(program, cases)
    return program


def _differing(program: Program, cases: Sequence[_Case]) -> _Case | None:
    """A case where others that look alike are seen differently; one with outputs if pairs are too many."""
    try:
        for first, second in alike_edges(program):
            one, other = cases[first.number], cases[second.number]
            if one.lines.events != other.lines.events:
                return one
    except TooManyPairs:
        return next((case for case in cases if case.lines.events), None)
    return None


def _kind(automaton: CodeAutomaton, fail: Fail) -> str:
    """The noise of the program."""
    kind: str | None = None
    for node in automaton.nodes.values():
        for drawn in (node.drawn, node.prime):
            if drawn is None or drawn.kind is None:
                continue
            if kind not in (None, drawn.kind):
                raise fail(
                    NotYetInTheModel, drawn.place, "discrete and continuous noise are both drawn",
                    "draw laplace, exponential and gaussian noise, or discrete_laplace and geometric noise",
                )  # fmt: skip
            kind = drawn.kind
    return kind or LAPLACE


def _joined(events: tuple[Output, ...]) -> Outputs:
    """What is seen in one step as the output of a transition: letters in one, and numbers."""
    letters = [str(event) for event in events if not _is_number(event)]
    outputs = (*(["_".join(letters)] if letters else []), *(event for event in events if _is_number(event)))
    return UNSEEN if not outputs else outputs[0] if len(outputs) == 1 else outputs


def _is_number(event: Output) -> bool:
    return seen_of(event)[1] > 0


def _named(output: Output) -> Output:
    return Gap(_variable(output.variable)) if isinstance(output, Gap) else output


def _variable(store: str) -> str:
    """The variable of a store."""
    number = constant_of(store)
    if number is None:
        return store
    return re.sub(r"\W", "_", f"constant_{store.removeprefix(CONSTANT).replace('-', 'minus')}")


def _line(place: SourcePlace | None) -> int | None:
    return None if place is None else place.line


def _names(rows: Mapping[NodeKey, _StateEntry], automaton: CodeAutomaton) -> dict[NodeKey, str]:
    """Names of states: the line, and the values of the variables in which states of a line differ."""
    lines: dict[int, list[NodeKey]] = {}
    names: dict[NodeKey, str] = {END: str(END), (START,): START}
    for key, row in rows.items():
        if row.lines.number is not None:
            names[key] = row.cases[0].assign[0]
        elif key not in names:
            lines.setdefault(row.lines.line, []).append(key)
    for line, keys in lines.items():
        shown = {key: _shown(automaton.nodes.get(key)) for key in keys}
        differing = sorted({name for values in shown.values() for name in values})
        differing = [name for name in differing if len({shown[key].get(name) for key in keys}) > 1]
        stems = {}
        for key in keys:
            parts = [f"{name}{shown[key][name]}" for name in differing if name in shown[key]]
            stems[key] = "_".join([f"line{line}", *parts]) if len("_".join(parts)) < 40 else f"line{line}"
        counts = Counter(stems.values())
        numbers: Counter[str] = Counter()
        for key in keys:
            stem = stems[key]
            numbers[stem] += 1
            names[key] = stem if counts[stem] == 1 else f"{stem}_{numbers[stem]}"
    return names


def _shown(node: CodeState | None) -> dict[str, str]:
    """The constants that variables of a state hold, as parts of names."""
    if node is None:
        return {}
    shown = {}
    for name, value in node.values.items():
        text = letter(value) if not any(text is None for text in map(letter, leaves(value))) else None
        if text is not None and "%" not in name:
            shown[re.sub(r"\W", "_", name)] = re.sub(r"\W", "_", text.replace("-", "minus"))
    return shown


def _state(row: _StateEntry, names: Mapping[NodeKey, str]) -> State:
    cases = tuple(
        Transition(case.guard, case.assign, case.output, names[case.target], case.registers, seen=case.seen)
        for case in row.cases
    )
    second, mean = (None, None) if row.prime is None else row.prime
    prime = None if second is None else second if isinstance(second, Gaussian) else _one(second)
    if isinstance(row.noise, Gaussian):
        return State(row.input, row.noise, row.mean, prime, mean, cases, center=row.center)
    one = _one(row.noise)
    left, right = row.noise if one is None else (None, None)
    return State(row.input, one, row.mean, prime, mean, cases, left, right, center=row.center)


def _one(rates: tuple[Rate, Rate]) -> Fraction | None:
    """The rate of both sides, if there is one."""
    left, right = rates
    return left if left == right and isinstance(left, Fraction) else None
