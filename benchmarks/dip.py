"""Writes a program of DiPApprox (.dip) as a Python function that prover reads.

    python benchmarks/dip.py FILE [EPSILON] > program.py

Laplace noise keeps its rates, multiples of ε. Gaussian noise has a deviation in numbers, so EPSILON is the ε
of the program (1/2 unless given). Inputs are read in order, each before it is first used; what OUTPUT holds
at the end is seen.
"""

from __future__ import annotations

import re
import sys
from fractions import Fraction
from pathlib import Path

HEAD = """import prover
from prover.language import gaussian, laplace, see


@prover.mechanism
def program(queries):
"""
WORD = re.compile(r"\s*([A-Za-z_]\w*|-?\d+(?:\.\d+)?|[<>]=?|[=(){}\[\];,/])")


class Reader:
    """Reads the words of a program one after the other, and writes lines."""

    def __init__(self, text: str, epsilon: Fraction) -> None:
        if rest := WORD.sub(" ", text).split():
            raise ValueError(f"{rest[0]} is no word of such programs")
        self.words = [*WORD.findall(text), "}"]
        self.epsilon = epsilon
        self.lines: list[str] = []
        self.place = self.read = self.outputs = 0

    def take(self, *expected: str) -> str:
        """The next word; one of these, if any are given."""
        word = self.words[self.place] if self.place < len(self.words) else "the end"
        if expected and word not in expected:
            raise ValueError(f"{word} stands where {' or '.join(expected)} is expected")
        self.place += 1
        return word

    def takes(self, word: str) -> bool:
        """Whether this word comes next, which is then taken."""
        found = self.words[self.place] == word
        self.place += found
        return found

    def block(self, pad: str) -> None:
        """Statements, and the brace after them."""
        before = len(self.lines)
        while not self.takes("}"):
            self.statement(pad, self.take())
            self.takes(";")
        if len(self.lines) == before:
            self.lines.append(f"{pad}pass")

    def statement(self, pad: str, word: str) -> None:
        """The lines of a statement that begins with this word."""
        if word == "INPUTSIZE":
            self.take()
        elif word == "OUTPUT" and self.take("=", "[") == "[":
            place = self.take()
            self.take("]"), self.take("=")
            self.lines.append(f"{pad}out{place} = {self.take()}")
        elif word == "OUTPUT":
            comma = self.take("[")
            while comma != "]":
                self.lines.append(f"{pad}out{self.outputs} = {self.take()}")
                self.outputs += 1
                comma = self.take(",", "]")
        elif word in ("NUMERIC", "RANDOM"):
            name = self.take().lower()
            self.take("=")
            value = self.value(pad)  # before its line come those that read inputs
            self.lines.append(f"{pad}{name} = {value}")
        elif word == "IF":
            test = [self.take().lower(), self.take("<", "<=", ">", ">="), self.take().lower()]
            self.lines.append(f"{pad}if {' '.join(test)}:")
            self.take("THEN")
            self.branches(pad)
        else:
            raise ValueError(f"{word} begins no statement")

    def branches(self, pad: str) -> None:
        """Both branches; they read as many inputs where the program goes on to read others."""
        self.take("{")
        first = self.read
        self.block(pad + "    ")
        ends = {self.read}
        self.read = first
        if self.takes("ELSE"):
            self.take("{")
            self.lines.append(f"{pad}else:")
            self.block(pad + "    ")
        ends.add(self.read)
        self.read = max(ends)
        if len(ends) > 1 and "INPUT" in self.words[self.place :] and self.words[self.place] != "}":
            raise ValueError("one branch reads more inputs than the other, and others are read after it")

    def value(self, pad: str) -> str:
        """A number, a variable, an input, or a draw around one of them."""
        word = self.take()
        if word in ("gauss", "lap"):
            self.take("("), self.take("eps"), self.take("/")
            rate = 1 / Fraction(self.take())
            self.take(",")
            center = self.value(pad)
            self.take(")")
            if word == "lap":
                return f'laplace({center}, rate="{rate}")'
            return f'gaussian({center}, sigma="{1 / (rate * self.epsilon)}")'
        if word != "INPUT":
            return word.lower()
        self.take("[")
        place = int(self.take())
        self.take("]")
        while self.read <= place:
            self.lines.append(f"{pad}input{self.read} = next(queries)")
            self.read += 1
        return f"input{place}"


def translated(text: str, epsilon: Fraction = Fraction(1, 2)) -> str:
    """The function, as Python; ValueError where the text is no such program."""
    reader = Reader(text, epsilon)
    reader.block("    ")
    seen = ", ".join(f"out{place}" for place in range(reader.outputs))
    return HEAD + "".join(f"{line}\n" for line in reader.lines) + f"    see(({seen},))\n"


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    try:
        made = translated(Path(sys.argv[1]).read_text(encoding="utf-8"), *map(Fraction, sys.argv[2:]))
    except ValueError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    sys.stdout.write(made)
