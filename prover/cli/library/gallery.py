"""The command that proves what is said of mechanisms of public libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import click

from prover.cli.options import Asked, answering, with_options
from prover.cli.shell import candidates

if TYPE_CHECKING:
    from prover.gallery.index import Entry
    from prover.gallery.proving import Proved
    from prover.progress import Progress
    from prover.report.reply import Reply


@dataclass(frozen=True, kw_only=True, slots=True)
class GalleryAsked(Asked):
    """Which mechanisms ``prover gallery`` is asked about, and whether by their names."""

    sooner: ClassVar[str] = "with NAMEs it is about these mechanisms only"
    entries: tuple[Entry, ...]
    named: bool


@click.command(short_help="How private are mechanisms of public libraries?")
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=candidates.mechanisms)
@with_options(answering)
def gallery(
    names: tuple[str, ...],
    as_json: bool,
    certificate: str | None,
    unchecked: bool,
    force: bool,
    timeout: float | None,
) -> int:
    """Prove the losses of mechanisms of public libraries, and compare them with what is declared.

    Without a NAME it is a table of all. With names everything about these is printed: where they are written,
    what is declared, and, where the loss is another one, two neighbouring inputs that show it. Each
    certificate is verified; that of a single NAME can be written to a file. docs/gallery.md says what the
    numbers mean.

    \b
    Examples:
      prover gallery
      prover gallery tumult-prefix-sums
      prover gallery sampcert-sparse --certificate sparse.cert
      prover verify sparse.cert
    """
    from prover.cli.answering import answer_with
    from prover.gallery.index import chosen

    asked = GalleryAsked(
        entries=chosen(names),
        named=bool(names),
        as_json=as_json,
        certificate=certificate,
        unchecked=unchecked,
        force=force,
        timeout=timeout,
    )
    if asked.certificate is not None and (len(asked.entries) > 1 or not asked.named):
        raise click.UsageError("--certificate goes with one NAME")
    return answer_with(partial(_answer, asked), partial(_reply, asked, []), asked)


def _answer(asked: GalleryAsked, progress: Progress, leave: Callable[[Reply], None]) -> Reply:
    from prover.gallery.proving import prove

    rows: list[Proved] = []
    for place, entry in enumerate(asked.entries):
        progress(f"proving {entry.name}", place, len(asked.entries))
        rows.append(prove(entry))
        leave(_reply(asked, rows))
    return _reply(asked, rows)


def _reply(asked: GalleryAsked, rows: list[Proved]) -> Reply:
    from prover.gallery.table import reply_of

    return reply_of(rows, len(asked.entries), full=asked.named, certified=asked.certificate is not None)
