"""The question about a program with rates that are real numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from prover.cli.other_rates import answered, options_refused
from prover.errors import BadOptions

if TYPE_CHECKING:
    from prover.cli.options import CommandQuery
    from prover.progress import Progress
    from prover.report.reply import Reply


def answer_real(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    """Answer with the loss as a real number."""
    from prover.formats.real import load_real
    from prover.program.real_privacy import real_privacy
    from prover.report.real_privacy import reply_of

    if (option := options_refused(query, "plot")) is not None:
        raise BadOptions(f"{option} needs rational rates, and a rate is a real number")
    notes: list[str] = []
    real = load_real(query.program, on_note=notes.append, const=query.const)
    return answered(query, real, real_privacy, reply_of, notes, progress, emit)
