"""Standard output for answers, standard error for all else: what may be wrong with either, and a bar."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TextIO

import click

from prover.progress import Progress, silent


def say(text: str, *, aside: bool = False) -> None:
    """Print an answer; quietly go on without if nobody reads it any more.

    It goes to standard error if it stands ``aside``, as standard output is for a file.
    """
    try:
        click.echo(text, err=aside)
    except BrokenPipeError:
        drop_output()


def complain(text: str) -> None:
    """Tell the user something beside the answer."""
    with contextlib.suppress(OSError):
        click.echo(f"prover: {text}", err=True)


def drop_output() -> None:
    """Let what is still to be printed go nowhere, or the interpreter would fail once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def prepare_streams() -> None:
    """Let no text be unprintable, and no file that is opened later pass for a closed standard stream."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


@contextlib.contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error, from the first report of progress on; silence if that is no terminal."""
    stream: TextIO | None = sys.stderr  # None where the program was started without one
    if stream is None or not stream.isatty():
        yield silent
        return
    with contextlib.ExitStack() as screen:
        draw: Progress | None = None

        def report(stage: str, done: int, total: int | None) -> None:
            nonlocal draw
            # Not before: loading the library must not hold up the work, nor its thread the fork.
            draw = draw or screen.enter_context(_bar())
            draw(stage, done, total)

        yield report


@contextlib.contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("", total=None, count="")

        def draw(stage: str, done: int, total: int | None) -> None:
            count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            bar.update(task, description=stage, completed=done, total=total, count=count)

        yield draw
