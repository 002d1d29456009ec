"""The code that a model was made of, on the page about the answer."""

from __future__ import annotations

from dataclasses import replace

from prover.chain.collapsing.collapsed import CollapsedChain
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import LabelledMarkovDecisionProcess
from prover.errors import short_name, shown
from prover.program.origin import WrittenProgram
from prover.report.document import Page, Section, Text
from prover.views import SourceCode

MOST_LINES = 200
"""Of code that is shown."""


def with_code(page: Page, *systems: object) -> Page:
    """The page with the code of these models, those that were written as code, and called after it."""
    codes = list(dict.fromkeys(code for system in systems if (code := _code_of(system)) is not None))
    name = ", ".join(dict.fromkeys(short_name(code.name) for code in codes))
    return replace(page, model=name, sections=[*map(code_section, codes), *page.sections])


def _code_of(system: object) -> SourceCode | None:
    if isinstance(system, WrittenProgram):
        return system.origin.text
    if isinstance(system, CollapsedChain):
        return system.collapsing.original.code
    if isinstance(system, LabelledMarkovChain | LabelledMarkovDecisionProcess):
        return system.code
    return None


def code_section(code: SourceCode) -> Section:
    """The function with the numbers of its lines, and what it uses of the top of its file."""
    width = len(str(code.lines[-1][0]))
    lines = [f"{number:{width}}  {shown(line)}".rstrip() for number, line in code.lines[:MOST_LINES]]
    given = f" Given constants: {shown(code.given)}." if code.given else ""
    name, more = short_name(code.name), len(code.lines) - MOST_LINES
    return Section(
        "The code",
        [
            Text(f"The code of {name} and of what it uses in its file, with line numbers.{given}"),
            Text("\n".join(lines), "code"),
            *([Text(f"{more:,} more lines are not shown.")] if more > 0 else []),
        ],
    )
