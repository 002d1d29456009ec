"""What the text formats of model checkers have in common: lines, numbers of states, probabilities."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from prover.errors import BadDocument, BadInput, BeyondLimit, quoted
from prover.exact.rational import completed_decimal, parse_rational
from prover.formats.strict_json import MAX_WRITTEN_OUT, exponents_too_large

TextLine = tuple[int, str]
"""A line without white space around it, after its number from 1."""

MAX_TRANSITIONS = 2_000_000
"""The most transitions of a chain that are read."""

_EXPONENT = re.compile(r"[eE][+-]?([0-9]++)")
_KEPT = 100_000


class BadLine(BadDocument):
    """A line of a file is not what its format allows there."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message, line=line)


def not_a_markov_chain(found: str, line: int | None = None, advice: str = "") -> BadDocument:
    """A file holds another model than a Markov chain, or where actions have names a decision process, in
    discrete time with given probabilities. ``advice`` ends the sentence, after "; ".
    """
    return BadDocument(
        f"this is {found}; a Markov chain or decision process in discrete time (DTMC, MDP) is expected"
        + advice,
        line=line,
        code="not-a-markov-chain",
    )


def lines_of(text: str) -> Iterator[TextLine]:
    """The lines that hold something, one after the other."""
    number, start = 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        number += 1
        line = text[start:end].strip()
        if line:
            yield number, line
        start = end + 1


def whole_number(text: str, what: str, line: int) -> int:
    """The number that ASCII digits write; raises BadLine."""
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise BadLine(f"{what} is expected, a whole number, not {quoted(text)}", line)
    return int(text)


def state_number(text: str, states: int | None, line: int) -> int:
    """The number of a state, below ``states`` if that is known; raises BadLine."""
    state = whole_number(text, "the number of a state", line)
    if states is not None and state >= states:
        there = {0: "the file announces no states", 1: "the only state is 0"}
        known = there.get(states, f"the states are 0 to {states - 1}")
        raise BadLine(f"there is no state {text}; {known}", line)
    return state


class Probabilities:
    """Reads the probabilities of one file, each text once: fractions, and decimals with or without exponent.

    Numbers are read literally: ``0.1``, ``.1`` and ``1e-1`` are 1/10. A file cannot fill the memory with
    exponents.
    """

    def __init__(self) -> None:
        self._known: dict[str, Fraction] = {}
        self._written_out = 0

    def read(self, text: str, line: int) -> Fraction:
        """The number; raises BadLine, BeyondLimit, and what ``parse_rational`` raises."""
        found = self._known.get(text)
        if found is None:
            try:
                found = self._parsed(text, line)
            except BadInput as error:
                error.line = line
                raise
            if len(self._known) < _KEPT:
                self._known[text] = found
        return found

    def _parsed(self, text: str, line: int) -> Fraction:
        if text.startswith("-"):
            raise BadLine(f"probability {quoted(text)} is negative; probabilities lie between 0 and 1", line)
        number = parse_rational(completed_decimal(text))
        exponent = _EXPONENT.search(text)
        self._written_out += int(exponent[1]) if exponent else 0
        if self._written_out > MAX_WRITTEN_OUT:
            raise exponents_too_large(line)
        return number


class Transitions:
    """Collects the transitions of one file, each at most once."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[int, Fraction]] = {}
        self.count = 0
        self._probabilities = Probabilities()

    def add(self, source: int, target: int, probability: str, line: int, place: int | None = None) -> None:
        """Raises BadLine where the transition is there already, BeyondLimit, and what reading
        raises.

        ``place`` is the row, if that is not the one of number ``source``.
        """
        row = self.rows.setdefault(source if place is None else place, {})
        if target in row:
            raise BadLine(f"the transition from {source} to {target} is given twice", line)
        self.count += 1
        if self.count > MAX_TRANSITIONS:
            raise BeyondLimit(
                f"too many transitions; at most {MAX_TRANSITIONS:,} are read",
                line=line,
                code="too-many-transitions",
            )
        row[target] = self._probabilities.read(probability, line)
