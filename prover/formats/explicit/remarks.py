"""Comments by which files of model checkers keep what only this project's chains have.

After ``#!`` (PRISM) or ``//!`` (DRN) stand

    state 3 "s3"              the name of state 3
    proposition l0 "a b"      what the atomic proposition l0 is called
    related 3 5               states 3 and 5 are related

with JSON strings. Other programs skip them as comments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from prover.errors import InvalidModel
from prover.formats.explicit.lines import BadLine, state_number

_WORDS = re.compile(r'(state|proposition|related)\s+(\S+)\s+(\S+|".*")')


@dataclass(slots=True)
class Remarks:
    """The remarks of the files of one chain, as they are met."""

    names: dict[int, str] = field(default_factory=dict)
    propositions: dict[str, str] = field(default_factory=dict)
    related: list[tuple[int, int]] = field(default_factory=list)

    def read(self, remark: str, line: int | None = None) -> None:
        """Take in what stands after the mark of a remark; other comments are skipped. Raises BadLine."""
        match = _WORDS.fullmatch(remark.strip())
        if match is None:
            return
        kind, first, second = match.groups()
        if kind == "proposition":
            self.propositions[first] = _text(second, line)
        elif kind == "state":
            self.names[state_number(first, None, line)] = _text(second, line)
        else:
            self.related.append((state_number(first, None, line), state_number(second, None, line)))

    def names_of(self, states: int) -> tuple[str, ...]:
        """The names of all states, or of none; raises InvalidModel."""
        if not self.names:
            return ()
        if len(self.names) != states or max(self.names) >= states:
            raise InvalidModel(
                f"{len(self.names)} of {states} states are named; name all of them or none",
                code="names-not-unique",
            )
        return tuple(self.names[state] for state in range(states))

    def relation_of(self, states: int) -> tuple[tuple[int, int], ...] | None:
        """The related pairs, None where no remark says any; raises BadLine."""
        for pair in self.related:
            if max(pair) >= states:
                raise BadLine(f"the related states {pair} are not states of the chain")
        return tuple(self.related) or None


def remark_lines(
    names: Mapping[int, str], propositions: Mapping[str, str], related: list[tuple[int, int]]
) -> list[str]:
    """The remarks, without their mark."""
    return [
        *(f"state {state} {json.dumps(name)}" for state, name in names.items()),
        *(f"proposition {short} {json.dumps(name)}" for short, name in propositions.items()),
        *(f"related {first} {second}" for first, second in related),
    ]


def _text(written: str, line: int | None) -> str:
    try:
        text = json.loads(written) if written.startswith('"') else None
    except ValueError:
        text = None
    if not isinstance(text, str):
        raise BadLine("a name between quotation marks is expected", line)
    return text
