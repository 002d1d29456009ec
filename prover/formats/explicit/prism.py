"""Chains in PRISM's explicit files: transitions (.tra), labels (.lab), states (.sta), or all in one (.pexp).

The grammar is in docs/models.md. Storm's dialect, in which transitions begin with ``dtmc`` and labels with
``#DECLARATION``, is read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from prover.errors import in_file, quoted
from prover.formats.explicit.chain import INITIAL, ExplicitChain, NoState, checked_rows
from prover.formats.explicit.lines import (
    BadLine,
    Line,
    NotAMarkovChain,
    Transitions,
    lines_of,
    state_number,
    whole_number,
)
from prover.formats.explicit.remarks import Remarks

MARK = "#!"
"""What a remark begins with."""

_DECLARED = re.compile(r'\s*([0-9]{1,9})="([^"]+)"')
_VALUE = re.compile(r"[^\s,()=]+")
_TRANSITIONS = "# Transitions"
_SECTIONS = {_TRANSITIONS: "tra", "# States": "sta", "# Labels": "lab", "# Reward": "", "# Observations": ""}
_OTHER_MODELS = {
    "ctmc": "a Markov chain in continuous time",
    "mdp": "a Markov decision process",
    "ctmdp": "a Markov decision process in continuous time",
    "ma": "a Markov automaton",
}


@dataclass(frozen=True, slots=True)
class Companion:
    """A text that goes with the transitions, and what errors call it."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class _Transitions:
    rows: tuple[Mapping[int, Fraction], ...]
    initial: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class _Valuations:
    variables: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()


_Labels = Mapping[int, tuple[str, ...]]
_NO_VALUATIONS = _Valuations()


def read_prism(
    transitions: str,
    labels: Companion | None = None,
    states: Companion | None = None,
    *,
    normalise: bool = False,
) -> ExplicitChain:
    """The chain of a .tra file, with its .lab and .sta files where there are any.

    Raises BadLine, NotAMarkovChain, TooManyTransitions, ExponentsTooLarge, RowDoesNotSum, NoState,
    NamesNotUnique, and what ``parse_rational`` raises, with the line, and the name of the companion.
    """
    remarks = Remarks()
    read = _transitions(lines_of(transitions), remarks)
    labelling: _Labels | None = None
    valuations = _NO_VALUATIONS
    if labels is not None:
        with in_file(labels.file):
            labelling = _labels(lines_of(labels.text), len(read.rows), remarks)
    if states is not None:
        with in_file(states.file):
            valuations = _valuations(lines_of(states.text), len(read.rows))
    return _chain(read, labelling, valuations, remarks, normalise=normalise)


def read_combined(text: str, *, normalise: bool = False) -> ExplicitChain:
    """The chain of a .pexp file, which holds all sections; raises what ``read_prism`` raises."""
    headings = [line for _, line in lines_of(text) if _section(line)]
    for heading in headings:
        if sum(_section(other) == _section(heading) for other in headings) > 1:
            raise BadLine(f"section {quoted(heading)} is there twice")
    remarks = Remarks()
    there = {_section(heading) for heading in headings}
    read = _transitions(_lines_in(text, "tra"), remarks)
    states = len(read.rows)
    labelling = _labels(_lines_in(text, "lab"), states, remarks) if "lab" in there else None
    valuations = _valuations(_lines_in(text, "sta"), states) if "sta" in there else _NO_VALUATIONS
    return _chain(read, labelling, valuations, remarks, normalise=normalise)


def _section(line: str) -> str:
    """The section that a line begins: "tra", "sta", "lab", or "" for none and for those that are not read."""
    if not line.startswith("# "):
        return ""
    return next((kind for heading, kind in _SECTIONS.items() if line.startswith(heading)), "")


def _lines_in(text: str, wanted: str) -> Iterator[Line]:
    """The lines of one section; what stands before any heading belongs to the transitions."""
    section = "tra"
    for number, line in lines_of(text):
        if any(line.startswith(heading) for heading in _SECTIONS):
            section = _section(line)
        if section == wanted:
            yield number, line


def _chain(
    read: _Transitions,
    labelling: _Labels | None,
    valuations: _Valuations,
    remarks: Remarks,
    *,
    normalise: bool,
) -> ExplicitChain:
    count = len(read.rows)
    propositions = tuple((labelling or {}).get(state, ()) for state in range(count))
    if labelling is None:
        initial = sorted({0} if read.initial is None else read.initial)
    else:
        initial = [state for state, holding in enumerate(propositions) if INITIAL in holding]
        if read.initial is not None and read.initial != set(initial):
            raise BadLine("the transitions and the labels name different initial states")
    names = remarks.names_of(count)
    rows, notes = checked_rows(read.rows, normalise=normalise, names=names)
    return ExplicitChain(
        propositions,
        tuple(initial),
        valuations.variables,
        valuations.values,
        names,
        remarks.relation_of(count),
        notes,
        rows=rows,
    )


def _transitions(lines: Iterable[Line], remarks: Remarks) -> _Transitions:
    found = Transitions()
    initial: set[int] = set()
    size: tuple[int, int] | None = None
    begun = False
    for number, line in lines:
        if line.startswith("#"):
            _check_heading(line, number)
            if line.startswith(MARK):
                remarks.read(line.removeprefix(MARK), number)
            continue
        fields = line.split()
        if not begun:
            begun = True
            size = _size(fields, number)
            continue
        states = None if size is None else size[0]
        if fields[0] == "-" and len(fields) >= 2:
            initial.add(state_number(fields[1], states, number))
            continue
        source = state_number(fields[0], states, number)
        if ":" in line:
            for entry in fields[1:]:
                probability, _, target = entry.rpartition(":")
                found.add(source, state_number(target, states, number), probability, number)
        elif len(fields) in (3, 4):  # the fourth is an action, which no observer of a chain sees
            found.add(source, state_number(fields[1], states, number), fields[2], number)
        else:
            raise BadLine('a transition is written "state successor probability"', number)
    if not begun or not found.rows:
        raise NoState
    return _Transitions(_all_rows(found, size), frozenset(initial) or None)


def _check_heading(line: str, number: int) -> None:
    if (
        line.startswith(f"{_TRANSITIONS} (")
        and line.removeprefix(_TRANSITIONS).strip(" ()").upper() != "DTMC"
    ):
        found = line.removeprefix(_TRANSITIONS).strip(" ()").lower()
        raise NotAMarkovChain(_OTHER_MODELS.get(found, f"a model of type {quoted(found)}"), number)


def _size(fields: list[str], number: int) -> tuple[int, int] | None:
    """The numbers of states and of transitions that the first line gives, or None in Storm's dialect."""
    if len(fields) == 1:
        kind = fields[0].lower()
        if kind == "dtmc":
            return None
        raise NotAMarkovChain(_OTHER_MODELS.get(kind, f"a file that begins with {quoted(fields[0])}"), number)
    if len(fields) in (3, 4):
        raise NotAMarkovChain("a file whose first line has more than two numbers, as for decisions", number)
    if len(fields) != 2:
        raise BadLine('the first line is "states transitions", or "dtmc"', number)
    return whole_number(fields[0], "the number of states", number), whole_number(
        fields[1], "the number of transitions", number
    )


def _all_rows(found: Transitions, size: tuple[int, int] | None) -> tuple[Mapping[int, Fraction], ...]:
    """The rows by their states; a state without a transition has an empty one, which does not sum to 1."""
    last = max(max(found.rows), max((t for row in found.rows.values() for t in row), default=0))
    states = last + 1
    if size is not None:
        states = size[0]
        if found.count != size[1]:
            raise BadLine(f"the first line announces {size[1]:,} transitions, and there are {found.count:,}")
    # Before anything as long as the number of states is built: one state without a transition is enough.
    rows: list[Mapping[int, Fraction]] = []
    for state in range(states):
        if state not in found.rows:
            checked_rows([*rows, {}], normalise=True)
        rows.append(found.rows[state])
    return tuple(rows)


def _labels(lines: Iterable[Line], states: int, remarks: Remarks) -> _Labels:
    rest = iter(lines)
    for number, line in rest:
        if line == "#DECLARATION":
            return _storm_labels(rest, states)
        if line.startswith(MARK):
            remarks.read(line.removeprefix(MARK), number)
        elif not line.startswith("#"):
            return _prism_labels(line, number, rest, states, remarks)
    raise BadLine('labels begin with a line such as 0="init" 1="deadlock", or with #DECLARATION')


def _prism_labels(heading: str, number: int, rest: Iterator[Line], states: int, remarks: Remarks) -> _Labels:
    declared: dict[str, str] = {}
    place = 0
    while place < len(heading):
        match = _DECLARED.match(heading, place)
        if match is None:
            raise BadLine(f'declarations such as 0="init" belong here, not {quoted(heading[place:])}', number)
        if match[2] in declared.values() or match[1] in declared:
            raise BadLine(f"label {match[1]}, {quoted(match[2])}, is declared twice", number)
        declared[match[1]] = match[2]
        place = match.end()
    found = _Holding(states)
    for number, line in rest:
        if line.startswith("#"):
            if line.startswith(MARK):
                remarks.read(line.removeprefix(MARK), number)
            continue
        state, colon, holding = line.partition(":")
        if not colon:
            raise BadLine('the labels of a state are written "state: label label"', number)
        for label in holding.split():
            if label not in declared:
                raise BadLine(f"label {quoted(label)} is not declared", number)
        found.add(state.strip(), [declared[label] for label in holding.split()], number)
    return found.called(remarks.propositions)


def _storm_labels(rest: Iterator[Line], states: int) -> _Labels:
    declared: set[str] = set()
    for number, line in rest:
        if line == "#END":
            break
        if line.startswith("#"):
            raise BadLine("#END belongs at the end of the declaration", number)
        declared |= set(line.split())
    else:
        raise BadLine("the declaration of the labels has no #END")
    found = _Holding(states)
    for number, line in rest:
        state, *holding = line.split()
        for label in holding:
            if label not in declared:
                raise BadLine(f"label {quoted(label)} is not declared", number)
        found.add(state, holding, number)
    return found.called({})


@dataclass(slots=True)
class _Holding:
    """Which atomic propositions hold where."""

    states: int
    _found: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def add(self, text: str, holding: list[str], line: int) -> None:
        state = state_number(text, self.states, line)
        if state in self._found:
            raise BadLine(f"the labels of state {state} are given twice", line)
        self._found[state] = tuple(holding)

    def called(self, names: Mapping[str, str]) -> _Labels:
        """The propositions by their full names, sorted; equal tuples are one object."""
        known: dict[tuple[str, ...], tuple[str, ...]] = {}
        for state, holding in self._found.items():
            if holding not in known:
                known[holding] = tuple(sorted({names.get(name, name) for name in holding}))
            self._found[state] = known[holding]
        return self._found


def _valuations(lines: Iterable[Line], states: int) -> _Valuations:
    variables: tuple[str, ...] | None = None
    values: dict[int, tuple[str, ...]] = {}
    for number, line in lines:
        if line.startswith("#"):
            continue
        if variables is None:
            variables = _tuple(line, number)
            if len(set(variables)) < len(variables):
                raise BadLine("a variable is there twice", number)
            continue
        text, colon, given = line.partition(":")
        state = state_number(text.strip(), states, number)
        if not colon or state in values:
            raise BadLine('each state is given once, as "state:(value,value)"', number)
        values[state] = _tuple(given, number)
        if len(values[state]) != len(variables):
            raise BadLine(f"{len(values[state])} values belong to {len(variables)} variables", number)
    if variables is None:
        raise BadLine("states begin with a line of variables such as (x,y)")
    if len(values) < states:
        missing = next(state for state in range(states) if state not in values)
        raise BadLine(f"the values of state {missing} are missing")
    return _Valuations(variables, tuple(values[state] for state in range(states)))


def _tuple(text: str, number: int) -> tuple[str, ...]:
    text = text.strip()
    inside = [part.strip() for part in text[1:-1].split(",")]
    if not (text.startswith("(") and text.endswith(")")) or not all(map(_VALUE.fullmatch, inside)):
        raise BadLine(
            f'values between parentheses belong here, such as "(0,true)", not {quoted(text)}', number
        )
    return tuple(inside)
