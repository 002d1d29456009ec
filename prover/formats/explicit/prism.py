"""Chains and decision processes in PRISM's explicit files: transitions (.tra), labels (.lab), states (.sta),
or all in one (.pexp).

The grammar is in docs/models.md. Storm's dialect, in which transitions begin with ``dtmc`` or ``mdp`` and
labels with ``#DECLARATION``, is read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from prover.errors import in_file, quoted
from prover.formats.explicit.chain import INITIAL, ExplicitChain, checked_rows, no_state, row_does_not_sum
from prover.formats.explicit.lines import (
    BadLine,
    TextLine,
    Transitions,
    lines_of,
    not_a_markov_chain,
    read_lines,
    state_number,
    whole_number,
)
from prover.formats.explicit.process import NAMELESS, Explicit, ExplicitProcess, NamedRow, checked_choices
from prover.formats.explicit.remarks import Remarks

MARK = "#!"
"""What a remark begins with."""

_DECLARED = re.compile(r'\s*([0-9]{1,9})="([^"]+)"')
_VALUE = re.compile(r"[^\s,()=]+")
_TRANSITIONS = "# Transitions"
_SECTIONS = {_TRANSITIONS: "tra", "# States": "sta", "# Labels": "lab", "# Reward": "", "# Observations": ""}
_OTHER_MODELS = {
    "ctmc": "a Markov chain in continuous time",
    "ctmdp": "a Markov decision process in continuous time",
    "ma": "a Markov automaton",
}


@dataclass(frozen=True, slots=True)
class Companion:
    """A text that goes with the transitions, and what errors call it."""

    file: str
    text: str


@dataclass(frozen=True, slots=True)
class _Header:
    """What the first line says: the numbers of states, of choices (of a process) and of transitions."""

    is_process: bool
    states: int | None = None
    choices: int | None = None
    transitions: int | None = None


@dataclass(frozen=True, slots=True)
class _Transitions:
    """A row for every state, or where ``owners`` are given one for each of these: states with an action."""

    states: int
    rows: tuple[Mapping[int, Fraction], ...]
    initial: frozenset[int] | None
    owners: tuple[tuple[int, str], ...] | None = None


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
) -> Explicit:
    """The chain or the process of a .tra file, with its .lab and .sta files where there are any.

    Raises BadLine, BadDocument, BeyondLimit, InvalidModel, and what ``parse_rational`` raises, with the line,
    and the name of the companion.
    """
    remarks = Remarks()
    read = _transitions(lines_of(transitions), remarks)
    labelling: _Labels | None = None
    valuations = _NO_VALUATIONS
    if labels is not None:
        with in_file(labels.file):
            labelling = _labels(lines_of(labels.text), read.states, remarks)
    if states is not None:
        with in_file(states.file):
            valuations = _valuations(lines_of(states.text), read.states)
    return _model(read, labelling, valuations, remarks, normalise=normalise)


def read_combined(text: str, *, normalise: bool = False) -> Explicit:
    """The chain or the process of a .pexp file, which has all sections; raises what ``read_prism`` raises."""
    headings = [line for _, line in lines_of(text) if _section(line)]
    for heading in headings:
        if sum(_section(other) == _section(heading) for other in headings) > 1:
            raise BadLine(f"section {quoted(heading)} occurs twice")
    remarks = Remarks()
    there = {_section(heading) for heading in headings}
    read = _transitions(_lines_in(text, "tra"), remarks)
    states = read.states
    labelling = _labels(_lines_in(text, "lab"), states, remarks) if "lab" in there else None
    valuations = _valuations(_lines_in(text, "sta"), states) if "sta" in there else _NO_VALUATIONS
    return _model(read, labelling, valuations, remarks, normalise=normalise)


def _section(line: str) -> str:
    """The section that a line begins: "tra", "sta", "lab", or "" for none and for those that are not read."""
    if not line.startswith("# "):
        return ""
    return next((kind for heading, kind in _SECTIONS.items() if line.startswith(heading)), "")


def _lines_in(text: str, wanted: str) -> Iterator[TextLine]:
    """The lines of one section; what stands before any heading belongs to the transitions."""
    section = "tra"
    for number, line in lines_of(text):
        if any(line.startswith(heading) for heading in _SECTIONS):
            section = _section(line)
        if section == wanted:
            yield number, line


def _model(
    read: _Transitions,
    labelling: _Labels | None,
    valuations: _Valuations,
    remarks: Remarks,
    *,
    normalise: bool,
) -> Explicit:
    count = read.states
    propositions = tuple((labelling or {}).get(state, ()) for state in range(count))
    if labelling is None:
        initial = sorted({0} if read.initial is None else read.initial)
    else:
        initial = [state for state, holding in enumerate(propositions) if INITIAL in holding]
        if read.initial is not None and read.initial != set(initial):
            raise BadLine("the transitions and the labels name different initial states")
    names = remarks.names_of(count)
    relation = remarks.relation_of(count)
    described = propositions, tuple(initial), valuations.variables, valuations.values, names, relation
    if read.owners is None:
        rows, notes = checked_rows(read.rows, normalise=normalise, names=names)
        return ExplicitChain(*described, notes, rows=rows)
    given: list[list[NamedRow]] = [[] for _ in range(count)]
    for (state, action), row in zip(read.owners, read.rows, strict=True):
        given[state].append((action, row))
    choices, notes = checked_choices(given, normalise=normalise, names=names)
    return ExplicitProcess(*described, notes, choices=choices)


def _transitions(lines: Iterable[TextLine], remarks: Remarks) -> _Transitions:
    reader = _PrismReader(remarks)
    read_lines(lines, reader.line)
    return reader.transitions()


@dataclass(slots=True)
class _PrismReader:
    """The transitions that are read so far; ``choices`` are those of a process, by their names, and
    ``places`` where their rows are.
    """

    remarks: Remarks
    header: _Header | None = None
    found: Transitions = field(default_factory=Transitions)
    initial: set[int] = field(default_factory=set)
    choices: dict[tuple[int, int], str] = field(default_factory=dict)
    places: dict[tuple[int, int], int] = field(default_factory=dict)

    def line(self, line: str) -> None:
        """A line of the file."""
        if line.startswith("#"):
            _check_heading(line)
            if line.startswith(MARK):
                self.remarks.read(line.removeprefix(MARK))
            return
        fields = line.split()
        if self.header is None:
            self.header = _header(fields)
        elif fields[0] == "-" and len(fields) >= 2:
            self.initial.add(state_number(fields[1], self.header.states))
        elif self.header.is_process:
            self.choice(fields, self.header.states)
        elif ":" in line:
            source = state_number(fields[0], self.header.states)
            for entry in fields[1:]:
                probability, _, target = entry.rpartition(":")
                self.found.add(source, source, state_number(target, self.header.states), probability)
        elif len(fields) in (3, 4):  # the fourth is an action, which no observer of a chain sees
            source = state_number(fields[0], self.header.states)
            self.found.add(source, source, state_number(fields[1], self.header.states), fields[2])
        else:
            raise BadLine('a transition is written "state successor probability"')

    def choice(self, fields: list[str], states: int | None) -> None:
        """A line of a process, one transition of a choice."""
        source = state_number(fields[0], states)
        if len(fields) not in (4, 5):
            raise BadLine('a transition is written "state choice successor probability action"')
        choice = source, whole_number(fields[1], "the number of a choice")
        name = fields[4] if len(fields) == 5 else NAMELESS
        if self.choices.setdefault(choice, name) != name:
            raise BadLine(f"choice {fields[1]} of state {source} has two names")
        place = self.places.setdefault(choice, len(self.places))
        self.found.add(place, source, state_number(fields[2], states), fields[3])

    def transitions(self) -> _Transitions:
        header, found = self.header, self.found
        if header is None or not found.rows:
            raise no_state()
        _check_count("transitions", header.transitions, found.count)
        initial = frozenset(self.initial) or None
        if header.is_process:
            _check_count("choices", header.choices, len(self.choices))
            states = self._states({source for source, _ in self.choices}, header.states)
            order = sorted(self.choices)
            rows = tuple(found.rows[self.places[choice]] for choice in order)
            owners = tuple((choice[0], self.choices[choice]) for choice in order)
            return _Transitions(states, rows, initial, owners)
        states = self._states(set(found.rows), header.states)
        return _Transitions(states, tuple(found.rows[state] for state in range(states)), initial)

    def _states(self, there: set[int], announced: int | None) -> int:
        """How many states there are; raises InvalidModel for the first one without a transition, before
        anything as long as their number is built.
        """
        states = announced
        if states is None:
            states = 1 + max(map(max, (there, *self.found.rows.values())))
        if len(there) < states:
            missing = next(state for state in range(states) if state not in there)
            raise row_does_not_sum(missing, None, Fraction(0))
        return states


def _check_count(what: str, announced: int | None, found: int) -> None:
    if announced is not None and announced != found:
        raise BadLine(f"the first line announces {announced:,} {what}, but there are {found:,}")


def _check_heading(line: str) -> None:
    if line.startswith(f"{_TRANSITIONS} ("):
        found = line.removeprefix(_TRANSITIONS).strip(" ()").lower()
        if found not in ("dtmc", "mdp"):
            raise not_a_markov_chain(_OTHER_MODELS.get(found, f"a model of type {quoted(found)}"))


def _header(fields: list[str]) -> _Header:
    """The first line, which in Storm's dialect says the type of the model only."""
    if len(fields) == 1:
        kind = fields[0].lower()
        if kind in ("dtmc", "mdp"):
            return _Header(kind == "mdp")
        raise not_a_markov_chain(_OTHER_MODELS.get(kind, f"a file that begins with {quoted(fields[0])}"))
    if len(fields) not in (2, 3):
        raise BadLine('the first line is "states transitions", "states choices transitions", or "dtmc"')
    counted = ["the number of states", "the number of transitions"]
    if len(fields) == 3:
        counted.insert(1, "the number of choices")
    numbers = [whole_number(text, what) for text, what in zip(fields, counted, strict=True)]
    return _Header(len(fields) == 3, numbers[0], numbers[1] if len(fields) == 3 else None, numbers[-1])


def _labels(lines: Iterable[TextLine], states: int, remarks: Remarks) -> _Labels:
    rest = iter(lines)
    for number, line in rest:
        if line == "#DECLARATION":
            return _storm_labels(rest, states)
        if line.startswith(MARK):
            remarks.read(line.removeprefix(MARK), number)
        elif not line.startswith("#"):
            return _prism_labels(line, number, rest, states, remarks)
    raise BadLine('labels begin with a line such as 0="init" 1="deadlock", or with #DECLARATION')


def _prism_labels(
    heading: str, number: int, rest: Iterator[TextLine], states: int, remarks: Remarks
) -> _Labels:
    declared: dict[str, str] = {}
    place = 0
    while place < len(heading):
        match = _DECLARED.match(heading, place)
        if match is None:
            raise BadLine(f'declarations like 0="init" are expected, not {quoted(heading[place:])}', number)
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


def _storm_labels(rest: Iterator[TextLine], states: int) -> _Labels:
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


def _valuations(lines: Iterable[TextLine], states: int) -> _Valuations:
    variables: tuple[str, ...] | None = None
    values: dict[int, tuple[str, ...]] = {}
    for number, line in lines:
        if line.startswith("#"):
            continue
        if variables is None:
            variables = _tuple(line, number)
            if len(set(variables)) < len(variables):
                raise BadLine("a variable occurs twice", number)
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
            f'values between parentheses are expected, such as "(0,true)", not {quoted(text)}', number
        )
    return tuple(inside)
