"""The threshold program of a mechanism's automaton: names, outputs, and the lines behind them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from prover.language.errors import CodeError, NotYetInTheModel, Place
from prover.language.mechanism.letters import UNSEEN, Seen, outputs
from prover.language.mechanism.origin import EdgeLines, Origin, StateLines, WrittenProgram
from prover.language.mechanism.states import END, Automaton, Key, Move, Node
from prover.language.reading.instructions import Code
from prover.language.reading.machine import Fail
from prover.language.values import leaves, letter
from prover.program.errors import GuardWithoutInput, InvalidProgram
from prover.program.model import Program, State, Test, Transition
from prover.program.outputs import INSAMPLE_PRIME

START = "start"
"""A first state that nothing depends on, where the code does not begin with a draw that is stored."""

_NUMBER = "(number)"
_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(slots=True)
class _Case:
    """A transition on its way to the program; ``output`` is None where nothing is seen."""

    guard: tuple[Test, ...]
    assign: tuple[str, ...]
    output: str | None
    target: Key
    lines: EdgeLines


@dataclass(slots=True)
class _Row:
    """A state on its way to the program."""

    input: bool
    rate: Fraction
    mean: Fraction
    prime: tuple[Fraction, Fraction] | None
    lines: StateLines
    cases: list[_Case] = field(default_factory=list)


def program_of(automaton: Automaton, code: Code, file: str | None, fail: Fail) -> WrittenProgram:
    """The program; raises NotYetInTheModel where outputs would tell more than is seen."""
    rows: dict[Key, _Row] = {}
    for key, node in automaton.nodes.items():
        row = rows[key] = _row(node, code)
        for move in _merged(node.moves):
            row.cases.append(_case(move, rows, node))
    _set_outputs(rows, automaton, code, fail)
    names = _names(rows, automaton)
    initial = _initial(rows, names, automaton.initial)
    states = {names[key]: _state(row, names) for key, row in rows.items()}
    try:
        program = Program(initial, states)
    except InvalidProgram as error:
        raise _located(error, rows, names, automaton, code, fail) from None
    by_name = {names[key]: row for key, row in rows.items()}
    edges = tuple(case.lines for name in program.states for case in by_name[name].cases)
    origin = Origin(file, code.name, {name: row.lines for name, row in by_name.items()}, edges)
    return WrittenProgram(program.initial, dict(program.states), program.final, program.noise, origin=origin)


def _located(
    error: InvalidProgram,
    rows: Mapping[Key, _Row],
    names: Mapping[Key, str],
    automaton: Automaton,
    code: Code,
    fail: Fail,
) -> CodeError:
    """The error about a program as one about the draw that is at fault."""
    key = next((key for key in rows if names[key] == error.state), automaton.initial)
    node = automaton.nodes.get(key, automaton.nodes[automaton.initial])
    problem = error.message
    if isinstance(error, GuardWithoutInput):
        problem = "public noise is compared with what was drawn before, which is not yet in the model"
    return fail(NotYetInTheModel, code.instructions[node.at].place, problem, "")


def _row(node: Node, code: Code) -> _Row:
    step = code.instructions[node.at]
    lines = StateLines(step.place.line, step.loop)
    if node.drawn is None:
        return _Row(False, _ONE, _ZERO, None, lines)
    prime = None if node.prime is None else (node.prime.rate, node.prime.mean)
    return _Row(node.drawn.query is not None, node.drawn.rate, node.drawn.mean, prime, lines)


def _case(move: Move, rows: dict[Key, _Row], node: Node) -> _Case:
    """The transition of a move; further letters get states of their own, which only put them out."""
    letters = [text for text, _ in move.letters]
    places = [place for _, place in move.letters]
    output = move.number or (letters.pop(0) if letters else None)
    if move.number is None and places:
        places.pop(0)
    target = _tail(tuple(letters), places, move.target, rows, node)
    guard = tuple(("<" if below else ">=", store) for store, below in move.tests)
    lines = EdgeLines(_line(move.tested), _line(move.seen))
    return _Case(guard, () if move.keep is None else (move.keep,), output, target, lines)


def _tail(
    letters: tuple[str, ...], places: Sequence[Place], target: Key, rows: dict[Key, _Row], node: Node
) -> Key:
    """The state that puts out letters one after the other and then goes to the target."""
    if not letters:
        return target
    key: Key = ("then", letters, target)
    if key not in rows:
        line = places[0].line
        rows[key] = _Row(False, _ONE, _ZERO, None, StateLines(line, None))
        after = _tail(letters[1:], places[1:], target, rows, node)
        rows[key].cases.append(_Case((), (), letters[0], after, EdgeLines(None, line)))
    return key


def _line(place: Place | None) -> int | None:
    return None if place is None else place.line


def _merged(moves: Iterable[Move]) -> list[Move]:
    """The moves, those put together that a test tells apart after which all is the same."""
    merged = list(moves)
    while (pair := _needless(merged)) is not None:
        first, second, store = pair
        tests = tuple(test for test in merged[first].tests if test[0] != store)
        merged[first] = replace(merged[first], tests=tests, tested=merged[first].tested if tests else None)
        del merged[second]
    return merged


def _needless(moves: Sequence[Move]) -> tuple[int, int, str] | None:
    """Two moves that differ in one test alone, and the store that it is of."""
    known: dict[Hashable, int] = {}
    for place, move in enumerate(moves):
        letters = tuple(text for text, _ in move.letters)
        for store, below in move.tests:
            rest = tuple(test for test in move.tests if test[0] != store)
            what = (rest, store, move.keep, move.number, letters, move.target)
            other = known.get((what, not below))
            if other is not None:
                return other, place, store
            known[what, below] = place
    return None


def _set_outputs(rows: Mapping[Key, _Row], automaton: Automaton, code: Code, fail: Fail) -> None:
    """Outputs for steps of which nothing is seen."""
    every: dict[Hashable, list[Seen]] = {
        key: [(_seen(case), case.target) for case in row.cases] for key, row in rows.items()
    }
    for key, row in rows.items():
        if all(case.output is not None for case in row.cases):
            continue
        found = outputs(every[key], every)
        if found is None:
            place = code.instructions[automaton.nodes[key].at].place
            raise fail(
                NotYetInTheModel,
                place,
                "after this draw something is seen on one way and nothing on another, and what is seen later "
                "need not tell which it was",
                "see something on each way",
            )
        for case, output in zip(row.cases, found, strict=True):
            case.output = case.output or output


def _seen(case: _Case) -> str | None:
    numbers = ("insample", INSAMPLE_PRIME)
    return _NUMBER if case.output in numbers else case.output


def _names(rows: Mapping[Key, _Row], automaton: Automaton) -> dict[Key, str]:
    """Names of states: the line, and the values of the variables in which states of a line differ."""
    lines: dict[int, list[Key]] = {}
    for key, row in rows.items():
        lines.setdefault(row.lines.line, []).append(key)
    names: dict[Key, str] = {END: END} if isinstance(END, str) else {}
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


def _shown(node: Node | None) -> dict[str, str]:
    """The constants that variables of a state hold, as parts of names."""
    if node is None:
        return {}
    shown = {}
    for name, value in node.values.items():
        text = letter(value) if not any(text is None for text in map(letter, leaves(value))) else None
        if text is not None and "%" not in name:
            shown[re.sub(r"\W", "_", name)] = re.sub(r"\W", "_", text.replace("-", "minus"))
    return shown


def _initial(rows: dict[Key, _Row], names: dict[Key, str], key: Key) -> str:
    """The initial state, which has one transition that stores; one is put in front where it has not."""
    row = rows[key]
    if len(row.cases) == 1 and row.cases[0].assign and not row.cases[0].guard:
        return names[key]
    stores = sorted({store for one in rows.values() for case in one.cases for store in case.assign})
    store = stores[0] if stores else "x"
    start: Key = (START,)
    lines = EdgeLines(None, None)
    first = _Row(False, _ONE, _ZERO, None, StateLines(row.lines.line, None))
    first.cases.append(_Case((), (store,), UNSEEN, key, lines))
    rows[start] = first
    names[start] = START
    return START


def _state(row: _Row, names: Mapping[Key, str]) -> State:
    cases = tuple(
        Transition(case.guard, case.assign, case.output or UNSEEN, names[case.target]) for case in row.cases
    )
    prime: Any = (None, None) if row.prime is None else row.prime
    return State(row.input, row.rate, row.mean, prime[0], prime[1], cases)
