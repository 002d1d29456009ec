"""The command that proves what is said of mechanisms of public libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from prover.cli.options import CommandQuery, as_query, paged, with_options

if TYPE_CHECKING:
    from prover.gallery.index import GalleryEntry
    from prover.gallery.proving import Proved
    from prover.gallery.replaying import Ran
    from prover.progress import Progress
    from prover.report.reply import Reply


def _beginning(context: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    """The mechanisms of the gallery that a shell completes."""
    del context, parameter
    from prover.gallery.index import gallery as entries

    return [entry.name for entry in entries() if entry.name.startswith(text)]


@click.command(short_help="Prove the losses of mechanisms of public libraries.")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_beginning)
@click.option(
    "--installed",
    is_flag=True,
    help="Ask the installed libraries for the declared numbers, too (extra gallery).",
)
@click.option(
    "--replay",
    is_flag=True,
    help="Run the installed libraries on two inputs, and compare counts with the exact probabilities.",
)
@click.option(
    "--runs",
    type=click.IntRange(1, 10**6),
    default=5_000,
    show_default=True,
    help="How often --replay runs a library on each input.",
)
@with_options(paged)
@as_query("with NAMEs, it proves only these mechanisms")
def gallery(query: CommandQuery) -> int:
    """Prove how private mechanisms of public libraries are, and compare that with what these declare.

    Without a NAME, the command prints a table of all mechanisms. With NAMEs, it prints everything about
    these: their source, the declared number and, if more is lost, two neighbouring inputs that show it. Each
    certificate is verified; --certificate writes the one of a single NAME, and --html a page about it, or the
    table without a NAME. docs/gallery.md explains the
    numbers.

    --installed asks the libraries that are on the registry, such as opendp, for ε and δ; --replay also runs
    them. Without a NAME, this is done for all mechanisms whose library is installed in a version that is
    concerned. Exit status 1: what a library says is not what is listed, or its counts are not the model's.

    \b
    Examples:
      prover gallery
      prover gallery tumult-prefix-sums opendp-laplace-threshold
      prover gallery sampcert-sparse --certificate sparse.cert
      prover verify sparse.cert
      prover gallery --html gallery.html
    """
    from prover.cli.answering import answer_with
    from prover.gallery.index import chosen

    entries = chosen(query.names)
    if query.certificate is not None and len(query.names) != 1:
        raise click.UsageError("--certificate needs exactly one NAME")
    if query.html is not None and len(query.names) > 1:
        raise click.UsageError("--html needs one NAME, or none")
    runs, notes = _that_run(entries, query) if query.installed or query.replay else ((), ())
    if query.replay and not query.names:
        entries = runs
    query = query.beside(entries=entries, runnable=[entry.name for entry in runs], notes=notes)
    return answer_with(query, _answer, lambda query: _reply(query, [], {}))


def _that_run(
    entries: Sequence[GalleryEntry], query: CommandQuery
) -> tuple[tuple[GalleryEntry, ...], tuple[str, ...]]:
    """The mechanisms whose libraries can run here, and why others cannot.

    Raises NotSupported and NotInstalled, if one that is named cannot run, or none can.
    """
    from prover.errors import NotInstalled
    from prover.gallery.library import runnable

    runs: list[GalleryEntry] = []
    missing: list[NotInstalled] = []
    for entry in entries:
        try:
            if query.names or entry.library is not None:
                runnable(entry)
                runs.append(entry)
        except NotInstalled as error:
            missing.append(error)
            if query.names:
                raise
    if not runs:
        raise missing[0]
    return tuple(runs), tuple(str(error) for error in missing)


def _answer(query: CommandQuery, progress: Progress, emit: Callable[[Reply], None]) -> Reply:
    from prover.gallery.library import script_of
    from prover.gallery.proving import prove
    from prover.gallery.replaying import Ran, asked, replay

    rows: list[Proved] = []
    ran: dict[str, Ran] = {}
    for index, entry in enumerate(query.entries):
        progress(f"proving {entry.name}", index, len(query.entries))
        row = prove(entry)
        if entry.name in query.runnable:
            script = script_of(entry)
            runs = query.replay and script.release is not None
            found = replay(row, script, query.runs, progress) if runs else None
            ran[entry.name] = Ran(asked(row, script), found)
        rows.append(row)
        emit(_reply(query, rows, ran))
    return _reply(query, rows, ran)


def _reply(query: CommandQuery, rows: list[Proved], ran: dict[str, Ran]) -> Reply:
    from prover.gallery.table import reply_of

    full, certified = bool(query.names or query.replay), query.certificate is not None
    reply = reply_of(rows, len(query.entries), full=full, certified=certified, ran=ran)
    page = None
    if query.html is not None:
        from prover.gallery.page import row_page, table_page

        alone = rows[0] if query.names and rows else None
        made = row_page(alone, ran.get(alone.entry.name)) if alone else table_page(rows, len(query.entries))
        page = replace(made, file=Path(query.html).name)
    return replace(reply, notes=tuple(query.notes), page=page)
