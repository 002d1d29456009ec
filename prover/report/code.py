"""The code that a model was made of, on the page about the answer."""

from __future__ import annotations

import ast

from prover.errors import short_name, shown
from prover.language.reading.source import Function, Source
from prover.language.written import Mechanism, Protocol
from prover.report.page.document import Section, Text

MOST_LINES = 200
"""Of code that is shown."""


def code_section(function: Mechanism | Protocol, const: str | None = None) -> Section:
    """The function with the numbers of its lines, and what it uses of the top of its file.

    ``const`` are the constants that were given.
    """
    source, name = function.source, short_name(function.function.name)
    numbers = [line for first, last in _places(source, function.function) for line in range(first, last + 1)]
    width = len(str(numbers[-1]))
    lines = [f"{line:{width}}  {shown(source.lines[line - 1])}".rstrip() for line in numbers[:MOST_LINES]]
    given = "" if const is None else f" Constants that were given: {shown(const)}."
    more = len(numbers) - MOST_LINES
    return Section(
        "The code",
        [
            Text(f"{name} as it was read, with what it uses of its file and the numbers of lines.{given}"),
            Text("\n".join(lines), "code"),
            *([Text(f"{more:,} more lines are not shown.")] if more > 0 else []),
        ],
    )


def _places(source: Source, function: Function) -> list[tuple[int, int]]:
    """The first and the last lines of the function, and of all at the top of the file that it needs."""
    found: dict[int, int] = {}
    new: list[ast.AST] = [function]
    while new:
        node = new.pop()
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(one.lineno for one in decorators)])
            if first in found:
                continue
            found[first] = node.end_lineno or node.lineno
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        for name in sorted(names):
            if name in source.functions:
                new.append(source.functions[name])
            if name in source.classes:
                new.append(source.classes[name])
            new += source.assigned.get(name, [])
    return sorted(found.items())
