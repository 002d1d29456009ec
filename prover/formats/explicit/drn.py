"""Chains and decision processes in Storm's DRN format ("direct encoding"), read.

The grammar is in docs/models.md. Rewards are skipped, and so are the names of the actions of chains; the
comments in which Storm writes the values of variables are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from prover.errors import quoted
from prover.formats.explicit.chain import INITIAL, ExplicitChain, checked_rows, no_state
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

MARK = "//!"
"""What a remark begins with."""

NO_LABEL = "__NOLABEL__"
"""What Storm calls a choice that has no name."""

_LABEL = re.compile(r'"([^"]+)"(?=\s|$|")|([^\s"]+)(?=\s|$)')
_REWARDS = re.compile(r"\[[^\]]*\]")
VALUE = re.compile(r"\s*(?:(!?)([A-Za-z_][\w.']*)|([A-Za-z_][\w.']*)\s*=\s*([^\s&\]]+)|)\s*")
"""The value of one variable in the comment of a state; nothing at all where Storm leaves out what is true."""

_TRANSITION = re.compile(r"([0-9]+)\s*:\s*(\S+)")
_OTHER_VALUES = ("double-interval", "rational-interval", "parametric")


def read_drn(text: str, *, normalise: bool = False) -> Explicit:
    """The chain of a .drn file of type DTMC, or the process of one of type MDP.

    Raises BadLine, BadDocument, BeyondLimit, InvalidModel, and what ``parse_rational`` raises, with the line.
    """
    lines = lines_of(text)
    reader = _DrnReader()
    reader.header(lines)
    read_lines(lines, reader.line)
    return reader.model(normalise=normalise)


@dataclass(slots=True)
class _DrnReader:
    """What is read of a file so far."""

    states: int | None = None
    placeholders: dict[str, str] = field(default_factory=dict)
    remarks: Remarks = field(default_factory=Remarks)
    found: Transitions = field(default_factory=Transitions)
    propositions: list[tuple[str, ...]] = field(default_factory=list)
    valuations: dict[int, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    kind: str = ""
    actions: list[tuple[int, str]] = field(default_factory=list)
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def header(self, lines: Iterator[TextLine]) -> None:
        """Everything up to ``@model``."""
        expected = ""
        for number, line in lines:
            key, _, value = (part.strip() for part in line.partition(":"))
            if line.startswith("//"):
                self.comment(line, number)
            elif line == "@model":
                if not self.kind or self.states is None:
                    raise BadLine("@type and @nr_states must come before @model", number)
                return
            elif key == "@type":
                if value.upper() not in ("DTMC", "MDP"):
                    raise not_a_markov_chain(f"a model of type {quoted(value)}", number)
                self.kind = value.upper()
            elif key == "@value_type":
                if value in _OTHER_VALUES:
                    raise not_a_markov_chain(f"a model with values of type {quoted(value)}", number)
            elif line.startswith("@"):
                expected = line
            elif expected == "@nr_states":
                self.states = whole_number(line, "the number of states", number)
            elif expected == "@parameters":
                raise not_a_markov_chain(f"a model with parameters, {quoted(line)}", number)
            elif expected == "@placeholders":
                self.placeholders[key.removeprefix("$")] = value
            elif expected not in ("@nr_choices", "@reward_models"):
                raise BadLine(f"the header of a DRN file has no line {quoted(line)}", number)
        raise BadLine("@model is missing")

    def line(self, line: str) -> None:
        """One line of the model."""
        if line.startswith("//"):
            self.comment(line)
        elif line.startswith("state ") or line == "state":
            self.state(line.removeprefix("state").strip())
        elif line == "action" or line.startswith(("action ", "action\t")):
            self.action(line.removeprefix("action").strip())
        else:
            match = _TRANSITION.fullmatch(line)
            if match is None or not self.propositions:
                raise BadLine(f'a transition "state : probability" is expected, not {quoted(line)}')
            value = match[2]
            if value.startswith("$"):
                if value[1:] not in self.placeholders:
                    raise BadLine(f"placeholder {quoted(value)} is not in the header")
                value = self.placeholders[value[1:]]
            target = state_number(match[1], self.states)
            source = len(self.propositions) - 1
            if not self.acts(source):
                self.actions.append((source, NO_LABEL))
            self.found.add(len(self.actions) - 1, source, target, value)

    def acts(self, state: int) -> bool:
        """Whether an action of the state is there already."""
        return bool(self.actions) and self.actions[-1][0] == state

    def action(self, rest: str) -> None:
        state = len(self.propositions) - 1
        if state < 0:
            raise BadLine("an action belongs to a state")
        if self.kind == "DTMC" and self.acts(state):
            raise not_a_markov_chain("a model of type DTMC with a choice between actions")
        self.actions.append((state, _REWARDS.sub("", rest).strip() or NO_LABEL))

    def state(self, rest: str) -> None:
        text, _, rest = rest.partition(" ")
        if state_number(text, self.states) != len(self.propositions):
            raise BadLine(f"state {len(self.propositions)} is expected; states stand in order")
        rest = rest.strip()
        if rest.startswith("["):
            match = _REWARDS.match(rest)
            if match is None:
                raise BadLine("the ] of the rewards is missing")
            rest = rest[match.end() :].strip()
        if rest not in self.known:
            left = _LABEL.sub("", rest).strip()
            if left:
                raise BadLine(f"labels are expected, not {quoted(left)}")
            self.known[rest] = tuple(sorted({a or b for a, b in _LABEL.findall(rest)}))
        self.propositions.append(self.known[rest])

    def comment(self, line: str, number: int | None = None) -> None:
        if line.startswith(MARK):
            self.remarks.read(line.removeprefix(MARK), number)
        elif line.startswith("//[") and line.endswith("]") and self.propositions:
            parts = [VALUE.fullmatch(part) for part in line[3:-1].split("&")]
            if all(parts):
                self.valuations[len(self.propositions) - 1] = tuple(
                    (part[3], part[4]) if part[3] else (part[2] or "", "false" if part[1] else "true")
                    for part in parts
                    if part is not None
                )

    def model(self, *, normalise: bool) -> Explicit:
        count = len(self.propositions)
        if not count:
            raise no_state()
        if count != self.states:
            raise BadLine(f"the header announces {self.states} states, but there are {count}")
        names = self.remarks.names_of(count)
        called = self.remarks.propositions
        propositions = tuple(
            tuple(sorted({called.get(name, name) for name in holding})) if called else holding
            for holding in self.propositions
        )
        initial = tuple(state for state, holding in enumerate(self.propositions) if INITIAL in holding)
        variables, values = self.variables()
        described = propositions, initial, variables, values, names, self.remarks.relation_of(count)
        choices = self.choices(count)
        if self.kind == "DTMC":
            only = [choice[0][1] if choice else {} for choice in choices]
            rows, notes = checked_rows(only, normalise=normalise, names=names)
            return ExplicitChain(*described, notes, rows=rows)
        checked, notes = checked_choices(choices, normalise=normalise, names=names)
        return ExplicitProcess(*described, (*notes, *_numbers(checked)), choices=checked)

    def choices(self, count: int) -> list[list[NamedRow]]:
        """What can be done in every state."""
        choices: list[list[NamedRow]] = [[] for _ in range(count)]
        for index, (state, name) in enumerate(self.actions):
            choices[state].append((name, self.found.rows.get(index, {})))
        return [_named(given) for given in choices]

    def variables(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """The variables and their values in each state, none unless the comments of all states agree.

        Storm leaves out the name of a Boolean variable that is true in some versions; another state, where it
        is false, has it in the same place.
        """
        first = self.valuations.get(0)
        if first is None or len(self.valuations) < len(self.propositions):
            return (), ()
        variables = [""] * len(first)
        for valuation in self.valuations.values():
            if len(valuation) != len(first):
                return (), ()
            for index, (name, _) in enumerate(valuation):
                if name and variables[index] not in ("", name):
                    return (), ()
                variables[index] = variables[index] or name
        if "" in variables or len(set(variables)) < len(variables):
            return (), ()
        values = (self.valuations[state] for state in range(len(self.propositions)))
        return tuple(variables), tuple(tuple(value for _, value in valuation) for valuation in values)


def _named(given: list[NamedRow]) -> list[NamedRow]:
    """The choices of a state, without a name where Storm writes that: as such, or as number 0 of one."""
    if len(given) == 1 and given[0][0] == "0":
        return [(NAMELESS, given[0][1])]
    return [(NAMELESS if name == NO_LABEL else name, row) for name, row in given]


def _numbers(choices: Sequence[Sequence[NamedRow]]) -> Iterator[str]:
    """The note that actions are called by numbers, as Storm calls them where a program has no names."""
    if any(name.isdecimal() for given in choices for name, _ in given):
        yield (
            "actions are named by numbers; in states of equal label, equal numbers are taken for the "
            "same action"
        )
