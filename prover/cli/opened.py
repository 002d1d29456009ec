"""The question about a program in which a parameter of rates is left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import click

from prover.cli.answering import answer_with, with_page
from prover.cli.options import CommandQuery
from prover.cli.output import complain
from prover.cli.status import Status

if TYPE_CHECKING:
    from prover.progress import Progress
    from prover.report.reply import Reply

_OF_ONE_PROGRAM = ("longest", "witness", "at_epsilon", "q", "exceed", "advantage", "strategies", "simulate")


def answer_opened(query: CommandQuery) -> Status:
    """Answer with the loss as a function of the parameter that is left open."""
    for name in _OF_ONE_PROGRAM:
        if vars(query).get(name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} needs fixed rates, and a parameter is open")
    if query.engine != "auto":
        raise click.UsageError("--engine smt needs fixed rates, and a parameter is open")
    if query.plot is not None and not query.plot.endswith(".svg"):
        raise click.UsageError(
            "with --open, --plot draws the loss as a function, into a file that ends in .svg"
        )
    return answer_with(query, _answer, _nothing, note=complain)


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    import hashlib

    from prover.certificate.schema import model_bytes
    from prover.formats.opened import load_open
    from prover.program.optimum.budget import Budget
    from prover.program.pieces.answer import OpenPrivacy
    from prover.program.pieces.privacy import open_privacy
    from prover.report.open_privacy import picture_file, reply_of
    from prover.report.reply import certified_reply

    notes: list[str] = []
    progress("reading the program", 0, None)
    opened = load_open(query.program, query.opened, on_note=notes.append, const=query.const)
    opened = opened.completed if query.stuck else opened
    digest = hashlib.sha256(model_bytes(opened.model)).hexdigest()

    def reply(answer: OpenPrivacy) -> Reply:
        make = partial(reply_of, answer, verbose=query.verbose, at_most=query.at_most, effort=query.effort)
        made = certified_reply(make, certified=query.certificate is not None)
        if query.plot is not None:
            made = replace(made, files=((query.plot, "the picture", picture_file(answer)),))
        made = replace(made, notes=tuple(notes), model=digest)
        return with_page(query, made, answer, at_most=query.at_most)

    return reply(
        open_privacy(
            opened,
            query.adjacency,
            effort=query.effort,
            budget=Budget(jobs=query.jobs),
            progress=progress,
            on_better=lambda better: emit(reply(better)),
        )
    )


def _nothing(query: CommandQuery) -> Reply:
    from prover.report.open_privacy import nothing_known

    return nothing_known(query.adjacency, query.at_most)
