"""Questions about programs whose rates are not rational numbers: what their two commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from prover.cli.answering import with_page

if TYPE_CHECKING:
    from prover.cli.options import CommandQuery
    from prover.program.opened import OpenProgram
    from prover.program.real import RealProgram
    from prover.progress import Progress
    from prover.report.reply import Reply

_OF_FIXED = ("longest", "witness", "at_epsilon", "q", "exceed", "advantage", "strategies", "simulate")


AnyAnswer = TypeVar("AnyAnswer")


def options_refused(query: CommandQuery, *more: str) -> str | None:
    """The first option that is given and needs rational rates, ``more`` among them."""
    for name in (*_OF_FIXED, *more):
        if vars(query).get(name) not in (None, False):
            return f"--{name.replace('_', '-')}"
    return None if query.engine == "auto" else "--engine smt"


def answered(
    query: CommandQuery,
    system: OpenProgram | RealProgram,
    ask: Callable[..., AnyAnswer],
    reply_of: Callable[..., Reply],
    notes: Sequence[str],
    progress: Progress,
    emit: Callable[[Reply], None],
    files: Callable[[AnyAnswer], tuple[tuple[str, str, bytes], ...]] = lambda _: (),
) -> Reply:
    """What is answered about a program that was read, each better answer by way of ``emit``."""
    import hashlib

    from prover.certificate.schema import model_bytes
    from prover.program.optimum.budget import Budget
    from prover.report.reply import certified_reply

    whole = system.completed if query.stuck else system
    digest = hashlib.sha256(model_bytes(whole.model)).hexdigest()

    def reply(answer: AnyAnswer) -> Reply:
        make = partial(reply_of, answer, verbose=query.verbose, at_most=query.at_most, effort=query.effort)
        made = certified_reply(make, certified=query.certificate is not None)
        made = replace(made, files=(*made.files, *files(answer)), notes=tuple(notes), model=digest)
        return with_page(query, made, answer, at_most=query.at_most)

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
