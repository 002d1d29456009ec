"""What can be wrong with a mechanism or a protocol that is written as Python code."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from prover.errors import BadDocument, UnknownName, did_you_mean, quoted


class CodeError(BadDocument):
    """The code is wrong: the base of the errors below, which have a line and a column.

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
    """Threshold programs cannot express the meaning of the code."""


class NeedsRegisters(NotYetInTheModel):
    """The code adds or subtracts private queries, which a program without registers cannot."""


class NeedsEpsilon(CodeError):
    """The code depends on ε otherwise than by rates, and no ε is given."""


class NeedsRealRates(CodeError):
    """A rate is a real number, and rational ones are needed."""


class Unbounded(CodeError):
    """The code has too many states, or runs on without a draw or an output."""


def not_python(problem: str, line: int | None, column: int | None) -> BadDocument:
    """A file that should hold Python code does not."""
    return BadDocument(f"this is not Python: {problem}", line=line, column=column, code="not-python")


def no_such_function(name: str | None, known: Sequence[str], *, bare: bool = False) -> UnknownName:
    """``bare`` says that there is a function of this name without a decorator."""
    there = ", ".join(known)
    if name is None and known:
        return UnknownName(
            f"no function is chosen; write FILE.py:NAME; there is {there}", code="no-such-function"
        )
    if bare:
        return UnknownName(
            f"{quoted(name or '')} is not a mechanism or protocol yet: write @prover.mechanism or "
            f"@prover.protocol above it{f'; there is {there}' if known else ''}",
            code="no-such-function",
        )
    what = "" if name is None else f" {quoted(name)}"
    others = f"{did_you_mean(name or '', known)}there is {there}" if known else (
        "put @prover.mechanism or @prover.protocol above a function"
    )  # fmt: skip
    return UnknownName(
        f"no mechanism or protocol{what} here; {others}",
        code="no-such-function",
    )


def no_source(name: str) -> BadDocument:
    """The source of a function cannot be found."""
    return BadDocument(
        f"the source of {quoted(name)} cannot be found; define the function in a file and import it",
        code="no-source",
    )


class SourcePlace:
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
