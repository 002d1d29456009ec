"""What can be wrong with a mechanism or a protocol that is written as Python code."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from prover.errors import BadInput, did_you_mean, quoted


class CodeError(BadInput):
    """Something in the code is at fault: the base of the errors below, which have a line and a column.

    ``text`` is the offending text; the message quotes it, says what is wrong with it and what to write
    instead.
    """

    def __init__(self, text: str, problem: str, instead: str = "", *, line: int, column: int) -> None:
        self.text = " ".join(text.split())
        hint = f"; {instead}" if instead else ""
        super().__init__(f"{quoted(self.text)}: {problem}{hint}", line=line, column=column)


class Unsupported(CodeError):
    """A construct of Python is outside the language."""


class WrongCode(CodeError):
    """Code in the language has no meaning: a name without a value, an operation that cannot be done."""


class NotYetInTheModel(CodeError):
    """Code has a meaning for which threshold programs have no means."""


class Unbounded(CodeError):
    """The code has more states than are explored, or runs on without drawing or seeing anything."""


class NotPython(BadInput):
    """A file that should hold Python code does not."""

    def __init__(self, problem: str, line: int | None, column: int | None) -> None:
        super().__init__(f"this is not Python: {problem}", line=line, column=column)


class NoSuchFunction(BadInput):
    """A file has no mechanism or protocol of the name that is asked for, or several and none is named."""

    def __init__(self, name: str | None, known: Sequence[str], *, bare: bool = False) -> None:
        """``bare`` says that there is a function of this name without a decorator."""
        there = ", ".join(known) if known else "none; decorate one with @prover.mechanism or @prover.protocol"
        if name is None and known:
            super().__init__(f"which one is meant? write FILE.py:NAME; there is {there}")
        elif bare:
            super().__init__(
                f"{quoted(name or '')} is no mechanism and no protocol yet: write @prover.mechanism or "
                f"@prover.protocol above it{f'; there is {there}' if known else ''}"
            )
        else:
            what = "" if name is None else f" {quoted(name)}"
            super().__init__(
                f"no mechanism or protocol{what} here; {did_you_mean(name or '', known)}there is {there}"
            )


class NoSource(BadInput):
    """The source of a function cannot be found."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"the source of {quoted(name)} cannot be found; write the function in a file and import it"
        )


class BadConstant(BadInput):
    """A parameter is missing, unknown, or has a value that is no constant of the language."""


class OutsideARun(BadInput):
    """A word of the language is called while no mechanism or protocol runs."""

    def __init__(self, word: str) -> None:
        super().__init__(f"{word}() has a meaning in mechanisms and protocols only; call .run of these")


class NobodyChooses(BadInput):
    """A protocol runs, for simulation, and asks."""

    def __init__(self, options: int) -> None:
        super().__init__(
            f"the protocol asks for one of {options} options, and nobody is there to choose: prover delta "
            "finds what the best attacker does"
        )


class Place:
    """Where in a file a piece of code stands, as errors name it."""

    __slots__ = ("column", "line", "text")

    def __init__(self, node: ast.AST, lines: Sequence[str]) -> None:
        self.line: int = getattr(node, "lineno", 1)
        start: int = getattr(node, "col_offset", 0)
        first = lines[self.line - 1].encode() if self.line <= len(lines) else b""
        self.column = len(first[:start].decode(errors="replace")) + 1
        last: int = getattr(node, "end_lineno", None) or self.line
        end: int = getattr(node, "end_col_offset", None) or len(first)
        one_line = last == self.line and not isinstance(node, ast.FunctionDef | ast.ClassDef)
        self.text = first[start : end if one_line else None].decode(errors="replace").rstrip()
