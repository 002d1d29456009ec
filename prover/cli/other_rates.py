"""Questions about programs that are not all numbers: a parameter or a count is open, or rates are real."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prover.cli.answering import Emit, answer_with, answered, decided
from prover.cli.options import CommandQuery
from prover.cli.output import complain
from prover.cli.status import Status
from prover.errors import BadOptions

if TYPE_CHECKING:
    from prover.program.pieces.answer import OpenPrivacy
    from prover.progress import Progress
    from prover.report.reply import Reply

Files = tuple[tuple[str, str, bytes], ...]
"""What else a reply has written."""

_OF_FIXED = ("longest", "witness", "at_epsilon", "q", "exceed", "advantage", "strategies", "simulate")
_COUNT = re.compile(r"(?P<name>[^\W\d]\w*)(?:=(?P<first>\d{1,4}):(?P<last>\d{1,4}))?")
_LAST_COUNTED, _MOST_COUNTED = 6, 40


def answer_opened(query: CommandQuery) -> Status:
    """Answer with the loss as a function of the parameter that is left open."""
    if (option := _refused(query)) is not None:
        raise click.UsageError(f"{option} needs fixed rates and sensitivities, and a parameter is open")
    if query.plot is not None and not query.plot.endswith(".svg"):
        raise click.UsageError(
            "with --open, --plot draws the loss as a function, into a file that ends in .svg"
        )
    return answer_with(query, _of_opened, _nothing, note=complain)


def _of_opened(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    from prover.formats.opened import load_open
    from prover.program.pieces.privacy import open_privacy
    from prover.report.open_privacy import picture_file, reply_of

    def picture(answer: OpenPrivacy) -> Files:
        return () if query.plot is None else ((query.plot, "the picture", picture_file(answer)),)

    load = partial(load_open, query.program, query.opened)
    return _answered(query, progress, emit, load, open_privacy, reply_of, picture)


def _nothing(query: CommandQuery) -> Reply:
    from prover.report.open_privacy import nothing_known

    return nothing_known(query.adjacency, query.at_most)


def answer_real(query: CommandQuery, progress: Progress, emit: Emit) -> Reply:
    """Answer with the loss as a real number."""
    from prover.formats.real import load_real
    from prover.program.real_privacy import real_privacy
    from prover.report.real_privacy import reply_of

    if (option := _refused(query, "plot")) is not None:
        raise BadOptions(f"{option} needs rational rates, and a rate is a real number")
    return _answered(query, progress, emit, partial(load_real, query.program), real_privacy, reply_of)


def _refused(query: CommandQuery, *more: str) -> str | None:
    """The first option that is given and needs rational rates, ``more`` among them."""
    for name in (*_OF_FIXED, *more):
        if vars(query).get(name) not in (None, False):
            return f"--{name.replace('_', '-')}"
    return None if query.engine == "auto" else "--engine smt"


def _answered(
    query: CommandQuery,
    progress: Progress,
    emit: Emit,
    load: Callable[..., Any],
    ask: Callable[..., Any],
    reply_of: Callable[..., Reply],
    files: Callable[[Any], Files] = lambda _: (),
) -> Reply:
    """What ``ask`` answers about the program that is read, each better answer by way of ``emit``."""
    import hashlib

    from prover.certificate.schema import model_bytes
    from prover.program.optimum.budget import Budget

    notes: list[str] = []
    progress("reading the program", 0, None)
    system = load(on_note=notes.append, const=query.const)
    whole = system.completed if query.stuck else system
    digest = hashlib.sha256(model_bytes(whole.model)).hexdigest()

    def reply(answer: object) -> Reply:
        made = decided(query, partial(reply_of, verbose=query.verbose, effort=query.effort), answer)
        return replace(made, files=files(answer), notes=tuple(notes), model=digest)

    return reply(
        ask(
            whole,
            query.adjacency,
            effort=query.effort,
            budget=Budget(jobs=query.jobs),
            progress=progress,
            on_better=lambda better: emit(reply(better)),
        )
    )


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
    first, last = int(found["first"] or 1), int(found["last"] or _LAST_COUNTED)
    if not first + 3 <= last <= _MOST_COUNTED:
        raise click.UsageError(
            f"--open {found['name']}=A:B needs at least four counts from A to B, up to {_MOST_COUNTED}"
        )
    return found["name"], first, last


def answer_counted(query: CommandQuery, count: tuple[str, int, int]) -> Status:
    """Answer with the loss as a formula in the count that is left open."""
    for name in (*_OF_FIXED, "at_most", "plot", "stuck", "verbose"):
        if vars(query).get(name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} is about one program; leave out --open, or {option}")
    if query.engine != "auto":
        raise click.UsageError("--engine smt is about one program; leave out --open, or --engine")
    return answer_with(
        query, partial(_of_count, count=count), partial(_nothing_of_count, count=count), note=complain
    )


def _of_count(query: CommandQuery, progress: Progress, _emit: Emit, *, count: tuple[str, int, int]) -> Reply:
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


def _nothing_of_count(query: CommandQuery, *, count: tuple[str, int, int]) -> Reply:
    from prover.report.counts import nothing_known

    return nothing_known(count[0], query.adjacency)
