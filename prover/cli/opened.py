"""The question about a program in which a parameter is left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from prover.cli.answering import answer_with
from prover.cli.options import CommandQuery
from prover.cli.other_rates import answered, options_refused
from prover.cli.output import complain
from prover.cli.status import Status

if TYPE_CHECKING:
    from prover.progress import Progress
    from prover.report.reply import Reply


def answer_opened(query: CommandQuery) -> Status:
    """Answer with the loss as a function of the parameter that is left open."""
    if (option := options_refused(query)) is not None:
        raise click.UsageError(f"{option} needs fixed rates and sensitivities, and a parameter is open")
    if query.plot is not None and not query.plot.endswith(".svg"):
        raise click.UsageError(
            "with --open, --plot draws the loss as a function, into a file that ends in .svg"
        )
    return answer_with(query, _answer, _nothing, note=complain)


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.formats.opened import load_open
    from prover.program.pieces.answer import OpenPrivacy
    from prover.program.pieces.privacy import open_privacy
    from prover.report.open_privacy import picture_file, reply_of

    def picture(answer: OpenPrivacy) -> tuple[tuple[str, str, bytes], ...]:
        return () if query.plot is None else ((query.plot, "the picture", picture_file(answer)),)

    notes: list[str] = []
    progress("reading the program", 0, None)
    opened = load_open(query.program, query.opened, on_note=notes.append, const=query.const)
    return answered(query, opened, open_privacy, reply_of, notes, progress, emit, picture)


def _nothing(query: CommandQuery) -> Reply:
    from prover.report.open_privacy import nothing_known

    return nothing_known(query.adjacency, query.at_most)
