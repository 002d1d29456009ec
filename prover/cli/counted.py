"""The question about a program in which a count is left open."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.answering import answer_with, answered
from prover.cli.options import CommandQuery
from prover.cli.output import complain
from prover.cli.status import Status

if TYPE_CHECKING:
    from prover.progress import Progress
    from prover.report.reply import Reply

_COUNT = re.compile(r"(?P<name>[^\W\d]\w*)(?:=(?P<first>\d{1,4}):(?P<last>\d{1,4}))?")
_OF_ONE_PROGRAM = (
    *("longest", "witness", "at_epsilon", "q", "exceed", "advantage", "strategies", "simulate"),
    *("at_most", "plot", "stuck", "verbose"),
)
_LAST = 6
_MOST = 40


def count_of(path: str, text: str) -> tuple[str, int, int] | None:
    """The count that a text such as ``c`` or ``c=1:8`` leaves open, and the counts to look at.

    None if it names no whole number among the parameters of FILE.py:NAME.
    """
    from prover.formats.code import function_of
    from prover.formats.files import named_in_code

    found = _COUNT.fullmatch(text.strip())
    if found is None or named_in_code(path) is None:
        return None
    if not any(
        one.name == found["name"] and one.kind == "constant" for one in function_of(path).parameters()
    ):
        return None
    first, last = int(found["first"] or 1), int(found["last"] or _LAST)
    if not first + 3 <= last <= _MOST:
        raise click.UsageError(
            f"--open {found['name']}=A:B needs at least four counts from A to B, up to {_MOST}"
        )
    return found["name"], first, last


def answer_counted(query: CommandQuery, count: tuple[str, int, int]) -> Status:
    """Answer with the loss as a formula in the count that is left open."""
    for name in _OF_ONE_PROGRAM:
        if vars(query).get(name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} is about one program; leave out --open, or {option}")
    if query.engine != "auto":
        raise click.UsageError("--engine smt is about one program; leave out --open, or --engine")
    return answer_with(query, partial(_answer, count=count), partial(_nothing, count=count), note=complain)


def _answer(
    query: CommandQuery, progress: Progress, _emit: Callable[[Reply], None], *, count: tuple[str, int, int]
) -> Reply:
    from prover.formats.load import load_program
    from prover.program.counted.privacy import privacy_of_counts
    from prover.program.model import Program
    from prover.program.optimum.budget import Budget
    from prover.report.counts import reply_of

    name, first, last = count

    def make(value: int) -> Program:
        const = ",".join(filter(None, (query.const, f"{name}={value}")))
        return load_program(query.program, on_note=lambda _: None, const=const)

    budget = Budget(jobs=query.jobs).times(query.effort)
    answer = privacy_of_counts(make, name, first, last, query.adjacency, budget=budget, progress=progress)
    return answered(query, reply_of, answer)


def _nothing(query: CommandQuery, *, count: tuple[str, int, int]) -> Reply:
    from prover.report.counts import nothing_known

    return nothing_known(count[0], query.adjacency)
