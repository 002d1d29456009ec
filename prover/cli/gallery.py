"""The command that proves what is said of mechanisms of public libraries."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from prover.cli.options import CommandQuery, answering, as_query, with_options

if TYPE_CHECKING:
    from prover.gallery.proving import Proved
    from prover.progress import Progress
    from prover.report.reply import Reply


def _beginning(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    """The mechanisms of the gallery that a shell completes."""
    del context, parameter
    from prover.gallery.index import gallery as entries

    return [entry.name for entry in entries() if entry.name.startswith(text)]


@click.command(short_help="Prove the losses of mechanisms of public libraries.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_beginning)
@with_options(answering)
@as_query("with NAMEs, it proves only these mechanisms")
def gallery(query: CommandQuery) -> int:
    """Prove how private mechanisms of public libraries are, and compare that with what these declare.

    Without a NAME, the command prints a table of all mechanisms. With NAMEs, it prints everything about
    these: their source, the declared number and, if more is lost, two neighbouring inputs that show it. Each
    certificate is verified; --certificate writes the one of a single NAME. docs/gallery.md explains the
    numbers.

    \b
    Examples:
      prover gallery
      prover gallery tumult-prefix-sums opendp-laplace-threshold
      prover gallery sampcert-sparse --certificate sparse.cert
      prover verify sparse.cert
    """
    from prover.cli.answering import answer_with
    from prover.gallery.index import chosen

    query = query.beside(entries=chosen(query.names))
    if query.certificate is not None and len(query.names) != 1:
        raise click.UsageError("--certificate needs exactly one NAME")
    return answer_with(query, _answer, lambda query: _reply(query, []))


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.gallery.proving import prove

    rows: list[Proved] = []
    for index, entry in enumerate(query.entries):
        progress(f"proving {entry.name}", index, len(query.entries))
        rows.append(prove(entry))
        emit(_reply(query, rows))
    return _reply(query, rows)


def _reply(query: CommandQuery, rows: list[Proved]) -> Reply:
    from prover.gallery.table import reply_of

    return reply_of(rows, len(query.entries), full=bool(query.names), certified=query.certificate is not None)
