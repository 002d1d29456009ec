"""Questions about programs whose rates are not rational numbers: one parameter is open, or rates are real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from prover.cli.answering import Emit, answer_with, decided
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
