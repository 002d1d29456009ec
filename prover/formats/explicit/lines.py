"""What the text formats of model checkers have in common: lines, numbers of states, probabilities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from prover.errors import BadDocument, BadInput, BeyondLimit, quoted
from prover.exact.meanings import Meanings
from prover.exact.rational import completed_decimal, parse_rational
from prover.formats.strict_json import MAX_WRITTEN_OUT, exponents_too_large

TextLine = tuple[int, str]
"""A line without white space around it, after its number from 1."""

MAX_TRANSITIONS = 2_000_000
"""The most transitions of a chain that are read."""

_EXPONENT = re.compile(r"[eE][+-]?([0-9]++)")
_MOST_DIGITS = 18  # of a whole number
_BLOCK = 2**16  # characters that are split into lines at once


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
        end = text.find("\n", start + _BLOCK)
        end = len(text) if end < 0 else end
        for line in map(str.strip, text[start:end].split("\n")):
            number += 1
            if line:
                yield number, line
        start = end + 1


def read_lines(lines: Iterable[TextLine], read: Callable[[str], object]) -> None:
    """Calls ``read`` with one line after the other, and names the line in a BadInput that it raises."""
    for number, line in lines:
        try:
            read(line)
        except BadInput as error:
            error.line = number
            raise


def whole_number(text: str, what: str, line: int | None = None) -> int:
    """The number that ASCII digits write; raises BadLine."""
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS:
        raise BadLine(f"{what} is expected, a whole number, not {quoted(text)}", line)
    return int(text)


def state_number(text: str, states: int | None, line: int | None = None) -> int:
    """The number of a state, below ``states`` if that is known; raises BadLine."""
    is_number = text.isdigit() and text.isascii() and len(text) <= _MOST_DIGITS
    state = int(text) if is_number else whole_number(text, "the number of a state", line)
    if states is not None and state >= states:
        there = {0: "the file announces no states", 1: "the only state is 0"}
        known = there.get(states, f"the states are 0 to {states - 1}")
        raise BadLine(f"there is no state {text}; {known}", line)
    return state


class Probabilities(Meanings[Fraction]):
    """The probabilities of one file, by their texts: fractions, and decimals with or without exponent.

    Numbers are read literally: ``0.1``, ``.1`` and ``1e-1`` are 1/10. A file cannot fill the memory with
    exponents. Looking up a text raises BadLine, BeyondLimit, and what ``parse_rational`` raises.
    """

    def __init__(self) -> None:
        super().__init__(self._parsed)
        self._written_out = 0

    def _parsed(self, text: str) -> Fraction:
        if text.startswith("-"):
            raise BadLine(f"probability {quoted(text)} is negative; probabilities lie between 0 and 1")
        number = parse_rational(completed_decimal(text))
        exponent = _EXPONENT.search(text)
        self._written_out += int(exponent[1]) if exponent else 0
        if self._written_out > MAX_WRITTEN_OUT:
            raise exponents_too_large()
        return number


class Transitions:
    """Collects the transitions of one file, each at most once."""

    def __init__(self) -> None:
        self.rows: dict[int, dict[int, Fraction]] = {}
        self.count = 0
        self._probabilities = Probabilities()

    def add(self, place: int, source: int, target: int, probability: str) -> None:
        """Puts a transition into the row of number ``place``.

        Raises BadLine where it is there already, BeyondLimit, and what reading the probability raises.
        """
        row = self.rows.get(place)
        if row is None:
            row = self.rows[place] = {}
        elif target in row:
            raise BadLine(f"the transition from {source} to {target} is given twice")
        self.count += 1
        if self.count > MAX_TRANSITIONS:
            raise BeyondLimit(
                f"too many transitions; at most {MAX_TRANSITIONS:,} are read", code="too-many-transitions"
            )
        row[target] = self._probabilities[probability]
