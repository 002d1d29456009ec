"""Chains and processes written in the formats of model checkers, so that reading them gives the same again.

What these formats have no place for, names of states, labels that are no identifiers, relations that are not
all pairs of initial states, goes into remarks (prover.formats.explicit.remarks).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import overload

from prover.chain.model import ANONYMOUS, LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import Unwritable, quoted
from prover.exact.rational import format_rational
from prover.formats.explicit import drn, prism
from prover.formats.explicit.chain import DEADLOCK, INITIAL, ExplicitChain, ExplicitStates
from prover.formats.explicit.process import NAMELESS, Explicit, ExplicitProcess, NamedRow
from prover.formats.explicit.remarks import remark_lines

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ACTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(-?[0-9]+|true|false)")


@overload
def explicit_of(model: LabelledMarkovChain) -> ExplicitChain: ...


@overload
def explicit_of(model: LabelledMarkovDecisionProcess) -> ExplicitProcess: ...


def explicit_of(model: LabelledMarkovChain | LabelledMarkovDecisionProcess) -> Explicit:
    """The model with numbered states, as it is read back: the related states are initial, or else the first.

    A label that is a list of identifiers such as ``a,b`` becomes the atomic propositions a and b, every other
    label one proposition; names such as ``b=true,x=0`` in all states become variables. Raises Unwritable for
    labels ``init`` and ``deadlock``.
    """
    order, states = _numbered(model)
    index_of = {state: index for index, state in enumerate(order)}

    def numbered(row: Mapping[int, Fraction]) -> dict[int, Fraction]:
        return dict(sorted((index_of[t], p) for t, p in row.items()))

    if isinstance(model, LabelledMarkovChain):
        return ExplicitChain(*states, rows=tuple(numbered(model.rows[s]) for s in order))
    return ExplicitProcess(
        *states,
        choices=tuple(
            tuple(
                (NAMELESS if action == ANONYMOUS else action, numbered(model.row(s, action)))
                for action in model.menu(s)
            )
            for s in order
        ),
    )


_Described = tuple[
    tuple[tuple[str, ...], ...],
    tuple[int, ...],
    tuple[str, ...],
    tuple[tuple[str, ...], ...],
    tuple[str, ...],
    tuple[tuple[int, int], ...] | None,
]
"""What ``ExplicitStates`` hold, but for the notes."""


def _numbered(model: LabelledMarkovChain | LabelledMarkovDecisionProcess) -> tuple[list[int], _Described]:
    """The states in their new order, and what they are."""
    order = list(range(len(model)))
    names: tuple[str, ...] = model.states
    variables, values = _valuations(names)
    if set(names) == {str(state) for state in order}:
        order.sort(key=lambda state: int(names[state]))
        names = ()
    elif variables:
        names = ()
    index_of = {state: index for index, state in enumerate(order)}
    pairs = sorted({(min(p), max(p)) for p in ((index_of[s], index_of[t]) for s, t in model.relation)})
    initial = sorted({state for pair in pairs for state in pair}) or [0]
    known = {label: _propositions(label) for label in set(model.labels)}
    propositions = [known[model.labels[state]] for state in order]
    for state in initial:
        propositions[state] = tuple(sorted((*propositions[state], INITIAL)))
    return order, (
        tuple(propositions),
        tuple(initial),
        variables,
        tuple(values[state] for state in order) if variables else (),
        names,
        None if pairs == list(combinations(initial, 2)) else tuple(pairs),
    )


def _propositions(label: str) -> tuple[str, ...]:
    parts = label.split(",") if label else []
    if not all(map(_IDENTIFIER.fullmatch, parts)) or parts != sorted(set(parts)):
        parts = [label]
    for name in parts:
        if name in (INITIAL, DEADLOCK):
            raise Unwritable(
                f"label {quoted(name)} has a meaning of its own in this format; rename it",
                code="not-in-format",
            )
    return tuple(parts)


def _valuations(names: tuple[str, ...]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The variables and values that all names consist of, if they do."""
    variables: tuple[str, ...] = ()
    values = []
    for name in names:
        found = [_ASSIGNMENT.fullmatch(part) for part in name.split(",")]
        here = tuple(match[1] for match in found if match is not None)
        variables = variables or here
        if None in found or here != variables or list(here) != sorted(set(here)):
            return (), []
        values.append(tuple(match[2] for match in found if match is not None))
    return variables, values


def drn_text(model: Explicit) -> str:
    """The .drn file of a chain or a process; raises Unwritable for values that its comments cannot hold, and
    for names of actions that are no identifiers.
    """
    if isinstance(model, ExplicitChain):
        return "\n".join([*_drn_lines(model, "DTMC", [[("0", row)] for row in model.rows]), ""])
    choices = [[(_action(name) or drn.NO_LABEL, row) for name, row in given] for given in model.choices]
    return "\n".join([*_drn_lines(model, "MDP", choices), ""])


def _drn_lines(model: ExplicitStates, kind: str, choices: Sequence[Sequence[NamedRow]]) -> Iterator[str]:
    table = _Table.of(model)
    yield from (f"@type: {kind}", "@value_type: rational", "@parameters", "", "@reward_models", "")
    yield from ("@nr_states", str(len(model)), "@nr_choices", str(sum(map(len, choices))))
    yield from (drn.MARK + " " + line for line in table.remarks(model))
    yield "@model"
    for state, given in enumerate(choices):
        yield " ".join(["state", str(state), *table.short(model.propositions[state])])
        if model.variables:
            yield f"//[{'	& '.join(_drn_values(model, state))}]"
        for name, row in given:
            yield f"\taction {name}"
            yield from (f"\t\t{target} : {format_rational(p)}" for target, p in row.items())


def _action(name: str) -> str:
    """The name of an action, if a format of model checkers can hold it."""
    if name and not _ACTION.fullmatch(name):
        raise Unwritable(
            f"{quoted(name)} cannot be written as the name of an action in this format", code="not-in-format"
        )
    return name


def _drn_values(chain: ExplicitStates, state: int) -> Iterator[str]:
    for variable, value in zip(chain.variables, chain.values[state], strict=True):
        text = f"{variable}={value}"
        if value in ("true", "false"):
            text = variable if value == "true" else f"!{variable}"
        if not drn.VALUE.fullmatch(text):
            raise Unwritable(
                f"{quoted(text)} cannot be written as the value of a variable in a DRN file",
                code="not-in-format",
            )
        yield text


@dataclass(frozen=True, slots=True)
class PrismTexts:
    """The texts of the files of a chain; ``states`` is None without variables."""

    transitions: str
    labels: str
    states: str | None


def prism_texts(chain: Explicit) -> PrismTexts:
    """The .tra, .lab and .sta files of a chain or a process; raises Unwritable for names of actions that are
    no identifiers.
    """
    table = _Table.of(chain)
    lines = [*_prism_lines(chain)]
    size = f"{len(chain)} {len(lines)}"
    if isinstance(chain, ExplicitProcess):
        size = f"{len(chain)} {sum(map(len, chain.choices))} {len(lines)}"
    transitions = [size, *(f"{prism.MARK} {line}" for line in table.remarks(chain)), *lines]
    declared = [INITIAL, DEADLOCK, *sorted({*table.names} - {INITIAL, DEADLOCK})]
    numbers = {name: str(number) for number, name in enumerate(declared)}
    labels = [" ".join(f'{number}="{name}"' for name, number in numbers.items())]
    for state, holding in enumerate(chain.propositions):
        if holding:
            labels.append(f"{state}: {' '.join(sorted((numbers[n] for n in table.short(holding)), key=int))}")
    states = None
    if chain.variables:
        lines = [f"({','.join(chain.variables)})"]
        lines += [f"{state}:({','.join(values)})" for state, values in enumerate(chain.values)]
        states = "\n".join([*lines, ""])
    return PrismTexts("\n".join([*transitions, ""]), "\n".join([*labels, ""]), states)


def _prism_lines(model: Explicit) -> Iterator[str]:
    if isinstance(model, ExplicitChain):
        for source, row in enumerate(model.rows):
            yield from (f"{source} {target} {format_rational(p)}" for target, p in row.items())
        return
    for source, given in enumerate(model.choices):
        for index, (name, row) in enumerate(given):
            action = f" {_action(name)}" if name else ""
            yield from (
                f"{source} {index} {target} {format_rational(p)}{action}" for target, p in row.items()
            )


def combined_text(chain: Explicit) -> str:
    """The .pexp file of a chain or a process; raises what ``prism_texts`` raises."""
    texts = prism_texts(chain)
    kind = "DTMC" if isinstance(chain, ExplicitChain) else "MDP"
    parts = [
        (f"# Transitions ({kind})", texts.transitions),
        ("# States", texts.states),
        ("# Labels", texts.labels),
    ]
    return "\n".join(f"{heading}\n{text}" for heading, text in parts if text is not None)


@dataclass(frozen=True, slots=True)
class _Table:
    """The short names of the propositions that are no identifiers, and those of all."""

    names: frozenset[str]
    called: Mapping[str, str]

    @classmethod
    def of(cls, chain: ExplicitStates) -> _Table:
        full = sorted({name for holding in chain.propositions for name in holding})
        plain = {name for name in full if _IDENTIFIER.fullmatch(name)}
        free = (
            name for name in (f"l{number}" for number in range(len(full) + len(plain))) if name not in plain
        )
        called = {name: name if name in plain else next(free) for name in full}
        return cls(frozenset(called.values()), called)

    def short(self, holding: tuple[str, ...]) -> list[str]:
        return [self.called[name] for name in holding]

    def remarks(self, chain: ExplicitStates) -> list[str]:
        names = dict(enumerate(chain.names))
        called = {short: name for name, short in self.called.items() if short != name}
        return remark_lines(names, called, list(chain.relation or ()))
