"""The question about a program with rates that are real numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from prover.errors import BadOptions

if TYPE_CHECKING:
    from prover.cli.options import CommandQuery
    from prover.progress import Progress
    from prover.report.reply import Reply

_RATIONAL = (
    *("longest", "witness", "at_epsilon", "q", "exceed", "advantage", "strategies", "simulate", "plot"),
)


def answer_real(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    """Answer with the loss as a real number."""
    import hashlib

    from prover.certificate.schema import model_bytes
    from prover.cli.answering import with_page
    from prover.formats.real import load_real
    from prover.program.optimum.budget import Budget
    from prover.program.real_privacy import RealPrivacy, real_privacy
    from prover.report.real_privacy import reply_of
    from prover.report.reply import certified_reply

    for name in _RATIONAL:
        if vars(query).get(name) not in (None, False):
            option = f"--{name.replace('_', '-')}"
            raise BadOptions(f"{option} needs rational rates, and a rate is a real number")
    if query.engine != "auto":
        raise BadOptions("--engine smt needs rational rates, and a rate is a real number")
    notes: list[str] = []
    real = load_real(query.program, on_note=notes.append, const=query.const)
    real = real.completed if query.stuck else real
    digest = hashlib.sha256(model_bytes(real.model)).hexdigest()

    def reply(answer: RealPrivacy) -> Reply:
        make = partial(reply_of, answer, verbose=query.verbose, at_most=query.at_most, effort=query.effort)
        made = certified_reply(make, certified=query.certificate is not None)
        made = replace(made, notes=tuple(notes), model=digest)
        return with_page(query, made, answer, at_most=query.at_most)

    return reply(
        real_privacy(
            real,
            query.adjacency,
            effort=query.effort,
            budget=Budget(jobs=query.jobs),
            progress=progress,
            on_better=lambda better: emit(reply(better)),
        )
    )
